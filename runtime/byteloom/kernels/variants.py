"""Reassemble texts and arrays of variants, a run of bytes for each row.

- A run is an offset and a size in some buffer; a size of -1 means that the value is missing.
- Sizes are filled in first, so that the caller can allocate the output; then the bytes.

Source: Apache Parquet, "Variant Binary Encoding".
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from byteloom.native.kernel import kernel

__all__ = ["array_sizes", "copied", "le", "put_arrays", "put_le", "put_texts", "width_of"]

word: Any = np.int64

_SHORT_TEXT, _ARRAY = 1, 3
_TEXT: Final = 16 << 2
_LONGEST_SHORT: Final = 63


@kernel
def le(data: np.ndarray, at: int, size: int) -> int:
    """Return an unsigned little-endian number of up to four bytes."""
    value = 0
    for i in range(size):
        value |= word(data[at + i]) << (8 * i)
    return value


@kernel
def put_le(out: np.ndarray, at: int, size: int, value: int) -> None:
    """Write an unsigned little-endian number of up to four bytes."""
    for i in range(size):
        out[at + i] = (value >> (8 * i)) & 0xFF


@kernel
def width_of(most: int) -> int:
    """Return how many bytes hold an unsigned number up to *most*."""
    if most <= 0xFF:
        return 1
    if most <= 0xFFFF:
        return 2
    return 3 if most <= 0xFFFFFF else 4


@kernel
def copied(data: np.ndarray, place: int, size: int, out: np.ndarray, at: int) -> None:
    """Copy bytes of one buffer to another, byte by byte: numba would first copy slices."""
    for i in range(size):
        out[at + i] = data[place + i]


@kernel
def put_texts(
    data: np.ndarray,
    places: np.ndarray,
    sizes: np.ndarray,
    header: int,
    out: np.ndarray,
    starts: np.ndarray,
) -> None:
    """Write texts or bytes after *header* and their length; short texts have it in the header."""
    for i in range(len(places)):
        if sizes[i] < 0:
            continue
        at = starts[i]
        if header == _TEXT and sizes[i] <= _LONGEST_SHORT:
            out[at] = sizes[i] << 2 | _SHORT_TEXT
            copied(data, places[i], sizes[i], out, at + 1)
        else:
            out[at] = header
            put_le(out, at + 1, 4, sizes[i])
            copied(data, places[i], sizes[i], out, at + 5)


@kernel
def array_sizes(offsets: np.ndarray, sizes: np.ndarray, valid: np.ndarray, out: np.ndarray) -> None:
    """Fill in the sizes of arrays whose items are between *offsets*."""
    for i in range(len(valid)):
        if not valid[i]:
            out[i] = -1
            continue
        count, total = offsets[i + 1] - offsets[i], 0
        for j in range(offsets[i], offsets[i + 1]):
            total += sizes[j]
        out[i] = 1 + (4 if count > 0xFF else 1) + (count + 1) * width_of(total) + total


@kernel
def put_arrays(
    offsets: np.ndarray,
    data: np.ndarray,
    places: np.ndarray,
    sizes: np.ndarray,
    valid: np.ndarray,
    out: np.ndarray,
    starts: np.ndarray,
) -> None:
    """Write arrays at their *starts*."""
    for i in range(len(valid)):
        if not valid[i]:
            continue
        first, last, total = offsets[i], offsets[i + 1], 0
        for j in range(first, last):
            total += sizes[j]
        count, width, at = last - first, width_of(total), starts[i]
        is_large = count > 0xFF
        out[at] = (int(is_large) << 2 | (width - 1)) << 2 | _ARRAY
        put_le(out, at + 1, 4 if is_large else 1, count)
        at += 5 if is_large else 2
        begin, filled = at + (count + 1) * width, 0
        for j in range(first, last):
            put_le(out, at + (j - first) * width, width, filled)
            copied(data, places[j], sizes[j], out, begin + filled)
            filled += sizes[j]
        put_le(out, at + count * width, width, filled)
