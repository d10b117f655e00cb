"""Delete files that delete rows by their positions: deletion vectors, or files of positions.

The rules:

- Version 3 has deletion vectors, all of a job in one Puffin file; version 2 has files of paths and
  positions, ordered by both.
- ``write.delete.granularity`` decides whether there is one file of positions for each data file or
  for each partition; one that is about a single data file names it.
- A delete file has the spec and the partition of its data files.

Source: Iceberg table spec, "Position Delete Files" and "Deletion Vectors".
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow as pa

from byteloom.iceberg.arrow_types import arrow_field
from byteloom.iceberg.reserved_fields import DELETE_FILE_COLUMNS
from byteloom.iceberg.schema import Schema
from byteloom.iceberg.writing.job import Job
from byteloom.iceberg.writing.locations import partition_path
from byteloom.iceberg.writing.metrics import FULL
from byteloom.iceberg.writing.open_file import OpenFile
from byteloom.iceberg.writing.output_choice import Outputs
from byteloom.puffin.writer import PuffinWriter
from byteloom_generated.iceberg.manifests import EntryStatus, FileContent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from byteloom.iceberg.planning.plan import FileTask
    from byteloom.iceberg.stored_table import StoredTable
    from byteloom.puffin.deletion_vector import DeletionVector

__all__ = ["DeleteFiles", "DeletedRows"]

_PATH, _POS = DELETE_FILE_COLUMNS["file_path"], DELETE_FILE_COLUMNS["pos"]
_SCHEMA: Final = Schema((_PATH, _POS))
_MODES: Final = {_PATH.id: FULL, _POS.id: FULL}
_VECTORS: Final = 3
"""The first version that has deletion vectors."""

_ROWS: Final = 1 << 20
"""Positions that are written together."""


class DeletedRows(NamedTuple):
    """Rows of a data file to delete.

    Attributes:
        task: The data file.
        rows: The positions of the rows; of version 3 those that older deletes have too.
    """

    task: FileTask
    rows: DeletionVector


class DeleteFiles(Job):
    """The new delete files of one job, in no snapshot yet; a failure inside ``with`` removes them.

    Attributes:
        entries: The finished files, as `write_manifest` takes them, each with its ``spec_id``.
    """

    def __init__(self, table: StoredTable) -> None:
        """Begin a job of a table.

        Raises:
            FormatError: A property of the table that is no value of its kind.
            Unsupported: A property that asks for files that are not written.
        """
        super().__init__(table)
        self._outputs = Outputs(table, _SCHEMA, is_delete=True)
        self._is_by_file = self._properties.word("write.delete.granularity") == "file"
        self.entries: list[dict[str, Any]] = []

    def write(self, deleted: Iterable[DeletedRows]) -> list[dict[str, Any]]:
        """Write the positions of rows; return the entries of the files.

        Raises:
            StorageError: A file cannot be written.
        """
        held = sorted(deleted, key=lambda each: each.task.file_path)
        if held and self._table.metadata.format_version >= _VECTORS:
            self._write_vectors(held)
        elif self._is_by_file:
            for each in held:
                self._write_positions([each])
        else:
            held.sort(key=lambda each: (each.task.spec_id, self._folders(each.task)))
            for _, some in groupby(held, key=lambda each: _partition(each.task)):
                self._write_positions(list(some))
        return self.entries

    def _folders(self, task: FileTask) -> str:
        """Return the folders of a data file's partition."""
        metadata = self._table.metadata
        values = list(task.partition.values())
        return partition_path(metadata.spec(task.spec_id), metadata.schema(), values)

    def _write_vectors(self, deleted: Sequence[DeletedRows]) -> None:
        """Write a Puffin file of the vectors of some data files."""
        path, target = self._create("", "-deletes.puffin")
        with PuffinWriter(target) as writer:
            blobs = [writer.add_deletion_vector(each.rows, each.task.file_path) for each in deleted]
            writer.finish()
        for each, blob in zip(deleted, blobs, strict=True):
            self.entries.append(
                {
                    "status": EntryStatus.ADDED,
                    "content": FileContent.POSITION_DELETES,
                    "file_path": path,
                    "file_format": "PUFFIN",
                    "spec_id": each.task.spec_id,
                    "partition": each.task.partition,
                    "record_count": len(each.rows),
                    "file_size_in_bytes": writer.file_size,
                    "referenced_data_file": each.task.file_path,
                    "content_offset": blob.offset,
                    "content_size_in_bytes": blob.length,
                }
            )

    def _write_positions(self, deleted: Sequence[DeletedRows]) -> None:
        """Write a file of the positions of rows of some data files of one partition."""
        task = deleted[0].task
        path, target = self._create(self._folders(task), self._outputs.ending)
        output = self._outputs.begin(target, path, {_PATH.name})
        spec = self._table.metadata.spec(task.spec_id)
        file = OpenFile(output, spec, tuple(task.partition.values()))
        try:
            for rows in _tables(deleted):
                file.add(rows)
            only = task.file_path if len(deleted) == 1 else None
            content = FileContent.POSITION_DELETES
            more = {"content": content, "referenced_data_file": only}
            self.entries.append(file.end(_SCHEMA, _MODES, **more))
        except BaseException:
            output.abort()
            raise


def _partition(task: FileTask) -> tuple[int, str]:
    """Return what is equal for the files of one partition; NaN is then equal to NaN."""
    return task.spec_id, repr(task.partition)


def _tables(deleted: Sequence[DeletedRows]) -> Iterator[pa.Table]:
    """Yield paths and positions, about a million at a time."""
    schema = pa.schema([arrow_field(_PATH), arrow_field(_POS)])
    held: list[pa.Table] = []
    count = 0
    for each in deleted:
        positions = each.rows.positions()
        for start in range(0, len(positions), _ROWS):
            part = positions[start : start + _ROWS]
            paths = pa.repeat(pa.scalar(each.task.file_path, pa.large_string()), len(part))
            held.append(pa.table([paths, pa.array(part)], schema=schema))
            count += len(part)
            if count >= _ROWS:
                yield pa.concat_tables(held)
                held, count = [], 0
    if held:
        yield pa.concat_tables(held)
