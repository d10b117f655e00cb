"""Rows that are deleted by their position: position delete files and deletion vectors.

The rules:

- A position delete file names data files by their written paths; it is read once for all of them.
- A deletion vector is a blob of a Puffin file, whose footer must give the same place and data file
  as the manifest entry.  A file that is a bare vector is read where the entry says that it is.
- Numbers of positions, in the footer and in the entry, are hints: the vector itself is right.
- A position beyond the end of the data file deletes nothing; some writers leave such positions.

Source: Iceberg table spec, "Position Delete Files", "Deletion Vectors".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom import puffin
from byteloom.arrow.texts import is_text
from byteloom.datafiles.damage import about
from byteloom.errors import FormatError
from byteloom.files.kinds import BARE_VECTOR, kind_of
from byteloom.iceberg.expressions.ast import TRUE
from byteloom.iceberg.name_mapping import MappedField, NameMapping
from byteloom.iceberg.reading.column_projection import Columns, project
from byteloom.iceberg.reading.conversion import codes_of
from byteloom.iceberg.reading.hints import check_hints, fitting
from byteloom.iceberg.reserved_fields import DELETE_FILE_COLUMNS
from byteloom.puffin.deletion_vector import BLOB_TYPE
from byteloom_generated.iceberg.manifests import FileContent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from byteloom.iceberg.planning.plan import DeleteFile, FileTask
    from byteloom.iceberg.reading.cache import Cache
    from byteloom.iceberg.reading.table_files import TableFiles
    from byteloom.puffin import BlobMetadata

__all__ = [
    "DELETE_COLUMNS",
    "DELETE_NAMES",
    "cached",
    "deleted_positions",
    "is_read_once",
    "paths_and_positions",
    "positions_by_path",
]

_PATH: Final = DELETE_FILE_COLUMNS["file_path"]
_POS: Final = DELETE_FILE_COLUMNS["pos"]
DELETE_NAMES: Final = NameMapping(
    tuple(MappedField((each.name,), each.id) for each in (_PATH, _POS))
)
DELETE_COLUMNS: Final = (_PATH, _POS)
"""The columns that are read from position delete files; they are found by name if they have no ids.
"""

_SMALL: Final = 16 << 20
"""Most bytes of a Puffin file that is read whole; vectors of a larger one are read one by one."""

_BLOB: Final = 1000
"""Approximate bytes of memory for the footer's entry of one vector."""

_NONE: Final = np.zeros(0, np.int64)


def deleted_positions(task: FileTask, files: TableFiles, cache: Cache) -> NDArray[np.int64]:
    """Return the positions of the rows of *task* that are deleted by position, ascending.

    Raises:
        FormatError: Damaged deletes.
        StorageError: A file that is missing.
    """
    parts = []
    for each in task.deletes:
        if each.content != FileContent.POSITION_DELETES:
            continue
        if each.is_deletion_vector:
            parts.append(_vector(each, task, files, cache))
        else:
            parts.append(
                cached(each, cache, partial(_read, each, files)).get(task.file_path, _NONE)
            )
    return parts[0] if len(parts) == 1 else _ascending(parts)


def cached(
    delete: DeleteFile, cache: Cache, read: Callable[[], Mapping[str, NDArray[np.int64]]]
) -> Mapping[str, NDArray[np.int64]]:
    """Return all positions of a delete file by the data file's path, ascending; read once."""

    def make() -> tuple[Mapping[str, NDArray[np.int64]], int]:
        found = read()
        return found, sum(each.nbytes for each in found.values())

    held: Mapping[str, NDArray[np.int64]] = cache.get(("positions", delete.file_path), make)
    return held


def _read(delete: DeleteFile, files: TableFiles) -> Mapping[str, NDArray[np.int64]]:
    """Return the positions in a delete file, by path."""
    named = files.named(DELETE_NAMES)
    data = named.open(delete.file_format, delete.file_path, delete.file_size_in_bytes)
    parts, rows = [], 0
    try:
        for piece in data.pieces(DELETE_COLUMNS, TRUE):
            with about(delete.file_path):
                parts.append(paths_and_positions(Columns(piece.fields, piece.arrays, piece.rows)))
            rows += piece.rows
        check_hints(delete, data.file, rows)
    finally:
        data.close()
    return positions_by_path(parts)


def positions_by_path(
    parts: Iterable[tuple[Sequence[str], NDArray[Any], NDArray[np.int64]]],
) -> dict[str, NDArray[np.int64]]:
    """Return the positions of each path, ascending, from rows as of `paths_and_positions`."""
    found: dict[str, list[NDArray[np.int64]]] = {}
    for names, codes, numbers in parts:
        if len(codes) and (codes == codes[0]).all():
            found.setdefault(names[codes[0]], []).append(numbers)
            continue
        order = np.argsort(codes, kind="stable")
        edges = np.searchsorted(codes[order], np.arange(len(names) + 1))
        for number in np.unique(codes).tolist():
            rows = order[edges[number] : edges[number + 1]]
            found.setdefault(names[number], []).append(numbers[rows])
    return {path: _ascending(held) for path, held in found.items()}


def _ascending(parts: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return all positions in order, each once; writers mostly store them that way."""
    held: NDArray[np.int64] = np.concatenate([_NONE, *parts])
    if (held[1:] > held[:-1]).all():
        return held
    held.sort()
    return np.asarray(held[np.append(True, held[1:] > held[:-1])])


def paths_and_positions(columns: Columns) -> tuple[list[str], NDArray[Any], NDArray[np.int64]]:
    """Return the paths in rows, the index of each row's path, and the position in each row.

    Raises:
        FormatError: A null.
    """
    paths, positions = _coded_paths(columns), project(_POS, columns)
    if paths.null_count or positions.null_count:
        raise FormatError("file_path, pos", None, "null", "a path and a position")
    names = paths.dictionary.cast(pa.large_string()).to_pylist()
    return names, codes_of(paths), positions.to_numpy()


def _coded_paths(columns: Columns) -> pa.DictionaryArray:
    """Return the paths as codes, the form in which files mostly store them."""
    _, array = columns.find(_PATH.id) or (None, None)
    if array is not None and pa.types.is_dictionary(array.type) and is_text(array.type.value_type):
        return array
    return project(_PATH, columns).dictionary_encode()


def is_read_once(delete: DeleteFile) -> bool:
    """Return whether a delete file is read whole, once for all data files that it is about."""
    return not delete.is_deletion_vector or delete.file_size_in_bytes <= _SMALL


def _vector(
    delete: DeleteFile, task: FileTask, files: TableFiles, cache: Cache
) -> NDArray[np.int64]:
    """Return the positions in a deletion vector."""
    if delete.referenced_data_file != task.file_path:
        found = f"a deletion vector of {delete.referenced_data_file}"
        raise FormatError(delete.file_path, None, found, task.file_path)
    blobs: _Blobs = cache.get(("blobs", delete.file_path), lambda: _blobs(delete, files))
    with about(delete.file_path):
        blobs.check(delete)
        offset, size = delete.content_offset or 0, delete.content_size or 0
        vector = puffin.DeletionVector.from_bytes(blobs.read(delete, files, offset, size))
        return vector.positions(limits=files.options.limits)


@dataclass(frozen=True, slots=True)
class _Blobs:
    """The blobs of a Puffin file, read once for all data files whose vectors are in it.

    Attributes:
        by_place: The blobs by offset and length; None for a file that is a bare vector.
        data: The whole file, if it is small.
    """

    by_place: Mapping[tuple[int, int], BlobMetadata] | None
    data: bytes | None

    def read(self, delete: DeleteFile, files: TableFiles, offset: int, length: int) -> bytes:
        """Return some bytes of the file."""
        if self.data is not None:
            return self.data[offset : offset + length]
        source = files.relocation.open(delete.file_path)
        try:
            return source.read(offset, length)
        finally:
            source.close()

    def check(self, delete: DeleteFile) -> None:
        """Refuse an entry whose place or data file is not that in the file's footer."""
        if self.by_place is None:
            return
        place = delete.content_offset or 0, delete.content_size or 0
        blob = self.by_place.get(place)
        if blob is None or blob.type != BLOB_TYPE:
            wanted = f"a deletion vector of {place[1]} bytes at {place[0]}, as its manifest says"
            raise FormatError("footer.payload.blobs", None, "no such blob", wanted)
        key, path = "referenced-data-file", str(delete.referenced_data_file)
        if blob.properties.get(key, path) != path:
            raise FormatError(f"blob.properties.{key}", None, blob.properties[key], path)


def _blobs(delete: DeleteFile, files: TableFiles) -> tuple[_Blobs, int]:
    """Return the blobs of the file of a deletion vector, and the approximate bytes they take."""
    source = files.relocation.open(delete.file_path)
    try:
        path, size = delete.file_path, source.size
        data = source.read(0, size) if size <= _SMALL else None
        if kind_of(source) == BARE_VECTOR:
            return _Blobs(None, data), len(data or b"")
        with about(path), fitting(path, size, delete.file_size_in_bytes):
            with puffin.open(source, limits=files.options.limits) as file:
                by_place = {(each.offset, each.length): each for each in reversed(file.blobs)}
            return _Blobs(by_place, data), len(data or b"") + _BLOB * len(by_place)
    finally:
        source.close()
