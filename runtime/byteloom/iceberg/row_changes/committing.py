"""A change of rows as a snapshot, unless other writers' commits forbid it.

The rules:

- Files whose rows the change removes must be live, and must have no deletes that the change did not
  see: what it wrote would bring their rows back.
- With the isolation level ``serializable``, the default, no file may have been added in between
  that may have rows which the change is about; ``snapshot`` allows such files.
- A change that changes nothing makes no snapshot.

Source: Iceberg table spec, "Optimistic Concurrency"; Java's ``MergingSnapshotProducer``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from byteloom.errors import CommitConflict
from byteloom.iceberg.commits.snapshots import Effects, commit_snapshot
from byteloom.iceberg.manifests.entries import read_entries
from byteloom.iceberg.properties import Properties
from byteloom.iceberg.row_changes.selection import AddedFiles
from byteloom_generated.iceberg.manifests import EntryStatus, FileContent

if TYPE_CHECKING:
    from collections.abc import Collection

    from byteloom.iceberg.row_changes.selection import ChangeScan
    from byteloom.iceberg.row_changes.written_changes import WrittenChanges
    from byteloom.iceberg.stored_table import AnyTable, StoredTable
    from byteloom_generated.iceberg.table_metadata import Snapshot

__all__ = ["commit_changes"]

_SERIALIZABLE: Final = "serializable"
_ADDING: Final = frozenset({"append", "overwrite"})
_COLUMNS: Final = frozenset({"file_path", "content", "snapshot_id", "referenced_data_file"})


def commit_changes(
    table: AnyTable,
    written: WrittenChanges,
    scan: ChangeScan,
    *,
    branch: str,
    verb: str,
) -> AnyTable:
    """Return a table after a change of rows was committed to a branch.

    Args:
        table: The table when the change was written.
        written: The change.
        scan: The scan that found its rows.
        branch: The branch.
        verb: delete, update or merge, whose isolation level the table sets.

    Raises:
        CommitConflict: Other writers were first in every attempt, or one forbids the change.
    """
    if not written:
        return table
    level = Properties(table.metadata.properties).word(f"write.{verb}.isolation-level")
    change = _Change(written, scan, is_serializable=level == _SERIALIZABLE)
    return commit_snapshot(table, change, branch=branch)


@dataclass
class _Change:
    """A change of rows that is being committed."""

    written: WrittenChanges
    scan: ChangeScan
    is_serializable: bool

    def effects(self, base: StoredTable, head: Snapshot | None) -> Effects:
        """Return the files of the change.

        Raises:
            CommitConflict: Another writer's commit forbids it.
        """
        for each in _between(base, self.scan.snapshot, head):
            self._check(base, each)
        written = self.written
        if written.deletes.entries or written.removed_data:
            operation = "overwrite" if written.data.entries else "delete"
        else:
            operation = "append"
        removed = written.removed_data, written.removed_deletes
        found_in = self.scan.found_in([*written.removed_data, *written.referenced])
        return Effects(operation, written.added, *removed, found_in=found_in)

    def keep(self) -> None:
        """Let the files stay whatever happens: a snapshot may have them."""
        self.written.keep()

    def _check(self, base: StoredTable, snapshot: Snapshot) -> None:
        """Refuse a commit in between that forbids the change."""
        touched = {*self.written.removed_data, *self.written.referenced}
        found = _changed_by(base, snapshot, touched, moves=bool(self.written.data.entries))
        if found is not None:
            place = f"snapshot {snapshot.snapshot_id}"
            raise CommitConflict(f"{found}: {place} of another writer deletes from it too")
        operation = (snapshot.summary or {}).get("operation")
        if self.is_serializable and operation in _ADDING:
            plan = AddedFiles.of(self.scan, base, snapshot).plan()
            if len(plan):
                path = plan.files["file_path"][0].as_py()
                found = f"{path}: snapshot {snapshot.snapshot_id} of another writer adds rows"
                raise CommitConflict(f"{found} that may match {self.scan.filter!s:.200}")


def _between(base: StoredTable, start: Snapshot | None, head: Snapshot | None) -> list[Snapshot]:
    """Return the snapshots after one, up to the head of the branch, newest first.

    Raises:
        CommitConflict: The branch no longer has the first one.
    """
    chain = [] if head is None else base.metadata.ancestors(head.snapshot_id)
    ids = [each.snapshot_id for each in chain]
    if start is None:
        return chain
    if start.snapshot_id not in ids:
        found = f"{base.metadata.location}: snapshot {start.snapshot_id} is no longer"
        raise CommitConflict(f"{found} in the branch")
    return chain[: ids.index(start.snapshot_id)]


def _changed_by(
    base: StoredTable, snapshot: Snapshot, touched: Collection[str], *, moves: bool
) -> str | None:
    """Return a data file that a snapshot deletes rows of, or removes; None for none.

    A delete file that names no data file may be about any. It forbids a change that moves rows to
    new files, to which it would not apply; it leaves one that only deletes as it is.

    Args:
        base: The table.
        snapshot: The snapshot.
        touched: The paths of the data files that the change is about.
        moves: Whether the change writes rows to new data files.
    """
    if not touched:
        return None
    listed = base.manifests(snapshot)
    own = listed.numbers("added_snapshot_id") == snapshot.snapshot_id
    entries = read_entries(
        listed.take(np.flatnonzero(own)),
        base.relocation.read,
        base.metadata.partition_specs,
        base.schema,
        columns=_COLUMNS,
        with_deleted=True,
        limits=base.limits,
    )
    held = entries.table(columns=_COLUMNS)
    mine = entries.snapshot_id == snapshot.snapshot_id
    is_delete = entries.content != FileContent.DATA
    is_removed = entries.status == EntryStatus.DELETED
    is_added = entries.status == EntryStatus.ADDED
    for row in np.flatnonzero(mine & ((is_delete & is_added) | (~is_delete & is_removed))).tolist():
        name = "referenced_data_file" if is_delete[row] else "file_path"
        path = held[name][row].as_py()
        if path in touched:
            return str(path)
        if path is None and moves:
            return min(touched)
    return None
