"""The entries of a manifest: which snapshot added their files, their age, and equality columns.

The rules:

- A file was added, or deleted, by the snapshot that added its manifest.
- No file may be newer than the table's newest commit.
- An equality delete file must name the columns that it compares.

Source: Iceberg table spec, "Manifests" (``manifest_entry``, ``data_file``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from byteloom import compute as pc
from byteloom.errors import FormatError
from byteloom.iceberg.verification.paths import check_paths
from byteloom_generated.iceberg.manifests import EntryStatus, FileContent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.iceberg.manifests.entries import Entries

__all__ = ["check_entries"]


def check_entries(
    entries: Entries, added_by: int, last_sequence_number: int
) -> Iterator[FormatError]:
    """Yield the first entry of a manifest that breaks each of the rules.

    added_by  the snapshot that added the manifest, according to the list; -1 for unknown
    """
    other = (entries.status != EntryStatus.EXISTING) & (entries.snapshot_id != added_by)
    for row in np.flatnonzero(other)[: added_by >= 0].tolist():
        found, wanted = int(entries.snapshot_id[row]), f"{added_by}, which added the manifest"
        yield FormatError(f"entries[{row}].snapshot_id", None, found, wanted)
    unknown = np.flatnonzero(entries.sort_order_id < -1)
    for row in unknown[:1].tolist():
        found = int(entries.sort_order_id[row])
        yield FormatError(f"entries[{row}].sort_order_id", None, found, "0 or more")
    live = entries.status != EntryStatus.DELETED
    for name in ("sequence_number", "file_sequence_number"):
        ages = getattr(entries, name)
        for row in np.flatnonzero(live & (ages > last_sequence_number))[:1].tolist():
            wanted = f"at most last-sequence-number ({last_sequence_number})"
            yield FormatError(f"entries[{row}].{name}", None, int(ages[row]), wanted)
    paths = entries.table(columns={"file_path"}).column("file_path")
    yield from check_paths("entries", "file_path", paths)
    deletes = np.flatnonzero(live & (entries.content == FileContent.EQUALITY_DELETES))
    ids = entries.table(deletes, columns={"equality_ids"}).column("equality_ids")
    lengths = pc.fill_null(pc.list_value_length(ids), 0).to_numpy()
    for row in deletes[lengths == 0][:1].tolist():
        yield FormatError(f"entries[{row}].equality_ids", None, "none", "the columns it compares")
