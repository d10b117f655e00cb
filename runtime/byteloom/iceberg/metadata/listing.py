"""The tables in a catalog or below a folder.

    sqlite:///cat.db, sqlite:///cat.db?catalog=prod  the tables of an SQL catalog in SQLite
    catalog:NAME, catalog:NAME#namespace             the tables of a catalog that pyiceberg knows
    a folder, as path or URL                         the tables below it, whose files are not read

A table's folder has metadata files in its folder ``metadata``.  So has a view's folder; the first
bytes of the newest metadata file show which it is.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple

from byteloom.errors import ByteloomError, StorageError
from byteloom.iceberg.metadata.catalogs import CONFIGURED, configured_tables, sqlite_tables
from byteloom.iceberg.metadata.opening import find_metadata, is_metadata_file, is_of_view
from byteloom.iceberg.metadata.relocation import Relocation
from byteloom.storage.folders import Level, Walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = [
    "TableEntry",
    "is_catalog",
    "is_or_was_table",
    "is_table",
    "tables_below",
    "tables_in",
]

_METADATA: Final = "metadata"
_LISTS: Final = ("snap-", ".avro")
"""How the names of manifest lists begin and end, as all writers call them."""

_SQLITE: Final = "sqlite://"


class TableEntry(NamedTuple):
    """A table that was found.

    Attributes:
        name: Its name with its namespace, or its folder relative to the one that was searched.
        place: A place for `byteloom.iceberg.open_table`.
    """

    name: str
    place: str


def is_catalog(place: str) -> bool:
    """Whether *place* names a catalog, not a folder."""
    return place.startswith((_SQLITE, CONFIGURED))


def tables_in(place: str) -> Iterator[TableEntry]:
    """Yield the tables in a catalog or below a folder, in the order of their names.

    Raises:
        StorageError: A catalog or folder that does not exist or cannot be read; after all tables,
            the first folder inside that cannot be read (`tables_below` keeps them all).
    """
    if place.startswith(_SQLITE):
        yield from (TableEntry(*each) for each in sqlite_tables(place))
    elif place.startswith(CONFIGURED):
        yield from (TableEntry(*each) for each in configured_tables(place))
    else:
        walk = Walk(place)
        yield from tables_below(walk)
        for error in walk.refused.values():
            raise error


def tables_below(walk: Walk) -> Iterator[TableEntry]:
    """Yield the tables below a folder; hidden folders are not searched.

    Args:
        walk: Keeps the folders that cannot be read, and the links that are not followed.

    Raises:
        StorageError: The folder where the walk begins does not exist, is empty or cannot be read.
    """
    for level in walk:
        if not level.below and not (level.folders or level.links or level.files):
            wanted = "wanted a folder of tables or a catalog"
            raise StorageError(f"{walk.place('')}: found nothing, {wanted}")
        if is_table(walk, level) and not _is_view(walk.place(level.below)):
            name = level.below or walk.place("").rpartition("/")[2]
            yield TableEntry(name, walk.place(level.below))
            level.folders.clear()
        level.folders[:] = [name for name in level.folders if not name.startswith(".")]
    if walk.place("") in walk.refused:
        raise walk.refused[walk.place("")]


def is_table(walk: Walk, level: Level) -> bool:
    """Return whether a folder is a table's: it has metadata files in ``metadata``.

    If ``metadata`` cannot be read, the walk records the error.
    """
    return any(map(is_metadata_file, _files_of_metadata(walk, level)))


def is_or_was_table(walk: Walk, level: Level) -> bool:
    """Return whether a folder is a table's, or has manifest lists of one without metadata files."""
    begin, end = _LISTS
    return any(
        is_metadata_file(each) or (each.startswith(begin) and each.endswith(end))
        for each in _files_of_metadata(walk, level)
    )


def _files_of_metadata(walk: Walk, level: Level) -> Sequence[str]:
    """Return the names of the files in ``metadata``; none if it is missing or cannot be read."""
    inside = walk.level(level.path(_METADATA)) if level.has_folder(_METADATA) else None
    return inside.files if inside is not None else ()


def _is_view(folder: str) -> bool:
    """Return whether the newest metadata file in a folder is that of a view."""
    relocation = Relocation()
    with suppress(ByteloomError):
        return is_of_view(find_metadata(folder, relocation), relocation)
    return False
