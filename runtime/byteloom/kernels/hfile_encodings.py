"""Encoded cells of an HFile back to plain ones: PREFIX, DIFF and FAST_DIFF.

- Each cell is told by what it shares with the one before, which is found in the output.  So every
  read of the input and every read and write of the output is compared with its bounds first.
- The result is the size that was written, or less than 0 for bytes that fit no cell.
- A cell comes out as in a plain block: lengths, key, value, tags behind two bytes of length, the
  sequence number as it stands.
- Compressed tags are a dictionary for each block, of the 127 used last: 0xff is followed by a tag
  to keep, anything else is the first byte of its number.

Source: HBase's encoders have no document; what they write was measured (see specs/hfile/SOURCE.md)
"""

from __future__ import annotations

import numpy as np
from numba import njit

from byteloom.kernels.hfile_cells import s32, u16, vlong, word

__all__ = ["DIFF", "FAST_DIFF", "PREFIX", "decode"]

PREFIX, DIFF, FAST_DIFF = 2, 3, 4

_BAD = -1
_KEPT = 127
_TIME_AND_TYPE = 9


@njit(cache=True, nogil=True)
def _varint(data: np.ndarray, at: int, end: int) -> tuple[int, int]:
    """Return an integer of seven bits a byte, and one past its end; -1 past it if it is none."""
    value = word(0)
    for shift in range(0, 35, 7):
        if at >= end:
            return 0, -1
        byte = word(data[at])
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return (value, at) if value < 1 << 31 else (0, -1)
    return 0, -1


@njit(cache=True, nogil=True)
def _copy(source: np.ndarray, at: int, out: np.ndarray, to: int, size: int) -> None:
    for i in range(size):
        out[to + i] = source[at + i]


@njit(cache=True, nogil=True)
def _put_s32(out: np.ndarray, at: int, value: int) -> None:
    out[at] = (value >> 24) & 255
    out[at + 1] = (value >> 16) & 255
    out[at + 2] = (value >> 8) & 255
    out[at + 3] = value & 255


@njit(cache=True, nogil=True)
def _put_s64(out: np.ndarray, at: int, value: int) -> None:
    for i in range(8):
        out[at + i] = (value >> (56 - 8 * i)) & 255


@njit(cache=True, nogil=True)
def _get_s64(out: np.ndarray, at: int) -> int:
    value = word(0)
    for i in range(8):
        value = (value << 8) | word(out[at + i])
    return value


@njit(cache=True, nogil=True)
def _start(out: np.ndarray, to: int, len_key: int, len_value: int) -> bool:
    """Put the two lengths of a cell, if all of it has room."""
    if len_key < 2 or len_key > len(out) - to - 8 or len_value > len(out) - to - 8 - len_key:
        return False
    _put_s32(out, to, len_key)
    _put_s32(out, to + 4, len_value)
    return True


@njit(cache=True, nogil=True)
def _prefix(
    data: np.ndarray, at: int, end: int, out: np.ndarray, to: int, before: int
) -> tuple[int, int]:
    """Decode key and value of one cell; return the places behind them, or -1."""
    rest, at = _varint(data, at, end)
    if at < 0:
        return _BAD, to
    len_value, at = _varint(data, at, end)
    if at < 0:
        return _BAD, to
    common, at = _varint(data, at, end)
    if at < 0 or rest + len_value > end - at:
        return _BAD, to
    if common and (before < 0 or common > s32(out, before)):
        return _BAD, to
    if not _start(out, to, common + rest, len_value):
        return _BAD, to
    key = to + 8
    _copy(out, before + 8, out, key, common)
    _copy(data, at, out, key + common, rest + len_value)
    return at + rest + len_value, key + common + rest + len_value


@njit(cache=True, nogil=True)
def _lengths(
    data: np.ndarray,
    at: int,
    end: int,
    out: np.ndarray,
    before: int,
    same_key: bool,
    same_value: bool,
) -> tuple[int, int, int, int]:
    """Return a cell's length of key, of value, and of what it shares; and the place behind."""
    len_key = len_value = word(0)
    if (same_key or same_value) and before < 0:
        return 0, 0, 0, _BAD
    if same_key:
        len_key = s32(out, before)
    else:
        len_key, at = _varint(data, at, end)
    if at >= 0:
        if same_value:
            len_value = s32(out, before + 4)
        else:
            len_value, at = _varint(data, at, end)
    common = word(0)
    if at >= 0:
        common, at = _varint(data, at, end)
    return len_key, len_value, common, at


@njit(cache=True, nogil=True)
def _names(
    data: np.ndarray,
    at: int,
    end: int,
    out: np.ndarray,
    key: int,
    len_key: int,
    common: int,
    before: int,
    family: np.ndarray,
) -> int:
    """Put row, family and qualifier of a key; return the place behind them in *data*, or -1.

    family  its length and then its bytes, the same for all keys of a block
    """
    stop = key + len_key - _TIME_AND_TYPE
    if common and (before < 0 or common > s32(out, before) - _TIME_AND_TYPE):
        return _BAD
    if common > stop - key:
        return _BAD
    if common:
        _copy(out, before + 8, out, key, common)
    put = key + common
    if common < 2 or common < u16(out, key) + 2:
        if common < 2:
            missing = 2 - common
            if missing > end - at or key + 2 > stop:
                return _BAD
            _copy(data, at, out, put, missing)
            at += missing
            put += missing
        rest = u16(out, key) + 2 - (put - key)
        if rest < 0 or rest > end - at or put + rest + len(family) > stop:
            return _BAD
        _copy(data, at, out, put, rest)
        at += rest
        put += rest
        _copy(family, 0, out, put, len(family))
        put += len(family)
    elif common < u16(out, key) + 2 + len(family) and before >= 0:
        return _BAD
    rest = stop - put
    if rest > end - at:
        return _BAD
    _copy(data, at, out, put, rest)
    return at + rest


@njit(cache=True, nogil=True)
def _diff(
    data: np.ndarray, at: int, end: int, out: np.ndarray, to: int, before: int, family: np.ndarray
) -> tuple[int, int]:
    """Decode key and value of one cell of DIFF; return the places behind them, or -1."""
    if at >= end:
        return _BAD, to
    flag = word(data[at])
    len_key, len_value, common, at = _lengths(
        data, at + 1, end, out, before, flag & 1 != 0, flag & 2 != 0
    )
    if at < 0 or len_key < 12 or not _start(out, to, len_key, len_value):
        return _BAD, to
    at = _names(data, at, end, out, to + 8, len_key, common, before, family)
    size = ((flag >> 4) & 7) + 1
    if at < 0 or size > end - at:
        return _BAD, to
    time = word(0)
    for i in range(size):
        time |= word(data[at + i]) << (8 * i)
    at += size
    if flag & 128:
        time = -time
    last = to + 8 + len_key - _TIME_AND_TYPE
    if (flag & 12) and before < 0:
        return _BAD, to
    old = before + 8 + s32(out, before) - _TIME_AND_TYPE if before >= 0 else 0
    if flag & 8:
        time = _get_s64(out, old) - time
    _put_s64(out, last, time)
    if flag & 4:
        out[last + 8] = out[old + 8]
    else:
        if at >= end:
            return _BAD, to
        out[last + 8] = data[at]
        at += 1
    if len_value > end - at:
        return _BAD, to
    _copy(data, at, out, last + _TIME_AND_TYPE, len_value)
    return at + len_value, last + _TIME_AND_TYPE + len_value


@njit(cache=True, nogil=True)
def _fast_diff(
    data: np.ndarray, at: int, end: int, out: np.ndarray, to: int, before: int, family: np.ndarray
) -> tuple[int, int]:
    """Decode key and value of one cell of FAST_DIFF; return the places behind them, or -1."""
    if at >= end:
        return _BAD, to
    flag = word(data[at])
    if before < 0 and flag:
        return _BAD, to
    len_key, len_value, common, at = _lengths(
        data, at + 1, end, out, before, flag & 8 != 0, flag & 16 != 0
    )
    if at < 0 or len_key < 12 or not _start(out, to, len_key, len_value):
        return _BAD, to
    last = to + 8 + len_key - _TIME_AND_TYPE
    if before < 0:
        if common or len_key + len_value > end - at:
            return _BAD, to
        _copy(data, at, out, to + 8, len_key + len_value)
        return at + len_key + len_value, last + _TIME_AND_TYPE + len_value
    at = _names(data, at, end, out, to + 8, len_key, common, before, family)
    shared = flag & 7
    if at < 0 or 8 - shared > end - at:
        return _BAD, to
    old = before + 8 + s32(out, before) - _TIME_AND_TYPE
    _copy(out, old, out, last, shared)
    _copy(data, at, out, last + shared, 8 - shared)
    at += 8 - shared
    if flag & 32:
        out[last + 8] = out[old + 8]
    else:
        if at >= end:
            return _BAD, to
        out[last + 8] = data[at]
        at += 1
    value = last + _TIME_AND_TYPE
    if flag & 64:
        if len_value != s32(out, before + 4):
            return _BAD, to
        _copy(out, old + _TIME_AND_TYPE, out, value, len_value)
        return at, value + len_value
    if len_value > end - at:
        return _BAD, to
    _copy(data, at, out, value, len_value)
    return at + len_value, value + len_value


@njit(cache=True, nogil=True)
def _touch(links: np.ndarray, state: np.ndarray, slot: int) -> None:
    """Make *slot* the one used last; links are [towards the oldest, towards the newest]."""
    if state[1] == slot:
        return
    older, newer = links[slot, 0], links[slot, 1]
    if newer >= 0:
        links[newer, 0] = older
    if older >= 0:
        links[older, 1] = newer
    if state[2] == slot:
        state[2] = newer
    links[slot, 0], links[slot, 1] = state[1], -1
    if state[1] >= 0:
        links[state[1], 1] = slot
    state[1] = slot
    if state[2] < 0:
        state[2] = slot


@njit(cache=True, nogil=True)
def _keep(links: np.ndarray, state: np.ndarray) -> int:
    """Return the slot for a new tag: a free one, or that of the tag not used for longest."""
    if state[0] < _KEPT:
        slot = state[0]
        state[0] += 1
        links[slot, 0], links[slot, 1] = -1, -1
    else:
        slot = state[2]
    _touch(links, state, slot)
    return slot


@njit(cache=True, nogil=True)
def _expand(
    data: np.ndarray,
    at: int,
    end: int,
    out: np.ndarray,
    to: int,
    size: int,
    places: np.ndarray,
    links: np.ndarray,
    state: np.ndarray,
) -> int:
    """Put *size* bytes of tags from their dictionary form; return the place behind it, or -1."""
    stop = to + size
    while to < stop:
        if at >= end:
            return _BAD
        status = word(data[at])
        at += 1
        if status == 255:
            length, at = _varint(data, at, end)
            if at < 0 or length > end - at or to + 2 + length > stop:
                return _BAD
            _copy(data, at, out, to + 2, length)
            at += length
            slot = _keep(links, state)
            places[slot, 0], places[slot, 1] = to + 2, length
        else:
            if at >= end:
                return _BAD
            slot = (status << 8) | word(data[at])
            at += 1
            if slot >= state[0]:
                return _BAD
            length = places[slot, 1]
            if to + 2 + length > stop:
                return _BAD
            _copy(out, places[slot, 0], out, to + 2, length)
            _touch(links, state, slot)
        out[to] = length >> 8
        out[to + 1] = length & 255
        to += 2 + length
    return at


@njit(cache=True, nogil=True)
def decode(
    data: np.ndarray,
    at: int,
    end: int,
    encoding: int,
    has_tags: bool,
    is_compressed: bool,
    has_mvcc: bool,
    out: np.ndarray,
) -> int:
    """Put the cells at *at* to *end* into *out*, plain; return their bytes, or -1.

    at             behind the encoding and the size
    is_compressed  tags are in the dictionary form
    """
    places = np.zeros((_KEPT, 2), np.int64)
    links = np.full((_KEPT, 2), -1, np.int64)
    state = np.array([0, -1, -1])
    family = out[:0]
    if encoding == DIFF:
        if at >= end:
            return 0
        if 1 + word(data[at]) > end - at:
            return _BAD
        family = data[at : at + 1 + word(data[at])].copy()
        at += len(family)
    to = word(0)
    before = word(-1)
    while at < end:
        begin = to
        if encoding == PREFIX:
            at, to = _prefix(data, at, end, out, to, before)
        elif encoding == DIFF:
            at, to = _diff(data, at, end, out, to, before, family)
        else:
            at, to = _fast_diff(data, at, end, out, to, before, family)
        if at < 0:
            return _BAD
        if encoding == FAST_DIFF and before < 0:
            row = begin + 8
            place = row + 2 + u16(out, row)
            if place + 1 > to or place + 1 + word(out[place]) > row + s32(out, begin):
                return _BAD
            family = out[place : place + 1 + word(out[place])]
        before = begin
        if has_tags:
            size, at = _varint(data, at, end)
            if at < 0 or size > 65535 or to + 2 + size > len(out):
                return _BAD
            out[to] = size >> 8
            out[to + 1] = size & 255
            to += 2
            if is_compressed:
                at = _expand(data, at, end, out, to, size, places, links, state)
                if at < 0:
                    return _BAD
            else:
                if size > end - at:
                    return _BAD
                _copy(data, at, out, to, size)
                at += size
            to += size
        if has_mvcc:
            _, after = vlong(data, at, end)
            if after == 0 or to + after - at > len(out):
                return _BAD
            _copy(data, at, out, to, after - at)
            to += after - at
            at = after
    return to
