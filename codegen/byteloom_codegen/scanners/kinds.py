"""A value whose type depends on another value: its cases, and a column for each kind it may be.

- A record and an enum are kinds of their own; numbers of all widths are one, as all bytes are.
- Columns are called like the record or the enum, or like Python's type of the value.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Final

from byteloom_codegen.model import (
    BitsType,
    BoolType,
    BytesType,
    Case,
    ContentsType,
    EnumType,
    FloatType,
    IntType,
    StrType,
    UserType,
    base_of,
)
from byteloom_codegen.precedence import BIT_OR
from byteloom_codegen.scanners.column_views import ColumnView, holding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from byteloom_codegen.model import DataType, EnumSpec, SwitchType, TypeSpec
    from byteloom_codegen.scanners.calculation import Calculator

__all__ = ["Kind", "cases_column", "cases_of", "kinds_of", "met", "widest"]

_WORD: Final = 8
_PLAIN: Final = {StrType: "str", FloatType: "float", BytesType: "bytes", ContentsType: "bytes"}


@dataclass(slots=True)
class Kind:
    """One kind of value.

    name   of its column
    item   the record or the enum; None for plain values
    cases  those in which the value is of this kind
    """

    name: str
    item: TypeSpec | EnumSpec | None
    cases: list[Case] = field(default_factory=list)

    @property
    def types(self) -> list[DataType]:
        """The types of its cases."""
        return [each.type for each in self.cases]

    def python(self, class_of: Callable[[TypeSpec | EnumSpec], str]) -> str:
        """Return the class of its values."""
        if self.item is not None:
            return class_of(self.item)
        return "object" if self.name == "other" else self.name


def cases_of(type_: SwitchType) -> list[list[Case]]:
    """Return the cases of each type, in turn; the last is the one for all other values."""
    cases = sorted(type_.cases, key=lambda case: case.on is None)
    if cases[-1].on is not None:
        cases.append(Case(None, BytesType()))
    return [list(group) for _, group in groupby(cases, lambda case: case.type)]


def met(tag: str, cases: list[Case], calculator: Calculator) -> str:
    """Return the test whether one of *cases* matches; "" if they include that of all others."""
    tests = [
        f"{tag} == {calculator(case.on).within(BIT_OR)}" for case in cases if case.on is not None
    ]
    return " or ".join(tests) if len(tests) == len(cases) else ""


def kinds_of(type_: SwitchType) -> list[Kind]:
    """Return the kinds of a value, in the order of their first cases."""
    found: dict[object, Kind] = {}
    for each in type_.cases:
        name, item = _named(each.type)
        key = name if item is None else id(item)
        found.setdefault(key, Kind(name, item)).cases.append(each)
    kinds = list(found.values())
    counts = Counter(kind.name for kind in kinds)
    for number, kind in enumerate(kinds):
        if counts[kind.name] > 1 and kind.item is not None:
            kind.name += f"_{number}"
    return kinds


def _named(type_: DataType) -> tuple[str, TypeSpec | EnumSpec | None]:
    match type_:
        case UserType(type=spec):
            return spec.name, spec
        case EnumType(enum=enum) if enum.members:
            return enum.name, enum
        case BitsType(is_bool=True) | BoolType():
            return "bool", None
        case IntType() | BitsType() | EnumType():
            return "int", None
    return _PLAIN.get(type(type_), "other"), None


def cases_column(
    type_: SwitchType,
    name: str,
    columns: list[tuple[Kind, ColumnView | None]],
    class_of: Callable[[TypeSpec | EnumSpec], str],
) -> ColumnView | None:
    """Return the column of a value, of those of its kinds; None where no kind has one.

    It is a struct of them, or the one column of plain values that are always of one kind.
    """
    always = any(each.on is None for each in type_.cases)
    held = [(kind, column) for kind, column in columns if column is not None]
    if not held:
        return None
    if len(columns) == 1 and columns[0][0].item is None:
        (column,) = (column for _, column in held)
        column.name, column.optional = name, not always
        return column
    for kind, column in held:
        column.name, column.optional = kind.name, True
    classes = ", ".join(kind.python(class_of) for kind, _ in held)
    return ColumnView(
        "Cases",
        name,
        options=[f"kinds=({classes}{',' if len(held) == 1 else ''})"],
        optional=not always,
        children=[column for _, column in held],
    )


def widest(types: Iterable[DataType]) -> ColumnView:
    """Return the column that holds the integers of all these types."""
    signed, plain = [0], [0]
    for each in types:
        base = base_of(each)
        if isinstance(base, BitsType):
            plain.append(int(holding(base.width)[1:]))
        elif isinstance(base, IntType):
            (signed if base.signed else plain).append(base.width or _WORD)
    if max(signed) == 0:
        return ColumnView("Number", "int", [f'"u{max(plain)}"'])
    width = max(*signed, *(2 * each for each in plain))
    return (
        ColumnView("Wide", "int") if width > _WORD else ColumnView("Number", "int", [f'"i{width}"'])
    )
