"""Decode the names and times of delta-coded cells, which depend on the cell before.

*base* is the address of the input; every read is checked against *end* first.

Source: HBase's encoders have no document; what they write was measured (see specs/hfile/SOURCE.md)
"""

from __future__ import annotations

from byteloom.native.kernel import kernel
from byteloom.native.loads import be16, be64, byte, copy, le64, put_byte

__all__ = ["SLACK", "difference_of", "next_names", "time_of"]

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
