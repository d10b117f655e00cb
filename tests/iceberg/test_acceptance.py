"""What Java's library was seen to do when it commits: the numbers of its runs, and what it refuses.

Files are named in commits and need not exist, as in Java's own tests.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from byteloom.errors import ArgumentError, CommitConflict, Unsupported
from byteloom.iceberg import Table, create_table, open_table
from byteloom.iceberg.commits.snapshots import Effects, commit_snapshot
from byteloom.iceberg.commits.validation import Validation
from byteloom_generated.iceberg.manifests import EntryStatus, FileContent
from byteloom_generated.iceberg.table_updates import (
    AddSnapshot,
    AssertRefSnapshotId,
    SetSnapshotRef,
)

if TYPE_CHECKING:
    from byteloom.iceberg.stored_table import StoredTable
    from byteloom_generated.iceberg.table_metadata import Snapshot

COLUMNS = pa.schema({"id": pa.int64(), "part": pa.int64()})


@dataclass(frozen=True)
class Given:
    """An operation whose files are given."""

    made: Effects

    def effects(self, base: StoredTable, head: Snapshot | None) -> Effects:  # noqa: ARG002
        """Return what is given."""
        return self.made

    def keep(self) -> None:
        """Do nothing: there are no files."""


def commit(table: Table, operation: str, *added: dict[str, Any], **effects: Any) -> Table:
    """Return a table after a commit of given files."""
    validation = Validation.of("new rows", table, "main")
    made = Given(Effects(operation, added, **effects))
    return commit_snapshot(table, made, validation, branch="main")


def file(path: str, rows: int, size: int, **more: Any) -> dict[str, Any]:
    """Return a file without a partition."""
    return {
        "status": EntryStatus.ADDED,
        "content": FileContent.DATA,
        "file_path": path,
        "file_format": "PARQUET",
        "spec_id": 0,
        "partition": {},
        "record_count": rows,
        "file_size_in_bytes": size,
        **more,
    }


def vector(path: str, of: str, rows: int) -> dict[str, Any]:
    """Return a deletion vector of 40 bytes."""
    place = {"content_offset": 4, "content_size_in_bytes": 40, "referenced_data_file": of}
    kind = {"content": FileContent.POSITION_DELETES, "file_format": "PUFFIN"}
    return file(path, rows, 500, **kind, **place)


def summary_of(table: Table) -> dict[str, str]:
    """Return the summary of the current snapshot."""
    assert table.current_snapshot is not None
    return dict(table.current_snapshot.summary)


def numbers(table: Table) -> tuple[int | None, int | None, int | None]:
    """Return the first row id of the current snapshot, its rows, and the next row id."""
    snapshot = table.current_snapshot
    assert snapshot is not None
    return snapshot.first_row_id, snapshot.added_rows, table.metadata.document.next_row_id


def part(rows: int, number: int) -> pa.Table:
    """Return rows of a partition."""
    return pa.table({"id": list(range(rows)), "part": [number] * rows}, COLUMNS)


def test_deletes_of_both_kinds_are_counted_apart(tmp_path: Path) -> None:
    """Files of keys and of positions are in one snapshot; no row less is counted for them.

    Source: acceptance facts 1 and 2, of Java's ``RowDelta``.
    """
    table = create_table(tmp_path / "t", COLUMNS)
    files = [file(f"{rows}.parquet", rows, 10 * rows) for rows in (10, 20, 30)]
    table = commit(table, "append", *files)
    assert summary_of(table) == {
        "operation": "append",
        "added-data-files": "3",
        "added-files-size": "600",
        "added-records": "60",
        "changed-partition-count": "1",
        "manifests-created": "1",
        "manifests-kept": "0",
        "manifests-replaced": "0",
        "total-data-files": "3",
        "total-delete-files": "0",
        "total-equality-deletes": "0",
        "total-files-size": "600",
        "total-position-deletes": "0",
        "total-records": "60",
    }
    keys = file("k.parquet", 2, 77, content=FileContent.EQUALITY_DELETES, equality_ids=[1])
    positions = file("p.parquet", 3, 66, content=FileContent.POSITION_DELETES)
    table = commit(table, "delete", keys, positions)
    assert summary_of(table) == {
        "operation": "delete",
        "added-delete-files": "2",
        "added-equality-delete-files": "1",
        "added-equality-deletes": "2",
        "added-files-size": "143",
        "added-position-delete-files": "1",
        "added-position-deletes": "3",
        "changed-partition-count": "1",
        "manifests-created": "1",
        "manifests-kept": "1",
        "manifests-replaced": "0",
        "total-data-files": "3",
        "total-delete-files": "2",
        "total-equality-deletes": "2",
        "total-files-size": "743",
        "total-position-deletes": "3",
        "total-records": "60",
    }


def test_rewritten_manifests_take_row_ids_again(tmp_path: Path) -> None:
    """A rewrite of a file numbers what stays of its manifest, and merging numbers all rows.

    Source: acceptance fact 9, of Java's ``RewriteFiles`` and ``RewriteManifests``.
    """
    table = create_table(tmp_path / "t", COLUMNS, partition_by=["part"], format_version=3)
    table = table.append(pa.concat_tables([part(100, 0), part(50, 1)])).append(part(7, 2))
    assert numbers(table) == (150, 7, 157)
    table = table.delete("part = 0 and id < 4")
    assert numbers(table) == (157, 146, 303)
    listed = table.metadata_table("manifests").to_pylist()
    assert len(listed) == 3
    files = table.metadata_table("files").to_pylist()
    assert sorted((each["record_count"], each["first_row_id"]) for each in files) == [
        (7, 150),
        (50, 100),
        (96, 157),
    ]
    merging = {"commit.manifest.min-count-to-merge": "2"}
    table = commit(table.set_properties(merging), "replace")
    assert len(table.metadata_table("manifests")) == 1
    assert numbers(table) == (303, 153, 456)
    assert table.verify() == []


def test_a_rewrite_can_keep_the_age_of_its_rows(tmp_path: Path) -> None:
    """The file has the data sequence number that is stated; the vector of the replaced one goes.

    Source: acceptance fact 11, of Java's ``RewriteFiles.dataSequenceNumber``.
    """
    table = create_table(tmp_path / "t", COLUMNS, format_version=3)
    table = commit(table, "append", file("a.parquet", 10, 100))
    table = commit(table, "append", file("b.parquet", 10, 100))
    table = commit(table, "delete", vector("v.puffin", "a.parquet", 4))
    new = file("c.parquet", 6, 60, sequence_number=3)
    table = commit(table, "replace", new, removed_data=["a.parquet"])
    assert summary_of(table)["removed-dvs"] == "1"
    assert summary_of(table)["removed-position-deletes"] == "4"
    entries = table.metadata_table("entries").to_pylist()
    (added,) = [each for each in entries if each["data_file"]["file_path"] == "c.parquet"]
    assert (added["sequence_number"], added["file_sequence_number"]) == (3, 4)
    manifests = table.manifests(table.current_snapshot)
    names = ("sequence_number", "min_sequence_number")
    assert [manifests.numbers(each)[0] for each in names] == [4, 3]


def expired(table: Table, kept: list[int]) -> Table:
    """Return a table whose other snapshots were removed, as Java does it: parents stay named."""
    place = Path(table.metadata_location)
    document = json.loads(place.read_text())
    document["snapshots"] = [e for e in document["snapshots"] if e["snapshot-id"] in kept]
    document["snapshot-log"] = document["snapshot-log"][-1:]
    place.write_text(json.dumps(document))
    return open_table(table.metadata.location)


def test_commits_follow_snapshots_whose_parents_have_expired(tmp_path: Path) -> None:
    """New ones are made on all branches, with totals; what was worked out before is refused.

    Source: acceptance fact 18, of Java's ``ExpireSnapshots``.
    """
    table = first = create_table(tmp_path / "t", COLUMNS, format_version=3)
    states = []
    for number in range(4):
        table = table.append(part(2, number))
        states.append(table)
    ids = [each.snapshot_id for each in table.snapshots]
    table = table.create_tag("kept", snapshot=ids[1]).create_branch("audit", snapshot=ids[2])
    table = table.append(part(2, 9), branch="audit")
    head = table.metadata.refs["audit"].snapshot_id
    table = expired(table, [ids[1], ids[3], head])
    assert table.verify() == []
    assert table.append(part(1, 5)).scan().count() == 9
    made = open_table(tmp_path / "t").append(part(1, 6), branch="audit")
    assert made.scan(ref="audit").count() == 9
    assert made.delete("part = 0").scan().count() == 7
    with pytest.raises(CommitConflict, match="is no longer in the branch"):
        states[2].delete("part = 1 and id = 0")
    with pytest.raises(CommitConflict, match=r"the history of the branch before .* has expired"):
        first.overwrite_partitions(part(1, 7))
    assert open_table(tmp_path / "t").verify() == []


@pytest.mark.parametrize("version", [2, 3])
def test_a_catalog_refuses_what_is_not_of_its_newest_state(tmp_path: Path, version: int) -> None:
    """A branch that moved, and numbers that are taken, are conflicts; what cannot be is an error.

    Source: acceptance fact 19, of Java's ``UpdateRequirement`` and ``TableMetadata.Builder``.
    """
    table = create_table(tmp_path / "t", COLUMNS, format_version=version).append(part(3, 0))
    snapshot = table.append(part(2, 0)).snapshots[-1]
    table = open_table(tmp_path / "t")
    document = snapshot.to_json(version=version)
    moved = AssertRefSnapshotId(ref="main", snapshot_id=document["parent-snapshot-id"])
    with pytest.raises(CommitConflict, match="main is snapshot"):
        table.catalog.commit(table, [moved], [])
    with pytest.raises(ArgumentError, match=r"snapshot-id: found .*, wanted one that the table"):
        table.catalog.commit(table, [], [AddSnapshot(snapshot=document)])
    other = {**document, "snapshot-id": 7}
    with pytest.raises(CommitConflict, match="sequence-number 2, wanted 3 or more"):
        table.catalog.commit(table, [], [AddSnapshot(snapshot=other)])
    newer = {**other, "sequence-number": 3}
    if version > 2:
        with pytest.raises(CommitConflict, match="first-row-id 3, wanted 5 or more"):
            table.catalog.commit(table, [], [AddSnapshot(snapshot=newer)])
    ref = SetSnapshotRef(ref_name="audit", type="branch", snapshot_id=8)
    with pytest.raises(ArgumentError, match="ref: found snapshot 8 for 'audit'"):
        table.catalog.commit(table, [], [ref])
    assert open_table(tmp_path / "t").metadata_location == table.metadata_location


def test_more_rows_than_were_replaced_are_refused(tmp_path: Path) -> None:
    """Fewer are accepted: deletes were applied.

    Source: acceptance fact 20, of Java's ``RewriteFiles``.
    """
    table = create_table(tmp_path / "t", COLUMNS)
    table = commit(table, "append", file("a.parquet", 10, 100))
    with pytest.raises(ArgumentError, match="found 11 rows in place of 10"):
        commit(table, "replace", file("b.parquet", 11, 100), removed_data=["a.parquet"])
    made = commit(table, "replace", file("b.parquet", 9, 100), removed_data=["a.parquet"])
    assert summary_of(made)["total-records"] == "9"


@pytest.mark.parametrize(
    ("version", "delete"),
    [
        (1, file("k.parquet", 1, 10, content=FileContent.EQUALITY_DELETES, equality_ids=[1])),
        (2, vector("v.puffin", "a.parquet", 1)),
        (3, file("p.parquet", 1, 10, content=FileContent.POSITION_DELETES)),
    ],
)
def test_deletes_of_another_version_are_refused(
    tmp_path: Path, version: int, delete: dict[str, Any]
) -> None:
    """Version 1 has none, version 2 no vectors, and version 3 no new files of positions.

    Source: acceptance fact 20, of Java's ``RowDelta``.
    """
    table = create_table(tmp_path / "t", COLUMNS, format_version=version)
    table = commit(table, "append", file("a.parquet", 10, 100))
    before = sorted((tmp_path / "t").rglob("*"))
    with pytest.raises(Unsupported, match=f"in version {version}, wanted .* in version {version}"):
        commit(table, "delete", delete)
    assert sorted((tmp_path / "t").rglob("*")) == before
