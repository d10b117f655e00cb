"""Read tasks: data files, with deletes and residual filters applied, as Arrow batches.

The rules:

- Rows are first checked against the deletes and the residual, using only the columns needed for
  that; the returned columns are made only for the rows that are left.
- A position is that of the row in its file, regardless of rows filtered or skipped before it.
- If delete files changed a file of a changelog, its rows are those that they delete.
- A file has as many rows as it says itself; the number in its manifest entry is a hint
  (`byteloom.iceberg.reading.hints`).

Source: Iceberg table spec, "Scan Planning", "Row-level Deletes", "Column Projection".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np
import pyarrow as pa

from byteloom.arrow.flags import flags_of
from byteloom.datafiles.damage import about
from byteloom.datafiles.data_file import Choice, RowFilter
from byteloom.errors import ByteloomError, FormatError
from byteloom.iceberg.arrow_types import arrow_field
from byteloom.iceberg.expressions.ast import FALSE, TRUE
from byteloom.iceberg.expressions.rows import evaluate
from byteloom.iceberg.reading.hints import check_hints
from byteloom.iceberg.reading.metadata_columns import Rows, is_metadata
from byteloom.iceberg.reading.projection import Columns, project
from byteloom.iceberg.reading.shared import Reading
from byteloom.iceberg.reading.small_files import read_as_one
from byteloom.iceberg.reserved_fields import STORED
from byteloom.parquet.held_files import Unusual

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from byteloom.datafiles.data_file import Decoding, Piece
    from byteloom.datafiles.parquet_plan import JoinedFiles
    from byteloom.iceberg.planning.plan import FileTask
    from byteloom.iceberg.reading.equality_deletes import EqualityDeletes
    from byteloom.iceberg.reading.table_files import TableFile
    from byteloom.iceberg.stored_table import StoredTable
    from byteloom.iceberg.types import NestedField
    from byteloom.storage.ranges import Span

__all__ = ["batches_of", "batches_of_all", "explained", "read_task"]

R = TypeVar("R")

_NONE: Final = np.zeros(0, np.int64)


def read_task(
    table: StoredTable, task: FileTask, columns: Sequence[str] | None = None
) -> pa.RecordBatchReader:
    """Return the rows of one task, read with the current schema.

    Args:
        table: The table.
        task: A data file of a plan.
        columns: Names, which may be those of metadata columns; None for all columns of the table.

    Returns:
        The rows, with deletes and the rest of the filter applied.

    Raises:
        FormatError: A damaged file, when the batches are read.
        StorageError: A missing file, likewise.
    """
    reading = Reading(table, table.schema, columns, changes=task.change is not None)
    return pa.RecordBatchReader.from_batches(reading.schema, batches_of(reading, task))


def batches_of(reading: Reading, task: FileTask) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a task.

    Raises:
        FormatError: A damaged file, or one that its manifest describes differently.
        StorageError: A missing file.
    """
    if task.residual == FALSE:
        return
    with reading.table.relocation.naming():
        yield from _Task(reading, task, reading.positions(task)).batches()


def batches_of_all(reading: Reading, tasks: Sequence[FileTask]) -> Iterator[pa.RecordBatch]:
    """Yield the rows of tasks in order; small files are read as one if possible.

    Tasks that cannot be read so are read one by one: that names the file that is damaged.
    """

    def read(held: JoinedFiles, some: Sequence[FileTask]) -> list[pa.RecordBatch]:
        _check_alike(reading, held, some)
        group = _Task(reading, some[0], _positions(reading, some, held.rows))
        return list(group.made(held.pieces(group.row_filter)))

    for some, batches in _groups(reading, tasks, read):
        if batches is None:
            for each in some:
                yield from batches_of(reading, each)
        else:
            yield from batches


def explained(
    reading: Reading, tasks: Sequence[FileTask]
) -> Iterator[tuple[Sequence[FileTask], Decoding | str]]:
    """Yield tasks whose files are read as one, and how; the reason for one that cannot be read."""

    def read(held: JoinedFiles, some: Sequence[FileTask]) -> Decoding:
        _check_alike(reading, held, some)
        return held.decoding

    for some, decoding in _groups(reading, tasks, read):
        if decoding is not None:
            yield some, decoding
            continue
        for each in some:
            yield [each], _decoding(reading, each)


def _decoding(reading: Reading, task: FileTask) -> Decoding | str:
    """Return how the rows of a file are decoded; the error if it cannot be opened."""
    try:
        with reading.table.relocation.naming():
            wanted = _Task(reading, task, _NONE).wanted
            data = reading.files.open(task.file_format, task.file_path, task.file_size_in_bytes)
            try:
                return data.decoding(wanted)
            finally:
                data.close()
    except ByteloomError as error:
        return str(error)


def _groups(
    reading: Reading,
    tasks: Sequence[FileTask],
    read: Callable[[JoinedFiles, Sequence[FileTask]], R],
) -> Iterator[tuple[Sequence[FileTask], R | None]]:
    """Yield tasks as `read_as_one` does."""
    if len(tasks) == 1:
        yield tasks, None
        return
    with reading.table.relocation.naming():
        wanted = reading.files.wanted(_Task(reading, tasks[0], _NONE).wanted)
    yield from read_as_one(reading.files, tasks, wanted, read)


def _check_alike(reading: Reading, held: JoinedFiles, tasks: Sequence[FileTask]) -> None:
    """Refuse files that lack a column whose value may differ from one partition to the next."""
    if held.missing and any(map(reading.constants, tasks)):
        raise Unusual("parquet", None, "files without a column", "a value of each partition")


def _positions(
    reading: Reading, tasks: Sequence[FileTask], rows: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the deleted positions of all files, counted from the first row of the first file."""
    starts = np.cumsum(rows) - rows
    parts = [_NONE]
    reading.load_positions(tasks)
    for task, start, count in zip(tasks, starts.tolist(), rows.tolist(), strict=True):
        if task.deletes:
            held = reading.positions(task)
            parts.append(held[: np.searchsorted(held, count)] + start)
    return np.concatenate(parts)


class _Task:
    """A task that is being read, or tasks with the same filters as if they had one file.

    positions  the rows that are deleted by position, ascending
    """

    def __init__(self, reading: Reading, task: FileTask, positions: NDArray[np.int64]) -> None:
        self._reading, self._task, self._positions = reading, task, positions
        self._constants = reading.constants(task)
        self._equality = reading.equality(task)
        self._changed = _Changed.of(reading, task)
        self._filter = reading.filter_fields(task)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the rows of each piece that remain after deletes and filters."""
        task = self._task
        if self._changed is not None and not self._changed.may_add_to(self._positions):
            return
        data = self._reading.files.open(task.file_format, task.file_path, task.file_size_in_bytes)
        try:
            yield from self._read(data)
        finally:
            data.close()

    def _read(self, data: TableFile) -> Iterator[pa.RecordBatch]:
        """Yield the rows left of each piece; count those of files that state no number."""
        if data.rows is not None:
            check_hints(self._task, data.file, data.rows)
        end, span = 0, _span(self._task)
        for piece in data.pieces(self.wanted, self._task.residual, span, self.row_filter):
            with about(self._task.file_path):
                batches = [*self.made([piece])]
            yield from batches
            end = piece.start + piece.rows
        if data.rows is None and span is None:
            check_hints(self._task, data.file, end)

    @cached_property
    def wanted(self) -> list[NestedField]:
        """Return all columns that have to be read."""
        given = [
            each for each in self._reading.fields if each.id in STORED or not is_metadata(each)
        ]
        return [*given, *self._compared]

    @property
    def _compared(self) -> list[NestedField]:
        """Return the columns that filters and deletes look at."""
        changed = () if self._changed is None else self._changed.equality.roots
        return [*self._filter, *self._equality.roots, *changed]

    @cached_property
    def row_filter(self) -> RowFilter:
        """Return which rows are left after deletes and filters."""
        return RowFilter(frozenset(each.id for each in self._compared), self._choose)

    def _choose(self, piece: Piece) -> Choice:
        """Return which rows of a piece are left, marked if they are deleted."""
        columns = Columns.of(piece, self._constants)
        deleted = _taken(self._positions, self._equality, piece, columns)
        keep = self._matching(columns)
        if self._changed is not None:
            changed = self._changed.rows(piece, columns)
            keep = changed if keep is None else keep & changed
        flags = None
        if self._reading.wants_deleted:
            flags = deleted
        elif deleted is not None:
            keep = ~deleted if keep is None else keep & ~deleted
        keep = None if keep is None or keep.all() else keep
        return Choice(keep, flags if flags is None or keep is None else flags[keep])

    def _matching(self, columns: Columns) -> NDArray[np.bool_] | None:
        """Return which rows match the residual; None for all."""
        if self._task.residual == TRUE:
            return None
        held = [project(each, columns) for each in self._filter]
        fields = [arrow_field(each) for each in self._filter]
        batch = _batch_of(held, pa.schema(fields), columns.rows)
        return flags_of(evaluate(self._task.residual, batch))

    def made(self, pieces: Iterable[Piece]) -> Iterator[pa.RecordBatch]:
        """Yield the batches with the wanted columns of pieces of which rows are left."""
        spec, given = self._reading.spec(self._task), self._reading.given
        for piece in pieces:
            if not piece.left:
                continue
            columns, choice = Columns.of(piece, self._constants), piece.choice or Choice()
            rows = Rows(self._task, spec, columns, piece.start, choice.keep, choice.marks)
            held = [
                rows.column(each) if is_metadata(each) else project(each, columns, of)
                for each, of in given
            ]
            yield _batch_of(held, self._reading.schema, columns.rows)


@dataclass(frozen=True, slots=True)
class _Changed:
    """The rows of a changelog task that its delete files changed."""

    positions: NDArray[np.int64]
    equality: EqualityDeletes

    @classmethod
    def of(cls, reading: Reading, task: FileTask) -> _Changed | None:
        """Read the delete files; None if all rows changed."""
        if task.change is None or task.change.changed_by is None:
            return None
        by = replace(task, deletes=task.change.changed_by)
        return cls(reading.positions(by), reading.equality(by))

    def may_add_to(self, positions: NDArray[np.int64]) -> bool:
        """Return whether they may include rows that are not at *positions*."""
        return bool(self.equality) or not np.isin(self.positions, positions).all()

    def rows(self, piece: Piece, columns: Columns) -> NDArray[np.bool_]:
        """Return which rows of a piece they are."""
        taken = _taken(self.positions, self.equality, piece, columns)
        return np.zeros(piece.rows, np.bool_) if taken is None else taken


def _taken(
    positions: NDArray[np.int64], equality: EqualityDeletes, piece: Piece, columns: Columns
) -> NDArray[np.bool_] | None:
    """Return which rows of a piece are deleted; None for none."""
    taken = None
    first, last = np.searchsorted(positions, [piece.start, piece.start + piece.rows])
    if first < last:
        taken = np.zeros(piece.rows, np.bool_)
        taken[positions[first:last] - piece.start] = True
    if equality:
        found = equality.mask(columns)
        taken = found if taken is None else found | taken
    return taken


_NO_END: Final = (1 << 63) - 1
"""Where the last part of a file ends."""


def _span(task: FileTask) -> Span:
    """Return the part of its file that a task reads, in bytes; None for all of it.

    The first part begins with the file and the last has no end: rows that are outside of the size
    and of the offsets that the entry states are read all the same.
    """
    is_first = task.start <= min(task.split_offsets, default=0)
    end = task.start + task.length
    is_last = not 0 <= end < task.file_size_in_bytes
    if is_first and is_last:
        return None
    return 0 if is_first else task.start, _NO_END if is_last else end


def _batch_of(held: list[pa.Array], schema: pa.Schema, rows: int) -> pa.RecordBatch:
    """Return a batch, which keeps its number of rows even without columns."""
    if held:
        for place, each in enumerate(held):
            if len(each) != rows:  # of a damaged page
                name = schema.field(place).name
                raise FormatError(name, None, f"{len(each)} rows", f"{rows} rows")
        return pa.RecordBatch.from_arrays(held, schema=schema)
    empty = pa.Array.from_buffers(pa.struct([]), rows, [None])
    return pa.RecordBatch.from_struct_array(empty)
