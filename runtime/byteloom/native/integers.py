"""Integers of variable length at an address, for kernels, in the same forms as in records.

    uleb128  below 2^64, seven bits a byte, lowest first; the eighth bit: another follows.  A word
             of 64 bits is signed here, so that from 2^63 on it comes out as negative
    zigzag   the same, of integers whose sign is the lowest bit
    hadoop   from -2^63 to 2^63 - 1: one byte from -112 up, else a count and its bytes

No byte at or after *end* is read.  A function that reads returns the integer and
the offset after it, which is `NOWHERE` if there is no complete integer of 64 bits.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from byteloom.native.kernel import kernel
from byteloom.native.loads import byte, le64, put_byte

__all__ = [
    "NOWHERE",
    "hadoop_at",
    "long_uleb128_at",
    "pass_uleb128",
    "put_hadoop",
    "put_uleb128",
    "signed",
    "uleb128_at",
    "wide_zigzag_at",
    "zigzag_at",
]

word: Any = np.int64

NOWHERE: Final = -1

_LONGEST: Final = 10
"""Bytes of an integer of 64 bits."""
_LAST: Final = 63
"""The shift of the bits of the tenth byte."""
_POSITIVE: Final = (1 << 63) - 1
_HIGH: Final = -0x7F7F_7F7F_7F7F_7F80
"""The highest bits of eight bytes, each of which says that another byte follows."""


@kernel(forceinline=True)
def signed(value: int) -> int:
    """Return the integer whose zigzag form is *value*, a word of 64 bits."""
    return ((value >> 1) & _POSITIVE) ^ -(value & 1)


@kernel(forceinline=True)
def uleb128_at(base: int, at: int, end: int) -> tuple[int, int]:
    """Return an unsigned integer, and the offset after it."""
    if at < end:
        value = byte(base, at)
        if value < 0x80:
            return value, at + 1
    return long_uleb128_at(base, at, end)


@kernel
def long_uleb128_at(base: int, at: int, end: int) -> tuple[int, int]:
    """Do what `uleb128_at` does, without its shortcut for one byte."""
    value = shift = 0
    while at < end:
        held = byte(base, at)
        at += 1
        if shift == _LAST:
            if held > 1:
                break
            return value - (held << 62) - (held << 62), at
        value |= (held & 0x7F) << shift
        if held < 0x80:
            return value, at
        shift += 7
    return 0, NOWHERE


@kernel(forceinline=True)
def zigzag_at(base: int, at: int, end: int) -> tuple[int, int]:
    """Return a signed integer, and the offset after it."""
    if at >= end:
        return 0, NOWHERE
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
    return _zigzag_at(base, at, end)


@kernel
def _zigzag_at(base: int, at: int, end: int) -> tuple[int, int]:
    """Return a signed integer of any length."""
    value, at = long_uleb128_at(base, at, end)
    return signed(value), at


@kernel
def wide_zigzag_at(base: int, at: int, end: int) -> tuple[int, int]:
    """Do what `zigzag_at` does, eight bytes at a time: faster for long integers."""
    if at + _LONGEST > end:
        return zigzag_at(base, at, end)
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
            at = at + 1 if part < 2 else NOWHERE
    return signed(bits), at


@kernel
def pass_uleb128(base: int, at: int, end: int) -> int:
    """Return the offset after an integer of at most ten bytes, signed or not."""
    most = min(end, at + _LONGEST)
    while at < most:
        at += 1
        if byte(base, at - 1) < 0x80:
            return at
    return NOWHERE


@kernel(forceinline=True)
def hadoop_at(base: int, at: int, end: int) -> tuple[int, int]:
    """Return Hadoop's integer, and the offset after it."""
    if at >= end:
        return 0, NOWHERE
    value = (byte(base, at) ^ 0x80) - 0x80
    at += 1
    if value < -112:
        size = -112 - value if value >= -120 else -120 - value
        if size > end - at:
            return 0, NOWHERE
        if size == 8 and byte(base, at) > 127:
            return 0, NOWHERE
        sign = 0 if value >= -120 else -1
        value = 0
        for _ in range(size):
            value = value << 8 | byte(base, at)
            at += 1
        value ^= sign
    return value, at


@kernel
def put_uleb128(base: int, at: int, value: int) -> int:
    """Put an integer from 0 to 2^63 - 1, in up to nine bytes; return the offset after it."""
    while value > 0x7F:
        put_byte(base, at, (value & 0x7F) | 0x80)
        value >>= 7
        at += 1
    put_byte(base, at, value)
    return at + 1


@kernel
def put_hadoop(base: int, at: int, value: int) -> int:
    """Put Hadoop's integer, in up to nine bytes; return the offset after it."""
    if -112 <= value <= 127:
        put_byte(base, at, value)
        return at + 1
    digits, first = (value, -112) if value >= 0 else (~value, -120)
    size = 1
    while size < 8 and digits >> (8 * size):
        size += 1
    put_byte(base, at, first - size)
    for i in range(size):
        put_byte(base, at + 1 + i, digits >> (8 * (size - 1 - i)))
    return at + 1 + size
