"""Encoded cells of an HFile back to plain ones: PREFIX, DIFF and FAST_DIFF.

- Each cell is told by what it shares with the one before, which is found in the output.  So every
  read of the input and every read and write of the output is compared with its bounds first.
- A cell comes out as in a plain block: lengths, key, value, tags behind two bytes of length, the
  sequence number as it stands.
- *base* is the address of the input, *out* that of the output; *room* is the output's size.

Source: HBase's encoders have no document; what they write was measured (see specs/hfile/SOURCE.md)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

from byteloom.kernels.hfile_keys import vlong_at
from byteloom.kernels.hfile_tags import KEPT, expand, varint
from byteloom.kernels.loads import (
    be16,
    be32,
    be64,
    byte,
    copy,
    put_be16,
    put_be32,
    put_be64,
    put_byte,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["DIFF", "FAST_DIFF", "PREFIX", "decode"]

PREFIX, DIFF, FAST_DIFF = 2, 3, 4

_BAD = -1
_TIME_AND_TYPE = 9


@njit(cache=True, nogil=True)
def _start(out: int, to: int, room: int, len_key: int, len_value: int) -> bool:
    """Put the two lengths of a cell, if all of it has room."""
    if len_key < 2 or len_key > room - to - 8 or len_value > room - to - 8 - len_key:
        return False
    put_be32(out, to, len_key)
    put_be32(out, to + 4, len_value)
    return True


@njit(cache=True, nogil=True)
def _prefix(
    base: int, at: int, end: int, out: int, to: int, room: int, before: int
) -> tuple[int, int]:
    """Decode key and value of one cell; return the places behind them, or -1."""
    rest, at = varint(base, at, end)
    if at < 0:
        return _BAD, to
    len_value, at = varint(base, at, end)
    if at < 0:
        return _BAD, to
    common, at = varint(base, at, end)
    if at < 0 or rest + len_value > end - at:
        return _BAD, to
    if common and (before < 0 or common > be32(out, before)):
        return _BAD, to
    if not _start(out, to, room, common + rest, len_value):
        return _BAD, to
    key = to + 8
    copy(out + before + 8, out + key, common, room - key)
    rest += len_value
    copy(base + at, out + key + common, rest, min(end - at, room - key - common))
    return at + rest, key + common + rest


@njit(cache=True, nogil=True)
def _lengths(
    base: int,
    at: int,
    end: int,
    out: int,
    before: int,
    same_key: bool,
    same_value: bool,
) -> tuple[int, int, int, int]:
    """Return a cell's length of key, of value, and of what it shares; and the place behind."""
    len_key, len_value = 0, 0
    if (same_key or same_value) and before < 0:
        return 0, 0, 0, _BAD
    if same_key:
        len_key = be32(out, before)
    else:
        len_key, at = varint(base, at, end)
    if at >= 0:
        if same_value:
            len_value = be32(out, before + 4)
        else:
            len_value, at = varint(base, at, end)
    common = 0
    if at >= 0:
        common, at = varint(base, at, end)
    return len_key, len_value, common, at


@njit(cache=True, nogil=True)
def _names(
    base: int,
    at: int,
    end: int,
    out: int,
    room: int,
    key: int,
    len_key: int,
    common: int,
    before: int,
    family: int,
    len_family: int,
) -> int:
    """Put row, family and qualifier of a key; return the place behind them in the input, or -1.

    family  address of its length and then its bytes, the same for all keys of a block
    """
    stop = key + len_key - _TIME_AND_TYPE
    if common and (before < 0 or common > be32(out, before) - _TIME_AND_TYPE):
        return _BAD
    if common > stop - key:
        return _BAD
    copy(out + before + 8, out + key, common, room - key)
    put = key + common
    if common < 2 or common < be16(out, key) + 2:
        if common < 2:
            missing = 2 - common
            if missing > end - at or key + 2 > stop:
                return _BAD
            copy(base + at, out + put, missing, 0)
            at += missing
            put += missing
        rest = be16(out, key) + 2 - (put - key)
        if rest < 0 or rest > end - at or put + rest + len_family > stop:
            return _BAD
        copy(base + at, out + put, rest, min(end - at, room - put))
        at += rest
        put += rest
        copy(family, out + put, len_family, 0)
        put += len_family
    elif common < be16(out, key) + 2 + len_family and before >= 0:
        return _BAD
    rest = stop - put
    if rest > end - at:
        return _BAD
    copy(base + at, out + put, rest, min(end - at, room - put))
    return at + rest


@njit(cache=True, nogil=True)
def _diff(
    base: int,
    at: int,
    end: int,
    out: int,
    to: int,
    room: int,
    before: int,
    family: int,
    len_family: int,
) -> tuple[int, int]:
    """Decode key and value of one cell of DIFF; return the places behind them, or -1."""
    if at >= end:
        return _BAD, to
    flag = byte(base, at)
    len_key, len_value, common, at = _lengths(
        base, at + 1, end, out, before, flag & 1 != 0, flag & 2 != 0
    )
    if at < 0 or len_key < 12 or not _start(out, to, room, len_key, len_value):
        return _BAD, to
    at = _names(base, at, end, out, room, to + 8, len_key, common, before, family, len_family)
    size = ((flag >> 4) & 7) + 1
    if at < 0 or size > end - at or ((flag & 12) and before < 0):
        return _BAD, to
    time = 0
    for i in range(size):
        part = byte(base, at + i)
        part -= (part >> 7) << 8 if i == 7 else 0  # the byte with the sign
        time |= part << (8 * i)
    at += size
    if flag & 128:
        time = -time
    last = to + 8 + len_key - _TIME_AND_TYPE
    old = before + 8 + be32(out, before) - _TIME_AND_TYPE if before >= 0 else 0
    if flag & 8:
        time = be64(out, old) - time
    put_be64(out, last, time)
    if flag & 4:
        put_byte(out, last + 8, byte(out, old + 8))
    else:
        if at >= end:
            return _BAD, to
        put_byte(out, last + 8, byte(base, at))
        at += 1
    value = last + _TIME_AND_TYPE
    if len_value > end - at:
        return _BAD, to
    copy(base + at, out + value, len_value, min(end - at, room - value))
    return at + len_value, value + len_value


@njit(cache=True, nogil=True)
def _fast_diff(
    base: int,
    at: int,
    end: int,
    out: int,
    to: int,
    room: int,
    before: int,
    family: int,
    len_family: int,
) -> tuple[int, int]:
    """Decode key and value of one cell of FAST_DIFF; return the places behind them, or -1."""
    if at >= end:
        return _BAD, to
    flag = byte(base, at)
    if before < 0 and flag:
        return _BAD, to
    len_key, len_value, common, at = _lengths(
        base, at + 1, end, out, before, flag & 8 != 0, flag & 16 != 0
    )
    if at < 0 or len_key < 12 or not _start(out, to, room, len_key, len_value):
        return _BAD, to
    last = to + 8 + len_key - _TIME_AND_TYPE
    if before < 0:
        if common or len_key + len_value > end - at:
            return _BAD, to
        copy(base + at, out + to + 8, len_key + len_value, 0)
        return at + len_key + len_value, last + _TIME_AND_TYPE + len_value
    at = _names(base, at, end, out, room, to + 8, len_key, common, before, family, len_family)
    shared = flag & 7
    if at < 0 or 8 - shared > end - at:
        return _BAD, to
    old = before + 8 + be32(out, before) - _TIME_AND_TYPE
    put_be64(out, last, be64(out, old))
    for i in range(8 - shared):
        put_byte(out, last + shared + i, byte(base, at + i))
    at += 8 - shared
    if flag & 32:
        put_byte(out, last + 8, byte(out, old + 8))
    else:
        if at >= end:
            return _BAD, to
        put_byte(out, last + 8, byte(base, at))
        at += 1
    value = last + _TIME_AND_TYPE
    if flag & 64:
        if len_value != be32(out, before + 4):
            return _BAD, to
        copy(out + old + _TIME_AND_TYPE, out + value, len_value, room - value)
        return at, value + len_value
    if len_value > end - at:
        return _BAD, to
    copy(base + at, out + value, len_value, min(end - at, room - value))
    return at + len_value, value + len_value


@njit(cache=True, nogil=True)
def _block(
    base: int,
    at: int,
    end: int,
    encoding: int,
    has_tags: bool,
    is_compressed: bool,
    has_mvcc: bool,
    out: int,
    room: int,
    places: np.ndarray,
    links: np.ndarray,
    state: np.ndarray,
) -> int:
    """Put the cells at *at* to *end* into *out*, plain; return their bytes, or -1."""
    state[0], state[1], state[2] = 0, -1, -1
    family, len_family = out, 0
    if encoding == DIFF:
        if at >= end:
            return 0
        family, len_family = base + at, 1 + byte(base, at)
        if len_family > end - at:
            return _BAD
        at += len_family
    to, before = 0, -1
    while at < end:
        begin = to
        if encoding == PREFIX:
            at, to = _prefix(base, at, end, out, to, room, before)
        elif encoding == DIFF:
            at, to = _diff(base, at, end, out, to, room, before, family, len_family)
        else:
            at, to = _fast_diff(base, at, end, out, to, room, before, family, len_family)
        if at < 0:
            return _BAD
        if encoding == FAST_DIFF and before < 0:
            row = begin + 8
            place = row + 2 + be16(out, row)
            if place + 1 > to or place + 1 + byte(out, place) > row + be32(out, begin):
                return _BAD
            family, len_family = out + place, 1 + byte(out, place)
        before = begin
        if has_tags:
            size, at = varint(base, at, end)
            if at < 0 or size > 65535 or to + 2 + size > room:
                return _BAD
            put_be16(out, to, size)
            to += 2
            if is_compressed:
                at = expand(base, at, end, out, to, size, places, links, state)
                if at < 0:
                    return _BAD
            else:
                if size > end - at:
                    return _BAD
                copy(base + at, out + to, size, min(end - at, room - to))
                at += size
            to += size
        if has_mvcc:
            _, after = vlong_at(base, at, end)
            if after == 0 or to + after - at > room:
                return _BAD
            copy(base + at, out + to, after - at, min(end - at, room - to))
            to += after - at
            at = after
    return to


@njit(cache=True, nogil=True)
def decode(
    data: NDArray[np.uint8],
    ranges: NDArray[np.int64],
    encoding: int,
    has_tags: bool,
    is_compressed: bool,
    has_mvcc: bool,
    out: NDArray[np.uint8],
    bounds: NDArray[np.int64],
) -> tuple[int, int]:
    """Put the cells of each of *ranges* between its *bounds* of *out*, plain.

    ranges         behind the encoding and the size of each block
    is_compressed  tags are in the dictionary form
    returns        the first block whose cells are not just as many bytes, and how many they are, -1
                   where they fit no cell; -1 and 0 if there is none
    """
    places, links = np.zeros((KEPT, 2), np.int64), np.full((KEPT, 2), -1, np.int64)
    state = np.zeros(3, np.int64)
    for block in range(len(ranges)):
        start, room = bounds[block, 0], bounds[block, 1] - bounds[block, 0]
        written = _block(
            data.ctypes.data, ranges[block, 0], ranges[block, 1],
            encoding, has_tags, is_compressed, has_mvcc,
            out.ctypes.data + start, room, places, links, state,
        )  # fmt: skip
        if written != room:
            return block, written
    return -1, 0
