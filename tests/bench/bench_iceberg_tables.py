"""Reading ordinary tables of ten columns, beside duckdb, polars and PyIceberg.

    make bench ONLY=iceberg_tables

Columns are numbers, texts of few and of many values, moments, a date, a decimal and a list, in
Zstandard; tables have 4 or 40 files of 100,000 rows, or 400 of 10,000, two or thirty columns, and
deletes.  Each turn opens the table anew.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from tests.support.iceberg_readings import Question, compared, kept_table
from tests.support.iceberg_rows import arrow
from tests.support.ordinary_columns import MAKERS

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.bench

TURNS = 5
FORMS = {"4 files": (4, 100_000), "40 files": (40, 100_000), "400 files": (400, 10_000)}
QUESTIONS = {
    "all columns": Question(),
    "three columns": Question(columns=("c0", "c3", "c5")),
    "range of a number": Question(where=f"c0 < {1 << 35}"),
    "filter of a number": Question(where="c1 < 10"),
    "filter of a text": Question(where="c3 = 'town 7'"),
    "count": Question(columns=()),
}


def kind(number: int) -> str:
    """Which values the column of a number has; tables of more than ten columns have them again."""
    return list(MAKERS)[number % len(MAKERS)]


def data(columns: int, file: int, rows: int) -> pa.Table:
    """The rows of a file."""
    random = np.random.default_rng(file)
    made = {(each + 1, f"c{each}"): MAKERS[kind(each)](random, rows) for each in range(columns)}
    for (id_, name), values in made.items():
        if pa.types.is_list(values.type):
            id_of_item = {"PARQUET:field_id": str(999 + id_)}
            item = pa.field("element", pa.int32(), metadata=id_of_item)
            made[id_, name] = values.cast(pa.list_(item))
    return arrow(made)


def table(form: str, columns: int, deletes: str) -> Path:
    """The metadata file of a table, one row in twenty of which may be deleted."""
    files, rows = FORMS[form]
    fields = [(each + 1, f"c{each}", field(each)) for each in range(columns)]
    held = (data(columns, each, rows) for each in range(files))
    name = f"tables-{files}-{rows}-{columns}-{deletes}"
    return kept_table(name, fields, held, deletes, range(0, rows, 20))


def field(number: int) -> object:
    """The type of a column as JSON."""
    name = kind(number).partition(" of")[0]
    item = {"element-id": 1000 + number, "element": "int", "element-required": False}
    return {"type": "list", **item} if name == "list" else name


@pytest.mark.parametrize(
    ("asked", "deletes", "form", "columns"),
    [
        *product(QUESTIONS, ["none"], ["40 files"], [10]),
        *product(["all columns", "three columns"], ["vectors", "positions"], ["40 files"], [10]),
        *product(["all columns", "filter of a number"], ["none"], ["4 files", "400 files"], [10]),
        *product(["all columns", "filter of a number"], ["none"], ["4 files"], [2, 30]),
    ],
)  # fmt: skip
def test_table(asked: str, deletes: str, form: str, columns: int) -> None:
    """Prints the costs of reads in each reader."""
    found = compared(table(form, columns, deletes), QUESTIONS[asked], TURNS, pyiceberg=True)
    print(f"\n{form}, {columns} columns, deletes: {deletes}, {asked}: {found}")
