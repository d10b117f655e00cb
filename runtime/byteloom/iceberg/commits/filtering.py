"""Manifests without the files that a snapshot removes.

The rules:

- A manifest is written again only if it has a removed file. Files that were deleted before vanish
  from it; all others are existing, with the numbers that they had inherited.
- Each file that is to be removed must be live.

Source: Iceberg table spec, "Manifests"; Java's ``ManifestFilterManager``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pyarrow as pa

from byteloom.errors import CommitConflict
from byteloom.iceberg.manifests.entries import ALL_COLUMNS, read_entries
from byteloom.iceberg.transforms.arrays import storage_values
from byteloom.late import pc
from byteloom_generated.iceberg.manifests import EntryStatus, ManifestContent

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from byteloom.iceberg.manifests.entries import Entries
    from byteloom.iceberg.manifests.manifest_list import ManifestList
    from byteloom.iceberg.stored_table import StoredTable
    from byteloom_generated.iceberg.table_metadata import Snapshot

__all__ = ["Filtered", "RewrittenManifest", "added_data_files", "filtered"]

_PLACE: Final = frozenset({"file_path", "content_offset"})
_OF_READING: Final = ("manifest", "spec_id")
"""Columns of entries that manifests do not have."""

_INHERITED: Final = frozenset({"sequence_number", "file_sequence_number", "first_row_id"})
"""What files get from the snapshot that adds them."""


class RewrittenManifest(NamedTuple):
    """A manifest that is written again.

    Attributes:
        path: That of the manifest before.
        spec_id: Its partition spec.
        content: Whether it has data files or delete files.
        entries: Its files by the names of manifests.
        least: The least data sequence number of the files that stay; None if none does.
    """

    path: str
    spec_id: int
    content: ManifestContent
    entries: Sequence[Mapping[str, Any]]
    least: int | None

    @property
    def removed(self) -> Iterator[Mapping[str, Any]]:
        """The files that are removed."""
        return (each for each in self.entries if each["status"] == EntryStatus.DELETED)


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
    data: Collection[str],
    deletes: Collection[tuple[str, int | None]],
) -> Filtered:
    """Return the manifests of a snapshot without removed files.

    Args:
        table: The table.
        head: The snapshot.
        data: The paths of removed data files.
        deletes: Removed delete files: path, and offset of a deletion vector in it or None.

    Raises:
        CommitConflict: A removed file that is not live: another writer has removed it.
    """
    manifests = table.manifests(head)
    found = Filtered(manifests.table.to_pylist())
    removed: dict[ManifestContent, set[tuple[str, int | None]]] = {
        ManifestContent.DATA: {(each, None) for each in data},
        ManifestContent.DELETES: set(deletes),
    }
    for content, wanted in removed.items():
        if wanted:
            rows = np.flatnonzero(manifests.numbers("content") == content)
            _rewrite(table, manifests.take(rows), content, wanted, found)
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
        rows = np.flatnonzero(is_added & (entries.spec_id == spec_id))
        for each in _entries(table, entries, rows, spec_id, np.ones(len(entries), np.bool_)):
            again = {key: value for key, value in each.items() if key not in _INHERITED}
            made.append({**again, "status": EntryStatus.ADDED, "spec_id": spec_id})
    return made


def _rewrite(
    table: StoredTable,
    manifests: ManifestList,
    content: ManifestContent,
    wanted: set[tuple[str, int | None]],
    found: Filtered,
) -> None:
    """Find the manifests that have removed files, and make their entries."""
    places = _read(table, manifests, _PLACE)
    is_removed = _are_among(places, wanted)
    if int(is_removed.sum()) < len(wanted):
        live = set(zip(*_places(places), strict=True))
        path, _ = next(iter(sorted(wanted - live, key=lambda each: each[0])))
        raise CommitConflict(f"{path}: another writer has removed it from the table")
    rows = np.unique(places.manifest[is_removed])
    entries = _read(table, manifests.take(rows), ALL_COLUMNS)
    is_removed = _are_among(entries, wanted)
    for number, row in enumerate(rows.tolist()):
        chosen = np.flatnonzero(entries.manifest == number)
        path = manifests.paths[row]
        spec_id = int(entries.spec_id[chosen[0]])
        kept = chosen[~is_removed[chosen]]
        sequence = entries.sequence_number[kept]
        least = int(sequence.min()) if len(kept) else None
        made = _entries(table, entries, chosen, spec_id, is_removed)
        found.again[path] = RewrittenManifest(path, spec_id, content, made, least)


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
    held = entries.table(columns=_PLACE)
    return held["file_path"].to_pylist(), held["content_offset"].to_pylist()


def _are_among(entries: Entries, wanted: set[tuple[str, int | None]]) -> NDArray[np.bool_]:
    """Return which files are removed."""
    held = entries.table(columns=_PLACE)
    paths = pa.array(sorted({path for path, _ in wanted}), held["file_path"].type)
    may = pc.is_in(held["file_path"], value_set=paths).to_numpy()
    rows = np.flatnonzero(may)
    some = held.take(pa.array(rows))
    pairs = zip(some["file_path"].to_pylist(), some["content_offset"].to_pylist(), strict=True)
    found = np.zeros(len(entries), np.bool_)
    found[rows] = [each in wanted for each in pairs]
    return found


def _entries(
    table: StoredTable,
    entries: Entries,
    rows: NDArray[np.intp],
    spec_id: int,
    is_removed: NDArray[np.bool_],
) -> list[dict[str, Any]]:
    """Return some entries of one spec as dicts, deleted or existing."""
    partitions = _partitions(table, entries, rows, spec_id)
    made = []
    for each, partition, gone in zip(
        entries.table(rows).to_pylist(), partitions, is_removed[rows].tolist(), strict=True
    ):
        for name in _OF_READING:
            each.pop(name)
        each["partition"] = partition
        each["status"] = EntryStatus.DELETED if gone else EntryStatus.EXISTING
        if gone:
            del each["snapshot_id"]
        made.append(each)
    return made


def _partitions(
    table: StoredTable, entries: Entries, rows: NDArray[np.intp], spec_id: int
) -> list[dict[str, Any]]:
    """Return the storage values of the partitions of some entries of one spec."""
    held, tuples = entries.partition(spec_id)
    columns = tuples.take(pa.array(np.searchsorted(held, rows))).flatten()
    fields = table.metadata.spec(spec_id).partition_type(table.schema).fields
    values = [storage_values(of.type, each) for of, each in zip(fields, columns, strict=True)]
    names = [each.name for each in fields]
    return [
        {name: each[row] for name, each in zip(names, values, strict=True)}
        for row in range(len(rows))
    ]
