"""Rows to be written, in the table's own columns.

The rules:

- Columns are found by name. A column that the rows lack has the table's write default, or null; one
  that the table lacks is an error.
- A value is cast only where Iceberg promotes its type: int to long, float to double, decimals to
  more digits. Layouts of Arrow for the same type are one type.
- Nulls in required fields are refused, with the column and the first row.

Source: Iceberg table spec, "Schemas and Data Types" and "Default values".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.arguments import wanted_name
from byteloom.arrow.data import batches_of
from byteloom.errors import ArgumentError, FormatError, Unsupported, beginning
from byteloom.iceberg.arrow_types import arrow_field, arrow_type
from byteloom.iceberg.evolution import can_promote
from byteloom.iceberg.from_arrow import type_of
from byteloom.iceberg.reading.conversion import converted, expanded
from byteloom.iceberg.shape_boxes import ShapeBox
from byteloom.iceberg.transforms.arrays import storage_array
from byteloom.iceberg.types import (
    BinaryType,
    DecimalType,
    FixedType,
    GeographyType,
    GeometryType,
    ListType,
    MapType,
    NestedField,
    StructType,
    Type,
    VariantType,
)
from byteloom.iceberg.writing.struct_fields import nulls_of, without_nulls
from byteloom.iceberg.writing.variants import variants
from byteloom.late import pc

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from byteloom.iceberg.schema import Schema

    Cast = Callable[[pa.Array, Any, str], pa.Array]

__all__ = ["check_written", "rows_of"]

_ANY_VERSION = 3
"""Promotions of a value are those of the newest version: none of them changes the table."""

_SHAPES = (GeometryType, GeographyType)
_UUID_BYTES = 16
_LEVELS = 99
"""Levels of a column below the root of a Parquet schema, of which Arrow's reader allows 100."""


def rows_of(rows: Any, schema: Schema) -> Iterator[pa.RecordBatch]:
    """Yield rows as batches of a table's columns, in the table's order and types.

    Args:
        rows: Arrow data in any form that `batches_of` takes.
        schema: The table's schema.

    Raises:
        FormatError: A column that the table lacks, a value of another type, a null in a required
            field; the error names the column and the first such row.
        Unsupported: A column of the table whose type is not written.
    """
    check_written(schema)
    wanted = pa.schema([arrow_field(each) for each in schema.fields])
    start = 0
    for batch in batches_of(rows):
        _check_names(batch.schema.names, schema)
        arrays = [_column(batch, each, start) for each in schema.fields]
        yield pa.RecordBatch.from_arrays(arrays, schema=wanted)
        start += batch.num_rows


def check_written(schema: Schema) -> None:
    """Refuse a schema whose rows are not written.

    Raises:
        Unsupported: A column of another type, or none that has values.
    """
    for each in schema.fields:
        _check_written(each.type, each.name, _LEVELS)
    if not _has_values(schema.fields):
        raise Unsupported("schema", None, "no column that has values", "one at least")


def _check_written(of: Type, name: str, room: int) -> None:
    """Refuse a type whose values are not written, or that has more than *room* levels."""
    room -= 2 if isinstance(of, ListType | MapType) else 1
    if room < 0:
        found = f"more than {_LEVELS} levels in Parquet"
        raise Unsupported(f"column {name}", None, found, "at most so many: readers refuse more")
    if isinstance(of, StructType) and not _has_values(of.fields):
        raise Unsupported(f"column {name}", None, "no field that has values", "one at least")
    if isinstance(of, FixedType) and not of.length:
        raise Unsupported(f"column {name}", None, f"type {of}", "bytes of some width")
    for each in getattr(of, "fields", ()):
        _check_written(each.type, f"{name}.{each.name}", room)


def _has_values(fields: tuple[NestedField, ...]) -> bool:
    """Return whether files have any of these fields: Parquet counts rows by what it stores."""
    return any(each.type.kind != "unknown" for each in fields)


def _check_names(names: list[str], schema: Schema) -> None:
    """Refuse a column that the table lacks, or that comes twice."""
    known = [each.name for each in schema.fields]
    for name in names:
        if name not in known:
            wanted = wanted_name(name, known, "a column of the table")
            raise ArgumentError(f"column {name}", None, "not in the table", wanted)
        if names.count(name) > 1:
            raise ArgumentError(f"column {name}", None, "two columns of that name", "one")


def _column(batch: pa.RecordBatch, field: NestedField, start: int) -> pa.Array:
    """Return a column of a batch in the table's type.

    Args:
        start: The number of the batch's first row, for errors.
    """
    place = batch.schema.get_field_index(field.name)
    if place < 0:
        return _absent(field, field.name, batch.num_rows)
    array = _cast(batch.column(place), field.type, field.name)
    if field.required and array.null_count:
        row = start + int(np.argmax(array.is_null().to_numpy(zero_copy_only=False)))
        raise FormatError(f"column {field.name}", None, f"null in row {row}", "a value in each row")
    return array


def _absent(field: NestedField, name: str, rows: int) -> pa.Array:
    """Return a column that the rows lack: its write default, or nulls."""
    if field.write_default is not None:
        index = pa.array(np.zeros(rows, np.int64))
        return storage_array(field.type, [field.write_default]).take(index)
    if field.required and rows:
        wanted = "the column: it is required, and the table has no default for it"
        raise FormatError(f"column {name}", None, "no such column", wanted)
    return nulls_of(field.type, rows)


def _cast(array: pa.Array, of: Type, name: str) -> pa.Array:
    """Return an array in the type of a field; inner fields are found by name."""
    array = _unwrapped(array, of, name)
    if pa.types.is_null(array.type):
        return nulls_of(of, len(array))
    cast: Cast = _NESTED.get(type(of), _plain)
    return cast(array, of, name)


def _plain(array: pa.Array, of: Type, name: str) -> pa.Array:
    """Return an array of plain values in the type of a field."""
    found = type_of(array.type, name)
    if not _is_promoted(found, of):
        raise FormatError(f"column {name}", None, f"values of type {found}", f"{of}{_hint(found)}")
    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    if pa.types.is_run_end_encoded(array.type):
        array = pc.run_end_decode(array)
    if pa.types.is_decimal(array.type) or pa.types.is_time(array.type):
        array = array.cast(arrow_type(of))
    made = converted(array, of, name)
    if isinstance(of, _SHAPES):
        _check_shapes(made, name)
    return made


def _check_shapes(array: pa.Array, name: str) -> None:
    """Refuse bytes that are no shape."""
    wrong = ShapeBox().add(array)
    if wrong >= 0:
        found = beginning(array.drop_null()[wrong].as_py().hex(), 60)
        wanted = "well-known binary of ISO, without the flags of PostGIS (EWKB)"
        raise FormatError(f"column {name}", None, found, wanted)


def _unwrapped(array: pa.Array, of: Type, name: str) -> pa.Array:
    """Return nested values without an extension or a dictionary, and UUIDs without the latter."""
    is_nested = isinstance(of, StructType | ListType | MapType | VariantType)
    if is_nested and isinstance(array, pa.ExtensionArray):
        array = array.storage
    if pa.types.is_dictionary(array.type):
        is_extension = isinstance(array.type.value_type, pa.BaseExtensionType)
        return expanded(array, f"column {name}") if is_nested or is_extension else array
    return array


def _is_promoted(found: Type, of: Type) -> bool:
    """Return whether values of one type can be stored as another one without a change."""
    if isinstance(found, BinaryType) and isinstance(of, _SHAPES):
        return True
    if isinstance(found, FixedType) and of.kind == "uuid":
        return found.length == _UUID_BYTES
    if isinstance(found, DecimalType) and isinstance(of, DecimalType):
        return found.scale == of.scale and found.precision <= of.precision
    return can_promote(found, of, version=_ANY_VERSION)


def _hint(found: Type) -> str:
    """Return what to do about a type that is not the column's."""
    return ", cast by the caller" if found.is_primitive else ""


def _inner(array: pa.Array, field: NestedField, name: str, parents: pa.Array | None) -> pa.Array:
    """Return the values of an inner field; a null where its parent has a value is refused."""
    made = _cast(array, field.type, name)
    if field.required and made.null_count:
        missing = made.is_null()
        if parents is not None:
            missing = pc.and_(missing, parents)
        if pc.any(missing).as_py():
            raise FormatError(f"column {name}", None, "null", "a value: the field is required")
        return without_nulls(made)
    return made


def _struct(array: pa.Array, of: StructType, name: str) -> pa.Array:
    """Return a struct whose fields are those of its type."""
    if not pa.types.is_struct(array.type):
        raise FormatError(f"column {name}", None, f"values of type {array.type}", "structs")
    names = [each.name for each in array.type.fields]
    for each in names:
        if of.field(each) is None:
            wanted = "a field of the column"
            raise ArgumentError(f"column {name}.{each}", None, "not in the table", wanted)
        if names.count(each) > 1:
            raise ArgumentError(f"column {name}.{each}", None, "two fields of that name", "one")
    given = array.flatten()  # with nulls where the struct is null
    valid = array.is_valid() if array.null_count else None
    parts = []
    for field in of.fields:
        path = f"{name}.{field.name}"
        if field.name in names:
            parts.append(_inner(given[names.index(field.name)], field, path, valid))
        else:
            parts.append(_absent(field, path, len(array)))
    mask = array.is_null() if array.null_count else None
    fields = [arrow_field(each) for each in of.fields]
    return pa.StructArray.from_arrays(parts, fields=fields, mask=mask)


def _list(array: pa.Array, of: ListType, name: str) -> pa.Array:
    """Return a list whose elements are those of its type."""
    if not hasattr(array, "value_lengths") or pa.types.is_map(array.type):
        raise FormatError(f"column {name}", None, f"values of type {array.type}", "lists")
    (field,) = of.fields
    elements = _inner(array.flatten(), field, f"{name}.element", None)
    offsets = _offsets(array, np.int64)
    mask = array.is_null() if array.null_count else None
    return pa.LargeListArray.from_arrays(offsets, elements, type=arrow_type(of), mask=mask)


def _map(array: pa.Array, of: MapType, name: str) -> pa.Array:
    """Return a map whose keys and values are those of its type."""
    if not pa.types.is_map(array.type):
        raise FormatError(f"column {name}", None, f"values of type {array.type}", "maps")
    entry = pa.struct([array.type.key_field, array.type.item_field])
    lists = array.cast(pa.list_(pa.field("entries", entry, nullable=False)))
    pairs = lists.flatten()
    key, value = of.fields
    keys = _inner(pairs.field(0), key, f"{name}.key", None)
    values = _inner(pairs.field(1), value, f"{name}.value", None)
    offsets = _offsets(lists, np.int32)
    mask = array.is_null() if array.null_count else None
    return pa.MapArray.from_arrays(offsets, keys, values, type=arrow_type(of), mask=mask)


def _offsets(array: pa.Array, kind: Any) -> pa.Array:
    """Return where the elements of each list begin among those of all lists."""
    sizes = pc.list_value_length(array).fill_null(0).to_numpy()
    return pa.array(np.concatenate([np.zeros(1, kind), np.cumsum(sizes, dtype=kind)]))


_NESTED: Final[dict[type[Type], Cast]] = {
    StructType: _struct,
    ListType: _list,
    MapType: _map,
    VariantType: lambda array, _, name: variants(array, name),
}
"""What casts values that have others inside."""
