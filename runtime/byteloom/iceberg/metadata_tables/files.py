"""Files and entries of manifests: of one snapshot, or of all snapshots not expired.

The rules:

- Tables of files have live files only; tables of entries have those of deleted files too.
- ``all_files`` and similar tables read each manifest once, however many snapshots share it: a file
  is listed for each manifest in which it is live.
- ``readable_metrics`` has a struct for each primitive column of the schema, nested ones by their
  full names, in the order of the names.  A bound that is invalid for its type is null, like an
  unknown one; one written before the column was promoted gets the column's current type; one of a
  geometry or geography stays in the bytes of `byteloom.iceberg.geo_bounds`.

Source: Java's ``FilesTable``, ``ManifestEntriesTable``, their ``All`` forms, and
``MetricsUtil.readableMetricsStruct``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.iceberg.arrow_types import arrow_type
from byteloom.iceberg.expressions.stats import Bounds, Spans
from byteloom.iceberg.geo_bounds import SIZES
from byteloom.iceberg.manifests.arrow_columns import items_of, packed_spans
from byteloom.iceberg.manifests.entries import ALL_COLUMNS, read_entries
from byteloom.iceberg.metadata_tables.manifests import distinct
from byteloom.iceberg.metadata_tables.partition_types import (
    partition_column,
    table_partition_type,
)
from byteloom.iceberg.types import DecimalType, GeographyType, GeometryType, NestedType, VariantType
from byteloom.late import pc
from byteloom_generated.iceberg.manifests import ManifestContent

if TYPE_CHECKING:
    from byteloom.iceberg.manifests.entries import Entries
    from byteloom.iceberg.manifests.manifest_list import ManifestList
    from byteloom.iceberg.schema import Schema
    from byteloom.iceberg.stored_table import StoredTable
    from byteloom.iceberg.types import NestedField, Type
    from byteloom_generated.iceberg.table_metadata import Snapshot


__all__ = [
    "all_data_files",
    "all_delete_files",
    "all_entries",
    "all_files",
    "data_files",
    "delete_files",
    "entries",
    "entries_of",
    "files",
    "readable_metrics",
]

_ENTRY: Final = {
    "status": pa.int32(),
    "snapshot_id": pa.int64(),
    "sequence_number": pa.int64(),
    "file_sequence_number": pa.int64(),
}
_FILE: Final = {
    "content": pa.int32(),
    "file_path": pa.large_string(),
    "file_format": pa.large_string(),
    "spec_id": pa.int32(),
    "partition": None,
    "record_count": pa.int64(),
    "file_size_in_bytes": pa.int64(),
    "column_sizes": pa.map_(pa.int32(), pa.int64()),
    "value_counts": pa.map_(pa.int32(), pa.int64()),
    "null_value_counts": pa.map_(pa.int32(), pa.int64()),
    "nan_value_counts": pa.map_(pa.int32(), pa.int64()),
    "lower_bounds": pa.map_(pa.int32(), pa.large_binary()),
    "upper_bounds": pa.map_(pa.int32(), pa.large_binary()),
    "key_metadata": pa.large_binary(),
    "split_offsets": pa.large_list(pa.int64()),
    "equality_ids": pa.large_list(pa.int32()),
    "sort_order_id": pa.int32(),
    "first_row_id": pa.int64(),
    "referenced_data_file": pa.large_string(),
    "content_offset": pa.int64(),
    "content_size_in_bytes": pa.int64(),
}
_REQUIRED: Final = {"file_path", "file_format", "partition", "record_count", "file_size_in_bytes"}


def files(table: StoredTable, snapshot: Snapshot | None) -> pa.Table:
    """Return one row per live file of *snapshot*, data files and delete files."""
    return _files(table, entries_of(table, table.manifests(snapshot)))


def data_files(table: StoredTable, snapshot: Snapshot | None) -> pa.Table:
    """Return one row per live data file of *snapshot*."""
    return _files(table, entries_of(table, _of(table.manifests(snapshot), ManifestContent.DATA)))


def delete_files(table: StoredTable, snapshot: Snapshot | None) -> pa.Table:
    """Return one row per live delete file of *snapshot*."""
    return _files(table, entries_of(table, _of(table.manifests(snapshot), ManifestContent.DELETES)))


def entries(table: StoredTable, snapshot: Snapshot | None) -> pa.Table:
    """Return one row per entry of the manifests of *snapshot*."""
    return _entries(table, entries_of(table, table.manifests(snapshot), with_deleted=True))


def all_files(table: StoredTable) -> pa.Table:
    """Return one row per live file of each manifest of any snapshot."""
    return _files(table, entries_of(table, distinct(table), one_snapshot=False))


def all_data_files(table: StoredTable) -> pa.Table:
    """Return one row per live data file of each manifest of any snapshot."""
    return _files(
        table, entries_of(table, _of(distinct(table), ManifestContent.DATA), one_snapshot=False)
    )


def all_delete_files(table: StoredTable) -> pa.Table:
    """Return one row per live delete file of each manifest of any snapshot."""
    return _files(
        table, entries_of(table, _of(distinct(table), ManifestContent.DELETES), one_snapshot=False)
    )


def all_entries(table: StoredTable) -> pa.Table:
    """Return one row per entry of each manifest of any snapshot."""
    found = entries_of(table, distinct(table), one_snapshot=False, with_deleted=True)
    return _entries(table, found)


def entries_of(table: StoredTable, manifests: ManifestList, **options: Any) -> Entries:
    """Return all entries of some manifests; the options are those of `stream_entries`."""
    return read_entries(
        manifests,
        table.relocation.read,
        table.metadata.partition_specs,
        table.schema,
        limits=table.limits,
        **{"columns": ALL_COLUMNS, **options},
    )


def _of(manifests: ManifestList, content: int) -> ManifestList:
    """Return the manifests with this content: data or deletes."""
    return manifests.take(np.flatnonzero(manifests.numbers("content") == content))


def _files(table: StoredTable, found: Entries) -> pa.Table:
    """Return the rows of a table of files."""
    columns = _file_columns(table, found)
    columns["readable_metrics"] = readable_metrics(found, table.schema)
    return pa.table(columns)


def _entries(table: StoredTable, found: Entries) -> pa.Table:
    """Return the rows of a table of entries, with their files inside."""
    held = found.table(columns=set(_ENTRY))
    columns: dict[str, Any] = {
        name: held.column(name).cast(of).combine_chunks() for name, of in _ENTRY.items()
    }
    inner = _file_columns(table, found)
    fields = [pa.field(name, of.type, nullable=name not in _REQUIRED) for name, of in inner.items()]
    columns["data_file"] = pa.StructArray.from_arrays(list(inner.values()), fields=fields)
    columns["readable_metrics"] = readable_metrics(found, table.schema)
    return pa.table(columns)


def _file_columns(table: StoredTable, found: Entries) -> dict[str, pa.Array]:
    """Return the columns of files, except readable metrics."""
    held = found.table()
    partition = table_partition_type(table.metadata)
    columns: dict[str, pa.Array] = {}
    for name, of in _FILE.items():
        if name == "partition":
            if partition.fields:
                columns[name] = partition_column(found, partition)
            continue
        column = held.column(name).combine_chunks()
        if name == "record_count":
            column = column.fill_null(-1)  # an unknown value of a required column
        columns[name] = column if column.type == of else column.cast(of)
    columns["file_format"] = pc.utf8_upper(columns["file_format"])
    return columns


_MAPS: Final = (
    *("column_sizes", "value_counts", "null_value_counts", "nan_value_counts"),
    *("lower_bounds", "upper_bounds"),
)
_NAMES: Final = [
    *("column_size", "value_count", "null_value_count", "nan_value_count"),
    *("lower_bound", "upper_bound"),
]
_WORD: Final = 16
_SIGN: Final = 0x80
_SHAPES: Final = (GeometryType, GeographyType)
_WITHOUT: Final = (NestedType, VariantType)


def readable_metrics(entries: Entries, schema: Schema) -> pa.StructArray:
    """Return a struct with the statistics of each primitive column, one row per entry.

    Args:
        entries: Read with the maps of statistics.
    """
    named = {
        schema.name(each.id): each
        for each in schema.field_by_id.values()
        if not isinstance(each.type, _WITHOUT)
    }
    maps = [_Map(entries, name) for name in _MAPS]
    arrays = [_metrics(maps, named[name]) for name in sorted(named)]
    if not arrays:
        return pa.array([{}] * len(entries), pa.struct([]))
    return pa.StructArray.from_arrays(arrays, names=sorted(named))


class _Map:
    """The maps by column of all entries, whose items are located once."""

    def __init__(self, entries: Entries, name: str) -> None:
        lists = entries.lists[name]
        self._count = len(entries)
        self._data = lists.data
        self._keys, self._values = items_of(lists.runs, lists.items)
        self._rows = lists.runs.rows

    def of(self, field: NestedField) -> pa.Array:
        """Return the numbers of a column, or its bounds; null for unknown."""
        found = np.flatnonzero(self._keys == field.id)
        rows, values = self._rows[found], self._values[found]
        if self._data is None:
            numbers = np.full(self._count, -1, np.int64)
            numbers[rows] = values
            return pa.array(numbers, pa.int64(), mask=numbers < 0)
        is_number = packed_spans(values, self._data)
        places = np.zeros(self._count, np.int64)
        sizes = np.full(self._count, -1, np.int64)
        places[rows], sizes[rows] = is_number.places, is_number.sizes
        return _bound_array(field.type, Spans(self._data, places, sizes))


def _metrics(maps: list[_Map], field: NestedField) -> pa.StructArray:
    """Return the statistics of one column."""
    return pa.StructArray.from_arrays([each.of(field) for each in maps], names=_NAMES)


def _bound_array(of: Type, spans: Spans) -> pa.Array:
    """Return bounds of a column of type *of* as values; UUIDs become Arrow's type for them."""
    made = arrow_type(of)
    if isinstance(of, DecimalType):
        return _decimals(spans, made)
    if pa.types.is_null(made):
        return pa.nulls(len(spans))
    bounds = Bounds.read(of, _points(spans) if isinstance(of, _SHAPES) else spans)
    if bounds.numbers is not None:
        numbers = pa.array(bounds.numbers, mask=~bounds.is_known)
        if pa.types.is_boolean(made):
            return numbers.cast(made)
        return numbers.cast(_width(made)).cast(made)
    if pa.types.is_fixed_size_binary(made):
        runs = spans.to_arrow()
        fits = pc.equal(pc.binary_length(runs), made.byte_width)
        array = pc.if_else(fits, runs, pa.scalar(None, runs.type)).cast(pa.binary()).cast(made)
        return pa.ExtensionArray.from_storage(pa.uuid(), array) if of.kind == "uuid" else array
    return bounds.to_arrow()


def _points(spans: Spans) -> Spans:
    """Return bounds of shapes without those that are not points."""
    sizes = np.where(np.isin(spans.sizes, list(SIZES)), spans.sizes, -1)
    return Spans(spans.data, spans.places, sizes)


def _width(made: pa.DataType) -> pa.DataType:
    """Return the type of the plain number as which a value of that type is stored."""
    if pa.types.is_floating(made):
        return made
    return pa.int32() if made.bit_width == np.dtype(np.int32).itemsize * 8 else pa.int64()


def _decimals(spans: Spans, made: pa.DataType) -> pa.Array:
    """Return big-endian unscaled numbers of 1 to 16 bytes as decimals."""
    words = np.zeros((len(spans), _WORD), np.uint8)
    is_number = (spans.sizes > 0) & (spans.sizes <= _WORD)
    for size in np.unique(spans.sizes[is_number]).tolist():
        rows = np.flatnonzero(spans.sizes == size)
        data = spans.fixed(size, rows)
        sign = np.where(data[:, :1] & _SIGN, 0xFF, 0).astype(np.uint8)
        words[rows] = np.concatenate([data[:, ::-1], np.repeat(sign, _WORD - size, axis=1)], axis=1)
    mask = pa.array(is_number).buffers()[1]
    return pa.Array.from_buffers(made, len(spans), [mask, pa.py_buffer(words)])
