"""Single values of Avro's binary form, for the loops over records and over the items of lists.

- A value is read from *base*, the address of the bytes, at a place before *end*; what is returned
  is the value and the place behind it.  A place below 0 is minus a code of `WRONG`.
- Addresses are handed on, and not arrays: numba counts the references of these at every call.

Source: https://avro.apache.org/docs/1.12.0/specification/#binary-encoding
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from byteloom.wire.kernel import kernel
from byteloom.wire.loads import byte, le64

__all__ = [
    "BRANCH",
    "COUNT",
    "END",
    "INT",
    "LENGTH",
    "NEITHER",
    "NUMBER",
    "WRONG",
    "block_at",
    "bytes_at",
    "long_at",
    "pass_long",
    "wide_at",
]

word: Any = np.int64

WRONG: Final = (
    "",
    "a whole number of at most 10 bytes inside the value",
    "a number of 32 bits",
    "0 or 1",
    "a length of bytes that are inside the value",
    "a number of a branch or symbol that the schema has",
    "a count of items that are inside the value",
    "the end of the value",
)
"""For each code, what was wanted."""

NUMBER, INT, NEITHER, LENGTH, BRANCH, COUNT, END = range(1, 8)

_LONGEST: Final = 10
"""Bytes of a number."""
_LAST: Final = 63
"""How far the bits of the tenth are shifted."""
_POSITIVE: Final = (1 << 63) - 1
_HIGH: Final = -0x7F7F_7F7F_7F7F_7F80
"""The highest bit of each of eight bytes, which says that the number goes on."""


@kernel(forceinline=True)
def long_at(base: int, at: int, end: int) -> tuple[int, int]:
    """Return a zigzag number and the place behind it."""
    if at >= end:
        return 0, -NUMBER
    value = byte(base, at)
    if value < 0x80:
        return (value >> 1) ^ -(value & 1), at + 1
    if at + 1 < end:
        held = byte(base, at + 1)
        value = (value & 0x7F) | held << 7
        if held < 0x80:
            return (value >> 1) ^ -(value & 1), at + 2
        if at + 2 < end:
            held = byte(base, at + 2)
            value = (value & 0x3FFF) | held << 14
            if held < 0x80:
                return (value >> 1) ^ -(value & 1), at + 3
    return _long_at(base, at, end)


@kernel
def _long_at(base: int, at: int, end: int) -> tuple[int, int]:
    """Return a number of several bytes, one of them at a time."""
    value = shift = 0
    while at < end:
        held = byte(base, at)
        at += 1
        if shift == _LAST and held > 1:
            return 0, -NUMBER
        value |= (held & 0x7F) << shift
        if held < 0x80:
            half = word(np.uint64(value) >> np.uint64(1))
            return half ^ -(value & 1), at
        shift += 7
    return 0, -NUMBER


@kernel
def wide_at(base: int, at: int, end: int) -> tuple[int, int]:
    """Return what `long_at` does, sooner where numbers have many bytes: eight at a time."""
    if at + _LONGEST > end:
        return long_at(base, at, end)
    eight = le64(base, at)
    last = ~eight & _HIGH
    last &= -last
    kept = (last - 1) & ~_HIGH if last else ~_HIGH
    bits = eight & kept
    bits = (bits & 0x007F_007F_007F_007F) | (bits & 0x7F00_7F00_7F00_7F00) >> 1
    bits = (bits & 0x0000_3FFF_0000_3FFF) | (bits & 0x3FFF_0000_3FFF_0000) >> 2
    bits = (bits & 0x0000_0000_0FFF_FFFF) | (bits & 0x0FFF_FFFF_0000_0000) >> 4
    at += 8
    if last:
        before = ((last - 1) >> 7) & 0x0001_0101_0101_0101
        at += ((before * 0x0101_0101_0101_0101 >> 56) & 0xFF) - 7
    else:
        part = byte(base, at)
        bits |= (part & 0x7F) << 56
        at += 1
        if part >= 0x80:
            part = byte(base, at)
            bits |= part << 63
            at = at + 1 if part < 2 else -NUMBER
    return ((bits >> 1) & _POSITIVE) ^ -(bits & 1), at


@kernel
def pass_long(base: int, at: int, end: int) -> int:
    """Return the place behind a number."""
    most = min(end, at + _LONGEST)
    while at < most:
        at += 1
        if byte(base, at - 1) < 0x80:
            return at
    return -NUMBER


@kernel(forceinline=True)
def bytes_at(base: int, at: int, end: int) -> tuple[int, int]:
    """Return the length of bytes, and the place of the first one."""
    size, start = long_at(base, at, end)
    if start < 0:
        return 0, start
    if size < 0 or size > end - start:
        return 0, -LENGTH
    return size, start


@kernel
def block_at(base: int, at: int, end: int) -> tuple[int, int]:
    """Return the number of items in the next block of a list, each a byte or more."""
    count, at = long_at(base, at, end)
    if at >= 0 and count < 0:
        size, at = long_at(base, at, end)
        count = -count
        if at >= 0 and (size < 0 or size > end - at):
            return 0, -COUNT
    if at >= 0 and (count < 0 or count > end - at):
        return 0, -COUNT
    return count, at
