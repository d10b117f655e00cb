"""Write a version of a Lance dataset: tasks write data files, and the driver commits the version.

Source: https://lance.org/format/table/transaction/
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql.datasource import DataSourceArrowWriter, WriterCommitMessage
from pyspark.sql.types import StructType

from byteloom.lance import begin_write
from byteloom.lance.dataset.versions import has_versions
from byteloom.spark.arrow_schemas import arrow_schema_of
from byteloom.spark.files import absolute, located
from byteloom.spark.sources.reading import undone
from byteloom.storage import Folder

__all__ = ["LanceSink"]


@dataclass(frozen=True)
class Written(WriterCommitMessage):
    """The result of a task.

    Attributes:
        partition: Its number: rows are in the order of partitions.
        fragments: As `DatasetWrite.write` returns them.
    """

    partition: int
    fragments: list[bytes]


class LanceSink(DataSourceArrowWriter):
    """A writer of one version; it is pickled for each task, and for the commit."""

    def __init__(
        self, schema: StructType, place: str, settings: Mapping[str, Any], *, replaces: bool
    ) -> None:
        """Check everything that can be checked without rows; nothing is written.

        Args:
            replaces: Whether the version has only these rows; otherwise they are appended to
                those of the newest version, if there is one.

        Raises:
            FormatError: For a schema that does not match the dataset's.
            Unsupported: What is there is not supported.
        """
        path, filesystem = located(absolute(place), settings["storage."])
        folder = Folder(path, filesystem=filesystem)
        adding = "append" if has_versions(folder) else "create"
        self._job = begin_write(
            path,
            arrow_schema_of(schema),
            mode="overwrite" if replaces else adding,
            version=settings["version"],
            max_rows_per_file=settings["max_rows_per_file"],
            filesystem=filesystem,
        )

    def write(self, iterator: Iterator[pa.RecordBatch]) -> Written:
        """Write the rows of a partition to data files."""
        context = TaskContext.get()
        partition = 0 if context is None else context.partitionId()
        return Written(partition, self._job.write(iterator))

    def commit(self, messages: list[Any]) -> None:
        """Commit the version, and remove files of superseded tasks."""
        parts = sorted(messages, key=lambda each: each.partition)
        self._job.commit(fragment for each in parts for fragment in each.fragments)
        with suppress(Exception):  # the version is committed, and needs none of the remaining files
            self._job.sweep()

    def abort(self, messages: list[Any]) -> None:  # noqa: ARG002  (files of lost tasks go as well)
        """Remove all files, unless the version was committed after all."""
        undone(self._job.sweep)
