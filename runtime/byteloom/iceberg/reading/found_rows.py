"""Where the rows are that a filter or a lookup finds: their positions, file by file.

The rules:

- Only the columns that decide are read. Rows that are deleted are not found.
- Small files are read as one; the rows found are then divided among them.
- A file without rows that are found is left out.

Source: Iceberg table spec, "Scan Planning", "Row-level Deletes".
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from byteloom.datafiles.damage import about
from byteloom.iceberg.expressions.ast import FALSE
from byteloom.iceberg.reading.column_projection import Columns
from byteloom.iceberg.reading.task import groups, joined_rows
from byteloom.iceberg.reading.task_rows import TaskRows
from byteloom.iceberg.reading.threads import read_tasks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from byteloom.datafiles.data_file import Piece
    from byteloom.datafiles.parquet_plan import JoinedFiles
    from byteloom.iceberg.planning.plan import FileTask
    from byteloom.iceberg.reading.read_context import ReadContext

    Numbers = NDArray[np.int64]

__all__ = [
    "FoundRows",
    "Lookup",
    "PlacedRows",
    "found_rows",
    "placed_rows",
    "placed_rows_of",
]


Lookup: TypeAlias = "Callable[[Columns], NDArray[np.int64]]"
"""Returns a number for each row, negative for one that is not wanted."""


class FoundRows(NamedTuple):
    """The rows that were found in a data file.

    Attributes:
        task: The file.
        positions: Where they are, ascending.
        numbers: What the lookup returned for each of them; 0 without a lookup.
    """

    task: FileTask
    positions: Numbers
    numbers: Numbers


def found_rows(
    context: ReadContext, tasks: Iterator[FileTask], lookup: Lookup | None = None
) -> Iterator[FoundRows]:
    """Yield the rows that the residuals of tasks leave, in the order of the tasks.

    Args:
        context: How files are read; its columns are those that *lookup* is given.
        tasks: Whole data files.
        lookup: Returns a number for each row, negative for one that is not wanted; called from
            several threads. All rows are wanted if None.

    Raises:
        FormatError: A damaged file.
        StorageError: A missing file.
    """
    return read_tasks(context, tasks, read=partial(_found, lookup=lookup))


def _found(
    context: ReadContext, tasks: Sequence[FileTask], *, lookup: Lookup | None
) -> Iterator[FoundRows]:
    """Yield the rows that are found in the files of a group."""

    def read(held: JoinedFiles, some: Sequence[FileTask]) -> list[FoundRows]:
        group = joined_rows(context, held, some)
        parts = [_looked_up(each, group, lookup) for each in held.pieces(group.row_filter)]
        return list(_by_file(some, held.rows, *_joined(parts)))

    for some, found in groups(context, tasks, read):
        if found is not None:
            yield from found
            continue
        for each in some:
            rows = _of_file(context, each, lookup)
            if rows is not None:
                yield rows


def _of_file(context: ReadContext, task: FileTask, lookup: Lookup | None) -> FoundRows | None:
    """Return the rows that are found in one file; None for none."""
    if task.residual == FALSE:
        return None
    with context.table.relocation.naming():
        rows = TaskRows(context, task, context.positions(task))
        parts = []
        for piece in rows.pieces():
            with about(task.file_path):
                parts.append(_looked_up(piece, rows, lookup))
    positions, numbers = _joined(parts)
    return FoundRows(task, positions, numbers) if len(positions) else None


def _looked_up(piece: Piece, rows: TaskRows, lookup: Lookup | None) -> tuple[Numbers, Numbers]:
    """Return the positions and the numbers of the rows that are found in a piece."""
    positions = _positions(piece)
    if lookup is None or not len(positions):
        return positions, np.zeros(len(positions), np.int64)
    numbers = lookup(Columns.of(piece, rows.constants))
    wanted = numbers >= 0
    return positions[wanted], numbers[wanted]


def _joined(parts: Iterable[tuple[Numbers, Numbers]]) -> tuple[Numbers, Numbers]:
    """Return the rows of all pieces."""
    held = list(parts)
    none = np.zeros(0, np.int64)
    return (
        np.concatenate([none, *(each for each, _ in held)]),
        np.concatenate([none, *(each for _, each in held)]),
    )


def _by_file(
    tasks: Sequence[FileTask], rows: NDArray[Any], positions: Numbers, numbers: Numbers
) -> Iterator[FoundRows]:
    """Yield the rows of each file, of rows counted from the first one of the first file."""
    starts = np.concatenate([[0], np.cumsum(rows)])
    edges = np.searchsorted(positions, starts)
    for number, (first, end) in enumerate(pairwise(edges.tolist())):
        if first < end:
            part = positions[first:end] - starts[number]
            yield FoundRows(tasks[number], part, numbers[first:end])


class PlacedRows(NamedTuple):
    """Rows that are left of a data file.

    Attributes:
        task: The file.
        positions: Where they are, ascending.
        rows: The rows.
    """

    task: FileTask
    positions: Numbers
    rows: pa.RecordBatch


def placed_rows(context: ReadContext, tasks: Sequence[FileTask]) -> Iterator[PlacedRows]:
    """Yield the rows that are left of files, batch by batch; small files are read as one.

    Raises:
        FormatError: A damaged file.
        StorageError: A missing file.
    """

    def read(held: JoinedFiles, some: Sequence[FileTask]) -> list[PlacedRows]:
        group = joined_rows(context, held, some)
        starts = np.concatenate([[0], np.cumsum(held.rows)])
        return [
            placed
            for piece in held.pieces(group.row_filter)
            for batch in group.made([piece])
            for placed in _divided(some, starts, _positions(piece), batch)
        ]

    for some, found in groups(context, tasks, read):
        if found is not None:
            yield from found
            continue
        for each in some:
            yield from placed_rows_of(context, each)


def _divided(
    tasks: Sequence[FileTask], starts: Numbers, positions: Numbers, rows: pa.RecordBatch
) -> Iterator[PlacedRows]:
    """Yield the rows of each file, of rows counted from the first one of the first file."""
    edges = np.searchsorted(positions, starts)
    for number, (first, end) in enumerate(pairwise(edges.tolist())):
        if first < end:
            places = positions[first:end] - starts[number]
            yield PlacedRows(tasks[number], places, rows.slice(first, end - first))


def placed_rows_of(
    context: ReadContext, task: FileTask, only: Callable[[range], NDArray[np.bool_]] | None = None
) -> Iterator[PlacedRows]:
    """Yield the rows that are left of one file, batch by batch.

    Args:
        context: How files are read.
        task: The file.
        only: Returns which rows are wanted, by their positions; None for all.

    Raises:
        FormatError: A damaged file.
        StorageError: A missing file.
    """
    with context.table.relocation.naming():
        rows = TaskRows(context, task, context.positions(task), only)
        for piece in rows.pieces():
            with about(task.file_path):
                batches = [*rows.made([piece])]
            for each in batches:
                yield PlacedRows(task, _positions(piece), each)


def _positions(piece: Piece) -> Numbers:
    """Return the positions of the rows that are left of a piece."""
    left = None if piece.choice is None else piece.choice.rows
    return (np.arange(piece.rows) if left is None else left) + piece.start
