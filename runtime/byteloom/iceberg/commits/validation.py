"""Whether a change may be committed on top of what other writers committed since it was worked out.

The rules:

- ``specs/iceberg/commit_checks.yaml`` says which checks a change makes under which isolation level,
  and which commits of others they look at.
- Others' commits are the snapshots from the head of the branch back to the one that the change
  knew; those of its own transaction are not among them. A branch that no longer has that snapshot,
  or whose history is cut before it, forbids the change.
- Of each snapshot only the entries that it added or deleted itself are compared, in its own
  manifests: later ones may have lost them.
- A delete file that names its data file is compared by this name, others by their partitions,
  sequence numbers and statistics.
- A snapshot is compared once, however many attempts the commit takes.

Source: Iceberg table spec, "Optimistic Concurrency"; Java's ``MergingSnapshotProducer``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

import numpy as np
import pyarrow as pa

from byteloom.errors import CommitConflict
from byteloom.iceberg.commits.references import head_of
from byteloom.iceberg.commits.steps import Steps
from byteloom.iceberg.manifests.entries import SCAN_COLUMNS, read_entries
from byteloom.iceberg.manifests.joining import joined_entries
from byteloom.iceberg.planning.delete_index import DELETED_FILE_PATH, DeleteIndex, compared_ids
from byteloom.iceberg.planning.plan import Counts
from byteloom.iceberg.planning.planned_scan import ManifestSource
from byteloom.iceberg.planning.planner import Planner
from byteloom.iceberg.properties import Properties
from byteloom.late import pc
from byteloom_generated.iceberg.commit_checks import CHANGE_RULES, COMMIT_CHECKS
from byteloom_generated.iceberg.manifests import EntryStatus, ManifestContent

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from numpy.typing import NDArray

    from byteloom.iceberg.commits.partition_sets import PartitionSet
    from byteloom.iceberg.manifests.entries import Entries
    from byteloom.iceberg.planning.planned_scan import PlannedScan
    from byteloom.iceberg.stored_table import StoredTable
    from byteloom_generated.iceberg.commit_checks import CommitCheck
    from byteloom_generated.iceberg.table_metadata import Snapshot

    Flags = NDArray[np.bool_]

__all__ = ["Touched", "Validation"]

_CHECKS: Final = {each.name: each for each in COMMIT_CHECKS}
_RULES: Final = {each.name: each for each in CHANGE_RULES}
_STATUS: Final = {"added": EntryStatus.ADDED, "deleted": EntryStatus.DELETED}


class Touched(NamedTuple):
    """The paths of the data files in which a change found its rows.

    Attributes:
        removed: Those that it removes.
        replaced: Those among them whose other rows it writes again.
        marked: Those that stay, of which it deletes rows by delete files.
    """

    removed: Collection[str] = ()
    replaced: Collection[str] = ()
    marked: Collection[str] = ()


@dataclass
class Validation:
    """The checks of one change.

    Attributes:
        checks: The checks that it makes.
        start: The head of the branch when it was worked out; None without a snapshot.
        scan: What finds its rows, if it is about a filter.
        partitions: The partitions that it is about, if it is about some.
        touched: The data files in which it found its rows.
        added: Data files that others have added and that may match its filter, if it removes all
            files that match as a whole: what forbids it if such a file matches only partly.
        gone: Data files of which it deletes rows by delete files, and which others have removed
            because all their rows were deleted.
    """

    checks: tuple[CommitCheck, ...]
    start: Snapshot | None
    scan: PlannedScan | None = None
    partitions: PartitionSet | None = None
    touched: Touched = field(default_factory=Touched)
    added: dict[str, CommitConflict] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    _compared: set[int] = field(default_factory=set)

    @classmethod
    def of(
        cls, rule: str, table: StoredTable, branch: str, *, verb: str = "delete", **about: Any
    ) -> Self:
        """Return the checks of a kind of change.

        Args:
            rule: Its name in the table of rules.
            table: The table when the change was worked out.
            branch: The branch that it is for.
            verb: delete, update or merge, whose isolation level the table sets.
            about: Attributes that say what the change is about.

        Raises:
            Unsupported: An isolation level that does not exist.
        """
        level = Properties(table.metadata.properties).word(f"write.{verb}.isolation-level")
        checks = tuple(_CHECKS[name] for name in getattr(_RULES[rule], level))
        known = table.catalog
        state = known.base if isinstance(known, Steps) else table
        return cls(checks, **{"start": head_of(state, branch), **about})

    def check(self, base: StoredTable, head: Snapshot | None) -> None:
        """Compare the change with what others have committed.

        Args:
            base: The newest state of the table.
            head: The head of the branch there.

        Raises:
            CommitConflict: One of their commits forbids the change.
        """
        if not self.checks:
            return
        later = [e for e in self._later(base, head) if e.snapshot_id not in self._compared]
        unnamed: list[tuple[Snapshot, Entries]] = []
        for snapshot in later:
            self._compare_data(base, snapshot)
            unnamed += [(snapshot, each) for each in self._compare_deletes(base, snapshot)]
        self._compare_unnamed(base, head, unnamed)
        self._compared |= {each.snapshot_id for each in later}

    def _later(self, base: StoredTable, head: Snapshot | None) -> list[Snapshot]:
        """Return the snapshots of others since the start, newest first."""
        own = base.catalog.snapshots if isinstance(base.catalog, Steps) else ()
        chain = base.metadata.ancestors(None if head is None else head.snapshot_id)
        chain = [each for each in chain if each.snapshot_id not in own]
        ids = [each.snapshot_id for each in chain]
        place = base.metadata.location
        if self.start is not None:
            if self.start.snapshot_id not in ids:
                found = f"{place}: snapshot {self.start.snapshot_id} is no longer"
                raise CommitConflict(f"{found} in the branch")
            return chain[: ids.index(self.start.snapshot_id)]
        if chain and chain[-1].parent_snapshot_id is not None:
            found = f"{place}: the history of the branch before snapshot {ids[-1]}"
            raise CommitConflict(f"{found} has expired")
        return chain

    def _compare_data(self, base: StoredTable, snapshot: Snapshot) -> None:
        """Compare the data files that a snapshot added and deleted."""
        checks = self._checks_of(snapshot, "data")
        if not checks and not self.touched.marked:
            return
        entries = self._own(base, snapshot, ManifestContent.DATA)
        paths = entries.table(columns={"file_path"}).column(0)
        for each in checks:
            is_found = entries.status == _STATUS[each.status]
            if each.subject == "marked":
                is_found &= _among(paths, self.touched.marked)
            else:
                is_found &= self._in_scope(base, entries)
            if each.subject == "whole":
                for path in paths.filter(pa.array(is_found)).to_pylist():
                    self.added[path] = self._conflict(each, snapshot, path)
            elif is_found.any():
                raise self._conflict(each, snapshot, paths[int(np.argmax(is_found))].as_py())
        is_gone = entries.status == EntryStatus.DELETED
        is_gone &= _among(paths, self.touched.marked)
        self.gone |= set(paths.filter(pa.array(is_gone)).to_pylist())

    def _compare_deletes(self, base: StoredTable, snapshot: Snapshot) -> Iterator[Entries]:
        """Compare the delete files that a snapshot added by the data files that they name.

        Yields:
            Those that name none, if they may be about files that the change writes again.
        """
        checks = self._checks_of(snapshot, "deletes", "vectors")
        if not checks:
            return
        entries = self._own(base, snapshot, ManifestContent.DELETES)
        entries = entries.take(np.flatnonzero(entries.status == EntryStatus.ADDED))
        if not len(entries):
            return
        named = self._index(base, entries).referenced
        is_named = named.is_valid().to_numpy(zero_copy_only=False)
        paths = pc.coalesce(named, entries.table(columns={"file_path"}).column(0).cast(named.type))
        for each in checks:
            if each.subject == "scope":
                is_found = self._in_scope(base, entries)
                if self.partitions is None:
                    touched = {*self.touched.removed, *self.touched.marked}
                    is_found &= ~is_named | _among(named, touched)
            else:
                is_found = is_named & _among(named, getattr(self.touched, each.subject))
            if each.content == "vectors":
                is_found &= entries.content_offset >= 0
            if is_found.any():
                raise self._conflict(each, snapshot, paths[int(np.argmax(is_found))].as_py())
        if any(each.subject == "replaced" for each in checks) and not is_named.all():
            yield entries.take(np.flatnonzero(~is_named))

    def _compare_unnamed(
        self,
        base: StoredTable,
        head: Snapshot | None,
        unnamed: Sequence[tuple[Snapshot, Entries]],
    ) -> None:
        """Refuse delete files that name no data file, and apply to one that is written again."""
        if not unnamed or not self.touched.replaced or self.scan is None:
            return
        check = next(each for each in self.checks if each.subject == "replaced")
        planner = Planner(replace(self.scan, table=base, snapshot=head))
        source = ManifestSource(base.manifests(head))
        index = self._index(base, joined_entries([each for _, each in unnamed]))
        listed = planner.kept(source, ManifestContent.DATA, Counts())
        for entries in planner.entries(listed, source, planner.stats_for(index)):
            paths = entries.table(columns={"file_path"}).column(0).combine_chunks()
            rows = np.flatnonzero(_among(paths, self.touched.replaced))
            pairs = index.match(entries, rows, paths.take(pa.array(rows)))
            if len(pairs.data):
                sizes = np.cumsum([len(each) for _, each in unnamed])
                which = int(np.searchsorted(sizes, pairs.deletes[0], side="right"))
                path = paths[int(rows[pairs.data[0]])].as_py()
                raise self._conflict(check, unnamed[which][0], path)

    def _checks_of(self, snapshot: Snapshot, *contents: str) -> list[CommitCheck]:
        """Return the checks that look at files of a snapshot."""
        operation = (snapshot.summary or {}).get("operation")
        of = [each for each in self.checks if each.content in contents]
        return [each for each in of if operation is None or operation in each.operations]

    def _own(self, base: StoredTable, snapshot: Snapshot, content: ManifestContent) -> Entries:
        """Return the entries that a snapshot added or deleted itself, with their statistics."""
        source = ManifestSource(base.manifests(snapshot), snapshot.snapshot_id)
        listed = source.listed.take(np.flatnonzero(source.kept(content)))
        scan = self.scan
        columns = frozenset() if scan is None else scan.pruning.columns
        if content == ManifestContent.DELETES:
            columns |= {DELETED_FILE_PATH}
        read = base.relocation.read, base.metadata.partition_specs
        schema = base.schema if scan is None else scan.schema
        how: dict[str, Any] = {"columns": SCAN_COLUMNS, "with_deleted": True}
        how |= {"one_snapshot": False, "limits": base.limits}
        entries = read_entries(listed, *read, schema, stats_for=columns, **how)
        if content == ManifestContent.DELETES and (more := compared_ids(entries) - columns):
            entries = read_entries(listed, *read, schema, stats_for=columns | more, **how)
        return source.of_change(entries)

    def _in_scope(self, base: StoredTable, entries: Entries) -> Flags:
        """Return which files may have, or delete, rows that the change is about."""
        if self.partitions is not None:
            return self.partitions.among(entries)
        assert self.scan is not None  # noqa: S101  a rule has a scope if its checks need one
        pruning = replace(self.scan, table=base).pruning
        is_data = bool(len(entries)) and not entries.content.any()
        by_statistics = pruning.statistics if is_data else pruning.delete_statistics
        return np.asarray(pruning.partitions(entries) & by_statistics(entries))

    def _index(self, base: StoredTable, entries: Entries) -> DeleteIndex:
        """Return some delete files by what they apply to."""
        schemas = [base.schema, *base.metadata.schemas.values()]
        return DeleteIndex(
            entries,
            base.metadata.partition_specs,
            lambda number: next((f for each in schemas if (f := each.find(number))), None),
        )

    def _conflict(self, check: CommitCheck, snapshot: Snapshot, path: str) -> CommitConflict:
        """Return the error for a file of another writer's snapshot."""
        scope = "the partitions" if self.scan is None else f"{self.scan.filter!s:.200}"
        found = check.found.format(scope=scope)
        return CommitConflict(f"{path}: snapshot {snapshot.snapshot_id} of another writer {found}")


def _among(paths: pa.Array | pa.ChunkedArray, wanted: Collection[str]) -> Flags:
    """Return which paths are among some; null is not."""
    if not wanted:
        return np.zeros(len(paths), np.bool_)
    found = pc.is_in(paths, value_set=pa.array(sorted(wanted), paths.type))
    return np.asarray(found, np.bool_)
