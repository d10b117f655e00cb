"""Rows of Arrow arrays by their numbers.

pyarrow 26.0.1 takes other rows than those asked for from an array that is a slice and has
fixed-size lists directly inside fixed-size lists.  Such arrays are copied first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    import numpy as np

__all__ = ["rows_at", "rows_of_table"]


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
