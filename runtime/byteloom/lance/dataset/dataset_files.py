"""The files of a Lance dataset: the folders that they are in, and which fields each has.

Source: https://lance.org/format/table/
"""

from __future__ import annotations

import re
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import FormatError, LimitExceeded
from byteloom.lance.dataset.row_ids import has_row_ids
from byteloom.storage import Folder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from byteloom.lance.fields import Field
    from byteloom.lance.legacy.pages import Dictionaries
    from byteloom.limits import Limits
    from byteloom.storage.allowed import Allowed
    from byteloom_generated.lance.table import (
        DataFile,
        DeletionFile,
        ExternalFile,
        IndexMetadata,
        Manifest,
    )

__all__ = ["DATA", "DatasetFiles", "check_below", "files_of", "miscounts"]

DATA: Final = "data"
"""The folder of data files, in the folder of a dataset."""

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

    Attributes:
        allowed: What files outside of the dataset's folder must be below; None for anywhere.
        limits: What reading one file may cost.
        dictionaries: Dictionaries of files of version 0.1.
        apart: Ids of the fields whose values are in the dataset of blobs.
        has_row_ids: Whether rows keep their ids.
        miscounts: Whether row counts of fragments may leave out deleted rows, as by releases
            through 0.8.14.
        hides_blobs: Whether the release leaves the fields *apart* out of a scan that names no
            columns.
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
        self.has_row_ids = has_row_ids(manifest)
        self.miscounts = miscounts(manifest)
        writer = manifest.writer_version
        is_rust = writer == type(writer)(library=_RUST[-1], version=writer.version)
        release = _release(writer.version) if is_rust and self.apart else ()
        self.hides_blobs = _HIDING <= release < _SHOWING

    def external(self, stored: ExternalFile, path: str) -> bytes:
        """Return a part of a file below the dataset's folder.

        Args:
            path: The name of *stored* in errors.

        Raises:
            FormatError: For a part outside of the file.
            LimitExceeded: For a large one.
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

    def root_of(self, stored: DataFile | DeletionFile | IndexMetadata) -> tuple[Folder, bool]:
        """Return the root of a file, and whether the root has the folders of a dataset.

        Raises:
            FormatError: For an id that no base path has.
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

        Args:
            path: The name of the file's message in errors.

        Raises:
            FormatError: For an unknown base path, and for a name outside of the folder.
        """
        folder, is_root = self.root_of(stored)
        check_below(stored.path, f"{path}.path", f"a name in {DATA}")
        return folder, f"{DATA}/{stored.path}" if is_root else stored.path


def files_of(
    folder: Folder, name: str, manifest: Manifest, limits: Limits, allowed: Allowed | None
) -> DatasetFiles:
    """Return the files of the version whose *manifest* is in the file *name* of the folder.

    Args:
        allowed: What files outside of the folder must be below; None for anywhere.
    """
    from byteloom.lance.legacy.pages import Dictionaries

    # Files of version 0.1 have the values of dictionaries in the manifest.
    dictionaries = Dictionaries(lambda: closing(folder.open(name)), manifest.fields)
    return DatasetFiles(folder, manifest, dictionaries, limits, allowed)


def check_below(name: str, path: str, wanted: str) -> None:
    """Refuse the name of a file that leaves its folder."""
    if ".." in name.split("/"):
        raise FormatError(path, None, name, wanted)


def miscounts(manifest: Manifest) -> bool:
    """Return whether row counts of fragments may be missing, or leave out deleted rows."""
    writer = manifest.writer_version
    return writer.library in _RUST and _release(writer.version) < _COUNTED


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
