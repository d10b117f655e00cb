"""The columns of a scanner, as its module prints them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from byteloom_codegen.frontend.kinds import described, element, kind
from byteloom_codegen.model import (
    BitsType,
    BoolType,
    BytesType,
    ContentsType,
    Delimiting,
    EnumType,
    Field,
    FloatType,
    IntType,
    StrType,
    ValueInstance,
)
from byteloom_codegen.python.derived_fields import derived_fields, is_checksum, is_magic
from byteloom_codegen.python.literals import str_literal
from byteloom_codegen.python.names import attribute_name
from byteloom_codegen.python.sizes import literal
from byteloom_codegen.scanners.refusals import NotScannableError

if TYPE_CHECKING:
    from byteloom_codegen.model import DataType, Location, TypeSpec

__all__ = [
    "ColumnView",
    "any_leaf",
    "called",
    "column_name",
    "holding",
    "leaf",
    "plain_size",
    "set_member",
]  # fmt: skip

_WORD: Final = 8
_VALUES: Final = {"integer", "float", "boolean", "enum", "string", "bytes"}
"""The kinds of calculated values that have columns."""

_ARROW: Final = re.compile(
    r"u?int(8|16|32|64)|float|double|bool|date(32|64)|time32\[m?s\]|time64\[[un]s\]"
    r"|(timestamp|duration)\[(s|ms|us|ns)\]|(large_)?(string|binary)|(string|binary)_view"
)
"""The names by which Arrow types without parameters of their own are known."""


@dataclass(slots=True)
class ColumnView:
    """One column: the class that the runtime has for it, and how it is made.

    args       what its class takes after the name, by place
    options    what its class takes by keyword
    attribute  the record's name for it, where that is another
    slots      the names of the arrays that a loop fills for it, without those of its children
    children   the columns of a struct, the one of a list's elements, or the numbers that a
               calculated value is made of
    refused    why it cannot be had without the record; None where it can
    path       the names that lead to a calculated instance, in a loop; "" for all others
    """

    kind: str
    name: str
    args: list[str] = field(default_factory=list)
    options: list[str] = field(default_factory=list)
    optional: bool = False
    arrow: str = ""
    attribute: str = ""
    slots: list[str] = field(default_factory=list)
    children: list[ColumnView] = field(default_factory=list)
    refused: NotScannableError | None = None
    path: str = ""

    def all_slots(self) -> list[str]:
        """Return the slots of this column and of its children, in the runtime's order."""
        return [*self.slots, *(slot for each in self.children for slot in each.all_slots())]

    def kinds(self) -> set[str]:
        """Return the runtime's classes that it is made of."""
        return {self.kind}.union(*(each.kinds() for each in self.children))


def column_name(member: Field | ValueInstance, owner: TypeSpec) -> str | None:
    """Return the name of a member's column, or None if it has no column.

    A calculated instance that is a record has none: it is shown where it is a field.
    """
    asked = member.loom.get("column")
    if isinstance(asked, str):
        return asked
    if isinstance(member, ValueInstance):
        shown = asked is True or (asked is None and kind(element(member.type)) in _VALUES)
        return member.name if shown else None
    hidden = is_magic(member) or is_checksum(member) or member.name in derived_fields(owner)
    return None if asked is False or (hidden and asked is None) else member.name


def set_member(column: ColumnView, member: Field | ValueInstance, name: str) -> None:
    """Give a column its *name*, and the attribute and the Arrow type of its member."""
    attribute = attribute_name(member.name)
    column.name, column.attribute = name, attribute if attribute != name else ""
    column.arrow = _arrow_type(member)


def _arrow_type(member: Field | ValueInstance) -> str:
    """Return the Arrow type that the spec asks for; "" where it leaves the natural one."""
    asked = str(member.loom.get("arrow", ""))
    if asked and not _ARROW.fullmatch(asked):
        raise NotScannableError(member.location, f"no Arrow type is called `{asked}`")
    return asked


def leaf(type_: DataType, name: str, location: Location) -> ColumnView:
    """Return the column for values that contain no other values."""
    match type_:
        case IntType(signed=signed, width=int(width)):
            return ColumnView("Number", name, [f'"{"i" if signed else "u"}{width}"'])
        case FloatType(width=int(width)):
            return ColumnView("Number", name, [f'"f{width}"'])
        case BitsType(width=width, is_bool=is_bool):
            return ColumnView("Flag" if is_bool else "Number", name, [f'"{holding(width)}"'])
        case EnumType(enum=enum, base=base) if enum.members:
            column = leaf(base, name, location)
            names = {each.value: each.name for each in enum.members}
            shown = ", ".join(f"{value}: {str_literal(names[value])}" for value in sorted(names))
            return ColumnView("Named", name, [*column.args, f"{{{shown}}}"])
        case BytesType(delimiting=delimiting, process=None) if delimiting is not None:
            size = plain_size(delimiting)
            if size:
                return ColumnView("FixedBytes", name, options=[f"size={size}"])
            return ColumnView("Bytes", name)
        case StrType(encoding=encoding, process=None):
            return ColumnView("Text", name, options=_encoding(encoding or "ASCII", location))
    raise NotScannableError(location, f"a {called(type_)} has no column")


def any_leaf(type_: DataType, name: str, location: Location) -> ColumnView:
    """Return the column for values that contain no others, however they are stored, if at all."""
    match type_:
        case IntType(width=None):
            return ColumnView("Number", name, ['"i8"'])
        case FloatType(width=None):
            return ColumnView("Number", name, ['"f8"'])
        case BoolType():
            return ColumnView("Flag", name, ['"u1"'])
        case StrType():
            return ColumnView("Text", name)
        case EnumType(enum=enum, base=base) if not enum.members:
            return any_leaf(base, name, location)
        case EnumType(base=IntType(width=None)):
            return leaf(replace(type_, base=IntType(width=_WORD)), name, location)
        case BytesType(delimiting=Delimiting(), process=None) | IntType() | FloatType():
            return leaf(type_, name, location)
        case BitsType() | EnumType():
            return leaf(type_, name, location)
        case BytesType() | ContentsType():
            return ColumnView("Bytes", name)
    return ColumnView("Json", name)


def plain_size(delimiting: Delimiting) -> int | None:
    """Return the number of bytes if it is constant and nothing is cut off; otherwise None."""
    if delimiting.is_filled_up:
        return None
    return literal(delimiting.size)


def holding(width: int) -> str:
    """Return NumPy's name of the smallest unsigned type with at least *width* bits."""
    return next(f"u{size}" for size in (1, 2, 4, 8) if width <= 8 * size)


def _encoding(name: str, location: Location) -> list[str]:
    if name.startswith(("UTF-16", "UTF-32", "Shift", "SJIS", "Big5", "EUC", "GB")):
        reason = f"text in {name}: scanners take UTF-8 and charsets of one byte a character"
        raise NotScannableError(location, reason)
    return [] if name == "UTF-8" else [f"encoding={str_literal(name)}"]


_WORDS: Final = {
    "ContentsType": "field of fixed contents",
    "OpaqueType": "class written by hand",
    "SwitchType": "type that another value decides",
    "UserType": "record",
}


def called(type_: DataType) -> str:
    """Return in a few words what kind of field it is."""
    process = getattr(type_, "process", None)
    if process:
        return f"field with process {process.name}"
    return _WORDS.get(type(type_).__name__, described(type_))
