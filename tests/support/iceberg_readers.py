"""Other readers of Iceberg tables, each by its name and release.

The rules:

- Each plans and reads by itself: duckdb and chdb in C++, polars in Rust (its planner too; only the
  metadata file is parsed by pyiceberg), pyiceberg in Python over pyarrow.
- Rows come as dictionaries in no order.
- `REFUSED` has what each says of tables that it cannot read; whoever reads them after all has
  learned it, and is to be taken out there.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import duckdb
import duckdb_extension_avro
import duckdb_extension_iceberg
from pyiceberg.table import StaticTable

from byteloom.iceberg import open_table

if TYPE_CHECKING:
    from tests.support.clickhouse import ClickHouse
__all__ = ["NAMES", "REFUSED", "Readers", "named"]

NAMES: Final = ("duckdb", "chdb", "polars", "pyiceberg")

REFUSED: Final = {
    ("chdb", "vectors"): "only for parquet format",
    ("polars", "positions of many files"): "position delete file not limited to one data file",
    ("polars", "equality"): "unsupported: equality delete files",
    ("pyiceberg", "equality"): "does not yet support equality deletes",
}
"""What the error of a reader says, by reader and kind of deletes."""


def named(reader: str) -> str:
    """Return a reader's name with its release, for the id of a test."""
    return f"{reader}-{version(reader)}"


class Readers:
    """All readers of Iceberg tables; *clickhouse* is the process of chdb."""

    def __init__(self, clickhouse: ClickHouse) -> None:
        """Keep the process."""
        self._clickhouse = clickhouse

    def rows(self, reader: str, place: str) -> list[dict[str, Any]]:
        """Return the rows that a reader finds in the table with the metadata file at *place*."""
        found: list[dict[str, Any]] = getattr(self, f"_{reader}")(place)
        return found

    def _duckdb(self, place: str) -> list[dict[str, Any]]:
        query = f"SELECT * FROM iceberg_scan('{place}')"  # noqa: S608  a path of ours
        try:
            return list(_duck().execute(query).to_arrow_table().to_pylist())
        except duckdb.Error:
            _duck.cache_clear()  # an internal error ends the connection
            raise

    def _chdb(self, place: str) -> list[dict[str, Any]]:
        query = f"SELECT * FROM icebergLocal('{Path(place).parents[1]}')"  # noqa: S608  likewise
        return list(self._clickhouse.query(query).to_pylist())

    def _polars(self, place: str) -> list[dict[str, Any]]:
        import polars as pl

        return pl.scan_iceberg(place, reader_override="native").collect().to_dicts()

    def _pyiceberg(self, place: str) -> list[dict[str, Any]]:
        return list(StaticTable.from_metadata(place).scan().to_arrow().to_pylist())

    def ours(self, place: str) -> list[dict[str, Any]]:
        """Return the rows that byteloom finds."""
        return list(open_table(place).scan().to_table().to_pylist())


@cache
def _duck() -> duckdb.DuckDBPyConnection:
    """A connection that knows Iceberg: to load that takes longer than most queries."""
    connection = duckdb.connect()
    for each in (duckdb_extension_avro, duckdb_extension_iceberg):
        (path,) = Path(each.__path__[0]).glob("extensions/*/*.duckdb_extension")
        connection.execute(f"LOAD '{path}'")
    return connection
