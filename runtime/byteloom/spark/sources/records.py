"""``byteloom.records``: reads records of any format with a ``.ksy`` spec, one row per record.

The spec is compiled by the planner, and executors get its modules with the query.  A file is read
whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import pyarrow as pa
from pyspark.sql.types import StructType

from byteloom.errors import ArgumentError, LimitExceeded
from byteloom.spark.compiled_specs import CompiledSpec, compiled_spec
from byteloom.spark.files import located
from byteloom.spark.options import SIZE, TEXT, Option, Options
from byteloom.spark.sources.file_source import (
    COLUMNS,
    PATHS,
    SPLIT_SIZE,
    STORAGE,
    FileReader,
    FileSource,
)
from byteloom.storage import open_source
from byteloom.storage.naming import about_file

__all__ = ["OPTIONS", "RecordsSource"]

_ROWS: Final = 1 << 16
"""Rows of a batch."""

OPTIONS: Final = Options(
    "byteloom.records",
    *PATHS,
    Option("spec", TEXT, "The spec: the path of a `.ksy` file, or its text."),
    Option(
        "records",
        TEXT,
        "The repeated field whose elements are the rows, as `header.entries`.",
        default_text="that nearest the top",
    ),
    COLUMNS,
    SPLIT_SIZE,
    Option("max_file_size", SIZE, "Largest size of a file, which is read whole.", 1 << 30, "1g"),
    prefixes=STORAGE,
)


class RecordsSource(FileSource):
    """The source ``byteloom.records``: records of files that a user's spec describes."""

    OPTIONS = OPTIONS

    def __init__(self, options: Mapping[str, str]) -> None:
        """Read the options; `ArgumentError` for an unknown one or a wrong value."""
        super().__init__(options)
        self._compiled: CompiledSpec | None = None

    def compiled(self) -> CompiledSpec:
        """Return the modules of the spec, which is compiled once."""
        if self._compiled is None:
            given = self.settings["spec"]
            if not given:
                wanted = "the path or the text of a spec"
                raise ArgumentError(f"{self.name()} option spec", None, "nothing", wanted)
            self._compiled = compiled_spec(given, self.settings["records"])
        return self._compiled

    def columns(self) -> pa.Schema:
        """Return all columns of a record."""
        return self.compiled().records.schema

    def reader(self, schema: StructType) -> RecordsReader:
        """Return the reader of records."""
        return RecordsReader(schema, self)


class RecordsReader(FileReader):
    """Scans files."""

    def __init__(self, schema: StructType, source: RecordsSource) -> None:
        """Store the options; nothing is read yet."""
        super().__init__(schema, source)
        self._compiled = source.compiled()
        self._most: int = source.settings["max_file_size"]

    def batches(self, value: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Yield the records of files at these places."""
        records = self._compiled.records
        for place in value:
            with about_file(place):
                for found in records.batches(self._content(place)):
                    kept = found.select(self.columns.names)
                    for first in range(0, kept.num_rows, _ROWS):
                        yield kept.slice(first, _ROWS)

    def _content(self, place: str) -> bytes:
        path, filesystem = located(place, self.storage)
        source = open_source(path, filesystem=filesystem)
        try:
            if source.size > self._most:
                wanted = f"at most {self._most} (option max_file_size)"
                raise LimitExceeded("", None, f"{source.size} bytes", wanted)
            return source.read(0, source.size)
        finally:
            source.close()
