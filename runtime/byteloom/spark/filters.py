"""Convert Spark's filters to byteloom's expressions with exactly the same meaning.

Where both differ, the expression has Spark's meaning:

    null    satisfies no comparison, no ``Not`` of one, and ``<=>`` only with null;
            byteloom's ``!=`` and ``not in`` are satisfied by it
    NaN     equals itself and is greater than all other numbers;
            byteloom's satisfies no comparison but ``!=``

Filters without an equivalent are left to Spark: text that ends with or contains another, and all
filters on columns that the source cannot evaluate.

Source: https://spark.apache.org/docs/latest/sql-ref-null-semantics.html and
https://spark.apache.org/docs/latest/sql-ref-datatypes.html, "NaN Semantics".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

import pyarrow as pa

from byteloom.errors import ByteloomError
from byteloom.iceberg.expressions.ast import (
    FALSE,
    TRUE,
    And,
    Expression,
    Operation,
    Or,
    Predicate,
    Reference,
)

__all__ = ["pushed"]

ColumnPath: TypeAlias = tuple[str, ...]

_COMPARISONS: Final = {
    "LessThan": Operation.LT,
    "LessThanOrEqual": Operation.LT_EQ,
    "GreaterThan": Operation.GT,
    "GreaterThanOrEqual": Operation.GT_EQ,
}
_OF_NULL: Final = {"IsNull": Operation.IS_NULL, "IsNotNull": Operation.NOT_NULL}
_OPPOSITES: Final = {
    "LessThan": "GreaterThanOrEqual",
    "LessThanOrEqual": "GreaterThan",
    "GreaterThan": "LessThanOrEqual",
    "GreaterThanOrEqual": "LessThan",
}


def pushed(
    filters: Sequence[Any],
    type_of: Callable[[ColumnPath], pa.DataType | None],
    check: Callable[[Expression], Any] = repr,
) -> tuple[Expression, list[Any]]:
    """Return the conjunction of all convertible *filters*, and the other filters.

    Args:
        filters: Filters of PySpark.
        type_of: Returns a column's type in the source; None if filters on it cannot be
            evaluated.
        check: Called with the expression of each filter; one for which it raises a
            `ByteloomError` is left to Spark.
    """
    asked: Expression = TRUE
    left = []
    for each in filters:
        try:
            found = _expression(each, type_of)
            if found is not None:
                check(found)
        except (ByteloomError, ValueError, OverflowError):
            found = None
        if found is None:
            left.append(each)
        else:
            asked &= found
    return asked, left


def _expression(
    asked: Any, type_of: Callable[[ColumnPath], pa.DataType | None]
) -> Expression | None:
    """Convert one filter; None if it has no equivalent."""
    is_negated = type(asked).__name__ == "Not"
    inner = asked.child if is_negated else asked
    path: ColumnPath = getattr(inner, "attribute", ())
    type_ = type_of(path) if path else None
    if type_ is None:
        return None
    column = _Column(".".join(path), is_floating=pa.types.is_floating(type_))
    name, value = type(inner).__name__, getattr(inner, "value", None)
    return column.negated(name, value) if is_negated else column.plain(name, value)


class _Column:
    """A column in filters."""

    def __init__(self, name: str, *, is_floating: bool) -> None:
        self._term = Reference(name)
        self._is_floating = is_floating

    def plain(self, name: str, value: Any) -> Expression | None:
        """Convert a filter of that class; None for an unknown one."""
        if name in _OF_NULL:
            return self._is(_OF_NULL[name])
        if name == "EqualNullSafe" and value is None:
            return self._is(Operation.IS_NULL)
        makers: dict[str, Callable[[Any], Expression]] = {
            "EqualTo": self._equal,
            "EqualNullSafe": self._equal,
            "In": self._any,
            "StringStartsWith": partial(self._is, Operation.STARTS_WITH),
            **{each: partial(self._compared, each) for each in _COMPARISONS},
        }
        if name not in makers:
            return None
        return FALSE if value is None else makers[name](value)

    def negated(self, name: str, value: Any) -> Expression | None:
        """Convert ``Not`` of such a filter; None for an unknown one."""
        if name in _OF_NULL:
            return self._is(_OF_NULL[name].negated)
        if name == "EqualNullSafe":
            return self._is(Operation.NOT_NULL) if value is None else self._unequal(value)
        makers: dict[str, Callable[[Any], Expression]] = {
            "EqualTo": self._unequal,
            "In": self._none,
            "StringStartsWith": partial(self._is, Operation.NOT_STARTS_WITH),
            **{one: partial(self._compared, other) for one, other in _OPPOSITES.items()},
        }
        if name not in makers:
            return None
        if value is None or (name == "In" and None in value):
            return FALSE
        return makers[name](value) & self._is(Operation.NOT_NULL)

    def _is(self, operation: Operation, *literals: Any) -> Expression:
        return Predicate(operation, self._term, literals)

    def _equal(self, value: Any) -> Expression:
        if _is_nan(value):
            return self._is(Operation.IS_NAN)
        return self._is(Operation.EQ, value)

    def _unequal(self, value: Any) -> Expression:
        """Convert inequality; null is not unequal to anything."""
        if _is_nan(value):
            return self._is(Operation.NOT_NAN)
        return self._is(Operation.NOT_EQ, value)

    def _any(self, values: Iterable[Any]) -> Expression:
        """Convert membership in *values*."""
        numbers, has_nan = _without_nan(each for each in values if each is not None)
        found = self._is(Operation.IN, *numbers) if numbers else FALSE
        return Or.of(found, self._is(Operation.IS_NAN)) if has_nan else found

    def _none(self, values: Iterable[Any]) -> Expression:
        """Convert absence from *values*, which null never satisfies."""
        numbers, has_nan = _without_nan(values)
        found = self._is(Operation.NOT_IN, *numbers) if numbers else TRUE
        return And.of(found, self._is(Operation.NOT_NAN)) if has_nan else found

    def _compared(self, name: str, value: Any) -> Expression:
        """Convert a comparison with *value*."""
        if _is_nan(value):
            return {
                "LessThan": self._is(Operation.NOT_NAN) & self._is(Operation.NOT_NULL),
                "LessThanOrEqual": self._is(Operation.NOT_NULL),
                "GreaterThan": FALSE,
                "GreaterThanOrEqual": self._is(Operation.IS_NAN),
            }[name]
        found = self._is(_COMPARISONS[name], value)
        if self._is_floating and name.startswith("Greater"):
            return found | self._is(Operation.IS_NAN)
        return found


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _without_nan(values: Iterable[Any]) -> tuple[list[Any], bool]:
    """Return the values without NaN, and whether NaN is one of them."""
    held = list(values)
    numbers = [each for each in held if not _is_nan(each)]
    return numbers, len(numbers) < len(held)
