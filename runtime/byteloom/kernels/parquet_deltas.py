"""Decode the lengths that a Parquet page stores as differences, with the largest and the sum.

Source: https://parquet.apache.org/docs/file-format/data-pages/encodings/, "Delta Encoding".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from byteloom.kernels.thrift import number_at, varint
from byteloom.native.kernel import kernel

__all__ = ["sum_of_lengths"]

word: Any = np.int64

_MOST = 1 << 32
"""The most lengths: sums of fewer than 2 to the 28 numbers of 32 bits do not overflow."""

_WIDEST = 32


@kernel
def sum_of_lengths(data: np.ndarray, at: int, most: int, out: np.ndarray, each: np.ndarray) -> int:
    """Put the largest and the sum of lengths into *out*; return their end, -1 for damage.

    at    the offset of the lengths
    most  the most lengths
    each  filled with the lengths, as many as it has room for
    """
    block, at = varint(data, at)
    parts, at = varint(data, at)
    left, at = varint(data, at)
    value, at = number_at(data, at)
    out[0], out[1] = 0, 0
    if block < 1 or parts < 1 or block % parts or left > most or abs(value) > _MOST:
        return -1
    if at > len(data):
        return -1
    if left > 0:
        out[0], out[1] = value, value
        each[:1] = value
    left -= 1
    done = 1
    while left > 0:
        least, at = number_at(data, at)
        first, at = at, at + parts
        if abs(least) > _MOST or at > len(data):
            return -1
        for part in range(parts):
            count, width = min(block // parts, left), word(data[first + part])
            if count < 1:
                break
            if width == 0:
                if abs(least) > _MOST // count:
                    return -1
                out[1] += count * value + least * (count * (count + 1) // 2)
                for i in range(min(count, len(each) - done)):
                    each[done + i] = value + (i + 1) * least
                value += count * least
                out[0] = max(out[0], value)
            if width > _WIDEST or (block // parts * width + 7) >> 3 > len(data) - at:
                return -1
            for i in range(count if width else 0):
                delta = word(0)
                for bit in range(width):
                    place = i * width + bit
                    delta |= (word(data[at + (place >> 3)]) >> (place & 7) & 1) << bit
                value += least + delta
                if abs(value) > _MOST:
                    return -1
                out[0], out[1] = max(out[0], value), out[1] + value
                if done + i < len(each):
                    each[done + i] = value
            if abs(value) > _MOST:
                return -1
            at += (block // parts * width + 7) >> 3
            left, done = left - count, done + count
    return at
