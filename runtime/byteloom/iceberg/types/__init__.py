"""Iceberg's types: what values a column has, and how a type is written.

The rules:

- A type is a value: two types are equal if they describe the same values.
- The facts about a type from the spec's tables are in its `Type.row`, and nowhere else.
- A primitive type is written as text (``decimal(9, 2)``), a nested one as a JSON object
  (`byteloom.iceberg.type_json`).  ``str(type)`` is that text; for a nested type it is only for
  people to read.
- A field is identified by its id; names may change.

Source: Iceberg table spec, "Schemas and Data Types".
"""

from __future__ import annotations

from byteloom.iceberg.types.nested import (
    ListType,
    MapType,
    NestedField,
    NestedType,
    StructType,
    parse_primitive,
)
from byteloom.iceberg.types.primitive import (
    MAX_DECIMAL_PRECISION,
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    GeographyType,
    GeometryType,
    IntegerType,
    LongType,
    PrimitiveType,
    StringType,
    TimestampNsType,
    TimestampType,
    TimestamptzNsType,
    TimestamptzType,
    TimeType,
    Type,
    UnknownType,
    UuidType,
    VariantType,
)

__all__ = [
    "MAX_DECIMAL_PRECISION",
    "BinaryType",
    "BooleanType",
    "DateType",
    "DecimalType",
    "DoubleType",
    "FixedType",
    "FloatType",
    "GeographyType",
    "GeometryType",
    "IntegerType",
    "ListType",
    "LongType",
    "MapType",
    "NestedField",
    "NestedType",
    "PrimitiveType",
    "StringType",
    "StructType",
    "TimeType",
    "TimestampNsType",
    "TimestampType",
    "TimestamptzNsType",
    "TimestamptzType",
    "Type",
    "UnknownType",
    "UuidType",
    "VariantType",
    "parse_primitive",
]


def __dir__() -> list[str]:
    return __all__
