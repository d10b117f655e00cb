"""Check manifest lists, and every manifest against every list that names it.

The rules:

- A manifest is read once, whole, with entries of deleted files; what the lists state about it must
  be the same in all of them, and summaries that differ from those of another list are checked, too.
- A manifest that contradicts its list is still checked further; one with invalid text is not.
- A file was added, or deleted, by the snapshot that added its manifest.
- No file is newer than its manifest, or than the table's newest commit.  Added files are as old as
  their manifest; only a replacement may say that the rows of its files are older.
- Files without row ids take those that follow the first row id of their manifest.
- The sort order of a file is one of the table's.  Offsets of splits grow, and are in the file.
- An equality delete file must name the columns that it compares.

Source: Iceberg table spec, "Manifests" (``manifest_entry``, ``data_file``), "Manifest Lists" and
"Row Lineage".
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from byteloom.errors import ByteloomError, FormatError
from byteloom.iceberg.manifests.arrow_columns import items_of
from byteloom.iceberg.manifests.decoded_stats import BOUNDS, COUNTS
from byteloom.iceberg.manifests.entries import SCAN_COLUMNS, Entries, read_entries
from byteloom.iceberg.verification.documents import check_paths
from byteloom.iceberg.verification.headers import (
    check_list_header,
    check_manifest_header,
    check_schema_id,
    read_header,
    written_schema,
)
from byteloom.iceberg.verification.lists import (
    REPEATED,
    check_again,
    check_counted,
    check_list,
    check_summaries,
)
from byteloom.iceberg.verification.metrics import check_bounds, check_counts
from byteloom.late import pc
from byteloom_generated.iceberg.manifests import EntryStatus, FileContent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from byteloom.iceberg.manifests.manifest_list import ManifestList
    from byteloom.iceberg.metadata import TableMetadata
    from byteloom.iceberg.schema import Schema
    from byteloom.iceberg.stored_table import StoredTable

    Flags = NDArray[np.bool_]

__all__ = ["Content", "check_entries", "check_manifests"]


def check_entries(
    entries: Entries, one: ManifestList, metadata: TableMetadata
) -> Iterator[FormatError]:
    """Yield the first entry of a manifest that breaks each of the rules.

    Args:
        one: The manifest's row in the list.
    """
    added_by = int(one.numbers("added_snapshot_id")[0])
    live = entries.status != EntryStatus.DELETED
    other = (entries.status != EntryStatus.EXISTING) & (entries.snapshot_id != added_by)
    for row in np.flatnonzero(other)[:1].tolist() if added_by >= 0 else ():
        found, wanted = int(entries.snapshot_id[row]), f"{added_by}, which added the manifest"
        yield FormatError(f"entries[{row}].snapshot_id", None, found, wanted)
    yield from _ages(entries, live, one, metadata)
    yield from _row_ids(entries, live, int(one.numbers("first_row_id")[0]))
    orders = [*metadata.sort_orders]
    unknown = ~np.isin(entries.sort_order_id, [-1, *orders])
    for row in np.flatnonzero(live & unknown)[:1].tolist():
        found = int(entries.sort_order_id[row])
        wanted = f"one of the sort orders: {', '.join(map(str, orders))}"
        yield FormatError(f"entries[{row}].sort_order_id", None, found, wanted)
    paths = entries.table(columns={"file_path"}).column("file_path")
    yield from check_paths("entries", "file_path", paths)
    yield from _splits(entries)
    deletes = np.flatnonzero(live & (entries.content == FileContent.EQUALITY_DELETES))
    ids = entries.table(deletes, columns={"equality_ids"}).column("equality_ids")
    lengths = pc.fill_null(pc.list_value_length(ids), 0).to_numpy()
    for row in deletes[lengths == 0][:1].tolist():
        yield FormatError(f"entries[{row}].equality_ids", None, "none", "the columns it compares")


def _ages(
    entries: Entries, live: Flags, one: ManifestList, metadata: TableMetadata
) -> Iterator[FormatError]:
    """Yield sequence numbers that are too high, and those of added files that are not their own."""
    last, own = metadata.document.last_sequence_number, int(one.numbers("sequence_number")[0])
    added_by = metadata.snapshots.get(int(one.numbers("added_snapshot_id")[0]))
    may_be_older = added_by is None or added_by.summary.get("operation") == "replace"
    for name in ("sequence_number", "file_sequence_number"):
        ages = getattr(entries, name)
        too_new = ages > max(own, 0)
        wanted = f"at most {own}, that of the manifest"
        if own > last or (ages[live] > last).any():
            too_new, wanted = ages > last, f"at most last-sequence-number ({last})"
        rows = np.flatnonzero(live & too_new)
        if not len(rows) and not (may_be_older and name == "sequence_number"):
            is_older = (entries.status == EntryStatus.ADDED) & (ages >= 0) & (ages < own)
            rows, wanted = np.flatnonzero(is_older), f"{own}, that of the manifest"
        for row in rows[:1].tolist():
            yield FormatError(f"entries[{row}].{name}", None, int(ages[row]), wanted)


def _row_ids(entries: Entries, live: Flags, first: int) -> Iterator[FormatError]:
    """Yield the first file that has not the row ids that it takes from its manifest."""
    ids = entries.first_row_id
    takes = live & (entries.content == FileContent.DATA) & (first >= 0)
    takes &= np.where(entries.status == EntryStatus.ADDED, ids >= 0, ids >= first)
    rows = np.flatnonzero(takes)
    counts = np.maximum(entries.record_count[rows], 0)
    wanted = first + np.cumsum(counts) - counts
    for at in np.flatnonzero(ids[rows] != wanted)[:1].tolist():
        where, found = f"entries[{rows[at]}].first_row_id", int(ids[rows[at]])
        yield FormatError(where, None, found, f"{wanted[at]}, which follows in the manifest")


def _splits(entries: Entries) -> Iterator[FormatError]:
    """Yield the first file with offsets of splits that do not grow, or are beyond its end."""
    held = entries.lists["split_offsets"]
    offsets = items_of(held.runs, held.items[:1])[0]
    rows = held.runs.rows
    falls = (np.diff(offsets) <= 0) & (np.diff(rows) == 0)
    sizes = entries.file_size_in_bytes[rows]
    wrong = (offsets < 0) | ((offsets >= sizes) & (sizes > 0)) | np.append(False, falls)
    for at in np.flatnonzero(wrong)[:1].tolist():
        where, wanted = f"entries[{rows[at]}].split_offsets", "growing offsets in the file"
        yield FormatError(where, None, int(offsets[at]), wanted)


_STATISTICS: Final = frozenset((*COUNTS, *BOUNDS))
_TEXTS: Final = frozenset({"file_path", "file_format", "referenced_data_file"})


@dataclass
class Content:
    """What was read, for later checks.

    Attributes:
        lists: The manifest lists that could be read, by snapshot id.
        entries: The entries of manifests that could be read, by the manifest's path.
        statistics: The same, with the statistics of their files.
    """

    lists: dict[int, ManifestList] = field(default_factory=dict)
    entries: dict[str, Entries] = field(default_factory=dict)
    statistics: dict[str, Entries] = field(default_factory=dict)

    def of(self, snapshot_id: int) -> list[Entries] | None:
        """Return the entries of a snapshot's manifests; None if some could not be read."""
        listed = self.lists.get(snapshot_id)
        paths = [] if listed is None else listed.paths
        if listed is None or any(each not in self.entries for each in paths):
            return None
        return [self.entries[each] for each in paths]

    def beyond(self, snapshot_id: int, other_id: int) -> list[Entries] | None:
        """Return the entries of manifests that a snapshot has and another one has not.

        None if a list, or some of these manifests, could not be read.
        """
        listed, other = self.lists.get(snapshot_id), self.lists.get(other_id)
        if listed is None or other is None:
            return None
        known = set(other.paths)
        paths = [each for each in listed.paths if each not in known]
        if any(each not in self.entries for each in paths):
            return None
        return [self.entries[each] for each in paths]

    def stated(self, parts: Sequence[Entries]) -> list[Entries]:
        """Return the entries of some manifests with their statistics, but for empty ones."""
        return [self.statistics[each.paths[0]] for each in parts if len(each)]


def check_manifests(table: StoredTable, content: Content) -> Iterator[ByteloomError]:
    """Yield what is wrong with lists and manifests; put what was read into *content*."""
    seen: dict[str, dict[str, Any]] = {}
    written: dict[str, Schema | None] = {}
    for snapshot in table.metadata.snapshots.values():
        try:
            listed = table.manifests(snapshot)
        except ByteloomError as error:
            yield error
            continue
        content.lists[snapshot.snapshot_id] = listed
        yield from check_list_header(table, snapshot)
        yield from check_list(table.metadata, snapshot, listed)
        stated = listed.table.select(["manifest_path", "partitions", *REPEATED])
        for row, manifest in enumerate(stated.to_pylist()):
            path = manifest["manifest_path"]
            if path not in seen:
                seen[path] = manifest
                header = read_header(table, path)
                written[path] = written_schema(header)
                yield from check_manifest_header(table, path, manifest["partition_spec_id"], header)
                yield from _manifest(table, listed, row, content)
                if path in content.entries:
                    yield from check_counted(listed.path, row, manifest, content.entries[path])
            else:
                yield from check_again(listed.path, row, seen[path], manifest)
            if path in content.entries and manifest["partitions"] != seen[path].get("summaries"):
                seen[path]["summaries"] = manifest["partitions"]
                yield from _summaries(table, listed, row, content.entries[path])
        own = np.flatnonzero(listed.numbers("added_snapshot_id") == snapshot.snapshot_id)
        added = [written[each] for each in listed.take(own).paths]
        yield from check_schema_id(table, snapshot, added)


def _manifest(
    table: StoredTable, listed: ManifestList, row: int, content: Content
) -> Iterator[ByteloomError]:
    """Check one manifest; one that contradicts its list is still checked further."""
    one = listed.take(np.array([row], np.intp))
    path = one.paths[0]
    notes: list[FormatError] = []
    try:
        entries = _entries(table, one, verify=True, note=notes.append)
    except ByteloomError as error:
        yield error
        try:
            entries = _entries(table, one, verify=False, note=notes.append)
        except ByteloomError:
            return
    try:
        entries.table(columns=_TEXTS)
    except FormatError as error:
        yield error  # no further check needs these texts
        return
    for each in (*notes[:1], *_of_manifest(table, one, entries)):
        yield each.in_file(path)
    kept = {name: each for name, each in entries.lists.items() if name not in _STATISTICS}
    content.entries[path], content.statistics[path] = replace(entries, lists=kept), entries


def _entries(table: StoredTable, one: ManifestList, **options: Any) -> Entries:
    """The entries of a manifest; the options are those of `read_entries`."""
    return read_entries(
        one,
        table.relocation.read,
        table.metadata.partition_specs,
        table.schema,
        columns=SCAN_COLUMNS | _STATISTICS,
        with_deleted=True,
        threads=1,
        limits=table.limits,
        **options,
    )


def _of_manifest(table: StoredTable, one: ManifestList, entries: Entries) -> Iterator[FormatError]:
    """Yield what is wrong with the entries of a manifest, and with its row in the list."""
    yield from check_entries(entries, one, table.metadata)
    yield from check_counts(entries)
    yield from check_bounds(entries, table.metadata.schemas.values())


def _summaries(
    table: StoredTable, listed: ManifestList, row: int, entries: Entries
) -> Iterator[FormatError]:
    """Yield what is wrong with a list's summaries of a manifest."""
    one = listed.take(np.array([row], np.intp))
    spec = table.metadata.partition_specs.get(int(one.numbers("partition_spec_id")[0]))
    if spec is not None:
        for error in check_summaries(one, entries, spec, table.schema):
            yield error.inside(f"manifests[{row}]").in_file(listed.path)
