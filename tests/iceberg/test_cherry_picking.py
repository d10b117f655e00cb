"""Snapshots of one branch are picked for another: appends by their files, others by moving it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from byteloom.errors import ArgumentError, CommitConflict, FormatError, Unsupported
from byteloom.iceberg import create_table, open_table

if TYPE_CHECKING:
    from byteloom.iceberg import Table


@pytest.fixture(params=[1, 2, 3])
def table(tmp_path: Path, request: pytest.FixtureRequest) -> Table:
    """A partitioned table whose branch audit has two more appends, and main another one."""
    made = create_table(
        tmp_path / "t",
        pa.schema({"n": pa.int64()}),
        partition_by=["bucket(2, n)"],
        format_version=request.param,
    )
    made = made.append(pa.table({"n": [1, 2]})).create_branch("audit")
    made = made.append(pa.table({"n": [3, 4, 5]}), branch="audit")
    return made.append(pa.table({"n": [6]}), branch="audit").append(pa.table({"n": [7]}))


def values(table: Table, ref: str = "main") -> list[int]:
    """Return the values of a branch."""
    found: list[int] = sorted(table.scan(ref=ref).to_table()["n"].to_pylist())
    return found


def audit(table: Table) -> list[int]:
    """Return the snapshots of the branch audit that main lacks, the newest first."""
    head = table.metadata.refs["audit"].snapshot_id
    return [each.snapshot_id for each in table.metadata.ancestors(head)][:2]


def test_an_append_is_made_again_with_its_files(table: Table) -> None:
    """The new snapshot names its source; sequence numbers and row ids are its own."""
    last, first = audit(table)
    made = table.cherry_pick(last).cherry_pick(first)
    assert values(made) == [1, 2, 3, 4, 5, 6, 7]
    assert values(made, "audit") == [1, 2, 3, 4, 5, 6]
    picked = made.current_snapshot
    assert picked is not None
    assert picked.summary["operation"] == "append"
    assert picked.summary["source-snapshot-id"] == str(first)
    assert picked.summary["added-records"] == "3"
    assert made.verify() == []
    if made.metadata.format_version == 3:
        ids = made.scan(columns=["_row_id"]).to_table()["_row_id"].to_pylist()
        assert len(set(ids)) == 7
    assert open_table(table.metadata.location).append(pa.table({"n": [8]})).verify() == []


def test_a_snapshot_that_follows_the_head_is_taken_as_it_is(table: Table) -> None:
    """The branch moves to it, whatever its operation is."""
    last, first = audit(table)
    made = table.create_branch("b", snapshot=table.snapshots[0].snapshot_id)
    made = made.cherry_pick(first, branch="b").cherry_pick(last, branch="b")
    assert made.metadata.refs["b"].snapshot_id == last
    assert len(made.snapshots) == len(table.snapshots)
    deleted = made.delete("n = 3", branch="audit")
    moved = deleted.cherry_pick(audit(deleted)[0], branch="b")
    assert values(moved, "b") == [1, 2, 4, 5, 6]
    assert moved.verify() == []


def test_what_cannot_be_picked_is_refused(table: Table) -> None:
    """Unknown snapshots, those of the branch itself, those picked already, and other operations."""
    last, _ = audit(table)
    with pytest.raises(ArgumentError, match="snapshot: found 5"):
        table.cherry_pick(5)
    with pytest.raises(ArgumentError, match="which the branch has by snapshot"):
        table.cherry_pick(table.snapshots[0].snapshot_id)
    made = table.cherry_pick(last)
    with pytest.raises(ArgumentError, match=f"snapshot: found {last}, which the branch has by"):
        made.cherry_pick(last)
    deleted = made.delete("n = 3", branch="audit")
    with pytest.raises(Unsupported, match=r"of operation .*, wanted an append, .* that follows"):
        deleted.cherry_pick(audit(deleted)[0])
    assert deleted.verify() == []


def test_a_staged_snapshot_is_published_once(table: Table) -> None:
    """Its wap.id becomes the published-wap-id of the new one, and is not published again."""
    last, first = audit(table)
    place = Path(table.metadata_location)
    document = json.loads(place.read_text())
    for each in document["snapshots"]:
        if each["snapshot-id"] in {last, first}:
            each["summary"]["wap.id"] = "w1"
    place.write_text(json.dumps(document))
    made = open_table(table.metadata.location).cherry_pick(first)
    assert made.current_snapshot is not None
    assert made.current_snapshot.summary["published-wap-id"] == "w1"
    with pytest.raises(ArgumentError, match="which the branch has by snapshot"):
        made.cherry_pick(last)


def test_another_writers_commit_does_not_stop_a_pick(table: Table) -> None:
    """It is made on the newest state; what that has already is refused there too."""
    last, first = audit(table)
    table.append(pa.table({"n": [9]}))
    made = table.cherry_pick(last)
    assert values(made) == [1, 2, 6, 7, 9]
    with pytest.raises(ArgumentError, match="which the branch has by snapshot"):
        table.cherry_pick(last)
    assert values(table.cherry_pick(first)) == [1, 2, 3, 4, 5, 6, 7, 9]


def replaced(table: Table) -> tuple[Table, int]:
    """Return a table with a snapshot of the branch stage that replaced partitions of main."""
    made = table.create_branch("stage").overwrite_partitions(pa.table({"n": [1]}), branch="stage")
    return made, made.metadata.refs["stage"].snapshot_id


def test_replaced_partitions_are_replaced_again(table: Table) -> None:
    """Their files go and the new ones come, after other partitions have changed.

    Source: Java's ``CherryPickOperation``.
    """
    made, picked = replaced(table)
    before = values(made)
    same = values(made, "stage")
    made = made.delete(f"n = {next(each for each in same if each != 1)}")
    other = set(before) - {*same}
    made = made.cherry_pick(picked)
    assert set(values(made)) <= {1, *same}
    assert other.isdisjoint(values(made))
    snapshot = made.current_snapshot
    assert snapshot is not None
    summary = dict(snapshot.summary)
    assert (summary["operation"], summary["source-snapshot-id"]) == ("overwrite", str(picked))
    assert made.verify() == []


def test_partitions_with_new_rows_are_not_replaced(table: Table) -> None:
    """Rows that were added to them since, or that the branch lacks, are not thrown away."""
    made, picked = replaced(table)
    grown = made.append(pa.table({"n": [1]}))
    with pytest.raises(CommitConflict, match="adds rows that may match the partitions"):
        grown.cherry_pick(picked)
    back = made.rollback(to=made.snapshots[0].snapshot_id)
    with pytest.raises(Unsupported, match="wanted one whose parent 'main' has"):
        back.cherry_pick(picked)
    assert grown.verify() == []


@pytest.mark.parametrize("verb", ["append", "overwrite_partitions"])
def test_the_table_decides_whether_a_named_snapshot_is_staged(table: Table, verb: str) -> None:
    """It waits under its name only if the property is set; published once, and then refused.

    Source: Java's ``SparkWriteConf`` (``write.wap.enabled``).
    """
    usual = getattr(table, verb)(pa.table({"n": [8]}), wap_id="load-1")
    assert 8 in values(usual)
    assert "wap.id" not in usual.snapshots[-1].summary
    wap = usual.set_properties({"write.wap.enabled": "true"})
    staged = getattr(wap, verb)(pa.table({"n": [9]}), wap_id="load-2")
    assert values(staged) == values(wap)
    snapshot = staged.snapshots[-1]
    assert snapshot.summary["wap.id"] == "load-2"
    made = staged.append(pa.table({"n": [10]}))  # in the other partition
    assert 10 in values(made)
    made = made.cherry_pick(snapshot.snapshot_id)
    assert 9 in values(made)
    again = made.append(pa.table({"n": [9]}), wap_id="load-2")
    with pytest.raises(ArgumentError, match="which the branch has by snapshot"):
        again.cherry_pick(again.snapshots[-1].snapshot_id)
    assert made.verify() == []


def test_what_is_staged_has_one_name(table: Table) -> None:
    """Both names, and an empty one, are refused."""
    rows = pa.table({"n": [8]})
    with pytest.raises(ArgumentError, match="stage: found True and a wap_id, wanted one of both"):
        table.append(rows, stage=True, wap_id="a")
    with pytest.raises(ArgumentError, match="wap_id: found '', wanted a name"):
        table.append(rows, wap_id="")
    wrong = table.set_properties({"write.wap.enabled": "perhaps"})
    with pytest.raises(FormatError, match="wanted true or false"):
        wrong.append(rows, wap_id="a")
