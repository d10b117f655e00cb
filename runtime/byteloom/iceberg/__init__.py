"""Iceberg tables: metadata, manifests, predicates, planning and reading, versions 1 to 3.

- `catalog_of`: a catalog of pyiceberg, to which tables are committed.
- `create_table`: a new table in a folder; its `append` adds rows.
- `open_table`: a table, by metadata file, folder or catalog entry, as a `Table`.
- `Table`: its scans, its metadata tables, and its check, `verify`.
- `parse`, `col`, `bucket`, `truncate`, `year`, `month`, `day`, `hour`: filters, from text and from
  Python.

Example:
    The command `byteloom samples` writes this table.

    >>> from byteloom.iceberg import col, day, open_table
    >>> orders = open_table("byteloom-samples/orders")
    >>> found = orders.scan((day("placed_at") == "2023-11-15") & (col("country") == "NO"))
    >>> found.count(), [each.record_count for each in found.plan()]
    (125, [500, 500])

Source: Iceberg table spec.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from byteloom.iceberg.expressions import (
    bucket,
    col,
    day,
    hour,
    month,
    parse,
    truncate,
    year,
)

if TYPE_CHECKING:
    from byteloom.iceberg.commits.catalogs import catalog_of
    from byteloom.iceberg.table import Table, create_table, open_table

__all__ = [
    "Table",
    "bucket",
    "catalog_of",
    "col",
    "create_table",
    "day",
    "hour",
    "month",
    "open_table",
    "parse",
    "truncate",
    "year",
]

_LATER: Final = {
    "Table": "table",
    "catalog_of": "commits.catalogs",
    "create_table": "table",
    "open_table": "table",
}


def __getattr__(name: str) -> Any:
    """Load the modules that plan and read at their first use."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals().setdefault(name, getattr(import_module(f"{__name__}.{_LATER[name]}"), name))


def __dir__() -> list[str]:
    return __all__
