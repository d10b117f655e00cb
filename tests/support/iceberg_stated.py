"""What manifests and their lists may state of columns, as the functions that prune take it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from byteloom.iceberg.expressions.manifests import FieldSummaries
from byteloom.iceberg.expressions.stats import FieldStats, Spans
from byteloom.iceberg.types import parse_primitive
from byteloom.iceberg.values import to_binary

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["Stated", "spans", "summaries"]


def spans(kind: str, values: Iterable[Any]) -> Spans:
    """Return bounds as they are stored, None where there is none."""
    of = parse_primitive(kind)
    return Spans.of([None if each is None else to_binary(of, each) for each in values])


def summaries(
    kind: str, nulls: Sequence[bool], nans: Sequence[int], bounds: Sequence[tuple[Any, Any]]
) -> FieldSummaries:
    """Return the summaries of a partition field of some manifests; -1 where NaNs are unknown."""
    lower, upper = (spans(kind, [each[side] for each in bounds]) for side in range(2))
    return FieldSummaries(np.array(nulls, np.bool_), np.array(nans, np.int8), lower, upper)


class Stated:
    """The statistics of some files about any column; -1 for unknown counts, None for bounds."""

    def __init__(
        self,
        kind: str,
        rows: Sequence[int],
        counts: Sequence[tuple[int, int, int]],
        bounds: Sequence[tuple[Any, Any]],
    ) -> None:
        """Take for each file its rows, its values, nulls and NaNs, and its two bounds."""
        self.record_count = np.array(rows, np.int64)
        values, nulls, nans = np.array(counts, np.int64).T
        lower, upper = (spans(kind, [each[side] for each in bounds]) for side in range(2))
        self._stats = FieldStats(values, nulls, nans, lower, upper)

    @classmethod
    def between(cls, kind: str, *bounds: tuple[Any, Any], rows: int = 2) -> Stated:
        """Return the statistics of files without null and NaN."""
        return cls(kind, [rows] * len(bounds), [(rows, 0, 0)] * len(bounds), bounds)

    def of(self, _: int) -> FieldStats:
        """Return the statistics of a column."""
        return self._stats
