"""Check manifest lists: their rows by themselves, and what several lists say of one manifest.

The rules:

- A manifest is not listed by a snapshot older than the one that added it, nor does it have a higher
  sequence number.
- Row ids that a snapshot gave to manifests begin with its own first one, and follow each other.
- What lists state of a manifest is the same in all of them; an upgrade may add fields.

Source: Iceberg table spec, "Manifest Lists", "Sequence Numbers" and "Row Lineage".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from byteloom.errors import FormatError
from byteloom.iceberg.verification.paths import check_paths
from byteloom_generated.iceberg.manifests import EntryStatus

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.iceberg.manifests.entries import Entries
    from byteloom.iceberg.manifests.manifest_list import ManifestList
    from byteloom.iceberg.metadata import TableMetadata
    from byteloom_generated.iceberg.table_metadata import Snapshot

__all__ = ["REPEATED", "check_again", "check_counted", "check_list"]

REPEATED: Final = (
    *("manifest_length", "partition_spec_id", "content", "sequence_number"),
    *("min_sequence_number", "added_snapshot_id", "first_row_id"),
    *(
        f"{kind}_{what}_count"
        for kind in ("added", "existing", "deleted")
        for what in ("files", "rows")
    ),
)
"""What all lists that have a manifest say of it."""


def check_list(
    metadata: TableMetadata, snapshot: Snapshot, listed: ManifestList
) -> Iterator[FormatError]:
    """Yield what is wrong with a list by itself."""
    for error in check_paths("manifests", "manifest_path", listed.table.column("manifest_path")):
        yield error.in_file(listed.path)
    sequence = listed.numbers("sequence_number")
    added_by = listed.numbers("added_snapshot_id")
    ages = {each.snapshot_id: each.sequence_number for each in metadata.snapshots.values()}
    added_at = [ages.get(each, age) for each, age in zip(added_by.tolist(), sequence, strict=True)]
    own = sequence != np.array(added_at, np.int64)
    for row in np.flatnonzero((sequence > snapshot.sequence_number) | own).tolist():
        wanted = f"that of the snapshot that added it, and at most {snapshot.sequence_number}"
        yield FormatError(
            f"manifests[{row}].sequence_number", None, str(sequence[row]), wanted
        ).in_file(listed.path)
    for error in _row_ids(metadata, snapshot, listed):
        yield error.in_file(listed.path)


def _row_ids(
    metadata: TableMetadata, snapshot: Snapshot, listed: ManifestList
) -> Iterator[FormatError]:
    """Yield the first row ids of manifests that a snapshot, or the table, has not given."""
    first = listed.numbers("first_row_id")
    counts = [listed.numbers(f"{each}_rows_count") for each in ("added", "existing")]
    rows = np.maximum(counts[0], 0) + np.maximum(counts[1], 0)
    least, end = snapshot.first_row_id, metadata.document.next_row_id
    if end is not None:
        for row in np.flatnonzero((first >= 0) & (first + rows > end)).tolist():
            found = f"{rows[row]} rows from {first[row]} on"
            yield FormatError(f"manifests[{row}].first_row_id", None, found, f"ids below {end}")
            return
    if least is None or any((each < 0).any() for each in counts):
        return
    is_own = listed.numbers("added_snapshot_id") == snapshot.snapshot_id
    given = np.flatnonzero((first >= 0) & (is_own | (first >= least)))
    given = given[np.argsort(first[given], kind="stable")]
    wanted = least + np.cumsum(rows[given]) - rows[given]
    for at in np.flatnonzero(first[given] != wanted)[:1].tolist():
        where, found = f"manifests[{given[at]}].first_row_id", str(first[given[at]])
        yield FormatError(where, None, found, f"{wanted[at]}, the next one of the snapshot")


def check_counted(
    path: str, row: int, manifest: dict[str, Any], entries: Entries
) -> Iterator[FormatError]:
    """Yield negative counts of a list, and fill in those that it lacks."""
    for status in EntryStatus:
        rows = entries.record_count[entries.status == status]
        counts = {"files": len(rows), "rows": sum(rows.tolist())}
        if (rows < 0).any():
            del counts["rows"]  # some files do not count theirs
        for what, count in counts.items():
            name = f"{status.name.lower()}_{what}_count"
            stated = manifest[name]
            manifest[name] = count if stated is None else stated
            if stated is not None and stated < 0:
                where, wanted = f"manifests[{row}].{name}", f"{count}; DuckDB counts by it"
                yield FormatError(where, None, str(stated), wanted).in_file(path)


def check_again(
    path: str, row: int, before: dict[str, Any], now: dict[str, Any]
) -> Iterator[FormatError]:
    """Yield contradictions of two lists about a manifest; an upgrade may add fields."""
    for name in REPEATED:
        if None not in {before[name], now[name]} and before[name] != now[name]:
            wanted = f"{before[name]}, as another list says"
            where = f"manifests[{row}].{name}"
            yield FormatError(where, None, str(now[name]), wanted).in_file(path)
            before[name] = now[name]  # so that each change is reported once
