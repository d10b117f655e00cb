"""The columns of records that no loop can read, so that their classes do; any spec has them.

They are called and typed as those of a loop are.  Beyond these:

- A type that another value decides is a column for each type that it may be, all in one struct.
- A record that may hold itself is text, as JSON has it, where it does.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from byteloom_codegen.model import (
    ArrayType,
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
    SwitchType,
    TypeSpec,
    UserType,
    ValueInstance,
)
from byteloom_codegen.python.names import attribute_name
from byteloom_codegen.scanners.column_views import ColumnView, arrow_type, column_name, leaf
from byteloom_codegen.scanners.kinds import Kind, cases_column, kinds_of, widest
from byteloom_codegen.scanners.refusals import NotScannableError

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom_codegen.model import DataType, EnumSpec, Location

__all__ = ["recorded_columns"]

_WORD: Final = 8


def recorded_columns(
    scanned: Field, class_of: Callable[[TypeSpec | EnumSpec], str]
) -> list[ColumnView]:
    """Return the columns of the record that *scanned* repeats; *class_of* names its classes."""
    if not isinstance(scanned.type, UserType):
        raise NotScannableError(scanned.location, "no record")
    columns = _Builder(class_of).record(scanned.type.type)
    if not columns:
        raise NotScannableError(scanned.location, "its records have no columns")
    return columns


@dataclass(slots=True)
class _Builder:
    class_of: Callable[[TypeSpec | EnumSpec], str]
    inside: list[int] = field(default_factory=list)

    def record(self, spec: TypeSpec) -> list[ColumnView]:
        """Return the columns of a record's fields, and of the instances that ask for one."""
        self.inside.append(id(spec))
        values = [each for each in spec.instances if isinstance(each, ValueInstance)]
        found = [self.member(each, spec) for each in spec.seq]
        found += [self.member(each, spec) for each in values]
        self.inside.pop()
        return [each for each in found if each is not None]

    def member(self, each: Field | ValueInstance, owner: TypeSpec) -> ColumnView | None:
        """Return the column of a field; None where it has none."""
        name = column_name(each, owner)
        if name is None or (isinstance(each.type, ContentsType) and "column" not in each.loom):
            return None
        if isinstance(each, Field) and each.repeat is not None:
            item = self.value(each.type, "item", each.location)
            column = None if item is None else ColumnView("List", name, children=[item])
        else:
            column = self.value(each.type, name, each.location)
        if column is None:
            return None
        attribute = attribute_name(each.name)
        column.attribute = attribute if attribute != name else ""
        column.arrow = arrow_type(each)
        column.optional |= each.condition is not None
        return column

    def value(self, type_: DataType, name: str, location: Location) -> ColumnView | None:
        """Return the column of one value; None where it has no content."""
        match type_:
            case UserType(type=spec):
                if id(spec) in self.inside:
                    return ColumnView("Json", name)
                children = self.record(spec)
                return ColumnView("Struct", name, children=children) if children else None
            case SwitchType():
                return self.cases(type_, name, location)
            case ArrayType(element=element):
                column = self.value(element, "item", location)
                return None if column is None else ColumnView("List", name, children=[column])
        return _leaf(type_, name, location)

    def cases(self, type_: SwitchType, name: str, location: Location) -> ColumnView | None:
        """Return the columns of a value whose type depends on another value."""
        columns = [(each, self.kind(each, location)) for each in kinds_of(type_)]
        return cases_column(type_, name, columns, self.class_of)

    def kind(self, kind: Kind, location: Location) -> ColumnView | None:
        """Return the column of the values of one kind; None where they have no content."""
        first = kind.types[0]
        if kind.name == "int" and kind.item is None:
            return widest(kind.types)
        if all(each == first for each in kind.types) or kind.item is not None:
            return self.value(first, kind.name, location)
        if isinstance(first, FloatType):
            return ColumnView("Number", kind.name, ['"f8"'])
        return _leaf(BytesType() if isinstance(first, BytesType) else first, kind.name, location)


def _leaf(type_: DataType, name: str, location: Location) -> ColumnView:
    """Return the column of a value that contains no other values, however it is stored."""
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
            return _leaf(base, name, location)
        case EnumType(base=IntType(width=None)):
            return leaf(replace(type_, base=IntType(width=_WORD)), name, location)
        case BytesType(delimiting=Delimiting(), process=None) | IntType() | FloatType():
            return leaf(type_, name, location)
        case BitsType() | EnumType():
            return leaf(type_, name, location)
        case BytesType() | ContentsType():
            return ColumnView("Bytes", name)
    return ColumnView("Json", name)
