"""Deleting and merging rows of Iceberg tables, beside PyIceberg.

    make bench ONLY=iceberg_row_changes

- A million rows in a thousand files, of which a few hundred rows are deleted by a filter: here as
  deletion vectors; PyIceberg writes the files again, which is its only way.
- Rows merged by their keys: PyIceberg makes a filter of all keys, so that it gets few of them.
- Each turn deletes or merges other rows. Time is that of the processor, of all threads.
"""

from __future__ import annotations

from itertools import count
from time import process_time
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from tests.support.speed import Side, compared, of_package

from byteloom.iceberg import create_table

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from byteloom.iceberg import Table

pytestmark = pytest.mark.bench

ROWS, FILES = 1_000_000, 1000
MERGED, KEYS = 10_000_000, 100_000
TURNS = 3


def table_of(folder: Path, version: int, rows: int, files: int) -> Table:
    """Return a table of so many rows in so many files."""
    mode = "merge-on-read" if version > 2 else "copy-on-write"
    modes = {f"write.{verb}.mode": mode for verb in ("delete", "merge")}
    ids = np.arange(rows)
    towns = pa.array([f"town {each}" for each in range(1000)])
    given = pa.table(
        {"id": ids, "part": ids % files, "town": towns.take(pa.array(ids // 7 % 1000))}
    )
    partition_by = ["part"] if files > 1 else []
    table = create_table(
        folder, given.schema, partition_by=partition_by, format_version=version, properties=modes
    )
    return table.append(given)


def registered(folder: Path, table: Table) -> Any:
    """Return the same table in a catalog of PyIceberg's."""
    catalog = SqlCatalog("bench", uri=f"sqlite:///{folder}/catalog.db", warehouse=str(folder))
    catalog.create_namespace("bench")
    return catalog.register_table("bench.rows", table.metadata_location)


def timed(change: Callable[[int], object]) -> Callable[[], float]:
    """Return what makes the next change and returns its processor time."""
    numbers = count()

    def turn() -> float:
        before = process_time()
        change(next(numbers))
        return process_time() - before

    return turn


def test_deleting_by_a_filter(tmp_path: Path) -> None:
    """Prints the time to delete the rows of a town from all files."""
    ours = [table_of(tmp_path / "ours", 3, ROWS, FILES)]
    theirs = registered(tmp_path, table_of(tmp_path / "theirs", 2, ROWS, FILES))

    def delete(number: int) -> None:
        ours[0] = ours[0].delete(f"town = 'town {number}'")

    compared(
        f"Iceberg, {FILES:,} files: deleting some of {ROWS:,} rows, processor time",
        "rows/s",
        Side("byteloom", timed(delete), ROWS),
        of_package(
            "pyiceberg",
            "pyiceberg",
            timed(lambda number: theirs.delete(f"town = 'town {number}'")),
            ROWS,
        ),
        turns=TURNS,
    )
    assert ours[0].scan().count() == theirs.scan().count()


def test_merging_by_keys(tmp_path: Path) -> None:
    """Prints the time to merge rows, half of which have keys of the table."""
    ours = [table_of(tmp_path / "ours", 3, MERGED, 1)]
    theirs = registered(tmp_path, table_of(tmp_path / "theirs", 2, MERGED, 1))

    def merged(number: int) -> pa.Table:
        ids = np.arange(KEYS) * (2 * MERGED // KEYS) + number
        return pa.table({"id": ids, "part": ids, "town": ["new"] * KEYS})

    def upsert(number: int) -> None:
        ours[0] = ours[0].upsert(merged(number), "id")

    compared(
        f"Iceberg: merging {KEYS:,} rows into {MERGED:,}, processor time",
        "rows/s",
        Side("byteloom", timed(upsert), MERGED),
        of_package(
            "pyiceberg",
            "pyiceberg",
            timed(lambda number: theirs.upsert(merged(number), ["id"])),
            MERGED,
        ),
        turns=TURNS,
    )
    assert ours[0].scan().count() == theirs.scan().count()
