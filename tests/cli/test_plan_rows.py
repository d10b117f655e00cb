"""Rows that ``table plan`` prints agree with the plan of the library."""

from __future__ import annotations

import csv
import io
import json
import math
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.cli import byteloom
from tests.support.iceberg_plans import ListedFile, table_of
from tests.support.iceberg_schemas import a_field, a_struct

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from byteloom.iceberg import Table

SCHEMA: dict[str, Any] = a_struct(
    a_field(1, "id", "int"),
    a_field(2, "f", "double"),
    a_field(3, "s", "string"),
    a_field(4, "d", "date"),
) | {"schema-id": 0}
DAY = {"type": "int", "logicalType": "date"}
SPECS: dict[int, Sequence[Any]] = {
    0: (),
    1: ((4, 1000, "d", "identity", DAY), (3, 1001, "s_2", "truncate[2]", "string")),
    2: ((9, 1002, "gone", "identity", "int"),),
    3: ((2, 1003, "f", "identity", "double"),),
}
FILES = [
    ListedFile("a"),
    ListedFile("b", spec_id=1, partition={"d": 19_000, "s_2": "él"}),
    ListedFile("c", spec_id=1, partition={"d": None, "s_2": ""}),
    ListedFile("d", spec_id=1, partition={"d": 19_000, "s_2": None}),
    ListedFile("e", spec_id=3, partition={"f": math.nan}),
    ListedFile("f", spec_id=3, partition={"f": -0.0}),
    ListedFile("g", spec_id=2, partition={"gone": 7}),
    ListedFile("x", content=1, spec_id=1, partition={"d": 19_000, "s_2": "él"}, sequence=2),
    ListedFile(
        "y", content=1, spec_id=3, partition={"f": -0.0}, sequence=2, referenced="f", offset=4
    ),
]


PARTITIONS = {
    "a": "", "b": "d=2022-01-08, s_2=él", "c": "d=null, s_2=", "d": "d=2022-01-08, s_2=null",
    "e": "f=NaN", "f": "f=-0.0", "g": "gone=7",
}  # fmt: skip
"""The partition of each data file, in words."""


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """Make a table with files of four specs, among them one whose source column is gone."""
    return table_of(tmp_path, SCHEMA, SPECS, FILES)


@pytest.mark.parametrize("form", ["csv", "json"])
def test_printed_rows_say_of_files_what_the_plan_does(table: Table, form: str) -> None:
    """Printed rows have the values of the planned files, in the order of the plan."""
    done = byteloom("table", "plan", table.metadata_location, "--where", "id < 5", "--format", form)
    assert (done.status, done.err) == (0, "")
    lines = done.out.splitlines() if form == "json" else csv.DictReader(io.StringIO(done.out))
    rows: list[Any] = [json.loads(each) if isinstance(each, str) else each for each in lines]
    tasks = list(table.scan("id < 5").plan())
    assert [each["file_path"] for each in rows] == [each.file_path for each in tasks]
    assert {each["file_path"]: each["partition"] for each in rows} == PARTITIONS
    for row, task in zip(rows, tasks, strict=True):
        assert (int(row["spec_id"]), int(row["record_count"])) == (task.spec_id, task.record_count)
        assert row["residual"] == str(task.residual) == "id < 5"
        deletes = row["deletes"] if form == "json" else json.loads(row["deletes"])
        named = [each["file_path"] if form == "json" else each for each in deletes]
        assert [each.removesuffix(" at byte 4") for each in named] == [
            each.file_path for each in task.deletes
        ]
        assert len(named) == (task.file_path in "bf")


def test_a_plan_without_files_has_no_rows(table: Table) -> None:
    """A plan without files gives no rows, but the names of all columns."""
    asked = ("table", "plan", table.metadata_location, "--where", "d = '1999-01-01'")
    assert byteloom(*asked, "--json").out.count("\n") == 4  # files that no partition rules out
    nothing = byteloom(*asked[:3], "--where", "false", "--format", "csv")
    assert nothing.out.startswith("file_path,spec_id,partition,")
