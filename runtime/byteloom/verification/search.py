"""The places to check below folders: files, and tables and datasets with all their files; orphans.

- A folder that is a table or a dataset comes before its files, each of which is checked by itself
  too.
- A table whose newest metadata file cannot be read is one place together with that file.  So is a
  folder with the manifest lists of a table that has lost its metadata files.
- Links to folders are not followed. A folder that cannot be read is a place too.

Orphans are files in the folders of Iceberg tables that no snapshot of their table names:

- A data file belongs to the innermost table whose folder it is in.
- Files that only a deleted entry names are orphans as well: no snapshot reads them.
- Where manifests of the table cannot be read, no file is called an orphan.
- Links are followed in the names of files on disk alone, so that a table of many files is quick.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from os.path import abspath, realpath
from stat import S_ISREG
from typing import Final, NamedTuple

from byteloom.errors import ByteloomError, MovedTable, StorageError
from byteloom.storage.folders import Level, Walk
from byteloom.storage.local import LOCAL_URL
from byteloom.verification.formats import TABLE_METADATA, VERSIONS
from byteloom.verification.verdict import SKIPPED, UNREADABLE, VIEW, Verdict, elsewhere, verdict_of

__all__ = ["Found", "Orphans", "Search"]

_HUDI: Final = ".hoodie"
"""What the folder of a Hudi table has in it; so has that of its metadata table, below it."""


class Found(NamedTuple):
    """A place to check.

    place     path or URL
    is_whole  whether all files that it names are checked as well
    refused   why a folder cannot be searched, or a table cannot be checked: it was moved, or its
              metadata cannot be read
    is_view   whether it is the folder of an Iceberg view, which has no files to check
    in_table  whether it is a file in the folder of an Iceberg table that is checked with its files
    """

    place: str
    is_whole: bool
    refused: ByteloomError | None = None
    is_view: bool = False
    in_table: bool = False

    @property
    def size(self) -> int:
        """Its bytes; 0 for anything but a regular local file."""
        try:
            found = os.stat(self.place)  # noqa: PTH116  Path's may raise
        except (OSError, ValueError):
            return 0
        return found.st_size if S_ISREG(found.st_mode) else 0

    def refusal(self) -> Verdict | None:
        """Return the verdict on a place that cannot be searched or checked; None for any other."""
        if self.is_view:
            return Verdict(file=self.place, status=SKIPPED, summary=VIEW)
        if self.refused is None:
            return None
        if isinstance(self.refused, MovedTable):
            return elsewhere(self.place, self.refused)
        if not isinstance(self.refused, StorageError):
            return verdict_of(self.place, TABLE_METADATA.name, [self.refused])
        text = str(self.refused)
        return Verdict(file=self.place, status=UNREADABLE, summary=text, error=self.refused)


class Search:
    """Finds the places to check.

    walks  the walks through the folders that were searched
    hudi   the folders that are Hudi tables, of which the files are checked, and not the table
    """

    def __init__(self, relocate: Mapping[str, str] | None = None) -> None:
        """Begin a search; *relocate* maps written paths of tables to where their files are now."""
        self.walks: list[Walk] = []
        self.hudi: list[str] = []
        self._relocate = relocate or {}
        # Metadata files whose errors are reported with their tables.
        self._reported: set[str] = set()
        self._tables: list[str] = []

    def places(self, place: str) -> Iterator[Found]:
        """Yield a file as it is, and all places in a folder, in the order of names.

        A named place is checked with every file that it refers to, and so are datasets, and tables
        whose metadata names the folder that they are in.  Other tables have a verdict of their own.
        """
        local = LOCAL_URL.sub("/", place, count=1)
        if os.path.isdir(local):  # noqa: PTH112  Path's may raise
            place = local
        else:
            yield Found(place, is_whole=True)
            return
        walk = Walk(place)
        self.walks.append(walk)
        for level in walk:
            folder = walk.place(level.below)
            if _is_or_was_table(walk, level):
                yield from self._table(folder, is_named=not level.below)
            elif level.has_folder(VERSIONS):
                yield Found(folder, is_whole=True)
            elif level.has_folder(_HUDI) and _HUDI not in folder.split("/"):
                self.hudi.append(folder)
            is_inside = any(f"{folder}/".startswith(f"{each}/") for each in self._tables)
            files = (walk.place(level.path(name)) for name in level.files)
            yield from (
                Found(each, is_whole=False, in_table=is_inside)
                for each in files
                if each not in self._reported
            )
        for folder, error in walk.refused.items():
            yield Found(folder, is_whole=False, refused=error)

    def _table(self, folder: str, *, is_named: bool) -> Iterator[Found]:
        """Yield a table to check with its files, one that cannot be checked, or a named view."""
        from byteloom.iceberg.table import open_table

        try:
            moved = open_table(folder, relocate=self._relocate).relocation.moved()
        except ByteloomError as error:
            newest, is_view = self._newest(folder)
            if not is_view:
                self._reported.update(filter(None, [newest]))
                yield Found(folder, is_whole=False, refused=error)
            elif is_named:
                yield Found(folder, is_whole=False, is_view=True)
            return
        is_whole = is_named or moved is None
        if is_whole:
            self._tables.append(folder.rstrip("/"))
        yield Found(folder, is_whole=is_whole, refused=None if is_whole else moved)

    def _newest(self, folder: str) -> tuple[str | None, bool]:
        """Return the newest metadata file (None without one), and whether it is that of a view."""
        from byteloom.iceberg.metadata.opening import find_metadata, is_of_view
        from byteloom.iceberg.metadata.relocation import Relocation

        relocation = Relocation(self._relocate)
        with suppress(ByteloomError):
            newest = find_metadata(folder, relocation)
            return newest, is_of_view(newest, relocation)
        return None, False


def _is_or_was_table(walk: Walk, level: Level) -> bool:
    """Return whether a folder is a table, or has what is left of one without its metadata files.

    Only if it may be one is the library of tables loaded.
    """
    if not level.has_folder("metadata"):
        return False
    from byteloom.iceberg.metadata.listing import is_or_was_table

    return is_or_was_table(walk, level)


class Orphans:
    """Recognises orphans below the tables that were found."""

    def __init__(self, relocate: Mapping[str, str] | None = None) -> None:
        """Begin without tables; *relocate* maps their written paths to where files are now."""
        self._relocate = relocate or {}
        self._tables: list[str] = []
        self._names: dict[str, frozenset[str] | None] = {}

    def add_table(self, folder: str) -> None:
        """Add a table; files of its folder may be its orphans from now on."""
        self._tables.append(folder)

    def table_of(self, file: str) -> str | None:
        """Return the table in whose folder an orphan is; None if *file* is no orphan."""
        inside = [each for each in self._tables if file.startswith(f"{each.rstrip('/')}/")]
        if not inside:
            return None
        folder = max(inside, key=len)
        if folder not in self._names:
            self._names[folder] = self._read(folder)
        names = self._names[folder]
        is_named = names is None or abspath(file) in names or realpath(file) in names  # noqa: PTH100
        return None if is_named else folder

    def _read(self, folder: str) -> frozenset[str] | None:
        """Return the places of all files that a table names; None if they cannot be read."""
        from byteloom.iceberg.metadata_tables.files import entries_of
        from byteloom.iceberg.metadata_tables.manifests import distinct
        from byteloom.iceberg.table import open_table

        try:
            table = open_table(folder, relocate=self._relocate)
            if table.relocation.moved() is not None:
                return None
            found = entries_of(table, distinct(table), one_snapshot=False, columns={"file_path"})
            paths = found.table(columns={"file_path"}).column("file_path").to_pylist()
            statistics = table.metadata.document.partition_statistics
            paths += [each.statistics_path for each in statistics]
        except ByteloomError:
            return None
        return frozenset(abspath(table.relocation(each)) for each in paths)  # noqa: PTH100
