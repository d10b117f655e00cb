"""Build a Theta sketch from a column that comes in batches.

- The first rows are hashed by NumPy, which is loaded already.  Longer columns go to compiled loops,
  with a table that lives as long as the builder.
- Either way the sketch is that of the set of values: batches may come in any order and overlap.

Both skip empty strings and empty bytes, since Java's ``UpdateSketch.update(ByteBuffer)`` returns
RejectedNullOrEmpty for them and Iceberg ignores the result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Self

import numpy as np

from byteloom.errors import ArgumentError
from byteloom.puffin.theta import DEFAULT_K, ThetaSketch
from byteloom.puffin.theta_form import MAX_THETA

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa
    from numpy.typing import NDArray

    from byteloom.puffin.hashed_columns import Column

__all__ = ["ThetaSketchBuilder"]

_FEW_ROWS: Final = 100_000
"""Rows that NumPy hashes in some ten milliseconds; loading compiled code takes half a second."""

_FEW_HASHES: Final = 1 << 18
"""The same for hashes of merged sketches: most that wait to be merged."""

_FEW_BYTES: Final = 4 << 20
"""Most bytes that NumPy uses for values, each padded to the length of the longest."""


class ThetaSketchBuilder:
    """A sketch to which batches of values are added.

    iceberg_type  as for `ThetaSketch.from_arrow`; None infers it from each batch
    k             as for `ThetaSketch.from_arrow`
    """

    def __init__(self, *, iceberg_type: str | None = None, k: int = DEFAULT_K) -> None:
        """Begin without values."""
        if k not in {1 << lg_k for lg_k in range(4, 27)}:
            raise ArgumentError("k", None, k, "a power of 2 from 16 to 67108864")
        self._iceberg_type = iceberg_type
        self._k = int(k)
        self._rows = 0
        self._hashes = np.empty(0, np.uint64)
        self._theta = MAX_THETA
        self._waiting: list[NDArray[np.uint64]] = []
        self._num_waiting = 0
        self._table: NDArray[np.uint64] | None = None
        self._state = np.zeros(2, np.uint64)
        self._keep: Callable[..., None]
        self._is_empty = True

    def update(self, values: pa.Array | pa.ChunkedArray) -> Self:
        """Add a batch of the column; nulls are skipped."""
        from byteloom.puffin.single_value import single_values

        for array in getattr(values, "chunks", [values]):
            self._add(single_values(array, self._iceberg_type))
        return self

    def merge(self, sketch: ThetaSketch) -> Self:
        """Add all values that *sketch* has seen."""
        if not isinstance(sketch, ThetaSketch):
            raise ArgumentError("sketch", None, type(sketch).__name__, "a ThetaSketch")
        if sketch.is_empty:
            return self
        self._is_empty = False
        if self._table is not None:
            self._keep(sketch.hashes, np.uint64(sketch.theta64), self._table, self._state)
            return self
        self._waiting.append(sketch.hashes)
        self._num_waiting += len(sketch.hashes)
        self._theta = min(self._theta, sketch.theta64)
        if self._num_waiting > _FEW_HASHES:
            self._grown()
        return self

    def sketch(self) -> ThetaSketch:
        """Return the sketch of all values so far; more values can be added afterwards."""
        if self._table is not None:
            hashes, theta = self._table[self._table != 0], int(self._state[0])
        else:
            self._settle()
            hashes, theta = self._hashes, self._theta
        if self._is_empty and len(hashes) == 0:
            return ThetaSketch(hashes, is_empty=True)
        return ThetaSketch.of_hashes(hashes, theta, k=self._k)

    def _add(self, column: Column) -> None:
        self._rows += len(column)
        if self._table is None and self._is_small(column):
            self._waiting.append(column.hashes())
            self._settle()
        elif len(column):
            column.keep(self._grown(), self._state)

    def _is_small(self, column: Column) -> bool:
        return self._rows <= _FEW_ROWS and len(column) * (column.widest + 16) <= _FEW_BYTES

    def _settle(self) -> None:
        """Merge the waiting hashes into those that are kept."""
        if self._waiting:
            hashes = np.concatenate([self._hashes, *self._waiting])
            kept = ThetaSketch.of_hashes(hashes, self._theta, k=self._k)
            self._hashes, self._theta = kept.hashes, kept.theta64
            self._waiting.clear()

    def _grown(self) -> NDArray[np.uint64]:
        """Return the table of the compiled loops, with all hashes so far."""
        if self._table is None:
            from byteloom.kernels.kmv import keep_ascending

            self._keep = keep_ascending  # looked up once: a merge takes three microseconds
            self._table = np.zeros(4 * self._k, np.uint64)
            self._state[:] = self._theta, 0
            for hashes in (self._hashes, *self._waiting):
                keep_ascending(hashes, np.uint64(self._theta), self._table, self._state)
            self._waiting.clear()
        return self._table
