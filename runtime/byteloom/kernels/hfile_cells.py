"""Cells of an HFile, one behind the other, to Arrow's binary views and numbers.

- The cells lie in *data* between the bounds of each row of *ranges*; every read is compared with
  those bounds first, whatever a length says.
- What is wrong is returned as a code from 1 up, with the cell's number and place, for the caller to
  put into words.  Codes are listed with `WRONG`.
- A view is two words: size and first four bytes, then the other bytes of a value of up to twelve,
  or the place of a longer one.

Source: https://arrow.apache.org/docs/format/Columnar.html#variable-size-binary-view-layout
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from byteloom.kernels.memory import load_u64

__all__ = ["WRONG", "compare", "s32", "u16", "vlong", "walk", "word"]

word: Any = np.int64
"""Makes a byte a signed word; Python's types cannot tell it from the integers it mixes with."""

WRONG = (
    ("", ""),
    ("len_key", "a key inside its block, of 2 bytes or more"),
    ("len_value", "a value inside its block"),
    ("len_row", "a row of at most 32767 bytes inside its key"),
    ("len_family", "a family of at most 127 bytes inside its key"),
    ("type", "0, 4, 8, 10, 12, 14 or 255"),
    ("len_tags", "whole tags inside the block"),
    ("mvcc", "a sequence number inside its block"),
    ("mvcc", "0: the file info says that no cell has one"),
    ("", "no more cells than the trailer's entry_count"),
)
"""For each code, the field that it is about and what was wanted."""

_ROW_MOST, _FAMILY_MOST = 32767, 127
_TIME_AND_TYPE = 9
_LATEST = (1 << 63) - 1
_PUT = 4
_INLINE = 12


@njit(cache=True, nogil=True)
def u16(data: np.ndarray, at: int) -> int:
    """Return two bytes, the highest first."""
    return (word(data[at]) << 8) | word(data[at + 1])


@njit(cache=True, nogil=True)
def s32(data: np.ndarray, at: int) -> int:
    """Return four bytes as a signed integer, the highest first."""
    word = (u16(data, at) << 16) | u16(data, at + 2)
    return word - ((word >> 31) << 32)


@njit(cache=True, nogil=True)
def _s64(data: np.ndarray, at: int) -> int:
    high = (u16(data, at) << 16) | u16(data, at + 2)
    low = (u16(data, at + 4) << 16) | u16(data, at + 6)
    return (high << 32) | low


@njit(cache=True, nogil=True)
def vlong(data: np.ndarray, at: int, end: int) -> tuple[int, int]:
    """Return Hadoop's integer of variable length, and one past its end; 0 past it if cut off."""
    if at >= end:
        return 0, 0
    first = word(data[at])
    first -= (first >> 7) << 8
    if first >= -112:
        return first, at + 1
    size = -112 - first if first >= -120 else -120 - first
    if at + 1 + size > end:
        return 0, 0
    value = word(0)
    for i in range(size):
        value = (value << 8) | word(data[at + 1 + i])
    return (value if first >= -120 else ~value), at + 1 + size


@njit(cache=True, nogil=True)
def compare(data: np.ndarray, a: int, len_a: int, b: int, len_b: int) -> int:
    """Return -1, 0 or 1: how two runs of unsigned bytes are ordered."""
    shared = min(len_a, len_b)
    address = data.ctypes.data
    i = 0
    while i + 8 <= shared and load_u64(address, a + i) == load_u64(address, b + i):
        i += 8
    while i < shared:
        left, right = data[a + i], data[b + i]
        if left != right:
            return -1 if left < right else 1
        i += 1
    return 0 if len_a == len_b else (-1 if len_a < len_b else 1)


@njit(cache=True, nogil=True)
def _put_view(views: np.ndarray, row: int, data: np.ndarray, at: int, size: int) -> None:
    """Make row *row* of *views* the *size* bytes at *at*."""
    words: Any = (np.uint64(0), np.uint64(0))
    if at + 16 <= len(data):
        address = data.ctypes.data
        words = load_u64(address, at), load_u64(address, at + 4)
    else:
        words = _slow_words(data, at, min(size, _INLINE))
    head, tail = words
    if size < 4:
        head &= (np.uint64(1) << np.uint64(8 * size)) - np.uint64(1)
    head <<= np.uint64(32)
    if size > _INLINE:
        tail = np.uint64(at) << np.uint64(32)
    elif size <= 4:
        tail = np.uint64(0)
    elif size < _INLINE:
        tail &= (np.uint64(1) << np.uint64(8 * (size - 4))) - np.uint64(1)
    views[row, 0] = head | np.uint64(size)
    views[row, 1] = tail


@njit(cache=True, nogil=True)
def _slow_words(data: np.ndarray, at: int, size: int) -> Any:
    """Return what two loads would, of bytes near the end of the buffer."""
    head = np.uint64(0)
    tail = np.uint64(0)
    for i in range(size):
        byte = np.uint64(data[at + i])
        if i < 4:
            head |= byte << np.uint64(8 * i)
        else:
            tail |= byte << np.uint64(8 * (i - 4))
    return head, tail


@njit(cache=True, nogil=True)
def _is_type(code: int) -> bool:
    return code in (0, 4, 8, 10, 12, 14, 255)


@njit(cache=True, nogil=True)
def _tags_fit(data: np.ndarray, at: int, end: int) -> bool:
    """Whether *at* to *end* is whole tags: two bytes of length, at least one more."""
    while at < end:
        if at + 3 > end:
            return False
        size = u16(data, at)
        at += 2 + size
        if size == 0 or at > end:
            return False
    return True


@njit(cache=True, nogil=True)
def _columns_in_order(
    data: np.ndarray,
    one: int,
    len_family_one: int,
    len_qualifier_one: int,
    time_one: int,
    type_one: int,
    two: int,
    len_family_two: int,
    len_qualifier_two: int,
    time_two: int,
    type_two: int,
) -> bool:
    """Whether, of two cells of a row, the first may stand before the second.

    one, two  where their families begin
    """
    # A key without columns and of type 0 stands behind its whole row.
    last_two = len_family_two + len_qualifier_two + type_two == 0
    if last_two or len_family_one + len_qualifier_one + type_one == 0:
        return last_two
    order = compare(data, one, len_family_one, two, len_family_two)
    if order == 0:
        one += len_family_one
        order = compare(data, one, len_qualifier_one, two + len_family_two, len_qualifier_two)
    if order != 0:
        return order < 0
    if time_one != time_two:
        return time_one > time_two
    return type_one >= type_two


@njit(cache=True, nogil=True)
def walk(
    data: np.ndarray,
    ranges: np.ndarray,
    has_columns: bool,
    has_tags: bool,
    has_mvcc: bool,
    is_mvcc_wide: bool,
    rows: np.ndarray,
    families: np.ndarray,
    qualifiers: np.ndarray,
    values: np.ndarray,
    tags: np.ndarray,
    times: np.ndarray,
    types: np.ndarray,
    mvccs: np.ndarray,
    counts: np.ndarray,
    told: np.ndarray,
) -> int:
    """Fill the columns with all cells; return 0, or what is wrong.

    has_columns   keys go on behind the row
    is_mvcc_wide  sequence numbers may be other than the one byte 0
    counts        becomes the number of cells at the end of each range, and where its last one is
    told          becomes [cell, its place, range, first cell out of order or -1]
    """
    most = len(times)
    row_b = len_row_b = family_b = len_family_b = len_qualifier_b = word(0)
    time_b = type_b = word(0)
    told[3] = -1
    n = 0
    for block in range(len(ranges)):
        at, end = ranges[block, 0], ranges[block, 1]
        while at < end:
            told[0], told[1], told[2] = n, at, block
            if n >= most:
                return 9
            if at + 10 > end:
                return 1
            len_key, len_value = s32(data, at), s32(data, at + 4)
            key = at + 8
            if len_key < 2 or len_key > end - key:
                return 1
            if len_value < 0 or len_value > end - key - len_key:
                return 2
            stop = key + len_key
            len_row = u16(data, key)
            if len_row > _ROW_MOST or len_row + 2 > len_key:
                return 3
            row = key + 2
            time, kind = word(_LATEST), word(_PUT)
            family = row + len_row
            len_family = len_qualifier = 0
            if has_columns:
                if family + 1 + _TIME_AND_TYPE > stop:
                    return 3
                len_family = word(data[family])
                family += 1
                len_qualifier = stop - _TIME_AND_TYPE - family - len_family
                if len_family > _FAMILY_MOST or len_qualifier < 0:
                    return 4
                time, kind = _s64(data, stop - 9), word(data[stop - 1])
                if not _is_type(kind):
                    return 5
            elif family != stop:
                return 3
            value = stop
            at = stop + len_value
            place, size = at, 0
            if has_tags:
                if at + 2 > end:
                    return 6
                place, size = at + 2, u16(data, at)
                at = place + size
                if at > end or not _tags_fit(data, place, at):
                    return 6
            mvcc = word(0)
            if has_mvcc:
                mvcc, after = vlong(data, at, end)
                if after == 0:
                    return 7
                if not is_mvcc_wide and (mvcc != 0 or after != at + 1):
                    return 8
                at = after
            if n and told[3] < 0:
                order = compare(data, row_b, len_row_b, row, len_row)
                if order > 0 or (
                    order == 0
                    and not _columns_in_order(
                        data, family_b, len_family_b, len_qualifier_b, time_b, type_b,
                        family, len_family, len_qualifier, time, kind,
                    )
                ):  # fmt: skip
                    told[3] = n
            row_b, len_row_b, family_b, len_family_b = row, len_row, family, len_family
            len_qualifier_b, time_b, type_b = len_qualifier, time, kind
            _put_view(rows, n, data, row, len_row)
            _put_view(values, n, data, value, len_value)
            if len(families):
                _put_view(families, n, data, family, len_family)
                _put_view(qualifiers, n, data, family + len_family, len_qualifier)
            if len(tags):
                _put_view(tags, n, data, place, size)
            if len(mvccs):
                mvccs[n] = mvcc
            times[n], types[n] = time, kind
            counts[block, 1] = key - 8
            n += 1
        counts[block, 0] = n
    return 0
