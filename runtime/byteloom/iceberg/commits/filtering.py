"""Manifests without the files that a snapshot removes.

The rules:

- A manifest is written again only if it has a removed file. Files that were deleted before vanish
  from it; all others are existing, with the numbers that they had inherited. They stay columns.
- Of the manifests that were there when the removed files were found, only those are opened that
  had them.
- Each file that is to be removed must be live. The deletion vector of a removed data file goes with
  it; delete files that are older than all data go only if their manifest is written again anyway.

Source: Iceberg table spec, "Manifests"; Java's ``ManifestFilterManager``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pyarrow as pa

from byteloom.errors import CommitConflict
from byteloom.iceberg.manifests.encoding import storage_tuples
from byteloom.iceberg.manifests.entries import ALL_COLUMNS, read_entries
from byteloom.iceberg.transforms.arrays import storage_values
from byteloom.late import pc
from byteloom_generated.iceberg.manifests import EntryStatus, ManifestContent

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from byteloom.iceberg.manifests.entries import Entries
    from byteloom.iceberg.manifests.manifest_list import ManifestList
    from byteloom.iceberg.stored_table import StoredTable
    from byteloom_generated.iceberg.table_metadata import Snapshot

__all__ = ["Filtered", "FoundIn", "Removed", "RewrittenManifest", "added_data_files", "filtered"]

_PLACE: Final = frozenset({"file_path", "content_offset", "referenced_data_file"})
_INHERITED: Final = frozenset(
    {"snapshot_id", "sequence_number", "file_sequence_number", "first_row_id"}
)
"""What files get from the snapshot that adds them."""


class FoundIn(NamedTuple):
    """Where files were found that a snapshot removes.

    Attributes:
        looked: The paths of all manifests in which they were looked for.
        having: Those that have them, and the delete files that are about them.
    """

    looked: frozenset[str]
    having: frozenset[str]

    def may_have(self, path: str) -> bool:
        """Return whether a manifest may have one of the files."""
        return path in self.having or path not in self.looked


class Removed(NamedTuple):
    """The files that a snapshot removes.

    Attributes:
        data: The paths of data files.
        deletes: Delete files: path, and offset of a deletion vector in it or None.
        found_in: Where they were found; None if any manifest may have them.
    """

    data: Collection[str]
    deletes: Collection[tuple[str, int | None]]
    found_in: FoundIn | None


class RewrittenManifest(NamedTuple):
    """A manifest that is written again.

    Attributes:
        path: That of the manifest before.
        spec_id: Its partition spec.
        content: Whether it has data files or delete files.
        entries: Its files, deleted or existing.
    """

    path: str
    spec_id: int
    content: ManifestContent
    entries: Entries

    @property
    def removed(self) -> Entries:
        """The files that are removed."""
        return self.entries.view(np.flatnonzero(self.entries.status == EntryStatus.DELETED))

    @property
    def least(self) -> int | None:
        """The least data sequence number of the files that stay; None if none does."""
        live = self.entries.sequence_number[self.entries.status != EntryStatus.DELETED]
        return int(live.min()) if len(live) else None


@dataclass(frozen=True)
class Filtered:
    """The manifests of a snapshot, and those that are written again.

    Attributes:
        listed: All manifests, as their list has them.
        again: Those with removed files, by path.
    """

    listed: Sequence[dict[str, Any]]
    again: dict[str, RewrittenManifest] = field(default_factory=dict)


def filtered(
    table: StoredTable,
    head: Snapshot | None,
    removed: Removed,
    *,
    snapshot_id: int,
    newest: int,
) -> Filtered:
    """Return the manifests of a snapshot without removed files.

    Args:
        table: The table.
        head: The snapshot.
        removed: The files that go.
        snapshot_id: The snapshot that removes them.
        newest: The least data sequence number of the files that it adds.

    Raises:
        CommitConflict: A removed file that is not live: another writer has removed it.
    """
    manifests = table.manifests(head)
    found = Filtered(manifests.table.to_pylist())
    filtering = _Filtering(table, manifests, removed.found_in, snapshot_id, found)
    gone, deletes = pa.array(removed.data, pa.large_string()), removed.deletes
    if len(gone):
        filtering.rewrite(ManifestContent.DATA, _keys(gone, None), gone.slice(0, 0), 0)
    if len(gone) or deletes:
        paths = pa.array([path for path, _ in deletes], gone.type)
        offsets = pa.array([offset for _, offset in deletes], pa.int64())
        least = min(newest, _least(found))
        filtering.rewrite(ManifestContent.DELETES, _keys(paths, offsets), gone, least)
    return found


def added_data_files(table: StoredTable, snapshot: Snapshot) -> list[dict[str, Any]]:
    """Return the data files that a snapshot added, as files that are to be added again."""
    manifests = table.manifests(snapshot)
    is_own = manifests.numbers("added_snapshot_id") == snapshot.snapshot_id
    is_data = manifests.numbers("content") == ManifestContent.DATA
    entries = _read(table, manifests.take(np.flatnonzero(is_own & is_data)), ALL_COLUMNS)
    is_added = entries.status == EntryStatus.ADDED
    made = []
    for spec_id in np.unique(entries.spec_id[is_added]).tolist():
        some = entries.view(np.flatnonzero(is_added & (entries.spec_id == spec_id)))
        files = _dicts(table, some, spec_id, ALL_COLUMNS - _INHERITED)
        made += [{**each, "spec_id": spec_id} for each in files]
    return made


def _least(found: Filtered) -> int:
    """Return the least data sequence number of the data files that stay."""
    numbers = []
    for each in found.listed:
        again = found.again.get(each["manifest_path"])
        if each["content"] == ManifestContent.DATA:
            numbers.append(each["min_sequence_number"] if again is None else again.least)
    return min((each for each in numbers if each is not None), default=0)


@dataclass(frozen=True)
class _Filtering:
    """Finds the manifests of a snapshot that have removed files."""

    table: StoredTable
    manifests: ManifestList
    found_in: FoundIn | None
    snapshot_id: int
    found: Filtered

    def rewrite(
        self, content: ManifestContent, wanted: pa.Array, gone: pa.Array, least: int
    ) -> None:
        """Make the entries of the manifests of a content that have removed files.

        Args:
            content: Data files or delete files.
            wanted: The keys of files that must be live.
            gone: The paths of removed data files, whose deletion vectors go with them.
            least: The least data sequence number of all data files; older delete files go if their
                manifest is written again.
        """
        manifests = self._among(self.manifests.numbers("content") == content)
        entries = _read(self.table, manifests, ALL_COLUMNS if self.found_in else _PLACE)
        _check_live(entries, wanted)
        is_removed = _are_removed(entries, wanted, gone)
        if self.found_in is None:
            manifests = manifests.take(np.unique(entries.manifest[is_removed]))
            entries = _read(self.table, manifests, ALL_COLUMNS)
            is_removed = _are_removed(entries, wanted, gone)
        having = np.unique(entries.manifest[is_removed]).tolist()
        is_removed |= (entries.sequence_number > 0) & (entries.sequence_number < least)
        for row in having:
            chosen = np.flatnonzero(entries.manifest == row)
            path, spec_id = manifests.paths[row], int(entries.spec_id[chosen[0]])
            made = self._entries(entries.view(chosen), is_removed[chosen])
            self.found.again[path] = RewrittenManifest(path, spec_id, content, made)

    def _among(self, flags: NDArray[np.bool_]) -> ManifestList:
        """Return the flagged manifests that may have removed files."""
        found = self.manifests.take(np.flatnonzero(flags))
        if self.found_in is None:
            return found
        return found.take(np.flatnonzero([self.found_in.may_have(each) for each in found.paths]))

    def _entries(self, entries: Entries, is_removed: NDArray[np.bool_]) -> Entries:
        """Return the files of a manifest as deleted or existing ones."""
        status = np.where(is_removed, EntryStatus.DELETED, EntryStatus.EXISTING)
        by = np.where(is_removed, self.snapshot_id, entries.snapshot_id)
        return replace(entries, numbers={**entries.numbers, "status": status, "snapshot_id": by})


def _read(table: StoredTable, manifests: ManifestList, columns: Collection[str]) -> Entries:
    """Return the live entries of some manifests."""
    return read_entries(
        manifests,
        table.relocation.read,
        table.metadata.partition_specs,
        table.schema,
        columns=columns,
        limits=table.limits,
    )


def _keys(paths: pa.Array, offsets: pa.Array | None) -> pa.Array:
    """Return what identifies files: their paths, and offsets of deletion vectors in them."""
    nothing, between = pa.scalar("", paths.type), pa.scalar("\0", paths.type)
    texts = nothing if offsets is None else pc.fill_null(offsets.cast(paths.type), nothing)
    return pc.binary_join_element_wise(paths, texts, between)


def _are_removed(entries: Entries, wanted: pa.Array, gone: pa.Array) -> NDArray[np.bool_]:
    """Return which files are wanted ones, or deletion vectors of data files that are gone."""
    found = _flags(_live_keys(entries), wanted)
    if len(gone):
        paths = entries.arrays(columns={"referenced_data_file"})["referenced_data_file"]
        found |= _flags(paths, gone) & (entries.content_offset >= 0)
    return found


def _live_keys(entries: Entries) -> pa.Array:
    """Return the keys of some files."""
    held = entries.arrays(columns={"file_path", "content_offset"})
    return _keys(held["file_path"].cast(pa.large_string()), held["content_offset"])


def _check_live(entries: Entries, wanted: pa.Array) -> None:
    """Refuse a wanted file that no manifest has."""
    lacking = wanted.filter(pa.array(~_flags(wanted, _live_keys(entries))))
    if len(lacking):
        path = min(lacking.to_pylist()).partition("\0")[0]
        raise CommitConflict(f"{path}: another writer has removed it from the table")


def _flags(values: pa.Array, among: pa.Array) -> NDArray[np.bool_]:
    """Return which values are among some; null is not."""
    found = pc.is_in(values, value_set=among.cast(values.type), skip_nulls=True)
    return np.asarray(found.to_numpy(zero_copy_only=False), np.bool_)


def _dicts(
    table: StoredTable, entries: Entries, spec_id: int, columns: Collection[str]
) -> list[dict[str, Any]]:
    """Return files of one spec as dicts of some columns, and of their partitions."""
    spec = table.metadata.spec(spec_id)
    of = spec.partition_type(table.metadata.source_schema)
    held = storage_tuples(entries, spec, of)
    values = [storage_values(f.type, each) for f, each in zip(of.fields, held, strict=True)]
    names = [each.name for each in of.fields]
    made: list[dict[str, Any]] = entries.table(columns=columns).to_pylist()
    for row, each in enumerate(made):
        each["partition"] = {n: column[row] for n, column in zip(names, values, strict=True)}
    return made
