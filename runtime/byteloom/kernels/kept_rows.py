"""Compact a column to the rows that are kept.

- A flag of 1 keeps a row, 0 drops it.  Every value is written, and a dropped one is overwritten by
  the next: without branches, the time does not depend on which rows are dropped.
- Text is copied for each run of kept rows.

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
    """Put the kept values of *data* into *out*, which has room for one more."""
    at = 0
    for row in range(len(data)):
        out[at] = data[row]
        at += word(keep[row])


@kernel
def keep_offsets(offsets: np.ndarray, keep: np.ndarray, out: np.ndarray) -> int:
    """Put into *out* the new offset of each kept row's text; return the end of the last.

    offsets  the offset of each row's text in the input, and the end of the last
    out      has room for one more than there are kept rows
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
    """Put the text of the kept rows into *out*."""
    source, target = data.ctypes.data, out.ctypes.data
    first, rows = 0, len(keep)
    for row in range(rows + 1):
        if row == rows or not keep[row]:
            start, end = word(offsets[first]), word(offsets[row])
            copy_run(source + start, target, end - start)
            target += end - start
            first = row + 1
