"""The statistics of some columns, taken from the decoded maps by column id.

A negative count is read as unknown.

Source: Iceberg table spec, "Manifests".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from byteloom.iceberg.expressions.stats import FieldStats, Spans
from byteloom.iceberg.manifests import fields
from byteloom.iceberg.manifests.arrow_columns import items_of, packed_spans

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from byteloom.iceberg.manifests.decoding import Decoded

__all__ = ["BOUNDS", "COUNTS", "column_stats"]

COUNTS: Final = ("value_counts", "null_value_counts", "nan_value_counts")
BOUNDS: Final = ("lower_bounds", "upper_bounds")
_IDS: Final = {each.name: each.id for each in fields.ENTRY}


def column_stats(
    decoded: Decoded, slots: Sequence[int], columns: Collection[str]
) -> dict[int, FieldStats]:
    """Return the statistics by column id, of the columns that slots were made for.

    Args:
        columns: Names of fields; the maps among them were decoded whole, and have no slots.
    """
    made = {}
    for slot, column in enumerate(slots):
        sources = {
            name: _Whole.of(decoded, name, column)
            if name in columns
            else _Slot(decoded, name, slot)
            for name in (*COUNTS, *BOUNDS)
        }
        values, nulls, nans = (np.maximum(sources[name].numbers(), -1) for name in COUNTS)
        lower, upper = (sources[name].spans() for name in BOUNDS)
        made[column] = FieldStats(values, nulls, nans, lower, upper)
    return made


@dataclass(frozen=True, slots=True)
class _Slot:
    """A column's values in a map, which were decoded by themselves."""

    decoded: Decoded
    name: str
    slot: int

    def numbers(self) -> NDArray[np.int64]:
        """The column's numbers; -1 where an entry has none."""
        return self.decoded.slot_numbers(_IDS[self.name], self.slot)

    def spans(self) -> Spans:
        """The column's bytes."""
        return self.decoded.slot_spans(_IDS[self.name], self.slot)


@dataclass(frozen=True, slots=True)
class _Whole:
    """A column's values in a map that was decoded whole: rows, and the values of those."""

    decoded: Decoded
    rows: NDArray[np.intp]
    values: NDArray[np.int64]

    @classmethod
    def of(cls, decoded: Decoded, name: str, column: int) -> _Whole:
        """Return the values of one column."""
        runs = decoded.runs(_IDS[name])
        keys, values = items_of(runs, decoded.items(_IDS[name]))
        of_column = keys == column
        return cls(decoded, runs.rows[of_column], values[of_column])

    def numbers(self) -> NDArray[np.int64]:
        """The column's numbers; -1 where an entry has none."""
        made = np.full(self.decoded.rows, -1, np.int64)
        made[self.rows] = self.values
        return made

    def spans(self) -> Spans:
        """The column's bytes."""
        found = packed_spans(self.values, self.decoded.data)
        places = np.zeros(self.decoded.rows, np.int64)
        sizes = np.full(self.decoded.rows, -1, np.int64)
        places[self.rows], sizes[self.rows] = found.places, found.sizes
        return Spans(self.decoded.data, places, sizes)
