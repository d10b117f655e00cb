"""Columns with the same value in each row: partition values, defaults, nulls.

Source: Iceberg table spec, "Column Projection" and "Default Values".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from byteloom.iceberg.arrow_types import arrow_field, arrow_type
from byteloom.iceberg.transforms.arrays import storage_array
from byteloom.iceberg.types import ListType, MapType, StructType

if TYPE_CHECKING:
    from byteloom.iceberg.types import Type

__all__ = ["constant"]


def constant(of: Type, value: Any, length: int) -> pa.Array:
    """Return a column of *length* rows that all have one storage value, None for null."""
    if value is None:
        return pa.nulls(length, arrow_type(of))
    single = _array(of, [value])
    if of.is_primitive and of.kind != "variant":
        return pa.repeat(single[0], length)
    return single.take(pa.array(np.zeros(length, np.int64)))


def _array(of: Type, values: list[Any]) -> pa.Array:
    """Return an array of a few storage values."""
    is_null = pa.array([each is None for each in values], pa.bool_())
    if isinstance(of, StructType):
        fields = [arrow_field(each) for each in of.fields]
        held = [
            _array(each.type, [None if value is None else value.get(each.name) for value in values])
            for each in of.fields
        ]
        return pa.StructArray.from_arrays(held, fields=fields, mask=is_null)
    if isinstance(of, ListType):
        items = _array(of.element, [each for value in values for each in value or ()])
        offsets = pa.array(_offsets(values))
        return pa.LargeListArray.from_arrays(offsets, items, type=arrow_type(of), mask=is_null)
    if isinstance(of, MapType):
        pairs = [each for value in values for each in value or ()]
        keys, items = _array(of.key, [key for key, _ in pairs]), [each for _, each in pairs]
        offsets = pa.array(_offsets(values).astype(np.int32))
        return pa.MapArray.from_arrays(
            offsets, keys, _array(of.value, items), type=arrow_type(of), mask=is_null
        )
    return storage_array(of, values)


def _offsets(values: list[Any]) -> np.ndarray:
    """Return where the items of each value begin, and where the last end."""
    return np.cumsum([0, *(len(each or ()) for each in values)]).astype(np.int64)
