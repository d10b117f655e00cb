"""The columns of calculated instances: each has a function over whole columns of numbers.

An instance whose value is no such calculation makes a column that is `refused`: only records have
it.  If that column is wanted, records are read one by one.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from byteloom_codegen import expressions as ast
from byteloom_codegen.model import BitsType, FloatType, IntType, ValueInstance
from byteloom_codegen.nodes import is_optional
from byteloom_codegen.scanners.column_views import ColumnView, any_leaf, set_member
from byteloom_codegen.scanners.numbers import HIGHEST, WIDEST, range_of, range_of_integers
from byteloom_codegen.scanners.refusals import NotScannableError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from byteloom_codegen.scanners.column_calculation import InstanceCalculator
    from byteloom_codegen.scanners.numbers import Range
    from byteloom_codegen.scanners.variables import Value

__all__ = [
    "Calculation",
    "Calculations",
    "any_refused",
    "calculated_column",
    "instance_leaf",
    "left_out",
    "refused_column",
    "wanted_columns",
]


@dataclass(frozen=True, slots=True)
class Calculation:
    """A function that calculates an instance of all rows, as the template prints it."""

    name: str
    instance: str
    numbers: list[str]
    source: str


@dataclass(slots=True)
class Calculations:
    """The functions of one scanner.

    left_out  the paths of instances that have no column
    """

    scanner: str
    left_out: Collection[str] = ()
    all: list[Calculation] = field(default_factory=list)
    _names: Counter[str] = field(default_factory=Counter)

    def add(self, path: str, instance: str, numbers: list[str], source: str) -> str:
        """Return the name of a new function."""
        name = f"_{path}_of_{self.scanner}"
        self._names[name] += 1
        if self._names[name] > 1:
            name = f"{name}_{self._names[name]}"
        self.all.append(Calculation(name, instance, numbers, source))
        return name


def instance_leaf(instance: ValueInstance, name: str) -> ColumnView:
    """Return the column of an instance, as its type has it.

    Numbers with a fraction are doubles, integers of no known size have 64 bits: without a sign
    where they are never negative and may need it.
    """
    type_ = instance.type
    if isinstance(type_, FloatType):
        type_ = FloatType()
    elif type_ == IntType():
        found = _range(instance.value, {})
        if found is not None and found[0] >= 0 and HIGHEST < found[1] <= WIDEST:
            type_ = IntType(signed=False, width=8)
    return any_leaf(type_, name, instance.location)


def _range(node: ast.Expression, known: dict[int, Range | None]) -> Range | None:
    """Return the least and the greatest value of an integer, by the types of what it is made of."""
    target = getattr(node, "target", None)
    match node:
        case ast.Literal_(value=int(value)):
            return value, value
        case ast.Cast(value=inner):
            return _range(inner, known)
        case ast.Ternary(yes=yes, no=no):
            parts = [_range(yes, known), _range(no, known)]
            found = [each for each in parts if each is not None]
            if len(found) < len(parts):
                return None
            return min(low for low, _ in found), max(high for _, high in found)
        case ast.BinaryOp(op=op, left=left, right=right) if node.joints is None:
            one, other = _range(left, known), _range(right, known)
            try:
                return None if one is None or other is None else range_of(op, one, other)
            except ValueError:
                return None
        case ast.Name() | ast.Attribute() if isinstance(target, ValueInstance):
            if id(target) not in known:
                known[id(target)] = None
                known[id(target)] = _range(target.value, known)
            return known[id(target)]
    match node.type:
        case BitsType(width=width):
            return range_of_integers(width, signed=False)
        case IntType(signed=signed, width=int(width)):
            return range_of_integers(8 * width, signed=signed)
    return None


def calculated_column(
    instance: ValueInstance, name: str, path: str, calculator: InstanceCalculator, to: Calculations
) -> ColumnView:
    """Return the column of *instance*, which *calculator* prints as a function.

    path    names the function
    errors  `NotScannableError`: only the record has the value
    """
    column = instance_leaf(instance, name)
    if instance.valid is not None:
        raise NotScannableError(instance.location, f"`{instance.name}` has a rule of its own")
    if column.kind not in {"Number", "Flag", "Named"}:
        raise NotScannableError(instance.location, "its value is not a number")
    if instance.condition is None and is_optional(instance):
        raise NotScannableError(instance.location, f"a record may lack `{instance.name}`")
    value = calculator.outermost(instance.value)
    _check_fits(value, column, instance)
    numbers = calculator.numbers
    if not numbers.taken:
        numbers.take_none()
    column.children = list(numbers.taken.values())
    names = [each.name for each in column.children]
    column.options = [f"by={to.add(path, instance.name, names, value.source)}"]
    column.optional, column.path = instance.condition is not None, path
    set_member(column, instance, name)
    return column


def refused_column(
    instance: ValueInstance, name: str, path: str, error: NotScannableError
) -> ColumnView:
    """Return what stands for the column of an instance that only records have."""
    reason = f"`{instance.name}` is calculated by each record ({error.reason})"
    return ColumnView("", name, refused=NotScannableError(error.location, reason), path=path)


def _check_fits(value: Value, column: ColumnView, instance: ValueInstance) -> None:
    """Refuse integers that may not fit the column's type."""
    form = column.args[0].strip('"')
    if value.form == "float" or form[0] == "f":
        return
    low, high = range_of_integers(8 * int(form[1:]), signed=form[0] == "i")
    if value.low < low or value.high > high:
        raise NotScannableError(instance.location, f"`{instance.name}` may not fit its type")


def any_refused(columns: Iterable[ColumnView]) -> NotScannableError | None:
    """Return why the first column that only records have is refused; None if a loop has all."""
    waiting = list(columns)
    for each in waiting:
        if each.refused is not None:
            return each.refused
        waiting += each.children
    return None


def left_out(columns: Iterable[ColumnView], wanted: Collection[str]) -> set[str]:
    """Return the paths of calculated columns that are not *wanted*."""
    return {
        column.path
        for column, name in _named(columns, "")
        if column.path and not any(_is_in(name, each) for each in wanted)
    }


def _named(columns: Iterable[ColumnView], before: str) -> Iterator[tuple[ColumnView, str]]:
    """Yield columns and those inside of them, with their names."""
    for each in columns:
        name = f"{before}{each.name}"
        yield each, name
        yield from _named(each.children, f"{name}.")


def wanted_columns(columns: Iterable[ColumnView], wanted: Collection[str]) -> list[ColumnView]:
    """Return the columns that are wanted, and of those around wanted ones only these inside."""
    return list(_wanted(columns, "", wanted))


def _wanted(
    columns: Iterable[ColumnView], before: str, wanted: Collection[str]
) -> Iterator[ColumnView]:
    for each in columns:
        name = f"{before}{each.name}"
        if any(_is_in(name, one) for one in wanted):
            yield each
        elif any(_is_in(one, name) for one in wanted):
            if each.kind == "Struct":
                each.children = list(_wanted(each.children, f"{name}.", wanted))
            elif each.kind == "Cases":  # which has a column for each kind of values
                for one in each.children:
                    one.children = list(_wanted(one.children, f"{name}.{one.name}.", wanted))
            yield each


def _is_in(path: str, other: str) -> bool:
    """Whether a column is *other*, or inside of it."""
    return path == other or path.startswith(f"{other}.")
