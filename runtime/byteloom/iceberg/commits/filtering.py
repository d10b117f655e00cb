"""Manifests without the files that a snapshot removes.

The rules:

- A manifest is written again only if it has a removed file. Files that were deleted before vanish
  from it; all others are existing, with the numbers that they had inherited. They stay columns.
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
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from byteloom.iceberg.manifests.entries import Entries
    from byteloom.iceberg.manifests.manifest_list import ManifestList
    from byteloom.iceberg.stored_table import StoredTable
    from byteloom_generated.iceberg.table_metadata import Snapshot

__all__ = ["Filtered", "RewrittenManifest", "added_data_files", "filtered"]

_PLACE: Final = frozenset({"file_path", "content_offset", "referenced_data_file"})
_COUNTED: Final = frozenset(
    {
        *("content", "record_count", "file_size_in_bytes"),
        *("content_offset", "content_size_in_bytes"),
    }
)
"""Columns of a file that summaries count."""

_INHERITED: Final = frozenset(
    {"snapshot_id", "sequence_number", "file_sequence_number", "first_row_id"}
)
"""What files get from the snapshot that adds them."""


class RewrittenManifest(NamedTuple):
    """A manifest that is written again.

    Attributes:
        path: That of the manifest before.
        spec_id: Its partition spec.
        content: Whether it has data files or delete files.
        entries: Its files, deleted or existing.
        removed: The files that are removed, by the names of manifests that a summary counts.
    """

    path: str
    spec_id: int
    content: ManifestContent
    entries: Entries
    removed: Sequence[Mapping[str, Any]]

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
    removed: tuple[Collection[str], Collection[tuple[str, int | None]]],
    *,
    snapshot_id: int,
    newest: int,
) -> Filtered:
    """Return the manifests of a snapshot without removed files.

    Args:
        table: The table.
        head: The snapshot.
        removed: The paths of data files; and delete files: path, and offset of a deletion vector in
            it or None.
        snapshot_id: The snapshot that removes them.
        newest: The least data sequence number of the files that it adds.

    Raises:
        CommitConflict: A removed file that is not live: another writer has removed it.
    """
    manifests = table.manifests(head)
    found = Filtered(manifests.table.to_pylist())
    data, deletes = removed
    filtering = _Filtering(table, manifests, snapshot_id, found)
    if data:
        filtering.rewrite(ManifestContent.DATA, {(each, None) for each in data}, frozenset(), 0)
    if data or deletes:
        least = min(newest, _least(found))
        filtering.rewrite(ManifestContent.DELETES, set(deletes), frozenset(data), least)
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
    snapshot_id: int
    found: Filtered

    def rewrite(
        self,
        content: ManifestContent,
        wanted: set[tuple[str, int | None]],
        gone: frozenset[str],
        least: int,
    ) -> None:
        """Make the entries of the manifests of a content that have removed files.

        Args:
            content: Data files or delete files.
            wanted: Files that must be live.
            gone: The paths of removed data files, whose deletion vectors go with them.
            least: The least data sequence number of all data files; older delete files go if their
                manifest is written again.
        """
        rows = np.flatnonzero(self.manifests.numbers("content") == content)
        manifests = self.manifests.take(rows)
        places = _read(self.table, manifests, _PLACE)
        is_removed = _are_among(places, wanted)
        if int(is_removed.sum()) < len(wanted):
            live = set(zip(*_places(places), strict=True))
            path, _ = next(iter(sorted(wanted - live, key=lambda each: each[0])))
            raise CommitConflict(f"{path}: another writer has removed it from the table")
        is_removed |= _vectors_of(places, gone)
        rows = np.unique(places.manifest[is_removed])
        if not len(rows):
            return
        entries = _read(self.table, manifests.take(rows), ALL_COLUMNS)
        is_removed = _are_among(entries, wanted) | _vectors_of(entries, gone)
        is_removed |= (entries.sequence_number > 0) & (entries.sequence_number < least)
        for number, row in enumerate(rows.tolist()):
            chosen = np.flatnonzero(entries.manifest == number)
            path, spec_id = manifests.paths[row], int(entries.spec_id[chosen[0]])
            made = self._entries(entries.view(chosen), is_removed[chosen])
            some = made.view(np.flatnonzero(made.status == EntryStatus.DELETED))
            removed = _dicts(self.table, some, spec_id, _COUNTED)
            self.found.again[path] = RewrittenManifest(path, spec_id, content, made, removed)

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


def _places(entries: Entries) -> tuple[list[str], list[int | None]]:
    """Return the path of each file, and the offset of a deletion vector in it or None."""
    held = entries.table(columns={"file_path", "content_offset"})
    return held["file_path"].to_pylist(), held["content_offset"].to_pylist()


def _are_among(entries: Entries, wanted: set[tuple[str, int | None]]) -> NDArray[np.bool_]:
    """Return which files are removed."""
    found = np.zeros(len(entries), np.bool_)
    if wanted:
        rows = np.flatnonzero(_is_in(entries, "file_path", {path for path, _ in wanted}))
        pairs = zip(*_places(entries.view(rows)), strict=True)
        found[rows] = [each in wanted for each in pairs]
    return found


def _vectors_of(entries: Entries, gone: frozenset[str]) -> NDArray[np.bool_]:
    """Return which files are deletion vectors of removed data files."""
    if not gone:
        return np.zeros(len(entries), np.bool_)
    return _is_in(entries, "referenced_data_file", gone) & (entries.content_offset >= 0)


def _is_in(entries: Entries, name: str, paths: Collection[str]) -> NDArray[np.bool_]:
    """Return of which files a path is among some; null is not."""
    column = entries.table(columns={name})[name]
    flags = pc.is_in(column, value_set=pa.array(sorted(paths), column.type))
    return np.asarray(flags.to_numpy(), np.bool_)


def _dicts(
    table: StoredTable, entries: Entries, spec_id: int, columns: Collection[str]
) -> list[dict[str, Any]]:
    """Return files of one spec as dicts of some columns, and of their partitions."""
    spec = table.metadata.spec(spec_id)
    of = spec.partition_type(table.schema)
    held = storage_tuples(entries, spec, of)
    values = [storage_values(f.type, each) for f, each in zip(of.fields, held, strict=True)]
    names = [each.name for each in of.fields]
    made: list[dict[str, Any]] = entries.table(columns=columns).to_pylist()
    for row, each in enumerate(made):
        each["partition"] = {n: column[row] for n, column in zip(names, values, strict=True)}
    return made
