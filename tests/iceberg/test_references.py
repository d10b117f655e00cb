"""Branches and tags are created, moved and dropped, and properties set: commits without files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from byteloom.errors import ArgumentError, FormatError, Unsupported
from byteloom.iceberg import create_table, open_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom.iceberg import Table


@pytest.fixture(params=[1, 2, 3])
def table(tmp_path: Path, request: pytest.FixtureRequest) -> Table:
    """A table of three snapshots, with one row more in each."""
    made = create_table(tmp_path / "t", pa.schema({"n": pa.int64()}), format_version=request.param)
    for number in range(3):
        made = made.append(pa.table({"n": [number]}))
    return made


def ids(table: Table) -> list[int]:
    """Return the ids of the snapshots, the oldest first."""
    return [each.snapshot_id for each in table.snapshots]


def values(table: Table, ref: str | None = None) -> list[int]:
    """Return the values of a state."""
    found: list[int] = sorted(table.scan(ref=ref).to_table()["n"].to_pylist())
    return found


def test_a_branch_and_a_tag_keep_what_they_name(table: Table) -> None:
    """A branch gets snapshots of its own, a tag stays, and both have their settings."""
    made = table.create_branch("audit", max_snapshot_age="2h", min_snapshots=5)
    made = made.create_tag("old", snapshot=ids(table)[0], max_age="90d")
    made = made.append(pa.table({"n": [9]}), branch="audit")
    assert values(made) == [0, 1, 2]
    assert values(made, "audit") == [0, 1, 2, 9]
    assert values(made, "old") == [0]
    branch, tag = made.metadata.refs["audit"], made.metadata.refs["old"]
    assert (branch.max_snapshot_age_ms, branch.min_snapshots_to_keep) == (7_200_000, 5)
    assert (tag.type, tag.max_ref_age_ms) == ("tag", 90 * 86_400_000)
    assert made.verify() == []
    assert open_table(made.metadata_location).metadata.refs == made.metadata.refs


def test_a_branch_moves_forward_and_back(table: Table) -> None:
    """Forward to what came after it, and back to what it had; the log has each move of main."""
    made = table.create_branch("audit").append(pa.table({"n": [9]}), branch="audit")
    made = made.fast_forward("main", to="audit")
    assert values(made) == [0, 1, 2, 9]
    made = made.rollback(to=ids(table)[1])
    assert values(made) == [0, 1]
    assert values(made, "audit") == [0, 1, 2, 9]
    log = [each.snapshot_id for each in made.metadata.document.snapshot_log]
    assert log == [*ids(made), ids(table)[1]]
    made = made.fast_forward("new", to="main").drop_ref("audit")
    assert values(made, "new") == [0, 1]
    assert sorted(made.metadata.refs) == ["main", "new"]
    assert made.append(pa.table({"n": [5]})).verify() == []


def test_a_branch_moves_back_to_a_moment(table: Table) -> None:
    """It is then at the last of its own snapshots until that moment."""
    second = table.snapshots[1]
    moment = second.timestamp_ms
    kept = [each.snapshot_id for each in table.snapshots if each.timestamp_ms <= moment]
    made = table.rollback(as_of=moment)
    assert made.metadata.refs["main"].snapshot_id == kept[-1]
    assert made.verify() == []
    branched = table.create_branch("b", snapshot=second.snapshot_id)
    assert values(branched.rollback(as_of="2999", branch="b"), "b") == [0, 1]
    with pytest.raises(ArgumentError, match=r"as_of: found 2001-01-01.* wanted the time of a"):
        table.rollback(as_of="2001")
    with pytest.raises(ArgumentError, match="to, as_of: found neither, wanted one of the two"):
        table.rollback()
    with pytest.raises(ArgumentError, match="to, as_of: found both, wanted one of the two"):
        table.rollback(to=second.snapshot_id, as_of=moment)


def test_properties_are_set_and_removed(table: Table) -> None:
    """Other properties stay, and one that is missing may be removed."""
    made = table.set_properties({"a": "1", "b": "2"}).set_properties({"b": "3"})
    assert dict(made.metadata.properties) == {"a": "1", "b": "3"}
    assert dict(made.remove_properties("a", "c").metadata.properties) == {"b": "3"}
    assert dict(table.metadata.properties) == {}


@pytest.mark.parametrize("value", ["many", "-1", "9" * 400])
def test_a_property_that_is_no_number_can_be_removed(table: Table, value: str) -> None:
    """Commits without a conflict do not ask how often they may be made again."""
    names = ["commit.retry.num-retries", "commit.retry.total-timeout-ms"]
    broken = table.set_properties(dict.fromkeys(names, value))
    made = broken.remove_properties(*names)
    with pytest.raises(FormatError, match=r"properties\.commit\.retry\.total-timeout-ms: found"):
        broken.create_tag("t")  # another writer was first
    assert dict(made.metadata.properties) == {}


def _forked(table: Table) -> Table:
    """Return a table whose branch left main before main moved on."""
    made = table.create_branch("audit", snapshot=ids(table)[0])
    return made.append(pa.table({"n": [9]}), branch="audit")


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda each: each.create_branch("main"), "branch: found 'main', which is a branch"),
        (lambda each: each.create_tag(""), "tag: found an empty name"),
        (lambda each: each.create_tag("x", snapshot=5), "snapshot: found 5"),
        (lambda each: each.create_tag("x", max_age="soon"), "max_age: found 'soon', wanted a time"),
        (lambda each: each.create_tag("x", max_age="0d"), "max_age: found '0d', wanted a time"),
        (lambda each: each.create_tag("x", max_age=0), "max_age: found 0"),
        (lambda each: each.create_branch("x", min_snapshots=0), "min_snapshots: found 0"),
        (lambda each: each.drop_ref("main"), "ref: found 'main'"),
        (lambda each: each.drop_ref("x"), "ref: found 'x', wanted a branch or tag"),
        (lambda each: each.fast_forward("main", to="x"), "ref: found 'x'"),
        (lambda each: _forked(each).fast_forward("main", to="audit"), "branch: found 'main'"),
        (
            lambda each: each.create_tag("t").fast_forward("t", to="main"),
            "branch: found 't', which is a tag",
        ),
        (
            lambda each: each.create_tag("t").append(pa.table({"n": [1]}), branch="t"),
            "branch: found 't', which is a tag",
        ),
        (lambda each: each.rollback(to=5), "snapshot: found 5"),
        (lambda each: each.set_properties({"uuid": "x"}), "properties.uuid: found a reserved key"),
        (lambda each: each.set_properties({"a": None}), "properties.a: found None, wanted text"),
        (lambda each: each.set_properties({1: "a"}), "properties: found the key 1, wanted text"),
        (lambda each: each.set_properties("a"), "properties: found 'a', wanted keys"),
        (lambda each: each.set_properties({"a": "\ud800"}), "metadata: found "),
        (lambda each: each.create_tag("\ud800"), "metadata: found "),
        (lambda each: each.create_tag(5), "tag: found 5, wanted a name"),
        (lambda each: each.append(pa.table({"n": [1]}), branch=""), "branch: found an empty name"),
        (lambda each: each.append(pa.table({"n": [1]}), branch=5), "branch: found 5"),
        (lambda each: each.fast_forward("", to="main"), "branch: found an empty name"),
    ],
)
def test_what_cannot_be_is_refused(
    table: Table, change: Callable[[Table], Any], found: str
) -> None:
    """The error names the argument, and the table stays as it was."""
    with pytest.raises(ArgumentError) as caught:
        change(table)
    assert str(caught.value).startswith(found)
    assert values(open_table(table.metadata.location)) == [0, 1, 2]


def test_a_snapshot_of_another_branch_is_no_way_back(table: Table) -> None:
    """A branch is not rolled back to a snapshot that it never had."""
    made = _forked(table)
    with pytest.raises(ArgumentError, match="wanted one that 'main' had before"):
        made.rollback(to=made.metadata.refs["audit"].snapshot_id)


def test_a_table_without_snapshots_has_nothing_to_name(tmp_path: Path) -> None:
    """A tag needs a snapshot."""
    empty = create_table(tmp_path / "t", pa.schema({"n": pa.int64()}))
    with pytest.raises(ArgumentError, match="a table without snapshots"):
        empty.create_tag("x")


def test_a_branch_is_not_created_twice_by_two_writers(table: Table) -> None:
    """The second writer, whose state is old, gets an error on the newest state."""
    table.create_branch("audit")
    with pytest.raises(ArgumentError, match="'audit', which is a branch"):
        table.create_branch("audit")
    assert values(table.append(pa.table({"n": [7]}))) == [0, 1, 2, 7]


@pytest.mark.parametrize("key", ["write.metadata.path", "encryption.key-id"])
def test_a_property_that_forbids_commits_is_not_set_and_can_be_removed(
    tmp_path: Path, key: str
) -> None:
    """Setting it is refused; another writer's table that has it takes only its removal."""
    made = create_table(tmp_path / "t", pa.schema({"n": pa.int64()}))
    with pytest.raises(Unsupported, match=key):
        made.set_properties({key: "x"})
    file = Path(made.metadata_location)
    file.write_text(json.dumps(json.loads(file.read_text()) | {"properties": {key: "x"}}))
    made = open_table(tmp_path / "t")
    with pytest.raises(Unsupported, match=key):
        made.set_properties({"owner": "ops"})
    with pytest.raises(Unsupported, match=key):
        made.append(pa.table({"n": [1]}))
    assert not list((tmp_path / "t").rglob("*.parquet"))
    assert dict(made.remove_properties(key).metadata.properties) == {}
