"""Read many small Parquet files at once: opening each costs more than decoding its rows.

The rules:

- Tasks are read together if they read small files as a whole, filter their rows alike, and
  return no column about the file itself.  Their rows come in the same order as one by one.
- The files of a group that have the same form become one file (`byteloom.parquet.joining`); deletes
  by position then count from the first row of the first file.
- A group with any error is read again file by file, so that the error names the right file.

Source: Iceberg table spec, "Scan Planning".
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
import pyarrow as pa

from byteloom.arrow.texts import arrow_memory
from byteloom.errors import FormatError
from byteloom.iceberg.expressions.ast import FALSE
from byteloom.iceberg.reading.data_file import BATCH, Piece
from byteloom.iceberg.reading.fields import identified
from byteloom.iceberg.reading.lazy_pieces import lazy_piece
from byteloom.iceberg.reading.metadata_columns import is_metadata
from byteloom.iceberg.reading.opening import check_size
from byteloom.parquet.held_files import Footers
from byteloom.parquet.joining import Joined, joined
from byteloom.parquet.plain import PlainColumns
from byteloom.storage.sources import LocalSource
from byteloom_generated.iceberg.manifests import FileContent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from byteloom.iceberg.name_mapping import NameMapping
    from byteloom.iceberg.planning.tasks import DeleteFile, FileTask
    from byteloom.iceberg.reading.data_file import Files
    from byteloom.iceberg.reading.wanted import PlainWanted, Wanted
    from byteloom.iceberg.types import NestedField
    from byteloom.parquet.forms import Form

__all__ = ["Together", "grouped", "together"]

_SMALL: Final = 1 << 20
"""Most bytes of a file that is read together with others, however many columns it has."""

_SMALL_COLUMN: Final = 1 << 14
"""The same per column, for files with many columns."""

_BYTES: Final = 48 << 20
"""Most bytes of a group."""

_HELD: Final = 256 << 20
"""Most bytes of a group's rows; a group of long texts stored as codes may exceed it, and is then
read file by file."""

_WORK: Final = 16
"""Microseconds that our own loop saves for a column of a file."""

_REQUESTS: Final = 8
"""Most requests to a store at a time."""

_FIRST, _FILES = 32, 2048
"""Files of the first group, which is small so that the first rows come soon, and of any other."""


def grouped(
    tasks: Iterator[FileTask], fields: Sequence[NestedField]
) -> Iterator[Sequence[FileTask]]:
    """Yield tasks in order, grouped into those that are read at once.

    fields  the columns to return
    """
    if any(is_metadata(each) for each in fields):
        yield from ([each] for each in tasks)
        return
    small = max(_SMALL, _SMALL_COLUMN * len(fields))
    held: list[FileTask] = []
    size = rows = 0
    most = _FIRST
    for task in tasks:
        is_small = _is_small(task, small)
        size, rows = size + task.file_size_in_bytes, rows + (task.record_count or 0)
        fits = len(held) < most and size <= _BYTES and rows <= BATCH
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


@dataclass(frozen=True, slots=True)
class Together:
    """The rows of several files, one file after the other.

    rows the number of rows of each file
    pieces  all rows of all files, counted from the first one
    """

    rows: NDArray[np.int64]
    missing: bool
    pieces: list[Piece]


def together(
    files: Files, tasks: Sequence[FileTask | DeleteFile], wanted: Wanted
) -> Together | None:
    """Return the rows of the first of some files: as many files as have the same form.

    tasks   data or delete files, with their paths, sizes and numbers of records
    raises  `ByteloomError`; each file may then be readable by itself or not
    return  None if the first file is unusual
    """
    data, ends = _bytes(files, tasks)
    footers = Footers.of(data, ends)
    form = footers.form(files.known.forms)
    if form is None:
        return None
    columns = wanted.of(form)
    said = np.array([-1 if each.record_count is None else each.record_count for each in tasks])
    plain = _plain(data, footers, form, columns.plain)
    leaves = columns.leaves if plain is None else columns.plain.others
    if plain is None or leaves.any():
        held = joined(data, footers, form, leaves)
    else:
        held = Joined(plain.files, None)
    if held is None or not len(held.rows) or (held.rows != said[: len(held.rows)]).any():
        return None
    pieces = _pieces(held, leaves, files.mapping)
    if pieces is None:
        return None
    if plain is not None and pieces:
        pieces = [lazy_piece(range(plain.rows), plain, columns.plain, pieces)]
    return Together(held.rows, columns.missing, pieces)


def _plain(
    data: NDArray[np.uint8], footers: Footers, form: Form, wanted: PlainWanted
) -> PlainColumns | None:
    """Return the plain columns of files; None if they are unusual or the library is as fast."""
    from byteloom.kernels.parquet_values import take_values

    work = _WORK * len(footers.places) * len(wanted.leaves)
    if not wanted.leaves or not take_values.is_worth_it(work):
        return None
    try:
        return PlainColumns.of_files(data, footers, form, wanted.marks)
    except FormatError:
        return None


def _bytes(
    files: Files, tasks: Sequence[FileTask | DeleteFile]
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


def _pieces(
    held: Joined, wanted: NDArray[np.uint8], mapping: NameMapping | None
) -> list[Piece] | None:
    """Return the rows of a joined file with its wanted leaves; None if it cannot be read."""
    total = int(held.rows.sum())
    if held.file is None:
        return [Piece(0, total, [], [])]
    pieces, start, size = [], 0, 0
    fields: Sequence[pa.Field] = []
    try:
        groups = range(held.file.metadata.num_row_groups)
        leaves = np.flatnonzero(wanted).tolist()
        at_a_time = min(BATCH, held.at_a_time)
        batches = held.file.reader.iter_batches(
            at_a_time, row_groups=list(groups), column_indices=leaves, use_threads=False
        )
        for batch in batches:
            fields = fields or identified(list(batch.schema), mapping)
            pieces.append(Piece(start, batch.num_rows, fields, batch.columns))
            start += batch.num_rows
            size += batch.nbytes
            if size > _HELD:
                return None
    except (pa.ArrowException, OSError, ValueError, KeyError, IndexError, OverflowError):
        return None
    return pieces if start == total else None
