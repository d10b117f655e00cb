"""Read tasks: data files, with deletes and residual filters applied, as Arrow batches.

The rules:

- Small files of a group are read as one; if that fails, they are read one by one, which names the
  file that is damaged.
- A file has as many rows as it says itself; the number in its manifest entry is a hint
  (`byteloom.iceberg.reading.hints`).

Source: Iceberg table spec, "Scan Planning", "Row-level Deletes", "Column Projection".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np
import pyarrow as pa

from byteloom.errors import ByteloomError
from byteloom.iceberg.expressions.ast import FALSE
from byteloom.iceberg.reading.read_context import ReadContext
from byteloom.iceberg.reading.small_files import read_as_one
from byteloom.iceberg.reading.task_rows import TaskRows
from byteloom.parquet.held_files import Unusual

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from byteloom.datafiles.data_file import Decoding
    from byteloom.datafiles.parquet_plan import JoinedFiles
    from byteloom.iceberg.planning.plan import FileTask
    from byteloom.iceberg.stored_table import StoredTable

__all__ = ["batches_of", "batches_of_all", "explained", "groups", "joined_rows", "read_task"]

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
    context = ReadContext(table, table.schema, columns, changes=task.change is not None)
    return pa.RecordBatchReader.from_batches(context.schema, batches_of(context, task))


def batches_of(context: ReadContext, task: FileTask) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a task.

    Raises:
        FormatError: A damaged file, or one that its manifest describes differently.
        StorageError: A missing file.
    """
    if task.residual == FALSE:
        return
    with context.table.relocation.naming():
        yield from TaskRows(context, task, context.positions(task)).batches()


def batches_of_all(context: ReadContext, tasks: Sequence[FileTask]) -> Iterator[pa.RecordBatch]:
    """Yield the rows of tasks in order; small files are read as one if possible.

    Tasks that cannot be read so are read one by one: that names the file that is damaged.
    """

    def read(held: JoinedFiles, some: Sequence[FileTask]) -> list[pa.RecordBatch]:
        group = joined_rows(context, held, some)
        return list(group.made(held.pieces(group.row_filter)))

    for some, batches in groups(context, tasks, read):
        if batches is None:
            for each in some:
                yield from batches_of(context, each)
        else:
            yield from batches


def explained(
    context: ReadContext, tasks: Sequence[FileTask]
) -> Iterator[tuple[Sequence[FileTask], Decoding | str]]:
    """Yield tasks whose files are read as one, and how; the reason for one that cannot be read."""

    def read(held: JoinedFiles, some: Sequence[FileTask]) -> Decoding:
        _check_alike(context, held, some)
        return held.decoding

    for some, decoding in groups(context, tasks, read):
        if decoding is not None:
            yield some, decoding
            continue
        for each in some:
            yield [each], _decoding(context, each)


def _decoding(context: ReadContext, task: FileTask) -> Decoding | str:
    """Return how the rows of a file are decoded; the error if it cannot be opened."""
    try:
        with context.table.relocation.naming():
            wanted = TaskRows(context, task, _NONE).wanted
            data = context.files.open(task.file_format, task.file_path, task.file_size_in_bytes)
            try:
                return data.decoding(wanted)
            finally:
                data.close()
    except ByteloomError as error:
        return str(error)


def groups(
    context: ReadContext,
    tasks: Sequence[FileTask],
    read: Callable[[JoinedFiles, Sequence[FileTask]], R],
) -> Iterator[tuple[Sequence[FileTask], R | None]]:
    """Yield tasks as `read_as_one` does."""
    if len(tasks) == 1:
        yield tasks, None
        return
    with context.table.relocation.naming():
        wanted = context.files.wanted(TaskRows(context, tasks[0], _NONE).wanted)
    yield from read_as_one(context.files, tasks, wanted, read)


def joined_rows(context: ReadContext, held: JoinedFiles, tasks: Sequence[FileTask]) -> TaskRows:
    """Return the rows of files that are read as one, counted from the first row of the first file.

    Raises:
        Unusual: Files that have to be read one by one.
    """
    _check_alike(context, held, tasks)
    return TaskRows(context, tasks[0], _positions(context, tasks, held.rows))


def _check_alike(context: ReadContext, held: JoinedFiles, tasks: Sequence[FileTask]) -> None:
    """Refuse files that lack a column whose value may differ from one partition to the next."""
    if held.missing and any(map(context.constants, tasks)):
        raise Unusual("parquet", None, "files without a column", "a value of each partition")


def _positions(
    context: ReadContext, tasks: Sequence[FileTask], rows: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the deleted positions of all files, counted from the first row of the first file."""
    starts = np.cumsum(rows) - rows
    parts = [_NONE]
    context.load_positions(tasks)
    for task, start, count in zip(tasks, starts.tolist(), rows.tolist(), strict=True):
        if task.deletes:
            held = context.positions(task)
            parts.append(held[: np.searchsorted(held, count)] + start)
    return np.concatenate(parts)
