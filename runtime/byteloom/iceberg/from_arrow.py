"""Arrow's types as Iceberg's: the schema of a new table, and what rows to be written have.

The rules:

- Extensions are those of `byteloom.iceberg.shapes`, plain types those of
  `byteloom.iceberg.arrow_types`; layouts of lists are one type.
- A type whose values Iceberg has no type for is refused: unsigned integers of 64 bits, durations.

Source: Iceberg table spec, "Primitive Types" and "Nested Types".
"""

from __future__ import annotations

from itertools import count
from typing import Final

import pyarrow as pa

from byteloom.errors import LimitExceeded, Unsupported
from byteloom.iceberg.arrow_types import plain_values, primitive_of
from byteloom.iceberg.evolution import with_fresh_ids
from byteloom.iceberg.schema import Schema
from byteloom.iceberg.shapes import extension_type
from byteloom.iceberg.types import (
    ListType,
    MapType,
    NestedField,
    StructType,
    Type,
    UnknownType,
)
from byteloom.limits import DEFAULT_LIMITS

__all__ = ["fields_of", "schema_of", "type_of"]

_NO_ID: Final = 0
"""The id of a field before it is given one."""


def schema_of(columns: pa.Schema) -> Schema:
    """Return the schema of a table for rows of an Arrow schema, with new ids.

    Args:
        columns: The Arrow schema; ids in it are ignored.

    Returns:
        The schema, with ids from 1 in the order in which Java gives them.

    Raises:
        LimitExceeded: A type with more levels than are read.
        Unsupported: A type that Iceberg does not have.
    """
    for each in columns:
        _check_depth(each)
    ids = count(1)
    made = with_fresh_ids(StructType(fields_of(columns)), lambda: next(ids))
    assert isinstance(made, StructType)  # noqa: S101  as it was
    return Schema(made.fields)


def _check_depth(column: pa.Field) -> None:
    """Refuse a type of more levels than `limits.nesting`; functions on types call themselves."""
    most, level, types = DEFAULT_LIMITS.nesting, 0, [column.type]
    while types:
        level += 1
        if level > most:
            raise LimitExceeded(f"column {column.name}", None, f"{level} levels", f"at most {most}")
        types = [of.field(number).type for of in types for number in range(of.num_fields)]


def fields_of(columns: pa.Schema | pa.StructType) -> tuple[NestedField, ...]:
    """Return fields without ids for the columns of a schema, or the fields of a struct."""
    return tuple(_field(columns.field(number)) for number in range(len(columns)))


def _field(of: pa.Field) -> NestedField:
    """Return a field without an id."""
    doc = (of.metadata or {}).get(b"doc")
    return NestedField(
        _NO_ID,
        of.name,
        extension_type(of.type, of.metadata) or type_of(of.type, of.name),
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
    if pa.types.is_run_end_encoded(of):
        return type_of(of.value_type, name)
    if (meant := extension_type(of)) is not None:
        return meant
    plain = plain_values(of)
    if pa.types.is_null(plain):
        return UnknownType()
    found = _nested(plain, name) or primitive_of(plain)
    if found is None:
        raise Unsupported(f"column {name}", None, f"Arrow's {plain}", "a type that Iceberg has")
    return found


def _nested(of: pa.DataType, name: str) -> Type | None:
    """Return the type of structs, lists and maps; None for other types."""
    if pa.types.is_struct(of):
        return StructType(fields_of(of))
    if pa.types.is_map(of):
        key, value = _inner_type(of.key_field, name), _inner_type(of.item_field, name)
        return MapType(_NO_ID, key, _NO_ID, value, not of.item_field.nullable)
    if _is_list(of):
        return ListType(_NO_ID, _inner_type(of.value_field, name), not of.value_field.nullable)
    return None


def _inner_type(of: pa.Field, name: str) -> Type:
    """Return the type of an element, a key or a value."""
    return extension_type(of.type, of.metadata) or type_of(of.type, name)


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
