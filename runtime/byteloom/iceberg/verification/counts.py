"""The counts in statistics: none may be negative, nor nulls and NaNs more than values.

The rules:

- Planning reads a negative count as unknown, and does not use counts that contradict each other;
  only this check reports them.
- A column has one count of each kind, and one bound of each.  Of several, readers use different
  ones.

Source: Iceberg table spec, "Manifests" (``value_counts``, ``null_value_counts``,
``nan_value_counts``, ``lower_bounds``, ``upper_bounds``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from byteloom.errors import FormatError
from byteloom.iceberg.manifests.arrow_columns import items_of
from byteloom.iceberg.manifests.column_stats import BOUNDS, COUNTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from byteloom.iceberg.manifests.entries import Entries

    Numbers = NDArray[np.int64]

__all__ = ["Statistic", "check_counts"]

_KEY_BITS: Final = 32


def check_counts(entries: Entries) -> Iterator[FormatError]:
    """Yield what is wrong with counts of a manifest's entries, once per column.

    Args:
        entries: Entries that were read with the columns `COUNTS` and `BOUNDS`.
    """
    statistics = {name: Statistic(entries, name) for name in (*COUNTS, *BOUNDS)}
    for each in statistics.values():
        yield from each.repeated()
    values = statistics["value_counts"]
    missing = np.zeros(len(values.places), np.int64)
    for name in COUNTS:
        counts = statistics[name]
        yield from counts.findings(counts.numbers < 0, "0 or more")
        if name != "value_counts":
            missing += np.maximum(counts.at(values.places), 0)
    wanted = "as many values as nulls and NaNs, or more"
    yield from values.findings((values.numbers >= 0) & (missing > values.numbers), wanted)


class Statistic:
    """One kind of count or bound, of all columns in all entries.

    Attributes:
        places: int64[item], ascending: the row of the entry in the high half, the column's id in
            the low half.
        numbers: int64[item], the counts.
    """

    def __init__(self, entries: Entries, name: str) -> None:
        """Take the items from entries that were read with the column *name*."""
        held = entries.lists[name]
        keys, numbers = items_of(held.runs, held.items)
        places = held.runs.rows << _KEY_BITS | keys & (1 << _KEY_BITS) - 1
        order = np.argsort(places, kind="stable")
        self.name = name
        self.places: Numbers = places[order]
        self.numbers: Numbers = numbers[order]

    def at(self, places: Numbers) -> Numbers:
        """Return the counts at some places; 0 for absent ones."""
        if not len(self.places):
            return np.zeros(len(places), np.int64)
        at = np.minimum(np.searchsorted(self.places, places), len(self.places) - 1)
        return np.where(self.places[at] == places, self.numbers[at], 0)

    def beyond(self, other: Statistic, rows: NDArray[np.bool_]) -> list[tuple[int, int]]:
        """Return the entries and columns that have this one and not the other.

        Args:
            rows: Whether to look at each entry.
        """
        places = np.setdiff1d(self.places, other.places)
        return [_entry_and_column(each) for each in places[rows[places >> _KEY_BITS]]]

    def findings(self, wrong: NDArray[np.bool_], wanted: str) -> Iterator[FormatError]:
        """Yield the first wrong count of each column."""
        seen: set[Any] = set()
        for each in np.flatnonzero(wrong).tolist():
            row, column = _entry_and_column(self.places[each])
            if column not in seen:
                seen.add(column)
                where = f"entries[{row}].{self.name}[{column}]"
                yield FormatError(where, None, int(self.numbers[each]), wanted)

    def repeated(self) -> Iterator[FormatError]:
        """Yield the first entry that has a column twice."""
        for each in np.flatnonzero(np.diff(self.places) == 0)[:1].tolist():
            row, column = _entry_and_column(self.places[each])
            wanted = "each column once; readers use different ones of the two"
            yield FormatError(f"entries[{row}].{self.name}", None, f"column {column} twice", wanted)


def _entry_and_column(place: np.int64) -> tuple[int, int]:
    """Return the row of the entry and the id of the column of a statistic."""
    return divmod(int(place), 1 << _KEY_BITS)
