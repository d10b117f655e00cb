"""Transforms of whole Arrow columns, and of single values as columns of one.

The rules:

- Null stays null. No Python object is made for a value, and no copy of a column that can be used
  as it is.
- Division rounds down, so that moments before 1970 fall into the right unit.
- Dictionaries are transformed once for each of their values; other layouts of a type, and other
  units of time, are converted to the type's own.
- A multiple of the width below the least int or long does not exist; as in Java the result wraps
  around to a positive one, so that all writers put such rows into the same partition.
- ``specs/iceberg/types.yaml`` says how each type is hashed; this includes floats and booleans,
  which no bucket transform takes.

Source: Iceberg table spec, "Partition Transforms" and "Appendix B: 32-bit Hash Requirements".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError, Unsupported
from byteloom.iceberg.arrow_types import arrow_type
from byteloom.iceberg.transforms.buffers import decimal_words, fixed_values, runs, with_nulls_of
from byteloom.iceberg.transforms.transform import (
    Bucket,
    Hour,
    Identity,
    Month,
    TimeTransform,
    Transform,
    Truncate,
    Void,
    Year,
)
from byteloom.iceberg.types import MAX_DECIMAL_PRECISION, DecimalType, Type
from byteloom.kernels import transforms
from byteloom.kernels.transforms import (
    buckets,
    hash_decimals,
    hash_runs,
    hash_words,
    round_down,
    truncate_decimals,
)
from byteloom.late import pc

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


__all__ = ["apply_array", "apply_value", "hash_array", "storage_array", "storage_values"]

_TEXTS: Final = frozenset({"string", "binary"})
_MONTHS: Final = 12


def apply_array(transform: Transform, source: Type, values: Any) -> Any:
    """Return a column transformed by *transform*.

    Args:
        transform: The transform.
        source: The column's Iceberg type.
        values: `pyarrow.Array` or `pyarrow.ChunkedArray` of the Arrow type for *source*.

    Returns:
        The same kind of array, of the Arrow type of `Transform.result_type`.

    Raises:
        FormatError: A type to which the transform cannot be applied.
    """
    if not transform.can_transform(source) or not transform.is_known:
        raise FormatError(
            "transform", None, f"type {source}", f"a type to which {transform} can be applied"
        )
    if isinstance(values, pa.ChunkedArray):
        made = [apply_array(transform, source, each) for each in values.chunks]
        return pa.chunked_array(made, made[0].type if made else _result(transform, source))
    if pa.types.is_dictionary(values.type):
        made = apply_array(transform, source, values.dictionary)
        return made.take(values.indices)
    return _APPLY[_kind(transform)](transform, source, _plain(source, values))


def _result(transform: Transform, source: Type) -> pa.DataType:
    """Return the Arrow type of the results of a transform."""
    return arrow_type(transform.result_type(source))


def _plain(source: Type, values: pa.Array) -> pa.Array:
    """Return a column in its type's own layout; text and bytes may be large or small."""
    if isinstance(values, pa.ExtensionArray):
        values = values.storage
    wanted = arrow_type(source)
    small = {pa.string(), pa.binary()} if source.kind in _TEXTS else set()
    if values.type == wanted or values.type in small:
        return values
    try:
        return values.cast(wanted)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        found = f"Arrow type {values.type}"
        raise FormatError("transform", None, found, f"{wanted}, for type {source}") from error


def apply_value(transform: Transform, source: Type, value: Any) -> Any:
    """Return one storage value transformed: a storage value of the result type."""
    if value is None:
        return None
    made = apply_array(transform, source, storage_array(source, [value]))
    return storage_values(transform.result_type(source), made)[0]


def storage_array(of: Type, values: list[Any]) -> pa.Array:
    """Return an Arrow array of storage values.

    Decimals may have one more digit than their type, since rounding down can add one.
    """
    made = arrow_type(of)
    if isinstance(of, DecimalType):
        wide = pa.array(values, pa.decimal128(MAX_DECIMAL_PRECISION, of.scale))
        return pa.Array.from_buffers(made, len(wide), wide.buffers())
    if of.kind == "uuid":
        return pa.array([None if each is None else each.bytes for each in values], made)
    if pa.types.is_temporal(made):
        plain = pa.int32() if made.bit_width == pa.int32().bit_width else pa.int64()
        return pa.array(values, plain).view(made)
    return pa.array(values, made)


def storage_values(of: Type, values: pa.Array) -> list[Any]:
    """Return the storage values of an Arrow array."""
    if pa.types.is_temporal(values.type):
        plain = pa.int32() if values.type.bit_width == pa.int32().bit_width else pa.int64()
        values = values.view(plain)
    held = values.to_pylist()
    if of.kind == "uuid":
        return [None if each is None else UUID(bytes=each) for each in held]
    return list(held)


def _kind(transform: Transform) -> type[Transform]:
    """Return the class that implements the transform."""
    return TimeTransform if isinstance(transform, TimeTransform) else type(transform)


def _identity(_: Transform, __: Type, values: pa.Array) -> pa.Array:
    """Return the column unchanged."""
    return values


def _void(_: Transform, source: Type, values: pa.Array) -> pa.Array:
    """Return nulls."""
    return pa.nulls(len(values), arrow_type(source))


def _bucket(transform: Transform, source: Type, values: pa.Array) -> pa.Array:
    """Return the hash, with its sign bit cleared, modulo the number of buckets."""
    assert isinstance(transform, Bucket)  # noqa: S101  by the table
    hashes = hash_array(source, values)
    buckets(hashes.view(np.uint32), transform.buckets, hashes)
    return with_nulls_of(values, hashes, pa.int32())


def _truncate(transform: Transform, source: Type, values: pa.Array) -> pa.Array:
    """Return numbers rounded down, or the first characters or bytes."""
    assert isinstance(transform, Truncate)  # noqa: S101  by the table
    width = transform.width
    if source.kind == "string":
        return pc.utf8_slice_codeunits(values, 0, width)
    if source.kind == "binary":
        return pc.binary_slice(values, 0, width)
    if isinstance(source, DecimalType):
        words = decimal_words(values)
        made = np.empty_like(words)
        truncate_decimals(words, width, made)
    else:
        held = fixed_values(values, np.int32 if source.kind == "int" else np.int64)
        made = np.empty_like(held)
        round_down(held, width, made)
    return with_nulls_of(values, made, values.type)


def _time(transform: Transform, source: Type, values: pa.Array) -> pa.Array:
    """Return whole units since 1970."""
    made = np.empty(len(values), np.int32)
    if isinstance(transform, Hour):
        hours = transforms.hours_of_nanos if source.row.unit == "ns" else transforms.hours_of_micros
        hours(fixed_values(values, np.int64), made)
        return with_nulls_of(values, made, pa.int32())
    days = _days(source, values)
    if not isinstance(transform, Month | Year):
        return with_nulls_of(values, days, pa.date32())
    transforms.months_of_days(days, made)
    if isinstance(transform, Year):
        made //= _MONTHS
    return with_nulls_of(values, made, pa.int32())


def _days(source: Type, values: pa.Array) -> NDArray[np.int32]:
    """Return the day of each date or timestamp."""
    if source.kind == "date":
        return fixed_values(values, np.int32)
    days = np.empty(len(values), np.int32)
    of_moments = transforms.days_of_nanos if source.row.unit == "ns" else transforms.days_of_micros
    of_moments(fixed_values(values, np.int64), days)
    return days


_APPLY: Final[dict[type[Transform], Callable[[Transform, Type, pa.Array], pa.Array]]] = {
    Identity: _identity,
    Void: _void,
    Bucket: _bucket,
    Truncate: _truncate,
    TimeTransform: _time,
}


_NAN_BITS: Final = 0x7FF8000000000000


def hash_array(source: Type, values: pa.Array) -> NDArray[np.int32]:
    """Return int32[row]: the hash of each value; arbitrary for nulls.

    Args:
        values: Of the Arrow type for *source*; text and bytes in any of Arrow's layouts.

    Raises:
        Unsupported: A type that the spec does not hash.
    """
    hashes, hashed_as = np.empty(len(values), np.uint32), source.row.hash
    if hashed_as == "run":
        hash_runs(*runs(values), hashes)
    elif hashed_as == "decimal":
        hash_decimals(decimal_words(values), hashes)
    else:
        hash_words(_words(source, values), hashes)
    return hashes.view(np.int32)


def _words(source: Type, values: pa.Array) -> NDArray[Any]:
    """Return values as integers that are hashed like longs."""
    match source.row.hash:
        case "word" if source.kind == "boolean":
            return fixed_values(values.cast(pa.int32()), np.int32)
        case "word":
            is_narrow = arrow_type(source).bit_width == 32  # noqa: PLR2004  bits
            return fixed_values(values, np.int32 if is_narrow else np.int64)
        case "nanos":
            return fixed_values(values, np.int64) // 1000
        case "float":
            return _double_bits(values)
    raise Unsupported("transform", None, f"type {source}", "a type that the spec hashes")


def _double_bits(values: pa.Array) -> NDArray[np.int64]:
    """Return the bits of doubles, with one form for both zeros and one for all NaNs."""
    doubles = fixed_values(values.cast(pa.float64()), np.float64)
    bits = doubles.view(np.int64).copy()
    bits[doubles == 0] = 0
    bits[np.isnan(doubles)] = _NAN_BITS
    return bits
