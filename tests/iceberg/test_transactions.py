"""Several changes of a table are one commit."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from byteloom.errors import ArgumentError, CommitConflict
from byteloom.iceberg import Table, create_table, open_table

COLUMNS = pa.schema({"id": pa.int64()})


def ids(*values: int) -> pa.Table:
    """Return rows."""
    return pa.table({"id": list(values)}, COLUMNS)


def held(table: Table, ref: str | None = None) -> list[int]:
    """Return the rows of a table, in order."""
    return sorted(table.scan(ref=ref).to_table()["id"].to_pylist())


def files(table: Table) -> set[Path]:
    """Return all files of a table."""
    return {each for each in Path(table.metadata.location).rglob("*") if each.is_file()}


@pytest.mark.parametrize("version", [1, 2, 3])
def test_changes_of_a_transaction_are_one_commit(tmp_path: Path, version: int) -> None:
    """All snapshots are kept, the log names the last, and reads inside see what was changed."""
    table = create_table(tmp_path / "t", COLUMNS, format_version=version).append(ids(1, 2, 3))
    with table.transaction() as change:
        change.append(ids(4, 5))
        assert sorted(change.scan("id > 2").to_table()["id"].to_pylist()) == [3, 4, 5]
        change.delete("id = 2 or id = 4")
        change.set_properties({"owner": "ops"})
        assert held(open_table(tmp_path / "t")) == [1, 2, 3]
    made = change.table
    assert held(made) == held(open_table(tmp_path / "t")) == [1, 3, 5]
    assert len(made.snapshots) == 3
    assert len(made.metadata.document.snapshot_log) == 2
    assert made.metadata_location.endswith("v3.metadata.json")
    assert made.metadata.properties["owner"] == "ops"
    assert made.verify() == []


def test_a_transaction_of_a_branch_leaves_main(tmp_path: Path) -> None:
    """A new branch begins at the current snapshot."""
    table = create_table(tmp_path / "t", COLUMNS).append(ids(1))
    with table.transaction(branch="audit") as change:
        change.append(ids(2))
        change.overwrite(ids(3), "id = 1")
        assert sorted(change.scan().to_table()["id"].to_pylist()) == [2, 3]
    assert (held(change.table), held(change.table, ref="audit")) == ([1], [2, 3])
    assert change.table.verify() == []


def test_a_transaction_replaces_partitions_and_adds_files(tmp_path: Path) -> None:
    """These verbs too see what was changed before them."""
    table = create_table(tmp_path / "t", COLUMNS, partition_by=["bucket(2, id)"])
    pq.write_table(ids(6), tmp_path / "old.parquet")
    with table.append(ids(*range(5))).transaction() as change:
        change.overwrite(ids(7))
        change.overwrite_partitions(ids(7))
        change.append(ids(8))
    assert held(change.table) == [7, 8]
    plain = create_table(tmp_path / "plain", COLUMNS).append(ids(1))
    with plain.transaction() as change:
        change.overwrite_partitions(ids(2))
        change.add_files([tmp_path / "old.parquet"])
    assert held(change.table) == [2, 6]
    assert change.table.verify() == []


@pytest.mark.parametrize("version", [2, 3])
def test_a_transaction_is_made_again_after_another_writer(tmp_path: Path, version: int) -> None:
    """Its data files stay, and nothing is lost."""
    table = create_table(tmp_path / "t", COLUMNS, format_version=version).append(ids(1))
    with table.transaction() as change:
        change.append(ids(2))
        change.append(ids(3))
        table.append(ids(4))
    assert held(change.table) == [1, 2, 3, 4]
    head = change.table.metadata.refs["main"].snapshot_id
    assert len(change.table.metadata.ancestors(head)) == 4
    assert change.table.verify() == []


def test_a_transaction_that_fails_leaves_nothing(tmp_path: Path) -> None:
    """Files that its changes wrote are removed: after an error inside, and after a conflict."""
    table = create_table(tmp_path / "t", COLUMNS).append(ids(1, 2))
    before = files(table)
    with pytest.raises(ArgumentError), table.transaction() as change:  # noqa: PT012
        change.append(ids(3))
        change.delete("no = 1")
    assert files(table) == before
    with pytest.raises(CommitConflict), table.transaction() as change:  # noqa: PT012
        change.append(ids(3))
        change.delete("id = 1")
        own = files(table) - before
        newer = table.delete("id = 2")
        after = files(newer) - own
    assert files(newer) == after
    assert held(open_table(tmp_path / "t")) == [1]
    with pytest.raises(ArgumentError, match="found a change outside of with"):
        change.append(ids(3))


def test_a_transaction_without_changes_is_no_commit(tmp_path: Path) -> None:
    """The table stays as it is."""
    table = create_table(tmp_path / "t", COLUMNS)
    with table.transaction() as change:
        pass
    assert change.table.metadata_location == table.metadata_location
