"""`byteloom verify` of a folder finds the tables below it whose metadata was overwritten."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

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
    bad = [each for each in lines if each["status"] not in {"ok", "skipped", "elsewhere"}]
    assert {each["status"] for each in bad} == {"damaged"}
    return [each["file"] for each in bad]


@pytest.mark.parametrize("newest", NEWEST)
@pytest.mark.parametrize("kind", OVERWRITTEN)
def test_a_table_without_readable_metadata_is_damaged(
    warehouse: Path, kind: str, newest: str
) -> None:
    """Whatever is in its newest metadata file, a table is one, and has the only line of it."""
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


def test_a_view_is_no_table(warehouse: Path) -> None:
    """The metadata of a view is skipped, in a folder and by itself, also with spaces in it."""
    shutil.rmtree(warehouse / "db")
    for name, text in (("one", '{"view-uuid":"a"}'), ("other", '{  "view-uuid" : "b"')):
        file = warehouse / name / "metadata" / "00001-a.metadata.json"
        file.parent.mkdir(parents=True)
        file.write_text(text)
    outcome = byteloom("verify", warehouse)
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.startswith("2 skipped\n")
