"""Arrow's types as Iceberg's: the schema of a new table, and what rows to be written have.

The rules:

- Integers of fewer bits become the next wider type, and so do halves. Dictionaries count as their
  values, and layouts of text, bytes and lists as one.
- A type whose values Iceberg has no type for is refused: unsigned integers of 64 bits, durations.

Source: Iceberg table spec, "Primitive Types" and "Nested Types".
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from byteloom.errors import Unsupported
from byteloom.iceberg.evolution import with_fresh_ids
from byteloom.iceberg.schema import Schema
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
    UnknownType,
    UuidType,
)

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["fields_of", "schema_of", "type_of"]

_UUID: Final = "arrow.uuid"
_NO_ID: Final = 0
"""The id of a field before it is given one."""


def schema_of(columns: pa.Schema) -> Schema:
    """Return the schema of a table for rows of an Arrow schema, with new ids.

    Args:
        columns: The Arrow schema; ids in it are ignored.

    Returns:
        The schema, with ids from 1 in the order in which Java gives them.

    Raises:
        Unsupported: A type that Iceberg does not have.
    """
    ids = count(1)
    made = with_fresh_ids(StructType(fields_of(columns)), lambda: next(ids))
    assert isinstance(made, StructType)  # noqa: S101  as it was
    return Schema(made.fields)


def fields_of(columns: pa.Schema | pa.StructType) -> tuple[NestedField, ...]:
    """Return fields without ids for the columns of a schema, or the fields of a struct."""
    return tuple(_field(columns.field(number)) for number in range(len(columns)))


def _field(of: pa.Field) -> NestedField:
    """Return a field without an id."""
    doc = (of.metadata or {}).get(b"doc")
    return NestedField(
        _NO_ID,
        of.name,
        type_of(of.type, of.name),
        not of.nullable,
        None if doc is None else doc.decode(errors="replace"),
    )


def type_of(of: pa.DataType, name: str) -> Type:
    """Return the type of Iceberg that has the values of an Arrow type; inner fields have no ids.

    Args:
        of: The Arrow type.
        name: The column, for the error.

    Raises:
        Unsupported: There is none.
    """
    if pa.types.is_dictionary(of) or pa.types.is_run_end_encoded(of):
        return type_of(of.value_type, name)
    if isinstance(of, pa.BaseExtensionType):
        return UuidType() if of.extension_name == _UUID else type_of(of.storage_type, name)
    found = _nested(of, name) or _sized(of)
    if found is None:
        found = next((each for is_kind, each in _PLAIN if is_kind(of)), None)
    if found is None:
        raise Unsupported(f"column {name}", None, f"Arrow's {of}", "a type that Iceberg has")
    return found


def _nested(of: pa.DataType, name: str) -> Type | None:
    """Return the type of structs, lists and maps; None for other types."""
    if pa.types.is_struct(of):
        return StructType(fields_of(of))
    if pa.types.is_map(of):
        key, value = type_of(of.key_type, name), type_of(of.item_type, name)
        return MapType(_NO_ID, key, _NO_ID, value, not of.item_field.nullable)
    if _is_list(of):
        return ListType(_NO_ID, type_of(of.value_type, name), not of.value_field.nullable)
    return None


def _sized(of: pa.DataType) -> Type | None:
    """Return the type of decimals, bytes of fixed width and moments; None for other types."""
    if pa.types.is_decimal(of) and of.scale >= 0 and of.precision <= MAX_DECIMAL_PRECISION:
        return DecimalType(of.precision, of.scale)
    if pa.types.is_fixed_size_binary(of):
        return FixedType(of.byte_width)
    return _MOMENTS[of.unit == "ns", of.tz is not None] if pa.types.is_timestamp(of) else None


def _is_list(of: pa.DataType) -> bool:
    """Return whether a type is one of Arrow's layouts of lists."""
    return any(
        check(of)
        for check in (
            pa.types.is_list,
            pa.types.is_large_list,
            pa.types.is_fixed_size_list,
            pa.types.is_list_view,
            pa.types.is_large_list_view,
        )
    )


def _is_integer(of: pa.DataType, bits: int) -> bool:
    """Return whether all values of a type fit signed integers of that many bits."""
    if not pa.types.is_integer(of):
        return False
    return bool(of.bit_width <= bits - pa.types.is_unsigned_integer(of))


_MOMENTS: Final[dict[tuple[bool, bool], Type]] = {
    (False, False): TimestampType(),
    (False, True): TimestamptzType(),
    (True, False): TimestampNsType(),
    (True, True): TimestamptzNsType(),
}

_PLAIN: Final[tuple[tuple[Callable[[pa.DataType], bool], Type], ...]] = (
    (pa.types.is_boolean, BooleanType()),
    (lambda of: _is_integer(of, 32), IntegerType()),
    (lambda of: _is_integer(of, 64), LongType()),
    (lambda of: pa.types.is_float16(of) or pa.types.is_float32(of), FloatType()),
    (pa.types.is_float64, DoubleType()),
    (lambda of: of in {pa.string(), pa.large_string(), pa.string_view()}, StringType()),
    (lambda of: of in {pa.binary(), pa.large_binary(), pa.binary_view()}, BinaryType()),
    (pa.types.is_date32, DateType()),
    (lambda of: of in {pa.time32("s"), pa.time32("ms"), pa.time64("us")}, TimeType()),
    (pa.types.is_null, UnknownType()),
)
