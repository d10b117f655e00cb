"""The data files of new rows: one after the other for each partition, with what manifests say.

The rules:

- Rows are collected until they are as large as a row group, then divided among the partitions. Each
  part becomes a row group of its partition's file; a file that has its target size ends.
- A table with a sort order has a file for each such part, so that each file is sorted as a whole.
- At most 100 files are open, and several end at a time. Rows of other partitions wait in a
  temporary file, and are written partition by partition at the end: no order of the rows takes more
  memory, or makes many small files.
- If writing fails, every file of the job is removed.

Source: Iceberg table spec, "Manifests" (``data_file``).
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from byteloom.iceberg.arrow_types import arrow_schema
from byteloom.iceberg.sort_order import SortOrder
from byteloom.iceberg.types import GeographyType, GeometryType
from byteloom.iceberg.writing.job import Job
from byteloom.iceberg.writing.locations import partition_path
from byteloom.iceberg.writing.metrics import modes_of
from byteloom.iceberg.writing.open_file import OpenFile
from byteloom.iceberg.writing.output_choice import Outputs
from byteloom.iceberg.writing.partitions import partitions_of, sorted_rows
from byteloom.iceberg.writing.repetition import repeated
from byteloom.late import tempfile
from byteloom.storage.sources import storing
from byteloom.storage.targets import Sink
from byteloom_generated.iceberg.manifests import FileContent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from byteloom.iceberg.partition_spec import PartitionSpec
    from byteloom.iceberg.schema import Schema
    from byteloom.iceberg.stored_table import StoredTable

__all__ = ["DataFiles", "PartitionKey"]

PartitionKey = tuple[Any, ...]
"""The storage values of a partition's fields."""

_MOST_OPEN: Final = 100
_ENDING: Final = 8
"""Threads that end files: each waits until its file is on the disk, or in the store."""


class DataFiles(Job):
    """The new data files of one job, in no snapshot yet; a failure inside ``with`` removes them.

    Attributes:
        entries: The finished files, as `write_manifest` takes them, each with its ``spec_id``.
    """

    def __init__(
        self,
        table: StoredTable,
        *,
        schema: Schema | None = None,
        spec: PartitionSpec | None = None,
        equality_ids: tuple[int, ...] = (),
        file_format: str | None = None,
    ) -> None:
        """Begin a job of a table.

        Args:
            table: The table.
            schema: The columns of the files; the table's own if None.
            spec: How rows are partitioned; as the table says if None.
            equality_ids: The ids of the columns that equality delete files compare, if the files
                are such ones.
            file_format: parquet, orc or avro; as the table says if None.

        Raises:
            ArgumentError: Another format.
            FormatError: A property of the table that is no value of its kind.
            Unsupported: A property that asks for files that are not written.
        """
        super().__init__(table)
        metadata = table.metadata
        self._schema = metadata.schema() if schema is None else schema
        self._spec = metadata.spec() if spec is None else spec
        self._equality_ids = equality_ids
        order = metadata.sort_orders[metadata.default_sort_order_id]
        self._order = SortOrder() if equality_ids else order
        self._shapes = {
            number: each.type
            for number, each in self._schema.field_by_id.items()
            if isinstance(each.type, GeometryType | GeographyType)
        }
        self._modes = modes_of(self._schema, self._order, self._properties)
        is_delete = bool(equality_ids)
        self._outputs = Outputs(table, self._schema, form=file_format, is_delete=is_delete)
        size = (
            "write.delete.target-file-size-bytes" if is_delete else "write.target-file-size-bytes"
        )
        self._file_size = self._properties.number(size)
        self._open: dict[PartitionKey, OpenFile] = {}
        self._waiting = _Waiting(arrow_schema(self._schema))
        self._again = frozenset[str]()
        self.entries: list[dict[str, Any]] = []

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        super().__exit__(kind)
        self._waiting.close()

    def remove(self) -> None:
        """Remove all files of the job; failures are ignored."""
        for each in self._open.values():
            with suppress(Exception):
                each.output.abort()
        super().remove()

    def write(self, rows: Iterable[pa.RecordBatch]) -> list[dict[str, Any]]:
        """Write rows, as `rows_of` yields them; return the entries of the files.

        Raises:
            StorageError: A file cannot be written.
        """
        for part in _parts(rows, self._outputs.group_size):
            self._again = repeated(part)
            for partition, chosen in partitions_of(part, self._spec, self._schema, self._again):
                if partition in self._open or len(self._open) < _MOST_OPEN:
                    self._add(partition, chosen)
                else:
                    self._waiting.add(partition, chosen)
        self._end_all()
        for partition, batches in self._waiting.take():
            for part in _parts(batches, self._outputs.group_size):
                self._add(partition, part)
            if len(self._open) == _MOST_OPEN:
                self._end_all()
        self._end_all()
        return self.entries

    def _add(self, partition: PartitionKey, rows: pa.Table) -> None:
        """Add rows to the file of their partition."""
        if partition not in self._open:
            self._open[partition] = self._begin(partition)
        found = self._open[partition]
        found.add(sorted_rows(rows, self._order, self._schema))
        if not self._order.is_unsorted or found.output.size >= self._file_size:
            self._end(partition)

    def _begin(self, partition: PartitionKey) -> OpenFile:
        """Open a file."""
        folders = partition_path(self._spec, self._schema, partition)
        path, target = self._create(folders, self._outputs.ending)
        output = self._outputs.begin(target, path, self._again)
        return OpenFile(output, self._spec, partition, self._shapes)

    def _end_all(self) -> None:
        """End all open files, several at a time."""
        files = list(self._open.values())
        if len(files) > 1:
            with ThreadPoolExecutor(_ENDING, thread_name_prefix="byteloom-end") as pool:
                self.entries += pool.map(self._ended, files)
        else:
            self.entries += map(self._ended, files)
        self._open.clear()

    def _end(self, partition: PartitionKey) -> None:
        """End a file and keep its entry."""
        self.entries.append(self._ended(self._open[partition]))
        del self._open[partition]

    def _ended(self, file: OpenFile) -> dict[str, Any]:
        """End a file; return its entry."""
        if self._equality_ids:
            content = FileContent.EQUALITY_DELETES
            more = {"content": content, "equality_ids": list(self._equality_ids)}
        else:
            more = {"content": FileContent.DATA, "sort_order_id": self._order.order_id}
        return file.end(self._schema, self._modes, **more)


class _Waiting:
    """Rows of partitions that have no open file, in a temporary file."""

    def __init__(self, schema: pa.Schema) -> None:
        self._schema, self._places = schema, dict[PartitionKey, list[int]]()
        self._file: Any = None
        self._sink: Any = None
        self._writer: Any = None
        self._count = 0

    def add(self, partition: PartitionKey, rows: pa.Table) -> None:
        """Keep some rows."""
        if self._writer is None:
            options = pa.ipc.IpcWriteOptions(compression="lz4")
            with storing("a temporary file"):
                self._file = tempfile.TemporaryFile(prefix="byteloom-")
                self._sink = Sink(self._file)
                self._writer = pa.ipc.new_file(self._sink, self._schema, options=options)
        for batch in rows.combine_chunks().to_batches():
            with storing("a temporary file"):
                self._writer.write_batch(batch)
            self._places.setdefault(partition, []).append(self._count)
            self._count += 1

    def take(self) -> Iterator[tuple[PartitionKey, Iterator[pa.RecordBatch]]]:
        """Yield the rows of each partition."""
        if self._writer is None:
            return
        with storing("a temporary file"):
            self._writer.close()
            self._file.seek(0)
        reader = pa.ipc.open_file(pa.PythonFile(self._file, "r"))
        for partition, places in self._places.items():
            yield partition, (reader.get_batch(each) for each in places)

    def close(self) -> None:
        """Remove the file."""
        if self._file is not None:
            self._sink.drop()
            with suppress(OSError):  # closing writes what is buffered, which may be what failed
                self._file.close()


def _parts(rows: Iterable[pa.RecordBatch], most: int) -> Iterator[pa.Table]:
    """Yield rows in tables of about *most* bytes."""
    held: list[pa.RecordBatch] = []
    size = 0
    for batch in rows:
        for part in _slices(batch, most):
            held.append(part)
            size += part.nbytes
            if size >= most:
                yield pa.Table.from_batches(held)
                held, size = [], 0
    if any(each.num_rows for each in held):
        yield pa.Table.from_batches(held)


def _slices(batch: pa.RecordBatch, most: int) -> Iterator[pa.RecordBatch]:
    """Yield a batch in pieces of at most about *most* bytes."""
    pieces = max(1, -(-batch.nbytes // most))
    step = max(1, -(-batch.num_rows // pieces))
    for start in range(0, batch.num_rows, step):
        yield batch.slice(start, step)
