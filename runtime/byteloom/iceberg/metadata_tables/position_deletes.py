"""Rows deleted by position: one for each position in each live delete file.

The rules:

- ``row`` is the deleted row if its delete file stores it, as with old writers; otherwise null.
- The column ``partition`` exists in partitioned tables; ``content_offset`` and
  ``content_size_in_bytes``, the place of a deletion vector in its file, from version 3 on.
- Delete files are read one after the other, some rows at a time.

Source: Java's ``PositionDeletesTable``; Iceberg table spec, "Position Delete Files".
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.datafiles.damage import about
from byteloom.datafiles.data_file import BATCH, OpenOptions
from byteloom.errors import FormatError
from byteloom.iceberg.arrow_types import arrow_type
from byteloom.iceberg.expressions.ast import TRUE
from byteloom.iceberg.manifests.entries import SCAN_COLUMNS
from byteloom.iceberg.metadata_tables.files import entries_of
from byteloom.iceberg.metadata_tables.partition_types import (
    partition_column,
    table_partition_type,
)
from byteloom.iceberg.name_mapping import MappedField, NameMapping
from byteloom.iceberg.planning.plan import DeleteFile, FileTask
from byteloom.iceberg.planning.scan_columns import optional
from byteloom.iceberg.reading.cache import Cache
from byteloom.iceberg.reading.column_projection import Columns, project
from byteloom.iceberg.reading.hints import check_hints
from byteloom.iceberg.reading.position_deletes import deleted_positions
from byteloom.iceberg.reading.table_files import TableFiles
from byteloom.iceberg.reserved_fields import DELETE_FILE_COLUMNS
from byteloom.iceberg.types import StructType
from byteloom_generated.iceberg.manifests import FileContent, ManifestContent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.iceberg.stored_table import StoredTable
    from byteloom_generated.iceberg.table_metadata import Snapshot

__all__ = ["position_deletes", "read_position_deletes"]

_PATH, _POS = (DELETE_FILE_COLUMNS[name] for name in ("file_path", "pos"))
_NAMES: Final = NameMapping(
    tuple(MappedField((each.name,), each.id) for each in DELETE_FILE_COLUMNS.values())
)
_WITH_VECTORS: Final = 3


def position_deletes(table: StoredTable, snapshot: Snapshot | None) -> pa.Table:
    """Return one row per position deleted in *snapshot*."""
    return read_position_deletes(table, snapshot).read_all()


def read_position_deletes(table: StoredTable, snapshot: Snapshot | None) -> pa.RecordBatchReader:
    """Return the same as a stream: files are read one by one as batches are requested."""
    made = _PositionDeletes(table)
    return pa.RecordBatchReader.from_batches(made.schema, made.batches(snapshot))


class _PositionDeletes:
    """The rows of one table."""

    def __init__(self, table: StoredTable) -> None:
        self._table = table
        self._files = TableFiles(table.relocation, OpenOptions(_NAMES, table.limits))
        self._partition = table_partition_type(table.metadata)
        row = StructType(tuple(map(optional, table.schema.fields)))
        self._row = replace(DELETE_FILE_COLUMNS["row"], type=row)

    @cached_property
    def schema(self) -> pa.Schema:
        """The columns, named and typed as in Java."""
        fields = [
            pa.field("file_path", pa.large_string(), nullable=False),
            pa.field("pos", pa.int64(), nullable=False),
            pa.field("row", arrow_type(self._row.type)),
            pa.field("partition", arrow_type(self._partition), nullable=False),
            pa.field("spec_id", pa.int32(), nullable=False),
            pa.field("delete_file_path", pa.large_string(), nullable=False),
            pa.field("content_offset", pa.int64()),
            pa.field("content_size_in_bytes", pa.int64()),
        ]
        if self._table.metadata.format_version < _WITH_VECTORS:
            del fields[-2:]
        return pa.schema(
            [each for each in fields if each.name != "partition" or self._partition.fields]
        )

    def batches(self, snapshot: Snapshot | None) -> Iterator[pa.RecordBatch]:
        """Yield the rows of all delete files."""
        listed = self._table.manifests(snapshot)
        listed = listed.take(np.flatnonzero(listed.numbers("content") == ManifestContent.DELETES))
        entries = entries_of(self._table, listed, columns=SCAN_COLUMNS)
        rows = np.flatnonzero(entries.content == FileContent.POSITION_DELETES)
        partitions = None
        if self._partition.fields:
            partitions = partition_column(entries, self._partition, rows)
        for number, entry in enumerate(entries.table(rows).to_pylist()):
            delete = _delete_file(entry)
            parts = self._vector(delete) if delete.is_deletion_vector else self._rows(delete)
            for part in parts:
                if partitions is not None:
                    at = pa.array(np.full(len(part["pos"]), number))
                    part["partition"] = partitions.take(at)
                yield self._batch(delete, part)

    def _batch(self, delete: DeleteFile, held: dict[str, pa.Array]) -> pa.RecordBatch:
        """Return some rows of a delete file."""
        rows = len(held["pos"])
        same: dict[str, Any] = {
            "spec_id": delete.spec_id,
            "delete_file_path": delete.file_path,
            "content_offset": delete.content_offset,
            "content_size_in_bytes": delete.content_size,
        }
        columns = [
            held[each.name]
            if each.name in held
            else pa.repeat(pa.scalar(same[each.name], each.type), rows)
            for each in self.schema
        ]
        return pa.RecordBatch.from_arrays(columns, schema=self.schema)

    def _vector(self, delete: DeleteFile) -> Iterator[dict[str, pa.Array]]:
        """Yield the positions in a deletion vector."""
        positions = deleted_positions(_task(delete), self._files, Cache())
        path = pa.scalar(delete.referenced_data_file, pa.large_string())
        for start in range(0, len(positions), BATCH):
            held = pa.array(positions[start : start + BATCH])
            rows = pa.nulls(len(held), arrow_type(self._row.type))
            yield {"file_path": pa.repeat(path, len(held)), "pos": held, "row": rows}

    def _rows(self, delete: DeleteFile) -> Iterator[dict[str, pa.Array]]:
        """Yield the rows of a position delete file."""
        path = delete.file_path
        data = self._files.open(delete.file_format, path, delete.file_size_in_bytes)
        count = 0
        try:
            for piece in data.pieces([_PATH, _POS, self._row], TRUE):
                with about(path):
                    part = self._piece(Columns(piece.fields, piece.arrays, piece.rows))
                count += piece.rows
                yield part
            check_hints(delete, data.file, count)
        finally:
            data.close()

    def _piece(self, columns: Columns) -> dict[str, pa.Array]:
        """Return the columns of some rows."""
        paths, positions = (project(each, columns) for each in (_PATH, _POS))
        if paths.null_count or positions.null_count:
            raise FormatError("file_path, pos", None, "null", "a path and a position")
        wide = paths.cast(pa.large_string())
        return {"file_path": wide, "pos": positions, "row": project(self._row, columns)}


def _delete_file(entry: dict[str, Any]) -> DeleteFile:
    """Return the delete file of an entry."""
    return DeleteFile(
        content=FileContent.POSITION_DELETES,
        file_path=entry["file_path"],
        file_format=entry["file_format"].lower(),
        spec_id=entry["spec_id"],
        sequence_number=entry["sequence_number"],
        record_count=entry["record_count"],
        file_size_in_bytes=entry["file_size_in_bytes"],
        content_offset=entry["content_offset"],
        content_size=entry["content_size_in_bytes"],
        referenced_data_file=entry["referenced_data_file"],
    )


def _task(delete: DeleteFile) -> FileTask:
    """Return a task that stands for the data file of a deletion vector; only its path is used."""
    return FileTask(
        file_path=str(delete.referenced_data_file),
        file_format="",
        spec_id=delete.spec_id,
        partition={},
        sequence_number=delete.sequence_number,
        record_count=0,
        file_size_in_bytes=0,
        first_row_id=None,
        split_offsets=(),
        deletes=(delete,),
        residual=TRUE,
    )
