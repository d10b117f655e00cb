"""The columns of records that no loop takes, which their classes read: any spec has them.

They are called and typed as those of a loop are.  Beyond these:

- A type that another value decides is a column for each type that it may be, all in one struct.
- A record that may hold itself is text, as JSON has it, where it does.
"""

from __future__ import annotations

from collections import Counter
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
from byteloom_codegen.scanners.calculation import NotScannableError
from byteloom_codegen.scanners.column_views import ColumnView, arrow_type, column_name, leaf

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


@dataclass(frozen=True, slots=True)
class _Kind:
    """A column of a type that another value decides.

    key     what is equal for the types that share it
    python  the class of its values
    """

    key: object
    python: str
    column: ColumnView


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
        """Return the column of one value; None where it holds nothing."""
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
        """Return the columns of a value whose type another value decides."""
        types = [each.type for each in type_.cases]
        always = any(each.on is None for each in type_.cases)
        numbers = [each for each in types if isinstance(each, IntType | BitsType)]
        found = dict[object, _Kind]()
        for each in types:
            kind = self.kind(each, numbers, location)
            if kind is not None:
                found.setdefault(kind.key, kind)
        kinds = list(found.values())
        if not kinds:
            return None
        if len({*map(self._key, types)}) == 1 and not isinstance(kinds[0].key, int):
            return replace(kinds[0].column, name=name, optional=not always)
        counts = Counter(kind.column.name for kind in kinds)
        for number, kind in enumerate(kinds):
            kind.column.optional = True
            if counts[kind.column.name] > 1:
                kind.column.name += f"_{number}"
        classes = ", ".join(kind.python for kind in kinds)
        option = f"kinds=({classes},)" if len(kinds) == 1 else f"kinds=({classes})"
        return ColumnView(
            "Cases",
            name,
            options=[option],
            optional=not always or len(kinds) < len({*map(self._key, types)}),
            children=[kind.column for kind in kinds],
        )

    def kind(
        self, type_: DataType, numbers: list[IntType | BitsType], location: Location
    ) -> _Kind | None:
        """Return the column of a case; None where it holds nothing."""
        key = self._key(type_)
        match type_:
            case UserType(type=spec):
                column = self.value(type_, spec.name, location)
                if column is None:
                    return None
                return _Kind(key, self.class_of(spec), column)
            case EnumType(enum=enum) if enum.members:
                return _Kind(key, self.class_of(enum), leaf(type_, enum.name, location))
            case BitsType(is_bool=True) | BoolType():
                return _Kind(key, "bool", ColumnView("Flag", "bool", ['"u1"']))
            case IntType() | BitsType() | EnumType():
                return _Kind(key, "int", _widest(numbers))
            case FloatType():
                return _Kind(key, "float", ColumnView("Number", "float", ['"f8"']))
            case StrType():
                return _Kind(key, "str", ColumnView("Text", "str"))
            case BytesType() | ContentsType():
                return _Kind(key, "bytes", ColumnView("Bytes", "bytes"))
        return _Kind(key, "object", ColumnView("Json", "other"))

    def _key(self, type_: DataType) -> object:
        """Return what is equal for the types whose values are in one column."""
        match type_:
            case UserType(type=spec):
                return id(spec)
            case EnumType(enum=enum) if enum.members:
                return id(enum)
            case BitsType(is_bool=True) | BoolType():
                return "bool"
            case IntType() | BitsType() | EnumType():
                return "int"
        return type(type_).__name__.removesuffix("Type")


def _widest(numbers: list[IntType | BitsType]) -> ColumnView:
    """Return the column that holds the integers of all these types."""
    signed = [each.width or _WORD for each in numbers if isinstance(each, IntType) and each.signed]
    plain = [_bytes_of(each) for each in numbers if not (isinstance(each, IntType) and each.signed)]
    if not signed:
        return ColumnView("Number", "int", [f'"u{max(plain, default=_WORD)}"'])
    width = max(*signed, *(2 * each for each in plain), 1)
    if width > _WORD:
        return ColumnView("Wide", "int")
    return ColumnView("Number", "int", [f'"i{width}"'])


def _bytes_of(type_: IntType | BitsType) -> int:
    if isinstance(type_, IntType):
        return type_.width or _WORD
    return next(size for size in (1, 2, 4, 8) if type_.width <= 8 * size)


def _leaf(type_: DataType, name: str, location: Location) -> ColumnView:
    """Return the column of a value that holds no others, however it is stored."""
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
