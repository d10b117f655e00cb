"""The rows of a piece that stay after deletes and filters.

The rules:

- Where few rows go, columns of numbers and of text without nulls are copied run by run; all others
  are filtered by Arrow.

Source: Apache Arrow columnar format.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["kept"]

_WORTH: Final = 6
"""Rows of a run, on average, from which on runs are the cheaper way."""

_SLACK: Final = 8


def kept(arrays: Sequence[pa.Array], keep: NDArray[np.bool_]) -> list[pa.Array]:
    """Return the rows of columns whose flag is set."""
    gone = np.flatnonzero(~keep)
    rows = len(keep) - len(gone)
    starts = np.concatenate([np.zeros(1, np.int64), gone + 1])
    ends = np.concatenate([gone, np.full(1, len(keep), np.int64)])
    if rows < _WORTH * len(starts):
        mask = pa.array(keep)
        return [each.filter(mask) for each in arrays]
    mask = None
    made = []
    for each in arrays:
        held = _runs(each, starts, ends, rows)
        if held is None:
            mask = pa.array(keep) if mask is None else mask
            held = each.filter(mask)
        made.append(held)
    return made


def _runs(
    array: pa.Array, starts: NDArray[np.int64], ends: NDArray[np.int64], rows: int
) -> pa.Array | None:
    """The runs of a column; None for a kind that Arrow is to filter."""
    if array.null_count:
        return None
    if pa.types.is_primitive(array.type) and array.type.bit_width in {32, 64}:
        return _numbers(array, starts, ends, rows)
    if _is_text(array.type):
        return _texts(array, starts, ends, rows)
    return None


def _numbers(
    array: pa.Array, starts: NDArray[np.int64], ends: NDArray[np.int64], rows: int
) -> pa.Array:
    """Runs of numbers, whatever they count."""
    from byteloom.kernels.row_runs import keep_numbers

    of = np.dtype(f"i{array.type.bit_width // 8}")
    data = np.frombuffer(array.buffers()[1], of)[array.offset : array.offset + len(array)]
    held, out = _buffer(rows, of)
    keep_numbers(data, starts, ends, out)
    return pa.Array.from_buffers(array.type, rows, [None, held])


def _texts(
    array: pa.Array, starts: NDArray[np.int64], ends: NDArray[np.int64], rows: int
) -> pa.Array:
    """Runs of text or bytes, which may become large ones."""
    from byteloom.kernels.row_runs import keep_texts

    is_large = pa.types.is_large_string(array.type) or pa.types.is_large_binary(array.type)
    _, places, content = array.buffers()
    offsets = np.frombuffer(places, np.int64 if is_large else np.int32)
    offsets = offsets[array.offset : array.offset + len(array) + 1]
    size = int(offsets[ends].astype(np.int64).sum() - offsets[starts].astype(np.int64).sum())
    data = np.empty(0, np.uint8) if content is None else np.frombuffer(content, np.uint8)
    (held, out), (told, out_offsets) = (
        _buffer(size + _SLACK, np.dtype("u1")),
        _buffer(rows + 1, np.dtype("i8")),
    )
    keep_texts(offsets, data, starts, ends, out_offsets, out)
    is_string = pa.types.is_string(array.type) or pa.types.is_large_string(array.type)
    of = pa.large_string() if is_string else pa.large_binary()
    return pa.Array.from_buffers(of, rows, [None, told, held])


def _buffer(count: int, of: np.dtype[Any]) -> tuple[Any, NDArray[Any]]:
    """Memory of Arrow's pool, which is warm, and the same as numpy has it."""
    held = pa.allocate_buffer(max(count, 1) * of.itemsize)
    return held, np.frombuffer(held, of)[:count]


def _is_text(of: pa.DataType) -> bool:
    """Whether a column is one of text or bytes with offsets."""
    return bool(
        pa.types.is_string(of)
        or pa.types.is_large_string(of)
        or pa.types.is_binary(of)
        or pa.types.is_large_binary(of)
    )
