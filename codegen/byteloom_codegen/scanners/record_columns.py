"""The columns of records that no loop can read, so that their classes do; any spec has them.

They are called and typed as those of a loop are.  Beyond these:

- A type that another value decides is a column for each type that it may be, all in one struct.
- A record that may hold itself is text, as JSON has it, where it does.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from byteloom_codegen.model import (
    ArrayType,
    BytesType,
    ContentsType,
    Field,
    FloatType,
    SwitchType,
    TypeSpec,
    UserType,
    ValueInstance,
)
from byteloom_codegen.nodes import is_optional
from byteloom_codegen.scanners.calculated_columns import instance_leaf
from byteloom_codegen.scanners.column_views import ColumnView, any_leaf, column_name, set_member
from byteloom_codegen.scanners.kinds import Kind, cases_column, kinds_of, widest
from byteloom_codegen.scanners.refusals import NotScannableError

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom_codegen.model import DataType, EnumSpec, Location

__all__ = ["recorded_columns"]


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
        """Return the columns of a record's fields, and of what is calculated from them."""
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
        elif isinstance(each, ValueInstance) and not isinstance(each.type, ArrayType | UserType):
            column = instance_leaf(each, name)
        else:
            column = self.value(each.type, name, each.location)
        if column is None:
            return None
        set_member(column, each, name)
        column.optional |= is_optional(each)
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
        return any_leaf(type_, name, location)

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
        return any_leaf(BytesType() if isinstance(first, BytesType) else first, kind.name, location)
