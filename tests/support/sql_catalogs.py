"""SQL catalogs of tables in SQLite, as Java's JDBC catalog and pyiceberg create them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["sql_catalog"]


def sql_catalog(path: Path, *rows: tuple[str, str, str, str | None]) -> None:
    """Create an SQL catalog as Java's JDBC catalog and pyiceberg do."""
    with closing(sqlite3.connect(path)) as database:
        database.execute(
            "create table iceberg_tables (catalog_name, table_namespace, table_name,"
            " metadata_location, previous_metadata_location, iceberg_type)"
        )
        database.executemany("insert into iceberg_tables values (?, ?, ?, ?, null, 'TABLE')", rows)
        database.commit()
