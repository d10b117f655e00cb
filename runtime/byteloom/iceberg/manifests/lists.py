"""Lists and maps of entries, as offsets into columns of their items.

Source: Iceberg table spec, "Manifests".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from byteloom.iceberg.manifests.arrow_columns import gathered, items_of, packed_spans
from byteloom.iceberg.manifests.decoding import Runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Rows = NDArray[np.intp]
    Numbers = NDArray[np.int64]

__all__ = ["Lists", "places_before"]


@dataclass(frozen=True, slots=True)
class Lists:
    """Lists or maps of numbers; of bytes if *data* is not None, the numbers then being places."""

    runs: Runs
    items: Numbers
    data: NDArray[np.uint8] | None = None

    def view(self, rows: Rows) -> Lists:
        """Return some of the lists, which share the same items."""
        runs = self.runs.of(rows)
        return Lists(runs, self.items, self.data)

    def take(self, rows: Rows) -> Lists:
        """Return some of the lists, with their items copied."""
        runs = self.runs.of(rows)
        items = items_of(runs, self.items)
        ends = np.cumsum(runs.ends - runs.starts)
        made = Runs(ends - (runs.ends - runs.starts), ends, runs.valid)
        if self.data is None:
            return Lists(made, items)
        spans = packed_spans(items[1], self.data)
        data, offsets = gathered(spans)
        items[1] = offsets[:-1] << 32 | spans.sizes
        return Lists(made, items, data)

    @classmethod
    def joined(cls, parts: Sequence[Lists]) -> Lists:
        """Return the lists of several parts, one after the other."""
        before = places_before([each.items.shape[1] for each in parts])
        starts = [each.runs.starts + start for each, start in zip(parts, before, strict=True)]
        ends = [each.runs.ends + start for each, start in zip(parts, before, strict=True)]
        runs = Runs(np.concatenate(starts), np.concatenate(ends), _all_valid(parts))
        if parts[0].data is None:
            return cls(runs, np.concatenate([each.items for each in parts], axis=1))
        data = [each.data for each in parts if each.data is not None]
        places = places_before([len(each) for each in data])
        moved = [each.items.copy() for each in parts]
        for items, place in zip(moved, places, strict=True):
            items[1] += place << 32
        return cls(runs, np.concatenate(moved, axis=1), np.concatenate(data))


def places_before(sizes: Sequence[int]) -> list[int]:
    """Return the sum of all sizes before each."""
    return [0, *np.cumsum(sizes[:-1]).tolist()]


def _all_valid(parts: Sequence[Lists]) -> NDArray[np.bool_]:
    """Return which lists of all parts are not null."""
    return np.concatenate([each.runs.valid for each in parts])
