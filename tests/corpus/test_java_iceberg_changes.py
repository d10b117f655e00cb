"""Split groups, appends and changelogs of tables of Java Iceberg are those that Java gives."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.support.java_iceberg import JavaTable, is_sound, java_tables

from byteloom.errors import ByteloomError

if TYPE_CHECKING:
    from byteloom.iceberg import Table, TableScan
    from byteloom.iceberg.planning.plan import FileTask
    from byteloom.iceberg.scan import AppendScan, ChangelogScan


@java_tables(is_sound)
def test_splits_cover_the_same_bytes_in_as_many_groups(java_table: JavaTable) -> None:
    """Splits are Java's, in the same number of groups, which may combine them differently."""
    plan = java_table.open().scan().plan()
    for stated in java_table.truth_lines("splits.jsonl"):
        splits = plan.splits(stated["target-size"], stated["open-file-cost"], stated["lookback"])
        groups = list(splits)
        found = [(java_table.relative(x.file_path), x.start, x.length) for g in groups for x in g]
        assert Counter(found) == Counter(tuple(x) for group in stated["groups"] for x in group)
        assert len(groups) == len(splits) == len(stated["groups"])
        _check_weights(splits.table.column("group").to_numpy(), groups, stated)


def _check_weights(
    numbers: np.ndarray, groups: list[tuple[FileTask, ...]], message: dict[str, Any]
) -> None:
    """Check that no group of several splits weighs more than the size asked for."""
    assert (np.diff(numbers) >= 0).all()
    for group in groups:
        weight = sum(_weight(each, message["open-file-cost"]) for each in group)
        assert len(group) == 1 or weight <= message["target-size"]


def _weight(task: FileTask, open_file_cost: int) -> int:
    """Return the weight of one split."""
    deletes = (each.content_size or each.file_size_in_bytes for each in task.deletes)
    return max(task.length + sum(deletes), (1 + len(task.deletes)) * open_file_cost)


@java_tables(is_sound)
def test_changes_between_snapshots_are_those_of_java(java_table: JavaTable) -> None:
    """Appended files, and files added and deleted, are Java's, and so are refusals.

    Java does not read delete files there: where a table has them, the rows must add up.
    """
    table = java_table.open()
    for stated in java_table.truth_lines("changes.jsonl"):
        if "Delete files" in stated.get("error", ""):
            _check_rows(table, stated)
            continue
        if "error" in stated:
            with pytest.raises(ByteloomError, match=r": found .*, wanted "):
                _scan(table, stated).plan()
            continue
        found = Counter(
            _found(java_table, stated["kind"], each) for each in _scan(table, stated).plan()
        )
        assert found == Counter(_wanted(stated["kind"], each) for each in stated["tasks"])


def _check_rows(table: Table, message: dict[str, Any]) -> None:
    """Check that the rows before, with all changes applied, are the rows after."""
    changed = _scan(table, message).to_table().to_pylist()
    kinds = {"INSERT": Counter[str](), "DELETE": Counter[str]()}
    for each in changed:
        row = {name: each[name] for name in [each.name for each in table.schema.fields]}
        kinds[each["_change_type"]][repr(row)] += 1
    before, after = (
        Counter(map(repr, _as_now(table, message[name]).to_table().to_pylist()))
        for name in ("from-exclusive", "to")
    )
    assert before + kinds["INSERT"] == after + kinds["DELETE"]


def _as_now(table: Table, snapshot: str) -> TableScan:
    """Return a scan of a snapshot with the current schema."""
    return replace(table.scan(snapshot=int(snapshot)), schema=table.schema)


def _scan(table: Table, message: dict[str, Any]) -> AppendScan | ChangelogScan:
    """Return the scan of a line."""
    after, last = int(message["from-exclusive"]), int(message["to"])
    is_append = message["kind"] == "append"
    return table.incremental_append(after, last) if is_append else table.changelog(after, last)


def _found(java_table: JavaTable, kind: str, task: FileTask) -> tuple[Any, ...]:
    """Return what identifies one of our tasks."""
    path = java_table.relative(task.file_path)
    if kind == "append":
        assert task.change is None
        assert not task.deletes
        return path, task.spec_id, task.sequence_number, task.record_count
    assert task.change is not None
    return path, task.change.type, task.change.ordinal, task.change.snapshot_id


def _wanted(kind: str, task: dict[str, Any]) -> tuple[Any, ...]:
    """Return what identifies one of Java's tasks."""
    if kind == "append":
        return task["file"], task["spec-id"], task["data-sequence-number"], task["records"]
    return task["file"], task["operation"], task["ordinal"], task["commit-snapshot-id"]
