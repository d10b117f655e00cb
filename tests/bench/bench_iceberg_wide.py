"""Reading a table of 2,000 columns, in 10 Parquet files of 2,000 rows, beside duckdb and polars.

    make bench ONLY=iceberg_wide

With ``positions`` and ``vectors`` one row in twenty of each file is deleted.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path
from tempfile import gettempdir

import numpy as np
import pyarrow as pa
import pytest
from tests.support.iceberg_readings import Question, compared
from tests.support.iceberg_rows import (
    TableMaker,
    arrow,
    deletion_vectors,
    parquet,
    position_deletes,
)

pytestmark = pytest.mark.bench

COLUMNS = 2000
FILES = 10
ROWS = 2000
TURNS = 3
KINDS = ("long", "double", "string", "int")
QUESTIONS = {
    "plan": Question(planning=True),
    "count": Question(columns=()),
    "full scan": Question(),
    "three columns": Question(columns=("c3", "c500", "c1998")),
    "filter": Question(below=("c3", 5)),
}


def column(kind: str, random: np.random.Generator) -> pa.Array:
    """The values of a column in one file."""
    if kind == "double":
        return pa.array(random.random(ROWS))
    if kind == "string":
        return pa.array([f"text {each}" for each in random.integers(0, 100, ROWS)])
    if kind == "int":
        return pa.array(random.integers(0, 1000, ROWS).astype(np.int32))
    return pa.array(random.integers(0, 1 << 40, ROWS))


def data(seed: int) -> pa.Table:
    """The rows of a file."""
    random = np.random.default_rng(seed)
    return arrow(
        {
            (each + 1, f"c{each}"): column(KINDS[each % len(KINDS)], random)
            for each in range(COLUMNS)
        }
    )


def table(deletes: str) -> Path:
    """The metadata file of a table, which is written once for all runs on this machine."""
    root = Path(gettempdir()) / "byteloom-tables-1" / f"wide-{COLUMNS}-{deletes}"
    newest = root / "metadata" / ("v1.metadata.json" if deletes == "none" else "v2.metadata.json")
    if newest.exists():
        return newest
    files = [
        parquet(root / "data" / f"{each:06}.parquet", data(each), compression="zstd")
        for each in range(FILES)
    ]
    columns = [(each + 1, f"c{each}", KINDS[each % len(KINDS)]) for each in range(COLUMNS)]
    maker = TableMaker(root, columns, version=3 if deletes == "vectors" else 2).commit(*files)
    gone = np.arange(0, ROWS, 20)
    if deletes == "vectors":
        vectors = {each.path: gone for each in files}
        maker.commit(*deletion_vectors(root / "data" / "dv.puffin", vectors))
    if deletes == "positions":
        maker.commit(
            *(
                position_deletes(
                    each.path.with_suffix(".deletes.parquet"),
                    ((each.path, int(row)) for row in gone),
                    has_bounds=True,
                )
                for each in files
            )
        )
    maker.open()
    return newest


@pytest.mark.parametrize(
    ("asked", "deletes"),
    [("plan", "none"), *product(list(QUESTIONS)[1:], ["none", "vectors", "positions"])],
)
def test_wide_table(asked: str, deletes: str) -> None:
    """Plans, counts and reads."""
    costs = compared(table(deletes), QUESTIONS[asked], TURNS)
    print(f"\n{COLUMNS:,} columns, deletes: {deletes}, {asked}: {costs}")
