"""A change of rows as a snapshot, unless other writers' commits forbid it.

The rules:

- What a change did decides which checks it makes: files removed as a whole, files written again,
  or rows named by delete files.
- A change that only removes whole files finds them anew on each attempt: those that others have
  added go too, if all their rows match.
- A deletion vector of a data file that others have removed, since all its rows were deleted, is
  left out: a vector belongs to a live file.
- A change that changes nothing makes no snapshot.

Source: Iceberg table spec, "Optimistic Concurrency"; Java's ``OverwriteFiles``, ``DeleteFiles`` and
``RowDelta``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from byteloom.iceberg.commits.snapshots import Effects, commit_snapshot
from byteloom.iceberg.commits.validation import Touched, Validation
from byteloom.iceberg.row_changes.selection import own_deletes
from byteloom_generated.iceberg.manifests import FileContent

if TYPE_CHECKING:
    from byteloom.iceberg.row_changes.selection import ChangeScan
    from byteloom.iceberg.row_changes.written_changes import WrittenChanges
    from byteloom.iceberg.stored_table import AnyTable, StoredTable
    from byteloom_generated.iceberg.table_metadata import Snapshot

__all__ = ["commit_changes"]

_RULES: Final = {
    ("delete", False): "rewritten files",
    ("delete", True): "marked rows",
    ("update", False): "rewritten files",
    ("update", True): "moved rows",
    ("upsert", False): "rewritten files",
    ("upsert", True): "moved rows",
    ("overwrite", False): "overwritten files",
    ("overwrite", True): "overwritten rows",
}
"""The rule of each call, and whether delete files name rows."""

_LEVELS: Final = {"update": "update", "upsert": "merge"}
"""The verb of the table's isolation level; delete for the other calls."""

_VECTORS: Final = 3
"""The first version that has deletion vectors."""


def commit_changes(
    table: AnyTable,
    written: WrittenChanges,
    scan: ChangeScan,
    *,
    branch: str,
    call: str,
) -> AnyTable:
    """Return a table after a change of rows was committed to a branch.

    Args:
        table: The table when the change was written.
        written: The change.
        scan: The scan that found its rows.
        branch: The branch.
        call: delete, update, upsert or overwrite.

    Raises:
        CommitConflict: Other writers were first in every attempt, or one forbids the change.
    """
    if not written:
        return table
    is_whole = call == "delete" and not written.added and _are_whole(written, scan)
    rule = "whole files" if is_whole else _RULES[call, written.merges_on_read]
    validation = Validation.of(
        rule,
        table,
        branch,
        verb=_LEVELS.get(call, "delete"),
        scan=scan,
        touched=Touched(written.removed_data, written.replaced, written.referenced),
    )
    change = _Change(written, scan, validation, is_whole)
    made = commit_snapshot(table, change, validation, branch=branch)
    if not change.is_kept:
        written.remove()
    return made


def _are_whole(written: WrittenChanges, scan: ChangeScan) -> bool:
    """Return whether removed files are those whose statistics say that all rows match.

    A file of which reading has shown this is not found so again.
    """
    return len(written.removed_data) == len(scan.whole)


@dataclass
class _Change:
    """A change of rows that is being committed.

    Attributes:
        written: Its files.
        scan: The scan that found its rows.
        validation: What it is compared with.
        is_whole: Whether it only removes whole files.
        is_kept: Whether a snapshot may have its files.
    """

    written: WrittenChanges
    scan: ChangeScan
    validation: Validation
    is_whole: bool
    is_kept: bool = False

    def effects(self, base: StoredTable, head: Snapshot | None) -> Effects | None:
        """Return the files of the change; None if nothing of it is left to do.

        Raises:
            CommitConflict: Another writer's commit forbids it.
        """
        if self.is_whole and base is not self.scan.table:
            return self._whole(base, head)
        written, gone = self.written, self.validation.gone
        added, deletes = list(written.added), written.removed_deletes
        if base.metadata.format_version >= _VECTORS:
            added = [each for each in added if each.get("referenced_data_file") not in gone]
            deletes = {place: path for place, path in deletes.items() if path not in gone}
        has_data = any(each["content"] == FileContent.DATA for each in added)
        has_deletes = any(each["content"] != FileContent.DATA for each in added)
        if not (added or written.removed_data):
            return None
        if has_deletes or written.removed_data:
            operation = "overwrite" if has_data else "delete"
        else:
            operation = "append"
        found_in = self.scan.found_in([*written.removed_data, *written.referenced])
        return Effects(operation, added, written.removed_data, deletes, found_in=found_in)

    def keep(self) -> None:
        """Let the files stay whatever happens: a snapshot may have them."""
        self.is_kept = True
        self.written.keep()

    def _whole(self, base: StoredTable, head: Snapshot | None) -> Effects | None:
        """Return the removal of all files of a state in which all rows match."""
        if head is None:
            return None
        scan = replace(self.scan, table=base, snapshot=head)
        for path in scan.partial.files["file_path"].to_pylist():
            if path in self.validation.added:
                raise self.validation.added[path]
        paths = scan.whole.files["file_path"].to_pylist()
        if not paths:
            return None
        deletes = own_deletes(scan.whole)
        return Effects("delete", (), paths, deletes, found_in=scan.found_in(paths))
