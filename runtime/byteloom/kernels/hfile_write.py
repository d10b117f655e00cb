"""Find where data blocks end: before a cell of another key, once they reach their size.

Source: https://hbase.apache.org/book.html#_hfile_format_2
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.wire.kernel import kernel
from byteloom_generated.hfile.cell_scan import PUT_CELLS

if TYPE_CHECKING:
    import numpy as np

__all__ = ["SAME_KEY", "SAME_ROW", "split"]

SAME_ROW: Final = 1
"""Parts of the order that a cell has in common with the one before: the row, which comes first."""

SAME_KEY: Final = PUT_CELLS.ranks
"""All of them."""


@kernel
def split(
    starts: np.ndarray, shared: np.ndarray, first: int, count: int, limits: np.ndarray,
    per_row: int, ends: np.ndarray,
) -> int:  # fmt: skip
    """Put the number of the cell after each whole block into *ends*; return how many there are.

    No more are looked for than *ends* has room for.

    shared   of each, the parts of its key that are those of the cell before
    first    the first cell that is in no block yet
    limits   as `byteloom.hfile.writing.block_sizes` has them
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
