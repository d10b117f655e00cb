"""The most values of a row in a Parquet column of lists, by their repetition levels.

Source: https://parquet.apache.org/docs/file-format/data-pages/encodings/, "RLE/Bit-Packing Hybrid".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from byteloom.kernels.thrift import varint
from byteloom.native.kernel import kernel

__all__ = ["longest_rows"]

word: Any = np.int64


@kernel
def longest_rows(data: np.ndarray, width: int, values: int, state: np.ndarray) -> int:
    """Add the levels of a page; return how many of the expected *values* there were.

    width  the bits of a level
    state  the values of the current row so far, and the most of any row; updated
    """
    at, seen = 0, word(0)
    size = (width + 7) >> 3
    while seen < values and at < len(data):
        head, at = varint(data, at)
        if head & 1:
            count = min((head >> 1) * 8, values - seen)
            for i in range(count):
                level = word(0)
                for bit in range(i * width, (i + 1) * width):
                    if at + (bit >> 3) < len(data):
                        level |= word(data[at + (bit >> 3)] >> (bit & 7)) & 1
                state[0] = state[0] + 1 if level else 1
                state[1] = max(state[1], state[0])
            at += (head >> 1) * width
        else:
            count, level = min(head >> 1, values - seen), word(0)
            for i in range(size):
                if at + i < len(data):
                    level |= word(data[at + i])
            at += size
            if count:
                state[0] = state[0] + count if level else 1
                state[1] = max(state[1], state[0])
        seen += count
    return seen
