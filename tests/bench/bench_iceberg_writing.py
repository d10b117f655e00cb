"""Appending to Iceberg tables, beside pyarrow writing the same Parquet, and PyIceberg.

    make bench ONLY=iceberg_writing

- Ten million rows of five columns, in a table without partitions and in one of a hundred. pyarrow
  writes one file, or a file for each partition of rows that are divided already: what is left for a
  table to do in addition is to divide, to count, and to commit.
- Time is that of the processor, of all threads; each turn creates the table anew.
- Memory is the most that a process of its own has used for a stream of batches, in one partition,
  and in 10,000 whose rows come in no order.
"""

from __future__ import annotations

import subprocess
import sys
from itertools import count
from time import process_time
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from tests.support.memory import PEAK
from tests.support.speed import Side, compared, of_package

from byteloom.iceberg import create_table

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.bench

ROWS = 10_000_000
PARTITIONS = 100
TURNS = 3

STREAM = f"""{PEAK}
import numpy as np, pyarrow as pa
from time import process_time
from byteloom.iceberg import create_table
types = [pa.int64(), pa.string(), pa.float64(), pa.int64()]
schema = pa.schema(list(zip(["id", "town", "fare", "part"], types)))

def batches(size, parts):
    random, done, first = np.random.default_rng(7), 0, 0
    towns = pa.array([f"town {{each}}" for each in range(1000)])
    while done < size:
        batch = pa.record_batch(
            [
                pa.array(np.arange(first, first + 65_536)),
                towns.take(pa.array(random.integers(0, 1000, 65_536))),
                pa.array(random.random(65_536)),
                pa.array(random.integers(0, parts, 65_536)),
            ],
            schema=schema,
        )
        done, first = done + batch.nbytes, first + 65_536
        yield batch

place, size, parts = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
table = create_table(place, schema, partition_by=["part"] if parts > 1 else [])
before, start = peak(), process_time()
stream = pa.RecordBatchReader.from_batches(schema, batches(size, parts))
table.append(stream)
print(before, peak(), process_time() - start)
"""
"""Appends a stream of about so many bytes in memory."""


def rows() -> pa.Table:
    """Return numbers, texts, moments and the number of a partition."""
    random = np.random.default_rng(7)
    towns = pa.array([f"town {each}" for each in range(1000)])
    return pa.table(
        {
            "id": np.arange(ROWS),
            "town": towns.take(pa.array(random.integers(0, len(towns), ROWS))),
            "fare": random.random(ROWS) * 100,
            "at": pa.array(random.integers(0, 10**15, ROWS), pa.timestamp("us")),
            "part": random.integers(0, PARTITIONS, ROWS),
        }
    )


def timed(run: Callable[[], object]) -> Callable[[], float]:
    """Return what runs something once and returns its processor time."""

    def turn() -> float:
        before = process_time()
        run()
        return process_time() - before

    return turn


@pytest.mark.parametrize("parts", [1, PARTITIONS])
@pytest.mark.parametrize("peer", ["pyarrow", "pyiceberg"])
def test_appending(peer: str, parts: int, tmp_path: Path) -> None:
    """Prints the time to append rows, in turns with a peer; both have all rows."""
    table, numbers = rows(), count()
    size = table.nbytes / 1e6

    def append() -> None:
        place = tmp_path / f"ours{next(numbers)}"
        partition_by = ["part"] if parts > 1 else []
        made = create_table(place, table.schema, partition_by=partition_by).append(table)
        assert made.scan().count() == ROWS

    theirs = _files(table, parts, tmp_path) if peer == "pyarrow" else _table(table, parts, tmp_path)
    compared(
        f"Iceberg, {parts} partitions: appending {ROWS:,} rows, processor time",
        "MB/s",
        Side("byteloom", timed(append), size),
        of_package(peer, peer, timed(theirs), size),
        turns=TURNS,
    )


def _files(table: pa.Table, parts: int, folder: Path) -> Callable[[], None]:
    """Return what writes the files of a table with pyarrow."""
    order = np.argsort(table["part"].to_numpy(), kind="stable")
    divided = table if parts == 1 else table.take(pa.array(order))
    ends = np.cumsum(np.bincount(table["part"].to_numpy())) if parts > 1 else [ROWS]

    def write() -> None:
        start = 0
        for number, end in enumerate(ends):
            place = folder / f"{number}.parquet"
            pq.write_table(divided.slice(start, end - start), place, compression="zstd")
            start = end

    return write


def _table(table: pa.Table, parts: int, folder: Path) -> Callable[[], None]:
    """Return what creates a table of PyIceberg and appends to it."""
    catalog = SqlCatalog("bench", uri=f"sqlite:///{folder}/bench.db", warehouse=str(folder))
    catalog.create_namespace("bench")
    numbers = count()

    def append() -> None:
        made = catalog.create_table(f"bench.t{next(numbers)}", table.schema)
        if parts > 1:
            with made.update_spec() as update:
                update.add_identity("part")
        made.append(table)
        assert made.scan().count() == ROWS

    return append


@pytest.mark.slow
@pytest.mark.parametrize("parts", [1, 10_000])
def test_memory(parts: int, tmp_path: Path) -> None:
    """Prints the peak memory of a streamed append; twice the rows take no more of it."""
    peaks = []
    for size in (1_000_000_000, 2_000_000_000):
        command = [sys.executable, "-c", STREAM, str(tmp_path / f"t{size}"), str(size), str(parts)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        before, peak, took = map(float, done.stdout.split())
        peaks.append(peak)
        shown = f"{peak / 1e6:,.0f} MB of memory, {before / 1e6:,.0f} before it; {took:.1f} s"
        print(f"\nappend of {size / 1e9:.0f} GB in {parts:,} partitions: {shown}")
    assert peaks[1] < 1.2 * peaks[0]
