"""Decode ORC's runs of unsigned integers, version 2, to a column; and the heads of all runs.

- The first two bits of a run say how its values are stored: as one repeated value, as packed bits,
  as packed bits with patches for a few larger ones, or as differences.
- Every read is checked against the end first; an error is returned as a code, see `WRONG`.

Source: https://orc.apache.org/specification/ORCv1/ ("Integer Run Length Encoding, version 2")
"""

from __future__ import annotations

from typing import Any

import numpy as np

from byteloom.native.integers import uleb128_at, zigzag_at
from byteloom.native.kernel import kernel

__all__ = [
    "WRONG",
    "bits_at",
    "equal_steps_at",
    "patches_at",
    "run_at",
    "steps_at",
    "unsigned_runs",
    "wide_enough",
    "width_of",
]

word: Any = np.int64

WRONG = ("", "runs that end inside the stream", "as many values as the column has")
"""For each code, the *wanted* part of the error."""


@kernel
def width_of(code: int) -> int:
    """Return the width of a value in bits, from its code of five bits."""
    if code < 24:
        return code + 1
    return (26, 28, 30, 32, 40, 48, 56, 64)[code - 24]


@kernel
def wide_enough(bits: int) -> int:
    """Return the next width in which values can be stored."""
    for code in range(32):
        if width_of(code) >= bits:
            return width_of(code)
    return 64


@kernel
def equal_steps_at(data: np.ndarray, at: int) -> tuple[int, int, int, int]:
    """Return what a run of equal differences of version 1 has: count, difference, first value.

    return  then the offset after the run, -1 if it is incomplete; a signed first value is folded
    """
    count, end = word(data[at]) + 3, len(data)
    if at + 1 >= end:
        return count, word(0), word(0), word(-1)
    step = word(data[at + 1])
    step -= 256 if step > 127 else 0
    first, at = uleb128_at(data.ctypes.data, at + 2, end)
    return count, step, first, at


@kernel
def steps_at(data: np.ndarray, at: int, count: int, width: int) -> tuple[int, int, int, int]:
    """Return the first value of a run of differences of version 2, and the first difference.

    return  then the offsets of the other differences and of the end, -1 if the run is incomplete;
            a signed first value is folded
    """
    source, end = data.ctypes.data, len(data)
    first, at = uleb128_at(source, at, end)
    if at < 0:
        return first, word(0), at, word(-1)
    step, at = zigzag_at(source, at, end)
    if at < 0:
        return first, step, at, word(-1)
    last = at + ((max(count - 2, 0) * width + 7) >> 3)
    return first, step, at, last if last <= end else word(-1)


@kernel
def patches_at(data: np.ndarray, at: int) -> tuple[int, int, int, int, int]:
    """Return what two bytes say of patches: the bytes of the base, the bits of a patch and a gap.

    return  then the number of patches, and the bits of an entry with one
    """
    base, patch = (word(data[at]) >> 5) + 1, width_of(word(data[at]) & 31)
    gap, patches = (word(data[at + 1]) >> 5) + 1, word(data[at + 1]) & 31
    return base, patch, gap, patches, wide_enough(gap + patch)


@kernel
def bits_at(data: np.ndarray, at: int, first: int, width: int) -> int:
    """Return the *width* bits that start *first* bits after a byte, the highest bit first."""
    value = np.uint64(0)
    for bit in range(first, first + width):
        byte = np.uint64(data[at + (bit >> 3)])
        value = value << np.uint64(1) | (byte >> np.uint64(7 - (bit & 7)) & np.uint64(1))
    return word(value)


@kernel
def run_at(data: np.ndarray, at: int, out: np.ndarray, row: int) -> tuple[int, int]:
    """Decode the values of the run at *at* to *out*, from *row* on.

    return  the offset after the run, and the row after its values; on an error the first is minus
            the code
    """
    end = len(data)
    if at + 2 > end:
        return -1, row
    kind, first = data[at] >> 6, word(data[at])
    if kind == 0:
        size, count = (first >> 3 & 7) + 1, (first & 7) + 3
        if at + 1 + size > end:
            return -1, row
        if row + count > len(out):
            return -2, row
        out[row : row + count] = bits_at(data, at + 1, 0, 8 * size)
        return at + 1 + size, row + count
    code, count = first >> 1 & 31, ((first & 1) << 8 | word(data[at + 1])) + 1
    if row + count > len(out):
        return -2, row
    at += 2
    if kind == 1:
        at = _plain_values(data, at, out[row : row + count], width_of(code))
    elif kind == 2:
        at = _patched_values(data, at, out[row : row + count], width_of(code))
    else:
        at = _steps(data, at, out[row : row + count], width_of(code) if code else 0)
    return at, row + count


@kernel
def _plain_values(data: np.ndarray, at: int, out: np.ndarray, width: int) -> int:
    """Decode values of *width* bits to *out*; return the offset after them."""
    size = (len(out) * width + 7) >> 3
    if at + size > len(data):
        return -1
    for i in range(len(out)):
        out[i] = bits_at(data, at, i * width, width)
    return at + size


@kernel
def _patched_values(data: np.ndarray, at: int, out: np.ndarray, width: int) -> int:
    """Decode values of *width* bits, with patches, to *out*; return the offset after them."""
    end = len(data)
    if at + 2 > end:
        return -1
    base_size, patch, gap, patches, entry = patches_at(data, at)
    if gap + patch > 64:
        return -2
    size, more = (len(out) * width + 7) >> 3, (patches * entry + 7) >> 3
    at += 2
    if at + base_size + size + more > end:
        return -1
    base = bits_at(data, at, 1, 8 * base_size - 1)
    if data[at] & 0x80:
        base = -base
    at = _plain_values(data, at + base_size, out, width)
    place = 0
    for i in range(patches):
        # The entry is in the lowest of its bits.
        low = i * entry + entry - patch
        place += bits_at(data, at, low - gap, gap)
        if place >= len(out):
            return -2
        if width < 64:
            out[place] |= bits_at(data, at, low, patch) << width
    for i in range(len(out)):
        out[i] += base
    return at + more


@kernel
def _steps(data: np.ndarray, at: int, out: np.ndarray, width: int) -> int:
    """Decode values from differences, equal ones for a width of 0, to *out*; return the end."""
    value, step, at, end = steps_at(data, at, len(out), width)
    if end < 0:
        return -1
    out[0] = value
    for i in range(1, len(out)):
        if i == 1 or width == 0:
            value += step
        else:
            delta = bits_at(data, at, (i - 2) * width, width)
            value += delta if step >= 0 else -delta
        out[i] = value
    return end


@kernel(work=lambda data, out: 8 * len(data) + len(out))
def unsigned_runs(data: np.ndarray, out: np.ndarray) -> int:
    """Fill *out* with the values of a stream; return 0, or a code."""
    at, row = 0, 0
    while row < len(out):
        at, row = run_at(data, at, out, row)
        if at < 0:
            return -at
    return 0
