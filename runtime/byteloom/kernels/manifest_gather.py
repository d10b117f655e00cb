"""Runs of bytes and items of lists, copied together from where they lie.

Source: Apache Arrow columnar format, "Variable-size Binary Layout" and "Variable-size List Layout".
"""

from __future__ import annotations

import numpy as np
from numba import njit

from byteloom.kernels.loads import copy

__all__ = ["gather_items", "gather_runs", "item_runs"]


@njit(cache=True, nogil=True)
def gather_runs(
    data: np.ndarray, places: np.ndarray, sizes: np.ndarray, offsets: np.ndarray, out: np.ndarray
) -> None:
    """Copy runs of *data* one after the other; a size below 0 copies nothing.

    offsets  int64[run]: where each goes in *out*, which has room for all and 8 bytes more
    """
    source, target = data.ctypes.data, out.ctypes.data
    for i in range(len(places)):
        if sizes[i] > 0:
            room = min(len(data) - places[i], len(out) - offsets[i])
            copy(source + places[i], target + offsets[i], sizes[i], room)


@njit(cache=True, nogil=True)
def gather_items(items: np.ndarray, starts: np.ndarray, ends: np.ndarray, out: np.ndarray) -> None:
    """Copy ``items[:, starts[i]:ends[i]]`` one after the other to ``out[k, :]``."""
    for k in range(len(out)):
        filled = 0
        for i in range(len(starts)):
            for j in range(starts[i], ends[i]):
                out[k, filled] = items[k, j]
                filled += 1


@njit(cache=True, nogil=True)
def item_runs(packed: np.ndarray, places: np.ndarray, sizes: np.ndarray) -> None:
    """Split words into a place, 32 bits up, and a size."""
    for i in range(len(packed)):
        places[i] = packed[i] >> 32
        sizes[i] = packed[i] & 0xFFFFFFFF
