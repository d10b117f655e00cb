"""Read tasks: data files, with deletes and residual filters applied, as Arrow batches.

The rules:

- Rows are first checked against the deletes and the residual, using only the columns needed for
  that; the returned columns are made only for the rows that are left.
- A position is that of the row in its file, regardless of rows filtered or skipped before it.
- If delete files changed a file of a changelog, its rows are those that they delete.
- A file must have as many rows as its manifest entry states.

Source: Iceberg table spec, "Scan Planning", "Row-level Deletes", "Column Projection".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from byteloom.datafiles.damage import about
from byteloom.errors import ByteloomError, FormatError
from byteloom.iceberg.arrow_types import arrow_field
from byteloom.iceberg.expressions import rows as row_filter
from byteloom.iceberg.expressions.ast import FALSE, TRUE
from byteloom.iceberg.reading.metadata_columns import Rows, is_metadata
from byteloom.iceberg.reading.opening import check_hints
from byteloom.iceberg.reading.projection import Columns, project
from byteloom.iceberg.reading.shared import Reading
from byteloom.iceberg.reading.small_files import together
from byteloom.iceberg.reserved_fields import STORED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from byteloom.datafiles.data_file import Piece
    from byteloom.iceberg.planning.tasks import FileTask
    from byteloom.iceberg.reading.data_file import TableFile
    from byteloom.iceberg.reading.equality_deletes import EqualityDeletes
    from byteloom.iceberg.stored_table import StoredTable
    from byteloom.iceberg.types import NestedField
    from byteloom.storage.spans import Span

__all__ = ["batches_of", "batches_of_all", "read_at_once", "read_task"]


def read_task(
    table: StoredTable, task: FileTask, columns: Sequence[str] | None = None
) -> pa.RecordBatchReader:
    """Return the rows of one task, read with the current schema.

    Args:
        columns: Names, which may be those of metadata columns; None for all columns of the table.

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
        yield from _Task(reading, task).batches()


def batches_of_all(reading: Reading, tasks: Sequence[FileTask]) -> Iterator[pa.RecordBatch]:
    """Yield the rows of tasks in order; small files are read at once if possible."""
    at = 0
    while at < len(tasks):
        rest = tasks[at:]
        found = read_at_once(reading, rest) if len(rest) > 1 else None
        if found is None:
            for each in rest:
                yield from batches_of(reading, each)
            return
        count, batches = found
        yield from batches
        at += count


def read_at_once(
    reading: Reading, tasks: Sequence[FileTask]
) -> tuple[int, list[pa.RecordBatch]] | None:
    """Return how many of the first tasks were read at once, and their rows; None for none."""
    try:
        group = _Group(reading, tasks[0])
        held = together(reading.files, tasks, reading.files.wanted(group.wanted))
        if held is None or (held.missing and any(map(reading.constants, tasks))):
            return None
        tasks = tasks[: len(held.rows)]
        group.place(tasks, held.rows)
        return len(tasks), list(group.rows_of(held.pieces))
    except ByteloomError:
        return None  # reading one by one then fails at the wrong file


class _Task:
    """A task that is being read."""

    def __init__(self, reading: Reading, task: FileTask) -> None:
        self._reading, self._task = reading, task
        self._constants = reading.constants(task)
        self._positions = self._places()
        self._equality = reading.equality(task)
        self._changed = _Changed.of(reading, task)
        self._filter = reading.filter_fields(task)
        self._row_filter = task.residual

    def _places(self) -> NDArray[np.int64]:
        """Return which rows are deleted by position."""
        return self._reading.positions(self._task)

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
        for piece in data.pieces(self.wanted, self._row_filter, span, lazily=True):
            yield from self._batches(piece)
            end = piece.start + piece.rows
        if data.rows is None and span is None:
            check_hints(self._task, data.file, end)

    def _batches(self, piece: Piece) -> Iterator[pa.RecordBatch]:
        """Yield the rows left of a piece."""
        again = piece.again
        try:
            with about(self._task.file_path):
                batch = self._batch(piece)
        except FormatError:
            if again is None:
                raise
        else:
            if batch is not None:
                yield batch
            return
        for each in again():
            yield from self._batches(each)

    @cached_property
    def wanted(self) -> list[NestedField]:
        """Return all columns that have to be read."""
        given = [
            each for each in self._reading.fields if each.id in STORED or not is_metadata(each)
        ]
        changed = () if self._changed is None else self._changed.equality.roots
        return [*given, *self._filter, *self._equality.roots, *changed]

    def _batch(self, piece: Piece) -> pa.RecordBatch | None:
        """Return the rows left of a piece; None if there are none."""
        columns = Columns(piece.fields, piece.arrays, piece.rows, self._constants, piece.places)
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
        if keep is not None:
            if not keep.any():
                return None
            columns = columns.filtered(keep)
            flags = None if flags is None else flags[keep]
        spec = self._reading.spec(self._task)
        return self._made(Rows(self._task, spec, columns, piece.start, keep, flags))

    def _matching(self, columns: Columns) -> NDArray[np.bool_] | None:
        """Return which rows match the residual; None for all."""
        if self._row_filter == TRUE:
            return None
        held = [project(each, columns) for each in self._filter]
        fields = [arrow_field(each) for each in self._filter]
        batch = _batch_of(held, pa.schema(fields), columns.rows)
        matches = row_filter.evaluate(self._row_filter, batch)
        return np.asarray(matches.to_numpy(zero_copy_only=False), np.bool_)

    def _made(self, rows: Rows) -> pa.RecordBatch:
        """Return the batch with the wanted columns."""
        given = self._reading.given
        rows.columns.load(each.id for each, _ in given)
        held = [
            rows.column(each) if is_metadata(each) else project(each, rows.columns, of)
            for each, of in given
        ]
        return _batch_of(held, self._reading.schema, rows.columns.rows)


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


class _Group(_Task):
    """Tasks with the same filters, which are read as if they had one file."""

    def _places(self) -> NDArray[np.int64]:
        """Return None yet: the files of the rows are known later."""
        return np.zeros(0, np.int64)

    def place(self, tasks: Sequence[FileTask], rows: NDArray[np.int64]) -> None:
        """Set the deleted positions of all files, counted from the first row of the first file."""
        starts = np.cumsum(rows) - rows
        parts = [np.zeros(0, np.int64)]
        self._reading.load_positions(tasks)
        for task, start, count in zip(tasks, starts.tolist(), rows.tolist(), strict=True):
            if task.deletes:
                held = self._reading.positions(task)
                if len(held) and held[-1] >= count:  # rarely: the search would let go of the GIL
                    held = held[: np.searchsorted(held, count)]
                parts.append(held + start)
        self._positions = np.concatenate(parts)

    def rows_of(self, pieces: Sequence[Piece]) -> Iterator[pa.RecordBatch]:
        """Yield the rows of each piece that remain after deletes and filters."""
        for piece in pieces:
            batch = self._batch(piece)
            if batch is not None:
                yield batch


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
