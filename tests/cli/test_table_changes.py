"""``byteloom table evolve``, ``set``, ``branch``, ``tag``, ``rollback`` and ``fast-forward``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from tests.support.cli import byteloom
from tests.support.gallery import rows

from byteloom.iceberg import create_table, open_table

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """The folder of a table of two snapshots."""
    columns = pa.schema({"id": pa.int32(), "fare": pa.float32(), "at": pa.timestamp("us")})
    table = create_table(tmp_path / "t", columns, sort_by=["fare"], format_version=3)
    for number in range(2):
        table = table.append(pa.table({"id": pa.array([number], pa.int32())}))
    return tmp_path / "t"


def test_a_table_is_evolved_in_one_commit(place: Path) -> None:
    """Each option changes what it names, and the metadata file is printed."""
    printed = byteloom(
        *("table", "evolve", place, "--json"),
        *("--add", "tip=decimal(9, 2)", "--default", "tip=1.5", "--require", "tip"),
        *("--add", "city=string", "--default", "city=Oslo", "--doc", "city=where it was"),
        *("--promote", "fare=double", "--rename", "fare=price", "--drop", "at"),
        *("--move", "tip first", "--move", "city after tip", "--move", "fare before id"),
        *("--partition-by", "bucket(4, id)", "--sort-by", "price desc nulls last"),
    ).out
    table = open_table(place)
    assert json.loads(printed) == {"metadata_file": table.metadata_location}
    assert [f"{each.name} {each.type} {each.required}" for each in table.schema.fields] == [
        "tip decimal(9, 2) True", "city string False", "price double False", "id int False",
    ]  # fmt: skip
    found = table.scan("id = 1").to_table().to_pylist()
    assert [(str(each["tip"]), each["city"]) for each in found] == [("1.50", "Oslo")]
    assert table.metadata.spec().fields[0].name == "id_bucket_4"
    assert table.metadata.default_sort_order_id == 2
    renamed = byteloom(
        "table", "evolve", place, "--rename-partition", "id_bucket_4=b", "--unsorted"
    )
    assert renamed.status == 0
    byteloom("table", "evolve", place, "--drop-partition", "b", "--optional", "tip")
    table = open_table(place)
    assert table.metadata.spec().is_unpartitioned
    assert table.metadata.default_sort_order_id == 0
    allowed = ("--allow-incompatible", "--require", "id", "--identify-by", "id")
    assert byteloom("table", "evolve", place, *allowed).status == 0
    assert open_table(place).schema.identifier_field_ids == (1,)
    assert open_table(place).verify() == []


def test_a_table_is_upgraded(tmp_path: Path) -> None:
    """The version is that of --format-version."""
    create_table(tmp_path / "t", pa.schema({"id": pa.int32()}), format_version=1)
    assert byteloom("table", "evolve", tmp_path / "t", "--format-version", "3").status == 0
    assert open_table(tmp_path / "t").metadata.format_version == 3


@pytest.mark.parametrize(
    ("options", "status", "found"),
    [
        (["--add", "tip"], 2, "--add: found 'tip', wanted NAME=TYPE"),
        (["--add", "tip=money"], 1, "tip.type: found 'money'"),
        (["--move", "id up"], 2, "--move: found 'id up', wanted NAME first"),
        (["--unsorted", "--sort-by", "id"], 2, "--sort-by, --unsorted: one of the two"),
        (["--promote", "id=string"], 1, "id: found int to string"),
        (["--require", "id"], 1, "id: found optional to required"),
        (["--drop", "nope"], 1, "nope: found no such column"),
        (["--format-version", "2"], 1, "format_version: found 2"),
    ],
)
def test_an_evolution_that_cannot_be_is_refused(
    place: Path, options: list[str], status: int, found: str
) -> None:
    """Wrong usage and refused changes are errors, and change nothing."""
    before = open_table(place).metadata_location
    outcome = byteloom("table", "evolve", place, *options)
    assert outcome.status == status
    assert found in outcome.err
    assert open_table(place).metadata_location == before


def test_properties_are_set_and_removed_in_one_commit(place: Path) -> None:
    """A value may be empty; a property is not both set and removed."""
    byteloom("table", "set", place, "a=1", "b=2")
    out = byteloom("table", "set", place, "c=", "--remove", "a", "--json").out
    table = open_table(place)
    assert json.loads(out) == {"metadata_file": table.metadata_location}
    assert dict(table.metadata.properties) == {"b": "2", "c": ""}
    assert byteloom("table", "set", place).status == 2
    both = byteloom("table", "set", place, "b=3", "--remove", "b")
    assert "properties.b: found set and removed, wanted one of the two" in both.err


def test_branches_and_tags_come_move_and_go(place: Path) -> None:
    """Each command prints where the branch or tag is then."""
    first, second = (each.snapshot_id for each in open_table(place).snapshots)
    ages = ("--max-age", "90d", "--max-snapshot-age", "1h", "--min-snapshots", "2")
    made = byteloom("table", "branch", place, "audit", "--snapshot", first, *ages, "--json").out
    assert json.loads(made) == {"name": "audit", "type": "branch", "snapshot_id": first}
    assert open_table(place).metadata.refs["audit"].min_snapshots_to_keep == 2
    assert byteloom("table", "tag", place, "eod").out == f"tag eod, snapshot {second}\n"
    moved = byteloom("table", "fast-forward", place, "audit", "eod").out
    assert moved == f"branch audit, snapshot {second}\n"
    back = byteloom("table", "rollback", place, "--snapshot", first, "--branch", "audit").out
    assert back == f"branch audit, snapshot {first}\n"
    assert byteloom("table", "rollback", place, "--ref", "audit").status == 0
    assert byteloom("table", "fast-forward", place, "main", "eod").status == 0
    assert byteloom("table", "rollback", place, "--as-of", "2999").out.endswith(f"{second}\n")
    assert byteloom("table", "branch", place, "audit", "--delete").status == 0
    assert byteloom("table", "tag", place, "eod", "--delete").status == 0
    assert list(open_table(place).metadata.refs) == ["main"]
    assert open_table(place).verify() == []


@pytest.mark.parametrize(
    ("words", "status", "found"),
    rows("cli/table_changes", "what_no_branch_can_be_is_refused"),
)
def test_what_no_branch_can_be_is_refused(
    place: Path, words: list[str], status: int, found: str
) -> None:
    """Wrong usage and unknown names are errors, and change nothing."""
    before = open_table(place).metadata_location
    command, *rest = words
    outcome = byteloom("table", command, place, *rest)
    assert outcome.status == status
    assert found in outcome.err
    assert open_table(place).metadata_location == before
