"""Where data blocks end among cells: before a cell of another key, once they reach the block size.

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
    starts: np.ndarray, shared: np.ndarray, first: int, count: int, block_size: int, per_row: int,
    ends: np.ndarray,
) -> int:  # fmt: skip
    """Put the number of the cell behind each whole block into *ends*; return how many there are.

    shared   of each, the parts of its key that are those of the cell before
    first    the first cell that is in no block yet
    per_row  bytes that each row adds to its block
    """
    found = 0
    begin = starts[first]
    rows = 0
    for i in range(first, count):
        is_full = starts[i] - begin + per_row * rows >= block_size
        if is_full and i > first and shared[i] < SAME_KEY:
            ends[found] = i
            found += 1
            begin, first, rows = starts[i], i, 0
        if i == first or shared[i] < SAME_ROW:
            rows += 1
    return found
