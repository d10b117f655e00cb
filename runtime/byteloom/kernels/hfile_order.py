"""Compare and search cell keys in their stored form.

- Row, family and qualifier ascend as unsigned bytes; timestamp and type descend.
- A key of type 0 with neither family nor qualifier comes after its whole row.
- A key that ends after its row comes before all cells of the row.
- Rows of HBase's catalog are compared by their parts before, between and after the commas.
- Nothing here checks bounds: `unsound`, or the walk over cells, has checked the keys.

Source: specs/hfile/cell.ksy
"""

from __future__ import annotations

from typing import Any

import numpy as np

from byteloom.kernels.hfile_cells import (
    FAMILY_MOST,
    KINDS,
    MAXIMUM,
    ROW_MOST,
    TIME_AND_TYPE,
    s32,
    u16,
)
from byteloom.native.kernel import kernel
from byteloom.native.loads import be64

__all__ = [
    "CELLS",
    "META",
    "META_ROWS",
    "ROWS",
    "bound",
    "compare_keys",
    "descent",
    "disorder",
    "gather",
    "overtaken",
    "pack_rows",
    "unsound",
    "visit",
]

ROWS, CELLS, META_ROWS, META = 0, 1, 2, 3
"""The orders of keys: by row or by whole key, for ordinary tables or for HBase's catalog."""

word: Any = np.int64
"""Makes a byte a signed word; Python's types do not distinguish it from other integers."""

_COMMA = 44
_LATEST = (1 << 63) - 1
_LOWEST = -(1 << 63)
"""Flips the sign, so that signed words compare as unsigned ones."""


@kernel
def _bytes(a: np.ndarray, at: int, len_a: int, b: np.ndarray, to: int, len_b: int) -> int:
    """Compare unsigned bytes of two buffers: -1, 0 or 1."""
    shared = min(len_a, len_b)
    left, right = a.ctypes.data, b.ctypes.data
    i = 0
    while i + 8 <= shared:
        one, other = be64(left, at + i), be64(right, to + i)
        if one != other:
            return -1 if (one ^ _LOWEST) < (other ^ _LOWEST) else 1
        i += 8
    while i < shared:
        if a[at + i] != b[to + i]:
            return -1 if a[at + i] < b[to + i] else 1
        i += 1
    return 0 if len_a == len_b else (-1 if len_a < len_b else 1)


@kernel
def _comma(data: np.ndarray, at: int, end: int) -> int:
    """Return the offset of the first comma; -1 if there is none."""
    for i in range(at, end):
        if data[i] == _COMMA:
            return i
    return -1


@kernel
def _last_comma(data: np.ndarray, at: int, end: int) -> int:
    for i in range(end - 1, at - 1, -1):
        if data[i] == _COMMA:
            return i
    return -1


@kernel
def _part(
    a: np.ndarray,
    at: int,
    comma_a: int,
    end_a: int,
    b: np.ndarray,
    to: int,
    comma_b: int,
    end_b: int,
) -> int:
    """Compare the parts before two commas; one without a comma is the whole rest, and is less."""
    stop_a, stop_b = (end_a if comma_a < 0 else comma_a), (end_b if comma_b < 0 else comma_b)
    order = _bytes(a, at, stop_a - at, b, to, stop_b - to)
    if order != 0:
        return order
    return int(comma_a >= 0) - int(comma_b >= 0)


@kernel
def _meta_rows(a: np.ndarray, at: int, end_a: int, b: np.ndarray, to: int, end_b: int) -> int:
    """Compare rows of the catalog: ``table,first row,region``."""
    comma_a, comma_b = _comma(a, at, end_a), _comma(b, to, end_b)
    order = _part(a, at, comma_a, end_a, b, to, comma_b, end_b)
    if order != 0 or comma_a < 0:
        return order
    at, to = comma_a + 1, comma_b + 1
    comma_a, comma_b = _last_comma(a, at, end_a), _last_comma(b, to, end_b)
    order = _part(a, at, comma_a, end_a, b, to, comma_b, end_b)
    if order != 0 or comma_a < 0:
        return order
    return _bytes(a, comma_a + 1, end_a - comma_a - 1, b, comma_b + 1, end_b - comma_b - 1)


@kernel
def _columns(a: np.ndarray, at: int, end_a: int, b: np.ndarray, to: int, end_b: int) -> int:
    """Compare the rest of two keys with equal rows."""
    family_a = family_b = qualifier_a = qualifier_b = word(0)
    time_a = time_b = word(_LATEST)
    type_a = type_b = word(MAXIMUM)
    if at < end_a:
        family_a = word(a[at])
        qualifier_a = end_a - TIME_AND_TYPE - at - 1 - family_a
        time_a, type_a = be64(a.ctypes.data, end_a - TIME_AND_TYPE), word(a[end_a - 1])
    if to < end_b:
        family_b = word(b[to])
        qualifier_b = end_b - TIME_AND_TYPE - to - 1 - family_b
        time_b, type_b = be64(b.ctypes.data, end_b - TIME_AND_TYPE), word(b[end_b - 1])
    last_a, last_b = family_a + qualifier_a + type_a == 0, family_b + qualifier_b + type_b == 0
    if last_a or last_b:
        return int(last_a) - int(last_b)
    at, to = at + 1, to + 1
    order = _bytes(a, at, family_a, b, to, family_b)
    if order == 0:
        order = _bytes(a, at + family_a, qualifier_a, b, to + family_b, qualifier_b)
    if order != 0:
        return order
    if time_a != time_b:
        return -1 if time_a > time_b else 1
    return 0 if type_a == type_b else (-1 if type_a > type_b else 1)


@kernel(work=lambda *_: 32)
def compare_keys(
    a: np.ndarray, at: int, len_a: int, b: np.ndarray, to: int, len_b: int, order: int
) -> int:
    """Compare two serialized keys: -1, 0 or 1."""
    row_a, row_b = at + 2, to + 2
    end_a, end_b = row_a + u16(a, at), row_b + u16(b, to)
    if order >= META_ROWS:
        found = _meta_rows(a, row_a, end_a, b, row_b, end_b)
    else:
        found = _bytes(a, row_a, end_a - row_a, b, row_b, end_b - row_b)
    if found != 0 or order in (ROWS, META_ROWS):
        return found
    return _columns(a, end_a, at + len_a, b, end_b, to + len_b)


@kernel(work=lambda _, starts, *__: 32 * len(starts))
def unsound(data: np.ndarray, starts: np.ndarray, ends: np.ndarray, order: int) -> int:
    """Return the first key that is malformed, or less than its predecessor; -1 if there is none."""
    for i in range(len(starts)):
        at, end = starts[i], ends[i]
        if end - at < 2:
            return i
        row = at + 2 + u16(data, at)
        if row > end or row - at - 2 > ROW_MOST:
            return i
        if row < end:
            family, last = word(data[row]), end - TIME_AND_TYPE
            if family > FAMILY_MOST or row + 1 + family > last or data[end - 1] not in KINDS:
                return i
        if i:
            before = starts[i - 1]
            if compare_keys(data, before, ends[i - 1] - before, data, at, end - at, order) > 0:
                return i
    return -1


@kernel(work=lambda _, starts, __: 32 * len(starts))
def disorder(data: np.ndarray, starts: np.ndarray, order: int) -> int:
    """Return the first cell whose key is less than the previous one; -1 if there is none."""
    for i in range(1, len(starts) - 1):
        one, other = word(starts[i - 1]), word(starts[i])
        sizes = s32(data, one), s32(data, other)
        if compare_keys(data, one + 8, sizes[0], data, other + 8, sizes[1], order) > 0:
            return i
    return -1


@kernel(work=lambda _, starts, __: 32 * len(starts))
def overtaken(data: np.ndarray, starts: np.ndarray, mvcc: np.ndarray) -> int:
    """Return the first cell with the key of the previous one and a greater number; -1 for none."""
    for i in range(1, len(starts) - 1):
        if mvcc[i] > mvcc[i - 1]:
            one, other = word(starts[i - 1]), word(starts[i])
            sizes = s32(data, one), s32(data, other)
            if _bytes(data, one + 8, sizes[0], data, other + 8, sizes[1]) == 0:
                return i
    return -1


@kernel(work=lambda *_: 256)
def bound(
    data: np.ndarray,
    starts: np.ndarray,
    key: np.ndarray,
    at: int,
    size: int,
    order: int,
) -> int:
    """Return the number of the first cell that is not less than a key."""
    low, high = 0, len(starts) - 1
    while low < high:
        middle = (low + high) >> 1
        start = word(starts[middle])
        found = compare_keys(data, start + 8, s32(data, start), key, at, size, order)
        if found < 0:
            low = middle + 1
        else:
            high = middle
    return low


@kernel(work=lambda *args: 256 * len(args[5]))
def descent(
    data: np.ndarray,
    starts: np.ndarray,
    ends: np.ndarray,
    keys: np.ndarray,
    places: np.ndarray,
    asked: np.ndarray,
    order: int,
    found: np.ndarray,
) -> None:
    """Find, for each key looked up, the last entry whose key is less, or else the first entry."""
    for i in range(len(asked)):
        at = places[asked[i]]
        size = places[asked[i] + 1] - at
        low, high = 1, len(starts)
        while low < high:
            middle = (low + high) >> 1
            start = starts[middle]
            if compare_keys(data, start, ends[middle] - start, keys, at, size, order) < 0:
                low = middle + 1
            else:
                high = middle
        found[i] = low - 1


@kernel(work=lambda *args: 256 * len(args[4]))
def visit(
    data: np.ndarray,
    starts: np.ndarray,
    keys: np.ndarray,
    places: np.ndarray,
    asked: np.ndarray,
    order: int,
    out: np.ndarray,
    runs: np.ndarray,
    onward: np.ndarray,
    counts: np.ndarray,
) -> int:
    """Copy the cells with one of the keys looked up to *out*; return how many bytes did not fit.

    keys    serialized keys, concatenated
    places  the offset of each key, and the end of the last
    asked   the indexes of the keys to look up
    runs    set to the index, the number of cells and their bytes, for each key that has cells
    onward  set to the indexes of keys that have no cell after them here
    counts    the runs and bytes so far, which grow; set to the number of *onward*, and one of the
            keys that have no cell before them, or -1
    """
    end = len(starts) - 1
    num_runs, at, num_onward, early = counts[0], counts[1], word(0), word(-1)
    for i in range(len(asked)):
        key = places[asked[i]]
        size = places[asked[i] + 1] - key
        low = bound(data, starts, keys, key, size, order)
        high = low
        while high < end:
            start = word(starts[high])
            if compare_keys(data, start + 8, s32(data, start), keys, key, size, order) != 0:
                break
            high += 1
        if high == end:
            onward[num_onward] = asked[i]
            num_onward += 1
        if low == 0:
            early = asked[i]
        if high > low:
            first, length = word(starts[low]), word(starts[high]) - word(starts[low])
            if at + length > len(out):
                return length
            for j in range(length):
                out[at + j] = data[first + j]
            at += length
            runs[num_runs, 0], runs[num_runs, 1], runs[num_runs, 2] = asked[i], high - low, length
            num_runs += 1
    counts[0], counts[1], counts[2], counts[3] = num_runs, at, num_onward, early
    return 0


@kernel(work=lambda _, __, ___, sizes, out: len(out) + len(sizes))
def gather(
    data: np.ndarray, places: np.ndarray, order: np.ndarray, sizes: np.ndarray, out: np.ndarray
) -> None:
    """Copy runs of bytes to *out*, in the given order.

    places  the offset of each run
    order   the indexes of runs
    """
    at = 0
    for number in order:
        start = word(places[number])
        for i in range(sizes[number]):
            out[at + i] = data[start + i]
        at += sizes[number]


@kernel
def pack_rows(rows: np.ndarray, ends: np.ndarray, most: int, out: np.ndarray, places: Any) -> None:
    """Write each row after its length, truncated to *most* bytes.

    ends    the offset of the first row in *rows*, and then the end of each row
    places  set to the offset of each key in *out*, and the end of the last
    """
    at = 0
    for i in range(len(ends) - 1):
        places[i] = at
        size = min(ends[i + 1] - ends[i], most)
        out[at], out[at + 1] = size >> 8, size & 255
        for j in range(size):
            out[at + 2 + j] = rows[ends[i] + j]
        at += 2 + size
    places[-1] = at
