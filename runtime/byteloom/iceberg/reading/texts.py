"""Columns of text or bytes as the buffers that compiled loops read and write.

Source: Apache Arrow columnar format, "Variable-size Binary Layout".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["arrow_memory", "is_ascii", "is_text", "large_text", "with_large_offsets"]

_HIGH: Final = 0x80


def is_text(of: pa.DataType) -> bool:
    """Whether a type is one of text or bytes with offsets."""
    return bool(
        pa.types.is_string(of)
        or pa.types.is_large_string(of)
        or pa.types.is_binary(of)
        or pa.types.is_large_binary(of)
    )


def is_ascii(array: pa.Array) -> bool:
    """Whether a column of text has no byte that only UTF-8 could explain."""
    _, offsets, content = large_text(array)
    held = content[offsets[0] : offsets[-1]]
    return not len(held) or bool(held.max() < _HIGH)


def large_text(array: pa.Array) -> tuple[pa.DataType, NDArray[Any], NDArray[np.uint8]]:
    """Return the large type of a column of text, its offsets and its content.

    offsets  int32 or int64[row + 1]: where the text of each row begins, and where the last ends
    content  uint8[place], or nothing
    """
    is_large = pa.types.is_large_string(array.type) or pa.types.is_large_binary(array.type)
    is_string = pa.types.is_string(array.type) or pa.types.is_large_string(array.type)
    _, places, content = array.buffers()
    of = pa.large_string() if is_string else pa.large_binary()
    if places is None or not places.size:
        return of, np.zeros(1, np.int32), np.empty(0, np.uint8)
    offsets = np.frombuffer(places, np.int64 if is_large else np.int32)
    offsets = offsets[array.offset : array.offset + len(array) + 1]
    return of, offsets, np.frombuffer(content or b"", np.uint8)


def with_large_offsets(array: pa.Array) -> pa.Array:
    """Return a column of text or bytes as a large one, whose values are where they are.

    A cast does the same, at some five times the cost for columns of few rows.
    """
    of, _, _ = large_text(array)
    valid, places, content = array.buffers()
    if of == array.type or places is None or not places.size:
        return array.cast(of)
    offsets = np.frombuffer(places, np.int32, array.offset + len(array) + 1).astype(np.int64)
    buffers = [valid, pa.py_buffer(offsets), content]
    return pa.Array.from_buffers(of, len(array), buffers, offset=array.offset)


def arrow_memory(count: int, of: np.dtype[Any]) -> tuple[Any, NDArray[Any]]:
    """Return memory of Arrow's pool, which is warm, and the same as numpy has it."""
    held = pa.allocate_buffer(max(count, 1) * of.itemsize)
    return held, np.frombuffer(held, of)[:count]
