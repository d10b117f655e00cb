"""Iceberg's types as Arrow's: the columns that scans give and that bounds are compared in.

    boolean, int, long, float, double  bool, int32, int64, float, double
    decimal(P, S)                      decimal128(P, S)
    date, time                         date32, time64[us]
    timestamp, timestamptz             timestamp[us], timestamp[us, UTC]
    timestamp_ns, timestamptz_ns       timestamp[ns], timestamp[ns, UTC]
    string                             large_string
    uuid, fixed[L]                     fixed_size_binary
    binary, geometry, geography        large_binary
    unknown                            null
    variant                            struct<metadata: large_binary, value: large_binary>
    struct, list, map                  struct, large_list, map

Field ids ride in the field metadata under ``PARQUET:field_id``, as pyarrow's own Parquet reader
puts them, and docs under ``doc``.

Source: Iceberg table spec, "Primitive Types".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow as pa

from byteloom.errors import Unsupported
from byteloom.iceberg.types import (
    DecimalType,
    FixedType,
    ListType,
    MapType,
    NestedField,
    StructType,
    Type,
)

if TYPE_CHECKING:
    from byteloom.iceberg.schema import Schema

__all__ = ["FIELD_ID", "arrow_field", "arrow_schema", "arrow_type"]

FIELD_ID: Final = b"PARQUET:field_id"

_PLAIN: Final[dict[str, pa.DataType]] = {
    "boolean": pa.bool_(),
    "int": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "date": pa.date32(),
    "time": pa.time64("us"),
    "timestamp": pa.timestamp("us"),
    "timestamptz": pa.timestamp("us", "UTC"),
    "timestamp_ns": pa.timestamp("ns"),
    "timestamptz_ns": pa.timestamp("ns", "UTC"),
    "string": pa.large_string(),
    "uuid": pa.binary(16),
    "binary": pa.large_binary(),
    "geometry": pa.large_binary(),
    "geography": pa.large_binary(),
    "unknown": pa.null(),
    "variant": pa.struct(
        [
            pa.field("metadata", pa.large_binary(), nullable=False),
            pa.field("value", pa.large_binary(), nullable=False),
        ]
    ),
}


def arrow_type(of: Type) -> pa.DataType:
    """Return the Arrow type of a column of type *of*; nested fields carry their ids."""
    if isinstance(of, StructType):
        return pa.struct([arrow_field(each) for each in of.fields])
    if isinstance(of, ListType):
        return pa.large_list(arrow_field(of.fields[0]))
    if isinstance(of, MapType):
        key, value = of.fields
        return pa.map_(arrow_field(key), arrow_field(value))
    if isinstance(of, DecimalType):
        return pa.decimal128(of.precision, of.scale)
    if isinstance(of, FixedType):
        return pa.binary(of.length)
    if (plain := _PLAIN.get(of.kind)) is None:
        raise Unsupported("type", None, str(of), "a type with a form in Arrow")
    return plain


def arrow_field(field: NestedField) -> pa.Field:
    """Return the Arrow field of *field*: its name, type, nullability, id and doc."""
    metadata = {FIELD_ID: str(field.id).encode()}
    if field.doc is not None:
        metadata[b"doc"] = field.doc.encode()
    nullable = not field.required
    return pa.field(field.name, arrow_type(field.type), nullable=nullable, metadata=metadata)


def arrow_schema(schema: Schema) -> pa.Schema:
    """Return the Arrow schema of a table's schema."""
    return pa.schema([arrow_field(each) for each in schema.fields])
