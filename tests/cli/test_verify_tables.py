"""`byteloom verify` of a folder finds the tables below it whose metadata was overwritten."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.cli import byteloom

from byteloom.spark.jobs.auditing import check_group, joined, tasks_of
from byteloom.verification import Search

if TYPE_CHECKING:
    from pathlib import Path

OVERWRITTEN = {
    "empty": b"",
    "zeros": bytes(400),
    "no JSON": b"\x8f\x13 spoiled " * 30,
    "cut": b"{",
    "blank": b"\n",
    "other JSON": b'{"a": 1}',
    "other format": b"PK\3\4" + bytes(60),
}
NEWEST = [
    "v3.metadata.json",
    "v3.gz.metadata.json",
    "v3.metadata.json.gz",
    "00003-0d4c.metadata.json",
]


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a table whose newest metadata file has version 2."""
    folder = tmp_path_factory.mktemp("samples") / "s"
    assert byteloom("samples", folder).status == 0
    return folder / "orders"


@pytest.fixture
def warehouse(samples: Path, tmp_path: Path) -> Path:
    """A folder with a copy of the table, two levels down."""
    shutil.copytree(samples, tmp_path / "wh" / "db" / "orders")
    return tmp_path / "wh"


def _damaged(place: Path) -> list[str]:
    """The places that `verify` lists as anything but sound, skipped or moved; its status is 1."""
    outcome = byteloom("verify", "--json", place)
    assert outcome.status == 1
    lines = [json.loads(each) for each in outcome.out.splitlines()]
    bad = [each for each in lines if each["status"] not in {"ok", "data", "skipped", "elsewhere"}]
    assert {each["status"] for each in bad} == {"damaged"}
    return [each["file"] for each in bad]


@pytest.mark.parametrize("newest", NEWEST)
@pytest.mark.parametrize("kind", OVERWRITTEN)
def test_a_table_without_readable_metadata_is_damaged(
    warehouse: Path, kind: str, newest: str
) -> None:
    """A table with unreadable metadata is damaged, and its metadata file has no second line."""
    table = warehouse / "db" / "orders"
    (table / "metadata" / newest).write_bytes(OVERWRITTEN[kind])
    assert _damaged(warehouse) == [str(table)]
    below, named = byteloom("verify", warehouse), byteloom("verify", table)
    assert below.out == named.out
    assert f"damaged     {table}  {table / 'metadata' / newest}: " in below.out


@pytest.mark.parametrize("part", [2_000, 1])
def test_an_audit_reports_such_a_table_once(warehouse: Path, part: int) -> None:
    """An audit has one finding of a table whose metadata is empty, however it is divided."""
    table = warehouse / "db" / "orders"
    (table / "metadata" / "v3.metadata.json").touch()
    tasks = tasks_of(list(Search().places(str(warehouse))), part)
    checked = joined([check_group([each], None, None) for each in tasks])
    (found,) = checked.findings
    assert (found.file, found.status, found.format) == (str(table), "damaged", "iceberg_metadata")
    assert (checked.counts["damaged"], checked.counts["empty"]) == (1, 0)


@pytest.mark.parametrize("kind", ["empty", "zeros", "no JSON", "cut", "blank"])
def test_older_metadata_files_are_damaged_by_themselves(warehouse: Path, kind: str) -> None:
    """A metadata file that is not the newest has a line of its own: its name says what it was."""
    old = warehouse / "db" / "orders" / "metadata" / "v1.metadata.json"
    old.write_bytes(OVERWRITTEN[kind])
    assert _damaged(warehouse) == [str(old)]
    assert _damaged(old.parent) == [str(old)]


def test_a_metadata_file_of_another_name_leaves_a_table_unreadable(tmp_path: Path) -> None:
    """A folder that `table list` takes for a table, but whose files have no version, is listed."""
    file = tmp_path / "wh" / "t" / "metadata" / "last.metadata.json"
    file.parent.mkdir(parents=True)
    file.write_text("{")
    outcome = byteloom("verify", tmp_path / "wh")
    assert outcome.status == 1
    assert outcome.out.startswith(f"unreadable  {tmp_path}/wh/t  no metadata file in ")


def test_a_table_that_has_lost_its_metadata_files_is_unreadable(warehouse: Path) -> None:
    """Where manifest lists are left of a table, it is listed; nothing else says that it is lost."""
    table = warehouse / "db" / "orders"
    for each in (table / "metadata").glob("*.metadata.json"):
        each.unlink()
    outcome = byteloom("verify", warehouse)
    assert outcome.status == 1
    assert f"unreadable  {table}  no metadata file in {table}/metadata" in outcome.out
    for each in (table / "metadata").glob("snap-*.avro"):
        each.unlink()
    assert byteloom("verify", warehouse).status == 0


def test_a_view_is_no_table(warehouse: Path) -> None:
    """The metadata of a view is skipped, in a folder and by itself, even with spaces in it."""
    shutil.rmtree(warehouse / "db")
    for name, text in (("one", '{"view-uuid":"a"}'), ("other", '{  "view-uuid" : "b"')):
        file = warehouse / name / "metadata" / "00001-a.metadata.json"
        file.parent.mkdir(parents=True)
        file.write_text(text)
    outcome = byteloom("verify", warehouse)
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.startswith("2 skipped\n")


def test_a_named_view_is_skipped_and_not_listed_as_a_table(warehouse: Path) -> None:
    """A named view is skipped, not damaged; `table list` leaves it out; `table info` says why."""
    view = warehouse / "view"
    file = view / "metadata" / "00001-a.metadata.json"
    file.parent.mkdir(parents=True)
    file.write_text('{"view-uuid":"a","format-version":1,"location":"x"}')
    for named in (view, file):
        outcome = byteloom("verify", named)
        assert outcome.status == 2
        assert (
            outcome.out == f"skipped     {named}  an Iceberg view, which has no files of its own\n"
        )
    listed = [
        json.loads(each) for each in byteloom("table", "list", warehouse, "--json").out.splitlines()
    ]
    assert [each["name"] for each in listed] == ["db/orders"]
    found = "found metadata of an Iceberg view, wanted that of a table"
    assert byteloom("table", "info", view).err == f"byteloom: {file}: {found}\n"


def test_a_folder_may_be_named_by_its_url(samples: Path) -> None:
    """`verify file:///folder` is `verify /folder`."""
    outcome = byteloom("verify", f"file://{samples}")
    assert (outcome.status, outcome.out) == (0, byteloom("verify", samples).out)
    assert outcome.out.startswith(f"ok          {samples}  Iceberg table, version 3")


def test_a_hint_of_a_missing_version_is_mentioned(warehouse: Path, samples: Path) -> None:
    """A `version-hint.text` that names no metadata file is mentioned; the newest is checked."""
    table = warehouse / "db" / "orders"
    hint = table / "metadata" / "version-hint.text"
    remark = "; version-hint.text says '7', a version without a metadata file, so v2.metadata.json"
    for text, is_stale in (("7", True), ("2", False), ("v2.metadata.json\n", False)):
        hint.write_text(text)
        outcome = byteloom("verify", table, "--relocate", f"{samples}={table}")
        assert (outcome.status, f"{remark} was checked\n" in outcome.out) == (0, is_stale)


def _in_a_store(table: Path) -> str:
    """Let metadata of a table say that it is in a store that does not exist; return the place."""
    (file,) = (table / "metadata").glob("*.json")
    document = json.loads(file.read_text())
    old, new = document["location"], "s3://byteloom-missing/orders"
    file.write_text(file.read_text().replace(old, new))
    return new


def test_a_copy_of_a_table_in_a_store_does_not_lead_to_the_store(warehouse: Path) -> None:
    """A local copy says where its original is; the network is not used, unless it is allowed."""
    table = warehouse / "db" / "orders"
    store = _in_a_store(table)
    outcome = byteloom("verify", table)
    assert outcome.status == 2
    says = f"its metadata names files in {store}, and the table is in {table}: none was checked"
    assert outcome.out.startswith(f"elsewhere   {table}  Iceberg table, {says} (--relocate ")
    (first,) = [each for each in _lines(table) if each["file"] == str(table)]
    assert [each["kind"] for each in first["findings"]] == ["MovedTable"]
    for command in (["scan"], ["count"], ["plan"], ["files"], ["metadata", "manifests"]):
        refused = byteloom("table", command[0], table, *command[1:])
        assert refused.status == 1
        assert (
            f": not read, since the table is a copy in {table} of one in {store}: " in refused.err
        )
        assert f"--allow {store} those of the original" in refused.err
    assert byteloom("table", "info", table).status == 0
    here = byteloom("verify", table, "--allow", table)
    assert here.status == 1
    assert f".avro: not allowed, wanted a file below allow= {table}" in here.out


def test_allow_confines_what_metadata_leads_to(warehouse: Path, samples: Path) -> None:
    """With `--allow`, `verify` and `table scan` read only files below the prefixes."""
    table = warehouse / "db" / "orders"  # whose metadata names the files of the samples
    assert byteloom("table", "count", table, "--allow", samples).out == "990\n"
    refused = byteloom("table", "scan", table, "--allow", table)
    assert refused.status == 1
    assert f": not allowed, wanted a file below allow= {table}" in refused.err
    assert byteloom("verify", samples, "--allow", samples).status == 0
    assert byteloom("verify", samples, "--allow", f"{samples}/metadata").status == 1


def _lines(place: Path) -> list[dict[str, Any]]:
    return [json.loads(each) for each in byteloom("verify", "--json", place).out.splitlines()]


def test_findings_name_the_damaged_file_as_a_key(warehouse: Path, samples: Path) -> None:
    """Each finding of `verify --json` has the file that it is about, and where in it."""
    table = warehouse / "db" / "orders"
    deletes, data = table / "data" / "deletes.puffin", table / "data" / "00001.parquet"
    spoiled = bytearray(deletes.read_bytes())
    spoiled[20] ^= 1
    deletes.write_bytes(spoiled)
    data.unlink()
    outcome = byteloom("verify", table, "--relocate", f"{samples}={table}", "--json")
    lines = {each["file"]: each for each in map(json.loads, outcome.out.splitlines())}
    files = {
        each["kind"]: each["file"].partition(" (written as ")[0]
        for each in lines[str(table)]["findings"]
    }
    assert files == {"MissingFile": str(data), "ChecksumMismatch": str(deletes)}
    assert {each["file"] for each in lines[str(deletes)]["findings"]} == {str(deletes)}
    metadata = table / "metadata" / "v2.metadata.json"
    document = json.loads(metadata.read_text())
    document["snapshots"][1]["sequence-number"] = 99
    metadata.write_text(json.dumps(document))
    (first,) = [each for each in _lines(table) if each["file"] == str(table)]
    broken = [each for each in first["findings"] if "sequence" in each.get("path", "")]
    assert str(metadata) in {each["file"] for each in broken}


@pytest.mark.parametrize("is_url", [False, True])
def test_files_that_no_snapshot_names_are_orphans(warehouse: Path, *, is_url: bool) -> None:
    """A data file in a table's folder is an orphan if the table names it nowhere, else data."""
    data = warehouse / "db" / "orders" / "data"
    shutil.copy(data / "00000.parquet", data / "lost.parquet")
    shutil.copy(data / "00000.parquet", warehouse / "db" / "other.parquet")
    relocate = ["--relocate", f"{_written(warehouse)}={data.parent}"]
    place = f"file://{warehouse}" if is_url else str(warehouse)
    outcome = byteloom("verify", "--json", *relocate, place)
    lines = [json.loads(each) for each in outcome.out.splitlines()]
    found = {each["file"].rpartition("/")[2]: each for each in lines}
    assert outcome.status == 0
    assert found["lost.parquet"]["status"] == "orphan"
    assert found["lost.parquet"]["summary"].endswith(f"no snapshot of {data.parent} names")
    assert {found[each]["status"] for each in ("00000.parquet", "00001.parquet")} == {"data"}
    assert found["other.parquet"]["status"] == "ok"


def test_no_file_of_a_moved_table_is_an_orphan(warehouse: Path) -> None:
    """A table that names files at another place says nothing of those in its folder."""
    outcome = byteloom("verify", "--json", warehouse)
    lines = [json.loads(each) for each in outcome.out.splitlines()]
    assert outcome.status == 2
    assert "orphan" not in {each["status"] for each in lines}


def _written(warehouse: Path) -> str:
    """Return the place of the table in its metadata."""
    metadata = warehouse / "db" / "orders" / "metadata" / "v2.metadata.json"
    return str(json.loads(metadata.read_bytes())["location"])
