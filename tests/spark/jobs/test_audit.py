"""An audit in executors finds what `byteloom verify` finds."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.cli import byteloom
from tests.support.small_files import write_small_files
from tests.support.spark_tables import deleted_table, vector_table

from byteloom.spark.jobs import audit
from byteloom.spark.jobs.auditing import Finding, check_group, joined, tasks_of
from byteloom.verification import Search

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of every format, and tables, some damaged."""
    root = tmp_path_factory.mktemp("warehouse")
    write_small_files(root, files=80)
    deleted_table(root / "sound")
    deleted_table(root / "damaged", files=8)
    vector_table(root / "vectors")
    cut = root / "damaged" / "data" / "3.parquet"
    cut.write_bytes(cut.read_bytes()[:-7])
    (root / "damaged" / "data" / "5.parquet").unlink()
    spoiled = root / "damaged" / "data" / "6.parquet"
    data = bytearray(spoiled.read_bytes())
    data[4:40] = bytes(36)
    spoiled.write_bytes(data)
    vectors = root / "vectors" / "data" / "vectors.puffin"
    data = bytearray(vectors.read_bytes())
    data[20] ^= 1
    vectors.write_bytes(data)
    for number, place in enumerate(sorted(root.glob("*.hfile"))[:3]):
        data = bytearray(place.read_bytes())
        data[50 + number] ^= 4
        (root / f"damaged-{place.name}").write_bytes(data)
    (root / "empty").write_bytes(b"")
    return root


def verified(*places: Path) -> tuple[dict[str, int], list[tuple[Any, ...]]]:
    """What `byteloom verify` says: how many files have each status, and the findings."""
    outcome = byteloom("verify", "--json", *places)
    lines = [json.loads(each) for each in outcome.out.splitlines()]
    counts: dict[str, int] = {}
    for each in lines:
        counts[each["status"]] = counts.get(each["status"], 0) + 1
    found = [
        (line["file"], line["status"], line["format"], each["kind"], each.get("offset"))
        for line in lines
        for each in line["findings"]
    ]
    return counts, found


def found_by(findings: list[Finding]) -> list[tuple[Any, ...]]:
    """An audit's findings in the form of `verified`."""
    return [(each.file, each.status, each.format, each.kind, each.offset) for each in findings]


@pytest.mark.parametrize("part", [2_000, 3])
def test_tasks_find_what_verify_finds(warehouse: Path, part: int) -> None:
    """Audit tasks have the counts and findings of `byteloom verify`, for divided tables too."""
    tasks = tasks_of(list(Search().places(str(warehouse))), part)
    checked = joined([check_group([each], None, None) for each in tasks])
    counts, wanted = verified(warehouse)
    assert {key: each for key, each in checked.counts.items() if each} == counts
    assert sorted(found_by(checked.findings), key=str) == sorted(wanted, key=str)
    assert (len({each.part for each in tasks}) > 1) == (part == 3)


def test_rows_are_read_unless_they_are_not_wanted(warehouse: Path) -> None:
    """Damaged rows are found by an audit and by `byteloom verify`; `--no-rows` reads none."""
    tasks = tasks_of(list(Search().places(str(warehouse / "damaged"))))
    read, counted = (
        [each.message for each in check_group(tasks, None, None, rows=rows).findings]
        for rows in (True, False)
    )
    assert any("6.parquet" in each for each in read)
    assert counted == [each for each in read if "6.parquet" not in each]
    outcome = byteloom("verify", "--json", "--no-rows", warehouse / "damaged")
    lines = map(json.loads, outcome.out.splitlines())
    assert sum(len(each["findings"]) for each in lines) == len(counted)


def test_a_table_of_many_bytes_is_divided(warehouse: Path) -> None:
    """A table is checked in parts of some gigabytes if its rows are read, and else by its files."""
    large = warehouse / "sound" / "large"
    with large.open("wb") as file:
        file.truncate(9 << 30)  # without blocks on the disk
    try:
        places = list(Search().places(str(warehouse / "sound")))
        assert len([each for each in tasks_of(places) if each.part[1] == 3]) == 3
        assert {each.part for each in tasks_of(places, rows=False)} == {(0, 1)}
        assert [each.part for each in tasks_of(list(Search().places(str(large))))] == [(0, 1)]
    finally:
        large.unlink()


def test_executors_find_what_verify_finds(spark: Any, warehouse: Path) -> None:
    """An audit's DataFrame has the findings of `byteloom verify`, in the order of files."""
    made = audit(spark, [str(warehouse), str(warehouse / "nowhere")])
    counts, wanted = verified(warehouse, warehouse / "nowhere")
    rows = [Finding(**each.asDict()) for each in made.findings.collect()]
    assert {key: each for key, each in made.counts.items() if each} == counts
    assert sorted(found_by(rows), key=str) == sorted(wanted, key=str)
    assert [each.file for each in rows] == sorted(each.file for each in rows)
    assert made.links == []


def test_a_finding_says_what_verify_prints(spark: Any, warehouse: Path) -> None:
    """A finding has columns for file, place and problem, and a message as a sentence."""
    row = audit(spark, str(warehouse / "damaged" / "data" / "1.parquet")).findings
    assert row.collect() == []  # Parquet is checked with its table
    found = audit(spark, str(warehouse / "damaged")).findings
    assert found.columns == list(Finding._fields)
    cut = found.where("message like '%3.parquet%'").collect()
    assert len(cut) == 1
    assert cut[0].file == str(warehouse / "damaged")
    assert "found" in cut[0].message


def test_links_and_tables_elsewhere_are_named(spark: Any, tmp_path: Path) -> None:
    """A link to a folder is skipped and reported; a moved table is a finding."""
    deleted_table(tmp_path / "old", files=4, rows=5)
    (tmp_path / "old").rename(tmp_path / "new")
    (tmp_path / "link").symlink_to(tmp_path / "new")
    made = audit(spark, str(tmp_path))
    assert made.links == [str(tmp_path / "link")]
    (moved,) = made.findings.collect()
    assert (moved.file, moved.status, moved.kind) == (f"{tmp_path}/new", "elsewhere", "MovedTable")
    assert moved.message.startswith(
        f"Iceberg table, its metadata names files in {tmp_path / 'old'}"
    )
    assert (made.counts["damaged"], made.counts["elsewhere"]) == (0, 1)
    mapped = {str(tmp_path / "old"): str(tmp_path / "new")}
    counts = audit(spark, str(tmp_path), relocate=mapped).counts
    assert counts["ok"] + counts["data"] == made.counts["ok"] + 1
