"""Small position delete files, many of which are read at once, as small data files are.

The rules:

- Their contents go into the same cache as those of files read one by one, so that tasks find them.
- A group with any error is skipped; the error is raised when the file is read by itself.

Source: Iceberg table spec, "Position Delete Files".
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from byteloom.datafiles.data_file import ALL_ROWS, BATCH
from byteloom.iceberg.reading.column_projection import Columns
from byteloom.iceberg.reading.position_deletes import (
    DELETE_COLUMNS,
    DELETE_NAMES,
    cached,
    paths_and_positions,
    positions_by_path,
)
from byteloom.iceberg.reading.small_files import read_as_one
from byteloom_generated.iceberg.manifests import FileContent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from byteloom.datafiles.parquet_plan import JoinedFiles
    from byteloom.iceberg.planning.plan import DeleteFile, FileTask
    from byteloom.iceberg.reading.cache import Cache
    from byteloom.iceberg.reading.table_files import TableFiles

__all__ = ["read_small_deletes"]

_SMALL: Final = 1 << 20
"""Most bytes of a delete file that is read together with others."""

_BYTES, _FILES = 16 << 20, 2048
"""Most bytes and files of a group."""


def read_small_deletes(tasks: Iterable[FileTask], files: TableFiles, cache: Cache) -> None:
    """Put the positions in the small position delete files of tasks into *cache*.

    Files that cannot be read together are skipped.
    """
    named = files.named(DELETE_NAMES)
    for group in _groups(tasks, cache):
        if len(group) == 1:
            continue
        wanted = named.wanted(DELETE_COLUMNS)
        for some, found in read_as_one(named, group, wanted, lambda held, _: [*_by_file(held)]):
            for delete, positions in zip(some, found or (), strict=found is not None):
                cached(delete, cache, partial(dict, positions))


def _groups(tasks: Iterable[FileTask], cache: Cache) -> Iterator[list[DeleteFile]]:
    """Yield the delete files that are not cached, in groups to be read together."""
    found = {each.file_path: each for task in tasks for each in task.deletes if _is_small(each)}
    held: list[DeleteFile] = []
    size = rows = 0
    for each in found.values():
        if ("positions", each.file_path) in cache:
            continue
        size, rows = size + each.file_size_in_bytes, rows + (each.record_count or 0)
        if held and (len(held) == _FILES or size > _BYTES or rows > BATCH):
            yield held
            held, size, rows = [], each.file_size_in_bytes, each.record_count or 0
        held.append(each)
    if held:
        yield held


def _is_small(delete: DeleteFile) -> bool:
    """Return whether a delete file may be read with others."""
    is_parquet = (
        delete.content == FileContent.POSITION_DELETES and delete.file_format.lower() == "parquet"
    )
    is_known = bool(delete.record_count) and 0 < delete.file_size_in_bytes <= _SMALL
    return is_parquet and not delete.is_deletion_vector and is_known


def _by_file(found: JoinedFiles) -> Iterator[Mapping[str, NDArray[np.int64]]]:
    """Yield the positions by path of each file; `FormatError` for nulls."""
    pieces = [(each, paths_and_positions(Columns.of(each))) for each in found.pieces(ALL_ROWS)]
    for begin, end in pairwise(np.cumsum([0, *found.rows]).tolist()):
        held = []
        for piece, (names, codes, positions) in pieces:
            rows = slice(max(begin - piece.start, 0), max(end - piece.start, 0))
            held.append((names, codes[rows], positions[rows]))
        yield positions_by_path(held)
