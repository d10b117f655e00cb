"""Which catalog keeps a table, of all that there are.

Source: https://py.iceberg.apache.org/reference/pyiceberg/catalog
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from byteloom.errors import ArgumentError, StorageError
from byteloom.iceberg.commits.folder_catalog import FolderCatalog
from byteloom.iceberg.metadata.catalogs import CONFIGURED, asking, configured_catalog

if TYPE_CHECKING:
    from byteloom.iceberg.stored_table import Catalog

__all__ = ["catalog_of", "home_of", "kept_by"]


def catalog_of(catalog: Any) -> Catalog:
    """Return the catalog to which tables are committed.

    Args:
        catalog: A catalog of pyiceberg (REST, SQL, Hive or Glue), ``catalog:NAME`` for one of
            pyiceberg's configuration, or one that byteloom made.

    Raises:
        ArgumentError: Anything else.
        StorageError: No such catalog in the configuration.

    Example:
        >>> from byteloom.iceberg import catalog_of
        >>> from pyiceberg.catalog.sql import SqlCatalog
        >>> prod = SqlCatalog("prod", uri="sqlite:///:memory:", warehouse="warehouse")
        >>> prod.create_namespace("shop")
        >>> catalog_of(prod).list("shop")
        []
    """
    if all(hasattr(catalog, each) for each in ("newest", "commit", "load")):
        made: Catalog = catalog
        return made
    if isinstance(catalog, str) and catalog.startswith(CONFIGURED):
        catalog, _ = configured_catalog(catalog)
    if not hasattr(catalog, "commit_table"):
        found = repr(catalog) if isinstance(catalog, str) else type(catalog).__name__
        wanted = f"a catalog of pyiceberg, or {CONFIGURED}NAME"
        raise ArgumentError("catalog", None, found, wanted)
    from byteloom.iceberg.commits.pyiceberg_catalog import PyicebergCatalog

    names = {each.__module__ for each in type(catalog).__mro__}
    if "pyiceberg.catalog.sql" in names:
        from byteloom.iceberg.commits.sql_catalog import SqlTables

        return SqlTables(catalog)
    return PyicebergCatalog(catalog)


def kept_by(place: Any, catalog: Any) -> tuple[Any, Catalog, str | None]:
    """Return what is opened for *place*, the catalog that keeps it, and its name there.

    Args:
        place: As `open_table` takes it.
        catalog: As `catalog_of` takes it; None for a table that says itself where it is.
    """
    if catalog is not None:
        kept, name = catalog_of(catalog), os.fspath(place)
        return kept.load(name), kept, name
    if isinstance(place, str) and place.startswith(CONFIGURED):
        place = _loaded(place)
    asked = getattr(place, "catalog", None)
    if hasattr(asked, "commit_table") and callable(getattr(place, "name", None)):
        return place, catalog_of(asked), ".".join(place.name())
    return place, FolderCatalog(), None


def home_of(place: str, catalog: Any) -> tuple[Catalog, str]:
    """Return the catalog in which a table is created at *place*, and its name there.

    Args:
        place: As `create_table` takes it.
        catalog: As `catalog_of` takes it; None for a table whose place says where it is.
    """
    if catalog is None and place.startswith(CONFIGURED):
        asked, name = _configured(place)
        return catalog_of(asked), name
    return catalog_of(FolderCatalog() if catalog is None else catalog), place


def _loaded(place: str) -> Any:
    """Return the table of pyiceberg at ``catalog:NAME#namespace.table``."""
    catalog, name = _configured(place)
    with asking(place):
        return catalog.load_table(name)


def _configured(place: str) -> tuple[Any, str]:
    """Return the catalog of pyiceberg and the name of a table there."""
    catalog, name = configured_catalog(place)
    if "." not in name:
        raise StorageError(f"{place}: found no table, wanted {CONFIGURED}NAME#namespace.table")
    return catalog, name
