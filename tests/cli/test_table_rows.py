"""``byteloom table delete``, ``update``, ``upsert`` and ``overwrite``, and what they would do."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.support.cli import byteloom

from byteloom.iceberg import create_table, open_table

if TYPE_CHECKING:
    from pathlib import Path

COLUMNS = pa.schema({"id": pa.int64(), "city": pa.string(), "day": pa.date32()})


@pytest.fixture(params=["copy-on-write", "merge-on-read"])
def place(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """The folder of a table of two files, of three rows each, in partitions."""
    modes = {f"write.{verb}.mode": request.param for verb in ("delete", "update", "merge")}
    table = create_table(
        tmp_path / "t", COLUMNS, partition_by=["city"], format_version=3, properties=modes
    )
    table.append(pa.table({"id": range(6), "city": ["Oslo", "Rome"] * 3}))
    return tmp_path / "t"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file of two rows, one of which has a key of the table."""
    found = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"id": [1, 9], "city": ["Bern", "Bern"]}), found)
    return found


def rows(place: Path) -> list[tuple[int, str]]:
    """Return the rows, in order."""
    found = open_table(place).scan().to_table().to_pylist()
    return sorted((each["id"], each["city"]) for each in found)


def planned(*words: Any) -> dict[str, int]:
    """Return what a command would do."""
    found: dict[str, int] = json.loads(byteloom("table", *words, "--plan", "--json").out)
    return found


@pytest.mark.parametrize(
    ("where", "removed", "whole", "part"),
    [("city = 'Oslo'", 3, 1, 0), ("id < 2", 2, 0, 2), ("id = 0 or city = 'Rome'", 4, 1, 1)],
)
def test_a_plan_of_a_delete_is_what_it_does(
    place: Path, where: str, removed: int, whole: int, part: int
) -> None:
    """Rows and files are counted before, and nothing is changed by that."""
    before = open_table(place)
    merges = before.metadata.properties["write.delete.mode"] == "merge-on-read"
    found = planned("delete", place, "--where", where)
    assert open_table(place).metadata_location == before.metadata_location
    assert found.pop("rewritten_bytes") > 0 or merges or not part
    assert found == {
        "removed_rows": removed,
        "added_rows": 0,
        "removed_files": whole,
        "rewritten_files": 0 if merges else part,
        "marked_files": part if merges else 0,
    }
    done = json.loads(byteloom("table", "delete", place, "-w", where, "--json").out)
    table = open_table(place)
    assert table.current_snapshot is not None
    assert done["snapshot_id"] == table.current_snapshot.snapshot_id
    assert table.scan().count() == 6 - removed
    assert planned("delete", place, "--where", "true")["removed_rows"] == 6 - removed
    assert table.verify() == []


def test_columns_are_set(place: Path) -> None:
    """Values are cast to the type of the column; no text is null, and quotes are an empty text."""
    assert planned("update", place, "city=Bern", "-w", "id = 1")["added_rows"] == 1
    words = ("city=Bern", "day=2024-06-01", "--where", "id = 1")
    out = byteloom("table", "update", place, *words).out
    assert out.partition(",")[0] in {"overwrite", "delete"}
    byteloom("table", "update", place, 'city=""', "--where", "id = 2")
    byteloom("table", "update", place, "city=", "--where", "id = 3")
    found = open_table(place).scan("id in (1, 2, 3)").to_table().sort_by("id")
    assert found["city"].to_pylist() == ["Bern", "", None]
    assert str(found["day"][0]) == "2024-06-01"
    assert byteloom("table", "update", place, "id=9", "-w", "id = 99").out == "no row changes\n"
    assert open_table(place).verify() == []


def test_rows_are_merged_by_their_keys(place: Path, file: Path) -> None:
    """A plan says how many are replaced and added."""
    found = planned("upsert", place, file, "--on", "id")
    assert (found["removed_rows"], found["added_rows"]) == (1, 2)
    ignored = planned("upsert", place, file, "--on", "id", "--when-not-matched", "ignore")
    assert (ignored["removed_rows"], ignored["added_rows"]) == (1, 1)
    deleted = planned("upsert", place, file, "--on", "id", "--when-matched", "delete")
    assert (deleted["removed_rows"], deleted["added_rows"]) == (1, 1)
    for more in ((), ("--plan",)):
        words = ("table", "upsert", place, file, "--on", "id", "--when-matched", "drop", *more)
        assert "when_matched: found 'drop'" in byteloom(*words).err
    byteloom("table", "upsert", place, file, "--on", "id")
    expected = [(0, "Oslo"), (1, "Bern"), (2, "Oslo"), (3, "Rome"), (4, "Oslo"), (5, "Rome")]
    assert rows(place) == [*expected, (9, "Bern")]
    assert open_table(place).verify() == []


def test_rows_are_put_in_place_of_others(place: Path, file: Path) -> None:
    """Those of a filter, or all; on a branch, main stays."""
    found = planned("overwrite", place, file, "--where", "city = 'Rome'")
    assert (found["removed_rows"], found["added_rows"], found["removed_files"]) == (3, 2, 1)
    byteloom("table", "overwrite", place, file, "--where", "city = 'Rome'", "--branch", "audit")
    assert len(rows(place)) == 6
    assert open_table(place).scan(ref="audit").count() == 5
    byteloom("table", "overwrite", place, file)
    assert rows(place) == [(1, "Bern"), (9, "Bern")]


def test_files_are_added_as_they_are(tmp_path: Path, file: Path) -> None:
    """A plan counts them; a file that is there already is refused by both."""
    place = tmp_path / "u"
    create_table(place, pa.schema({"id": pa.int64(), "city": pa.string()}))
    found = planned("add-files", place, file)
    assert found == {"added_files": 1, "added_rows": 2, "added_bytes": file.stat().st_size}
    assert open_table(place).current_snapshot is None
    assert byteloom("table", "add-files", place, file).out.startswith("append, snapshot ")
    assert rows(place) == [(1, "Bern"), (9, "Bern")]
    for more in ((), ("--plan",)):
        assert byteloom("table", "add-files", place, file, *more).status == 1
    assert open_table(place).verify() == []


@pytest.mark.parametrize(
    ("words", "status", "found"),
    [
        (["delete"], 2, "--where: a filter, or true for all rows"),
        (["delete", "--where", "id <"], 2, "--where"),
        (["delete", "--where", "nope = 1"], 1, "nope"),
        (["update", "id=1"], 2, "--where"),
        (["update", "id", "-w", "true"], 2, "wanted NAME=VALUE"),
        (["update", "id=x", "-w", "true"], 2, "id: found 'x', wanted a value of long"),
        (["update", "nope=1", "-w", "true"], 1, "column nope: found not in the table"),
        (["upsert", "missing.parquet", "--on", "id"], 1, "missing.parquet: No such file"),
        (["overwrite", "missing.parquet"], 1, "missing.parquet: No such file"),
    ],
)
def test_a_change_that_cannot_be_is_refused(
    place: Path, words: list[str], status: int, found: str
) -> None:
    """Wrong usage and refused changes are errors, and change nothing."""
    command, *rest = words
    outcome = byteloom("table", command, place, *rest)
    assert outcome.status == status
    assert found in outcome.err
    assert len(rows(place)) == 6
