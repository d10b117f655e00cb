"""Arrow arrays of decoded values: their memory, and values of them by their numbers.

- The system gives a large array of NumPy's new pages of memory each time, and clearing these takes
  longer than filling them; Arrow's memory pool keeps what was freed for the next one.
- pyarrow 26.0.1 takes other rows than those asked for from an array that is a slice and has
  fixed-size lists directly inside fixed-size lists.  Such arrays are copied first.
- Loops look up the items of a dictionary in half of Arrow's time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.arrow.texts import arrow_memory, is_text, texts_of_codes

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

__all__ = ["empty", "items_at", "rows_at", "rows_of_table"]

_LARGE: Final = 1 << 17
"""Bytes of an array that is worth a call of Arrow's; NumPy's smaller ones cost nothing extra."""


def empty(count: int, dtype: DTypeLike) -> np.ndarray[Any, Any]:
    """Return an uninitialised array of *count* items."""
    kind = np.dtype(dtype)
    if count * kind.itemsize < _LARGE:
        return np.empty(count, kind)
    return arrow_memory(count, kind)[1]


def rows_at(array: pa.Array, rows: np.ndarray) -> pa.Array:
    """Return the values of *array* at the numbers *rows*."""
    if _has_lists_in_lists(array.type):
        # Concatenating a single array would not copy it.
        array = pa.concat_arrays([array, array.slice(0, 0)])
    return array.take(pa.array(rows))


def rows_of_table(table: pa.Table, rows: np.ndarray) -> pa.Table:
    """Return the rows of *table* with the numbers *rows*."""
    if not any(map(_has_lists_in_lists, table.schema.types)):
        return table.take(pa.array(rows))
    taken = [rows_at(pa.concat_arrays([*each.chunks, _none(each)]), rows) for each in table.columns]
    return pa.Table.from_arrays(taken, schema=table.schema)


def _none(column: pa.ChunkedArray) -> pa.Array:
    """Return an array of the column's type without values."""
    return pa.nulls(0, column.type)


def _has_lists_in_lists(type_: pa.DataType) -> bool:
    """Whether fixed-size lists of fixed-size lists are anywhere in *type_*."""
    if isinstance(type_, pa.BaseExtensionType):
        return _has_lists_in_lists(type_.storage_type)
    is_fixed = pa.types.is_fixed_size_list(type_)
    if is_fixed and pa.types.is_fixed_size_list(type_.value_type):
        return True
    inner: list[Any] = [type_.field(at).type for at in range(type_.num_fields)]
    return any(map(_has_lists_in_lists, inner))


_WIDE: Final = 4
"""Bytes of codes that text is looked up by; narrower ones are widened."""

_WORTH: Final = 1 << 12
"""Numbers that are worth loops; Arrow takes fewer in less time than loops take to begin."""


def items_at(items: pa.Array, numbers: pa.Array) -> pa.Array:
    """Return the items with these *numbers*, integers that the caller has checked."""
    if len(numbers) < _WORTH:
        return items.take(numbers)
    is_number = pa.types.is_integer(items.type) or pa.types.is_floating(items.type)
    if numbers.null_count or items.null_count or not (is_number or is_text(items.type)):
        return items.take(numbers)
    codes = numbers.to_numpy()
    if is_number:
        found = items.to_numpy()
        out = empty(len(codes), found.dtype)
        np.take(found, codes, out=out, mode="clip")  # other modes make a copy first
        return pa.Array.from_buffers(items.type, len(codes), [None, pa.py_buffer(out)])
    wide = codes if codes.itemsize >= _WIDE else codes.astype(np.int32)
    return texts_of_codes(wide, items, items.type)
