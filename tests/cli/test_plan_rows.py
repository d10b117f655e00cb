"""Rows that ``table plan`` prints agree with the files as objects."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from tests.support.iceberg_plans import ListedFile, table_of

from byteloom.cli.commands.table_queries import plan_rows, plan_schema
from byteloom.iceberg.transforms import to_human

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from byteloom.iceberg.planning.plan import FileTask
    from byteloom.iceberg.scan import TableScan

SCHEMA: dict[str, Any] = {
    "type": "struct",
    "schema-id": 0,
    "fields": [
        {"id": 1, "name": "id", "required": False, "type": "int"},
        {"id": 2, "name": "f", "required": False, "type": "double"},
        {"id": 3, "name": "s", "required": False, "type": "string"},
        {"id": 4, "name": "d", "required": False, "type": "date"},
    ],
}
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


@pytest.fixture
def asked(tmp_path: Path) -> TableScan:
    """Plan files of four specs, among them one whose source column is gone."""
    return table_of(tmp_path, SCHEMA, SPECS, FILES).scan("id < 5")


def partition(asked: TableScan, task: FileTask) -> str:
    """Put the partition of a file into words, value by value."""
    texts = []
    for field in asked.table.metadata.partition_specs[task.spec_id].fields:
        source, value = asked.schema.find(field.source_id), task.partition[field.name]
        text = str(value) if source is None else to_human(field.transform, source.type, value)
        texts.append(f"{field.name}={text}")
    return ", ".join(texts)


@pytest.mark.parametrize("is_short", [True, False])
def test_printed_rows_say_of_files_what_their_objects_do(asked: TableScan, is_short: bool) -> None:
    """Printed rows have the values of the file objects, in the order of the plan."""
    schema, rows, tasks = plan_schema(is_short=is_short), [], []
    for part in asked.plan_stream():
        rows += plan_rows(asked, part, schema, is_short=is_short).to_pylist()
        tasks += list(part)
    assert [each["file_path"] for each in rows] == [each.file_path for each in tasks]
    assert sorted(each["file_path"] for each in rows) == list("abcdefg")
    for row, task in zip(rows, tasks, strict=True):
        assert row["partition"] == partition(asked, task)
        assert row["spec_id"] == task.spec_id
        assert row["record_count"] == task.record_count
        assert row["residual"] == str(task.residual) == "id < 5"
        named = [each if is_short else each["file_path"] for each in row["deletes"]]
        assert [each.removesuffix(" at byte 4") for each in named] == [
            each.file_path for each in task.deletes
        ]
    of = {each["file_path"]: each for each in rows}
    assert of["b"]["partition"] == "d=2022-01-08, s_2=él"
    assert of["c"]["partition"] == "d=null, s_2="
    assert len(of["b"]["deletes"]) == len(of["f"]["deletes"]) == 1


def test_a_plan_without_files_has_no_rows(asked: TableScan) -> None:
    """A plan without files gives no rows, but all columns."""
    schema = plan_schema(is_short=True)
    part = asked.plan()
    empty = part.only(pa.chunked_array([[False] * len(part)]))
    assert plan_rows(asked, empty, schema, is_short=True).schema == schema
    assert plan_rows(asked, empty, schema, is_short=True).num_rows == 0
