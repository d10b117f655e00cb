"""``byteloom.iceberg``: rows, metadata tables and changes of Iceberg tables.

The table is opened once, when Spark asks for its schema: planner and executors read the same
metadata file, whatever is committed meanwhile.  Streams look for newer metadata files.

Source: Iceberg table spec, "Scan Planning".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from pyspark.sql.datasource import DataSource
from pyspark.sql.types import StructType

from byteloom.errors import ArgumentError
from byteloom.spark.options import (
    COUNT,
    NAMES,
    PLACES,
    SIZE,
    SOME_NAMES,
    TEXT,
    WHOLE,
    Option,
    Options,
    one_of,
)
from byteloom.spark.sources.reading import chosen_names

if TYPE_CHECKING:
    import pyarrow as pa

    from byteloom.iceberg.scan import TableScan
    from byteloom.iceberg.table import Table
    from byteloom.spark.sources.iceberg_rows import MetadataReader, RowReader
    from byteloom.spark.sources.iceberg_stream import ChangeReader

__all__ = ["NAME", "OPTIONS", "IcebergSource"]

NAME: Final = "byteloom.iceberg"

_DAY: Final = len("20240531")
"""Digits of a day as a number; a number with more digits means milliseconds."""

OPTIONS: Final = Options(
    NAME,
    Option("path", TEXT, "The table: its folder, a metadata file, or an entry of a catalog."),
    Option(
        "columns",
        SOME_NAMES,
        "Columns to read, `a.b` for a field of a struct, and metadata columns such as `_file`.",
        default_text="all columns of the table",
    ),
    Option(
        "filter",
        TEXT,
        "Which rows to read, as `id > 3 or day(ts) = '2024-05-01'`; files without such rows are"
        " not opened.",
        default_text="all rows",
    ),
    Option("snapshot", WHOLE, "The id of a snapshot to read."),
    Option(
        "as_of",
        TEXT,
        "Read the table as it was at this time: ISO 8601, in UTC without a zone, or milliseconds"
        " from 1970.",
    ),
    Option("ref", TEXT, "A branch or a tag to read."),
    Option(
        "metadata_table",
        TEXT,
        "A metadata table to read instead of the rows: `snapshots`, `files`, `partitions`, ...",
    ),
    Option(
        "split_size",
        SIZE,
        "Bytes of files that one task reads.",
        default_text="a third of a processor's share, from 32m to 256m",
    ),
    Option(
        "allow",
        PLACES,
        "Prefixes: only files below one of them are read, whatever the metadata names.",
        default_text="any",
    ),
    Option("relocate", NAMES, "`OLD=NEW`: files whose paths begin with `OLD` are now at `NEW`."),
    Option(
        "changes",
        one_of("appends", "all"),
        "Rows that were appended, or all that were inserted and deleted, in the columns"
        " `_change_type`, `_change_ordinal` and `_commit_snapshot_id` beside the table's.",
        default_text="the rows of the table; of a stream, `appends`",
    ),
    Option(
        "starting",
        TEXT,
        "Where changes and streams begin: the id of a snapshot, for what came after it; `earliest`,"
        " for all; of a stream also `latest`, for later commits only, and `table`, for all"
        " present rows and then later commits.",
        default_text="`earliest`; of a stream of appends, `table`",
    ),
    Option(
        "others",
        one_of("refuse", "skip"),
        "What a stream of appends does with snapshots that overwrite or delete rows.",
        default="refuse",
    ),
    Option("max_rows", COUNT, "The most rows added by a stream's batch of several snapshots."),
    Option("max_files", COUNT, "The most data files added by such a batch."),
    Option("max_bytes", SIZE, "The most bytes of data files added by such a batch."),
    prefixes={"storage.": "Properties of filesystems, as `storage.s3.access-key-id`."},
)


class IcebergSource(DataSource):
    """An Iceberg table, or one of its metadata tables."""

    def __init__(self, options: Mapping[str, str]) -> None:
        """Read the options; `ArgumentError` for an unknown one or a wrong value."""
        super().__init__(options)
        self.settings = OPTIONS.read(options)
        self._pinned: dict[str, Any] = {}

    @classmethod
    def name(cls) -> str:
        """The source's name in Spark."""
        return NAME

    def writer(self, schema: StructType, overwrite: bool) -> Any:  # noqa: ARG002, FBT001  (Spark's)
        """Refuse to write; raises `Unsupported`."""
        from byteloom.spark.sources.reading import refuse_writing

        refuse_writing(NAME)

    def schema(self) -> StructType:
        """Return the columns of the rows that the options select."""
        from byteloom.spark.arrow_schemas import spark_schema

        return spark_schema(self._columns(self.settings["columns"]))

    def reader(self, schema: StructType) -> RowReader | MetadataReader:
        """Return the reader of the rows that the table had when its schema was requested."""
        from byteloom.spark.sources.iceberg_rows import MetadataReader, RowReader

        self._check_no_stream()
        names = self._chosen(schema)
        kind = self.settings["metadata_table"]
        if kind is None:
            return RowReader(schema, self._scan(names), self.settings["split_size"])
        self._table()
        return MetadataReader(schema, self.settings | self._pinned, kind, self._when())

    def streamReader(self, schema: StructType) -> ChangeReader:  # noqa: N802  (Spark's name)
        """Return the reader of appended rows, or of all changes."""
        from byteloom.spark.sources.iceberg_stream import ChangeReader

        names = self._chosen(schema)
        return ChangeReader(schema, self.settings, names)

    def _check_no_stream(self) -> None:
        """Refuse options that are only for streams, or that cannot be used for changes."""
        given = {name for name, each in self.settings.items() if each is not None}
        refused = given & {"max_bytes", "max_files", "max_rows"}
        wanted = "nothing: it is an option of streams"
        start = self.settings["starting"]
        if "metadata_table" in given and "filter" in given:
            refused, wanted = {"filter"}, "nothing: rows of metadata tables are chosen by where()"
        if self.settings["changes"] is None:
            if start is not None:
                refused, wanted = {"starting"}, "nothing without the option changes"
        elif given & {"as_of", "metadata_table", "ref"}:
            refused = given & {"as_of", "metadata_table", "ref"}
            wanted = "nothing: changes go up to the option snapshot"
        elif start not in {None, "earliest"} and not start.isdecimal():
            refused, wanted = {"starting"}, "earliest or the id of a snapshot"
        for name in sorted(refused):
            raise ArgumentError(f"{NAME} option {name}", None, repr(self.settings[name]), wanted)

    def _chosen(self, schema: StructType) -> Sequence[str] | None:
        """Return the columns to read for Spark's schema, which may be a user's; None for all."""
        return chosen_names(NAME, schema, self.settings["columns"], self._columns)

    def _columns(self, names: Sequence[str] | None) -> pa.Schema:
        """Return the columns with these names (None for all), with Arrow's types."""
        from byteloom.spark.sources.iceberg_rows import context_of, metadata_columns
        from byteloom.spark.sources.iceberg_table import marked_schema

        kind = self.settings["metadata_table"]
        if kind is not None:
            schema = self._table().metadata_batches(kind, **self._when()).schema
            return metadata_columns(schema, names)
        return marked_schema(context_of(self._scan(names)).fields)

    def _scan(self, names: Sequence[str] | None) -> TableScan:
        """Return the scan of these columns."""
        from byteloom.spark.sources.iceberg_rows import changed

        table, wanted, changes = self._table(), self.settings["filter"], self.settings["changes"]
        if changes is None:
            found = table.scan(columns=names, **self._when())
        else:
            start, end = self.settings["starting"], self.settings["snapshot"]
            is_id = start is not None and start.isdecimal()
            found = changed(table, changes, int(start) if is_id else None, end)
            found = found if names is None else found.select(*names)
        return found if wanted is None else found.where(wanted)

    def _when(self) -> dict[str, Any]:
        """Return the options that select a snapshot."""
        as_of = self.settings["as_of"]
        is_number = as_of is not None and as_of.removeprefix("-").isdecimal() and len(as_of) > _DAY
        return {
            "snapshot": self.settings["snapshot"],
            "as_of": int(as_of) if is_number else as_of,
            "ref": self.settings["ref"],
        }

    def _table(self) -> Table:
        """Return the table as of the first time this was called, in whichever process."""
        from byteloom.spark.sources.iceberg_table import opened

        table = opened(self.settings | self._pinned)
        options = dict(table.relocation.access.options)
        self._pinned = {"path": table.metadata_location, "storage.": options}
        return table
