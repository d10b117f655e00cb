"""One snapshot of a branch: what an operation adds and removes, in manifests, a list and a summary.

The rules:

- What an operation does is asked again on each attempt, on the newest state; its files are written
  once. Manifests of new files, and manifests without the files that are removed, are written once
  too: after another writer's commit only what differs is written again.
- New files are divided among manifests of about the target size, at every 250th file.
- Manifests that have no removed file stay as they are. Others get entries that are deleted or
  existing, with the numbers that these had inherited. Many small ones become one.
- A snapshot that replaces files has no more rows than these had.
- A commit that fails removes the files that it wrote, and nothing else; if it may have been made
  all the same, it removes nothing.

Source: Iceberg table spec, "Snapshots", "Manifests" and "Optimistic Concurrency"; Java's
``SnapshotProducer``, ``MergingSnapshotProducer`` and ``RollingManifestWriter``.
"""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol
from uuid import uuid4

from byteloom.errors import ByteloomError, Unsupported
from byteloom.iceberg.commits.applying import now
from byteloom.iceberg.commits.attempts import commit_again, may_be_made, requirements_of
from byteloom.iceberg.commits.filtering import Removed, filtered
from byteloom.iceberg.commits.fitting import check_deletes, check_rows
from byteloom.iceberg.commits.manifest_files import NewManifest
from byteloom.iceberg.commits.merging import as_existing, merge_groups
from byteloom.iceberg.commits.references import head_of, moved_branch
from byteloom.iceberg.commits.summaries import Summary
from byteloom.iceberg.manifests.writing import with_first_row_ids, write_manifest_list
from byteloom.iceberg.properties import Properties
from byteloom.iceberg.stored_table import AnyTable
from byteloom.iceberg.writing.locations import metadata_folder
from byteloom_generated.iceberg.manifests import FileContent, ManifestContent
from byteloom_generated.iceberg.table_metadata import Snapshot
from byteloom_generated.iceberg.table_updates import AddSnapshot, SetProperties

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from uuid import UUID

    from byteloom.documents.json_record import JsonRecord
    from byteloom.iceberg.commits.filtering import FoundIn, RewrittenManifest
    from byteloom.iceberg.commits.validation import Validation
    from byteloom.iceberg.stored_table import StoredTable

__all__ = ["Effects", "Operation", "commit_snapshot"]

_ID_BITS: Final = 63
_ROW_IDS: Final = 3
"""The first version that numbers rows."""

_INHERITED: Final = ("manifest_path", "sequence_number", "first_row_id")
"""What of its row identifies a manifest, and the numbers of its files."""

_TOGETHER: Final = 250
"""New files that are added to a manifest before its size is looked at."""

_TARGET: Final = "commit.manifest.target-size-bytes"

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
        found_in: The manifests that have the removed files; None if any may have them.
    """

    operation: str
    added: Sequence[Mapping[str, Any]] = ()
    removed_data: Collection[str] = ()
    removed_deletes: Collection[tuple[str, int | None]] = ()
    summary: Mapping[str, str] = field(default_factory=dict)
    properties: Mapping[str, str] = field(default_factory=dict)
    found_in: FoundIn | None = None


class Operation(Protocol):
    """What is to be committed."""

    def effects(self, base: StoredTable, head: Snapshot | None) -> Effects | None:
        """Return what to do on a state of the table, None for nothing; asked on each attempt.

        Args:
            base: The table.
            head: The newest snapshot of the branch.

        Raises:
            CommitConflict: Another writer's commit forbids the operation for good.
        """

    def keep(self) -> None:
        """Let the files of the operation stay whatever happens: a snapshot may have them."""


def commit_snapshot(
    table: AnyTable,
    operation: Operation,
    validation: Validation,
    *,
    branch: str,
    is_staged: bool = False,
) -> AnyTable:
    """Return a table after an operation was committed to a branch.

    Args:
        table: The table when the operation's files were written.
        operation: The operation.
        validation: What it is compared with on each attempt.
        branch: The branch that gets the snapshot; it is created if the table lacks it.
        is_staged: Whether the branch stays where it is: the snapshot is picked later, or never.

    Raises:
        CommitConflict: Other writers were first in every attempt, or one forbids the operation.
        StorageError: A file cannot be read or written.
        Unsupported: A table that is not written.
    """
    return _Commit(table, operation, validation, branch, is_staged).made()


@dataclass(frozen=True)
class _Member:
    """A manifest of the snapshot before others are merged into one.

    Attributes:
        key: What identifies its content: the same on another attempt.
        spec_id: Its partition spec.
        listed: Its row in the list of the head; None for one of new files.
        added: The new files.
        again: What is left of it and written again; None if it stays.
    """

    key: Any
    spec_id: int
    listed: dict[str, Any] | None = None
    added: Sequence[Mapping[str, Any]] = ()
    again: RewrittenManifest | None = None

    @classmethod
    def of_head(cls, listed: dict[str, Any], again: RewrittenManifest | None) -> _Member:
        """Return a manifest of the head, given its row and what is left of it.

        Its files inherit numbers from the row. These may be others on another attempt, if it is a
        manifest of the same transaction.
        """
        key: Any = tuple(listed[each] for each in _INHERITED)
        if again is not None:
            key = key, again.entries.status.tobytes()
        return cls(key, listed["partition_spec_id"], listed, again=again)


@dataclass
class _Built:
    """A manifest for the list: its row, and its bytes unless they are written."""

    row: dict[str, Any]
    data: bytes | None = None


@dataclass
class _Commit(Generic[AnyTable]):
    """A snapshot that is being committed.

    Attributes:
        first: The table when the operation's files were written.
        operation: The operation.
        validation: What it is compared with on each attempt.
        branch: The branch.
        is_staged: Whether the branch stays where it is.
    """

    first: AnyTable
    operation: Operation
    validation: Validation
    branch: str
    is_staged: bool
    _uuid: UUID = field(default_factory=uuid4)
    _snapshot_id: int = field(default_factory=lambda: random.getrandbits(_ID_BITS))
    _made: dict[Any, _Built] = field(default_factory=dict)
    _ends: dict[Any, int] = field(default_factory=dict)
    _written: list[str] = field(default_factory=list)

    def made(self) -> AnyTable:
        """Commit the snapshot, and remove the files that it does not have."""
        try:
            made = commit_again(self.first, self._updates)
        except BaseException as error:
            if may_be_made(error, self.first, [self._snapshot_id]):
                self.operation.keep()
            else:
                self._remove(set())
            raise
        if self._snapshot_id not in made.metadata.snapshots:
            return made
        self.operation.keep()
        with suppress(ByteloomError):  # the commit is made: what stays is only not used
            snapshot = made.metadata.snapshots[self._snapshot_id]
            self._remove({snapshot.manifest_list, *made.manifests(snapshot).paths})
        return made

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
        self.validation.check(base, head)
        effects = self.operation.effects(base, head)
        if effects is None:
            return [], []
        check_deletes(effects.added, self.first.metadata, base.metadata)
        check_rows(effects.added, self.first.metadata, base.metadata)
        snapshot = self._snapshot(base, head, effects, attempt)
        document = snapshot.to_json(version=base.metadata.format_version)
        updates: list[JsonRecord] = [AddSnapshot(snapshot=document)]
        if not self.is_staged:
            updates.append(moved_branch(base, self.branch, self._snapshot_id))
        if effects.properties:
            updates.append(SetProperties(updates=dict(effects.properties)))
        moved = () if self.is_staged else (self.branch,)
        return requirements_of(base, *moved), updates

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
            summary.add(each, metadata.spec(each["spec_id"]), metadata.source_schema)
        stated = [each.get("sequence_number") for each in effects.added]
        found = filtered(
            base,
            head,
            Removed(effects.removed_data, effects.removed_deletes, effects.found_in),
            snapshot_id=self._snapshot_id,
            newest=min((each for each in stated if each is not None), default=sequence),
        )
        for manifest in found.again.values():
            spec = metadata.spec(manifest.spec_id)
            summary.remove(manifest.removed, spec, metadata.source_schema)
        if effects.operation == "replace":
            summary.check_replaced()
        rows: list[dict[str, Any]] = []
        replaced = len(found.again)
        for content in _CONTENTS:
            members = [*self._new(base, effects, content)]
            members += [
                _Member.of_head(each, found.again.get(each["manifest_path"]))
                for each in found.listed
                if each["content"] == content and _is_live(each)
            ]
            made, merged = self._merged(base, content, members)
            replaced += merged
            rows += made
        for each in rows:
            if each["added_snapshot_id"] == self._snapshot_id:
                least = each["min_sequence_number"]
                each["sequence_number"] = sequence
                each["min_sequence_number"] = sequence if least is None else min(least, sequence)
        created = sum(each["added_snapshot_id"] == self._snapshot_id for each in rows)
        counts = {"created": created, "kept": len(rows) - created, "replaced": replaced}
        return rows, summary, counts

    def _new(
        self, base: StoredTable, effects: Effects, content: ManifestContent
    ) -> Iterator[_Member]:
        """Yield the manifests of new files: for each spec as many as its files fill."""
        by_spec: dict[int, list[Mapping[str, Any]]] = {}
        for each in effects.added:
            is_data = each["content"] == FileContent.DATA
            if is_data == (content == ManifestContent.DATA):
                by_spec.setdefault(each["spec_id"], []).append(each)
        target = Properties(base.metadata.properties).number(_TARGET)
        for spec_id in sorted(by_spec, reverse=True):
            files = by_spec[spec_id]
            while files:
                member = self._filled(base, content, spec_id, files, target)
                files = files[len(member.added) :]
                yield member

    def _filled(
        self,
        base: StoredTable,
        content: ManifestContent,
        spec_id: int,
        files: Sequence[Mapping[str, Any]],
        target: int,
    ) -> _Member:
        """Return a manifest of the first of some new files, as many as one of about a size has."""
        form = _form(base)
        paths = tuple(each["file_path"] for each in files)
        end = self._ends.get((form, content, paths), 0)
        key = content, paths[:end]
        if not end:
            made = self._begin(base, content, spec_id)
            while end < len(files) and (not end or made.size < target):
                made.add(files[end : end + _TOGETHER])
                end = min(end + _TOGETHER, len(files))
            key = content, paths[:end]
            self._ends[form, content, paths] = end
            self._finish(base, (form, (key,)), made)
        return _Member(key, spec_id, added=files[:end])

    def _merged(
        self, base: StoredTable, content: ManifestContent, members: Sequence[_Member]
    ) -> tuple[list[dict[str, Any]], int]:
        """Write the new manifests of a content, some of them merged; return the rows of all.

        The second result is how many manifests were merged into others.
        """
        properties = Properties(base.metadata.properties)
        built = {id(each): self._built(base, content, [each]) for each in members}
        groups = [[each] for each in members]
        if members and properties.flag("commit.manifest-merge.enabled"):
            groups = merge_groups(
                members,
                spec_of=lambda each: each.spec_id,
                size_of=lambda each: int(built[id(each)].row["manifest_length"]),
                target=properties.number(_TARGET),
                least=properties.number("commit.manifest.min-count-to-merge"),
            )
        rows = []
        for group in groups:
            is_one = len(group) == 1
            made = built[id(group[0])] if is_one else self._built(base, content, group)
            if made.data is not None:
                self._write(base, made.row["manifest_path"], made.data)
                made.data = None
            rows.append(dict(made.row))
        return rows, sum(len(each) for each in groups if len(each) > 1)

    def _built(
        self, base: StoredTable, content: ManifestContent, members: Sequence[_Member]
    ) -> _Built:
        """Return a manifest of what some have, made once for each version and schema."""
        first = members[0]
        if len(members) == 1 and first.listed is not None and first.again is None:
            return _Built(first.listed)
        key = _form(base), tuple(each.key for each in members)
        if key not in self._made:
            made = self._begin(base, content, first.spec_id)
            for each in members:
                if each.listed is None:
                    made.add(each.added)
                else:
                    made.extend(
                        as_existing(base, each.listed) if each.again is None else each.again.entries
                    )
            self._finish(base, key, made)
        return self._made[key]

    def _begin(self, base: StoredTable, content: ManifestContent, spec_id: int) -> NewManifest:
        """Return a manifest without files."""
        return NewManifest(
            version=base.metadata.format_version,
            snapshot_id=self._snapshot_id,
            schema=base.metadata.schema(),
            sources=base.metadata.source_schema,
            spec=base.metadata.spec(spec_id),
            content=content,
        )

    def _finish(self, base: StoredTable, key: Any, made: NewManifest) -> None:
        """Keep a manifest that has all its files."""
        path = f"{_folder(base)}/{self._uuid}-m{len(self._made)}.avro"
        self._made[key] = _Built(*made.finish(path))

    def _write(self, base: StoredTable, path: str, data: bytes) -> None:
        self._written.append(path)
        base.relocation.write(path, data)


def _folder(table: StoredTable) -> str:
    """Return the folder of a table's manifests and lists."""
    return metadata_folder(table.metadata.location, Properties(table.metadata.properties))


def _is_live(manifest: dict[str, Any]) -> bool:
    """Return whether a manifest has files that are not deleted, or may have some."""
    counts = [manifest["added_files_count"], manifest["existing_files_count"]]
    return None in counts or any(counts)


def _form(base: StoredTable) -> tuple[int, int]:
    """Return what a manifest says of its table: the format version and the id of the schema."""
    return base.metadata.format_version, base.metadata.current_schema_id


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
