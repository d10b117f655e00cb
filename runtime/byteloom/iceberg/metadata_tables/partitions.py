"""Partitions: how many files, rows and deletes each has.

The rules:

- A partition is a tuple of the values of all specs' fields; a table without partitions has one
  row, and no columns for the tuple.  As in Java, equal tuples of specs with the same number of
  fields are one partition; those of specs with another number of fields are another.
- ``spec_id`` and ``last_updated_*`` are of the newest snapshot that added one of the live files, as
  far as snapshots have not expired.

Source: Java's ``PartitionsTable``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.iceberg.manifests.entries import SCAN_COLUMNS
from byteloom.iceberg.metadata_tables.files import entries_of
from byteloom.iceberg.metadata_tables.partition_types import (
    partition_column,
    table_partition_type,
)
from byteloom_generated.iceberg.manifests import FileContent

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from byteloom.iceberg.manifests.entries import Entries
    from byteloom.iceberg.stored_table import StoredTable
    from byteloom.iceberg.types import StructType
    from byteloom_generated.iceberg.table_metadata import Snapshot

__all__ = ["partitions"]

_MICROS: Final = 1000


def partitions(table: StoredTable, snapshot: Snapshot | None) -> pa.Table:
    """Return one row per partition with a live file in *snapshot*."""
    found = entries_of(table, table.manifests(snapshot), columns=SCAN_COLUMNS)
    of = table_partition_type(table.metadata)
    if of.fields:
        column = partition_column(found, of)
        groups, first = _groups(column, _widths(table, found.spec_id, of))
    else:
        groups = np.zeros(len(found), np.int64)
        first = np.zeros(min(len(found), 1), np.int64)
    columns = _columns(table, found, groups, len(first))
    if of.fields:
        newest = _newest(table, found, groups, len(first))
        specs = found.spec_id[np.where(newest < 0, first, newest)]
        spec_id = pa.array(specs, pa.int32())
        columns = {"partition": column.take(pa.array(first)), "spec_id": spec_id, **columns}
    return pa.table(columns)


def _widths(table: StoredTable, spec_ids: NDArray[np.int64], of: StructType) -> NDArray[np.int64]:
    """Return for each row how many fields of the table's partition struct its spec has."""
    known, inverse = np.unique(spec_ids, return_inverse=True)
    shown = {each.id for each in of.fields}
    specs = [table.metadata.partition_specs[each] for each in known.tolist()]
    widths = [sum(field.field_id in shown for field in spec.fields) for spec in specs]
    return np.array(widths, np.int64)[inverse]


def _groups(
    tuples: pa.StructArray, codes: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for each row the number of its partition, and for each partition its first row.

    Args:
        codes: Further numbers that distinguish partitions.
    """
    for number in range(tuples.type.num_fields):
        column = tuples.field(number).dictionary_encode(null_encoding="encode")
        _, codes = np.unique(
            codes * max(len(column.dictionary), 1) + column.indices.to_numpy(), return_inverse=True
        )
    _, first, groups = np.unique(codes, return_index=True, return_inverse=True)
    return groups, first


def _columns(
    table: StoredTable, found: Entries, groups: NDArray[np.int64], count: int
) -> dict[str, Any]:
    """Return the sums over each partition, and the snapshot that last updated it."""

    def files(content: int) -> pa.Array:
        return pa.array(np.bincount(groups[found.content == content], minlength=count), pa.int32())

    def total(content: int, numbers: NDArray[np.int64]) -> pa.Array:
        sums = np.zeros(count, np.int64)
        of_content = found.content == content
        np.add.at(sums, groups[of_content], numbers[of_content])
        return pa.array(sums)

    newest = _newest(table, found, groups, count)
    moments = _moments(table, found.snapshot_id)
    return {
        "record_count": total(FileContent.DATA, found.record_count),
        "file_count": files(FileContent.DATA),
        "total_data_file_size_in_bytes": total(FileContent.DATA, found.file_size_in_bytes),
        "position_delete_record_count": total(FileContent.POSITION_DELETES, found.record_count),
        "position_delete_file_count": files(FileContent.POSITION_DELETES),
        "equality_delete_record_count": total(FileContent.EQUALITY_DELETES, found.record_count),
        "equality_delete_file_count": files(FileContent.EQUALITY_DELETES),
        "last_updated_at": _taken(moments * _MICROS, newest).cast(pa.timestamp("us", "UTC")),
        "last_updated_snapshot_id": _taken(found.snapshot_id, newest),
    }


def _newest(
    table: StoredTable, found: Entries, groups: NDArray[np.int64], count: int
) -> NDArray[np.int64]:
    """Return for each partition the entry of its newest snapshot; -1 if all have expired."""
    moments = _moments(table, found.snapshot_id)
    order = np.lexsort((-np.arange(len(found)), moments))
    newest = np.full(count, -1, np.int64)
    newest[groups[order]] = np.where(moments[order] >= 0, order, -1)
    return newest


def _moments(table: StoredTable, snapshot_ids: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return when each snapshot was made, in milliseconds since 1970; -1 for expired ones."""
    known, inverse = np.unique(snapshot_ids, return_inverse=True)
    held = [table.metadata.snapshots.get(each) for each in known.tolist()]
    return np.array([each.timestamp_ms if each else -1 for each in held], np.int64)[inverse]


def _taken(numbers: NDArray[np.int64], rows: NDArray[np.int64]) -> pa.Array:
    """Return the numbers of some rows; null for -1."""
    if not len(numbers):
        return pa.nulls(len(rows), pa.int64())
    return pa.array(numbers[rows], pa.int64(), mask=rows < 0)
