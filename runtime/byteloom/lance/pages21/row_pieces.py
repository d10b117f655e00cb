"""Rows of a FullZip page as joined pieces of its buffer.

Source: https://lance.org/format/file/encoding/#full-zip-page-layout
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["RowPieces"]


@dataclass(frozen=True, slots=True)
class RowPieces:
    """A piece for each row.

    Attributes:
        starts: Offset of each piece in the buffer.
        sizes: Bytes of each.
    """

    starts: np.ndarray
    sizes: np.ndarray

    def place(self, at: int) -> int:
        """Return where in the buffer a byte of the joined pieces is."""
        ends = np.cumsum(self.sizes)
        piece = min(int(np.searchsorted(ends, at, "right")), len(ends) - 1)
        return int(self.starts[piece] + at - (ends[piece] - self.sizes[piece]))

    def misplaced(self, spans: np.ndarray, is_first: np.ndarray) -> int | None:
        """Return the offset in the buffer of the first entry that is not where its row should be.

        Args:
            spans: Bytes of each entry, from that at the beginning on.
            is_first: Whether an entry is the first of a row.

        Returns:
            None where each row is one piece.
        """
        empty = np.flatnonzero(self.sizes == 0)
        if len(empty):
            return int(self.starts[empty[0]])
        ends = np.cumsum(self.sizes)
        stops = np.cumsum(spans)
        begins = stops - spans
        piece = np.searchsorted(ends, begins, "right")
        begins_piece = begins == (ends - self.sizes)[piece]
        bad = np.flatnonzero((stops > ends[piece]) | (begins_piece != is_first))
        return self.place(int(begins[bad[0]])) if len(bad) else None
