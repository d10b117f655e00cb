"""Iceberg's partition transforms of whole columns: dates, truncation, and hashes for buckets.

- Timestamps become whole units since 1970, even negative ones: days, hours, months.  Divisors are
  constants, which compilers turn into multiplications, eight times as fast.
- Integers and decimals are rounded down to multiples of a width that is known only at run time.
- The hash is the 32-bit Murmur3 (x86 variant, seed 0) of longs as 8 bytes, little-endian, of runs
  of bytes, and of decimals as their shortest big-endian bytes.
- Decimals have 128 bits in Arrow's buffers:

      words   uint64[row, 2]: the low and the high half of the unscaled value, two's complement

Source: Iceberg table spec, "Partition Transforms" and "Appendix B: 32-bit Hash Requirements"; the
Gregorian cycle of 400 years, 146,097 days.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from byteloom.native.kernel import kernel
from byteloom.native.loads import le64_unsigned

__all__ = [
    "buckets",
    "days_of_micros",
    "days_of_nanos",
    "finished",
    "hash_decimals",
    "hash_runs",
    "hash_words",
    "hours_of_micros",
    "hours_of_nanos",
    "mixed",
    "months_of_days",
    "round_down",
    "taken",
    "truncate_decimals",
]

_i64: Any = np.int64
_u64: Any = np.uint64
_HALF = 1 << 31
_LOW_WORD = (1 << 32) - 1
_CYCLES = 15_000
_FIRST = _CYCLES * 146_097 + 719_468
"""Days from 1 March of the year 400 * -15,000 to 1 January 1970."""
_FIRST_MONTH = (_CYCLES * 400 + 1970) * 12 - 2
"""Months from 1 March of that year to January 1970."""


@kernel
def days_of_micros(values: np.ndarray, made: np.ndarray) -> None:
    """Put the day of each moment (int64) into *made* (int32)."""
    for i in range(len(values)):
        made[i] = values[i] // _i64(86_400_000_000)


@kernel
def days_of_nanos(values: np.ndarray, made: np.ndarray) -> None:
    """Put the day of each moment (int64) into *made* (int32)."""
    for i in range(len(values)):
        made[i] = values[i] // _i64(86_400_000_000_000)


@kernel
def hours_of_micros(values: np.ndarray, made: np.ndarray) -> None:
    """Put the hour of each moment (int64) into *made* (int32); it may wrap around, as in Java."""
    for i in range(len(values)):
        hour = values[i] // _i64(3_600_000_000)
        made[i] = ((hour + _HALF) & _LOW_WORD) - _HALF


@kernel
def hours_of_nanos(values: np.ndarray, made: np.ndarray) -> None:
    """Put the hour of each moment (int64) into *made* (int32)."""
    for i in range(len(values)):
        made[i] = values[i] // _i64(3_600_000_000_000)


@kernel
def months_of_days(days: np.ndarray, made: np.ndarray) -> None:
    """Put the month of each day (int32), from January 1970, into *made* (int32).

    Years start in March here, so that a leap day is the last day.  Days are counted from a year
    before all that fit 32 bits, so that only unsigned numbers are divided.
    """
    for i in range(len(days)):
        day = _u64(_i64(days[i]) + _FIRST)
        cycle = day // _u64(146_097)
        day -= cycle * _u64(146_097)
        leaps = day // _u64(1_460) - day // _u64(36_524) + day // _u64(146_096)
        year = (day - leaps) // _u64(365)
        day -= year * _u64(365) + year // _u64(4) - year // _u64(100)
        month = (day * _u64(5) + _u64(2)) // _u64(153)  # 0 is March
        made[i] = _i64((cycle * _u64(400) + year) * _u64(12) + month) - _FIRST_MONTH


_INT = 4
_LEAST_INT = -(1 << 31)
_MOST = float((1 << 63) - (1 << 10))
"""The largest double that fits 64 bits; the conversion of larger ones is undefined."""


@kernel
def round_down(values: np.ndarray, width: int, made: np.ndarray) -> None:
    """Put each value, rounded down to a multiple of *width* (1 to 2^31 - 1), into *made*.

    values, made  int32 or int64; results below the range wrap around, as in Java

    A processor divides 64 bits in 30 cycles and multiplies doubles in one: the first quotient is
    off by up to 2^11, and the second by one at most.
    """
    divisor, inverse = _i64(width), 1.0 / width
    for i in range(len(values)):
        value = _i64(values[i])
        rest = value - _i64(min(float(value) * inverse, _MOST)) * divisor
        rest -= _i64(float(rest) * inverse) * divisor
        rest += divisor if rest < 0 else _i64(0)
        rest -= divisor if rest >= divisor else _i64(0)
        rounded = value - rest
        if made.itemsize == _INT and rounded < _LEAST_INT:
            rounded += 1 << 32
        made[i] = rounded


_u32: Any = np.uint32
_C1, _C2 = np.uint32(0xCC9E2D51), np.uint32(0x1B873593)
_ADD = np.uint32(0xE6546B64)
_F1, _F2 = np.uint32(0x85EBCA6B), np.uint32(0xC2B2AE35)


@kernel
def _rotated(value: Any, bits: int) -> Any:
    """Return *value* rotated left."""
    return _u32((value << _u32(bits)) | (value >> _u32(32 - bits)))


@kernel
def mixed(block: Any) -> Any:
    """Mix a block of four bytes, before it is combined with the hash."""
    return _u32(_rotated(_u32(block * _C1), 15) * _C2)


@kernel
def taken(found: Any, block: Any) -> Any:
    """Return the hash after another block."""
    return _u32(_rotated(found ^ mixed(block), 13) * _u32(5) + _ADD)


@kernel
def finished(found: Any, size: Any) -> Any:
    """Return the final hash of *size* bytes."""
    found = _u32(found ^ _u32(size))
    found = _u32((found ^ (found >> _u32(16))) * _F1)
    found = _u32((found ^ (found >> _u32(13))) * _F2)
    return _u32(found ^ (found >> _u32(16)))


@kernel(work=lambda values, _: 12 * len(values))
def hash_words(values: np.ndarray, hashes: np.ndarray) -> None:
    """Put the hash of each of *values* (int32 or int64) into *hashes* (uint32)."""
    for i in range(len(values)):
        word = np.uint64(np.int64(values[i]))
        low, high = _u32(word & np.uint64(0xFFFFFFFF)), _u32(word >> np.uint64(32))
        hashes[i] = finished(taken(taken(_u32(0), low), high), 8)


@kernel
def _load_tail(data: np.ndarray, at: Any, size: Any) -> Any:
    """Return the last one to three bytes as a block."""
    block = _u32(0)
    for i in range(size):
        block |= _u32(data[at + i]) << _u32(8 * i)
    return block


@kernel(work=lambda _, offsets, __: 12 * len(offsets) + 2 * (offsets[-1] - offsets[0]))
def hash_runs(data: np.ndarray, offsets: np.ndarray, hashes: np.ndarray) -> None:
    """Put the hash of each run into *hashes* (uint32).

    data     uint8
    offsets  int32 or int64: run i is from entry i to entry i + 1, inside *data*
    """
    address = data.ctypes.data
    half = np.uint64(0xFFFFFFFF)
    for i in range(len(hashes)):
        at, end = np.int64(offsets[i]), np.int64(offsets[i + 1])
        size = end - at
        found = _u32(0)
        while at + 8 <= end:
            word = le64_unsigned(address, at)
            found = taken(taken(found, _u32(word & half)), _u32(word >> np.uint64(32)))
            at += 8
        if at + 4 <= end:
            found = taken(found, _load_tail(data, at, 4))
            at += 4
        if at < end:
            found = _u32(found ^ mixed(_load_tail(data, at, end - at)))
        hashes[i] = finished(found, size)


@kernel
def buckets(hashes: np.ndarray, count: int, made: np.ndarray) -> None:
    """Put each hash (uint32), without its sign bit and modulo *count*, into *made* (int32).

    Doubles represent 31 bits and their quotients exactly, and are divided four at a time.
    """
    divisor = float(count)
    for i in range(len(hashes)):
        value = np.int32(hashes[i] & _u32(0x7FFFFFFF))
        made[i] = value - np.int32(value / divisor) * np.int32(count)


@kernel
def _size(low: Any, high: Any) -> int:
    """Return the size of the shortest two's complement, whose first bit is the sign."""
    if high >> _u64(63):
        low, high = ~low, ~high
    size = 1
    top, base = (high, 8) if high else (low, 0)
    while top >= _u64(0x80):
        top >>= _u64(8)
        size += 1
    if base and not high:
        return size
    return size + base


@kernel
def _byte(low: Any, high: Any, place: int) -> Any:
    """Return the byte with the weight 256 to the power of *place*."""
    half = high if place >= 8 else low
    return _u32((half >> _u64(8 * (place & 7))) & _u64(0xFF))


@kernel(work=lambda words, _: 32 * len(words))
def hash_decimals(words: np.ndarray, hashes: np.ndarray) -> None:
    """Put the hash of each value's shortest big-endian bytes into *hashes* (uint32)."""
    for i in range(len(hashes)):
        low, high = words[i, 0], words[i, 1]
        size = _size(low, high)
        found, block, held = _u32(0), _u32(0), 0
        for place in range(size - 1, -1, -1):
            block |= _byte(low, high, place) << _u32(8 * held)
            held += 1
            if held == 4:
                found = taken(found, block)
                block, held = _u32(0), 0
        if held:
            found = _u32(found ^ mixed(block))
        hashes[i] = finished(found, size)


@kernel
def _modulo(low: Any, high: Any, width: Any) -> Any:
    """Return the remainder of 128 unsigned bits, computed 32 bits at a time."""
    rest = high % width
    rest = ((rest << _u64(32)) | (low >> _u64(32))) % width
    return ((rest << _u64(32)) | (low & _u64(0xFFFFFFFF))) % width


@kernel
def truncate_decimals(words: np.ndarray, width: int, made: np.ndarray) -> None:
    """Put each value, rounded down to a multiple of *width* (1 to 2^31 - 1), into *made*."""
    divisor = _u64(width)
    for i in range(len(words)):
        low, high = words[i, 0], words[i, 1]
        if high >> _u64(63):  # -1 - x is the complement of x: its remainder runs the other way
            rest = divisor - _u64(1) - _modulo(~low, ~high, divisor)
        else:
            rest = _modulo(low, high, divisor)
        made[i, 0] = low - rest
        made[i, 1] = high - _u64(low < rest)
