"""Scans: of the rows of a table, or of what changed between two of its snapshots.

The rules for changes:

- The first snapshot is excluded and the last one included; the first is an ancestor of the last.
- An append scan takes the files that append operations added, regardless of later deletions.
- A changelog has what each snapshot did to rows, by data files and by delete files, in the order
  of the snapshots; replacements change no row, so they are skipped.

Source: Iceberg table spec, "Scan Planning" and "Snapshots" (``operation``); Java's
``IncrementalAppendScan`` and ``IncrementalChangelogScan``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from byteloom.arguments import whole_number
from byteloom.arrow.data import ArrowStream
from byteloom.errors import ArgumentError, FormatError
from byteloom.iceberg.expressions.text import as_expression
from byteloom.iceberg.planning.changes import ChangePlanner
from byteloom.iceberg.planning.planned_scan import ManifestSource, PlannedScan
from byteloom.iceberg.planning.planner import Planner

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from byteloom.iceberg.expressions.ast import Expression
    from byteloom.iceberg.planning.explaining import FileExplanation
    from byteloom.iceberg.planning.plan import Plan
    from byteloom.iceberg.reading.explaining import ScanExplanation
    from byteloom_generated.iceberg.table_metadata import Snapshot


__all__ = ["AddedScan", "AppendScan", "ChangelogScan", "TableScan", "checked_names"]


@dataclass(frozen=True, repr=False)
class TableScan(PlannedScan, ArrowStream):
    """A scan of a table: its rows and columns to read.

    Example:
        >>> from byteloom.iceberg import open_table
        >>> scan = open_table("byteloom-samples/orders").scan().where("id < 3").select("id")
        >>> scan.to_table().to_pydict()
        {'id': [0, 1, 2]}
    """

    def __repr__(self) -> str:
        """The table, its snapshot, its filter and its columns."""
        of = "no snapshot" if self.snapshot is None else f"snapshot {self.snapshot.snapshot_id}"
        columns = "*" if self.columns is None else ", ".join(self.columns)
        limit = "" if self.limit is None else f" limit {self.limit}"
        return (
            f"<{type(self).__name__} {columns} of {self.table!r} {of} where {self.filter}{limit}>"
        )

    def where(self, expression: Expression | str) -> Self:
        """Return the scan with an additional condition on rows.

        Args:
            expression: An expression on column names, or its text.

        Returns:
            The scan of the rows that match both this condition and those before.

        Raises:
            FormatError: The text is no expression.
        """
        return replace(self, filter=self.filter & as_expression(expression))

    def select(self, *columns: str) -> Self:
        """Return the scan of some columns.

        Args:
            *columns: Their names, which may be those of metadata columns such as ``_file``.

        Returns:
            The scan, with the columns in this order.
        """
        return replace(self, columns=checked_names(columns))

    def to_batches(
        self, *, ordered: bool = True, threads: int | None = None
    ) -> pa.RecordBatchReader:
        """Return the rows, with deletes applied; nothing is read before batches are requested.

        Args:
            ordered: Whether rows are in the order of the plan; otherwise they come as files are
                read.
            threads: Number of files read at the same time; None for one per processor, or for one
                if local files have few values.

        Returns:
            The batches; an error in a file is raised when its batch is due.

        Raises:
            FormatError: A damaged file, or a number of threads that is below 1 or not a number.
            StorageError: A file that is missing or cannot be read.
        """
        from byteloom.iceberg.reading.batches import scan_batches

        _check_threads(threads)
        return scan_batches(self, ordered=ordered, threads=threads)

    def to_table(self, *, ordered: bool = True, threads: int | None = None) -> pa.Table:
        """Return all rows.

        Args:
            ordered: As for `to_batches`.
            threads: As for `to_batches`.

        Returns:
            The rows; errors are those of `to_batches`.
        """
        return self.to_batches(ordered=ordered, threads=threads).read_all()

    def count(self, *, threads: int | None = None) -> int:
        """Return the number of rows; only deletes, and files that must be filtered, are read.

        Args:
            threads: Number of files read at the same time; None for one per processor.

        Returns:
            The number; errors are those of `to_batches`.
        """
        from byteloom.iceberg.reading.batches import count_rows

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

    def explain(self, *, most: int = 100, file: str | None = None) -> ScanExplanation:
        """Return what the scan reads, and how: nothing is decoded, but footers of files are read.

        Args:
            most: Number of groups of files to look at; each is one file, or small ones read as one.
            file: The path of a file, as written, whose group alone is looked at.

        Returns:
            The explanation; ``str`` of it is some lines of text.

        Example:
            >>> from byteloom.iceberg import open_table
            >>> (group, *_) = open_table("byteloom-samples/orders").scan("id < 3").explain().groups
            >>> group.decoding.library
            ('id', 'country', 'cents', 'placed_at')
        """
        from byteloom.iceberg.reading.explaining import explain_scan

        return explain_scan(self, most, file)

    def explain_file(self, path: str) -> FileExplanation:
        """Return why a data file is kept or removed.

        Args:
            path: The path of the file, as written in its manifest.

        Returns:
            The explanation; ``str`` of it is some lines of text.

        Example:
            >>> from byteloom.iceberg import open_table
            >>> scan = open_table("byteloom-samples/orders").scan("id < 3")
            >>> explained = scan.explain_file(next(iter(scan.plan())).file_path)
            >>> explained.is_planned, str(explained.residual)
            (True, 'id < 3')
        """
        from byteloom.iceberg.planning.explaining import explain_file

        return explain_file(self, path)


def _check_threads(threads: int | None) -> None:
    if threads is not None:
        whole_number("threads", threads, "a number of threads, 1 or more", least=1)


def checked_names(columns: Any) -> tuple[str, ...]:
    """Return the names of columns as a tuple.

    Args:
        columns: A list of names.

    Returns:
        The same names.

    Raises:
        ArgumentError: Anything but a list of names.
    """
    if isinstance(columns, str) or not all(isinstance(each, str) for each in columns):
        raise ArgumentError("columns", None, repr(columns), "a list of names")
    return tuple(columns)


@dataclass(frozen=True, repr=False)
class AddedScan(TableScan):
    """A scan of the data files that one snapshot added, whatever its operation."""

    def sources(self) -> Iterator[ManifestSource]:
        """Yield the manifests of the snapshot, of which only its own entries are planned."""
        own = -1 if self.snapshot is None else self.snapshot.snapshot_id
        yield ManifestSource(self.table.manifests(self.snapshot), own)


@dataclass(frozen=True, repr=False)
class _RangeScan(TableScan):
    """A scan of the snapshots after a given one.

    Attributes:
        after: The id of a snapshot, which is excluded; None for all.
    """

    after: int | None = None

    @property
    def only_snapshot(self) -> Snapshot | None:
        """None: a file may be in any of the snapshots."""
        return None

    def snapshots(self) -> list[Snapshot]:
        """Return the snapshots of the range, oldest first.

        Raises:
            FormatError: *after* is no ancestor of the last one.
        """
        last = None if self.snapshot is None else self.snapshot.snapshot_id
        chain = self.table.metadata.ancestors(last)
        if self.after is None:
            return chain[::-1]
        parents = [each.parent_snapshot_id for each in chain]
        if self.after == last:
            return []
        if self.after not in parents:
            wanted = f"an ancestor of snapshot {last}"
            raise FormatError("from-snapshot", None, str(self.after), wanted)
        return chain[parents.index(self.after) :: -1]


@dataclass(frozen=True, repr=False)
class AppendScan(_RangeScan):
    """A scan of the files that appends added."""

    def sources(self) -> Iterator[ManifestSource]:
        """Yield the manifests of each append."""
        for each in self.snapshots():
            if _operation(each) == "append":
                yield ManifestSource(self.table.manifests(each), each.snapshot_id)
        yield ManifestSource(self.table.manifests(None), -1)


@dataclass(frozen=True, repr=False)
class ChangelogScan(_RangeScan):
    """A scan of inserted and deleted rows, each with its kind of change and its snapshot."""

    has_changes: ClassVar[bool] = True

    def plan_stream(self) -> Iterator[Plan]:
        """Yield the plan in parts, some manifests of a snapshot at a time."""
        return ChangePlanner(self).parts(self.sources())

    def sources(self) -> Iterator[ManifestSource]:
        """Yield the manifests of each change."""
        changes = [each for each in self.snapshots() if _operation(each) != "replace"]
        for ordinal, each in enumerate(changes):
            yield ManifestSource(self.table.manifests(each), each.snapshot_id, ordinal)
        yield ManifestSource(self.table.manifests(None), -1, len(changes))


def _operation(snapshot: Snapshot) -> str | None:
    """Return a snapshot's operation; None where old writers left it out."""
    return (snapshot.summary or {}).get("operation")
