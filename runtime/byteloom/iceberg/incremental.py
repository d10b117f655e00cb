"""Scans of what changed between two snapshots: appended files, or all inserted and deleted rows.

The rules:

- The first snapshot is excluded and the last one included; the first is an ancestor of the last.
- An append scan takes the files that append operations added, regardless of later deletions.
- A changelog has what each snapshot did to rows, by data files and by delete files, in the order
  of the snapshots; replacements change no row, so they are skipped.

Source: Iceberg table spec, "Snapshots" (``operation``); Java's ``IncrementalAppendScan`` and
``IncrementalChangelogScan``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from byteloom.errors import FormatError
from byteloom.iceberg.planning.changes import ChangePlanner
from byteloom.iceberg.planning.planned_scan import Source
from byteloom.iceberg.scan import TableScan

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.iceberg.planning.plan import Plan
    from byteloom_generated.iceberg.table_metadata import Snapshot

__all__ = ["AddedScan", "AppendScan", "ChangelogScan"]


@dataclass(frozen=True, repr=False)
class AddedScan(TableScan):
    """A scan of the data files that one snapshot added, whatever its operation."""

    def sources(self) -> Iterator[Source]:
        """Yield the manifests of the snapshot, of which only its own entries are planned."""
        own = -1 if self.snapshot is None else self.snapshot.snapshot_id
        yield Source(self.table.manifests(self.snapshot), own)


@dataclass(frozen=True, repr=False)
class _RangeScan(TableScan):
    """A scan of the snapshots after a given one.

    Attributes:
        after: The id of a snapshot, which is excluded; None for all.
    """

    after: int | None = None

    @property
    def only_snapshot(self) -> Snapshot | None:
        """None: a file may be in any of the snapshots."""
        return None

    def snapshots(self) -> list[Snapshot]:
        """Return the snapshots of the range, oldest first.

        Raises:
            FormatError: *after* is no ancestor of the last one.
        """
        last = None if self.snapshot is None else self.snapshot.snapshot_id
        chain = self.table.metadata.ancestors(last)
        if self.after is None:
            return chain[::-1]
        parents = [each.parent_snapshot_id for each in chain]
        if self.after == last:
            return []
        if self.after not in parents:
            wanted = f"an ancestor of snapshot {last}"
            raise FormatError("from-snapshot", None, str(self.after), wanted)
        return chain[parents.index(self.after) :: -1]


@dataclass(frozen=True, repr=False)
class AppendScan(_RangeScan):
    """A scan of the files that appends added."""

    def sources(self) -> Iterator[Source]:
        """Yield the manifests of each append."""
        for each in self.snapshots():
            if _operation(each) == "append":
                yield Source(self.table.manifests(each), each.snapshot_id)
        yield Source(self.table.manifests(None), -1)


@dataclass(frozen=True, repr=False)
class ChangelogScan(_RangeScan):
    """A scan of inserted and deleted rows, each with its kind of change and its snapshot."""

    has_changes: ClassVar[bool] = True

    def plan_stream(self) -> Iterator[Plan]:
        """Yield the plan in parts, some manifests of a snapshot at a time."""
        return ChangePlanner(self).parts(self.sources())

    def sources(self) -> Iterator[Source]:
        """Yield the manifests of each change."""
        changes = [each for each in self.snapshots() if _operation(each) != "replace"]
        for ordinal, each in enumerate(changes):
            yield Source(self.table.manifests(each), each.snapshot_id, ordinal)
        yield Source(self.table.manifests(None), -1, len(changes))


def _operation(snapshot: Snapshot) -> str | None:
    """Return a snapshot's operation; None where old writers left it out."""
    return (snapshot.summary or {}).get("operation")
