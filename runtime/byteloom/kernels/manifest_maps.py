"""Gather maps keyed by column id into Arrow's buffers.

The maps of many rows share one table of items ``items[0..1, item]``, key and value; those of
a row are a range of it, and items of other maps may be between the ranges of two rows.

- A key must be an int of 32 bits: the first that is not ends the call, and minus its item and one
  is returned.

Source: Apache Arrow columnar format, "Variable-size List Layout".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from byteloom.native.kernel import kernel
from byteloom.native.loads import copy_run

__all__ = ["fill_runs", "map_numbers", "map_runs"]

word: Any = np.int64

_LEAST, _MOST = -(1 << 31), (1 << 31) - 1


@kernel
def map_numbers(
    items: np.ndarray, starts: np.ndarray, ends: np.ndarray, keys: np.ndarray, values: np.ndarray
) -> int:
    """Concatenate the items of rows; return the number of items."""
    filled = 0
    for row in range(len(starts)):
        for item in range(starts[row], ends[row]):
            key = items[0, item]
            if not _LEAST <= key <= _MOST:
                return -item - 1
            keys[filled] = key
            values[filled] = items[1, item]
            filled += 1
    return filled


@kernel
def map_runs(
    items: np.ndarray, starts: np.ndarray, ends: np.ndarray, keys: np.ndarray, offsets: np.ndarray
) -> int:
    """Copy the keys, and fill *offsets* with where the bytes of each item will begin.

    items  values are an offset, in the upper 32 bits, and a size
    """
    filled, size = 0, word(0)
    for row in range(len(starts)):
        for item in range(starts[row], ends[row]):
            key = items[0, item]
            if not _LEAST <= key <= _MOST:
                return -item - 1
            keys[filled] = key
            offsets[filled] = size
            size += items[1, item] & 0xFFFFFFFF
            filled += 1
    offsets[filled] = size
    return filled


@kernel
def fill_runs(
    items: np.ndarray, starts: np.ndarray, ends: np.ndarray, data: np.ndarray, out: np.ndarray
) -> None:
    """Concatenate the bytes of the items from *data*."""
    source, target = data.ctypes.data, out.ctypes.data
    for row in range(len(starts)):
        for item in range(starts[row], ends[row]):
            packed = items[1, item]
            size = packed & 0xFFFFFFFF
            copy_run(source + (packed >> 32), target, size)
            target += size
