"""Iceberg's types as Arrow types: those of the columns of scans, in which bounds are compared.

The rules:

- ``specs/iceberg/types.yaml`` says which Arrow type each type becomes, as Arrow spells it.
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

__all__ = ["arrow_field", "arrow_schema", "arrow_type"]

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
