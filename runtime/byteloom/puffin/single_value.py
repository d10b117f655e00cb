"""Arrow columns as bytes: each value in Iceberg's single-value form.

- What is hashed into a sketch depends on the Iceberg type, not on how Arrow stores it: an int16
  column is an Iceberg int and has four bytes a value, and strings are UTF-8 in any layout.
- A unit is changed only where no value is lost; otherwise the column is refused.
- Dictionaries and run ends are never expanded: for distinct values each entry counts once.
- Buffers are read without copying.  Slices keep their offset, and null slots may have any bytes.

Source: https://iceberg.apache.org/spec/#binary-single-value-serialization
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import ArgumentError, FormatError, Unsupported, found_by
from byteloom.late import pc
from byteloom.puffin.hashed_columns import Bytes, Column, Decimals, Fixed, Words

if TYPE_CHECKING:
    from numpy.typing import NDArray


__all__ = ["iceberg_type_of", "single_values"]

_INTS: Final = {pa.int8(), pa.int16(), pa.int32(), pa.uint8(), pa.uint16()}

_INFERRED: Final[tuple[tuple[Callable[[Any], bool], str], ...]] = (
    (pa.types.is_null, "unknown"),
    (pa.types.is_boolean, "boolean"),
    (lambda t: t in _INTS, "int"),
    (pa.types.is_integer, "long"),
    (lambda t: pa.types.is_float16(t) or pa.types.is_float32(t), "float"),
    (pa.types.is_float64, "double"),
    (pa.types.is_date, "date"),
    (pa.types.is_time, "time"),
    (pa.types.is_string, "string"),
    (pa.types.is_large_string, "string"),
    (pa.types.is_string_view, "string"),
    (pa.types.is_fixed_size_binary, "fixed"),
    (pa.types.is_binary, "binary"),
    (pa.types.is_large_binary, "binary"),
    (pa.types.is_binary_view, "binary"),
)

_FROM: Final = {
    "unknown": {"unknown"},
    "boolean": {"boolean"},
    "int": {"int"},
    "long": {"int", "long"},
    "float": {"float"},
    "double": {"float", "double"},
    "decimal": {"decimal"},
    "date": {"date"},
    "time": {"time"},
    "timestamp": {"timestamp", "timestamp_ns"},
    "timestamptz": {"timestamptz", "timestamptz_ns"},
    "timestamp_ns": {"timestamp", "timestamp_ns"},
    "timestamptz_ns": {"timestamptz", "timestamptz_ns"},
    "string": {"string"},
    "uuid": {"uuid", "fixed", "binary"},
    "fixed": {"uuid", "fixed", "binary"},
    "binary": {"fixed", "binary"},
}
"""For each Iceberg type, the inferred types that can be read as it, or promoted to it."""

_LONGEST: Final = (1 << 31) - 1
"""Bytes of the longest value in Arrow's arrays of fixed-size values."""

_TYPE: Final = re.compile(r"(\w+)\s*(?:[\[(]\s*(\d+)\s*(?:,\s*(\d+)\s*)?[\])])?")


def iceberg_type_of(arrow_type: pa.DataType) -> str:
    """Return the Iceberg type of the values of a column of *arrow_type*, in the spec's spelling."""
    t = arrow_type
    if isinstance(t, pa.BaseExtensionType):
        return "uuid" if t.extension_name == "arrow.uuid" else iceberg_type_of(t.storage_type)
    if pa.types.is_dictionary(t) or pa.types.is_run_end_encoded(t):
        return iceberg_type_of(t.value_type)
    if pa.types.is_decimal(t):
        return f"decimal({t.precision}, {t.scale})"
    if pa.types.is_timestamp(t):
        return f"timestamp{'' if t.tz is None else 'tz'}{'_ns' if t.unit == 'ns' else ''}"
    for matches, name in _INFERRED:
        if matches(t):
            return f"fixed[{t.byte_width}]" if name == "fixed" else name
    raise Unsupported("column", None, str(t), "a type that Iceberg stores as a primitive")


def single_values(array: pa.Array, iceberg_type: str | None = None) -> Column:
    """Return the values of *array*, ready to be hashed; nulls are still among them.

    Args:
        iceberg_type: As Iceberg spells it (``long``, ``decimal(9, 2)``); inferred if None.
    """
    if not isinstance(array, pa.Array):
        raise ArgumentError("column", None, type(array).__name__, "an Arrow array")
    inferred = iceberg_type_of(array.type)
    name, length, scale = _parse(inferred if iceberg_type is None else iceberg_type)
    if _parse(inferred)[0] not in _FROM[name]:
        raise ArgumentError("column", None, str(array.type), f"an Arrow type that holds {name}")
    array = _plain(array)
    if name == "decimal":
        return _decimals(array, length, scale)
    if name in {"uuid", "fixed", "binary", "string"}:
        return _bytes(array, 16 if name == "uuid" else length)
    return _words(array, name)


def _parse(iceberg_type: object) -> tuple[str, int | None, int | None]:
    match = _TYPE.fullmatch(iceberg_type.strip()) if isinstance(iceberg_type, str) else None
    if match is None or match[1] not in _FROM:
        raise _not_spelt(iceberg_type)
    length, scale = (int(part) if part else None for part in match.group(2, 3))
    if (match[1] == "decimal") != (scale is not None) or (length or 0) > _LONGEST:
        raise _not_spelt(iceberg_type)
    return match[1], length, scale


def _not_spelt(iceberg_type: object) -> FormatError:
    return ArgumentError(
        "iceberg_type", None, iceberg_type, "a primitive type as Iceberg spells it"
    )


def _plain(array: pa.Array) -> pa.Array:
    """Unwrap extension types, dictionaries and run ends; the distinct values stay the same."""
    while True:
        if isinstance(array.type, pa.BaseExtensionType):
            array = array.storage
        elif pa.types.is_dictionary(array.type):
            array = _used(array)
        elif pa.types.is_run_end_encoded(array.type):
            array = array.values.slice(array.find_physical_offset(), array.find_physical_length())
        else:
            return array


def _used(array: pa.DictionaryArray) -> pa.Array:
    """Return the entries of a dictionary that occur in the column."""
    try:
        return array.dictionary.take(pc.unique(array.indices))
    except pa.ArrowIndexError as error:
        found = found_by("an index outside the dictionary", error)
        raise ArgumentError("column", None, found, "indices into its dictionary") from error


def _cast(array: pa.Array, wanted: pa.DataType) -> pa.Array:
    """Convert *array* to the type *wanted* without changing a value."""
    if array.type == wanted:
        return array
    try:
        return array.cast(wanted)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        found = found_by(f"values of type {array.type}", error)
        raise ArgumentError("column", None, found, f"values that fit {wanted}") from error


def _words(array: pa.Array, name: str) -> Column:
    """Return values of 1, 4 or 8 bytes each."""
    if name in {"unknown", "boolean"}:
        array = _cast(array.unique(), pa.uint8())  # there are at most three distinct values
    else:
        array = _cast(array, _stored_as(name, array.type))
    size = array.type.bit_width // 8
    return Words(*_nulls(array), _rows(array, 1, f"<u{size}"), size)


def _stored_as(name: str, arrow_type: pa.DataType) -> pa.DataType:
    if name.startswith("timestamp"):
        return pa.timestamp("ns" if name.endswith("_ns") else "us", arrow_type.tz)
    return {
        "int": pa.int32(),
        "long": pa.int64(),
        "float": pa.float32(),
        "double": pa.float64(),
        "date": pa.date32(),
        "time": pa.time64("us"),
    }[name]


def _bytes(array: pa.Array, length: int | None) -> Column:
    """Return values of bytes; *length* is the size that each must have, or None."""
    t = array.type
    if length is not None and not pa.types.is_fixed_size_binary(t):
        array = _cast(array, pa.binary(length))
    elif pa.types.is_binary_view(t) or pa.types.is_string_view(t):
        array = _cast(array, pa.large_binary())
    t = array.type
    if not pa.types.is_fixed_size_binary(t):
        wide = pa.types.is_large_binary(t) or pa.types.is_large_string(t)
        offsets = _rows(array, 1, "<i8" if wide else "<i4", extra=1)
        return Bytes(*_nulls(array), offsets, _view(array.buffers()[2], "u1"))
    if length not in {None, t.byte_width}:
        raise ArgumentError("column", None, str(t), f"{length} bytes a value")
    return Fixed(*_nulls(array), _rows(array, 1, "u1", each=t.byte_width), t.byte_width)


def _decimals(array: pa.Array, precision: int | None, scale: int | None) -> Column:
    """Return decimals in as few bytes as they need; the other arguments are the Iceberg type's."""
    t = array.type
    if (precision, scale) != (t.precision, t.scale):
        array = _cast(array, _decimal(precision, scale))
    words, part = divmod(array.type.bit_width, 64)
    if part:
        return Decimals(
            *_nulls(array), _rows(array, 1, "<i4").astype("<i8").view("<u8").reshape(-1, 1)
        )
    return Decimals(*_nulls(array), _rows(array, 1, "<u8", each=words).reshape(-1, words))


def _decimal(precision: int | None, scale: int | None) -> pa.DataType:
    try:
        return pa.decimal128(precision, scale)
    except ValueError as error:
        raise _not_spelt(f"decimal({precision}, {scale})") from error


def _rows(
    array: pa.Array, index: int, dtype: str, *, each: int = 1, extra: int = 0
) -> NDArray[Any]:
    """Return the numbers in buffer *index* of *array*: *each* per row, and *extra* at the end."""
    buffer = array.buffers()[index]
    if len(array) == 0 or buffer is None:
        return _view(None, dtype)
    return _view(buffer, dtype, len(array) * each + extra, array.offset * each)


def _view(buffer: pa.Buffer | None, dtype: str, count: int = -1, first: int = 0) -> NDArray[Any]:
    """Return numbers of *buffer* from *first* on, read-only, as kernels expect them."""
    raw = b"" if buffer is None or buffer.size == 0 else buffer
    try:
        view = np.frombuffer(raw, dtype, count, first * np.dtype(dtype).itemsize)
    except ValueError as error:
        raise ArgumentError(
            "column", None, f"a buffer of {len(raw)} bytes", f"{count} values"
        ) from error
    view.setflags(write=False)
    return view


def _nulls(array: pa.Array) -> tuple[int, NDArray[np.uint8]]:
    """Return the offset of *array*'s first validity bit, and the bytes; none if all are valid."""
    if array.null_count == 0 or pa.types.is_null(array.type):
        return array.offset, _view(None, "u1")
    return array.offset, _view(array.buffers()[0], "u1", (array.offset + len(array) + 7) // 8)
