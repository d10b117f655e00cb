"""Select files that may have matching rows, and files with only matching rows, by their statistics.

The rules:

- *Inclusive* is False only for a file in which no row can match; *strict* is True only for one in
  which every row must.  An unknown statistic excludes nothing.
- Bounds need not be values of the file: they are at or beyond the smallest and largest one.
- -0.0 equals 0.0, but writers order them; UUIDs are ordered by their bytes, but some writers order
  them as two signed words.  Only conclusions that hold in both orders are drawn.
- Null and NaN satisfy no comparison, and every ``!=``, ``not in`` and ``not starts with``; bounds
  do not count them.
- Columns inside structs: a null parent may or may not be counted (ORC does not), so that no strict
  answer is taken from their statistics, and no null is ruled out where rows are missing.

Source: Iceberg table spec, "Scan Planning".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from operator import xor
from typing import TYPE_CHECKING, Final
from uuid import UUID

import numpy as np

from byteloom.iceberg.expressions.ast import (
    AlwaysTrue,
    And,
    BoundPredicate,
    Expression,
    Operation,
    Or,
)
from byteloom.iceberg.expressions.column_stats import Column
from byteloom.iceberg.expressions.stats import WORD_SIGNS

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom.iceberg.expressions.stats import Bounds, FileStats, Flags

__all__ = ["inclusive", "strict"]

_MOST_LITERALS: Final = 200
"""Most literals that are checked against bounds: one of more nearly always is between them."""

_HOLD_FOR_NULL: Final = frozenset(
    {
        Operation.IS_NULL,
        Operation.NOT_NAN,
        Operation.NOT_EQ,
        Operation.NOT_IN,
        Operation.NOT_STARTS_WITH,
    }
)
"""The operations whose predicates are true for null."""


def inclusive(bound: Expression, stats: FileStats) -> Flags:
    """Return bool[file]: whether the file may have a matching row.

    A count of 0 rows excludes no file, since it may be wrong.

    Args:
        bound: An expression bound to the table's schema.
    """
    return np.asarray(_evaluate(bound, stats, _INCLUSIVE))


def strict(bound: Expression, stats: FileStats) -> Flags:
    """Return bool[file]: whether every row of the file matches; True for a file without rows.

    Args:
        bound: An expression bound to the table's schema.
    """
    return np.asarray(_evaluate(bound, stats, _STRICT) | (stats.record_count == 0))


def _evaluate(
    bound: Expression, stats: FileStats, rules: _Rules, valued: frozenset[int] = frozenset()
) -> Flags:
    """Evaluate an expression, predicate by predicate.

    Args:
        valued: Columns that another predicate, which must be true too, requires to be non-null.
    """
    if isinstance(bound, And):
        valued |= _valued(bound)
        left = _evaluate(bound.left, stats, rules, valued)
        return left & _evaluate(bound.right, stats, rules, valued)
    if isinstance(bound, Or):
        left = _evaluate(bound.left, stats, rules, valued)
        return left | _evaluate(bound.right, stats, rules, valued)
    if isinstance(bound, BoundPredicate):
        field_id = bound.term.reference.field.id
        is_valued = field_id in valued
        column = Column(bound.term, stats.of(field_id), stats.record_count, is_valued=is_valued)
        return rules.holds(bound, column)
    return np.full(len(stats.record_count), isinstance(bound, AlwaysTrue))


def _valued(bound: Expression) -> frozenset[int]:
    """Return the columns that cannot be null in a row for which an expression is true."""
    if isinstance(bound, And):
        return _valued(bound.left) | _valued(bound.right)
    if isinstance(bound, BoundPredicate) and bound.operation not in _HOLD_FOR_NULL:
        return frozenset({bound.term.reference.field.id})
    return frozenset()


@dataclass(frozen=True, slots=True)
class _Rules:
    """Rules by operation."""

    by_operation: dict[Operation, Callable[[BoundPredicate, Column], Flags]]
    is_strict: bool

    def holds(self, predicate: BoundPredicate, column: Column) -> Flags:
        """Return bool[file] for one predicate."""
        if self.is_strict and (predicate.term.reference.is_nested or not column.is_plain):
            return column.none
        if column.may_be_anything or (predicate.operation is Operation.IS_NULL and column.may_null):
            return ~column.none
        found = self.by_operation[predicate.operation](predicate, column)
        if predicate.term.type.kind == "uuid" and column.is_plain:
            other = self.by_operation[predicate.operation](_signed(predicate), column.signed)
            found = found & other if self.is_strict else found | other
        return found


def _signed(predicate: BoundPredicate) -> BoundPredicate:
    """Return a predicate on UUIDs with literals that compare as two signed words."""
    literals = (bytes(each.bytes) for each in predicate.literals)
    turned = (bytes(map(xor, each, WORD_SIGNS)) for each in literals)
    return replace(predicate, literals=tuple(UUID(bytes=each) for each in turned))


def _below(bounds: Bounds, literal: object) -> Flags:
    """Return where a bound is known and below the literal."""
    return bounds.is_known & (bounds.signs(literal) < 0)


def _above(bounds: Bounds, literal: object) -> Flags:
    """Return where a bound is known and above the literal."""
    return bounds.is_known & (bounds.signs(literal) > 0)


def _equal(bounds: Bounds, literal: object) -> Flags:
    """Return where a bound is known and equals the literal, including the sign of zero."""
    return np.asarray(bounds.is_known & (bounds.exact_signs(literal) == 0))


def _not_below(bounds: Bounds, literal: object) -> Flags:
    """Return where a bound is known and at or above the literal; -0.0 is below 0.0."""
    return np.asarray(bounds.is_known & (bounds.exact_signs(literal) >= 0))


def _not_above(bounds: Bounds, literal: object) -> Flags:
    """Return where a bound is known and at or below the literal; 0.0 is above -0.0."""
    return np.asarray(bounds.is_known & (bounds.exact_signs(literal) <= 0))


def _outside(column: Column, literal: object) -> Flags:
    """Return where the literal is outside the bounds."""
    return _above(column.lower, literal) | _below(column.upper, literal)


def _none_inside(predicate: BoundPredicate, column: Column) -> Flags:
    """Return where every literal is outside the bounds."""
    if len(predicate.literals) > _MOST_LITERALS:
        return column.none
    outside = ~column.none
    for literal in predicate.literals:
        outside &= _outside(column, literal)
    return outside


def _is_one_of(predicate: BoundPredicate, column: Column) -> Flags:
    """Return where the only value of a file is one of the literals."""
    if len(predicate.literals) > _MOST_LITERALS:
        return column.none
    found = column.none
    for literal in predicate.literals:
        found |= _equal(column.lower, literal)
    return found & column.single


def _outside_prefix(predicate: BoundPredicate, column: Column) -> Flags:
    """Return where no value can start with the literal."""
    prefix = predicate.literal
    above = column.lower.is_known & (column.lower.prefix_signs(prefix) > 0)
    return above | (column.upper.is_known & (column.upper.prefix_signs(prefix) < 0))


def _inside_prefix(predicate: BoundPredicate, column: Column) -> Flags:
    """Return where every non-null value starts with the literal."""
    lower, upper, prefix = column.lower, column.upper, predicate.literal
    starts = (lower.prefix_signs(prefix) == 0) & (upper.prefix_signs(prefix) == 0)
    return np.asarray(lower.is_known & upper.is_known & starts)


_INCLUSIVE: Final = _Rules(
    {
        Operation.IS_NULL: lambda _, c: ~c.has_no_null,
        Operation.NOT_NULL: lambda _, c: ~c.is_all_null,
        Operation.IS_NAN: lambda _, c: ~((c.stats.nan_count == 0) | c.is_all_null),
        Operation.NOT_NAN: lambda _, c: ~(c.is_all_nan & c.counts_all),
        Operation.LT: lambda p, c: ~(c.is_empty | _not_below(c.lower, p.literal)),
        Operation.LT_EQ: lambda p, c: ~(c.is_empty | _above(c.lower, p.literal)),
        Operation.GT: lambda p, c: ~(c.is_empty | _not_above(c.upper, p.literal)),
        Operation.GT_EQ: lambda p, c: ~(c.is_empty | _below(c.upper, p.literal)),
        Operation.EQ: lambda p, c: ~(c.is_empty | _outside(c, p.literal)),
        Operation.NOT_EQ: lambda p, c: ~_is_one_of(p, c),
        Operation.IN: lambda p, c: ~(c.is_empty | _none_inside(p, c)),
        Operation.NOT_IN: lambda p, c: ~_is_one_of(p, c),
        Operation.STARTS_WITH: lambda p, c: (
            ~(c.is_all_null | _outside_prefix(p, c)) if c.is_plain else ~c.none
        ),
        Operation.NOT_STARTS_WITH: lambda p, c: ~(c.has_no_null & _inside_prefix(p, c)),
    },
    is_strict=False,
)


def _compares(column: Column) -> Flags:
    """Return where bounds cover every row, since there is neither null nor NaN."""
    return column.has_no_null & column.has_no_nan


def _compares_above(column: Column) -> Flags:
    """Return the same; if NaNs are not counted, the lower bound covers all values, as in Java."""
    return np.asarray(column.has_no_null & (column.stats.nan_count <= 0))


_STRICT: Final = _Rules(
    {
        Operation.IS_NULL: lambda _, c: c.is_all_null,
        Operation.NOT_NULL: lambda _, c: c.has_no_null,
        Operation.IS_NAN: lambda _, c: c.is_all_nan,
        Operation.NOT_NAN: lambda _, c: (c.stats.nan_count == 0) | c.is_all_null,
        Operation.LT: lambda p, c: _compares(c) & _below(c.upper, p.literal),
        Operation.LT_EQ: lambda p, c: (
            _compares(c) & (_below(c.upper, p.literal) | _equal(c.upper, p.literal))
        ),
        Operation.GT: lambda p, c: _compares_above(c) & _above(c.lower, p.literal),
        Operation.GT_EQ: lambda p, c: (
            _compares_above(c) & (_above(c.lower, p.literal) | _equal(c.lower, p.literal))
        ),
        Operation.EQ: _is_one_of,
        Operation.NOT_EQ: lambda p, c: c.is_empty | _outside(c, p.literal),
        Operation.IN: _is_one_of,
        Operation.NOT_IN: lambda p, c: c.is_empty | _none_inside(p, c),
        Operation.STARTS_WITH: lambda p, c: c.has_no_null & _inside_prefix(p, c),
        Operation.NOT_STARTS_WITH: lambda p, c: c.is_all_null | _outside_prefix(p, c),
    },
    is_strict=True,
)
