"""Fragments of a Lance dataset: rows that were written together, in one or more files.

- Each file has some of the fields, and all of the fragment's rows; rows match by position.
- Files are opened when rows are asked for, each with its deletion file.

Source: https://lance.org/format/table/#fragments
"""

from __future__ import annotations

import re
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from byteloom.errors import FormatError, LimitExceeded
from byteloom.lance.dataset.blobs import BlobDataset, BlobRows
from byteloom.lance.dataset.deletions import read_deletions
from byteloom.lance.dataset.json_columns import JsonReader
from byteloom.lance.dataset.merged import AbsentField, LiveRows, MergedStruct, NamedReader
from byteloom.lance.dataset.row_ids import (
    ROW_ADDRESS,
    ROW_ID,
    NumberReader,
    addresses,
    has_row_ids,
    ids_of,
)
from byteloom.lance.fields import as_stored
from byteloom.lance.reader import LanceFile
from byteloom.storage import Folder
from byteloom.storage.naming import about_file
from byteloom.storage.sources import name_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from byteloom.lance.fields import Field
    from byteloom.lance.legacy.pages import Dictionaries
    from byteloom.lance.reading import FieldReader
    from byteloom.limits import Limits
    from byteloom.storage.allowed import Allowed
    from byteloom_generated.lance.table import (
        DataFile,
        DataFragment,
        DeletionFile,
        ExternalFile,
        Manifest,
    )

__all__ = ["DatasetFiles", "Fragment", "FragmentRows", "check_below"]

_DATA: Final = "data"
_BLOB_CLASS: Final = "blob"
_RUST: Final = ("", "lance")
"""The name of the Rust library in manifests."""

_MOST_PARTS: Final = 1 << 12
"""Number of fields and files whose common parts are kept."""

_COUNTED: Final = (0, 8, 15)
"""The first release that counted deleted rows too."""

_HIDING: Final = (0, 19, 0)
_SHOWING: Final = (0, 32, 0)
"""The first release with datasets of blobs, and the first whose scans of all columns have these."""


class DatasetFiles:
    """The files of a dataset: the folders that contain them, and how to read them.

    allowed       what files outside of the dataset's folder must be below; None for anywhere
    limits        what reading one file may cost
    dictionaries  dictionaries of files of version 0.1
    apart         ids of the fields whose values are in the dataset of blobs
    blobs         that dataset
    has_row_ids   whether rows keep their ids
    miscounts     whether row counts of fragments may leave out deleted rows, as by releases
                  through 0.8.14
    hides_blobs   whether the release leaves the fields *apart* out of a scan that names no columns
    """

    def __init__(
        self,
        folder: Folder,
        manifest: Manifest,
        dictionaries: Dictionaries,
        limits: Limits,
        allowed: Allowed | None = None,
    ) -> None:
        """Find the folders by the *manifest* of the dataset in *folder*."""
        self._own, self.allowed = folder, allowed
        self._others = {each.id: each for each in manifest.base_paths}
        self.limits, self.dictionaries = limits, dictionaries
        # By the identity of fields, which are kept with what is known of them.
        self._ids: dict[tuple[int, ...], tuple[Any, frozenset[int], frozenset[int]]] = {}
        self._parts: dict[tuple[int, frozenset[int]], tuple[Field, Field | None, bool]] = {}
        self.apart = frozenset(
            each.id for each in manifest.fields if each.storage_class == _BLOB_CLASS
        )
        self.blobs = BlobDataset(folder, manifest.blob_dataset_version, limits, allowed)
        self.has_row_ids = has_row_ids(manifest)
        writer = manifest.writer_version
        self.miscounts = writer.library in _RUST and _release(writer.version) < _COUNTED
        is_rust = writer == type(writer)(library=_RUST[-1], version=writer.version)
        release = _release(writer.version) if is_rust and self.apart else ()
        self.hides_blobs = _HIDING <= release < _SHOWING

    def external(self, stored: ExternalFile, path: str) -> bytes:
        """Return a part of a file below the dataset's folder.

        path    the name of *stored* in errors
        raises  `FormatError` for a part outside of the file, `LimitExceeded` for a large one
        """
        most = self.limits.metadata_size
        if stored.size > most:
            wanted = f"at most {most} bytes (limits.metadata_size)"
            raise LimitExceeded(f"{path}.size", None, stored.size, wanted)
        check_below(stored.path, f"{path}.path", "a name in the dataset's folder")
        source = self._own.open(stored.path)
        try:
            if stored.offset + stored.size > source.size:
                found = f"bytes {stored.offset} to {stored.offset + stored.size}"
                raise FormatError(path, None, found, f"a part of {source.size} bytes")
            return source.read(stored.offset, stored.size)
        finally:
            source.close()

    def ids_of(self, fields: Sequence[Field]) -> tuple[frozenset[int], frozenset[int]]:
        """Return the ids of *fields* and of all fields in them, and of those that have others."""
        key = (*map(id, fields),)
        known = self._ids.get(key)
        if known is None:
            walked = [each for field in fields for each in field.walk()]
            parents = frozenset(each.id for each in walked if each.children)
            known = [*fields], frozenset(each.id for each in walked), parents
            self._ids = {key: known}
        return known[1:]

    def part_of(self, field: Field, ids: frozenset[int]) -> tuple[Field | None, bool]:
        """Return a field narrowed to the ids that a file has, and whether that is all of it.

        None if the file has none of them.
        """
        key = id(field), ids
        known = self._parts.get(key)
        if known is None:
            part = _part_of(field, ids)
            known = field, part, part is not None and _leaves(part) == _leaves(field)
            if len(self._parts) >= _MOST_PARTS:
                self._parts.clear()
            self._parts[key] = known
        return known[1:]

    def root_of(self, stored: DataFile | DeletionFile) -> tuple[Folder, bool]:
        """Return the root of a file, and whether the root has the folders of a dataset.

        raises  `FormatError` for an id that no base path has
        """
        if not stored.HasField("base_id"):
            return self._own, True
        folder = self.base(stored.base_id)
        return folder, self._others[stored.base_id].is_dataset_root

    def base(self, number: int) -> Folder:
        """Return the folder of the base path with an id; `FormatError` for an unknown one."""
        if number not in self._others:
            known = ", ".join(map(str, self._others)) or "no ids"
            raise FormatError("manifest.base_paths", None, f"no id {number}", known)
        path = self._others[number].path
        filesystem = None if "://" in path else self.filesystem
        return Folder(path, filesystem=filesystem, allowed=self.allowed)

    @property
    def filesystem(self) -> Any:
        """The filesystem of the dataset; None for the local one."""
        return self._own.filesystem

    def place_of(self, stored: DataFile, path: str) -> tuple[Folder, str]:
        """Return the folder that a data file is below, and its name there.

        path    the name of the file's message in errors
        raises  `FormatError` for an unknown base path, and for a name outside of the folder
        """
        folder, is_root = self.root_of(stored)
        check_below(stored.path, f"{path}.path", f"a name in {_DATA}")
        return folder, f"{_DATA}/{stored.path}" if is_root else stored.path


@dataclass(frozen=True)
class Fragment:
    """Rows that were written together.

    stored  the message of the manifest
    number  its number in the dataset's list of fragments
    files   the files of the dataset
    """

    stored: DataFragment
    number: int
    files: DatasetFiles

    @property
    def id(self) -> int:
        """Its id, unique in the dataset."""
        return self.stored.id

    @cached_property
    def physical_rows(self) -> int:
        """The number of its rows, including deleted ones; counts by early releases are not used."""
        noted = self.stored.physical_rows
        is_sound = not (self.files.miscounts and self.stored.HasField("deletion_file"))
        if (noted and is_sound) or not self.stored.files:
            return noted
        with ExitStack() as stack:
            return self._file(self.stored.files[0], stack).num_rows

    @cached_property
    def deleted(self) -> NDArray[np.int64]:
        """Positions of deleted rows, ascending."""
        if not self.stored.HasField("deletion_file"):
            return np.empty(0, np.int64)
        stored = self.stored.deletion_file
        folder, _ = self.files.root_of(stored)
        return read_deletions(folder, self.id, stored, self.physical_rows, self.files.limits)

    @property
    def num_rows(self) -> int:
        """The number of its rows that are not deleted."""
        if not self.stored.HasField("deletion_file"):
            return self.physical_rows
        noted = self.stored.deletion_file.num_deleted_rows
        deleted = noted or len(self.deleted)
        if deleted > self.physical_rows:
            path = f"{self.path}.deletion_file.num_deleted_rows"
            raise FormatError(path, None, deleted, f"at most {self.physical_rows}")
        return self.physical_rows - deleted

    @cached_property
    def row_ids(self) -> NDArray[np.uint64]:
        """The id of each row, including deleted ones: its address where rows do not keep theirs.

        raises  `FormatError` for damage, and where the ids are missing
        """
        if not self.files.has_row_ids:
            return addresses(self.id, self.physical_rows)
        kind = self.stored.WhichOneof("row_id_sequence")
        path = f"{self.path}.{kind or 'row_id_sequence'}"
        if kind is None:
            raise FormatError(path, None, "nothing", "row ids, by the manifest's feature flags")
        if kind == "external_row_ids":
            data = self.files.external(self.stored.external_row_ids, path)
        else:
            data = self.stored.inline_row_ids
        return ids_of(data, self.physical_rows, self.files.limits, path)

    @property
    def path(self) -> str:
        """The name of the fragment in errors."""
        return f"manifest.fragments[{self.number}]"

    @contextmanager
    def open(self, fields: Sequence[Field]) -> Iterator[FragmentRows]:
        """Open the files that have any of *fields*, and close them again; see `opened`."""
        with ExitStack() as stack:
            yield self.opened(fields, stack)

    def opened(self, fields: Sequence[Field], stack: ExitStack) -> FragmentRows:
        """Open the files that have any of *fields*; the *stack* closes them.

        If several files have a field, the first file's is used, since releases through 0.10 used
        ids twice.
        """
        left, parents = self.files.ids_of(fields)
        found = []
        for number, each in enumerate(self.stored.files):
            ids = left.intersection(each.fields)
            if ids:
                file = self._file(each, stack)
                self._check_rows(file, number)
                found.append((ids, file))
                left -= ids - parents
        return FragmentRows(self, found)

    def _file(self, stored: DataFile, stack: ExitStack) -> LanceFile:
        files = self.files
        folder, name = files.place_of(stored, f"{self.path}.files")
        source = folder.open(name)
        stack.callback(source.close)
        with about_file(name_of(source)):
            file = LanceFile(source, limits=files.limits, dictionaries=files.dictionaries)
        file.file_name = name_of(source)
        return file

    def _check_rows(self, file: LanceFile, number: int) -> None:
        if file.num_rows != self.physical_rows:
            path = f"{self.path}.files[{number}]"
            wanted = f"{self.physical_rows} (physical_rows)"
            raise FormatError(path, None, f"{file.num_rows} rows in {file.file_name}", wanted)


class FragmentRows:
    """The rows of an open fragment, as a scan takes them."""

    def __init__(
        self, fragment: Fragment, opened: Sequence[tuple[frozenset[int], LanceFile]]
    ) -> None:
        """Read fields of the dataset from files that have them.

        opened  for each file the ids of its fields
        """
        self._fragment, self._opened = fragment, opened
        self.file_name = opened[0][1].file_name if len(opened) == 1 else None
        self._readers: dict[int, tuple[Field, FieldReader]] = {}
        _check_room(fragment, opened)
        deleted = fragment.deleted
        self._kept: NDArray[np.int64] | None = None
        if len(deleted):
            self._kept = np.delete(np.arange(fragment.physical_rows), deleted)
        self._count = fragment.physical_rows - len(deleted)

    @property
    def num_rows(self) -> int:
        """The number of rows that are not deleted."""
        return self._count

    @property
    def has_deletions(self) -> bool:
        """Whether rows of its files are deleted."""
        return self._kept is not None

    @property
    def metadata(self) -> dict[str, bytes]:
        """Metadata of the Arrow schema, which the dataset has."""
        return {}

    def readers(self, fields: Sequence[Field]) -> list[FieldReader]:
        """Return readers of the live rows of *fields*."""
        return [self._live(each) for each in fields]

    def together(self, fields: Sequence[Field], rows: range | np.ndarray) -> list[pa.Array | None]:
        """Return *rows* of each of many *fields* of one file; None for what needs a reader."""
        ids, file = self._opened[0] if len(self._opened) == 1 else (frozenset(), None)
        if file is None or not all(each.id in ids and not each.has_json for each in fields):
            return [None] * len(fields)
        if self._kept is not None:
            rows = (
                self._kept[rows.start : rows.stop] if isinstance(rows, range) else self._kept[rows]
            )
        return file.together(fields, rows)

    def _live(self, field: Field) -> FieldReader:
        """Return the reader of a field's live rows, which is cached."""
        known = self._readers.get(id(field))
        if known is None:
            known = self._readers[id(field)] = field, self._live_reader(field)
        return known[1]

    def _live_reader(self, field: Field) -> FieldReader:
        files, kept = self._fragment.files, self._kept
        is_here = any(field.id in ids for ids, _ in self._opened)
        if self._count and field.id in files.apart and not is_here:
            ids = self._fragment.row_ids
            return BlobRows(files.blobs, field, ids if kept is None else ids[kept])
        reader = self._reader(field)
        return reader if kept is None else LiveRows(reader, kept)

    def _numbers(self, field: Field) -> NDArray[np.uint64]:
        """Ids or addresses of all rows."""
        fragment = self._fragment
        if field.id == ROW_ID.id:
            return fragment.row_ids
        return addresses(fragment.id, fragment.physical_rows)

    def _reader(self, field: Field) -> FieldReader:
        if field.id in {ROW_ID.id, ROW_ADDRESS.id}:
            return NumberReader(self._numbers(field))
        found: list[tuple[Field, FieldReader]] = []
        is_whole, is_one = False, len(self._opened) == 1
        for ids, file in self._opened:
            part, is_whole_here = self._fragment.files.part_of(field, ids)
            if part is not None:
                is_whole |= is_whole_here
                reader = file.reader(as_stored(part))
                reader = JsonReader(reader, part) if part.has_json else reader
                found.append((part, reader if is_one else NamedReader(reader, file.file_name)))
        rows = self._fragment.physical_rows
        if not found:
            return AbsentField(field, rows)
        if len(found) == 1 and is_whole:
            return found[0][1]
        return MergedStruct(field, found)


def check_below(name: str, path: str, wanted: str) -> None:
    """Refuse the name of a file that leaves its folder."""
    if ".." in name.split("/"):
        raise FormatError(path, None, name, wanted)


def _check_room(fragment: Fragment, opened: Sequence[object]) -> None:
    """Refuse too many rows if no open file bounds their number."""
    rows, most = fragment.physical_rows, fragment.files.limits.elements
    is_paid_for = opened and not fragment.stored.HasField("deletion_file")
    if rows > most and not is_paid_for:
        wanted = f"at most {most} (limits.elements)"
        raise LimitExceeded(f"{fragment.path}.physical_rows", None, rows, wanted)


def _part_of(field: Field, ids: frozenset[int]) -> Field | None:
    """A field narrowed to the ids that a file has; None if the file has none of them."""
    if not field.children or field.is_packed or field.is_blob:
        return field if field.id in ids else None
    if field.id in ids and not any(each.id in ids for one in field.children for each in one.walk()):
        return field if not field.is_struct else None
    parts = [_part_of(each, ids) for each in field.children]
    kept = [each for each in parts if each is not None]
    return replace(field, children=kept) if kept else None


def _leaves(field: Field) -> set[int]:
    return {each.id for each in field.walk() if not each.children}


def _release(text: str) -> tuple[int, ...]:
    """The numbers of a release; zeros if the manifest does not name it."""
    numbers = re.match(r"(\d{1,9})\.(\d{1,9})\.(\d{1,9})", text, re.ASCII)
    return tuple(map(int, numbers.groups())) if numbers else (0, 0, 0)
