"""Planning scans of 100,000 files in 100 manifests with statistics of ten columns, beside others.

    make bench ONLY=iceberg_planning

- Each plan starts from the metadata file, as a new process would.
- The table is written in blocks of 64,000 bytes, as Java does, and in blocks of one entry, as
  pyiceberg does.  There are no data files: duckdb's filter leaves none, so that it opens none.
- Memory is what a process of its own has used at most, less what it used before it planned.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

import duckdb
import duckdb_extension_avro
import duckdb_extension_iceberg
import pytest
from pyiceberg.table import StaticTable
from tests.support.iceberg_fixtures import ManyFiles, cached_many_files
from tests.support.memory import PEAK
from tests.support.speed import Side, compared, of_package, seconds

from byteloom.iceberg.expressions.text import parse
from byteloom.iceberg.table import open_table

pytestmark = pytest.mark.bench

FILES = 100_000
BLOCKS = {"64 kB blocks": 64_000, "one-entry blocks": 1}
SELECTIVE = "v < 0.0001"
OF_NOTHING = "v < -1"

PLAN = f"""{PEAK}
from byteloom.iceberg.table import open_table
open_table(sys.argv[2]).scan().plan()
before = peak()
assert len(open_table(sys.argv[1]).scan().plan()) == int(sys.argv[3])
print(peak() - before)
"""
"""Plans a small table, which loads what is loaded once, and then a large one."""


@pytest.fixture(scope="module", params=list(BLOCKS.values()), ids=list(BLOCKS))
def table(request: pytest.FixtureRequest) -> str:
    """The metadata file of the table, in blocks of one size."""
    return str(cached_many_files(ManyFiles(FILES, block_size=request.param)))


def ours(table: str, condition: str | None) -> int:
    """The number of files in a plan."""
    opened = open_table(table)
    return len((opened.scan(parse(condition)) if condition else opened.scan()).plan())


def of_pyiceberg(table: str, condition: str | None) -> int:
    """The number of files in pyiceberg's plan."""
    opened = StaticTable.from_metadata(table)
    return len(list((opened.scan(condition) if condition else opened.scan()).plan_files()))


def of_duckdb(table: str, condition: str | None) -> int:
    """Files of duckdb's list of them, or rows that it counts without opening any."""
    connection = duckdb.connect()
    for each in (duckdb_extension_avro, duckdb_extension_iceberg):
        (path,) = Path(each.__path__[0]).glob("extensions/*/*.duckdb_extension")
        connection.load_extension(str(path))
    source = "iceberg_scan" if condition else "iceberg_metadata"
    query = f"SELECT count(*) FROM {source}('{table}') WHERE {condition or 'true'}"  # noqa: S608
    found: Any = connection.execute(query).fetchone()
    return int(found[0])


@pytest.mark.parametrize("condition", [SELECTIVE, None], ids=["selective", "full"])
def test_plans(table: str, condition: str | None, request: pytest.FixtureRequest) -> None:
    """Prints the times of a selective plan and of one of all files."""
    count = FILES if condition is None else 10
    assert ours(table, condition) == of_pyiceberg(table, condition) == count
    asked = OF_NOTHING if condition else None
    assert of_duckdb(table, asked) == (FILES if condition is None else ours(table, asked))
    compared(
        f"plan of {count:,} of {FILES:,} files of an Iceberg table, {blocks_of(request)}",
        "ms",
        Side("byteloom", seconds(lambda: ours(table, condition))),
        of_package("PyIceberg", "pyiceberg", seconds(lambda: of_pyiceberg(table, condition))),
        of_package("DuckDB", "duckdb", seconds(lambda: of_duckdb(table, asked))),
    )


def blocks_of(request: pytest.FixtureRequest) -> str:
    """What the blocks of the table are called."""
    sizes = {str(size): name for name, size in BLOCKS.items()}
    return sizes[str(request.node.callspec.params["table"])]


@pytest.mark.slow
@pytest.mark.parametrize("files", [100_000, 1_000_000])
def test_memory(files: int) -> None:
    """Prints the peak memory of a plan of all files, and its time."""
    small = cached_many_files(ManyFiles(100, manifests=2))
    large = cached_many_files(ManyFiles(files, manifests=files // 1_000))
    start = perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", PLAN, str(large), str(small), str(files)],
        capture_output=True,
        check=True,
        text=True,
    )
    print(
        f"\nplan of {files:,} files: {int(done.stdout) / files:.0f} bytes an entry above the "
        f"interpreter, {perf_counter() - start:.2f} s of a new process"
    )
