"""Find the largest row, in bytes, of a Parquet column of lists of text.

Levels and codes are runs of one value or of packed bits; the three streams are read in parallel,
without decoding them into arrays.

Source: https://parquet.apache.org/docs/file-format/data-pages/encodings/, "RLE/Bit-Packing Hybrid".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from byteloom.kernels.thrift import varint
from byteloom.native.kernel import kernel

__all__ = ["heaviest_row", "text_sizes"]

word: Any = np.int64

_AT, _LEFT, _BIT, _VALUE = range(4)
_MOST = 1 << 40
"""The most values of a run: no offset overflows, and no page has that many."""

ROW, HEAVIEST = range(2)
"""Words of a state: the bytes of the current row so far, and of the largest one."""


@kernel
def _next(data: np.ndarray, width: int, run: np.ndarray) -> int:
    """Return the next value of a stream of runs; -1 after its end.

    run  offset, values left, the next packed bit, the repeated value or -1; updated
    """
    while run[_LEFT] == 0:
        if run[_AT] >= len(data):
            return word(-1)
        head, at = varint(data, run[_AT])
        count = min(head >> 1, word(_MOST))
        if head & 1:
            run[_LEFT], run[_BIT], run[_VALUE] = 8 * count, 8 * at, -1
            run[_AT] = at + count * width
            continue
        run[_LEFT], run[_VALUE] = count, 0
        for i in range((width + 7) >> 3):
            if at + i < len(data):
                run[_VALUE] |= word(data[at + i]) << (8 * i)
        run[_AT] = at + ((width + 7) >> 3)
    run[_LEFT] -= 1
    if run[_VALUE] >= 0:
        return word(run[_VALUE])
    value, first = word(0), word(run[_BIT])
    for bit in range(width):
        if (first + bit) >> 3 < len(data):
            value |= (word(data[(first + bit) >> 3]) >> ((first + bit) & 7) & 1) << bit
    run[_BIT] += width
    return value


@kernel(work=lambda *arguments: 10 * arguments[7])
def heaviest_row(
    repetitions: np.ndarray,
    definitions: np.ndarray,
    codes: np.ndarray,
    widths: np.ndarray,
    full: int,
    sizes: np.ndarray,
    least: int,
    values: int,
    runs: np.ndarray,
    state: np.ndarray,
) -> int:
    """Add a page, which may continue the current row; return the number of its values.

    widths   the bits of a repetition level, of a definition level (0: no value is null) and of a
             code (-1: there are no codes, and *sizes* are those of the values in order)
    full     the definition level of a value that is not null
    sizes    bytes by code
    least    the least bytes that a value counts for
    values   the expected number of values, with nulls
    runs     int64[3, 4] of zeros; updated
    state    see the names above; updated
    """
    following = 0
    for seen in range(values):
        level = _next(repetitions, widths[0], runs[0])
        if level < 0:
            return seen
        size = word(least)
        if widths[1] == 0 or _next(definitions, widths[1], runs[1]) == full:
            code = word(following)
            if widths[2] >= 0:
                code = _next(codes, widths[2], runs[2])
            following += 1
            if 0 <= code < len(sizes):
                size = max(size, sizes[code])
        state[ROW] = state[ROW] + size if level else size
        state[HEAVIEST] = max(state[HEAVIEST], state[ROW])
    return values


@kernel(work=lambda data, _: len(data) // 4)
def text_sizes(data: np.ndarray, out: np.ndarray) -> int:
    """Fill *out* with the sizes of texts, each of which follows its length; return their number."""
    at, count = 0, 0
    while at + 4 <= len(data) and count < len(out):
        size = (
            word(data[at])
            | word(data[at + 1]) << 8
            | word(data[at + 2]) << 16
            | word(data[at + 3]) << 24
        )
        out[count] = size
        at, count = at + 4 + size, count + 1
    return count
