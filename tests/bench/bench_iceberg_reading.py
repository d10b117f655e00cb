"""Reading a table of which one row in twenty is deleted, beside pyarrow's dataset without deletes.

The peer decodes the very same Parquet files, with its own threads, and leaves every row in; ours
reads metadata, manifests and deletes first, and hands on the rows that are left.  Batches are
counted and dropped on both sides.  The table has 256 MB of columns in memory;
``BYTELOOM_BENCH_BYTES=2000000000`` asks for the 2 GB of a real run.
"""

from __future__ import annotations

import os
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
from tests.support.speed import Side, compared, of_package, seconds

if TYPE_CHECKING:
    from pathlib import Path

    from byteloom.iceberg.table import Table

BYTES = int(os.environ.get("BYTELOOM_BENCH_BYTES", "256000000"))
ROW = 56
FILES = 8
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


@pytest.mark.bench
@pytest.mark.parametrize("deletes", ["positions", "vectors"])
def test_reading_with_deletes(tmp_path: Path, deletes: str) -> None:
    """Prints the time to read all columns of all live rows."""
    opened = table(tmp_path, deletes)
    rows = BYTES // ROW // FILES
    peer = ds.dataset(sorted((tmp_path / "data").glob("?.parquet")))

    def ours() -> int:
        return sum(each.num_rows for each in opened.scan().to_batches(ordered=False))

    def theirs() -> int:
        return sum(each.num_rows for each in peer.to_batches())

    assert (ours(), theirs()) == (FILES * (rows - rows // 20), FILES * rows)
    compared(
        f"rows of a table of {BYTES / 1e6:,.0f} MB, one in twenty deleted by {deletes}",
        "MB/s",
        Side("byteloom", seconds(ours), BYTES / 1e6),
        of_package("pyarrow's dataset, none deleted,", "pyarrow", seconds(theirs), BYTES / 1e6),
    )
