"""Filters as pyiceberg has them, of the same meaning."""

from __future__ import annotations

from typing import Any, Final

from pyiceberg import expressions as theirs

from byteloom.iceberg.expressions.ast import (
    TRUE,
    And,
    Expression,
    Not,
    Operation,
    Or,
    Predicate,
)

__all__ = ["as_pyiceberg"]

_OPERATIONS: Final[dict[Operation, Any]] = {
    Operation.IS_NULL: theirs.IsNull,
    Operation.NOT_NULL: theirs.NotNull,
    Operation.IS_NAN: theirs.IsNaN,
    Operation.NOT_NAN: theirs.NotNaN,
    Operation.LT: theirs.LessThan,
    Operation.LT_EQ: theirs.LessThanOrEqual,
    Operation.GT: theirs.GreaterThan,
    Operation.GT_EQ: theirs.GreaterThanOrEqual,
    Operation.EQ: theirs.EqualTo,
    Operation.NOT_EQ: theirs.NotEqualTo,
    Operation.IN: theirs.In,
    Operation.NOT_IN: theirs.NotIn,
    Operation.STARTS_WITH: theirs.StartsWith,
    Operation.NOT_STARTS_WITH: theirs.NotStartsWith,
}


def as_pyiceberg(expression: Expression) -> Any:
    """Return a filter without functions as pyiceberg's."""
    if isinstance(expression, And | Or):
        join: Any = theirs.And if isinstance(expression, And) else theirs.Or
        return join(as_pyiceberg(expression.left), as_pyiceberg(expression.right))
    if isinstance(expression, Not):
        return theirs.Not(as_pyiceberg(expression.child))
    if isinstance(expression, Predicate):
        return _predicate(expression)
    return theirs.AlwaysTrue() if expression == TRUE else theirs.AlwaysFalse()


def _predicate(predicate: Predicate) -> Any:
    """A predicate on a column."""
    made = _OPERATIONS[predicate.operation]
    name = str(getattr(predicate.term, "name"))  # noqa: B009  a reference, no function
    if predicate.operation.is_unary:
        return made(name)
    if predicate.operation.is_set:
        return made(name, predicate.literals)
    return made(name, predicate.literals[0])
