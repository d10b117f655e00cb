"""Columns of text or bytes as buffers for compiled loops.

Source: Apache Arrow columnar format, "Variable-size Binary Layout".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import LimitExceeded
from byteloom.kernels.dictionaries import expand, measure

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "arrow_memory",
    "is_ascii",
    "is_text",
    "large_type",
    "read_only",
    "texts_of_codes",
    "with_large_offsets",
]

_HIGH: Final = 0x80

_MOST: Final = (1 << 31) - 1
"""Most bytes of text that offsets of 32 bits can address."""


def is_text(of: pa.DataType) -> bool:
    """Return whether a type is text or bytes with offsets."""
    return bool(
        pa.types.is_string(of)
        or pa.types.is_large_string(of)
        or pa.types.is_binary(of)
        or pa.types.is_large_binary(of)
    )


def is_ascii(array: pa.Array) -> bool:
    """Whether a column of text or bytes has only ASCII bytes, 0 to 127."""
    _, offsets, content = _large_text(array)
    held = content[offsets[0] : offsets[-1]]
    return not len(held) or bool(held.max() < _HIGH)


def large_type(of: pa.DataType) -> pa.DataType:
    """Return the type of the same text or bytes with offsets of 64 bits."""
    is_string = pa.types.is_string(of) or pa.types.is_large_string(of)
    return pa.large_string() if is_string else pa.large_binary()


def _large_text(array: pa.Array) -> tuple[pa.DataType, NDArray[Any], NDArray[np.uint8]]:
    """Return the large type of a column of text, its offsets and its content.

    offsets  int32 or int64[row + 1]: where the text of each row begins, and where the last ends
    content  uint8[byte], maybe empty
    """
    of = large_type(array.type)
    _, places, content = array.buffers()
    if places is None or not places.size:
        return of, np.zeros(1, np.int32), np.empty(0, np.uint8)
    offsets = np.frombuffer(places, np.int64 if of == array.type else np.int32)
    offsets = offsets[array.offset : array.offset + len(array) + 1]
    return of, offsets, np.frombuffer(content or b"", np.uint8)


def with_large_offsets(array: pa.Array) -> pa.Array:
    """Return a column of text or bytes as one with offsets of 64 bits, without copying the values.

    A cast does the same, at some five times the cost for columns of few rows.
    """
    of, _, _ = _large_text(array)
    valid, places, content = array.buffers()
    if of == array.type or places is None or not places.size:
        return array.cast(of)
    offsets = np.frombuffer(places, np.int32, array.offset + len(array) + 1).astype(np.int64)
    buffers = [valid, pa.py_buffer(offsets), content]
    return pa.Array.from_buffers(of, len(array), buffers, offset=array.offset)


def arrow_memory(count: int, of: np.dtype[Any]) -> tuple[Any, NDArray[Any]]:
    """Return an uninitialised buffer of Arrow's memory pool, and a NumPy view of *count* items."""
    held = pa.allocate_buffer(max(count, 1) * of.itemsize)
    return held, np.frombuffer(held, of)[:count]


def texts_of_codes(codes: NDArray[Any], values: pa.Array, of: pa.DataType) -> pa.Array:
    """Return the text of each code: one pass for the lengths, one for the bytes.

    codes          int32 or int64: indices into *values*, which the caller has checked
    values         text or bytes, none of them null
    of             the type to return: the type of *values*, or its large form
    LimitExceeded  more text than offsets of this type reach
    """
    large, offsets, data = _large_text(values)
    if of != large:
        _check_size(codes, np.diff(offsets))
    width = np.dtype("i8" if of == large else "i4")
    held_offsets, out_offsets = arrow_memory(len(codes) + 1, width)
    codes, offsets, data = map(read_only, (codes, offsets, data))
    size = int(measure(codes, offsets, out_offsets))
    held, out = arrow_memory(size, np.dtype("u1"))
    expand(codes, offsets, data, out_offsets, out)
    return pa.Array.from_buffers(of, len(codes), [None, held_offsets, held], 0)


def _check_size(codes: NDArray[Any], sizes: NDArray[Any]) -> None:
    """Refuse codes of texts of these *sizes* that come to more than offsets of 32 bits reach."""
    if len(codes) * int(sizes.max(initial=0)) <= _MOST:
        return
    total = int(sizes[codes].sum(dtype=np.int64))
    if total > _MOST:
        wanted = "less than 2 GiB in an array of text"
        raise LimitExceeded("values", None, f"{total} bytes", wanted)


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return the array as read-only: kernels are compiled for read-only arrays only."""
    found = array.view()
    found.flags.writeable = False
    return found
