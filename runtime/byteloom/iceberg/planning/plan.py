"""A plan: the files that a scan must read, as columns.

A task, one data file with its deletes, is an object for programs.  Tasks are created one by one
during iteration.

Source: Iceberg table spec, "Scan Planning".
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from byteloom.iceberg.planning.splits import split
from byteloom.iceberg.transforms.arrays import storage_values
from byteloom.late import pc
from byteloom.redaction import RedactedRepr

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from byteloom.iceberg.expressions.ast import Expression
    from byteloom.iceberg.types import StructType


__all__ = ["Change", "Counts", "DeleteFile", "FileTask", "Plan", "Splits"]


@dataclass(frozen=True, slots=True, repr=False)
class DeleteFile(RedactedRepr):
    """A file of deletes, or a deletion vector in a Puffin file.

    Attributes:
        content: A `FileContent`: 1 for deleted positions, 2 for equality deletes.
        file_path: As written.
        record_count: Its rows; None for unknown.
        equality_ids: Ids of the columns that are compared; none for positions.
        content_offset: Where a deletion vector starts in its file; None for files of rows.
        content_size: Number of bytes of a deletion vector.
        referenced_data_file: The only data file it applies to; None if it names none.
    """

    content: int
    file_path: str
    file_format: str
    spec_id: int
    sequence_number: int
    record_count: int | None
    file_size_in_bytes: int
    equality_ids: tuple[int, ...] = ()
    content_offset: int | None = None
    content_size: int | None = None
    referenced_data_file: str | None = None

    @property
    def is_deletion_vector(self) -> bool:
        """Whether it is a deletion vector in a Puffin file."""
        return self.content_offset is not None


@dataclass(frozen=True, slots=True)
class Change:
    """How the rows of a file changed.

    Attributes:
        type: ``INSERT`` or ``DELETE``.
        ordinal: The number of the snapshot among those of the changelog, from 0.
        snapshot_id: The snapshot that changed the rows.
        changed_by: Delete files: only the rows that they delete changed; None if the file itself
            was added or removed.
    """

    type: str
    ordinal: int
    snapshot_id: int
    changed_by: tuple[DeleteFile, ...] | None = None


@dataclass(frozen=True, slots=True, repr=False)
class FileTask(RedactedRepr):
    """A data file to read.

    Attributes:
        file_path: As written.
        partition: Its partition values by field name: storage values.
        sequence_number: Its data sequence number.
        record_count: Its rows, those that are deleted too; None for unknown.
        first_row_id: The id of its first row; None in a table without row ids.
        split_offsets: Where its row groups start; None if unknown.
        deletes: Delete files that apply to it; in a changelog, the rows that did not change.
        residual: The part of the filter that its rows must still satisfy.
        start, length: The part of the file that this task reads, in bytes.
        change: The change, if the task is of a changelog.
    """

    file_path: str
    file_format: str
    spec_id: int
    partition: dict[str, Any]
    sequence_number: int
    record_count: int | None
    file_size_in_bytes: int
    first_row_id: int | None
    split_offsets: tuple[int, ...]
    deletes: tuple[DeleteFile, ...]
    residual: Expression
    start: int = 0
    length: int = -1
    change: Change | None = None


@dataclass(slots=True)
class Counts:
    """How many manifests and files each rule removed."""

    data_manifests: int = 0
    delete_manifests: int = 0
    skipped_manifests: int = 0
    data_files: int = 0
    files_by_partition: int = 0
    files_by_statistics: int = 0
    files_by_limit: int = 0
    delete_files: int = 0
    skipped_delete_files: int = 0
    kept: int = 0
    kept_delete_files: int = 0

    def __str__(self) -> str:
        """Return a line for each count; removed and kept files add up to all files."""
        unused = self.delete_files - self.skipped_delete_files - self.kept_delete_files
        counted = {
            "data manifests": self.data_manifests,
            "delete manifests": self.delete_manifests,
            "manifests skipped by their summaries": self.skipped_manifests,
            "data files in the manifests read": self.data_files,
            "removed by their partitions": self.files_by_partition,
            "removed by their statistics": self.files_by_statistics,
            "removed by the limit": self.files_by_limit,
            "data files to read": self.kept,
            "delete files in the manifests read": self.delete_files,
            "removed, since they match no row wanted": self.skipped_delete_files,
            "removed, since they delete from no data file left": max(0, unused),
            "delete files to read": self.kept_delete_files,
        }
        return "\n".join(f"{count:>10,}  {words}" for words, count in counted.items())

    def add(self, other: Counts) -> None:
        """Add the counts of another part."""
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


@dataclass(frozen=True)
class Plan:
    """The files of a scan.

    Attributes:
        files: One row per data file: ``file_path``, ``file_format``, ``spec_id``, ``record_count``,
            ``file_size_in_bytes``, ``sequence_number``, ``first_row_id``, ``split_offsets``,
            ``partition`` (its row in *partitions* of its spec), ``residual`` (its number in
            *residuals*), ``deletes`` (rows of *deletes*); of a changelog also ``change_type``,
            ``change_ordinal``, ``commit_snapshot_id``, ``changed_by`` (rows of *deletes*; null for
            a file that was itself added or removed); for a change of rows also ``manifest``.
        deletes: A row for each delete file of the snapshot, or of each snapshot of a changelog; for
            a change of rows with its ``manifest``.
        residuals: The distinct residuals.
        partitions: Partition tuples by spec.
        types: The type of the partition tuples, by spec.
        counts: How much each rule removed.
    """

    files: pa.Table
    deletes: pa.Table
    residuals: tuple[Expression, ...]
    partitions: Mapping[int, pa.StructArray]
    types: Mapping[int, StructType]
    counts: Counts = field(default_factory=Counts)

    def __repr__(self) -> str:
        """The numbers of files and delete files."""
        return f"<Plan of {len(self):,} data files, {self.deletes.num_rows:,} delete files>"

    def __len__(self) -> int:
        """Return the number of data files."""
        return int(self.files.num_rows)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export the files through Arrow's C stream interface."""
        return self.files.__arrow_c_stream__(requested_schema)

    def __iter__(self) -> Iterator[FileTask]:
        """Yield the files as objects."""
        return self.tasks()

    def tasks(self) -> Iterator[FileTask]:
        """Yield the files as objects, created one at a time."""
        return self._tasks(self.files)

    def task(self, row: int) -> FileTask:
        """Return one file as an object."""
        return next(self._tasks(self.files.slice(row, 1)))

    def only(self, rows: pa.Array | pa.ChunkedArray) -> Plan:
        """Return the plan of those files that have a flag in *rows*."""
        return replace(self, files=self.files.filter(rows))

    def explain(self) -> Counts:
        """Return how many manifests and files each rule removed; ``str`` of it is a small table."""
        used = pc.list_flatten(self.files["deletes"])
        return replace(self.counts, kept_delete_files=pc.count_distinct(used).as_py())

    def splits(
        self, target_size: int = 128 << 20, open_file_cost: int = 4 << 20, lookback: int = 10
    ) -> Splits:
        """Return the files cut into pieces, in groups of similar size.

        Args:
            target_size: Wanted bytes of a group.
            open_file_cost: Number of bytes whose reading costs as much as opening a file.
            lookback: How many groups are filled at a time.

        Raises:
            FormatError: A size or a number of groups that is not positive.
        """
        cut = split(self.files, self.deletes, target_size, open_file_cost, lookback)
        return Splits(self, *cut)

    @cached_property
    def delete_files(self) -> tuple[DeleteFile, ...]:
        """The delete files of the snapshot as objects."""
        return tuple(map(_delete_file, self.deletes.to_pylist()))

    def _tasks(self, files: pa.Table) -> Iterator[FileTask]:
        """Yield some of the files as objects."""
        for batch in files.to_batches(max_chunksize=1024):
            partitions = self._partitions(batch)
            for row, partition in zip(batch.to_pylist(), partitions, strict=True):
                yield self._task(row, partition)

    def _task(self, row: dict[str, Any], partition: dict[str, Any]) -> FileTask:
        """Return a data file as an object."""
        return FileTask(
            file_path=row["file_path"],
            file_format=row["file_format"].lower(),
            spec_id=row["spec_id"],
            partition=partition,
            sequence_number=row["sequence_number"],
            record_count=row["record_count"],
            file_size_in_bytes=row["file_size_in_bytes"],
            first_row_id=row["first_row_id"],
            split_offsets=tuple(row["split_offsets"] or ()),
            deletes=tuple(self.delete_files[each] for each in row["deletes"]),
            residual=self.residuals[row["residual"]],
            length=row["file_size_in_bytes"],
            change=self._change(row) if "change_type" in row else None,
        )

    def _change(self, row: dict[str, Any]) -> Change:
        """Return what a changelog says about a file."""
        by = row["changed_by"]
        return Change(
            row["change_type"],
            row["change_ordinal"],
            row["commit_snapshot_id"],
            None if by is None else tuple(self.delete_files[each] for each in by),
        )

    def _partitions(self, files: pa.RecordBatch) -> list[dict[str, Any]]:
        """Return the partition values of some files, by field name."""
        specs, rows = files.column("spec_id").to_numpy(), files.column("partition").to_numpy()
        found: list[dict[str, Any]] = [{} for _ in range(files.num_rows)]
        for spec_id in np.unique(specs).tolist():
            places = np.flatnonzero(specs == spec_id)
            columns = self.partitions[spec_id].take(rows[places]).flatten()
            for each, column in zip(self.types[spec_id].fields, columns, strict=True):
                for place, value in zip(
                    places.tolist(), storage_values(each.type, column), strict=True
                ):
                    found[place][each.name] = value
        return found


@dataclass(frozen=True)
class Splits:
    """Files cut into pieces, and the pieces put into groups.

    Attributes:
        plan: The plan whose files are cut.
        table: A row for each piece, as `split` returns them.
        count: The number of groups.
    """

    plan: Plan
    table: pa.Table
    count: int

    def __repr__(self) -> str:
        """The numbers of pieces and groups."""
        return f"<Splits of {self.table.num_rows:,} pieces in {len(self):,} groups>"

    def __len__(self) -> int:
        """Return the number of groups."""
        return self.count

    def __iter__(self) -> Iterator[tuple[FileTask, ...]]:
        """Yield the pieces of each group as objects."""
        group, file, start, length = (self.table.column(n).to_numpy() for n in range(4))
        for rows in np.split(np.arange(len(group)), self._edges)[: len(self)]:
            yield tuple(
                replace(
                    self.plan.task(int(file[row])), start=int(start[row]), length=int(length[row])
                )
                for row in rows
            )

    @cached_property
    def _edges(self) -> NDArray[np.intp]:
        """Return where all groups but the first begin."""
        return np.flatnonzero(np.diff(self.table.column("group").to_numpy())) + 1


def _delete_file(row: dict[str, Any]) -> DeleteFile:
    """Return a delete file as an object."""
    return DeleteFile(
        content=row["content"],
        file_path=row["file_path"],
        file_format=row["file_format"].lower(),
        spec_id=row["spec_id"],
        sequence_number=row["sequence_number"],
        record_count=row["record_count"],
        file_size_in_bytes=row["file_size_in_bytes"],
        equality_ids=tuple(row["equality_ids"] or ()),
        content_offset=row["content_offset"],
        content_size=row["content_size_in_bytes"],
        referenced_data_file=row["referenced_data_file"],
    )
