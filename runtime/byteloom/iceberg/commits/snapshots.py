"""One snapshot of a branch: what an operation adds and removes, in manifests, a list and a summary.

The rules:

- What an operation does is asked again on each attempt, on the newest state; its files are written
  once. Manifests of new files, and manifests without the files that are removed, are written once
  too: after another writer's commit only what differs is written again.
- Manifests that have no removed file stay as they are. Others get entries that are deleted or
  existing, with the numbers that these had inherited.
- A commit that fails removes the files that it wrote, and nothing else; if it may have been made
  all the same, it removes nothing.

Source: Iceberg table spec, "Snapshots", "Manifests" and "Optimistic Concurrency"; Java's
``SnapshotProducer`` and ``MergingSnapshotProducer``.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol
from uuid import uuid4

from byteloom.errors import CommitUnknown, Unsupported
from byteloom.iceberg.commits.applying import now
from byteloom.iceberg.commits.attempts import commit_again, requirements_of
from byteloom.iceberg.commits.filtering import filtered
from byteloom.iceberg.commits.manifest_files import write_manifest_file
from byteloom.iceberg.commits.references import moved_branch
from byteloom.iceberg.commits.summaries import Summary
from byteloom.iceberg.manifests.writing import with_first_row_ids, write_manifest_list
from byteloom.iceberg.properties import Properties
from byteloom.iceberg.stored_table import AnyTable
from byteloom_generated.iceberg.manifests import ManifestContent
from byteloom_generated.iceberg.table_metadata import Snapshot
from byteloom_generated.iceberg.table_updates import AddSnapshot, SetProperties

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from uuid import UUID

    from byteloom.documents.json_record import JsonRecord
    from byteloom.iceberg.commits.filtering import RewrittenManifest
    from byteloom.iceberg.stored_table import StoredTable

__all__ = ["Effects", "Operation", "commit_snapshot", "head_of"]

_ID_BITS: Final = 63
_ROW_IDS: Final = 3
"""The first version that numbers rows."""

_CONTENTS: Final = (ManifestContent.DATA, ManifestContent.DELETES)
"""The order of a list: data manifests come first."""


@dataclass(frozen=True)
class Effects:
    """What an operation does to the files of a branch.

    Attributes:
        operation: append, overwrite, delete or replace.
        added: New data files and delete files, by the names of manifests, each with its
            ``spec_id``.
        removed_data: The paths of data files.
        removed_deletes: Delete files: path, and offset of a deletion vector in it or None.
        summary: Further keys of the snapshot's summary.
        properties: Properties of the table that are set in the same commit.
    """

    operation: str
    added: Sequence[Mapping[str, Any]] = ()
    removed_data: Collection[str] = ()
    removed_deletes: Collection[tuple[str, int | None]] = ()
    summary: Mapping[str, str] = field(default_factory=dict)
    properties: Mapping[str, str] = field(default_factory=dict)


class Operation(Protocol):
    """What is to be committed."""

    def effects(self, base: StoredTable, head: Snapshot | None) -> Effects:
        """Return what to do on a state of the table; called again on each attempt.

        Args:
            base: The table.
            head: The newest snapshot of the branch.

        Raises:
            CommitConflict: Another writer's commit forbids the operation for good.
        """

    def keep(self) -> None:
        """Let the files of the operation stay whatever happens: a snapshot may have them."""


def head_of(table: StoredTable, branch: str) -> Snapshot | None:
    """Return the newest snapshot of a branch; of a new branch, that which it begins at."""
    ref = table.metadata.refs.get(branch)
    return table.metadata.snapshot(None if ref is None else ref.snapshot_id)


def commit_snapshot(table: AnyTable, operation: Operation, *, branch: str) -> AnyTable:
    """Return a table after an operation was committed to a branch.

    Args:
        table: The table when the operation's files were written.
        operation: The operation.
        branch: The branch that gets the snapshot; it is created if the table lacks it.

    Raises:
        CommitConflict: Other writers were first in every attempt, or one forbids the operation.
        StorageError: A file cannot be read or written.
        Unsupported: A table that is not written.
    """
    return _Commit(table, operation, branch).made()


@dataclass
class _Commit(Generic[AnyTable]):
    """A snapshot that is being committed.

    Attributes:
        first: The table when the operation's files were written.
        operation: The operation.
        branch: The branch.
    """

    first: AnyTable
    operation: Operation
    branch: str
    _uuid: UUID = field(default_factory=uuid4)
    _snapshot_id: int = field(default_factory=lambda: random.getrandbits(_ID_BITS))
    _made: dict[Any, dict[str, Any]] = field(default_factory=dict)
    _written: list[str] = field(default_factory=list)
    _manifests: int = 0

    def made(self) -> AnyTable:
        """Commit the snapshot, and remove the files that it does not have."""
        try:
            made = commit_again(self.first, self._updates)
        except BaseException as error:
            if isinstance(error, CommitUnknown) or self._may_be_made():
                self.operation.keep()
            else:
                self._remove(set())
            raise
        snapshot = made.metadata.snapshots[self._snapshot_id]
        self._remove({snapshot.manifest_list, *made.manifests(snapshot).paths})
        return made

    def _may_be_made(self) -> bool:
        """Return whether the table has the snapshot, although committing it failed, or may have it.

        An interrupt, or a store that does not answer, can come after the commit.
        """
        try:
            return self._snapshot_id in self.first.catalog.newest(self.first).metadata.snapshots
        except Exception:  # noqa: BLE001  whatever it is, the files may be the table's
            return True

    def _remove(self, kept: set[str | None]) -> None:
        """Remove what was written but for some files."""
        for path in self._written:
            if path not in kept:
                self.first.relocation.remove(path)

    def _updates(
        self, base: StoredTable, attempt: int
    ) -> tuple[list[JsonRecord], list[JsonRecord]]:
        """Return what must hold, and what changes, with all files of the snapshot written."""
        head = head_of(base, self.branch)
        effects = self.operation.effects(base, head)
        snapshot = self._snapshot(base, head, effects, attempt)
        move = moved_branch(base, self.branch, self._snapshot_id)
        document = snapshot.to_json(version=base.metadata.format_version)
        updates: list[JsonRecord] = [AddSnapshot(snapshot=document), move]
        if effects.properties:
            updates.append(SetProperties(updates=dict(effects.properties)))
        return requirements_of(base, self.branch), updates

    def _snapshot(
        self, base: StoredTable, head: Snapshot | None, effects: Effects, attempt: int
    ) -> Snapshot:
        """Write the snapshot's list; return the snapshot."""
        metadata, version = base.metadata, base.metadata.format_version
        sequence = metadata.document.last_sequence_number + 1 if version > 1 else 0
        if head is not None and head.manifest_list is None:
            raise Unsupported("snapshots", None, "a snapshot without a manifest list", "a list")
        rows, summary, counts = self._manifest_rows(base, head, effects, sequence)
        first_row_id = added_rows = None
        if version >= _ROW_IDS:
            first_row_id = metadata.document.next_row_id or 0
            rows, end = with_first_row_ids(rows, first_row_id)
            added_rows = end - first_row_id
        path = f"{_folder(base)}/snap-{self._snapshot_id}-{attempt}-{self._uuid}.avro"
        header = _header(self._snapshot_id, head, sequence, first_row_id, version)
        self._write(base, path, write_manifest_list(rows, version=version, header=header))
        limit = Properties(metadata.properties).number("write.summary.partition-limit")
        parent = None if head is None else head.summary
        document = summary.document(effects.operation, parent, counts, limit)
        return Snapshot(
            snapshot_id=self._snapshot_id,
            parent_snapshot_id=None if head is None else head.snapshot_id,
            sequence_number=sequence,
            timestamp_ms=now(metadata),
            summary={**document, **effects.summary},
            manifest_list=path,
            schema_id=metadata.current_schema_id,
            first_row_id=first_row_id,
            added_rows=added_rows,
        )

    def _manifest_rows(
        self, base: StoredTable, head: Snapshot | None, effects: Effects, sequence: int
    ) -> tuple[list[dict[str, Any]], Summary, dict[str, int]]:
        """Return the rows of the snapshot's list, what its summary counts, and its manifests."""
        metadata, summary = base.metadata, Summary()
        for each in effects.added:
            summary.add(each, metadata.spec(each["spec_id"]), metadata.schema(), removed=False)
        found = filtered(base, head, effects.removed_data, effects.removed_deletes)
        for manifest in found.again.values():
            spec = metadata.spec(manifest.spec_id)
            for each in manifest.removed:
                summary.add(each, spec, metadata.schema(), removed=True)
        rows: list[dict[str, Any]] = []
        counts = {"created": 0, "kept": 0, "replaced": 0}
        for content in _CONTENTS:
            new = self._new_manifests(base, effects, content, sequence)
            counts["created"] += len(new)
            rows += new
            for listed in found.listed:
                if listed["content"] != content or not _is_live(listed):
                    continue
                again = found.again.get(listed["manifest_path"])
                counts["kept" if again is None else "replaced"] += 1
                counts["created"] += again is not None
                rows.append(listed if again is None else self._rewritten(base, again, sequence))
        return rows, summary, counts

    def _new_manifests(
        self, base: StoredTable, effects: Effects, content: ManifestContent, sequence: int
    ) -> list[dict[str, Any]]:
        """Return the rows of the manifests of new files: one for each spec."""
        by_spec: dict[int, list[Mapping[str, Any]]] = {}
        for each in effects.added:
            is_data = each["content"] == 0
            if is_data == (content == ManifestContent.DATA):
                by_spec.setdefault(each["spec_id"], []).append(each)
        numbers = {"sequence_number": sequence, "min_sequence_number": sequence}
        made = []
        for spec_id in sorted(by_spec, reverse=True):
            files = by_spec[spec_id]
            key = content, spec_id, tuple(id(each) for each in files)
            made.append({**self._manifest(base, key, files, spec_id, content), **numbers})
        return made

    def _rewritten(
        self, base: StoredTable, again: RewrittenManifest, sequence: int
    ) -> dict[str, Any]:
        """Return the row of a manifest without the files that are removed."""
        made = self._manifest(base, again.path, again.entries, again.spec_id, again.content)
        return {
            **made,
            "sequence_number": sequence,
            "min_sequence_number": sequence if again.least is None else again.least,
        }

    def _manifest(
        self,
        base: StoredTable,
        key: Any,
        entries: Sequence[Mapping[str, Any]],
        spec_id: int,
        content: ManifestContent,
    ) -> dict[str, Any]:
        """Return the row of a manifest, written once for each format version.

        Args:
            base: The table.
            key: What identifies the entries.
            entries: The files.
            spec_id: Their spec.
            content: Whether they are data files or delete files.
        """
        version = base.metadata.format_version
        if (version, key) not in self._made:
            path = f"{_folder(base)}/{self._uuid}-m{self._manifests}.avro"
            self._manifests += 1
            self._written.append(path)
            self._made[version, key] = write_manifest_file(
                base,
                path,
                entries,
                snapshot_id=self._snapshot_id,
                schema=base.metadata.schema(),
                spec=base.metadata.spec(spec_id),
                content=content,
            )
        return self._made[version, key]

    def _write(self, base: StoredTable, path: str, data: bytes) -> None:
        self._written.append(path)
        base.relocation.write(path, data)


def _folder(table: StoredTable) -> str:
    """Return the folder of a table's manifests and lists."""
    return f"{table.metadata.location.rstrip('/')}/metadata"


def _is_live(manifest: dict[str, Any]) -> bool:
    """Return whether a manifest has files that are not deleted, or may have some."""
    counts = [manifest["added_files_count"], manifest["existing_files_count"]]
    return None in counts or any(counts)


def _header(
    snapshot_id: int, head: Snapshot | None, sequence: int, first_row_id: int | None, version: int
) -> dict[str, str]:
    """Return the keys of a manifest list's header."""
    parent = "null" if head is None else str(head.snapshot_id)
    made = {"snapshot-id": str(snapshot_id), "parent-snapshot-id": parent}
    if version > 1:
        made["sequence-number"] = str(sequence)
    if first_row_id is not None:
        made["first-row-id"] = str(first_row_id)
    return made
