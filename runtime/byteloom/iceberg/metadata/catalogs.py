"""Look up a table's metadata file in a catalog.

    sqlite:///cat.db#namespace.table            an SQL catalog in SQLite, as Java and pyiceberg keep
    sqlite:////abs/cat.db?catalog=prod#db.t     the catalog of one name, if the file has several
    catalog:NAME#namespace.table                a catalog that pyiceberg is configured to find
    an object with `metadata_location`          a table of pyiceberg, or anything like it

The rules:

- A catalog's table ``iceberg_tables`` has a row per table; nothing is written to it. In Java's
  catalogs it may also have rows of views, marked in the column ``iceberg_type``; they are left out.
- Other catalogs (REST, Hive, Glue, ...) are queried through pyiceberg, for the metadata file and
  for properties of filesystems: credentials, endpoints, regions.

Source: Java's ``JdbcUtil`` and pyiceberg's ``SqlCatalog``;
https://py.iceberg.apache.org/configuration
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import closing, contextmanager
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable
from urllib.parse import parse_qs, quote, unquote, urlsplit
from weakref import finalize

from byteloom.errors import ByteloomError, StorageError
from byteloom.extras import installing
from byteloom.redaction import shown_cause

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "CONFIGURED",
    "HasMetadataLocation",
    "asking",
    "configured_catalog",
    "configured_tables",
    "handed_out",
    "metadata_place",
    "sqlite_tables",
]

CONFIGURED: Final = "catalog:"
"""How places begin that are in a catalog of pyiceberg's configuration."""

_SCHEME: Final = "sqlite"
_SHOWN: Final = 10
_OPTIONS: Final = ("s3.", "gcs.", "adls.", "hdfs.", "client.")
_QUERY: Final = (
    "select catalog_name, table_namespace, table_name, metadata_location from iceberg_tables"
)
_NO_VIEWS: Final = " where iceberg_type is null or iceberg_type <> 'VIEW'"
_COLUMNS: Final = "select name from pragma_table_info('iceberg_tables')"


@runtime_checkable
class HasMetadataLocation(Protocol):
    """An object with the place of its metadata file, such as a table of pyiceberg."""

    @property
    def metadata_location(self) -> str:
        """The path or URL of the metadata file."""


def metadata_place(place: Any) -> tuple[str, dict[str, str]]:
    """Return the metadata file or folder that *place* refers to, and how to read it.

    Args:
        place: A path, a URL, an entry of a catalog, or an object with `metadata_location`.

    Returns:
        A path or URL, and the properties of filesystems from its catalog.

    Raises:
        StorageError: A catalog that does not exist, or has no such table.
    """
    # Checked first, since checking the protocol takes longer.
    is_plain = isinstance(place, str | PurePath)
    if not is_plain and isinstance(place, HasMetadataLocation):
        return place.metadata_location, handed_out(getattr(place, "io", None))
    if not isinstance(place, str | os.PathLike):
        wanted = "a path, a URL or an object with metadata_location"
        raise StorageError(f"{type(place).__name__} names no table: wanted {wanted}")
    text = os.fsdecode(place)
    return (_sqlite(text) if text.startswith(f"{_SCHEME}://") else text), {}


def handed_out(holder: Any) -> dict[str, str]:
    """Return the properties of filesystems that a catalog, or the reader of its tables, has."""
    properties = getattr(holder, "properties", None)
    given = dict(properties) if isinstance(properties, Mapping) else {}
    return {key: str(each) for key, each in given.items() if str(key).startswith(_OPTIONS)}


def configured_catalog(place: str) -> tuple[Any, str]:
    """Return the catalog of ``catalog:NAME#namespace.table``, and the name of the table there.

    Raises:
        StorageError: No such catalog, or no pyiceberg.
    """
    name, _, table = place.removeprefix(CONFIGURED).partition("#")
    if not name:
        raise StorageError(f"{place}: found no name, wanted catalog:NAME")
    with asking(place):
        return _catalog(name, place), table


def configured_tables(url: str) -> Iterator[tuple[str, str]]:
    """Yield name and place of each table of ``catalog:NAME`` or ``catalog:NAME#namespace``."""
    catalog, namespace = configured_catalog(url)
    place, _, _ = url.partition("#")
    with asking(url):
        waiting = [tuple(namespace.split("."))] if namespace else sorted(catalog.list_namespaces())
        while waiting:
            space, *waiting = waiting
            for table in sorted(".".join(each) for each in catalog.list_tables(space)):
                yield table, f"{place}#{table}"
            waiting = [*sorted(catalog.list_namespaces(space)), *waiting]


def _catalog(name: str, url: str) -> Any:
    """Return a catalog that pyiceberg is configured for."""
    try:
        from pyiceberg.catalog import load_catalog
    except ImportError as error:
        wanted = f"wanted what `{installing('catalogs')}` installs"
        raise StorageError(f"{url}: found no pyiceberg to open catalogs with, {wanted}") from error
    try:
        catalog = load_catalog(name)
    except ValueError as error:
        if "URI missing" not in str(error):
            raise
        variable = f"PYICEBERG_CATALOG__{name.upper()}__URI"
        wanted = f"one in .pyiceberg.yaml, or its address in {variable}"
        raise StorageError(f"{url}: found no catalog {name!r}, wanted {wanted}") from error
    if hasattr(catalog, "engine"):  # of SQL: nobody else closes its connections
        finalize(catalog, catalog.engine.dispose)
    return catalog


@contextmanager
def asking(url: str) -> Iterator[None]:
    """Turn any exception of a catalog into a `StorageError`, since each kind raises its own."""
    try:
        yield
    except ByteloomError:
        raise
    except Exception as error:  # noqa: BLE001  see above
        reason = str(error).strip() or type(error).__name__
        raise StorageError(f"{url}: {reason.splitlines()[0]}") from shown_cause(error)


def _sqlite(url: str) -> str:
    """Return the metadata file of a table in an SQL catalog."""
    namespace, _, name = unquote(urlsplit(url).fragment).rpartition(".")
    if not name or not namespace:
        raise StorageError(f"{url}: found no table, wanted #namespace.table at the end")
    catalogs, rows = _rows(url)
    found = [row for row in _of_catalogs(rows, catalogs) if row[1:3] == (namespace, name)]
    if len(found) > 1:
        names = ", ".join(sorted(row[0] for row in found))
        raise StorageError(f"{url}: catalogs {names} have such a table; say ?catalog=NAME")
    if not found or found[0][3] is None:
        raise StorageError(f"{url}: no table {namespace}.{name}{_others(rows, catalogs)}")
    return str(found[0][3])


def sqlite_tables(url: str) -> Iterator[tuple[str, str]]:
    """Yield name and place of each table of an SQL catalog; ``#namespace`` selects those of one."""
    place, _, wanted = url.partition("#")
    catalogs, rows = _rows(url)
    several = len({row[0] for row in rows}) > 1 and catalogs is None
    for catalog, namespace, name, location in sorted(rows, key=lambda row: row[:3]):
        if location is None or (wanted and namespace != unquote(wanted)):
            continue
        if catalogs is None or catalog in catalogs:
            chosen = f"?catalog={quote(catalog)}" if several else ""
            yield f"{namespace}.{name}", f"{place}{chosen}#{quote(namespace)}.{quote(name)}"


def _rows(url: str) -> tuple[list[str] | None, list[tuple[Any, ...]]]:
    """Return the wanted catalogs (None for all) and the rows of the file."""
    parts = urlsplit(url)
    path = Path(unquote(parts.path).removeprefix("/") if _is_relative(url) else unquote(parts.path))
    if not path.is_file():
        raise StorageError(f"{url}: no file {path}")
    import sqlite3  # imported late: few tables are named by a catalog

    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
            has_views = ("iceberg_type",) in database.execute(_COLUMNS).fetchall()
            rows = database.execute(f"{_QUERY}{_NO_VIEWS if has_views else ''}").fetchall()
    except sqlite3.Error as error:
        raise StorageError(f"{url}: no catalog in {path}: {error}") from error
    return parse_qs(parts.query).get("catalog"), rows


def _of_catalogs(rows: list[tuple[Any, ...]], catalogs: list[str] | None) -> list[tuple[Any, ...]]:
    return [row for row in rows if catalogs is None or row[0] in catalogs]


def _others(rows: list[tuple[str, ...]], catalogs: list[str] | None) -> str:
    """Return the existing tables, of one catalog or of all, for the error about a missing table."""
    mine = _of_catalogs(rows, catalogs)
    if rows and not mine:
        names = ", ".join(sorted({row[0] for row in rows}))
        return f" in a catalog {', '.join(catalogs or ())}; there is {names}"
    names = ", ".join(sorted({f"{row[1]}.{row[2]}" for row in mine})[:_SHOWN]) or "none at all"
    return f"; there is {names}"


def _is_relative(url: str) -> bool:
    """Return whether a path has three slashes before it, as SQLAlchemy writes relative paths."""
    return not url.startswith(f"{_SCHEME}:////")
