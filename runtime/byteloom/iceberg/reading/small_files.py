"""Read many small Parquet files at once: opening each costs more than decoding its rows.

The rules:

- Tasks are read together if they read small files as a whole, filter their rows alike, and
  return no column about the file itself.  Their rows come in the same order as one by one.
- The files of a group that have the same form are read as one (`byteloom.datafiles.parquet_plan`);
  deletes by position then count from the first row of the first file.
- A group with any error is read again file by file, so that the error names the right file.
  Nothing else is tried twice: how a group is decoded follows from its footers
  (`byteloom.datafiles.parquet_plan`).

Source: Iceberg table spec, "Scan Planning".
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import numpy as np

from byteloom.arrow.texts import arrow_memory
from byteloom.datafiles.data_file import BATCH
from byteloom.datafiles.parquet_plan import JoinedFiles
from byteloom.errors import ByteloomError
from byteloom.iceberg.expressions.ast import FALSE
from byteloom.iceberg.reading.hints import check_size
from byteloom.iceberg.reading.metadata_columns import is_metadata
from byteloom.parquet.held_files import Footers
from byteloom.storage.sources import LocalSource
from byteloom_generated.iceberg.manifests import FileContent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from byteloom.datafiles.wanted import Wanted
    from byteloom.iceberg.planning.plan import DeleteFile, FileTask
    from byteloom.iceberg.reading.table_files import TableFiles
    from byteloom.iceberg.types import NestedField

__all__ = ["grouped", "read_as_one"]

T = TypeVar("T", "FileTask", "DeleteFile")
R = TypeVar("R")

_SMALL: Final = 1 << 20
"""Most bytes of a file that is read together with others, however many columns it has."""

_SMALL_COLUMN: Final = 1 << 14
"""The same per column, for files with many columns."""

_BYTES: Final = 48 << 20
"""Most bytes of a group."""

_VALUES: Final = 1 << 19
"""Most values of a group that has more rows than a batch: narrow files are read with more others.
"""

_REQUESTS: Final = 8
"""Most requests to a store at a time."""

_FIRST, _FILES = 32, 2048
"""Files of the first group, which is small so that the first rows come soon, and of any other."""


def grouped(
    tasks: Iterator[FileTask], fields: Sequence[NestedField]
) -> Iterator[Sequence[FileTask]]:
    """Yield tasks in order, grouped into those that are read at once.

    Args:
        fields: The columns to return.
    """
    if any(is_metadata(each) for each in fields):
        yield from ([each] for each in tasks)
        return
    small = max(_SMALL, _SMALL_COLUMN * len(fields))
    most_rows = max(BATCH, _VALUES // max(len(fields), 1))
    held: list[FileTask] = []
    size = rows = 0
    most = _FIRST
    for task in tasks:
        is_small = _is_small(task, small)
        size, rows = size + task.file_size_in_bytes, rows + (task.record_count or 0)
        fits = len(held) < most and size <= _BYTES and rows <= most_rows
        if held and not (is_small and fits and _asks_the_same(held[0], task)):
            yield held
            most = min(2 * most, _FILES)
            held, size, rows = [], task.file_size_in_bytes, task.record_count or 0
        held.append(task)
        if not is_small:
            yield held
            held, size, rows = [], 0, 0
    if held:
        yield held


def _is_small(task: FileTask, small: int) -> bool:
    """Return whether a task's file may be read with others."""
    is_whole = task.start == 0 and not 0 <= task.length < task.file_size_in_bytes
    is_whole &= task.change is None or task.change.changed_by is None
    is_known = bool(task.record_count) and 0 < task.file_size_in_bytes <= small
    return task.file_format == "parquet" and is_whole and is_known and task.residual != FALSE


def _asks_the_same(one: FileTask, other: FileTask) -> bool:
    """Return whether the rows of two tasks are filtered alike."""
    if one.residual is not other.residual and one.residual != other.residual:
        return False
    if not one.deletes and not other.deletes:
        return True
    return _equality(one) == _equality(other)


def _equality(task: FileTask) -> list[str]:
    """Return the equality delete files of a task."""
    equality = FileContent.EQUALITY_DELETES
    return [each.file_path for each in task.deletes if each.content == equality]


def read_as_one(
    files: TableFiles,
    tasks: Sequence[T],
    wanted: Wanted,
    read: Callable[[JoinedFiles, Sequence[T]], R],
) -> Iterator[tuple[Sequence[T], R | None]]:
    """Yield tasks in order: some at a time, whose files have one form, with what *read* returns.

    This is the place where a group that fails is split into its files.

    Args:
        tasks: Data or delete files, with their paths, sizes and numbers of records.
        read: Given the rows of some files, and their tasks; its `ByteloomError` splits the group.

    Yields:
        Tasks and the result; None for tasks that are to be read one by one.
    """
    try:
        data, ends = _bytes(files, tasks)
    except ByteloomError:
        yield tasks, None
        return
    footers = Footers.of(data, ends)
    counts = np.array([-1 if each.record_count is None else each.record_count for each in tasks])
    at, forms = 0, files.options.forms
    while at < len(tasks):
        last, result = at + 1, None
        try:
            rows = int(counts[at:].sum())
            held = JoinedFiles.of(data, footers.since(at), rows, wanted, forms)
            last = at + len(held.rows)
            if (held.rows == counts[at:last]).all():
                result = read(held, tasks[at:last])
        except ByteloomError:
            result = None
        yield tasks[at:last], result
        at = last


def _bytes(
    files: TableFiles, tasks: Sequence[FileTask] | Sequence[DeleteFile]
) -> tuple[NDArray[np.uint8], list[int]]:
    """Return the bytes of all files, and where those of each end."""
    ends = list(accumulate(each.file_size_in_bytes for each in tasks))
    # Memory of Arrow's pool was used before; the system would clear new memory first.
    _, data = arrow_memory(ends[-1], np.dtype(np.uint8))
    view = memoryview(cast("Any", data))

    def fetch(number: int) -> bool:
        task, end = tasks[number], ends[number]
        begin = end - task.file_size_in_bytes
        source = files.relocation.open(task.file_path)
        try:
            check_size(task.file_path, source.size, end - begin)
            if isinstance(source, LocalSource):
                source.read_into(0, view[begin:end])
                return False
            view[begin:end] = source.read(0, end - begin)
            return True
        finally:
            source.close()

    if fetch(0):
        with ThreadPoolExecutor(_REQUESTS) as pool:
            list(pool.map(fetch, range(1, len(tasks))))
        return data, ends
    with files.turn:
        for number in range(1, len(tasks)):
            fetch(number)
    return data, ends
