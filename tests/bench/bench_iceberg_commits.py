"""Commits to an Iceberg table of 100,000 files in 100 manifests, beside PyIceberg.

    make bench ONLY=iceberg_commits

- Both commit to the same manifests, each through a catalog of its own in SQLite. A day has 1,000
  files and a manifest; no data file but the new ones is read or written.
- Each turn makes one commit to the table as it was. A commit to a table of two files shows what
  part of the time depends on the size of the table.
- Manifests are merged only where the name says so: PyIceberg does not merge by default.
- Time is that of the processor, of all threads.
"""

from __future__ import annotations

from itertools import count
from time import process_time
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from tests.support.iceberg_fixtures import ManyFiles, cached_many_files
from tests.support.speed import Side, compared, of_package

from byteloom.iceberg import open_table

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from byteloom.iceberg import Table

pytestmark = pytest.mark.bench

FILES, DAYS, TURNS = 100_000, 100, 3
FIRST = 1_728_000_000_000_000
"""The moment at which the first partition begins, in microseconds."""

DAY = 86_400_000_000
MERGING = "commit.manifest-merge.enabled"


def days(first: int, number: int = 1) -> str:
    """Return the filter of some days."""
    moments = (FIRST + DAY * each for each in (first, first + number))
    low, high = (pa.scalar(each, pa.timestamp("us")).as_py().isoformat() for each in moments)
    return f"ts >= '{low}' and ts < '{high}'"


def rows(number: int) -> pa.Table:
    """Return a row of a day, in the table's columns."""
    at = pa.array([FIRST + DAY * number], pa.timestamp("us"))
    return pa.table({"id": pa.array([number], pa.int64()), "ts": at})


CHANGES: dict[str, Callable[[Any, int], Any]] = {
    "append of a file": lambda table, number: table.append(rows(number)),
    "append of a file, manifests merged": lambda table, number: table.append(rows(number)),
    "delete of 1,000 files": lambda table, number: table.delete(days(number)),
    "delete of 50,000 files": lambda table, number: table.delete(days(number, DAYS // 2)),
    "overwrite of 1,000 files": lambda table, number: table.overwrite(rows(number), days(number)),
}
"""The same call of both."""


class Catalogs:
    """Copies of a table in catalogs of SQLite, whose manifests are those of the first."""

    def __init__(self, folder: Path, files: int, *, merging: bool) -> None:
        """Make the catalog."""
        self._url = f"sqlite:///{folder}/c.db"
        self._catalog = SqlCatalog("c", uri=self._url, warehouse=f"file://{folder}/warehouse")
        self._catalog.create_namespace("bench")
        made = ManyFiles(files, manifests=min(files, DAYS), nulls=1)
        self._first = str(cached_many_files(made))
        self._merging, self._numbers = str(merging).lower(), count()

    def table(self) -> Any:
        """Return another copy, as PyIceberg loads it."""
        name = f"bench.t{next(self._numbers)}"
        table = self._catalog.register_table(name, self._first)
        with table.transaction() as change:
            change.set_properties({MERGING: self._merging})
        return table


def timed(prepare: Callable[[], Any], change: Callable[[Any, int], Any]) -> Callable[[], float]:
    """Return what changes a table that is prepared, and returns the processor time."""
    numbers = count()

    def turn() -> float:
        table, number = prepare(), next(numbers)
        before = process_time()
        change(table, number)
        return process_time() - before

    return turn


@pytest.mark.parametrize(
    ("kind", "files"), [(next(iter(CHANGES)), 2), *((each, FILES) for each in CHANGES)]
)
def test_committing(kind: str, files: int, tmp_path: Path) -> None:
    """Prints the time of a commit."""
    catalogs = Catalogs(tmp_path, files, merging="merged" in kind)
    change = CHANGES[kind]
    theirs, ours = catalogs.table(), _opened(catalogs)
    change(theirs, 0)
    counts = [
        table.metadata_table("files").num_rows for table in (change(ours, 0), open_table(theirs))
    ]
    assert counts[0] == counts[1] != files
    compared(
        f"Iceberg, table of {files:,} files: {kind}, processor time",
        "ms",
        Side("byteloom", timed(lambda: _opened(catalogs), change)),
        of_package("pyiceberg", "pyiceberg", timed(catalogs.table, change)),
        turns=TURNS,
        warm=False,
    )


def _opened(catalogs: Catalogs) -> Table:
    """Return another copy of the table, opened."""
    return open_table(catalogs.table())
