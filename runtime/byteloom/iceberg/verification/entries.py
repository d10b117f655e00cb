"""The entries of a manifest: their numbers, sequence numbers, row ids, and equality columns.

The rules:

- A file was added, or deleted, by the snapshot that added its manifest.
- No file is newer than its manifest, or than the table's newest commit.  Added files are as old as
  their manifest; only a replacement may say that the rows of its files are older.
- Files without row ids take those that follow the first row id of their manifest.
- The sort order of a file is one of the table's.  Offsets of splits grow, and are in the file.
- An equality delete file must name the columns that it compares.

Source: Iceberg table spec, "Manifests" (``manifest_entry``, ``data_file``) and "Row Lineage".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from byteloom.errors import FormatError
from byteloom.iceberg.manifests.arrow_columns import items_of
from byteloom.iceberg.verification.paths import check_paths
from byteloom.late import pc
from byteloom_generated.iceberg.manifests import EntryStatus, FileContent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from byteloom.iceberg.manifests.entries import Entries
    from byteloom.iceberg.manifests.manifest_list import ManifestList
    from byteloom.iceberg.metadata import TableMetadata

    Flags = NDArray[np.bool_]

__all__ = ["check_entries"]


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
