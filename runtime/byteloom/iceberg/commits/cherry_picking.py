"""A snapshot of another branch, or of none, picked for a branch.

The rules:

- A snapshot whose parent is the branch's head becomes the head itself: the branch moves forward.
- Otherwise the data files that it added are added again, in a new snapshot that names it. So can be
  picked: an append; and a snapshot that replaced partitions, if the branch has its parent and no
  file was added to these partitions since. Other operations depend on the rows that they found.
- What a branch has already is not picked again, by its id or by its ``wap.id``.

Source: Iceberg table spec, "Snapshots"; Java's ``CherryPickOperation``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from byteloom.arguments import whole_number
from byteloom.errors import ArgumentError, Unsupported
from byteloom.iceberg.commits.attempts import commit_again, requirements_of
from byteloom.iceberg.commits.filtering import added_data_files
from byteloom.iceberg.commits.partition_sets import PartitionSet
from byteloom.iceberg.commits.references import head_of, moved_branch
from byteloom.iceberg.commits.snapshots import Effects, commit_snapshot
from byteloom.iceberg.commits.staging import WAP_ID
from byteloom.iceberg.commits.validation import Validation
from byteloom.iceberg.manifests.entries import read_entries
from byteloom.iceberg.planning.planned_scan import DATA, ManifestSource
from byteloom_generated.iceberg.manifests import EntryStatus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from byteloom.documents.json_record import JsonRecord
    from byteloom.iceberg.stored_table import AnyTable, StoredTable
    from byteloom_generated.iceberg.table_metadata import Snapshot

__all__ = ["cherry_pick"]

_PUBLISHED: Final = "published-wap-id"
_SOURCE: Final = "source-snapshot-id"
_REPLACES: Final = "replace-partitions"


def cherry_pick(table: AnyTable, snapshot: int, *, branch: str) -> AnyTable:
    """Return a table whose *branch* has what a snapshot added.

    Raises:
        ArgumentError: No such snapshot, or one that the branch has already.
        Unsupported: A snapshot that neither follows the branch's head, nor is an append, nor
            replaced partitions of a snapshot that the branch has.
        CommitConflict: Other writers were first in every attempt, or the branch has new rows in
            partitions that the snapshot replaced.
    """
    wanted = whole_number("snapshot", snapshot, "the id of a snapshot, a whole number")
    table.catalog.check(table)
    made = commit_again(table, partial(_forwarded, wanted, branch))
    head = head_of(made, branch)
    if head is not None and head.snapshot_id == wanted and branch in made.metadata.refs:
        return made
    source = _source(made, wanted, head)
    operation = _summary(source).get("operation")
    files = added_data_files(made, source)
    if operation == "append":
        validation = Validation.of("new rows", made, branch)
        return commit_snapshot(made, _Pick(wanted, "append", files), validation, branch=branch)
    if operation != "overwrite" or _summary(source).get(_REPLACES, "").lower() != "true":
        found = f"snapshot {wanted}, of operation {operation}"
        kinds = "an append, one that replaced partitions"
        raise Unsupported("snapshot", None, found, f"{kinds}, or one that follows {branch!r}")
    parent = made.metadata.snapshots.get(source.parent_snapshot_id or 0)
    if source.parent_snapshot_id is not None and parent not in _ancestors(made, head):
        found = f"snapshot {wanted}, which replaced partitions of {source.parent_snapshot_id}"
        raise Unsupported("snapshot", None, found, f"one whose parent {branch!r} has")
    partitions = PartitionSet.of(made, files)
    validation = Validation.of(
        "picked partitions", made, branch, start=parent, partitions=partitions
    )
    pick = _Pick(wanted, "overwrite", files, _removed_data(made, source))
    return commit_snapshot(made, pick, validation, branch=branch)


@dataclass
class _Pick:
    """The data files of a snapshot, to be added again, and those that it removed.

    Attributes:
        snapshot_id: The snapshot that added them.
        operation: Its operation.
        files: The files, which belong to that snapshot too.
        removed: The paths of data files.
    """

    snapshot_id: int
    operation: str
    files: Sequence[dict[str, Any]]
    removed: Sequence[str] = ()

    def effects(self, base: StoredTable, head: Snapshot | None) -> Effects:
        """Return the files, unless the branch has them already."""
        source = _source(base, self.snapshot_id, head)
        summary = {_SOURCE: str(self.snapshot_id)}
        if WAP_ID in _summary(source):
            summary[_PUBLISHED] = _summary(source)[WAP_ID]
        return Effects(self.operation, self.files, self.removed, summary=summary)

    def keep(self) -> None:
        """Do nothing: the files stay in any case."""


def _forwarded(
    snapshot_id: int, branch: str, base: StoredTable, _: int
) -> tuple[list[JsonRecord], list[JsonRecord]]:
    """Return the move of the branch to a snapshot that follows its head; else nothing."""
    head = head_of(base, branch)
    source = _source(base, snapshot_id, head)
    head_id = None if head is None else head.snapshot_id
    if source.parent_snapshot_id != head_id:
        return [], []
    return requirements_of(base, branch), [moved_branch(base, branch, snapshot_id)]


def _removed_data(base: StoredTable, source: Snapshot) -> list[str]:
    """Return the paths of the data files that a snapshot removed."""
    own = ManifestSource(base.manifests(source), source.snapshot_id)
    entries = read_entries(
        own.listed.take(np.flatnonzero(own.kept(DATA))),
        base.relocation.read,
        base.metadata.partition_specs,
        base.schema,
        columns={"file_path", "snapshot_id"},
        with_deleted=True,
        one_snapshot=False,
        limits=base.limits,
    )
    changed = own.of_change(entries)
    gone = changed.view(np.flatnonzero(changed.status == EntryStatus.DELETED))
    paths: list[str] = gone.table(columns={"file_path"})["file_path"].to_pylist()
    return paths


def _source(base: StoredTable, snapshot_id: int, head: Snapshot | None) -> Snapshot:
    """Return a snapshot; refuse one that a branch with that head has already."""
    source = base.metadata.snapshot(snapshot_id)
    if source is None:
        raise ArgumentError("snapshot", None, str(snapshot_id), "one of the table's: it has none")
    staged = _summary(source).get(WAP_ID)
    for each in _ancestors(base, head):
        summary = _summary(each)
        is_same = snapshot_id == each.snapshot_id or summary.get(_SOURCE) == str(snapshot_id)
        if is_same or (staged is not None and staged in _ids_of(summary)):
            found = f"{snapshot_id}, which the branch has by snapshot {each.snapshot_id}"
            raise ArgumentError("snapshot", None, found, "one that the branch lacks")
    return source


def _ancestors(base: StoredTable, head: Snapshot | None) -> list[Snapshot]:
    """Return the snapshots of a branch, newest first."""
    return base.metadata.ancestors(None if head is None else head.snapshot_id)


def _ids_of(summary: dict[str, str]) -> tuple[str | None, str | None]:
    """Return the ids under which a snapshot was staged, and published."""
    return summary.get(WAP_ID), summary.get(_PUBLISHED)


def _summary(snapshot: Snapshot) -> dict[str, str]:
    """Return the summary of a snapshot, which version 1 may leave out."""
    return dict(snapshot.summary or {})
