"""Gather runs of bytes, items of lists, and maps by column id into Arrow's buffers.

- The maps of many rows share one table of items ``items[0..1, item]``, key and value; those of
  a row are a range of it, and items of other maps may be between the ranges of two rows.
- A key must be an int of 32 bits: the first that is not ends the call, and minus its item and one
  is returned.

Source: Apache Arrow columnar format, "Variable-size Binary Layout" and "Variable-size List Layout".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from byteloom.native.kernel import kernel
from byteloom.native.loads import copy_run, le64_unsigned

__all__ = [
    "fill_runs",
    "gather_items",
    "gather_runs",
    "hash_runs",
    "item_runs",
    "map_numbers",
    "map_runs",
    "remember",
]


@kernel(work=lambda _, places, *__: len(places))
def gather_runs(
    data: np.ndarray, places: np.ndarray, sizes: np.ndarray, offsets: np.ndarray, out: np.ndarray
) -> None:
    """Concatenate runs of *data*; a size below 0 copies nothing.

    offsets  int64[run]: the offset of each in *out*
    """
    source, target = data.ctypes.data, out.ctypes.data
    for i in range(len(places)):
        if sizes[i] > 0:
            copy_run(source + places[i], target + offsets[i], sizes[i])


@kernel
def gather_items(items: np.ndarray, starts: np.ndarray, ends: np.ndarray, out: np.ndarray) -> None:
    """Concatenate ``items[:, starts[i]:ends[i]]`` in ``out[k, :]``."""
    for k in range(len(out)):
        filled = 0
        for i in range(len(starts)):
            for j in range(starts[i], ends[i]):
                out[k, filled] = items[k, j]
                filled += 1


@kernel
def item_runs(packed: np.ndarray, places: np.ndarray, sizes: np.ndarray) -> None:
    """Split words into an offset, in the upper 32 bits, and a size."""
    for i in range(len(packed)):
        places[i] = packed[i] >> 32
        sizes[i] = packed[i] & 0xFFFFFFFF


@kernel
def hash_runs(
    data: np.ndarray, places: np.ndarray, sizes: np.ndarray, salts: np.ndarray, out: np.ndarray
) -> None:
    """Fill ``out[run, 0..1]`` with two hashes of each run and its salt, which identify the run."""
    source = data.ctypes.data
    for i in range(len(places)):
        first = mixed(np.uint64(salts[i]), np.uint64(sizes[i]))
        second = mixed(first, np.uint64(0x9E3779B97F4A7C15))
        end = places[i] + sizes[i]
        at = places[i]
        while at + 8 <= end:
            word = le64_unsigned(source, at)
            first = mixed(first, word)
            second = mixed(second ^ first, word)
            at += 8
        while at < end:
            first = mixed(first, np.uint64(data[at]))
            second = mixed(second ^ first, np.uint64(data[at]))
            at += 1
        out[i, 0], out[i, 1] = first | np.uint64(1), second


@kernel
def remember(hashes: np.ndarray, table: np.ndarray) -> int:
    """Add hashes to a table that has room for them; return the first repeated row, or -1.

    table   uint64[n, 2]; n is a power of two, and 0 marks a free entry
    """
    mask = np.uint64(len(table) - 1)
    for i in range(len(hashes)):
        at = hashes[i, 1] & mask
        while table[at, 0] != 0:
            if table[at, 0] == hashes[i, 0] and table[at, 1] == hashes[i, 1]:
                return i
            at = (at + np.uint64(1)) & mask
        table[at, 0], table[at, 1] = hashes[i, 0], hashes[i, 1]
    return -1


@kernel
def mixed(state: Any, word: Any) -> Any:
    """Mix a word into a state, so that each of its bits flips about half of the state's bits."""
    state = (state ^ word) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(29))) * np.uint64(0x94D049BB133111EB)
    return state ^ (state >> np.uint64(32))


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
