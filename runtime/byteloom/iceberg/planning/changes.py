"""Plan a changelog: which rows each snapshot inserted and deleted.

The rules:

- A file that a snapshot added inserts its rows, except those that its own delete files delete.
- A file that it removed deletes the rows that were not deleted before.
- A file that stays loses the rows that new delete files delete and no earlier one did; where delete
  files are removed, rows that no other one deletes come back.  `Change.changed_by` has the delete
  files that were added or removed.
- The manifests of the snapshot say all of it: live files are what it left, those that it added are
  new, and those that it deleted are gone.

So the rows before a snapshot, without those deleted and with those inserted, are the rows after it.

Source: Iceberg table spec, "Scan Planning"; the tasks of Java's ``IncrementalChangelogScan``:
``AddedRowsScanTask``, ``DeletedDataFileScanTask`` and ``DeletedRowsScanTask``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from byteloom.iceberg.planning.delete_index import DeleteIndex, Pairs
from byteloom.iceberg.planning.plan import Counts
from byteloom.iceberg.planning.planned_scan import DATA, DELETES, ManifestSource
from byteloom.iceberg.planning.planner import Planner
from byteloom_generated.iceberg.manifests import EntryStatus

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from byteloom.iceberg.expressions.stats import Flags
    from byteloom.iceberg.manifests.entries import Entries
    from byteloom.iceberg.planning.plan import Plan

    Rows = NDArray[np.intp]

__all__ = ["ChangePlanner"]

_INSERT: Final = "INSERT"
_DELETE: Final = "DELETE"


class ChangePlanner(Planner):
    """Plans a changelog."""

    def _parts(self, source: ManifestSource) -> Iterator[Plan]:
        """Yield plans of what one snapshot changed, some manifests at a time."""
        counts, whole = Counts(), ManifestSource(source.listed)
        known = self._known(source, whole, counts)
        data = self.kept(whole if known.have_changed else source, DATA, counts)
        deletes = self.delete_table(known.entries)
        for entries in self.entries(data, source, self.scan.pruning.columns | known.compared_ids):
            came, went, stays = _kinds(entries, source)
            known.note(entries, came, went, stays)
            relevant = came | went | stays if known.have_changed else came | went
            left, _ = self._survivors(entries.view(np.flatnonzero(relevant)), counts, is_first=True)
            changes = list(_changes(left, source, known))
            counts.kept += sum(len(each.rows) for each in changes) - len(left)
            yield self._of_changes(left, source, changes, deletes, counts)
            counts = Counts()
        if known.have_changed:
            known.check_seen()

    def _known(self, source: ManifestSource, whole: ManifestSource, counts: Counts) -> _Deletes:
        """Return the delete files before and after a snapshot; none if they affect nothing."""
        listed = self.kept(whole, DELETES, counts)
        if not _needs_deletes(source):
            listed = listed.take(np.zeros(0, np.intp))
        entries = self.delete_entries(listed, counts, with_deleted=True)
        came, went, stays = _kinds(entries, source)
        entries = entries.take(np.flatnonzero(came | went | stays))
        came, went, _ = _kinds(entries, source)
        before, after = (
            _State(rows, DeleteIndex(entries.take(rows), self.specs, self.field))
            for rows in (np.flatnonzero(~came), np.flatnonzero(~went))
        )
        return _Deletes(entries, before, after)

    def _of_changes(
        self,
        entries: Entries,
        source: ManifestSource,
        changes: Sequence[_Change],
        deletes: pa.Table,
        counts: Counts,
    ) -> Plan:
        """Return the plan of the changes of files."""
        sizes = [len(each.rows) for each in changes]
        starts = np.cumsum([0, *sizes])[:-1].tolist()
        pairs = [each.pairs.after(at) for each, at in zip(changes, starts, strict=True)]
        by = [
            each.by.after(at)
            for each, at in zip(changes, starts, strict=True)
            if each.by is not None
        ]
        is_whole = np.repeat([each.by is None for each in changes], sizes)
        rows = np.concatenate([each.rows for each in changes])
        columns = {
            "change_type": pa.array(np.repeat([each.type for each in changes], sizes), pa.string()),
            "change_ordinal": pa.repeat(pa.scalar(source.ordinal, pa.int64()), len(rows)),
            "commit_snapshot_id": pa.repeat(pa.scalar(source.change, pa.int64()), len(rows)),
            "changed_by": Pairs.joined(by).lists(len(rows), nulls=is_whole),
        }
        return self.part(entries.view(rows), Pairs.joined(pairs), deletes, counts, columns)


@dataclass(frozen=True, slots=True)
class _State:
    """Delete files that are live at the same time.

    Attributes:
        rows: Their rows among all delete files of the snapshot that the changelog has.
    """

    rows: Rows
    index: DeleteIndex

    def match(self, data: Entries, rows: Rows, paths: pa.Array) -> Pairs:
        """Return which delete files apply to *rows* of *data*."""
        found = self.index.match(data, rows, paths.take(pa.array(rows)))
        return Pairs(found.data, self.rows[found.deletes])


@dataclass(frozen=True, slots=True)
class _Deletes:
    """The delete files of a snapshot, including those that it removed."""

    entries: Entries
    before: _State
    after: _State

    @property
    def have_changed(self) -> bool:
        """Whether the snapshot added or removed any delete file."""
        return not len(self.before.rows) == len(self.after.rows) == len(self.entries)

    @property
    def compared_ids(self) -> frozenset[int]:
        """The ids of all columns of equality delete files."""
        return self.before.index.compared_ids | self.after.index.compared_ids

    def note(self, data: Entries, came: Flags, went: Flags, stays: Flags) -> None:
        """Record which deletion vectors have their files among *data*."""
        self.before.index.note(data.view(np.flatnonzero(went | stays)))
        self.after.index.note(data.view(np.flatnonzero(came | stays)))

    def check_seen(self) -> None:
        """Refuse deletion vectors whose files were not recorded."""
        self.before.index.check_seen()
        self.after.index.check_seen()


@dataclass(frozen=True, slots=True)
class _Change:
    """A change to the rows of some files.

    Attributes:
        rows: Rows of the files among the entries.
        pairs: The delete files whose rows are excluded, by place in *rows*.
        by: The delete files whose rows are included; None for all rows of the files.
    """

    type: str
    rows: Rows
    pairs: Pairs
    by: Pairs | None = None


def _kinds(entries: Entries, source: ManifestSource) -> tuple[Flags, Flags, Flags]:
    """Return which files a snapshot added, removed and left; the rest were removed earlier."""
    is_deleted, is_own = entries.status == EntryStatus.DELETED, entries.snapshot_id == source.change
    came = is_own & (entries.status == EntryStatus.ADDED)
    return came, is_own & is_deleted, ~is_deleted & ~came


def _needs_deletes(source: ManifestSource) -> bool:
    """Return whether delete files changed, or earlier ones may apply to added or removed files."""
    listed = source.listed
    if source.kept(DELETES).any():
        return True
    data = listed.take(np.flatnonzero(source.kept(DATA)))
    least, number = data.numbers("min_sequence_number"), data.numbers("sequence_number")
    return bool(((data.numbers("deleted_files_count") != 0) | (least != number)).any())


def _changes(entries: Entries, source: ManifestSource, known: _Deletes) -> Iterator[_Change]:
    """Yield the changes of files."""
    paths = entries.table(columns={"file_path"}).column(0).combine_chunks()
    came, went, stays = map(np.flatnonzero, _kinds(entries, source))
    yield _Change(_DELETE, went, known.before.match(entries, went, paths))
    yield _Change(_INSERT, came, known.after.match(entries, came, paths))
    before = known.before.match(entries, stays, paths)
    after = known.after.match(entries, stays, paths)
    yield _of_some_rows(_DELETE, stays, before, after)
    yield _of_some_rows(_INSERT, stays, after, before)


def _of_some_rows(kind: str, rows: Rows, pairs: Pairs, others: Pairs) -> _Change:
    """Return the change of those rows that files of *others* delete and those of *pairs* do not."""
    by = others.without(pairs)
    changed = np.unique(by.data)
    return _Change(kind, rows[changed], pairs.among(changed), by.among(changed))
