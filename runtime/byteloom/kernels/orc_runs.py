"""ORC's runs of unsigned integers, version 2, to one column.

- A run says in its first two bits how its values are stored: one value over and over, as bits,
  as bits with patches for the few that are larger, or as steps from one to the next.
- Every read is compared with the end first; what is wrong is returned as a code, see `WRONG`.

Source: https://orc.apache.org/specification/ORCv1/ ("Integer Run Length Encoding, version 2")
"""

from __future__ import annotations

from typing import Any

import numpy as np

from byteloom.wire.integers import uleb128_at, zigzag_at
from byteloom.wire.kernel import kernel

__all__ = ["WRONG", "bits_at", "unsigned_runs", "wide_enough", "width_of"]

word: Any = np.int64

WRONG = ("", "runs that end inside the stream", "as many values as the column has")
"""For each code, what was wanted."""


@kernel
def width_of(code: int) -> int:
    """Bits of a value, of the five bits that tell them."""
    if code < 24:
        return code + 1
    return (26, 28, 30, 32, 40, 48, 56, 64)[code - 24]


@kernel
def wide_enough(bits: int) -> int:
    """The next width that values can be stored in."""
    for code in range(32):
        if width_of(code) >= bits:
            return width_of(code)
    return 64


@kernel
def bits_at(data: np.ndarray, at: int, first: int, width: int) -> int:
    """The value of *width* bits that starts *first* bits behind a byte, the highest bit first."""
    value = np.uint64(0)
    for bit in range(first, first + width):
        byte = np.uint64(data[at + (bit >> 3)])
        value = value << np.uint64(1) | (byte >> np.uint64(7 - (bit & 7)) & np.uint64(1))
    return word(value)


@kernel(work=lambda data, out: 8 * len(data) + len(out))
def unsigned_runs(data: np.ndarray, out: np.ndarray) -> int:
    """Fill *out* with the values of a stream; return 0, or a code of what is wrong."""
    at, end, row = 0, len(data), 0
    while row < len(out):
        if at + 2 > end:
            return 1
        kind, first = data[at] >> 6, word(data[at])
        if kind == 0:
            size, count = (first >> 3 & 7) + 1, (first & 7) + 3
            if at + 1 + size > end:
                return 1
            if row + count > len(out):
                return 2
            out[row : row + count] = bits_at(data, at + 1, 0, 8 * size)
            at, row = at + 1 + size, row + count
            continue
        code, count = first >> 1 & 31, ((first & 1) << 8 | word(data[at + 1])) + 1
        if row + count > len(out):
            return 2
        at += 2
        if kind == 1:
            width = width_of(code)
            size = (count * width + 7) >> 3
            if at + size > end:
                return 1
            for i in range(count):
                out[row + i] = bits_at(data, at, i * width, width)
            at += size
        elif kind == 2:
            if at + 2 > end:
                return 1
            base_size, patch = (word(data[at]) >> 5) + 1, width_of(word(data[at]) & 31)
            gap, patches = (word(data[at + 1]) >> 5) + 1, word(data[at + 1]) & 31
            width, entry = width_of(code), wide_enough(gap + patch)
            size, more = (count * width + 7) >> 3, (patches * entry + 7) >> 3
            at += 2
            if at + base_size + size + more > end:
                return 1
            base = bits_at(data, at, 1, 8 * base_size - 1)
            if data[at] & 0x80:
                base = -base
            at += base_size
            for i in range(count):
                out[row + i] = bits_at(data, at, i * width, width)
            at += size
            place = 0
            for i in range(patches):
                # The entry stands at the low end of its bits.
                low = i * entry + entry - patch
                place += bits_at(data, at, low - gap, gap)
                if place >= count:
                    return 2
                out[row + place] |= bits_at(data, at, low, patch) << width
            for i in range(count):
                out[row + i] += base
            at += more
        else:
            width = 0 if code == 0 else width_of(code)
            value, at = uleb128_at(data.ctypes.data, at, end)
            if at < 0:
                return 1
            step, at = zigzag_at(data.ctypes.data, at, end)
            if at < 0:
                return 1
            size = (max(count - 2, 0) * width + 7) >> 3
            if at + size > end:
                return 1
            out[row] = value
            for i in range(1, count):
                if i == 1 or width == 0:
                    value += step
                else:
                    delta = bits_at(data, at, (i - 2) * width, width)
                    value += delta if step >= 0 else -delta
                out[row + i] = value
            at += size
        row += count
    return 0
