"""Keep the rows of a piece that are left after deletes and filters.

The rules:

- Every column must have a value for each flag, since compiled loops do not check their bounds.
- Numbers, text and codes of a dictionary are filtered by compiled loops, whatever share of the rows
  is left out; all other columns are filtered by Arrow.

Source: Apache Arrow columnar format.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError
from byteloom.texts import arrow_memory, is_text, large_text, read_only

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Flags = NDArray[np.uint8]

__all__ = ["kept"]

_WORDS: Final = frozenset({32, 64})


def kept(arrays: Sequence[pa.Array], keep: NDArray[np.bool_]) -> list[pa.Array]:
    """Return the columns *arrays* with only those rows whose flag in *keep* is set.

    FormatError  a column with another number of values, which damaged pages can have
    """
    for each in arrays:
        if len(each) != len(keep):
            raise FormatError("columns", None, f"a column of {len(each)} values", f"{len(keep)}")
    flags, rows = keep.view(np.uint8), int(np.count_nonzero(keep))
    mask = pa.Array.from_buffers(pa.bool_(), len(keep), [None, _bits(keep)])
    return [_kept(each, flags, rows, mask) for each in arrays]


def _kept(array: pa.Array, keep: Flags, rows: int, mask: pa.BooleanArray) -> pa.Array:
    """Return a column with only the flagged rows."""
    of = array.type
    if pa.types.is_dictionary(of):
        codes = _kept(array.indices, keep, rows, mask)
        return pa.DictionaryArray.from_arrays(codes, array.dictionary, safe=False)
    if pa.types.is_primitive(of) and of.bit_width in _WORDS:
        return _numbers(array, keep, rows)
    return _texts(array, keep, rows) if is_text(of) else array.filter(mask)


def _numbers(array: pa.Array, keep: Flags, rows: int) -> pa.Array:
    """Return a column of numbers with only the flagged rows."""
    from byteloom.kernels.kept_rows import keep_numbers

    of = np.dtype(f"i{array.type.bit_width // 8}")
    data = np.frombuffer(array.buffers()[1], of)[array.offset : array.offset + len(array)]
    held, out = arrow_memory(rows + 1, of)
    keep_numbers(read_only(data), keep, out)
    return pa.Array.from_buffers(array.type, rows, [_validity(array, keep, rows), held])


def _texts(array: pa.Array, keep: Flags, rows: int) -> pa.Array:
    """Return a column of text or bytes with only the flagged rows, in Arrow's large type."""
    from byteloom.kernels.kept_rows import keep_offsets, keep_texts

    of, offsets, data = large_text(array)
    offsets, data = read_only(offsets), read_only(data)
    buffer, out_offsets = arrow_memory(rows + 1, np.dtype("i8"))
    held, out = arrow_memory(keep_offsets(offsets, keep, out_offsets), np.dtype("u1"))
    keep_texts(offsets, data, keep, out)
    return pa.Array.from_buffers(of, rows, [_validity(array, keep, rows), buffer, held])


def _validity(array: pa.Array, keep: Flags, rows: int) -> pa.Buffer | None:
    """Return the validity bits of the kept rows; None if none is null."""
    from byteloom.kernels.kept_rows import keep_numbers

    if not array.null_count:
        return None
    valid = array.is_valid().to_numpy(zero_copy_only=False)
    out = np.empty(rows + 1, np.bool_)
    keep_numbers(read_only(valid.view(np.uint8)), keep, out.view(np.uint8))
    return _bits(out[:rows])


def _bits(flags: NDArray[np.bool_]) -> pa.Buffer:
    """Return flags as Arrow's bits."""
    return pa.py_buffer(np.packbits(flags, bitorder="little"))
