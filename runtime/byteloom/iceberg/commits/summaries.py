"""Summaries of snapshots: what was added and removed, and what the table then has.

The rules:

- Counts of 0 are left out, but for those that every summary has. Totals are those of the parent
  with what was added and without what was removed; a total that the parent lacks, that is no number
  there, or that would be negative, is left out.
- Sizes of deletion vectors are those of their blobs, not of the Puffin files that hold them.

Source: Iceberg table spec, "Snapshots" and "Appendix F: Implementation Notes"; Java's
``SnapshotSummary``.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from byteloom.iceberg.writing.locations import partition_path
from byteloom_generated.iceberg.manifests import FileContent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from byteloom.iceberg.partition_spec import PartitionSpec
    from byteloom.iceberg.schema import Schema

__all__ = ["Summary"]

_TOTALS: Final = {
    "total-data-files": ("added-data-files", "deleted-data-files"),
    "total-delete-files": ("added-delete-files", "removed-delete-files"),
    "total-records": ("added-records", "deleted-records"),
    "total-files-size": ("added-files-size", "removed-files-size"),
    "total-position-deletes": ("added-position-deletes", "removed-position-deletes"),
    "total-equality-deletes": ("added-equality-deletes", "removed-equality-deletes"),
}
"""The count of each total, and the counts that change it."""

_NUMBER: Final = re.compile(r"[0-9]{1,19}")

_KINDS: Final = {
    FileContent.POSITION_DELETES: "position",
    FileContent.EQUALITY_DELETES: "equality",
}


class Summary:
    """The counts of one snapshot, file by file."""

    def __init__(self) -> None:
        """Begin without files."""
        self._counts: Counter[str] = Counter()
        self._partitions: dict[str, Counter[str]] = {}

    def add(
        self, entry: Mapping[str, Any], spec: PartitionSpec, schema: Schema, *, removed: bool
    ) -> None:
        """Count a file that the snapshot adds or removes.

        Args:
            entry: The file, by the names of manifests.
            spec: Its partition spec.
            schema: The table's schema.
            removed: Whether it is removed.
        """
        values = [entry["partition"][each.name] for each in spec.fields]
        path = partition_path(spec, schema, values)
        made = _counts(entry, removed=removed)
        self._counts.update(made)
        self._partitions.setdefault(path, Counter()).update(made)

    def document(
        self,
        operation: str,
        parent: Mapping[str, str] | None,
        manifests: Mapping[str, int],
        partition_limit: int,
    ) -> dict[str, str]:
        """Return the summary.

        Args:
            operation: append, overwrite, delete or replace.
            parent: The summary of the branch's head before; None for the first snapshot.
            manifests: How many manifests were created, kept and replaced.
            partition_limit: The most partitions that are listed.
        """
        made = {"operation": operation}
        made |= {key: str(number) for key, number in self._counts.items() if number}
        made["changed-partition-count"] = str(len(self._partitions))
        made |= {f"manifests-{key}": str(number) for key, number in manifests.items()}
        listed = {key: each for key, each in self._partitions.items() if key}
        if listed and len(listed) <= partition_limit:
            made["partition-summaries-included"] = "true"
            for path, each in listed.items():
                counts = (f"{key}={number}" for key, number in each.items() if number)
                made[f"partitions.{path}"] = ",".join(counts)
        for total, (added, removed) in _TOTALS.items():
            before = "0" if parent is None else parent.get(total, "")
            if not _NUMBER.fullmatch(before):
                continue
            number = int(before) + self._counts[added] - self._counts[removed]
            if number >= 0:
                made[total] = str(number)
        return made


def _counts(entry: Mapping[str, Any], *, removed: bool) -> dict[str, int]:
    """Return what a file counts for."""
    verb = "removed" if removed else "added"
    content, rows = entry["content"], entry["record_count"]
    is_vector = entry.get("content_offset") is not None
    size = entry["content_size_in_bytes"] if is_vector else entry["file_size_in_bytes"]
    if content == FileContent.DATA:
        of_data = "deleted" if removed else "added"
        return {
            f"{of_data}-data-files": 1,
            f"{verb}-files-size": size,
            f"{of_data}-records": rows,
        }
    kind = _KINDS[content]
    return {
        f"{verb}-delete-files": 1,
        f"{verb}-dvs" if is_vector else f"{verb}-{kind}-delete-files": 1,
        f"{verb}-files-size": size,
        f"{verb}-{kind}-deletes": rows,
    }
