"""Whether an equality delete can match a row of a data file, by the statistics of both.

The rules:

- Nulls are equal: where both sides may have one they may overlap, whatever their bounds.
- A side without statistics may have any value.
- UUIDs are ordered by their bytes or as two signed words, as their writer chose; sides do not
  overlap if they do not in either order.

Source: Iceberg table spec, "Scan Planning".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from byteloom.iceberg.expressions.stats import Bounds, signed_words
from byteloom.late import pc

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from byteloom.iceberg.expressions.stats import FieldStats, Flags
    from byteloom.iceberg.types import NestedField

    Rows = NDArray[np.intp]

__all__ = ["Side", "may_overlap"]


@dataclass(frozen=True, slots=True)
class Side:
    """One side of pairs of files: the statistics of a column, with *rows* for the pairs."""

    stats: FieldStats
    rows: Rows

    @property
    def null_count(self) -> NDArray[np.int64]:
        """The number of nulls; -1 if unknown."""
        return self.stats.null_count[self.rows]

    @property
    def signed(self) -> Side:
        """The same side, with bounds of UUIDs ordered as two signed words."""
        stats = self.stats
        lower, upper = (signed_words(each) for each in (stats.lower, stats.upper))
        return Side(replace(stats, lower=lower, upper=upper), self.rows)

    @property
    def may_have_null(self) -> Flags:
        """Return where there are nulls, or their number is unknown."""
        return np.asarray(self.null_count != 0)

    def has_no_null(self, field: NestedField) -> Flags:
        """For each of `rows`, whether the column certainly has no null."""
        return np.asarray((self.null_count == 0) | field.required)

    @property
    def is_all_null(self) -> Flags:
        """For each of `rows`, whether the column certainly has only nulls."""
        values = self.stats.value_count[self.rows]
        return np.asarray((values >= 0) & (values == self.null_count))


def may_overlap(field: NestedField, ours: Side, theirs: Side) -> Flags:
    """Return where a value of one side may be on the other."""
    both_null = ours.may_have_null & theirs.may_have_null
    apart = ours.is_all_null & theirs.has_no_null(field)
    apart |= theirs.is_all_null & ours.has_no_null(field)
    beyond = _is_below(field, ours, theirs) | _is_below(field, theirs, ours)
    if field.type.kind == "uuid":
        ours, theirs = ours.signed, theirs.signed
        beyond &= _is_below(field, ours, theirs) | _is_below(field, theirs, ours)
    apart |= beyond
    return np.asarray(both_null | ~apart)


def _is_below(field: NestedField, low: Side, high: Side) -> Flags:
    """Return where one side's greatest value is less than the other's smallest."""
    upper = Bounds.read(field.type, low.stats.upper)
    lower = Bounds.read(field.type, high.stats.lower)
    are_known = upper.is_known[low.rows] & lower.is_known[high.rows]
    are_known &= Bounds.read(field.type, low.stats.lower).is_known[low.rows]
    are_known &= Bounds.read(field.type, high.stats.upper).is_known[high.rows]
    if upper.numbers is not None and lower.numbers is not None:
        return np.asarray(are_known & (upper.numbers[low.rows] < lower.numbers[high.rows]))
    assert upper.runs is not None  # noqa: S101  of one type, so of one form
    assert lower.runs is not None  # noqa: S101
    below = pc.less(upper.runs.take(pa.array(low.rows)), lower.runs.take(pa.array(high.rows)))
    is_below = pc.fill_null(below, fill_value=False).to_numpy(zero_copy_only=False)
    return np.asarray(are_known & is_below)
