"""Reading a table of which one row in twenty is deleted, beside pyarrow's dataset without deletes.

The peer decodes the very same Parquet files, with its own threads, and leaves every row in; ours
reads metadata, manifests and deletes first, and hands on the rows that are left.  Batches are
counted and dropped on both sides.  The table has 256 MB of columns in memory;
``BYTELOOM_BENCH_BYTES=2000000000`` asks for the 2 GB of a real run.  Times are medians, by turns;
those of the processors are told too, which a busy machine changes less.
"""

from __future__ import annotations

import os
from statistics import median
from time import perf_counter, process_time
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from tests.support.iceberg_rows import (
    File,
    TableMaker,
    arrow,
    deletion_vectors,
    parquet,
    position_deletes,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from byteloom.iceberg.table import Table

BYTES = int(os.environ.get("BYTELOOM_BENCH_BYTES", "256000000"))
ROW = 56
FILES = 8
TURNS = 7
COLUMNS = [
    (1, "id", "long"),
    (2, "ts", "timestamptz"),
    (3, "v", "double"),
    (4, "count", "int"),
    (5, "name", "string"),
]


def data(rows: int, seed: int) -> pa.Table:
    """Rows of 56 bytes on average."""
    random = np.random.default_rng(seed)
    names = pa.array([f"customer-{each:010}-{'x' * (each % 9)}" for each in range(1000)])
    moments = 1_600_000_000_000_000 + np.cumsum(random.integers(0, 10_000_000, rows))
    return arrow(
        {
            (1, "id"): pa.array(np.arange(rows) + seed * rows),
            (2, "ts"): pa.array(moments).cast(pa.timestamp("us", "UTC")),
            (3, "v"): pa.array(random.random(rows)),
            (4, "count"): pa.array(random.integers(0, 1_000_000, rows).astype(np.int32)),
            (5, "name"): names.take(pa.array(random.integers(0, 1000, rows))),
        }
    )


def table(root: Path, deletes: str) -> Table:
    """The table, deletes committed after its data."""
    rows = BYTES // ROW // FILES
    files = [
        parquet(
            root / "data" / f"{number}.parquet", data(rows, number),
            compression="zstd", row_group_size=1 << 20,
        )
        for number in range(FILES)
    ]  # fmt: skip
    chosen = {
        each.path: np.random.default_rng(7).choice(rows, rows // 20, replace=False)
        for each in files
    }
    maker = TableMaker(root, COLUMNS, version=3 if deletes == "vectors" else 2).commit(*files)
    if deletes == "vectors":
        return maker.commit(*deletion_vectors(root / "data" / "dv.puffin", chosen)).open()
    held: list[File] = [
        position_deletes(
            root / "data" / f"{number}-deletes.parquet",
            ((path, int(row)) for row in positions),
        )
        for number, (path, positions) in enumerate(chosen.items())
    ]
    return maker.commit(*held).open()


def timed(read: Callable[[], Iterable[pa.RecordBatch]]) -> tuple[int, float, float]:
    """Rows, seconds, and seconds of all processors."""
    start, start_cpu = perf_counter(), process_time()
    rows = sum(each.num_rows for each in read())
    return rows, perf_counter() - start, process_time() - start_cpu


@pytest.mark.bench
@pytest.mark.parametrize("deletes", ["positions", "vectors"])
def test_reading_with_deletes(tmp_path: Path, deletes: str) -> None:
    """All columns of all rows that are left."""
    opened = table(tmp_path, deletes)
    rows = BYTES // ROW // FILES
    peer = ds.dataset(sorted((tmp_path / "data").glob("?.parquet")))
    turns = []
    for _ in range(TURNS):
        left, *ours = timed(lambda: opened.scan().to_batches(ordered=False))
        read, *theirs = timed(peer.to_batches)
        assert (left, read) == (FILES * (rows - rows // 20), FILES * rows)
        turns.append((*ours, *theirs))
    ours_s, ours_cpu, theirs_s, theirs_cpu = map(median, zip(*turns, strict=True))
    size = BYTES / 1e6
    print(
        f"\n{size:,.0f} MB, 5 % deleted by {deletes}: byteloom {size / ours_s:,.0f} MB/s, "
        f"pyarrow's dataset without deletes {size / theirs_s:,.0f} MB/s; "
        f"ratio of times {ours_s / theirs_s:.2f}, of processor times {ours_cpu / theirs_cpu:.2f}"
    )
