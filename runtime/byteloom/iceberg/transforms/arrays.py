"""Transforms of whole Arrow columns, and of single values as columns of one.

The rules:

- Null gives null.  No Python object is made for a value, decimals aside.
- Division rounds down, so that what lies before 1970 falls into the unit it lies in.

Source: Iceberg table spec, "Partition Transforms".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from byteloom.errors import FormatError
from byteloom.iceberg.arrow_types import arrow_type
from byteloom.iceberg.datetimes import MICROS_PER_DAY, NANOS_PER_DAY
from byteloom.iceberg.transforms.hashing import as_words, hash_array
from byteloom.iceberg.transforms.transform import (
    Bucket,
    Day,
    Hour,
    Identity,
    TimeTransform,
    Transform,
    Truncate,
    Void,
)
from byteloom.iceberg.types import DecimalType, Type
from byteloom.iceberg.values import unscaled

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["apply_array", "apply_value", "storage_array", "storage_values"]

_DAY: Final = {
    "date": 1,
    "timestamp": MICROS_PER_DAY,
    "timestamptz": MICROS_PER_DAY,
    "timestamp_ns": NANOS_PER_DAY,
    "timestamptz_ns": NANOS_PER_DAY,
}
_HOURS: Final = 24


def apply_array(transform: Transform, source: Type, values: Any) -> Any:
    """Return what *transform* makes of a column.

    source       the column's Iceberg type
    values       `pyarrow.Array` or `pyarrow.ChunkedArray` of the Arrow type that goes with it
    returns      the same kind of array, of the Arrow type of `Transform.result_type`
    FormatError  a type that the transform does not take
    """
    if not transform.can_transform(source) or not transform.is_known:
        raise FormatError("transform", None, f"type {source}", f"one that {transform} takes")
    if isinstance(values, pa.ChunkedArray):
        made = [apply_array(transform, source, each) for each in values.chunks]
        return pa.chunked_array(made, arrow_type(transform.result_type(source)))
    return _APPLY[_kind(transform)](transform, source, values)


def apply_value(transform: Transform, source: Type, value: Any) -> Any:
    """Return what *transform* makes of one storage value: a storage value of the result type."""
    if value is None:
        return None
    made = apply_array(transform, source, storage_array(source, [value]))
    return storage_values(transform.result_type(source), made)[0]


def storage_array(of: Type, values: list[Any]) -> pa.Array:
    """Return an Arrow array of storage values."""
    made = arrow_type(of)
    if of.kind == "uuid":
        return pa.array([None if each is None else each.bytes for each in values], made)
    if pa.types.is_temporal(made):
        plain = pa.int32() if made.bit_width == pa.int32().bit_width else pa.int64()
        return pa.array(values, plain).view(made)
    return pa.array(values, made)


def storage_values(of: Type, values: pa.Array) -> list[Any]:
    """Return the storage values of an Arrow array."""
    from uuid import UUID

    if pa.types.is_temporal(values.type):
        plain = pa.int32() if values.type.bit_width == pa.int32().bit_width else pa.int64()
        values = values.view(plain)
    held = values.to_pylist()
    if of.kind == "uuid":
        return [None if each is None else UUID(bytes=each) for each in held]
    return list(held)


def _kind(transform: Transform) -> type[Transform]:
    """The class whose rule serves."""
    return TimeTransform if isinstance(transform, TimeTransform) else type(transform)


def _identity(_: Transform, __: Type, values: pa.Array) -> pa.Array:
    """The same."""
    return values


def _void(_: Transform, source: Type, values: pa.Array) -> pa.Array:
    """Nulls."""
    return pa.nulls(len(values), arrow_type(source))


def _bucket(transform: Transform, source: Type, values: pa.Array) -> pa.Array:
    """The hash without its sign, modulo the number of buckets."""
    assert isinstance(transform, Bucket)  # noqa: S101  by the table
    hashes = hash_array(source, values) & np.int32(0x7FFFFFFF)
    return _masked(hashes % np.int32(transform.buckets), values)


def _truncate(transform: Transform, source: Type, values: pa.Array) -> pa.Array:
    """Rounded down, or the first characters or bytes."""
    assert isinstance(transform, Truncate)  # noqa: S101  by the table
    width = transform.width
    if source.kind == "string":
        return pc.utf8_slice_codeunits(values, 0, width)
    if source.kind == "binary":
        return pc.binary_slice(values, 0, width)
    if isinstance(source, DecimalType):
        return _truncate_decimals(source, values, width)
    words = as_words(values)
    with np.errstate(over="ignore"):
        made = words - words % width
    if source.kind == "int":
        made = made.astype(np.int32)
    return _masked(made, values)


def _truncate_decimals(source: DecimalType, values: pa.Array, width: int) -> pa.Array:
    """Unscaled integers rounded down."""
    held = [None if each is None else unscaled(source, each) for each in values.to_pylist()]
    made = [None if each is None else each - each % width for each in held]
    from decimal import Decimal

    return pa.array(
        [None if each is None else Decimal(each).scaleb(-source.scale) for each in made],
        arrow_type(source),
    )


def _time(transform: Transform, source: Type, values: pa.Array) -> pa.Array:
    """Whole units from 1970."""
    words = as_words(values)
    if isinstance(transform, Hour):
        return _masked((words // (_DAY[source.kind] // _HOURS)).astype(np.int32), values)
    days = words // _DAY[source.kind]
    if isinstance(transform, Day):
        return _masked(days.astype(np.int32), values).view(pa.date32())
    assert isinstance(transform, TimeTransform)  # noqa: S101  by the table
    units = days.view("datetime64[D]").astype(f"datetime64[{transform.unit}]")
    return _masked(units.astype(np.int32), values)


def _masked(made: NDArray[Any], values: pa.Array) -> pa.Array:
    """Results, null where the values are."""
    mask = None if not values.null_count else values.is_null().to_numpy(zero_copy_only=False)
    return pa.array(made, mask=mask)


_APPLY: Final[dict[type[Transform], Callable[[Transform, Type, pa.Array], pa.Array]]] = {
    Identity: _identity,
    Void: _void,
    Bucket: _bucket,
    Truncate: _truncate,
    TimeTransform: _time,
}
