"""How much memory values of a Parquet column take once decoded: the largest text, list and row.

- Levels and codes are runs of one value or of packed bits.  For rows of text, the three streams are
  read in parallel, without decoding them into arrays.
- Lengths that a page stores as differences are decoded one by one; a dictionary's entries follow
  their lengths, of four bytes.

Source: https://parquet.apache.org/docs/file-format/data-pages/encodings/
"""

from __future__ import annotations

from typing import Any

import numpy as np

from byteloom.kernels.thrift import number_at, varint
from byteloom.native.kernel import kernel

__all__ = [
    "heaviest_row",
    "longest_rows",
    "longest_text",
    "sum_of_lengths",
    "text_sizes",
]

word: Any = np.int64

_MOST_LENGTHS = 1 << 32
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
    if block < 1 or parts < 1 or block % parts or left > most or abs(value) > _MOST_LENGTHS:
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
        if abs(least) > _MOST_LENGTHS or at > len(data):
            return -1
        for part in range(parts):
            count, width = min(block // parts, left), word(data[first + part])
            if count < 1:
                break
            if width == 0:
                if abs(least) > _MOST_LENGTHS // count:
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
                if abs(value) > _MOST_LENGTHS:
                    return -1
                out[0], out[1] = max(out[0], value), out[1] + value
                if done + i < len(each):
                    each[done + i] = value
            if abs(value) > _MOST_LENGTHS:
                return -1
            at += (block // parts * width + 7) >> 3
            left, done = left - count, done + count
    return at


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


@kernel(work=lambda data: len(data) // 4)
def longest_text(data: np.ndarray) -> int:
    """Return the size of the longest text; each follows its length, of four bytes."""
    at, longest = 0, word(0)
    while at + 4 <= len(data):
        size = (
            word(data[at])
            | word(data[at + 1]) << 8
            | word(data[at + 2]) << 16
            | word(data[at + 3]) << 24
        )
        longest = max(longest, size)
        at += 4 + size
    return longest


_AT, _LEFT, _BIT, _VALUE = range(4)
_MOST_OF_RUN = 1 << 40
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
        count = min(head >> 1, word(_MOST_OF_RUN))
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
