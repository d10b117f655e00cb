"""Manifests are merged and written again, with the numbers that files had."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from byteloom.iceberg import Table, create_table
from byteloom.iceberg.commits.merging import merge_groups, packed_from_the_end

COLUMNS = pa.schema({"id": pa.int64(), "part": pa.int64()})


def rows(count: int, part: int = 0) -> pa.Table:
    """Return some rows of a partition."""
    return pa.table({"id": list(range(count)), "part": [part] * count}, COLUMNS)


def manifests(table: Table) -> list[dict[str, Any]]:
    """Return the rows of the current list."""
    return list(table.manifests(table.current_snapshot).table.to_pylist())


def summary_of(table: Table) -> dict[str, str]:
    """Return the summary of the current snapshot."""
    snapshot = table.current_snapshot
    assert snapshot is not None
    return dict(snapshot.summary or {})


def numbers(table: Table) -> tuple[int | None, int | None, int | None]:
    """Return the first row id and the added rows of a snapshot, and the table's next row id."""
    snapshot = table.current_snapshot
    assert snapshot is not None
    return snapshot.first_row_id, snapshot.added_rows, table.metadata.document.next_row_id


@given(st.lists(st.integers(1, 100)), st.integers(1, 300))
def test_groups_are_neighbours_in_order(sizes: list[int], target: int) -> None:
    """Only the first group may have room for the manifest that would come before it."""
    groups = packed_from_the_end(sizes, lambda each: each, target)
    assert [each for group in groups for each in group] == sizes
    for before, group in pairwise(groups):
        assert sum(group) + before[-1] > target
    assert all(len(group) == 1 or sum(group) <= target for group in groups)


def test_the_newest_group_waits_for_members_and_specs_descend() -> None:
    """Any other group is merged at once; a group has manifests of one spec."""
    members = [(spec, number) for number, spec in enumerate([0, 1, 0, 1, 0])]
    made = merge_groups(members, spec_of=lambda m: m[0], size_of=lambda _: 1, target=9, least=4)
    assert made == [[(1, 1), (1, 3)], [(0, 0)], [(0, 2)], [(0, 4)]]
    made = merge_groups(members, spec_of=lambda m: m[0], size_of=lambda _: 1, target=9, least=3)
    assert made == [[(1, 1), (1, 3)], [(0, 0), (0, 2), (0, 4)]]


@pytest.mark.parametrize("version", [1, 2, 3])
def test_manifests_are_merged_as_the_table_asks(tmp_path: Path, version: int) -> None:
    """Earlier files are existing ones, with the snapshots and the numbers that they had."""
    properties = {"commit.manifest.min-count-to-merge": "3"}
    table = create_table(
        tmp_path / "t",
        COLUMNS,
        partition_by=["part"],
        format_version=version,
        properties=properties,
    )
    for part in range(3):
        table = table.append(rows(part + 1, part))
    (found,) = manifests(table)
    counts = [found[f"{kind}_files_count"] for kind in ("added", "existing", "deleted")]
    assert counts == [1, 2, 0]
    assert found["min_sequence_number"] == (1 if version > 1 else 0)
    entries = table.metadata_table("entries").to_pylist()
    assert [each["snapshot_id"] for each in entries] == [
        each.snapshot_id for each in table.snapshots[::-1]
    ]
    summary = summary_of(table)
    wanted = {"manifests-created": "1", "manifests-kept": "0", "manifests-replaced": "3"}
    assert {key: summary[key] for key in wanted} == wanted
    assert table.scan("part = 1").count() == 2
    assert table.verify() == []
    plain = table.set_properties({"commit.manifest-merge.enabled": "false"}).append(rows(1))
    assert len(manifests(plain.append(rows(1)).append(rows(1)))) == 4


def test_row_ids_follow_the_worked_example(tmp_path: Path) -> None:
    """Each new data manifest takes ids for its added and its existing rows."""
    table = create_table(tmp_path / "t", COLUMNS, partition_by=["part"], format_version=3).append(
        pa.concat_tables([rows(100, 0), rows(50, 1)])
    )
    assert numbers(table) == (0, 150, 150)
    table = table.append(rows(7, 2))
    assert numbers(table) == (150, 7, 157)
    merging = table.set_properties({"commit.manifest.min-count-to-merge": "2"})
    merged = merging.append(rows(3, 3))
    assert numbers(merged) == (157, 160, 317)
    firsts = merged.metadata_table("files").to_pylist()
    assert sorted(each["first_row_id"] for each in firsts) == [0, 100, 150, 157]
    gone = merged.delete("part = 0")
    assert gone.scan().count() == 60
    assert gone.verify() == []


def test_row_ids_of_an_upgraded_table_follow_the_worked_example(tmp_path: Path) -> None:
    """The first commit numbers all manifests; a later one numbers those it writes again."""
    table = create_table(tmp_path / "t", COLUMNS, partition_by=["part"])
    table = table.append(pa.concat_tables([rows(100, 0), rows(11, 1)]))
    table = table.evolve().upgrade(3).commit()
    assert numbers(table)[2] == 0
    table = table.append(rows(7, 2))
    assert numbers(table) == (0, 118, 118)
    table = table.delete("part = 0")
    assert numbers(table) == (118, 11, 129)
    assert sorted(each["first_row_id"] for each in table.metadata_table("files").to_pylist()) == [
        0,
        107,
    ]
    assert table.verify() == []


def test_a_removed_file_is_deleted_once_and_then_vanishes(tmp_path: Path) -> None:
    """Its entry is in the next list, and a manifest without live files leaves the one after."""
    table = create_table(tmp_path / "t", COLUMNS, partition_by=["part"])
    table = table.append(pa.concat_tables([rows(10, 0), rows(20, 1), rows(30, 2)]))
    table = table.delete("part = 2")
    (found,) = manifests(table)
    kinds = ("added", "existing", "deleted")
    assert [found[f"{kind}_files_count"] for kind in kinds] == [0, 2, 1]
    assert [found[f"{kind}_rows_count"] for kind in kinds] == [0, 30, 30]
    assert (found["sequence_number"], found["min_sequence_number"]) == (2, 1)
    table = table.delete("part < 2")
    (found,) = manifests(table)
    assert [found[f"{kind}_files_count"] for kind in kinds] == [0, 0, 2]
    assert (found["sequence_number"], found["min_sequence_number"]) == (3, 3)
    assert summary_of(table)["total-records"] == "0"
    assert len(manifests(table.append(rows(1)))) == 1
    assert table.verify() == []


def test_the_vector_of_a_removed_data_file_goes_with_it(tmp_path: Path) -> None:
    """Deleting all rows of a file removes the file and its deletion vector."""
    table = create_table(
        tmp_path / "t",
        COLUMNS,
        partition_by=["part"],
        format_version=3,
        properties={"write.delete.mode": "merge-on-read"},
    )
    table = table.append(pa.concat_tables([rows(10, 0), rows(20, 1)])).delete("id = 3")
    assert summary_of(table)["added-dvs"] == "2"
    table = table.delete("part = 1")
    summary = summary_of(table)
    assert (summary["deleted-data-files"], summary["removed-dvs"]) == ("1", "1")
    assert table.scan().count() == 9
    assert table.verify() == []


def test_a_staged_snapshot_takes_numbers_and_is_picked_later(tmp_path: Path) -> None:
    """No branch and no log has it; picked after another commit, it gets numbers of its own."""
    table = create_table(tmp_path / "t", COLUMNS, format_version=3)
    table = table.append(rows(1)).append(rows(1)).append(rows(2), stage="load-7")
    document = table.metadata.document
    assert (document.last_sequence_number, document.next_row_id) == (3, 4)
    assert len(document.snapshot_log) == 2
    assert table.scan().count() == 2
    staged = table.snapshots[-1]
    assert table.scan(snapshot=staged.snapshot_id).count() == 4
    assert (staged.summary or {})["wap.id"] == "load-7"
    table = table.append(rows(1)).cherry_pick(staged.snapshot_id)
    assert table.scan().count() == 5
    assert table.metadata.document.last_sequence_number == 5
    assert summary_of(table)["published-wap-id"] == "load-7"
    assert numbers(table) == (5, 2, 7)
    assert table.verify() == []


@pytest.mark.parametrize(("size", "counts"), [(1, [250, 250, 100]), (1 << 23, [600])])
def test_new_files_are_divided_at_the_target_size(
    tmp_path: Path, size: int, counts: list[int]
) -> None:
    """The size of a manifest is looked at after every 250 files, as in Java."""
    properties = {
        "commit.manifest.target-size-bytes": str(size),
        "commit.manifest-merge.enabled": "false",
    }
    file = tmp_path / "some.parquet"
    pq.write_table(pa.table({"id": [1], "part": [0]}, COLUMNS), file)
    paths = [tmp_path / f"{number}.parquet" for number in range(600)]
    for each in paths:
        each.hardlink_to(file)
    table = create_table(tmp_path / "t", COLUMNS, format_version=3, properties=properties)
    table = table.add_files(paths)
    found = manifests(table)
    assert [each["added_files_count"] for each in found] == counts
    assert [each["first_row_id"] for each in found] == [0, 250, 500][: len(counts)]
    assert summary_of(table)["manifests-created"] == str(len(counts))
    assert table.scan().count() == 600
    assert table.verify() == []


def test_new_manifests_are_merged_one_by_one(tmp_path: Path) -> None:
    """A manifest that was divided joins others, and no file is lost or there twice."""
    properties = {
        "commit.manifest.target-size-bytes": "4000",
        "commit.manifest.min-count-to-merge": "2",
    }
    table = create_table(tmp_path / "t", COLUMNS, partition_by=["part"], properties=properties)
    for _ in range(2):
        table = table.append(pa.table({"id": range(600), "part": range(600)}, COLUMNS))
    assert table.scan().count() == 1200
    assert table.metadata_table("files").num_rows == 1200
    assert table.verify() == []


def test_a_manifest_without_a_removed_file_is_not_read(tmp_path: Path) -> None:
    """A snapshot keeps it by what the list states, even if it cannot be read."""
    table = create_table(tmp_path / "t", COLUMNS, partition_by=["part"])
    for part in range(3):
        table = table.append(rows(2, part))
    place = table.relocation(manifests(table)[1]["manifest_path"])
    held = Path(place).read_bytes()
    Path(place).unlink()
    table = table.delete("part = 2")
    assert summary_of(table)["manifests-kept"] == "2"
    Path(place).write_bytes(held)
    assert table.scan().count() == 4
    assert table.verify() == []


def test_a_removed_file_is_found_in_the_manifest_that_others_merged_it_into(
    tmp_path: Path,
) -> None:
    """So is its deletion vector: both may be in other manifests than when they were planned."""
    properties = {"commit.manifest.min-count-to-merge": "2", "write.delete.mode": "merge-on-read"}
    table = create_table(
        tmp_path / "t", COLUMNS, partition_by=["part"], format_version=3, properties=properties
    )
    table = table.append(rows(3, 0)).delete("id = 1").append(rows(3, 1))
    table.append(rows(3, 2)).delete("id = 1")
    after = table.delete("part = 0")
    assert after.scan().count() == 4
    summary = summary_of(after)
    assert (summary["deleted-data-files"], summary["removed-dvs"]) == ("1", "1")
    assert after.verify() == []
