"""Records of Hudi's metadata table: their ids as text, and where they lie in blocks of a log.

Source: https://hudi.apache.org/docs/hudi_technical_specification
"""

from __future__ import annotations

from typing import Any

import numpy as np

from byteloom.wire.kernel import kernel

__all__ = ["framed", "uuid_text"]

word: Any = np.int64
place_of: Any = np.uint64
"""Makes a place of an integer: numba does not ask whether it counts from the end."""

ONE = np.uint64(1)

_HEX = np.frombuffer(bytes(range(256)).hex().encode(), np.uint8)
"""Two digits of each byte."""


@kernel(work=lambda high, *_: 64 * len(high))
def uuid_text(
    high: np.ndarray, low: np.ndarray, index: np.ndarray, offsets: np.ndarray, out: np.ndarray
) -> None:
    """Write UUIDs of two words each as text, and ``-`` and *index* behind each that is not -1.

    offsets  becomes where each begins, and where the last ends
    out      room for 48 bytes each
    """
    at = 0
    for i in range(len(high)):
        offsets[i] = at
        for half in range(2):
            bits = np.uint64(high[i]) if half == 0 else np.uint64(low[i])
            for place in range(8):
                digits = (bits >> np.uint64(56 - 8 * place) & np.uint64(0xFF)) << ONE
                out[place_of(at)] = _HEX[digits]
                out[place_of(at + 1)] = _HEX[digits | ONE]
                at += 2
                if 8 * half + place in (3, 5, 7, 9):
                    out[place_of(at)] = 0x2D
                    at += 1
        number = word(index[i])
        if number != -1:
            out[at] = 0x2D
            at += 1
            if number < 0:
                out[at] = 0x2D
                at += 1
                number = -number
            size = 1
            rest = number // 10
            while rest:
                size += 1
                rest //= 10
            for place in range(size):
                out[at + size - 1 - place] = 0x30 + number % 10
                number //= 10
            at += size
    offsets[len(high)] = at


@kernel
def framed(data: np.ndarray, at: int, starts: np.ndarray, sizes: np.ndarray) -> int:
    """Find records that each lie behind their length in four bytes, the highest first.

    at       where the first length is
    starts   becomes where each record begins, *sizes* how many bytes it has
    returns  where the last ends; -1 for a length that leads out of *data*
    """
    for i in range(len(starts)):
        if at + 4 > len(data):
            return -1
        size = word(0)
        for j in range(4):
            size = size << 8 | word(data[at + j])
        at += 4
        if size > len(data) - at:
            return -1
        starts[i], sizes[i] = at, size
        at += size
    return at
