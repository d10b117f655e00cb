"""Fields of structs that are null, as writers of files want them.

The rules:

- A file has no value in a struct that is null. Arrow has one there, null or not.
- pyarrow's writer of Parquet refuses a required field with nulls, whatever is null above it.
- pyarrow's writer of ORC stores fields of structs in structs that are null, which then stand for
  those of later rows; and it takes the fields of other rows for structs in a slice.

Source: Arrow columnar format, "Struct Layout".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from byteloom.iceberg.arrow_types import arrow_type
from byteloom.late import pc

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom.iceberg.types import Type

__all__ = ["nulls_of", "with_null_fields", "with_valid_fields", "without_nulls"]


def nulls_of(of: Type, rows: int) -> pa.Array:
    """Return nulls of a type; required fields of structs have no nulls of their own."""
    return _valid(pa.nulls(rows, arrow_type(of)))


def without_nulls(array: pa.Array) -> pa.Array:
    """Return values of a required field, all of whose nulls are in null structs."""
    of = array.type
    if pa.types.is_struct(of):
        parts = [array.field(number) for number in range(of.num_fields)]
        return pa.StructArray.from_arrays(parts, fields=list(of))
    if pa.types.is_map(of):
        return pa.MapArray.from_arrays(array.offsets, array.keys, array.items, type=of)
    if pa.types.is_large_list(of):
        return pa.LargeListArray.from_arrays(array.offsets, array.values, type=of)
    held = [None, *array.buffers()[1:]]
    return pa.Array.from_buffers(of, len(array), held, offset=array.offset)


def with_valid_fields(rows: pa.Table) -> pa.Table:
    """Return rows in whose structs required fields have no nulls, as `with_null_fields` does."""
    return _with(rows, _has_required, _valid)


def with_null_fields(rows: pa.Table) -> pa.Table:
    """Return rows whose structs begin where their buffers do, with null fields where they are null.

    Args:
        rows: Rows whose nulls are all allowed.
    """
    return _with(rows, _has_structs, _plain_structs)


def _with(
    rows: pa.Table,
    is_one: Callable[[pa.DataType], bool],
    change: Callable[[pa.Array], pa.Array],
) -> pa.Table:
    """Return rows with some columns changed chunk by chunk."""
    columns = list(rows.columns)
    for number, column in enumerate(columns):
        if is_one(column.type):
            columns[number] = pa.chunked_array(map(change, column.chunks), column.type)
    return pa.Table.from_arrays(columns, schema=rows.schema)


def _has_structs(of: pa.DataType) -> bool:
    """Return whether a type is a struct, or has one in it."""
    return pa.types.is_struct(of) or any(map(_has_structs, _inner(of)))


def _has_required(of: pa.DataType) -> bool:
    """Return whether a type has a struct with a required field in it."""
    fields = [of.field(number) for number in range(of.num_fields)]
    is_one = pa.types.is_struct(of) and not all(each.nullable for each in fields)
    return is_one or any(map(_has_required, _inner(of)))


def _inner(of: pa.DataType) -> list[pa.DataType]:
    return [of.field(number).type for number in range(of.num_fields)]


def _valid(array: pa.Array) -> pa.Array:
    """Return an array in whose structs required fields have no nulls where the struct is null."""
    of = array.type
    if not _has_required(of):
        return array
    if pa.types.is_struct(of):
        fields, valid = list(of), array.is_valid()
        parts = [_valid(array.field(number)) for number in range(of.num_fields)]
        for number, part in enumerate(parts):
            is_hidden = not pc.any(pc.and_(part.is_null(), valid)).as_py()
            if not fields[number].nullable and part.null_count and is_hidden:
                parts[number] = without_nulls(part)
        return pa.StructArray.from_arrays(parts, fields=fields, mask=array.is_null())
    return _rebuilt(array, _valid)


def _plain_structs(array: pa.Array) -> pa.Array:
    """Return an array with other structs in it, as `with_null_fields` does."""
    of = array.type
    if not _has_structs(of):
        return array.take(pa.array(np.arange(len(array)))) if array.offset else array
    if pa.types.is_struct(of):
        fields = [_plain_structs(each) for each in array.flatten()]
        return pa.StructArray.from_arrays(fields, fields=list(of), mask=array.is_null())
    return _rebuilt(array, _plain_structs)


def _rebuilt(array: pa.Array, change: Callable[[pa.Array], pa.Array]) -> pa.Array:
    """Return lists or maps with what is in them changed."""
    of = array.type
    if array.offset:
        array = array.take(pa.array(np.arange(len(array))))
    if pa.types.is_map(of):
        inner = change(array.keys), change(array.items)
        return pa.MapArray.from_arrays(array.offsets, *inner, type=of, mask=array.is_null())
    values = change(array.values)
    return pa.LargeListArray.from_arrays(array.offsets, values, type=of, mask=array.is_null())
