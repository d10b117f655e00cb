"""The statistics of files about one column, or about a transform of one.

The rules:

- An unknown statistic excludes nothing.
- Columns inside structs: a null parent may or may not be counted (ORC does not), so that no null is
  ruled out where rows are missing from the counts.
- A transform that keeps the order of values does so only between overflows of its results.

Source: Iceberg table spec, "Scan Planning".
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from byteloom.iceberg.expressions.ast import BoundReference, BoundTransform
from byteloom.iceberg.expressions.stats import Bounds, Spans, signed_words, transformed
from byteloom.iceberg.expressions.wrapping import laps

if TYPE_CHECKING:
    from byteloom.iceberg.expressions.ast import BoundTerm
    from byteloom.iceberg.expressions.stats import Counts, FieldStats, Flags

__all__ = ["Column"]

_FLOATING: Final = frozenset({"float", "double"})


class Column:
    """The statistics of files about one term."""

    def __init__(
        self, term: BoundTerm, stats: FieldStats, record_count: Counts, *, is_valued: bool
    ) -> None:
        """Keep what is known about the rows.

        Args:
            record_count: Rows of each file; -1 for unknown.
            is_valued: Whether to consider only rows in which the column is not null.
        """
        self.term = term
        self.stats = stats
        self.record_count = record_count
        self.is_valued = is_valued
        self.is_plain = isinstance(term, BoundReference)
        self.is_floating = term.reference.type.kind in _FLOATING
        self._bounds: dict[str, Bounds] = {}

    @property
    def may_be_anything(self) -> bool:
        """Whether nothing is known about the values of the term."""
        return isinstance(self.term, BoundTransform) and not self.term.transform.is_known

    @property
    def may_null(self) -> bool:
        """Whether the term may turn a value into null, as far as its order shows."""
        return isinstance(self.term, BoundTransform) and not self.term.transform.preserves_order

    @property
    def none(self) -> Flags:
        """False for every file."""
        return np.zeros(len(self.stats.value_count), np.bool_)

    @property
    def has_no_null(self) -> Flags:
        """For each file, whether the column certainly has no null."""
        if not self.term.can_be_null:
            return ~self.none
        return np.asarray((self.stats.null_count == 0) & self.counts_all)

    @property
    def counts_all(self) -> Flags:
        """For each file, whether its counts cover every row; rows of null parents may be missed."""
        if self.is_valued or not self.term.reference.is_nested:
            return ~self.none
        values = self.stats.value_count
        return np.asarray((values >= 0) & (values == self.record_count))

    @property
    def is_all_null(self) -> Flags:
        """For each file, whether the column certainly has only nulls."""
        values = self.stats.value_count
        return np.asarray((values >= 0) & (self.stats.null_count == values))

    @property
    def has_no_nan(self) -> Flags:
        """For each file, whether the column certainly has no NaN."""
        return self.stats.nan_count == 0 if self.is_floating else ~self.none

    @property
    def is_all_nan(self) -> Flags:
        """For each file, whether the column certainly has only NaNs."""
        values = self.stats.value_count
        return np.asarray((values >= 0) & (self.stats.nan_count == values))

    @property
    def is_empty(self) -> Flags:
        """For each file, whether no value can satisfy a comparison."""
        return self.is_all_null | self.is_all_nan

    @property
    def lower(self) -> Bounds:
        """The lower bounds of the files."""
        return self._side("lower")

    @property
    def upper(self) -> Bounds:
        """The upper bounds of the files."""
        return self._side("upper")

    @property
    def signed(self) -> Column:
        """The same column of UUIDs, with bounds that compare as two signed words."""
        stats = self.stats
        lower, upper = (signed_words(each) for each in (stats.lower, stats.upper))
        made = replace(stats, lower=lower, upper=upper)
        return Column(self.term, made, self.record_count, is_valued=self.is_valued)

    @property
    def single(self) -> Flags:
        """For each file, whether both bounds are equal, without nulls and NaNs."""
        return self.lower.same_as(self.upper) & self.has_no_null & self.has_no_nan

    def _side(self, name: str) -> Bounds:
        """Return one side's bounds of the term's values."""
        if name not in self._bounds:
            bounds = self._read(name)
            if isinstance(self.term, BoundTransform):
                bounds = self._transformed(self.term, bounds)
            self._bounds[name] = bounds
        return self._bounds[name]

    def _read(self, name: str) -> Bounds:
        """Return one side's bounds of the column itself."""
        return Bounds.read(self.term.reference.type, getattr(self.stats, name))

    @property
    def _unknown(self) -> Spans:
        """Return bounds that are all unknown."""
        rows = len(self.none)
        return Spans(np.zeros(0, np.uint8), np.zeros(rows, np.int64), np.full(rows, -1, np.int64))

    def _transformed(self, term: BoundTransform, bounds: Bounds) -> Bounds:
        """Return the bounds of a transform's results; unknown if it does not keep the order."""
        if not term.transform.preserves_order:
            return Bounds.read(term.transform.result_type(term.reference.type), self._unknown)
        made = transformed(bounds, term.reference.type, term.transform)
        made.is_known &= self._in_order(term)
        return made

    def _in_order(self, term: BoundTransform) -> Flags:
        """Return where the results between the bounds have all wrapped around, or none has."""
        sides = [self._read(name) for name in ("lower", "upper")]
        kind = term.reference.type.kind
        low, high = (
            None if each.numbers is None else laps(term.transform, kind, each.numbers)
            for each in sides
        )
        if low is None or high is None:
            return ~self.none
        return np.asarray(sides[0].is_known & sides[1].is_known & (low == high))
