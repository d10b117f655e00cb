"""The types of values: what one field holds, and how it is stored."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from byteloom_codegen.expressions import Expression
    from byteloom_codegen.location import Location
    from byteloom_codegen.model.specs import EnumSpec, TypeSpec

__all__ = [
    "AnyType",
    "ArrayType",
    "BitsType",
    "BoolType",
    "BytesType",
    "Case",
    "ContentsType",
    "DataType",
    "Delimiting",
    "Endian",
    "EnumType",
    "FloatType",
    "IntType",
    "IoType",
    "OpaqueType",
    "Process",
    "StrType",
    "StructType",
    "SwitchType",
    "UserType",
    "base_of",
    "is_bits",
]

Endian: TypeAlias = Literal["le", "be"]


@dataclass(frozen=True, slots=True)
class IntType:
    """An integer of whole bytes.

    width   1, 2, 4 or 8 bytes; None for an integer that was calculated
    endian  None for one byte, and where the byte order is known only when reading
            (`TypeSpec.endian` is then an `EndianSwitch`)
    """

    signed: bool = True
    width: int | None = None
    endian: Endian | None = None


@dataclass(frozen=True, slots=True)
class FloatType:
    """A number of IEEE 754; width 4 or 8 bytes, None where calculated."""

    width: int | None = None
    endian: Endian | None = None


@dataclass(frozen=True, slots=True)
class BitsType:
    """An integer of 1 to 64 bits; *is_bool* for a plain ``b1``."""

    width: int
    endian: Endian = "be"
    is_bool: bool = False


@dataclass(frozen=True, slots=True)
class Delimiting:
    """How the end of bytes is found, and what is cut from them afterwards.

    At most one of size, size_eos and terminator finds the end; a terminator or padding beside a
    size is looked for inside these bytes: padding is stripped first, then the terminator.
    """

    size: Expression | None = None
    size_eos: bool = False
    terminator: bytes | None = None
    include: bool = False
    consume: bool = True
    eos_error: bool = True
    pad_right: int | None = None

    @property
    def is_filled_up(self) -> bool:
        """Whether a value may be shorter than its size: a terminator or padding fills the rest."""
        return self.terminator is not None or self.pad_right is not None


@dataclass(frozen=True, slots=True)
class Process:
    """How bytes are decoded after reading: name is zlib, xor, rol, ror or ``some.module.name``."""

    name: str
    args: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class BytesType:
    """Bytes; `delimiting` is None for bytes that were calculated."""

    delimiting: Delimiting | None = None
    process: Process | None = None


@dataclass(frozen=True, slots=True)
class ContentsType:
    """The exact bytes that have to be here (a magic)."""

    contents: bytes


@dataclass(frozen=True, slots=True)
class StrType:
    """Text; *encoding* is the canonical name; None where the text was calculated."""

    encoding: str | None = None
    delimiting: Delimiting | None = None
    process: Process | None = None


@dataclass(frozen=True, slots=True)
class UserType:
    """A record.

    delimiting  None: read in the parent's stream; else in a stream of its own
    parent      None: the enclosing record; False: none; else an expression
    location    where the spec names the type, if it does
    """

    type: TypeSpec
    args: tuple[Expression, ...] = ()
    delimiting: Delimiting | None = None
    process: Process | None = None
    parent: Expression | Literal[False] | None = None
    location: Location | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class OpaqueType:
    """A record whose class is written elsewhere; *name* as in the spec (``a::b``)."""

    name: tuple[str, ...]
    args: tuple[Expression, ...] = ()
    delimiting: Delimiting | None = None
    process: Process | None = None
    parent: Expression | Literal[False] | None = None


@dataclass(frozen=True, slots=True)
class EnumType:
    """An integer with named values; a value without a name stays an integer."""

    enum: EnumSpec
    base: IntType | BitsType


@dataclass(frozen=True, slots=True)
class Case:
    """One case of a switch; *on* is None for ``_``."""

    on: Expression | None
    type: DataType


@dataclass(frozen=True, slots=True)
class SwitchType:
    """One of several types, chosen while reading.

    combined  the type that an expression sees: the common one of all cases, or AnyType
    """

    on: Expression
    cases: tuple[Case, ...]
    combined: DataType


@dataclass(frozen=True, slots=True)
class BoolType:
    """True or false."""


@dataclass(frozen=True, slots=True)
class IoType:
    """A stream."""


@dataclass(frozen=True, slots=True)
class StructType:
    """Any record."""


@dataclass(frozen=True, slots=True)
class AnyType:
    """A value of any type."""


@dataclass(frozen=True, slots=True)
class ArrayType:
    """A list."""

    element: DataType


DataType: TypeAlias = (
    IntType | FloatType | BitsType | BytesType | ContentsType | StrType | UserType | OpaqueType
    | EnumType | SwitchType | BoolType | IoType | StructType | AnyType | ArrayType
)  # fmt: skip


def base_of(type_: DataType) -> DataType:
    """Return the type that a value is stored as: of an enum, its integer."""
    return type_.base if isinstance(type_, EnumType) else type_


def is_bits(type_: DataType) -> bool:
    """Whether a value is stored as bits, which may begin or end inside a byte."""
    return isinstance(base_of(type_), BitsType)
