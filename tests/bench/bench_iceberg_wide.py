"""Reading a table of 2,000 columns, in 10 Parquet files of 2,000 rows, beside duckdb and polars.

    make bench ONLY=iceberg_wide

With ``positions`` and ``vectors`` one row in twenty of each file is deleted.  Files are compressed
with Zstandard, or with the older codecs that many tables have.  Some tables are a single such file,
or two of 20,000 rows, which are too large to be read together.
"""

from __future__ import annotations

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

COLUMNS = 2000
FORMS = {
    "10 files of 2,000 rows": (10, 2000),
    "1 file of 2,000 rows": (1, 2000),
    "2 files of 20,000 rows": (2, 20000),
}
USUAL, ONE, LARGE = FORMS
TURNS = 7
KINDS = ("long", "double", "string", "int")
QUESTIONS = {
    "plan": Question(planning=True),
    "count": Question(columns=()),
    "full scan": Question(),
    "three columns": Question(columns=("c3", "c500", "c1998")),
    "filter": Question(where="c3 < 5"),
}


def column(kind: str, random: np.random.Generator, rows: int) -> pa.Array:
    """The values of a column in one file."""
    if kind == "double":
        return pa.array(random.random(rows))
    if kind == "string":
        return pa.array([f"text {each}" for each in random.integers(0, 100, rows)])
    if kind == "int":
        return pa.array(random.integers(0, 1000, rows).astype(np.int32))
    return pa.array(random.integers(0, 1 << 40, rows))


def data(seed: int, rows: int) -> pa.Table:
    """The rows of a file."""
    random = np.random.default_rng(seed)
    return arrow(
        {
            (each + 1, f"c{each}"): column(KINDS[each % len(KINDS)], random, rows)
            for each in range(COLUMNS)
        }
    )


def table(deletes: str, codec: str, form: str) -> Path:
    """The metadata file of a table, one row in twenty of which is deleted."""
    columns = [(each + 1, f"c{each}", KINDS[each % len(KINDS)]) for each in range(COLUMNS)]
    files, rows = FORMS[form]
    name = f"wide-{COLUMNS}-{files}-{rows}-{deletes}-{codec}"
    held = (data(each, rows) for each in range(files))
    return kept_table(name, columns, held, deletes, range(0, rows, 20), codec=codec)


@pytest.mark.parametrize(
    ("asked", "deletes", "codec", "form"),
    [
        ("plan", "none", "zstd", USUAL),
        *product(list(QUESTIONS)[1:], ["none", "vectors", "positions"], ["zstd"], [USUAL]),
        *product(["full scan", "filter"], ["none"], ["snappy", "gzip"], [USUAL]),
        *product(["full scan", "filter"], ["none"], ["zstd", "snappy"], [ONE, LARGE]),
        ("filter", "none", "none", LARGE),
    ],
)
def test_wide_table(asked: str, deletes: str, codec: str, form: str) -> None:
    """Prints the costs of plans, counts and reads in each reader."""
    costs = compared(table(deletes, codec, form), QUESTIONS[asked], TURNS)
    print(f"\n{COLUMNS:,} columns, {form}, {codec}, deletes: {deletes}, {asked}: {costs}")
