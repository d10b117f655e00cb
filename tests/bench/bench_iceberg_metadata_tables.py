"""Metadata tables of many files, beside pyiceberg's.

    make bench ONLY=iceberg_metadata_tables

- Each starts from the metadata file, as a new process would.  Ours has Java's columns, readable
  metrics of ten columns among them, as pyiceberg's has.
- The small table is read by both, by turns; the large one, of 350,000 files, by ours alone, for
  pyiceberg takes minutes over it.
"""

from __future__ import annotations

import pytest
from pyiceberg.table import StaticTable
from tests.support.iceberg_fixtures import ManyFiles, cached_many_files
from tests.support.speed import Side, compared, of_package, seconds
from tests.support.timing import best

from byteloom.iceberg.table import open_table

pytestmark = pytest.mark.bench

SMALL, LARGE = 10_000, 350_000
TURNS = 3


def ours(table: str, kind: str) -> int:
    """The number of rows of a metadata table."""
    return int(open_table(table).metadata_table(kind).num_rows)


def of_pyiceberg(table: str, kind: str) -> int:
    """The number of rows of pyiceberg's metadata table."""
    inspect = StaticTable.from_metadata(table).inspect
    return int(getattr(inspect, kind)().num_rows)


@pytest.mark.parametrize("kind", ["files", "entries", "partitions"])
def test_beside_pyiceberg(kind: str) -> None:
    """Prints how many times as fast the same rows are read as by pyiceberg."""
    table = str(cached_many_files(ManyFiles(SMALL, manifests=10)))
    if kind != "partitions":
        assert ours(table, kind) == of_pyiceberg(table, kind) == SMALL
    compared(
        f"metadata table `{kind}` of {SMALL:,} files",
        "ms",
        Side("byteloom", seconds(lambda: ours(table, kind))),
        of_package("PyIceberg", "pyiceberg", seconds(lambda: of_pyiceberg(table, kind))),
        turns=TURNS,
    )


@pytest.mark.parametrize("kind", ["files", "entries", "partitions"])
def test_of_350000_files(kind: str) -> None:
    """Prints the time to read a metadata table of 350,000 files."""
    table = str(cached_many_files(ManyFiles(LARGE, manifests=350)))
    print(f"\n{kind} of {LARGE:,} files: {best(lambda: ours(table, kind), TURNS):.2f} s")
