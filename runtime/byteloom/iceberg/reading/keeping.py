"""The rows of a piece that stay after deletes and filters.

The rules:

- Numbers, text and codes of a dictionary are moved together by compiled loops, whatever share of
  the rows goes; all else is filtered by Arrow.

Source: Apache Arrow columnar format.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Flags = NDArray[np.uint8]

__all__ = ["kept"]

_WORDS: Final = frozenset({32, 64})


def kept(arrays: Sequence[pa.Array], keep: NDArray[np.bool_]) -> list[pa.Array]:
    """Return the rows of columns whose flag is set."""
    flags, rows = keep.view(np.uint8), int(np.count_nonzero(keep))
    mask = pa.Array.from_buffers(pa.bool_(), len(keep), [None, _bits(keep)])
    return [_kept(each, flags, rows, mask) for each in arrays]


def _kept(array: pa.Array, keep: Flags, rows: int, mask: pa.BooleanArray) -> pa.Array:
    """The rows of a column."""
    of = array.type
    if pa.types.is_dictionary(of):
        codes = _kept(array.indices, keep, rows, mask)
        return pa.DictionaryArray.from_arrays(codes, array.dictionary, of.ordered, safe=False)
    if pa.types.is_primitive(of) and of.bit_width in _WORDS:
        return _numbers(array, keep, rows)
    return _texts(array, keep, rows) if _is_text(of) else array.filter(mask)


def _numbers(array: pa.Array, keep: Flags, rows: int) -> pa.Array:
    """Numbers, whatever they count."""
    from byteloom.kernels.kept_rows import keep_numbers

    of = np.dtype(f"i{array.type.bit_width // 8}")
    data = np.frombuffer(array.buffers()[1], of)[array.offset : array.offset + len(array)]
    held, out = _buffer(rows + 1, of)
    keep_numbers(data, keep, out)
    return pa.Array.from_buffers(array.type, rows, [_validity(array, keep, rows), held])


def _texts(array: pa.Array, keep: Flags, rows: int) -> pa.Array:
    """Text or bytes, which become large ones."""
    from byteloom.kernels.kept_rows import keep_offsets, keep_texts

    is_large = pa.types.is_large_string(array.type) or pa.types.is_large_binary(array.type)
    _, places, content = array.buffers()
    offsets = np.frombuffer(places, np.int64 if is_large else np.int32)
    offsets = offsets[array.offset : array.offset + len(array) + 1]
    told, out_offsets = _buffer(rows + 1, np.dtype("i8"))
    held, out = _buffer(keep_offsets(offsets, keep, out_offsets), np.dtype("u1"))
    data = np.empty(0, np.uint8) if content is None else np.frombuffer(content, np.uint8)
    keep_texts(offsets, data, keep, out)
    is_string = pa.types.is_string(array.type) or pa.types.is_large_string(array.type)
    of = pa.large_string() if is_string else pa.large_binary()
    return pa.Array.from_buffers(of, rows, [_validity(array, keep, rows), told, held])


def _validity(array: pa.Array, keep: Flags, rows: int) -> pa.Buffer | None:
    """The bits of the rows that stay; None where none is null."""
    from byteloom.kernels.kept_rows import keep_numbers

    if not array.null_count:
        return None
    valid = array.is_valid().to_numpy(zero_copy_only=False)
    out = np.empty(rows + 1, np.bool_)
    keep_numbers(valid.view(np.uint8), keep, out.view(np.uint8))
    return _bits(out[:rows])


def _bits(flags: NDArray[np.bool_]) -> pa.Buffer:
    """Flags as Arrow keeps them."""
    return pa.py_buffer(np.packbits(flags, bitorder="little"))


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
