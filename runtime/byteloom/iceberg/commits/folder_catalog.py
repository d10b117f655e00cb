"""Tables that are folders: a commit is the metadata file with the next version.

The rules:

- The first of several writers that creates ``v<N>.metadata.json`` has made the commit; the file
  appears whole, and only if there is none. A filesystem that cannot do that is refused.
- A change of the codec of metadata begins with the next commit, so that all writers that build on
  one state create a file of the same name.
- ``version-hint.text`` follows the commit. It may lag behind: readers go on to the newest version.
- If it is not known whether the file was created, the newest metadata says so.

Source: Iceberg table spec, "File System Tables"; Java's ``HadoopTableOperations``.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from byteloom.errors import (
    AlreadyExists,
    ByteloomError,
    CommitConflict,
    MissingFile,
    StorageError,
    Unsupported,
)
from byteloom.iceberg.commits.applying import after, check_requirements
from byteloom.iceberg.commits.metadata_files import (
    check_written,
    forget_old_files,
    metadata_file,
)
from byteloom.iceberg.metadata import Relocation, find_metadata
from byteloom.iceberg.metadata.listing import tables_in
from byteloom.iceberg.metadata.opening import is_metadata_file, read_metadata, version_of
from byteloom.iceberg.properties import Properties
from byteloom.storage.creating import (
    check_creates,
    check_kept,
    create_file,
    make_folder,
    remove_file,
    remove_folder,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from byteloom.documents.json_record import JsonRecord
    from byteloom.iceberg.metadata import TableMetadata
    from byteloom.iceberg.stored_table import AnyTable, StoredTable
    from byteloom.limits import Limits
    from byteloom.storage import Folder

__all__ = ["FolderCatalog"]

_NAME: Final = re.compile(r"v\d+(?:\.gz)?\.metadata\.json(?:\.gz)?")
_HINT: Final = "version-hint.text"


class FolderCatalog:
    """The catalog of tables that are found by their folders alone."""

    def load(self, name: str) -> str:
        """Return the folder of a table."""
        return name

    def drop(self, name: str) -> None:
        """Remove a table's folder, with all files in it."""
        relocation = Relocation()
        find_metadata(name.rstrip("/"), relocation)
        remove_folder(self._folder(name.rstrip("/"), relocation))

    def list(self, namespace: str) -> list[str]:
        """Return the folders of the tables below a folder."""
        return [each.place for each in tables_in(namespace)]

    def check(self, table: StoredTable) -> None:
        """Refuse a table to which this catalog cannot commit, before anything is written.

        Raises:
            Unsupported: A table that another catalog keeps, one that was moved or asks for what is
                not written, or a place where a file cannot be created only if there is none.
        """
        self._check_place(table)
        _check_written(table.metadata)

    def _check_place(self, table: StoredTable) -> None:
        """Refuse a table that is not kept by its folder."""
        folder, _, name = table.metadata_location.rpartition("/")
        if not _NAME.fullmatch(name) or not folder.endswith("/metadata"):
            wanted = "v<N>.metadata.json: tables of other catalogs are not written"
            raise Unsupported("metadata", None, f"metadata in {name}", wanted)
        if table.relocation.advised is not None:
            old, new = table.relocation.advised
            wanted = "a table where its metadata says it is"
            raise Unsupported("location", None, f"{old}, and the table in {new}", wanted)
        check_creates(self._folder(folder, table.relocation))

    def commit(
        self, table: AnyTable, requirements: Sequence[JsonRecord], updates: Sequence[JsonRecord]
    ) -> AnyTable:
        """Return the table after the updates of *table*, whose metadata must still be the newest.

        Raises:
            CommitConflict: Another writer has committed since, or a requirement does not hold.
            StorageError: The metadata cannot be written.
        """
        self._check_place(table)
        check_requirements(table.metadata, requirements, table.metadata.location)
        metadata = after(table.metadata, updates, table.metadata_location)
        _check_written(metadata)  # of the new state, so that a property can be removed
        place, _, name = table.metadata_location.rpartition("/")
        folder = self._folder(place, table.relocation)
        version = (version_of(name) or 0) + 1
        taken = [each for each in folder.files() if (version_of(each) or 0) >= version]
        if taken:  # the next version alone may be gone: old metadata can be deleted
            raise CommitConflict(f"{place}/{taken[0]}: another writer created it first")
        _check_same(table)
        made = self._create(
            place, version, metadata, table.relocation, table.limits, base=table.metadata
        )
        with suppress(ByteloomError):  # the commit is made
            forget_old_files(table, metadata)
        return table.at(metadata, f"{place}/{made}")

    def create(
        self, name: str, metadata: TableMetadata, relocation: Relocation, limits: Limits
    ) -> str:
        """Create a table; return the path of its metadata file.

        Args:
            name: Its folder.
            metadata: Its first metadata.
            relocation: How the folder is reached.
            limits: What reading metadata may cost.

        Raises:
            AlreadyExists: There is a table.
            FormatError: A property with a value that it cannot have.
            Unsupported: A property that asks for what is not written, or a place where a file
                cannot be created only if there is none, as is tried once.
        """
        _check_written(metadata)
        below = f"{name.rstrip('/')}/metadata"
        folder = self._folder(below, relocation)
        check_creates(folder)
        make_folder(folder, "")
        there = AlreadyExists(f"{name}: there is an Iceberg table already")
        if any(map(is_metadata_file, folder.files())):
            raise there
        try:
            made = self._create(below, 1, metadata, relocation, limits)
        except CommitConflict as error:
            raise there from error
        try:
            check_kept(folder, made, metadata_file(metadata)[0])
        except Unsupported:
            remove_file(folder, _HINT)
            raise
        return f"{below}/{made}"

    def newest(self, table: AnyTable) -> AnyTable:
        """Return a table as the newest metadata in its folder says."""
        place = table.metadata_location.rpartition("/metadata/")[0]
        location = find_metadata(place, table.relocation)
        return table.at(read_metadata(location, table.relocation, table.limits), location)

    def _folder(self, place: str, relocation: Relocation) -> Folder:
        return relocation.access.folder(relocation(place))

    def _create(  # noqa: PLR0913  what a file is, and where
        self,
        place: str,
        version: int,
        metadata: TableMetadata,
        relocation: Relocation,
        limits: Limits,
        *,
        base: TableMetadata | None = None,
    ) -> str:
        """Create the metadata file of a version in the folder *place*; return its name."""
        data, ending = metadata_file(metadata, base)
        name = f"v{version}{ending}"
        try:
            create_file(self._folder(place, relocation), name, data)
        except (CommitConflict, StorageError):
            if not _is_ours(f"{place}/{name}", metadata, relocation, limits):
                raise
        with suppress(ByteloomError):  # the commit is made, and readers find it without the hint
            _write_hint(f"{place}/{_HINT}", version, relocation)
        return name


def _check_same(table: StoredTable) -> None:
    """Refuse a folder that has another table of the same version by now."""
    found = read_metadata(table.metadata_location, table.relocation, table.limits)
    uuid = found.document.table_uuid
    if uuid != table.metadata.document.table_uuid:
        raise CommitConflict(f"{table.metadata_location}: the table is another one, {uuid}")


def _check_written(metadata: TableMetadata) -> None:
    """Refuse metadata that asks for what is not written."""
    properties = Properties(metadata.properties)
    elsewhere = properties.text("write.metadata.path")
    if elsewhere is not None:
        wanted = "no such property: metadata of a table in a folder is in that folder"
        raise Unsupported("properties.write.metadata.path", None, elsewhere, wanted)
    check_written(metadata)


def _is_ours(place: str, metadata: TableMetadata, relocation: Relocation, limits: Limits) -> bool:
    """Return whether a file that could not be created is there all the same, with our content.

    A store may answer a request that it has carried out with an error, or not at all.
    """
    try:
        found = read_metadata(place, relocation, limits)
    except MissingFile:
        return False
    return bool(found.to_json() == metadata.to_json())


def _write_hint(place: str, version: int, relocation: Relocation) -> None:
    """Write the version hint, unless it names a later version."""
    with suppress(ByteloomError, ValueError):
        if int(relocation.read(place)) >= version:
            return
    relocation.write(place, str(version).encode())
