"""New rows of a table: their files in a snapshot of one branch.

The rules:

- Data files and manifests are written once; after another writer's commit only the list of the
  manifests is written again.
- A commit that fails removes the files that it wrote, and nothing else; if it may have been made
  all the same, it removes nothing.

Source: Iceberg table spec, "Optimistic Concurrency" and "Snapshots".
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Generic
from uuid import uuid4

from byteloom.errors import Unsupported
from byteloom.iceberg.commits.applying import now
from byteloom.iceberg.commits.attempts import commit_again, requirements_of
from byteloom.iceberg.commits.folder_catalog import FolderCatalog
from byteloom.iceberg.commits.manifest_files import write_manifest_file
from byteloom.iceberg.commits.references import moved_branch
from byteloom.iceberg.commits.summaries import Summary
from byteloom.iceberg.manifests.writing import with_first_row_ids, write_manifest_list
from byteloom.iceberg.metadata.document import MAIN
from byteloom.iceberg.properties import Properties
from byteloom.iceberg.stored_table import AnyTable
from byteloom.iceberg.writing.data_files import DataFiles
from byteloom.iceberg.writing.rows import rows_of
from byteloom_generated.iceberg.table_metadata import Snapshot
from byteloom_generated.iceberg.table_updates import AddSnapshot

if TYPE_CHECKING:
    from uuid import UUID

    from byteloom.documents.json_record import JsonRecord
    from byteloom.iceberg.stored_table import StoredTable

__all__ = ["append_rows"]

_ID_BITS: Final = 63
_ROW_IDS: Final = 3
"""The first version that numbers rows."""


def append_rows(table: AnyTable, rows: Any, *, branch: str = MAIN) -> AnyTable:
    """Return a table after new rows were added to it.

    Args:
        table: The table.
        rows: Arrow data in any form that `batches_of` takes.
        branch: The branch that gets the snapshot; it is created if the table lacks it.

    Raises:
        FormatError: Rows that are not of the table's schema.
        CommitConflict: Other writers were first in every attempt.
        StorageError: A file cannot be written.
        Unsupported: A table that is not written.
    """
    catalog = FolderCatalog()
    catalog.check(table)
    with DataFiles(table) as files:
        files.write(rows_of(rows, table.schema))
        return _Append(table, files, branch).commit(catalog)


@dataclass
class _Append(Generic[AnyTable]):
    """A snapshot that adds data files to a branch.

    Attributes:
        first: The table when the files were written.
        files: The files.
        branch: The branch.
    """

    first: AnyTable
    files: DataFiles
    branch: str
    _uuid: UUID = field(default_factory=uuid4)
    _snapshot_id: int = field(default_factory=lambda: random.getrandbits(_ID_BITS))
    _manifests: dict[int, dict[str, Any]] = field(default_factory=dict)
    _written: list[str] = field(default_factory=list)

    def commit(self, catalog: FolderCatalog) -> AnyTable:
        """Commit the snapshot, and remove the files that it does not have."""
        try:
            made = commit_again(self.first, catalog, self._updates)
        except BaseException:
            if self._may_be_made(catalog):
                self.files.keep()
            else:
                self._remove(set())
            raise
        manifest = self._manifests.get(made.metadata.format_version, {})
        kept = made.metadata.snapshots[self._snapshot_id].manifest_list
        self._remove({manifest.get("manifest_path"), kept})
        return made

    def _may_be_made(self, catalog: FolderCatalog) -> bool:
        """Return whether the table has the snapshot, although committing it failed, or may have it.

        An interrupt, or a store that does not answer, can come after the commit.
        """
        try:
            return self._snapshot_id in catalog.newest(self.first).metadata.snapshots
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
        metadata = base.metadata
        ref = metadata.refs.get(self.branch)
        head = metadata.snapshot(ref.snapshot_id) if ref is not None else metadata.snapshot()
        snapshot = self._snapshot(base, head, attempt)
        move = moved_branch(base, self.branch, self._snapshot_id)
        document = snapshot.to_json(version=metadata.format_version)
        return requirements_of(base, self.branch), [AddSnapshot(snapshot=document), move]

    def _snapshot(self, base: StoredTable, head: Snapshot | None, attempt: int) -> Snapshot:
        """Write the snapshot's list; return the snapshot."""
        metadata, version = base.metadata, base.metadata.format_version
        sequence = metadata.document.last_sequence_number + 1 if version > 1 else 0
        if head is not None and head.manifest_list is None:
            raise Unsupported("snapshots", None, "a snapshot without a manifest list", "a list")
        old = [each for each in base.manifests(head).table.to_pylist() if _is_live(each)]
        new = [
            {**each, "sequence_number": sequence, "min_sequence_number": sequence}
            for each in self._new_manifests(base)
        ]
        next_row_id, rows = metadata.document.next_row_id, [*new, *old]
        first_row_id = added_rows = None
        if version >= _ROW_IDS:
            first_row_id = next_row_id or 0
            rows, end = with_first_row_ids(rows, first_row_id)
            added_rows = end - first_row_id
        path = f"{_folder(base)}/snap-{self._snapshot_id}-{attempt}-{self._uuid}.avro"
        header = _header(self._snapshot_id, head, sequence, first_row_id, version)
        self._write(base, path, write_manifest_list(rows, version=version, header=header))
        summary = Summary()
        for each in self.files.entries:
            summary.add(each, self.first.metadata.spec(), self.first.schema, removed=False)
        limit = Properties(metadata.properties).number("write.summary.partition-limit")
        counts = {"created": len(new), "kept": len(old), "replaced": 0}
        parent = None if head is None else head.summary
        return Snapshot(
            snapshot_id=self._snapshot_id,
            parent_snapshot_id=None if head is None else head.snapshot_id,
            sequence_number=sequence,
            timestamp_ms=now(metadata),
            summary=summary.document("append", parent, counts, limit),
            manifest_list=path,
            schema_id=metadata.current_schema_id,
            first_row_id=first_row_id,
            added_rows=added_rows,
        )

    def _new_manifests(self, base: StoredTable) -> list[dict[str, Any]]:
        """Return the row of the new manifest, written once for each format version."""
        if not self.files.entries:
            return []
        version = base.metadata.format_version
        if version not in self._manifests:
            path = f"{_folder(base)}/{self._uuid}-m{len(self._manifests)}.avro"
            self._written.append(path)
            self._manifests[version] = write_manifest_file(
                base,
                path,
                self.files.entries,
                snapshot_id=self._snapshot_id,
                schema=self.first.schema,
                spec=self.first.metadata.spec(),
            )
        return [self._manifests[version]]

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
