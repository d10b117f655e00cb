"""The rows that deletes and filters leave of a task: of one file, or of small ones read as one.

The rules:

- Rows are first checked against the deletes and the residual, using only the columns needed for
  that; the returned columns are made only for the rows that are left.
- A position is that of the row in its file, regardless of rows filtered or skipped before it.
- If delete files changed a file of a changelog, its rows are those that they delete.

Source: Iceberg table spec, "Scan Planning", "Row-level Deletes", "Column Projection".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from byteloom.arrow.flags import flags_of
from byteloom.datafiles.damage import about
from byteloom.datafiles.data_file import Choice, RowFilter
from byteloom.errors import FormatError
from byteloom.iceberg.arrow_types import arrow_field
from byteloom.iceberg.expressions.ast import TRUE
from byteloom.iceberg.expressions.rows import evaluate
from byteloom.iceberg.reading.column_projection import Columns, project
from byteloom.iceberg.reading.hints import check_hints
from byteloom.iceberg.reading.metadata_columns import Rows, is_metadata
from byteloom.iceberg.reserved_fields import STORED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    from byteloom.datafiles.data_file import Piece
    from byteloom.iceberg.planning.plan import FileTask
    from byteloom.iceberg.reading.equality_deletes import EqualityDeletes
    from byteloom.iceberg.reading.read_context import ReadContext
    from byteloom.iceberg.types import NestedField
    from byteloom.storage.ranges import Span

__all__ = ["TaskRows"]


class TaskRows:
    """A task that is being read, or tasks with the same filters as if they had one file.

    positions  the rows that are deleted by position, ascending
    """

    def __init__(
        self,
        context: ReadContext,
        task: FileTask,
        positions: NDArray[np.int64],
        only: Callable[[range], NDArray[np.bool_]] | None = None,
    ) -> None:
        """Choose the columns that are read; nothing is read.

        only  returns which rows are wanted, by their positions; None for all
        """
        self._context, self._task, self._positions = context, task, positions
        self._only = only
        self.constants = context.constants(task)
        self._equality = context.equality(task)
        self._changed = _Changed.of(context, task)
        self._filter = context.filter_fields(task)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the rows of each piece that remain after deletes and filters."""
        for piece in self.pieces():
            with about(self._task.file_path):
                batches = [*self.made([piece])]
            yield from batches

    def pieces(self) -> Iterator[Piece]:
        """Yield the pieces of the file with the rows that are left; count rows if it does not."""
        task = self._task
        if self._changed is not None and not self._changed.may_add_to(self._positions):
            return
        data = self._context.files.open(task.file_format, task.file_path, task.file_size_in_bytes)
        try:
            if data.rows is not None:
                check_hints(task, data.file, data.rows)
            end, span = 0, _span(task)
            for piece in data.pieces(self.wanted, task.residual, span, self.row_filter):
                yield piece
                end = piece.start + piece.rows
            if data.rows is None and span is None:
                check_hints(task, data.file, end)
        finally:
            data.close()

    @cached_property
    def wanted(self) -> list[NestedField]:
        """Return all columns that have to be read."""
        given = [
            each for each in self._context.fields if each.id in STORED or not is_metadata(each)
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
        columns = Columns.of(piece, self.constants)
        deleted = _taken(self._positions, self._equality, piece, columns)
        keep = self._matching(columns)
        if self._only is not None:
            wanted = self._only(range(piece.start, piece.start + piece.rows))
            keep = wanted if keep is None else keep & wanted
        if self._changed is not None:
            changed = self._changed.rows(piece, columns)
            keep = changed if keep is None else keep & changed
        flags = None
        if self._context.wants_deleted:
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
        spec, given = self._context.spec(self._task), self._context.given
        for piece in pieces:
            if not piece.left:
                continue
            columns, choice = Columns.of(piece, self.constants), piece.choice or Choice()
            rows = Rows(self._task, spec, columns, piece.start, choice.keep, choice.marks)
            held = [
                rows.column(each) if is_metadata(each) else project(each, columns, of)
                for each, of in given
            ]
            yield _batch_of(held, self._context.schema, columns.rows)


@dataclass(frozen=True, slots=True)
class _Changed:
    """The rows of a changelog task that its delete files changed."""

    positions: NDArray[np.int64]
    equality: EqualityDeletes

    @classmethod
    def of(cls, context: ReadContext, task: FileTask) -> _Changed | None:
        """Read the delete files; None if all rows changed."""
        if task.change is None or task.change.changed_by is None:
            return None
        by = replace(task, deletes=task.change.changed_by)
        return cls(context.positions(by), context.equality(by))

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
