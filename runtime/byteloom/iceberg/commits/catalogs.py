"""Which catalog keeps a table, of all that there are.

Source: https://py.iceberg.apache.org/reference/pyiceberg/catalog
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from byteloom.errors import ArgumentError
from byteloom.iceberg.commits.folder_catalog import FolderCatalog

if TYPE_CHECKING:
    from byteloom.iceberg.stored_table import Catalog

__all__ = ["catalog_of", "kept_by"]


def catalog_of(catalog: Any) -> Catalog:
    """Return the catalog to which tables are committed.

    Args:
        catalog: A catalog of pyiceberg (REST, SQL, Hive or Glue), or one that byteloom made.

    Raises:
        ArgumentError: Anything else.

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
    if not hasattr(catalog, "commit_table"):
        found = type(catalog).__name__
        raise ArgumentError("catalog", None, found, "a catalog of pyiceberg")
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
    asked = getattr(place, "catalog", None)
    if hasattr(asked, "commit_table") and callable(getattr(place, "name", None)):
        return place, catalog_of(asked), ".".join(place.name())
    return place, FolderCatalog(), None
