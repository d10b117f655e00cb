"""Iceberg's types as Arrow types, those of the columns of scans; and plain types of Arrow's back.

The rules:

- ``specs/iceberg/types.yaml`` says which Arrow type each type becomes, as Arrow spells it.
- Of Arrow's types, integers of fewer bits become the next wider type, and so do halves; layouts of
  text and bytes are one type.
- Text, bytes and lists use Arrow's large types; a variant is its metadata and its value.
- Field ids are in the field metadata under ``PARQUET:field_id``, as pyarrow's own Parquet reader
  has them, and docs under ``doc``.

Source: Iceberg table spec, "Primitive Types".
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from byteloom.datafiles.fields import FIELD_ID
from byteloom.iceberg.types import (
    MAX_DECIMAL_PRECISION,
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    IntegerType,
    ListType,
    LongType,
    MapType,
    NestedField,
    StringType,
    StructType,
    TimestampNsType,
    TimestampType,
    TimestamptzNsType,
    TimestamptzType,
    TimeType,
    Type,
    UuidType,
)

if TYPE_CHECKING:
    from byteloom.iceberg.schema import Schema

__all__ = ["arrow_field", "arrow_schema", "arrow_type", "plain_values", "primitive_of"]

_ZONED: Final = re.compile(r"timestamp\[(\w+), tz=(\w+)\]")
_FIXED: Final = re.compile(r"fixed_size_binary\[(\d+)\]")
_STRUCT: Final = re.compile(r"struct<(.+)>")
_FIELD: Final = re.compile(r"(\w+): (\w+)( not null)?(?:, |$)")


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
    return _plain(of.row.arrow)


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


@lru_cache(maxsize=64)
def _plain(text: str) -> pa.DataType:
    """Return the type that has this name in Arrow."""
    if found := _ZONED.fullmatch(text):
        return pa.timestamp(found[1], found[2])
    if found := _FIXED.fullmatch(text):
        return pa.binary(int(found[1]))
    if found := _STRUCT.fullmatch(text):
        return pa.struct(
            [
                pa.field(name, pa.type_for_alias(of), nullable=not is_required)
                for name, of, is_required in _FIELD.findall(found[1])
            ]
        )
    return pa.type_for_alias(text)


def plain_values(of: pa.DataType) -> pa.DataType:
    """Return the type of the values of dictionaries and of extensions, but for ``arrow.uuid``."""
    if isinstance(of, pa.BaseExtensionType):
        return of if of.extension_name == _UUID else plain_values(of.storage_type)
    return plain_values(of.value_type) if pa.types.is_dictionary(of) else of


def primitive_of(of: pa.DataType) -> Type | None:
    """Return the primitive type that has all values of an Arrow type; None if there is none."""
    plain = plain_values(of)
    if isinstance(plain, pa.BaseExtensionType):
        return UuidType()
    if pa.types.is_fixed_size_binary(plain):
        return FixedType(plain.byte_width)
    if pa.types.is_decimal(plain):
        is_known = 0 <= plain.scale <= plain.precision <= MAX_DECIMAL_PRECISION
        return DecimalType(plain.precision, plain.scale) if is_known else None
    if pa.types.is_timestamp(plain):
        return _MOMENTS[plain.unit == "ns", plain.tz is not None]
    return _PRIMITIVES.get(plain)


_UUID: Final = "arrow.uuid"
_MOMENTS: Final[dict[tuple[bool, bool], Type]] = {
    (False, False): TimestampType(),
    (False, True): TimestamptzType(),
    (True, False): TimestampNsType(),
    (True, True): TimestamptzNsType(),
}
"""Iceberg's timestamp types, by whether they have nanoseconds and whether they have a zone."""

_PRIMITIVES: Final[dict[pa.DataType, Type]] = {
    pa.bool_(): BooleanType(),
    **dict.fromkeys([pa.int8(), pa.int16(), pa.int32(), pa.uint8(), pa.uint16()], IntegerType()),
    **dict.fromkeys([pa.uint32(), pa.int64()], LongType()),
    **dict.fromkeys([pa.float16(), pa.float32()], FloatType()),
    pa.float64(): DoubleType(),
    **dict.fromkeys([pa.string(), pa.large_string(), pa.string_view()], StringType()),
    **dict.fromkeys([pa.binary(), pa.large_binary(), pa.binary_view()], BinaryType()),
    pa.date32(): DateType(),
    **dict.fromkeys([pa.time32("s"), pa.time32("ms"), pa.time64("us")], TimeType()),
}
