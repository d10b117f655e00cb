"""Single values of Avro's binary form, for the loops over records.

- A value is read from *base*, the address of the content, at a place before *end*; what is given
  back is the value and the place behind it.  A place below 0 is minus a code of `WRONG`.
- Addresses are handed on, and not arrays: numba counts the references of these at every call.

Source: Apache Avro specification, "Binary Encoding".
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from byteloom.wire.kernel import kernel
from byteloom.wire.loads import byte

__all__ = [
    "BRANCH",
    "BYTES",
    "CUT",
    "DEEP",
    "LEFT",
    "LENGTH",
    "LONG",
    "NEITHER",
    "SYNC",
    "WIDE",
    "WRONG",
    "block_at",
    "bytes_at",
    "long_at",
    "pass_empty",
    "pass_items",
]

word: Any = np.int64

WRONG: Final = (
    ("", ""),
    ("a number that ends outside of its block", "a whole number"),
    ("a number of more than 10 bytes", "at most 64 bits"),
    ("bytes that end outside of their block", "bytes inside their block"),
    ("a branch that the union does not have", "a branch of the union"),
    ("fewer records than bytes", "a block that its records fill"),
    ("a number of more than 32 bits", "an int"),
    ("another sync marker", "the file's sync marker"),
    ("blocks inside blocks, too deep", "a schema of fewer levels"),
    ("another byte", "0 or 1"),
    ("bytes of another length", "as many as the fixed type has"),
)
"""For each code what was found and what was wanted."""

CUT, LONG, BYTES, BRANCH, LEFT, WIDE, SYNC, DEEP, NEITHER, LENGTH = range(1, 11)

_LAST: Final = 63
"""How far the tenth byte of a number is shifted."""


@kernel
def long_at(base: int, at: int, end: int) -> tuple[int, int]:
    """A zigzag integer."""
    if at >= end:
        return 0, -CUT
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
    """A zigzag integer of several bytes."""
    value = shift = 0
    while at < end:
        held = byte(base, at)
        at += 1
        if shift == _LAST and held > 1:
            return 0, -LONG
        value |= (held & 0x7F) << shift
        if held < 0x80:
            half = word(np.uint64(value) >> np.uint64(1))
            return half ^ -(value & 1), at
        shift += 7
    return 0, -CUT


@kernel
def bytes_at(base: int, at: int, end: int) -> tuple[int, int]:
    """The size of bytes, and the place of the first one."""
    size, start = long_at(base, at, end)
    if start < 0:
        return 0, start
    if size < 0 or size > end - start:
        return 0, -BYTES
    return size, start


@kernel
def _count(base: int, at: int, end: int) -> tuple[int, int]:
    """The number of items in the next block of an array, past its size where it tells one."""
    count, after = long_at(base, at, end)
    if after < 0 or count >= 0:
        return count, after
    _, after = long_at(base, after, end)
    return -count, after


@kernel
def block_at(base: int, at: int, end: int) -> tuple[int, int]:
    """The number of items in the next block of an array, each a byte or more."""
    count, at = _count(base, at, end)
    if at >= 0 and not 0 <= count <= end - at:
        return 0, -BYTES
    return count, at


@kernel
def pass_empty(base: int, at: int, end: int) -> int:
    """The place behind an array whose items take no bytes."""
    while True:
        count, at = _count(base, at, end)
        if at < 0 or count == 0:
            return at


@kernel
def _pass_long(base: int, at: int, end: int) -> int:
    """The place behind a number."""
    most = min(end, at + 10)
    while at < most:
        at += 1
        if byte(base, at - 1) < 0x80:
            return at
    return -CUT if at == end else -LONG


@kernel
def pass_items(base: int, at: int, end: int, longs: int, runs: int) -> int:
    """The place behind an array whose items are some numbers and then some runs of bytes."""
    while True:
        count, at = block_at(base, at, end)
        if at < 0 or count == 0:
            return at
        for _ in range(count):
            for _ in range(longs):
                at = _pass_long(base, at, end)
                if at < 0:
                    return at
            for _ in range(runs):
                size, at = bytes_at(base, at, end)
                if at < 0:
                    return at
                at += size
