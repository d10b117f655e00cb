"""Join any number of pieces of several arrays in one call.

A page is interleaved from its parts: heads, levels, values, padding.  All pieces of a part are
added at once, by the beginning and size of each.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from byteloom.kernels.lance_values import join_buffers

__all__ = ["Pieces"]


@dataclass(slots=True)
class Pieces:
    """The pieces of a number of units (chunks or entries), in the order in which they are added."""

    units: int
    _data: list[np.ndarray] = field(default_factory=list)
    _starts: list[np.ndarray] = field(default_factory=list)
    _sizes: list[np.ndarray] = field(default_factory=list)
    _total: int = 0

    def add(self, data: np.ndarray, starts: np.ndarray, sizes: np.ndarray) -> None:
        """Add a piece of *data* to each unit, given by where it begins and its bytes."""
        stored = np.ascontiguousarray(data).view(np.uint8).reshape(-1)
        self._starts.append(starts.astype(np.int64) + self._total)
        self._sizes.append(np.broadcast_to(np.asarray(sizes, np.int64), (self.units,)))
        self._data.append(stored)
        self._total += len(stored)

    def add_rows(self, rows: np.ndarray) -> None:
        """Add a row of a matrix to each unit."""
        size = rows.shape[1] * rows.itemsize
        self.add(rows, np.arange(self.units, dtype=np.int64) * size, np.full(self.units, size))

    def pad(self, align: int, fill: int) -> None:
        """Fill the last piece of each unit up to a multiple of *align* bytes."""
        zeros = np.zeros(self.units, np.int64)
        self.add(np.full(align, fill, np.uint8), zeros, -self._sizes[-1] % align)

    @property
    def sizes(self) -> np.ndarray:
        """Return the bytes of each unit."""
        return np.asarray(np.stack(self._sizes).sum(axis=0), np.int64)

    def joined(self) -> np.ndarray:
        """Return all units, one after the other."""
        out = np.empty(int(self.sizes.sum()), np.uint8)
        starts, sizes = np.stack(self._starts, 1).ravel(), np.stack(self._sizes, 1).ravel()
        join_buffers(np.concatenate(self._data), starts, np.ascontiguousarray(sizes), out)
        return out
