"""Find where data blocks end: before a cell with a new key, once a block has reached its size.

Source: https://hbase.apache.org/book.html#_hfile_format_2
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.native.kernel import kernel
from byteloom_generated.hfile.cell_scan import PUT_CELLS

if TYPE_CHECKING:
    import numpy as np

__all__ = ["SAME_KEY", "SAME_ROW", "split"]

SAME_ROW: Final = 1
"""The number of parts of the sort key that a cell shares with the previous one: only the row."""

SAME_KEY: Final = PUT_CELLS.ranks
"""The same: all parts."""


@kernel
def split(
    starts: np.ndarray, shared: np.ndarray, first: int, count: int, limits: np.ndarray,
    per_row: int, ends: np.ndarray,
) -> int:  # fmt: skip
    """Put the index of the cell after each whole block into *ends*; return the number of blocks.

    The search stops when *ends* is full.

    shared   for each cell, the number of key parts that it shares with the previous cell
    first    the first cell that is not in a block yet
    limits   as in `byteloom.hfile.writing.block_sizes`
    per_row  bytes that each row adds to its block
    """
    found = 0
    begin = starts[first]
    rows = 0
    for i in range(first, count):
        plain = starts[i] - begin
        size = plain + per_row * rows
        is_full = (plain >= limits[0] or size >= limits[1]) and size >= limits[2]
        if is_full and i > first and shared[i] < SAME_KEY:
            ends[found] = i
            found += 1
            if found == len(ends):
                return found
            begin, first, rows = starts[i], i, 0
        if i == first or shared[i] < SAME_ROW:
            rows += 1
    return found
