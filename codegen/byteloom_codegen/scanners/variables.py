"""The values of expressions while records are scanned, and what names in them refer to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from byteloom_codegen.model import BitsType, Field, IntType, Param, TypeSpec, base_of
from byteloom_codegen.scanners.numbers import HIGHEST, range_of_integers

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "BytesVariable", "Environment", "ListVariable", "Member", "StoredVariable", "Value",
    "Variable", "variable_of",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Value:
    """An expression: source, how tightly its loosest operator binds, least and greatest value.

    form  "int"; over whole columns also "bool", "float", and "wide" for 64 bits without a sign
    """

    source: str
    binds: int
    low: int
    high: int
    form: str = "int"

    def within(self, binds: int) -> str:
        """Return the source, in parentheses where it binds looser than *binds*."""
        return f"({self.source})" if self.binds < binds else self.source


@dataclass(frozen=True, slots=True)
class Variable:
    """A number that was read.

    condition  the source of its field's ``if``; "" where the number is always there
    """

    source: str
    low: int
    high: int
    condition: str = ""


@dataclass(frozen=True, slots=True)
class StoredVariable:
    """A number that a loop stores and cannot calculate with, since it has only its bits.

    form  NumPy's form of the number that the bits are: ``f4``, ``f8`` or ``u8``
    """

    source: str
    form: str
    condition: str = ""


@dataclass(frozen=True, slots=True)
class BytesVariable:
    """Bytes that were taken, or given as a parameter.

    size  the source of the number of bytes
    base  the source of the first byte's address, if they are a parameter
    """

    size: str
    condition: str = ""
    base: str = ""


@dataclass(slots=True)
class Environment:
    """What names refer to inside one record.

    start, end  sources of where its stream begins and ends; without *start* it is only known how
                long it is, which *end* is
    item        the meaning of ``_``
    index       the meaning of ``_index``
    condition   the source of the record's ``if``; "" where it is always there
    order       returns what is true where numbers have their lowest byte first; None where nothing
                decides that while reading
    root        the meaning of ``_root``, where it is in none of the records around
    """

    spec: TypeSpec
    parent: Environment | None
    start: str
    end: str
    members: dict[str, Member] = field(default_factory=dict)
    item: Member | None = None
    index: Member | None = None
    condition: str = ""
    order: Callable[[], str] | None = None
    root: Environment | None = None


@dataclass(frozen=True, slots=True)
class ListVariable:
    """The elements of a repeated field.

    size  the source of their number
    item  returns the element at an index, and is given the tests that are true where the element
          is used: there the loop checks that it is one of the list
    """

    size: str
    item: Callable[[Value, tuple[str, ...]], Member | None]
    condition: str = ""


Member: TypeAlias = Variable | StoredVariable | BytesVariable | Environment | ListVariable


def variable_of(field_: Field | Param, source: str, condition: str) -> Variable | None:
    """Return the variable for an integer field; None for all other fields."""
    base = base_of(field_.type)
    match base:
        case BitsType(width=width):
            return Variable(source, *range_of_integers(width, signed=False), condition)
        case IntType(signed=signed, width=int(width)):
            low, high = range_of_integers(8 * width, signed=signed)
            return Variable(source, low, min(high, HIGHEST), condition)
    return None
