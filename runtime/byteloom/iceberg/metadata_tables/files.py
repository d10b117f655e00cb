"""Files and entries of manifests: of one snapshot, or of all snapshots not expired.

The rules:

- Tables of files have live files only; tables of entries have those of deleted files too.
- ``all_files`` and similar tables read each manifest once, however many snapshots share it: a file
  is listed for each manifest in which it is live.

Source: Java's ``FilesTable``, ``ManifestEntriesTable`` and their ``All`` forms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.iceberg.manifests.entries import ALL_COLUMNS, read_entries
from byteloom.iceberg.metadata_tables.manifests import distinct
from byteloom.iceberg.metadata_tables.partition_types import (
    partition_column,
    table_partition_type,
)
from byteloom.iceberg.metadata_tables.readable import readable_metrics
from byteloom.late import pc
from byteloom_generated.iceberg.manifests import ManifestContent

if TYPE_CHECKING:
    from byteloom.iceberg.manifests.entries import Entries
    from byteloom.iceberg.manifests.manifest_list import ManifestList
    from byteloom.iceberg.stored_table import StoredTable
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
