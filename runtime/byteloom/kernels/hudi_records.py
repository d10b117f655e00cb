"""Write the file ids of records in Hudi's metadata table as text.

Source: https://hudi.apache.org/docs/hudi_technical_specification
"""

from __future__ import annotations

from typing import Any

import numpy as np

from byteloom.native.kernel import kernel

__all__ = ["uuid_text"]

word: Any = np.int64
place_of: Any = np.uint64
"""Makes an unsigned index, for which numba need not handle counting from the end."""

ONE = np.uint64(1)

_HEX = np.frombuffer(bytes(range(256)).hex().encode(), np.uint8)
"""The two hexadecimal digits of each byte."""


@kernel(work=lambda high, *_: 64 * len(high))
def uuid_text(
    high: np.ndarray, low: np.ndarray, index: np.ndarray, offsets: np.ndarray, out: np.ndarray
) -> None:
    """Write UUIDs of two words each as text, followed by ``-`` and *index* unless that is -1.

    offsets  set to the offset of each text, and the end of the last
    out      with 48 bytes for each
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
