"""``byteloom table create`` and ``append``: tables that the other commands then read."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from tests.support.cli import byteloom
from tests.support.configured import configure

from byteloom import lance
from byteloom.iceberg import open_table

if TYPE_CHECKING:
    from pathlib import Path

ROWS = pa.table({"id": [3, 1, 2], "city": ["Oslo", None, "Rome"]})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A Parquet file of three rows."""
    place = tmp_path / "rows.parquet"
    pq.write_table(ROWS, place)
    return place


def test_a_table_gets_the_columns_of_a_file_and_its_rows(tmp_path: Path, file: Path) -> None:
    """What create and append print is the metadata file, the rows and the snapshot."""
    place = tmp_path / "t"
    made = byteloom(
        "table", "create", place, "--like", file, "--partition-by", "bucket(2, id)",
        "--sort-by", "id desc", "--format-version", "3", "--property", "owner=ops",
    )  # fmt: skip
    assert made.out == f"{place}/metadata/v1.metadata.json\n"
    found = json.loads(byteloom("table", "append", place, file, file, "--json").out)
    table = open_table(place)
    snapshot = table.current_snapshot
    assert snapshot is not None
    assert found == {"rows": 6, "snapshot_id": snapshot.snapshot_id}
    assert sorted(table.scan().to_table()["id"].to_pylist()) == [1, 1, 2, 2, 3, 3]
    assert (table.metadata.format_version, dict(table.metadata.properties)) == (3, {"owner": "ops"})
    assert byteloom("table", "count", place).out == "6\n"
    assert byteloom("verify", place, "--json").status == 0


def test_tables_of_a_configured_catalog_are_written(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each command that changes a table changes one that pyiceberg's configuration leads to."""
    uri, warehouse = f"sqlite:///{tmp_path}/c.db", f"file://{tmp_path}/wh"
    configure(monkeypatch, "prod", type="sql", uri=uri, warehouse=warehouse)
    monkeypatch.chdir(tmp_path)
    with closing(SqlCatalog("prod", uri=uri, warehouse=warehouse)) as catalog:
        catalog.create_namespace("shop")
    place = "catalog:prod#shop.t"
    assert byteloom("table", "create", place, "--like", file, "--location", "here").status == 0
    for change in (
        ["append", place, file],
        ["delete", place, "--where", "id = 1"],
        ["update", place, "city=Bonn", "--where", "id = 2"],
        ["upsert", place, file, "--on", "id"],
        ["set", place, "owner=ops"],
        ["branch", place, "audit"],
        ["evolve", place, "--add", "tip=double"],
    ):
        done = byteloom("table", *change)
        assert done.status == 0, done.err
    assert byteloom("table", "count", place).out == "3\n"
    listed = byteloom("table", "list", "catalog:prod", "--json").out
    assert json.loads(listed) == {"name": "shop.t", "place": place}
    assert (tmp_path / "here/metadata").is_dir()


@pytest.mark.parametrize("ending", ["arrow", "csv", "lance"])
def test_rows_of_other_files_are_appended(tmp_path: Path, ending: str) -> None:
    """Arrow, CSV with types, and Lance are taken; text says how many rows, and the snapshot."""
    place, source = tmp_path / "t", tmp_path / f"rows.{ending}"
    assert byteloom("table", "create", place, "--types", "id=int64,city=string").status == 0
    if ending == "arrow":
        with pa.ipc.new_file(source, ROWS.schema) as out:
            out.write_table(ROWS)
    elif ending == "csv":
        source.write_text("id,city\n3,Oslo\n1,\n2,Rome\n")
    else:
        with lance.LanceWriter(source, ROWS.schema) as writer:
            writer.write(ROWS)
    out = byteloom("table", "append", place, source, "--types", "id=int32").out
    assert out.startswith("3 rows, snapshot ")
    assert sorted(open_table(place).scan().to_table()["id"].to_pylist()) == [1, 2, 3]


def test_rows_go_to_a_branch(tmp_path: Path, file: Path) -> None:
    """A branch has the rows, and main has not."""
    place = tmp_path / "t"
    byteloom("table", "create", place, "--like", file)
    byteloom("table", "append", place, file)
    byteloom("table", "append", place, file, "--branch", "audit")
    assert byteloom("table", "count", place).out == "3\n"
    assert byteloom("table", "count", place, "--ref", "audit").out == "6\n"


def test_rows_wait_under_a_name_if_the_table_says_so(tmp_path: Path, file: Path) -> None:
    """Nothing has them until the snapshot that is printed is picked."""
    place = tmp_path / "t"
    byteloom("table", "create", place, "--like", file)
    out = byteloom("table", "append", place, file, "--wap-id", "a").out
    assert out.startswith("3 rows, snapshot ")
    byteloom("table", "set", place, "write.wap.enabled=true")
    out = byteloom("table", "append", place, file, "--wap-id", "b").out
    assert out.startswith("3 rows, staged snapshot ")
    assert byteloom("table", "count", place).out == "3\n"
    byteloom("table", "cherry-pick", place, out.split()[-1])
    assert byteloom("table", "count", place).out == "6\n"


def test_a_file_that_does_not_fit_appends_nothing(tmp_path: Path, file: Path) -> None:
    """Of two files the second is refused by its column, and no row of the first is there."""
    place, other = tmp_path / "t", tmp_path / "other.parquet"
    pq.write_table(pa.table({"id": ["x"]}), other)
    byteloom("table", "create", place, "--like", file)
    outcome = byteloom("table", "append", place, file, other)
    assert outcome.status == 1
    assert "column id: found values of type string, wanted long" in outcome.err
    assert byteloom("table", "count", place).out == "0\n"
    assert not list(place.rglob("*.parquet"))


@pytest.mark.parametrize(
    ("options", "status", "found"),
    [
        ([], 2, "--like, --types: one of the two"),
        (["--types", "id=int64", "--format-version", "4"], 1, "wanted 1, 2 or 3"),
        (["--types", "id=int64", "--partition-by", "day(id)"], 1, "id: found day of long"),
        (["--types", "id=int64", "--property", "x"], 2, "--property"),
        (["--like", "missing.parquet"], 1, "missing.parquet: No such file"),
    ],
)
def test_a_table_that_cannot_be_is_refused(
    tmp_path: Path, options: list[str], status: int, found: str
) -> None:
    """The error says what is wrong, and nothing is created."""
    outcome = byteloom("table", "create", tmp_path / "t", *options)
    assert outcome.status == status
    assert found in outcome.err
    assert not list((tmp_path / "t").rglob("*.json"))


def test_a_table_is_not_created_twice(tmp_path: Path, file: Path) -> None:
    """The folder of a table is refused."""
    byteloom("table", "create", tmp_path / "t", "--like", file)
    outcome = byteloom("table", "create", tmp_path / "t", "--like", file)
    assert outcome.status == 1
    assert "there is an Iceberg table already" in outcome.err
