"""Decode the values of a Lance page from the buffers of its chunks, all chunks in one call.

- A chunk's buffer is ``data[starts[i]:ends[i]]``; the caller ensures that it is inside *data*,
  and, if its size follows from counts, that it is large enough.
- The bytes themselves are checked here: a loop returns -1, or the first damaged chunk.

Source: https://lance.org/format/file/encoding/
"""

from __future__ import annotations

from typing import Any

import numpy as np

from byteloom.native.kernel import kernel
from byteloom.native.loads import copy_run

__all__ = [
    "join_bits",
    "join_buffers",
    "join_ends",
    "join_planes",
    "join_runs",
    "join_variable",
]

word: Any = np.int64


def _copied(_: np.ndarray, starts: np.ndarray, *__: Any) -> int:
    """Called to estimate the work: copying is done by the C library, even when interpreted."""
    return len(starts)


@kernel(work=_copied)
def join_buffers(data: np.ndarray, starts: np.ndarray, sizes: np.ndarray, out: np.ndarray) -> None:
    """Concatenate buffers, each of *sizes* bytes."""
    source, target = word(data.ctypes.data), word(out.ctypes.data)
    for chunk in range(len(starts)):
        copy_run(source + starts[chunk], target, sizes[chunk])
        target += sizes[chunk]


@kernel
def join_bits(data: np.ndarray, starts: np.ndarray, counts: np.ndarray, out: np.ndarray) -> None:
    """Join bitmaps of any *counts* of bits, the lowest first; *out* must be all zero."""
    at = word(0)
    for chunk in range(len(starts)):
        start, count = starts[chunk], counts[chunk]
        shift, size = at & 7, (count + 7) >> 3
        for i in range(size):
            bits = word(data[start + i])
            if i == size - 1 and count & 7:
                bits &= (1 << (count & 7)) - 1
            bits <<= shift
            place = (at >> 3) + i
            out[place] |= np.uint8(bits & 255)
            if bits > 255:
                out[place + 1] |= np.uint8(bits >> 8)
        at += count


@kernel
def join_variable(
    data: np.ndarray,
    words: np.ndarray,
    starts: np.ndarray,
    counts: np.ndarray,
    offsets: np.ndarray,
    out: np.ndarray,
) -> int:
    """Join values of variable length.

    words    *data* as offsets of 32 or 64 bits; each chunk has one more offset than values
    offsets  one more than there are values; filled in
    out      the bytes of all values, filled in; as long as the first and last offsets say
    """
    width = words.itemsize
    source, target = word(data.ctypes.data), word(out.ctypes.data)
    row, at = 0, word(0)
    offsets[0] = 0
    for chunk in range(len(starts)):
        first = starts[chunk] // width
        count = counts[chunk]
        begin = word(words[first])
        is_ordered = True
        for i in range(count):
            is_ordered &= word(words[first + i]) <= word(words[first + i + 1])
        if not is_ordered:
            return chunk
        base = at - begin
        for i in range(1, count + 1):
            offsets[row + i] = base + word(words[first + i])
        size = word(words[first + count]) - begin
        copy_run(source + starts[chunk] + begin, target + at, size)
        at += size
        row += count
    return -1


@kernel
def join_ends(
    words: np.ndarray,
    places: np.ndarray,
    counts: np.ndarray,
    adjustments: np.ndarray,
    sizes: np.ndarray,
    offsets: np.ndarray,
    valid: np.ndarray,
    nulls: np.ndarray,
) -> int:
    """Join the ends of texts of several pages to the offsets of one column.

    words        integers of 64 bits; the ends of the texts of a page are from *places* on
    adjustments  for each page the number that is added to the end of a null text; 0 if none is
                 null
    sizes        for each page the bytes of all of its texts; no end is after them
    offsets      one more than there are texts; filled in
    valid        a bitmap that is all zero; the bits of texts that are not null are set
    nulls        filled in with the number of null texts of each page
    """
    row, base = word(0), word(0)
    offsets[0] = 0
    for page in range(len(places)):
        first, adjustment = places[page], adjustments[page]
        last, missing = word(0), word(0)
        for i in range(counts[page]):
            end = word(words[first + i])
            if adjustment > 0 and end >= adjustment:
                end -= adjustment
                missing += 1
            else:
                valid[row >> 3] |= np.uint8(1 << (row & 7))
            if end < last or end > sizes[page]:
                return page
            last = end
            row += 1
            offsets[row] = base + end
        nulls[page] = missing
        base += last
    return -1


@kernel
def join_runs(
    values: np.ndarray,
    lengths: np.ndarray,
    places: np.ndarray,
    starts: np.ndarray,
    runs: np.ndarray,
    counts: np.ndarray,
    out: np.ndarray,
) -> int:
    """Expand runs of equal values.

    values   integers; those of a chunk are from *places* on
    lengths  bytes; the run lengths of a chunk are from *starts* on
    runs     the number of runs in each chunk
    """
    row = word(0)
    for chunk in range(len(starts)):
        end = row + counts[chunk]
        for run in range(runs[chunk]):
            value = values[places[chunk] + run]
            stop = row + word(lengths[starts[chunk] + run])
            if stop > end:
                return chunk
            for i in range(row, stop):
                out[i] = value
            row = stop
        if row != end:
            return chunk
    return -1


@kernel
def join_planes(
    data: np.ndarray, starts: np.ndarray, counts: np.ndarray, width: int, out: np.ndarray
) -> None:
    """Join values of *width* bytes that are split into planes by significance, the lowest first."""
    row = word(0)
    for chunk in range(len(starts)):
        count = counts[chunk]
        for plane in range(width):
            start, target = starts[chunk] + plane * count, row * width + plane
            for i in range(count):
                out[target + i * width] = data[start + i]
        row += count
