"""Rows of a column that stay, where the others are few: copied run by run.

Arrow's filter asks each row; here a run costs a copy, of numbers or of all its text at once.

Source: Apache Arrow columnar format, "Fixed-size Primitive Layout", "Variable-size Binary Layout".
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from byteloom.kernels.loads import copy

__all__ = ["keep_numbers", "keep_texts"]

word: Any = np.int64


@njit(cache=True, nogil=True)
def keep_numbers(data: np.ndarray, starts: np.ndarray, ends: np.ndarray, out: np.ndarray) -> None:
    """Put the runs of *data* from *starts* to *ends* behind one another into *out*."""
    at = 0
    for run in range(len(starts)):
        for row in range(starts[run], ends[run]):
            out[at] = data[row]
            at += 1


@njit(cache=True, nogil=True)
def keep_texts(
    offsets: np.ndarray,
    data: np.ndarray,
    starts: np.ndarray,
    ends: np.ndarray,
    out_offsets: np.ndarray,
    out: np.ndarray,
) -> None:
    """Put the text of runs of rows behind one another into *out*.

    offsets      where each row's text begins in *data*, and where the last ends
    out_offsets  becomes the same of *out*
    """
    source, target = data.ctypes.data, out.ctypes.data
    at, filled = 0, word(0)
    for run in range(len(starts)):
        first, last = word(offsets[starts[run]]), word(offsets[ends[run]])
        for row in range(starts[run], ends[run]):
            out_offsets[at] = word(offsets[row]) - first + filled
            at += 1
        room = min(len(data) - first, len(out) - filled)
        copy(source + first, target + filled, last - first, room)
        filled += last - first
    out_offsets[at] = filled
