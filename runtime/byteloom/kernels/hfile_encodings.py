"""Decode encoded cells of an HFile to plain ones: PREFIX, DIFF and FAST_DIFF.

- Each cell is encoded by its differences from the previous one.  Every read of the input, and what
  each cell adds to the output, is checked against the bounds first.
- A cell is decoded as in a plain block: lengths, key, value, tags after two bytes of length, the
  sequence number unchanged.
- The previous cell's key is kept in a separate buffer and changed in place: reading it back from
  the output, where it was just written in parts, would stall the processor.
- *base* is the address of the input, *key* that of the kept key, *out* that of the output.

Source: HBase's encoders have no document; what they write was measured (see specs/hfile/SOURCE.md)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from byteloom.kernels.hfile_cells import KEPT, KEY_LEAST, TIME_AND_TYPE, expand, length_at
from byteloom.native.integers import hadoop_at
from byteloom.native.kernel import kernel
from byteloom.native.loads import (
    be16,
    be64,
    byte,
    copy,
    le64,
    put_be16,
    put_be32,
    put_be64,
    put_byte,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "DIFF",
    "FAST_DIFF",
    "PREFIX",
    "SLACK",
    "decode",
    "difference_of",
    "next_names",
    "time_of",
]

SLACK = 16
"""Extra bytes after the kept key, which copies of whole words may overwrite."""

_BAD = -1


@kernel
def next_names(
    base: int,
    at: int,
    end: int,
    key: int,
    room: int,
    before: int,
    stop: int,
    common: int,
    family: int,
    len_family: int,
) -> int:
    """Change the names in a key to those of the next cell; return the offset after them, or -1.

    room          bytes that the key may take
    before, stop  sizes of row, family and qualifier, with their lengths, in each key; -1 for none
    family        address of the family's length and bytes, the same for all keys of a block
    """
    if common > max(before, 0) or common > stop:
        return _BAD
    put = common
    if put < 2:
        if 2 - put > end - at or stop < 2:
            return _BAD
        for i in range(2 - put):
            put_byte(key, put + i, byte(base, at + i))
        at += 2 - put
        put = 2
    behind = be16(key, 0) + 2
    if common < behind:
        rest = behind - put
        if rest > end - at or behind + len_family > stop:
            return _BAD
        copy(base + at, key + put, rest, min(end - at, room - put))
        at += rest
        copy(family, key + behind, len_family, min(256 + SLACK, room - behind))
        put = behind + len_family
    elif common < behind + len_family:
        return _BAD
    rest = stop - put
    if rest > end - at:
        return _BAD
    copy(base + at, key + put, rest, min(end - at, room - put))
    return at + rest


@kernel
def time_of(base: int, at: int, end: int, shared: int, before: int) -> int:
    """Return a timestamp: its first *shared* bytes are those of *before*, the rest is at *at*."""
    if at + 8 <= end:
        word = be64(base, at) >> (8 * shared)
    else:
        word = 0
        for i in range(8 - shared):
            word = word << 8 | byte(base, at + i)
    half = 4 * (8 - shared)  # in two steps, since a word cannot be shifted by all of its 64 bits
    kept = (-1 << half) << half
    return (before & kept) | (word & ~kept)


@kernel
def difference_of(base: int, at: int, end: int, size: int) -> int:
    """Return the little-endian number of *size* bytes."""
    if at + 8 <= end:
        word = le64(base, at)
    else:
        word = 0
        for i in range(size):
            word |= byte(base, at + i) << (8 * i)
    half = 4 * size
    return word & ~((-1 << half) << half)


PREFIX, DIFF, FAST_DIFF = 2, 3, 4


@kernel
def _tail(
    base: int,
    at: int,
    end: int,
    out: int,
    to: int,
    room: int,
    has_tags: bool,
    is_compressed: bool,
    has_mvcc: bool,
    places: np.ndarray,
    links: np.ndarray,
    state: np.ndarray,
) -> tuple[int, int]:
    """Put tags and sequence number of a cell; return the offsets after them, or -1."""
    if has_tags:
        size, at = length_at(base, at, end)
        if at < 0 or size > 65535 or size > room - to - 2:
            return _BAD, to
        put_be16(out, to, size)
        to += 2
        if is_compressed:
            at = expand(base, at, end, out, to, size, places, links, state)
            if at < 0:
                return _BAD, to
        else:
            if size > end - at:
                return _BAD, to
            copy(base + at, out + to, size, min(end - at, room - to))
            at += size
        to += size
    if has_mvcc:
        _, after = hadoop_at(base, at, end)
        if after < 0 or after - at > room - to:
            return _BAD, to
        copy(base + at, out + to, after - at, min(end - at, room - to))
        to += after - at
        at = after
    return at, to


@kernel
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
    key: int,
    family: int,
    places: np.ndarray,
    links: np.ndarray,
    state: np.ndarray,
) -> int:
    """Decode the cells from *at* to *end* into *out*; return their size, or -1."""
    state[0], state[1], state[2] = 0, -1, -1
    len_family = 0
    if encoding == DIFF:
        if at >= end:
            return 0
        len_family = 1 + byte(base, at)
        if len_family > end - at:
            return _BAD
        copy(base + at, family, len_family, 0)
        at += len_family
    wide = room + SLACK
    len_key, len_value, value_b, time, kind = -1, 0, 0, 0, 0
    to = 0
    while at < end:
        if encoding == PREFIX:
            before = len_key
            rest, at = length_at(base, at, end)
            if at >= 0:
                len_value, at = length_at(base, at, end)
            common = 0
            if at >= 0:
                common, at = length_at(base, at, end)
            len_key = common + rest
            if at < 0 or common > max(before, 0) or len_key < 2 or rest > end - at:
                return _BAD
            if len_key > room - to - 8 or len_value > room - to - 8 - len_key:
                return _BAD
            copy(base + at, key + common, rest, min(end - at, wide - common))
            at += rest
            same_value = False
        else:
            flag = byte(base, at)
            is_first = len_key < 0
            fast = encoding == FAST_DIFF
            flags = flag >> 3 if fast else flag  # lengths of key and value, type: the same
            if is_first and (flag if fast else flags & 15):
                return _BAD
            at += 1
            before = len_key
            if not flags & 1:
                len_key, at = length_at(base, at, end)
            if at >= 0 and not flags & 2:
                len_value, at = length_at(base, at, end)
            common = 0
            if at >= 0:
                common, at = length_at(base, at, end)
            if at < 0 or len_key < KEY_LEAST:
                return _BAD
            if len_key > room - to - 8 or len_value > room - to - 8 - len_key:
                return _BAD
            stop = len_key - TIME_AND_TYPE
            if fast and is_first:
                if common or len_key > end - at:
                    return _BAD
                copy(base + at, key, len_key, min(end - at, wide))
                at += len_key
                place = 2 + be16(key, 0)
                if place >= stop or place + 1 + byte(key, place) > stop:
                    return _BAD
                len_family = 1 + byte(key, place)
                copy(key + place, family, len_family, 0)
                time, kind = be64(key, stop), byte(key, stop + 8)
            else:
                at = next_names(
                    base, at, end, key, wide, before - TIME_AND_TYPE, stop, common,
                    family, len_family,
                )  # fmt: skip
                size = 8 - (flag & 7) if fast else ((flag >> 4) & 7) + 1
                if at < 0 or size > end - at:
                    return _BAD
                if fast:
                    time = time_of(base, at, end, 8 - size, time)
                else:
                    step = difference_of(base, at, end, size)
                    if flag & 128:
                        step = -step
                    time = time - step if flag & 8 else step
                at += size
                if not flags & 4:
                    if at >= end:
                        return _BAD
                    kind = byte(base, at)
                    at += 1
            same_value = fast and flag & 64 != 0
            if same_value and not flags & 2:
                return _BAD
        put_be32(out, to, len_key)
        put_be32(out, to + 4, len_value)
        to += 8
        copy(key, out + to, len_key, room - to)
        if encoding != PREFIX:
            put_be64(out, to + len_key - TIME_AND_TYPE, time)
            put_byte(out, to + len_key - 1, kind)
        to += len_key
        if same_value:
            copy(out + value_b, out + to, len_value, room - to)
        else:
            if len_value > end - at:
                return _BAD
            copy(base + at, out + to, len_value, min(end - at, room - to))
            at += len_value
        value_b = to
        to += len_value
        if has_tags or has_mvcc:
            at, to = _tail(
                base, at, end, out, to, room,
                has_tags, is_compressed, has_mvcc, places, links, state,
            )  # fmt: skip
            if at < 0:
                return _BAD
    return to


@kernel(work=lambda *args: len(args[6]))
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
    """Decode the cells of each of *ranges* to the part of *out* between its *bounds*.

    ranges         the bytes of each block, after its encoding and its size
    is_compressed  tags are in the dictionary form
    returns        the first block whose cells have a wrong size, and that size, -1 for
                   invalid cells; -1 and 0 if there is no such block
    """
    places, links = np.zeros((KEPT, 2), np.int64), np.full((KEPT, 2), -1, np.int64)
    state = np.zeros(3, np.int64)
    longest = 0
    for block in range(len(bounds)):
        longest = max(longest, int(bounds[block, 1] - bounds[block, 0]))
    key = np.empty(longest + 2 * SLACK, np.uint8)
    family = np.empty(256 + 2 * SLACK, np.uint8)
    for block in range(len(ranges)):
        start, room = int(bounds[block, 0]), int(bounds[block, 1] - bounds[block, 0])
        written = _block(
            data.ctypes.data, int(ranges[block, 0]), int(ranges[block, 1]),
            encoding, has_tags, is_compressed, has_mvcc,
            out.ctypes.data + start, room, key.ctypes.data, family.ctypes.data,
            places, links, state,
        )  # fmt: skip
        if written != room:
            return block, written
    return -1, 0
