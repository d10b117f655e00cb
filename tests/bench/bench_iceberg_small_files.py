"""Reading a table of 10,000 Parquet files of 100 rows, beside duckdb and polars.

    make bench ONLY=iceberg_small_files

With ``positions`` each data file has a position delete file of its own, as streaming writers leave
them; with ``vectors`` all deletion vectors are in one Puffin file.  One row in twenty is deleted.
``BYTELOOM_BENCH_FILES`` takes another number of files.
"""

from __future__ import annotations

import os
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from tests.support.iceberg_readings import Question, compared, kept_table
from tests.support.iceberg_rows import arrow

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.bench

FILES = int(os.environ.get("BYTELOOM_BENCH_FILES", "10000"))
ROWS = 100
TURNS = 3
COLUMNS = [
    (1, "id", "long"),
    (2, "ts", "timestamptz"),
    (3, "v", "double"),
    (4, "count", "int"),
    (5, "name", "string"),
]
QUESTIONS = {
    "plan": Question(planning=True),
    "count": Question(columns=()),
    "full scan": Question(),
    "two columns": Question(columns=("id", "name")),
    "filter": Question(where=f"id < {ROWS * FILES // 20}"),
}


def data(seed: int) -> pa.Table:
    """The rows of a file."""
    random = np.random.default_rng(seed)
    moments = 1_600_000_000_000_000 + np.cumsum(random.integers(0, 10_000_000, ROWS))
    return arrow(
        {
            (1, "id"): pa.array(np.arange(ROWS) + seed * ROWS),
            (2, "ts"): pa.array(moments).cast(pa.timestamp("us", "UTC")),
            (3, "v"): pa.array(random.random(ROWS)),
            (4, "count"): pa.array(random.integers(0, 1_000_000, ROWS).astype(np.int32)),
            (5, "name"): pa.array(
                [f"customer-{each:05}" for each in random.integers(0, 999, ROWS)]
            ),
        }
    )


def table(deletes: str) -> Path:
    """The metadata file of a table, one row in twenty of which is deleted."""
    gone = range(0, ROWS, 20)
    return kept_table(
        f"small-files-{FILES}-{deletes}", COLUMNS, map(data, range(FILES)), deletes, gone
    )


@pytest.mark.parametrize(
    ("asked", "deletes"),
    [("plan", "none"), *product(list(QUESTIONS)[1:], ["none", "vectors", "positions"])],
)
def test_small_files(asked: str, deletes: str) -> None:
    """Prints the costs of plans, counts and reads in each reader."""
    costs = compared(table(deletes), QUESTIONS[asked], TURNS)
    print(f"\n{FILES:,} files, deletes: {deletes}, {asked}: {costs}")
