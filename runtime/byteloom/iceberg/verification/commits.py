"""Check what each snapshot did to files against its parent and against its operation.

The rules:

- A snapshot has the manifests of its parent, or others in place of some: each file that was live in
  these is an existing or a deleted entry of a new one, which repeats what was known of it.
- An append adds files and removes no data files; a delete adds no data files.  A replacement leaves
  the rows as they are: it adds files in place of others, with as many rows as these had, without
  those that were deleted before, with the same values, and deletes the same rows.  An overwrite
  may do anything.
- Snapshots whose manifests, or whose parent's, are gone or damaged are not checked.

Source: Iceberg table spec, "Snapshots" (``operation``) and "Manifests" (``status``).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import ByteloomError, FormatError
from byteloom.iceberg.manifests.joining import joined_entries, partition_codes
from byteloom.iceberg.verification.replacements import changed_rows
from byteloom.late import pc
from byteloom_generated.iceberg.manifests import EntryStatus, FileContent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from byteloom.iceberg.manifests.entries import Entries
    from byteloom.iceberg.stored_table import StoredTable
    from byteloom.iceberg.verification.manifests import Content
    from byteloom_generated.iceberg.table_metadata import Snapshot

    Flags = NDArray[np.bool_]

__all__ = ["check_commits"]

_TEXTS: Final = {"file_path", "file_format", "content_offset", "referenced_data_file"}
_KEPT: Final = ("snapshot_id", "sequence_number", "file_sequence_number", "first_row_id")
_DELETED: Final = (
    *("sequence_number", "content", "record_count", "file_size_in_bytes"),
    "content_size_in_bytes",
)
"""What existing and deleted entries repeat; all else of existing ones is compared with files."""


def check_commits(table: StoredTable, content: Content) -> Iterator[ByteloomError]:
    """Yield what is wrong with the changes of each snapshot."""
    for snapshot in table.metadata.snapshots.values():
        try:
            yield from _snapshot(table, snapshot, content)
        except ByteloomError as error:
            yield error


def _snapshot(table: StoredTable, snapshot: Snapshot, content: Content) -> Iterator[FormatError]:
    """Yield what is wrong with the changes of one snapshot."""
    own, parent = snapshot.snapshot_id, snapshot.parent_snapshot_id
    new = replaced = None
    if parent is not None:
        new, replaced = content.beyond(own, parent), content.beyond(parent, own)
    is_known = new is not None and replaced is not None
    new, replaced = (new, replaced) if is_known else (content.of(own), [])
    if not new and not replaced:
        return
    new, replaced = new or _nothing_of(replaced), replaced or _nothing_of(new)
    deleted = _chosen(new, EntryStatus.DELETED)
    if is_known:
        before = _chosen(replaced, EntryStatus.EXISTING, EntryStatus.ADDED)
        kept = _chosen(new, EntryStatus.EXISTING)
        yield from _repeated(deleted, before, _DELETED)
        yield from _repeated(kept, before, _KEPT)
        yield from _lost(snapshot, before, [deleted, kept])
    added, removed = _chosen(new, EntryStatus.ADDED).of(own), deleted.of(own)
    if snapshot.summary.get("operation") == "replace":
        live = None if parent is None else content.of(parent)
        gone = None if live is None else _deleted_before(live, removed)
        schema, stated = table.metadata.schema_of(snapshot), content.stated(new)
        why = _other_rows(added, removed, gone) or _other_deletes(added, removed)
        why = why or changed_rows(stated, own, schema, is_whole=gone == 0)
    else:
        why = _other_files(snapshot, added, removed)
    if why:
        where = f"snapshots[{own}].summary.operation"
        wanted = f"another one: the snapshot {why}; readers of changes rely on it"
        yield FormatError(where, None, repr(snapshot.summary["operation"]), wanted)


@dataclass(frozen=True)
class _Files:
    """Some entries of several manifests.

    Attributes:
        rows: The row of each in its manifest.
        texts: Columns that are compared as text.
    """

    entries: Entries
    rows: NDArray[np.intp]
    texts: pa.Table

    def of(self, snapshot_id: int) -> _Files:
        """Return those that a snapshot added or deleted."""
        return self.take(np.flatnonzero(self.entries.snapshot_id == snapshot_id))

    def take(self, rows: NDArray[np.intp]) -> _Files:
        """Return some of them."""
        return _Files(self.entries.take(rows), self.rows[rows], self.texts.take(rows))

    @property
    def is_data(self) -> Flags:
        """Which of them are data files."""
        return np.asarray(self.entries.content == FileContent.DATA)

    @cached_property
    def keys(self) -> pa.Array:
        """The path of each, with the place of a deletion vector in the file."""
        paths = self.texts.column("file_path").cast(pa.large_string())
        places = pc.fill_null(self.texts.column("content_offset").cast(pa.large_string()), "")
        between = pa.scalar("\n", pa.large_string())
        return pc.binary_join_element_wise(paths, places, between).combine_chunks()

    def row_count(self, chosen: Flags) -> int | None:
        """Return the number of rows of some; None if it is unknown."""
        counts = self.entries.record_count[chosen]
        return None if (counts < 0).any() else sum(counts.tolist())

    def error(self, row: int, name: str, found: object, wanted: str) -> FormatError:
        """Return a finding about a field of an entry."""
        path = self.texts.column("file_path")[row].as_py()
        where, of = f"entries[{self.rows[row]}].{name}", f"{wanted} ({path})"
        error = FormatError(where, None, str(found), of)
        return error.in_file(self.entries.manifest_path(row))


def _chosen(parts: Sequence[Entries], *statuses: EntryStatus) -> _Files:
    """Return the entries of some manifests that have one of the statuses."""
    rows = [np.flatnonzero(np.isin(each.status, statuses)) for each in parts]
    held = [at for at, each in enumerate(rows) if len(each)] or [0]
    entries = joined_entries([parts[at].take(rows[at]) for at in held])
    return _Files(entries, np.concatenate([rows[at] for at in held]), entries.table(columns=_TEXTS))


def _nothing_of(parts: Sequence[Entries] | None) -> list[Entries]:
    """Return no entries, with the columns that those of some manifests have."""
    return [each.take(np.zeros(0, np.intp)) for each in (parts or ())[:1]]


def _repeated(files: _Files, before: _Files, names: Sequence[str]) -> Iterator[FormatError]:
    """Yield the first entry that was not live before, and that differs in each of its fields.

    Args:
        names: Of numbers that must be as before, if they were known.
    """
    found = pc.index_in(files.keys, value_set=before.keys)
    is_known = np.asarray(found.is_valid())
    for row in np.flatnonzero(~is_known)[:1].tolist():
        path = files.texts.column("file_path")[row].as_py()
        yield files.error(row, "file_path", path, "a file that was live in the parent snapshot")
    files = files.take(np.flatnonzero(is_known))
    before = before.take(found.drop_null().to_numpy().astype(np.intp))
    for name in names:
        new, old = files.entries.numbers[name], before.entries.numbers[name]
        for at in np.flatnonzero((new != old) & (old >= 0))[:1].tolist():
            found_text = str(new[at]) if new[at] >= 0 else "nothing"
            yield files.error(at, name, found_text, f"{old[at]}, as before")
    if names is _DELETED:
        yield from _texts_and_partitions(files, before)


def _texts_and_partitions(files: _Files, before: _Files) -> Iterator[FormatError]:
    """Yield the first of the deleted entries that differs in each field that is not a number."""
    for name in ("file_format", "referenced_data_file"):
        new, old = (pc.utf8_lower(each.texts.column(name)) for each in (files, before))
        is_same = pc.fill_null(pc.equal(new, old), pc.and_(pc.is_null(new), pc.is_null(old)))
        for at in np.flatnonzero(~is_same.to_numpy())[:1].tolist():
            yield files.error(at, name, new[at].as_py(), f"{old[at].as_py()}, as before")
    every = np.arange(len(files.rows))
    new_codes, old_codes = partition_codes(before.entries, every, files.entries, every)
    for at in np.flatnonzero(new_codes != old_codes)[:1].tolist():
        yield files.error(at, "partition", "another partition", "that of before")


def _lost(snapshot: Snapshot, before: _Files, after: Sequence[_Files]) -> Iterator[FormatError]:
    """Yield the first file of the parent that a snapshot neither has nor deleted."""
    known = pa.concat_arrays([each.keys for each in after])
    is_there = pc.is_in(before.keys, value_set=known)
    for row in np.flatnonzero(~np.asarray(is_there))[:1].tolist():
        path = before.texts.column("file_path")[row].as_py()
        wanted = f"{path}, live or deleted: it is live in the parent snapshot"
        yield FormatError(f"snapshots[{snapshot.snapshot_id}]", None, "no entry", wanted)


def _other_files(snapshot: Snapshot, added: _Files, removed: _Files) -> str | None:
    """Return what a snapshot did that its operation does not do; None if it may be right."""
    operation = snapshot.summary.get("operation")
    new, old = int(added.is_data.sum()), int(removed.is_data.sum())
    if operation == "append":
        if old:
            return f"removed {old} data files"
        deletes = len(added.rows) - new
        if deletes and snapshot.parent_snapshot_id is not None:
            return f"deleted rows, in {deletes} delete files"
    return f"added {new} data files" if operation == "delete" and new else None


def _other_rows(added: _Files, removed: _Files, gone: int | None) -> str | None:
    """Return how a replacement changed rows; None if it may have left them as they were.

    Args:
        gone: Rows of the removed files that may have been deleted before; None if it is unknown.
    """
    new, old = added.row_count(added.is_data), removed.row_count(removed.is_data)
    if len(added.rows) and not len(removed.rows):
        return f"added {len(added.rows)} files, and removed none"
    if new is None or old is None:
        return None
    if new > old:
        return f"removed {old} rows, and added {new}"
    if gone is not None and gone < old - new:
        return f"removed {old} rows, {gone} of them deleted before, and added {new}"
    return None


def _other_deletes(added: _Files, removed: _Files) -> str | None:
    """Return how the delete files of a replacement deleted other rows; None if they may not have.

    A row may be in several position delete files, but in one deletion vector alone.  Equality
    deletes do not say how many rows they delete.
    """
    if (removed.entries.content == FileContent.EQUALITY_DELETES).any():
        return None
    new, old = added.row_count(~added.is_data), removed.row_count(~removed.is_data)
    if new is None or old is None:
        return None
    is_position = ~removed.is_data & (removed.entries.content_offset < 0)
    may_be_fewer = removed.is_data.any() or is_position.any()
    if new > old or (new < old and not may_be_fewer):
        return f"put delete files of {new} rows in place of those of {old}"
    return None


def _deleted_before(live: Sequence[Entries], files: _Files) -> int | None:
    """Return how many rows of some files may have been deleted; None if it is unknown."""
    if not live:
        return 0
    everything = _chosen(live, EntryStatus.EXISTING, EntryStatus.ADDED)
    named = everything.texts.column("referenced_data_file")
    paths = files.texts.column("file_path").combine_chunks()
    is_of_these = np.asarray(pc.or_(pc.is_null(named), pc.is_in(named, value_set=paths)))
    content = everything.entries.content
    if (content == FileContent.EQUALITY_DELETES).any():
        return None
    return everything.row_count((content == FileContent.POSITION_DELETES) & is_of_these)
