"""The tables in a catalog or below a folder.

    sqlite:///cat.db, sqlite:///cat.db?catalog=prod  those of an SQL catalog in SQLite
    catalog:NAME, catalog:NAME#namespace             those of a catalog that pyiceberg is set up for
    a folder, as path or URL                         tables below it, not looked into

A table's folder has metadata files in its folder ``metadata``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from byteloom.errors import StorageError
from byteloom.iceberg.metadata.catalogs import configured_tables, sqlite_tables
from byteloom.iceberg.metadata.opening import is_metadata_file
from byteloom.storage import Folder

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["TableEntry", "tables_in"]

_DEEPEST: Final = 32
"""Folders inside folders that are looked into."""


class TableEntry(NamedTuple):
    """A table that was found.

    name   with its namespace, or its folder below the one that was searched
    place  what `byteloom.iceberg.open_table` opens
    """

    name: str
    place: str


def tables_in(place: str) -> Iterator[TableEntry]:
    """Yield the tables in a catalog or below a folder, in the order of their names.

    StorageError  a catalog or a folder that is not there, or cannot be read
    """
    if place.startswith("sqlite://"):
        yield from (TableEntry(*each) for each in sqlite_tables(place))
    elif place.startswith("catalog:"):
        yield from (TableEntry(*each) for each in configured_tables(place))
    else:
        folder = Folder(place)
        if not (folder.files() or folder.folders()):
            raise StorageError(f"{place}: found nothing, wanted a folder of tables or a catalog")
        yield from _below(folder, place.rstrip("/"), "")


def _below(folder: Folder, place: str, below: str) -> Iterator[TableEntry]:
    folders = folder.folders(below)
    inside = f"{below}/" if below else ""
    if "metadata" in folders and any(map(is_metadata_file, folder.files(f"{inside}metadata"))):
        yield TableEntry(below or place.rpartition("/")[2], f"{place}/{below}".rstrip("/"))
        return
    if below.count("/") >= _DEEPEST:
        return
    for name in folders:
        if not name.startswith("."):
            yield from _below(folder, place, f"{inside}{name}")
