"""A scan of a table: its filter and columns, and the plan of the files to read.

The rules:

- A scan is a value: nothing is read before `TableScan.plan` reads the manifests.
- The schema is that of the snapshot, if an id or a moment names it, else the current one.

Source: Iceberg table spec, "Scan Planning".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

from byteloom.arguments import whole_number
from byteloom.arrow.stream import ArrowStream
from byteloom.errors import ArgumentError
from byteloom.iceberg.expressions.ast import TRUE
from byteloom.iceberg.expressions.binding import bind
from byteloom.iceberg.expressions.text import expression_of
from byteloom.iceberg.planning.joining import joined
from byteloom.iceberg.planning.planner import Planner, Source
from byteloom.iceberg.planning.pruning import Filter
from byteloom.storage.naming import about_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from byteloom.iceberg.expressions.ast import Expression
    from byteloom.iceberg.planning.explaining import FileExplanation
    from byteloom.iceberg.planning.plan import Plan
    from byteloom.iceberg.schema import Schema
    from byteloom.iceberg.table import Table
    from byteloom_generated.iceberg.table_metadata import Snapshot

__all__ = ["TableScan", "names_of"]


@dataclass(frozen=True)
class TableScan(ArrowStream):
    """A scan of a table: its rows and columns to read.

    table             the table
    snapshot          the snapshot to read; None for a table without one
    schema            the schema whose columns the filter and *columns* name
    filter            the condition on rows, by column names
    columns           names of the columns that are wanted; None for all
    case_sensitive    whether names must match in case
    ignore_residuals  plan as if the files that are left had only matching rows
    limit             the greatest number of rows to return
    trusts_required   plan as if no required column had nulls, as all planners do; reading rows does
                      not assume it
    """

    table: Table
    snapshot: Snapshot | None
    schema: Schema
    filter: Expression = TRUE
    columns: tuple[str, ...] | None = None
    case_sensitive: bool = True
    ignore_residuals: bool = False
    limit: int | None = None
    trusts_required: bool = True
    has_changes: ClassVar[bool] = False

    def __repr__(self) -> str:
        """The table, its snapshot, its filter and its columns."""
        of = "no snapshot" if self.snapshot is None else f"snapshot {self.snapshot.snapshot_id}"
        columns = "*" if self.columns is None else ", ".join(self.columns)
        limit = "" if self.limit is None else f" limit {self.limit}"
        return (
            f"<{type(self).__name__} {columns} of {self.table!r} {of} where {self.filter}{limit}>"
        )

    def __post_init__(self) -> None:
        """Refuse a limit that is not a number of rows."""
        if self.limit is not None:
            whole_number("limit", self.limit, "a number of rows, 0 or more", least=0)

    def where(self, expression: Expression | str) -> Self:
        """Return the scan with *expression*, or its text, as an additional condition on rows."""
        return replace(self, filter=self.filter & expression_of(expression))

    def select(self, *columns: str) -> Self:
        """Return the scan of these columns."""
        return replace(self, columns=names_of(columns))

    @cached_property
    def bound(self) -> Expression:
        """The filter bound to the schema; `FormatError` for a column that the schema lacks."""
        with about_file(self.table.metadata_location):
            return bind(
                self.filter,
                self.schema,
                case_sensitive=self.case_sensitive,
                trusts_required=self.trusts_required,
                former=self.table.metadata.schemas.values(),
            )

    @cached_property
    def pruning(self) -> Filter:
        """The filter in the form that excludes manifests and files."""
        return Filter(self.bound, self.schema, self.table.metadata.partition_specs)

    @property
    def only_snapshot(self) -> Snapshot | None:
        """The snapshot that has all files of the scan; None if they are of several, or of none."""
        return self.snapshot

    def check_columns(self) -> None:
        """Refuse a column that the schema lacks, before anything is read."""
        if self.columns is None:
            return
        from byteloom.iceberg.reading.selection import selected

        with about_file(self.table.metadata_location):
            selected(
                self.schema,
                self.columns,
                self.table.metadata,
                case_sensitive=self.case_sensitive,
                changes=self.has_changes,
            )

    def plan(self) -> Plan:
        """Return all files that must be read.

        FormatError   damaged manifests, or ones that contradict their list
        StorageError  files that are missing
        """
        return joined(list(self.plan_stream()))

    def to_batches(
        self, *, ordered: bool = True, threads: int | None = None
    ) -> pa.RecordBatchReader:
        """Return the rows, with deletes applied; nothing is read before batches are requested.

        ordered  whether rows are in the order of the plan; otherwise they come as files are read
        threads  number of files read at the same time; None for one per processor, or for one if
                 local files have few values
        raises   `FormatError` and `StorageError` when the batch with the error is due;
                 `FormatError` for a number of threads that is below 1 or not a number
        """
        from byteloom.iceberg.reading.scanning import scan_batches

        _check_threads(threads)
        return scan_batches(self, ordered=ordered, threads=threads)

    def to_table(self, *, ordered: bool = True, threads: int | None = None) -> pa.Table:
        """Return all rows; arguments and errors as for `to_batches`."""
        return self.to_batches(ordered=ordered, threads=threads).read_all()

    def count(self, *, threads: int | None = None) -> int:
        """Return the number of rows; only deletes, and files that must be filtered, are read.

        threads  number of files read at the same time; None for one per processor
        raises   as `to_batches`
        """
        from byteloom.iceberg.reading.counting import count_rows

        _check_threads(threads)
        return count_rows(self, threads)

    def to_reader(self) -> pa.RecordBatchReader:
        """Return what `to_batches` does by default."""
        return self.to_batches()

    def plan_stream(self) -> Iterator[Plan]:
        """Yield the plan in parts, some manifests at a time: memory stays bounded.

        Every part has the delete files; the first one counts the manifests.
        """
        return Planner(self).parts(self.sources())

    def explain_file(self, path: str) -> FileExplanation:
        """Return why the file of that *path*, as written in manifests, is kept or removed."""
        from byteloom.iceberg.planning.explaining import explain_file

        return explain_file(self, path)

    def sources(self) -> Iterator[Source]:
        """Yield the manifests that are planned."""
        yield Source(self.table.manifests(self.snapshot))


def _check_threads(threads: int | None) -> None:
    if threads is not None:
        whole_number("threads", threads, "a number of threads, 1 or more", least=1)


def names_of(columns: Any) -> tuple[str, ...]:
    """Return a list of names as a tuple; `FormatError` for anything else."""
    if isinstance(columns, str) or not all(isinstance(each, str) for each in columns):
        raise ArgumentError("columns", None, repr(columns), "a list of names")
    return tuple(columns)
