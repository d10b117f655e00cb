"""Arrow's columns as Spark's: the types, and batches with exactly those.

Spark compares the schema of a batch with its own and refuses any difference, of lists and text with
64-bit offsets too.  The rules:

    unsigned integers      the next wider signed one; of 64 bits decimal(20, 0)
    16-bit floats          float
    text and bytes         string and binary, in whatever form Arrow has them; dictionaries decoded
    UUIDs                  string, as 8-4-4-4-12 hexadecimal digits
    times of day           time, or bigint of nanoseconds
    timestamps             timestamp with a zone, timestamp_ntz without one, in microseconds;
                           of nanoseconds a bigint, since Spark would drop three digits
    durations              interval day to second; of nanoseconds a bigint
    decimals               decimal of at most 38 digits
    lists, maps, structs   array, map, struct, of these
    variants               variant

- All columns are nullable: a file may have nulls in a required column, and Spark would then misread
  its rows.
- Other types are `Unsupported`; the error names the column, which can be left out.

Source: https://spark.apache.org/docs/latest/sql-ref-datatypes.html; PySpark's ``to_arrow_schema``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError, Unsupported, found_by
from byteloom.late import pc

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

__all__ = ["VARIANT", "arrow_schema_of", "conformed", "spark_schema", "wanted_schema"]

VARIANT: Final = {b"variant": b"true"}
"""Metadata of the field ``metadata`` in a struct by which Spark marks a variant."""

_MOST: Final = 1 << 30
"""Most bytes of a batch: offsets of Spark's text have 31 bits."""

_MOST_DIGITS: Final = 38
_UUID_GROUPS: Final = ((0, 4), (4, 6), (6, 8), (8, 10), (10, 16))
_UUID_BYTES: Final = 16

_PLAIN: Final[dict[pa.DataType, pa.DataType]] = {
    **{
        each: each
        for each in (
            pa.null(),
            pa.bool_(),
            pa.int8(),
            pa.int16(),
            pa.int32(),
            pa.int64(),
            pa.float32(),
            pa.float64(),
            pa.date32(),
        )
    },
    pa.uint8(): pa.int16(),
    pa.uint16(): pa.int32(),
    pa.uint32(): pa.int64(),
    pa.uint64(): pa.decimal128(20, 0),
    pa.float16(): pa.float32(),
    pa.date64(): pa.date32(),
    **dict.fromkeys((pa.string(), pa.large_string(), pa.string_view()), pa.string()),
    **dict.fromkeys((pa.binary(), pa.large_binary(), pa.binary_view()), pa.binary()),
    **dict.fromkeys(
        (pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns")), pa.time64("ns")
    ),
}


def wanted_schema(schema: pa.Schema) -> pa.Schema:
    """Return the schema that Spark wants of batches whose columns are those of *schema*.

    Raises:
        Unsupported: A column of a type that Spark has no equal of.
    """
    return pa.schema([pa.field(each.name, _wanted(each.type, each.name)) for each in schema])


def spark_schema(schema: pa.Schema) -> StructType:
    """Return Spark's schema for the columns of *schema*; their ``doc`` becomes the comment.

    Raises:
        Unsupported: A column of a type that Spark has no equal of.
    """
    from pyspark.sql.pandas.types import from_arrow_schema

    made = from_arrow_schema(wanted_schema(schema))
    for field, each in zip(schema, made.fields, strict=True):
        doc = (field.metadata or {}).get(b"doc")
        if doc is not None:
            each.metadata = {"comment": doc.decode("utf-8", "replace")}
    return made


def arrow_schema_of(schema: StructType) -> pa.Schema:
    """Return the columns of the batches that Spark passes to a sink for a DataFrame of *schema*.

    Raises:
        FormatError: Two columns with the same name, which Spark's own sinks refuse as well.
        Unsupported: A column of a type that Spark cannot convert to Arrow, such as intervals of
            months.
    """
    from pyspark.errors import PySparkTypeError
    from pyspark.sql.pandas.types import to_arrow_type

    for name, count in Counter(schema.names).items():
        if count > 1:
            raise FormatError(f"column {name}", None, f"{count} of that name", "one")
    fields = []
    for each in schema:
        try:
            of = to_arrow_type(each.dataType, timezone="UTC")
        except PySparkTypeError as error:
            wanted = "a type that Spark has as Arrow; cast it to another"
            found = each.dataType.simpleString()
            raise Unsupported(f"column {each.name}", None, found, wanted) from error
        fields.append(pa.field(each.name, of, each.nullable))
    return pa.schema(fields)


def conformed(
    batches: Iterable[pa.RecordBatch], schema: pa.Schema, *, most: int = _MOST
) -> Iterator[pa.RecordBatch]:
    """Yield *batches* with the types of *schema*, without a copy where the bytes are the same.

    Args:
        schema: One that `wanted_schema` returned; each batch has its columns in their order.
        most: Most bytes of a batch; a larger one is divided.

    Raises:
        FormatError: A value that Spark's type cannot have; names the column.
    """
    for batch in batches:
        for part in _divided(batch, most):
            columns = [
                _column(array, field) for array, field in zip(part.columns, schema, strict=True)
            ]
            yield pa.RecordBatch.from_arrays(columns, schema=schema)


def _divided(batch: pa.RecordBatch, most: int) -> Iterator[pa.RecordBatch]:
    """Yield a batch in parts of about *most* bytes, each with copies of its values."""
    parts = -(-batch.nbytes // most)
    if parts <= 1 or batch.num_rows <= 1:
        yield batch
        return
    for rows in np.array_split(np.arange(batch.num_rows), parts):
        if len(rows):
            yield batch.take(pa.array(rows))


def _column(array: pa.Array, field: pa.Field) -> pa.Array:
    """Return a column in the type of a field of Spark's schema."""
    try:
        return _conformed(array, field.type)
    except (pa.ArrowException, ValueError, OverflowError) as error:
        found = found_by(f"a value of {array.type} outside of its range", error)
        raise FormatError(field.name, None, found, f"one that {field.type} has") from error


# ------------------------------------------------------------------------------------- types


def _wanted(of: Any, path: str) -> pa.DataType:
    """Return the type in Spark's batches of a column of type *of*."""
    types = pa.types
    found: pa.DataType | None
    if _is_uuid(of):
        found = pa.string()
    elif isinstance(of, pa.BaseExtensionType):
        found = _wanted(of.storage_type, path)
    elif types.is_dictionary(of) or types.is_run_end_encoded(of):
        found = _wanted(of.value_type, path)
    elif types.is_fixed_size_binary(of):
        found = pa.binary()
    elif types.is_decimal(of):
        found = _wanted_decimal(of)
    elif types.is_timestamp(of):
        zoned = pa.timestamp("us", None if of.tz is None else "UTC")
        found = pa.int64() if of.unit == "ns" else zoned
    elif types.is_duration(of):
        found = pa.int64() if of.unit == "ns" else pa.duration("us")
    else:
        found = _wanted_nested(of, path) if of.num_fields else _PLAIN.get(of)
    if found is None:
        wanted = "a type that Spark has; name the other columns to leave it out"
        raise Unsupported(f"column {path}", None, str(of), wanted)
    return found


def _wanted_decimal(of: Any) -> pa.DataType | None:
    """Return Spark's type for a decimal, whose scale is 0 to its precision; None if too long."""
    scale = max(of.scale, 0)
    precision = max(of.precision - min(of.scale, 0), scale)
    return pa.decimal128(precision, scale) if precision <= _MOST_DIGITS else None


def _wanted_nested(of: Any, path: str) -> pa.DataType | None:
    """Return Spark's type for a nested type; None for a union."""
    types = pa.types
    if types.is_struct(of):
        if _is_variant(of):
            marked = pa.field("metadata", pa.binary(), nullable=False, metadata=VARIANT)
            return pa.struct([pa.field("value", pa.binary(), nullable=False), marked])
        return pa.struct(
            [pa.field(each.name, _wanted(each.type, f"{path}.{each.name}")) for each in of]
        )
    if types.is_map(of):
        key = pa.field("key", _wanted(of.key_type, f"{path}.key"), nullable=False)
        return pa.map_(key, pa.field("value", _wanted(of.item_type, f"{path}.value")))
    if types.is_union(of):
        return None
    return pa.list_(pa.field("element", _wanted(of.value_type, f"{path}.element")))


def _is_variant(of: Any) -> bool:
    """Return whether a struct is marked as a variant."""
    marks = [each.metadata or {} for each in of if each.name == "metadata"]
    return any(each.items() >= VARIANT.items() for each in marks)


def _is_uuid(of: Any) -> bool:
    """Return whether an extension type is Arrow's own for UUIDs."""
    return getattr(of, "extension_name", "") == "arrow.uuid"


# ------------------------------------------------------------------------------------- values


def _conformed(array: Any, wanted: Any) -> pa.Array:
    """Return an array in Spark's type *wanted*."""
    of, types = array.type, pa.types
    found: pa.Array
    if isinstance(of, pa.BaseExtensionType):
        found = _conformed(array.storage, wanted)
    elif types.is_run_end_encoded(of):
        found = _conformed(pc.run_end_decode(array), wanted)
    elif types.is_dictionary(of):
        found = _conformed(array.dictionary, wanted).take(array.indices)
    elif types.is_struct(wanted):
        found = _struct(array, wanted)
    elif types.is_map(wanted):
        keys, values = wanted.key_field, wanted.item_field
        inner = [_conformed(array.keys, keys.type), _conformed(array.items, values.type)]
        entries = pa.StructArray.from_arrays(inner, fields=[keys, values])
        found = _with_offsets(array, wanted, entries)
    elif types.is_list(wanted):
        plain = array if types.is_list(of) else array.cast(pa.list_(of.value_field))
        found = _with_offsets(plain, wanted, _conformed(plain.values, wanted.value_type))
    elif types.is_string(wanted) and types.is_fixed_size_binary(of):
        found = _uuid_texts(array)
    else:
        found = array if of == wanted else array.cast(wanted)
    return found


def _struct(array: Any, wanted: Any) -> pa.Array:
    """Return a struct with its fields in the order of *wanted*."""
    inner = [
        _conformed(array.field(array.type.get_field_index(each.name)), each.type) for each in wanted
    ]
    if not inner:
        return array
    mask = array.is_null() if array.null_count else None
    if mask is not None:  # a field that Spark takes for required gets a value inside null structs
        inner = [
            each if field.nullable else pc.fill_null(each, b"")
            for each, field in zip(inner, wanted, strict=True)
        ]
    return pa.StructArray.from_arrays(inner, fields=list(wanted), mask=mask)


def _with_offsets(array: Any, wanted: pa.DataType, values: pa.Array) -> pa.Array:
    """Return a list or map with other values, divided among the rows like those of *array*."""
    buffers = array.buffers()[:2]
    return pa.Array.from_buffers(
        wanted, len(array), buffers, array.null_count, array.offset, [values]
    )


def _uuid_texts(array: Any) -> pa.Array:
    """Return UUIDs as text: ``f79c3e09-677c-4bbd-a479-3f349cb785e7``."""
    if array.type.byte_width != _UUID_BYTES:
        raise ValueError(f"{array.type.byte_width} bytes are not a UUID")
    buffer = array.buffers()[1]
    count, first = len(array), array.offset
    held = np.frombuffer(buffer, np.uint8) if buffer is not None else np.zeros(0, np.uint8)
    held = held[_UUID_BYTES * first : _UUID_BYTES * (first + count)].reshape(count, _UUID_BYTES)
    digits = np.frombuffer(b"0123456789abcdef", np.uint8)
    both = np.stack([digits[held >> 4], digits[held & 15]], axis=-1).reshape(count, -1)
    dash = np.full((count, 1), ord("-"), np.uint8)
    parts: list[Any] = [both[:, 2 * start : 2 * end] for start, end in _UUID_GROUPS]
    dashed = [part for each in parts for part in (each, dash)][:-1]
    text = np.concatenate(dashed, axis=1)
    offsets = np.arange(count + 1, dtype=np.int32) * text.shape[1]
    made = pa.StringArray.from_buffers(count, pa.py_buffer(offsets), pa.py_buffer(text.tobytes()))
    return pc.if_else(array.is_valid(), made, None) if array.null_count else made
