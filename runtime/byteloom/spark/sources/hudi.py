"""``byteloom.hudi``: the indexes in the metadata table of a Hudi table.

The table is opened once, when Spark asks for its columns: tasks read the file slices of
that moment, one file group or more each, whatever is committed meanwhile.

Source: https://hudi.apache.org/docs/metadata
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
from pyspark.sql.types import StructType

from byteloom.spark.files import absolute, located
from byteloom.spark.options import TEXT, Option, Options
from byteloom.spark.packing import packed, part_size
from byteloom.spark.sources.file_source import (
    COLUMNS,
    SPLIT_SIZE,
    STORAGE,
    FileSource,
)
from byteloom.spark.sources.reading import Reader

if TYPE_CHECKING:
    from byteloom.hudi import FileSlice, MetadataTable

__all__ = ["OPTIONS", "HudiSource", "opened"]

OPTIONS: Final = Options(
    "byteloom.hudi",
    Option("path", TEXT, "The folder of the table, which holds `.hoodie`; a path or a URL."),
    Option(
        "partition",
        TEXT,
        "The index, which is a partition of the metadata table: `files`, `column_stats`,"
        " `partition_stats`, `bloom_filters`, `record_index`, `secondary_index_*` or"
        " `expr_index_*`.",
        "files",
    ),
    COLUMNS,
    SPLIT_SIZE,
    prefixes=STORAGE,
)


def opened(place: str, storage: Mapping[str, str]) -> MetadataTable:
    """Return the metadata table of the Hudi table at a place.

    Args:
        storage: Options of filesystems.
    """
    from byteloom.hudi import MetadataTable

    path, filesystem = located(absolute(place), storage)
    return MetadataTable.open(path, filesystem=filesystem)


class HudiSource(FileSource):
    """Rows of an index."""

    OPTIONS = OPTIONS

    def __init__(self, options: Mapping[str, str]) -> None:
        """Read the options; `FormatError` for an unknown one or a wrong value."""
        super().__init__(options)
        self._table: MetadataTable | None = None

    @property
    def index(self) -> str:
        """The partition of the metadata table."""
        return str(self.settings["partition"])

    def columns(self) -> pa.Schema:
        """Return all columns; the table is opened."""
        from byteloom.hudi.index_rows import index_schema

        return index_schema(self.table(), self.index)

    def table(self) -> MetadataTable:
        """Return the metadata table as of the first time this was called."""
        if self._table is None:
            self._table = opened(self.places()[0], self.settings["storage."])
            self._table.slices(self.index)
        return self._table

    def reader(self, schema: StructType) -> HudiReader:
        """Return the reader of rows."""
        return HudiReader(schema, self)


class HudiReader(Reader):
    """Reads file groups."""

    def __init__(self, schema: StructType, source: HudiSource) -> None:
        """Keep the columns and options; no rows are read."""
        super().__init__(schema)
        self._columns = source.chosen(schema)
        self._table, self._index = source.table(), source.index
        self._size: int | None = source.settings["split_size"]

    def values(self) -> Iterable[Any]:
        """Return the ids of the file groups of each task."""
        slices = self._table.slices(self._index)
        pieces = [(each.file_id, _size(each)) for each in slices]
        return packed(pieces, part_size(sum(size for _, size in pieces), self._size))

    def batches(self, value: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Yield the rows of file groups."""
        from byteloom.hudi.index_rows import index_rows

        for file_group in value:
            for found in index_rows(self._table, self._index, file_group):
                yield from found.select(self._columns.names).to_batches()


def _size(each: FileSlice) -> int:
    """Return the bytes of the files of a slice."""
    files = [*each.logs, *([] if each.base is None else [each.base])]
    return sum(file.size for file in files)
