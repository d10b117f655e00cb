"""Move the rows of a column that are kept together.

- A flag of 1 keeps a row, 0 drops it.  Every value is written, a dropped one is overwritten by the
  next: without branches it takes the same time whichever rows are dropped.
- Text is copied run by run of rows that stay.

Source: Apache Arrow columnar format, "Fixed-size Primitive Layout", "Variable-size Binary Layout".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from byteloom.wire.kernel import kernel
from byteloom.wire.loads import copy_run

__all__ = ["keep_numbers", "keep_offsets", "keep_texts"]

word: Any = np.int64


@kernel
def keep_numbers(data: np.ndarray, keep: np.ndarray, out: np.ndarray) -> None:
    """Put the values of *data* that stay into *out*, which has room for one more."""
    at = 0
    for row in range(len(data)):
        out[at] = data[row]
        at += word(keep[row])


@kernel
def keep_offsets(offsets: np.ndarray, keep: np.ndarray, out: np.ndarray) -> int:
    """Put into *out* where the text of each row that stays will begin; return where the last ends.

    offsets  where each row's text begins now, and where the last ends
    out      has room for one more than stay, the end
    """
    at, filled = 0, word(0)
    for row in range(len(keep)):
        out[at] = filled
        stays = word(keep[row])
        filled += stays * (word(offsets[row + 1]) - word(offsets[row]))
        at += stays
    out[at] = filled
    return filled


@kernel
def keep_texts(offsets: np.ndarray, data: np.ndarray, keep: np.ndarray, out: np.ndarray) -> None:
    """Put the text of the rows that stay one after another into *out*."""
    source, target = data.ctypes.data, out.ctypes.data
    first, rows = 0, len(keep)
    for row in range(rows + 1):
        if row == rows or not keep[row]:
            start, end = word(offsets[first]), word(offsets[row])
            copy_run(source + start, target, end - start)
            target += end - start
            first = row + 1
