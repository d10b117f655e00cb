"""Select manifests that may have a matching file, by the summaries of their partition values.

The rules:

- A summary says for one partition field whether null and NaN occur, and the smallest and largest
  other value.  Without bounds, all values are null or NaN.
- An unknown summary excludes nothing: ``contains_nan`` may be missing.

Source: Iceberg table spec, "Manifest Lists" (``field_summary``) and "Scan Planning".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from byteloom.iceberg.expressions.ast import (
    AlwaysTrue,
    And,
    BoundPredicate,
    Expression,
    Operation,
    Or,
)
from byteloom.iceberg.expressions.stats import Bounds
from byteloom.iceberg.expressions.wrapping import LEAST, wrapped_value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from byteloom.iceberg.expressions.stats import Flags, Spans
    from byteloom.iceberg.transforms import Transform

__all__ = ["FieldSummaries", "inclusive"]

_FLOATING: Final = frozenset({"float", "double"})
_MOST_LITERALS: Final = 200


@dataclass(frozen=True, slots=True)
class FieldSummaries:
    """The summaries of one partition field, one row per manifest.

    Attributes:
        contains_null: bool[manifest]; True where it is unknown.
        contains_nan: int8[manifest]: 1 yes, 0 no, -1 for unknown.
        lower: Smallest values, in the binary form of Appendix D.
        upper: Largest values, likewise.
    """

    contains_null: Flags
    contains_nan: np.ndarray
    lower: Spans
    upper: Spans


def inclusive(
    bound: Expression,
    summaries: Mapping[int, FieldSummaries] | None,
    manifests: int,
    transforms: Mapping[int, Transform] | None = None,
) -> Flags:
    """Return bool[manifest]: whether the manifest may have a file with matching rows.

    Args:
        bound: An expression on partition values.
        summaries: By the id of the partition field; a field without summaries excludes nothing;
            None if the manifests have no summaries at all.
        manifests: Number of manifests.
        transforms: By the id of the partition field, for those whose values may have wrapped.
    """
    if summaries is None:
        return np.ones(manifests, np.bool_)
    if isinstance(bound, And | Or):
        left = inclusive(bound.left, summaries, manifests, transforms)
        right = inclusive(bound.right, summaries, manifests, transforms)
        return np.asarray(left & right if isinstance(bound, And) else left | right)
    if isinstance(bound, BoundPredicate):
        field_id = bound.term.reference.field.id
        summary, transform = summaries.get(field_id), (transforms or {}).get(field_id)
        if summary is None:
            return np.ones(manifests, np.bool_)
        return np.asarray(_OPERATIONS[bound.operation](bound, _Field(bound, summary, transform)))
    return np.full(manifests, isinstance(bound, AlwaysTrue))


class _Field:
    """The summaries of one partition field, as comparable values."""

    def __init__(
        self, bound: BoundPredicate, summary: FieldSummaries, transform: Transform | None
    ) -> None:
        of = bound.term.reference.type
        self.summary = summary
        self.lower = Bounds.read(of, summary.lower)
        self.upper = Bounds.read(of, summary.upper)
        self.is_floating = of.kind in _FLOATING
        wrapped = wrapped_value(transform, of.kind)
        if wrapped is not None and self.lower.numbers is not None:
            may_wrap = self.upper.is_known & (self.upper.signs(wrapped) == 0)
            self.lower.numbers = np.where(may_wrap, LEAST[of.kind], self.lower.numbers)

    @property
    def is_known(self) -> Flags:
        """Return where both bounds are present and valid."""
        return np.asarray(self.lower.is_known & self.upper.is_known)

    @property
    def has_no_value(self) -> Flags:
        """Return where all values are certainly null or NaN, whether NaNs are counted or not.

        Without bounds, nulls and NaNs, a summary is wrong: a manifest has at least one value.
        """
        missing = (self.summary.lower.sizes < 0) & (self.summary.upper.sizes < 0)
        may_be_nan = self.is_floating & (self.summary.contains_nan != 0)
        return np.asarray(missing & (self.summary.contains_null | may_be_nan))

    @property
    def is_all_null(self) -> Flags:
        """Return where all values are certainly null."""
        missing = (self.summary.lower.sizes < 0) & self.summary.contains_null
        if self.is_floating:
            missing &= self.summary.contains_nan == 0
        return np.asarray(missing)

    @property
    def single(self) -> Flags:
        """Return where there is exactly one value, and neither null nor NaN."""
        plain = ~self.summary.contains_null & self.lower.same_as(self.upper)
        if self.is_floating:
            plain &= self.summary.contains_nan == 0
        return np.asarray(plain)

    def outside(self, literal: Any) -> Flags:
        """Return where a literal is outside the bounds."""
        below = self.lower.is_known & (self.lower.signs(literal) > 0)
        return np.asarray(below | (self.upper.is_known & (self.upper.signs(literal) < 0)))


def _outside_all(bound: BoundPredicate, field: _Field) -> Flags:
    """Return where every literal is outside the bounds."""
    if len(bound.literals) > _MOST_LITERALS:
        return np.zeros(len(field.is_known), np.bool_)
    return np.asarray(np.logical_and.reduce([field.outside(each) for each in bound.literals]))


def _only(bound: BoundPredicate, field: _Field) -> Flags:
    """Return where the only value is one of the literals."""
    if len(bound.literals) > _MOST_LITERALS:
        return np.zeros(len(field.is_known), np.bool_)
    equal = [field.lower.signs(each) == 0 for each in bound.literals]
    return np.asarray(np.logical_or.reduce(equal) & field.single)


def _starts(bounds: Bounds, prefix: str) -> Any:
    """Return how the first bytes of bounds compare with a prefix; 2 where unknown."""
    return np.where(bounds.is_known, bounds.prefix_signs(prefix), 2)


def _outside_prefix(bound: BoundPredicate, field: _Field) -> Flags:
    """Return where no value can start with the literal."""
    above = _starts(field.lower, bound.literal) == 1
    return np.asarray(above | (_starts(field.upper, bound.literal) == -1))


def _inside_prefix(bound: BoundPredicate, field: _Field) -> Flags:
    """Return where every value starts with the literal, and none is null."""
    both = (_starts(field.lower, bound.literal) == 0) & (_starts(field.upper, bound.literal) == 0)
    return np.asarray(both & ~field.summary.contains_null)


_OPERATIONS: Final[dict[Operation, Callable[[BoundPredicate, _Field], Flags]]] = {
    Operation.IS_NULL: lambda _, f: f.summary.contains_null,
    Operation.NOT_NULL: lambda _, f: ~f.is_all_null,
    Operation.IS_NAN: lambda _, f: (f.summary.contains_nan != 0) & ~f.is_all_null,
    Operation.NOT_NAN: lambda _, f: (
        ~((f.summary.contains_nan == 1) & ~f.summary.contains_null & (f.summary.lower.sizes < 0))
    ),
    Operation.LT: lambda p, f: (
        ~(f.has_no_value | (f.lower.is_known & (f.lower.signs(p.literal) >= 0)))
    ),
    Operation.LT_EQ: lambda p, f: (
        ~(f.has_no_value | (f.lower.is_known & (f.lower.signs(p.literal) > 0)))
    ),
    Operation.GT: lambda p, f: (
        ~(f.has_no_value | (f.upper.is_known & (f.upper.signs(p.literal) <= 0)))
    ),
    Operation.GT_EQ: lambda p, f: (
        ~(f.has_no_value | (f.upper.is_known & (f.upper.signs(p.literal) < 0)))
    ),
    Operation.EQ: lambda p, f: ~(f.has_no_value | f.outside(p.literal)),
    Operation.NOT_EQ: lambda p, f: ~_only(p, f),
    Operation.IN: lambda p, f: ~(f.has_no_value | _outside_all(p, f)),
    Operation.NOT_IN: lambda p, f: ~_only(p, f),
    Operation.STARTS_WITH: lambda p, f: ~(f.has_no_value | _outside_prefix(p, f)),
    Operation.NOT_STARTS_WITH: lambda p, f: ~_inside_prefix(p, f),
}
