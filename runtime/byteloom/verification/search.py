"""The places to check below folders: files, and tables and datasets with all their files.

- A folder that is a table or a dataset comes before its files, each of which is checked by itself
  too.
- Links to folders are not followed. A folder that cannot be read is a place as well.
"""

from __future__ import annotations

import os
from stat import S_ISREG
from typing import TYPE_CHECKING, NamedTuple

from byteloom.errors import ByteloomError, MovedTable, StorageError
from byteloom.storage.walking import Level, Walk
from byteloom.verification.verdict import UNREADABLE, VERSIONS, Verdict, elsewhere

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["Found", "Search"]


class Found(NamedTuple):
    """A place to check.

    place     path or URL
    is_whole  whether it is checked with all files that it names
    refused   why a folder cannot be searched, or a table not be checked, since it was moved
    """

    place: str
    is_whole: bool
    refused: StorageError | None = None

    @property
    def size(self) -> int:
        """Its bytes; 0 for what is not a regular local file."""
        try:
            found = os.stat(self.place)  # noqa: PTH116  Path's may raise
        except (OSError, ValueError):
            return 0
        return found.st_size if S_ISREG(found.st_mode) else 0

    def refusal(self) -> Verdict | None:
        """Return the verdict on what cannot be searched or checked; None for any other place."""
        if self.refused is None:
            return None
        if isinstance(self.refused, MovedTable):
            return elsewhere(self.place, self.refused, "none was checked")
        text = str(self.refused)
        return Verdict(file=self.place, status=UNREADABLE, summary=text, error=self.refused)


class Search:
    """Finds the places to check.

    walks  those of the folders that were searched
    """

    def __init__(self, relocate: Mapping[str, str] | None = None) -> None:
        """Search nothing yet; *relocate* says where the files of tables are now."""
        self.walks: list[Walk] = []
        self._relocate = relocate or {}

    def places(self, place: str) -> Iterator[Found]:
        """Yield a file as it is, and a folder as all places in it, in the order of names.

        A named place is checked with every file that it refers to, and so are datasets, and tables
        whose metadata names the folder that they are in.  Other tables have a verdict of their own.
        """
        if not os.path.isdir(place):  # noqa: PTH112  Path's may raise
            yield Found(place, is_whole=True)
            return
        walk = Walk(place)
        self.walks.append(walk)
        for level in walk:
            folder = walk.place(level.below)
            if _is_table(walk, level):
                yield from self._table(folder, is_named=not level.below)
            elif level.has_folder(VERSIONS):
                yield Found(folder, is_whole=True)
            yield from (Found(walk.place(level.path(name)), is_whole=False) for name in level.files)
        for folder, error in walk.refused.items():
            yield Found(folder, is_whole=False, refused=error)

    def _table(self, folder: str, *, is_named: bool) -> Iterator[Found]:
        """Yield a table that is checked with its files, or that was moved."""
        from byteloom.iceberg.table import open_table

        try:
            moved = open_table(folder, relocate=self._relocate).relocation.moved()
        except ByteloomError:  # reported where the table, or its metadata file, is checked
            if is_named:
                yield Found(folder, is_whole=True)
            return
        is_whole = is_named or moved is None
        yield Found(folder, is_whole=is_whole, refused=None if is_whole else moved)


def _is_table(walk: Walk, level: Level) -> bool:
    """Whether a folder is a table; the library of tables is loaded only if it may be one."""
    if not level.has_folder("metadata"):
        return False
    from byteloom.iceberg.metadata.listing import is_table

    return is_table(walk, level)
