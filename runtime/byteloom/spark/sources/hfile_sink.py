"""Write each partition of a DataFrame as a sorted HFile; all files appear together.

- Tasks write to a hidden folder, each attempt to a file of its own; the driver moves one file of
  each partition into the folder, and removes the others.
- Cells ascend in each partition, and no partition has rows between those of another.

Source: https://hbase.apache.org/book.html#_hfile_format_2
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any, Final
from uuid import uuid4

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql.datasource import DataSourceArrowWriter, WriterCommitMessage
from pyspark.sql.types import StructType

from byteloom.errors import FormatError
from byteloom.hfile import HFileWriter
from byteloom.hfile.keys import row_bytes
from byteloom.hfile.writing.cell_columns import check_columns
from byteloom.spark.arrow_schemas import arrow_schema_of
from byteloom.spark.files import absolute, located
from byteloom.spark.sources.reading import undone
from byteloom.storage import Folder
from byteloom.storage.naming import about_file
from byteloom.storage.staging import Staging

__all__ = ["HFileSink"]

_CURE: Final = ".repartitionByRange('row').sortWithinPartitions('row', ...) before .write"
_SETTINGS: Final = (
    "profile",
    "compression",
    "level",
    "encoding",
    "block_size",
    "blooms",
    "tags",
    "mvcc",
)


@dataclass(frozen=True)
class Written(WriterCommitMessage):
    """The file of a partition.

    Attributes:
        partition: Its number.
        name: Name of the file in the hidden folder; empty if the partition has no rows.
        first, last: The first and last row.
    """

    partition: int
    name: str = ""
    first: bytes = b""
    last: bytes = b""


class HFileSink(DataSourceArrowWriter):
    """A writer of files in a folder; it is pickled for each task, and for the commit."""

    def __init__(
        self, schema: StructType, place: str, settings: Mapping[str, Any], *, replaces: bool
    ) -> None:
        """Check everything that can be checked without rows; nothing is written.

        Args:
            replaces: Whether files now in the folder are replaced.

        Raises:
            FormatError: For columns and settings that no HFile can have.
        """
        check_columns(arrow_schema_of(schema).names)
        given = {name: settings[name] for name in _SETTINGS}
        self._settings = {name: each for name, each in given.items() if each is not None}
        self._settings["threads"] = 1
        HFileWriter(io.BytesIO(), **self._settings).abort()
        path, filesystem = located(absolute(place), settings["storage."])
        self._staging = Staging(Folder(path, filesystem=filesystem), uuid4().hex)
        self._replaces = replaces

    def write(self, iterator: Iterator[pa.RecordBatch]) -> Written:
        """Write the rows of a partition; return what was written."""
        context = TaskContext.get()
        partition = 0 if context is None else context.partitionId()
        ends: list[bytes] = []
        batches = _noting(iterator, ends)
        first = next(batches, None)
        if first is None:
            return Written(partition)
        name = f"{partition}-{uuid4().hex}"
        place, folder = self._staging.place(name), self._staging.folder
        with (
            about_file(f"{folder}/{self._name(partition)}"),
            HFileWriter(place, filesystem=folder.filesystem, **self._settings) as writer,
        ):
            writer.write(chain([first], batches))
        return Written(partition, name, *ends)

    def commit(self, messages: list[Any]) -> None:
        """Make the files of all partitions visible.

        Raises:
            FormatError: If a partition has rows between those of another.
        """
        parts = sorted((each for each in messages if each.name), key=lambda each: each.first)
        for before, after in pairwise(parts):
            if after.first <= before.last:
                found = (
                    f"row {after.first!r} in partition {after.partition}, and rows {before.first!r}"
                    f" to {before.last!r} in partition {before.partition}"
                )
                raise FormatError(str(self._staging.folder), None, found, f"ranges: {_CURE}")
        names = [(each.name, self._name(each.partition)) for each in parts]
        self._staging.publish(names, replaces=self._replaces)

    def abort(self, messages: list[Any]) -> None:  # noqa: ARG002  (files of lost tasks go as well)
        """Remove everything that was written."""
        undone(self._staging.withdraw)

    def _name(self, partition: int) -> str:
        return f"part-{partition:05}-{self._staging.job}.hfile"


def _noting(batches: Iterator[pa.RecordBatch], ends: list[Any]) -> Iterator[pa.RecordBatch]:
    """Yield the batches that have rows, and put the first and last row into *ends*."""
    for batch in batches:
        if batch.num_rows:
            yield batch
            name = next(each for each in batch.schema.names if each in {"row", "key"})
            rows = batch.column(name)
            last = row_bytes(rows[-1].as_py())
            ends[:] = [ends[0] if ends else row_bytes(rows[0].as_py()), last]
