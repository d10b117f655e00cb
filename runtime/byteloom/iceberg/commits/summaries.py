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
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pyarrow as pa

from byteloom.errors import ArgumentError
from byteloom.iceberg.manifests.encoding import encoded_tuples, storage_tuples
from byteloom.iceberg.transforms.arrays import storage_values
from byteloom.iceberg.writing.locations import partition_path
from byteloom_generated.iceberg.manifests import FileContent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from byteloom.iceberg.manifests.entries import Entries
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
    """The counts of one snapshot."""

    def __init__(self) -> None:
        """Begin without files."""
        self._counts: Counter[str] = Counter()
        self._partitions: dict[str, Counter[str]] = {}

    def add(self, entry: Mapping[str, Any], spec: PartitionSpec, schema: Schema) -> None:
        """Count a file that the snapshot adds.

        Args:
            entry: The file, by the names of manifests.
            spec: Its partition spec.
            schema: The table's schema.
        """
        is_vector = entry.get("content_offset") is not None
        size = entry["content_size_in_bytes"] if is_vector else entry["file_size_in_bytes"]
        files = _Files(entry["content"], is_vector, 1, size, entry["record_count"])
        values = [entry["partition"][each.name] for each in spec.fields]
        self._count(partition_path(spec, schema, values), _counts(files, removed=False))

    def remove(self, entries: Entries, spec: PartitionSpec, schema: Schema) -> None:
        """Count files that the snapshot removes.

        Args:
            entries: The files.
            spec: The partition spec of all of them.
            schema: The table's schema.
        """
        paths, partitions = _partitions(entries, spec, schema)
        is_vector = entries.content_offset >= 0
        sizes = np.where(is_vector, entries.content_size_in_bytes, entries.file_size_in_bytes)
        kinds = np.stack([partitions, entries.content, is_vector])
        groups, numbers = np.unique(kinds, axis=1, return_inverse=True)
        counted = [np.ones_like(sizes), sizes, entries.record_count]
        sums = [_sums(each, numbers.reshape(-1), groups.shape[1]) for each in counted]
        for (path, content, vector), each in zip(
            groups.T.tolist(), zip(*sums, strict=True), strict=True
        ):
            files = _Files(content, bool(vector), *each)
            self._count(paths[path], _counts(files, removed=True))

    def check_replaced(self) -> None:
        """Refuse more rows than the removed files had: no row comes by replacing files.

        Raises:
            ArgumentError: There are more.
        """
        added, removed = self._counts["added-records"], self._counts["deleted-records"]
        if added > removed:
            found = f"{added} rows in place of {removed}"
            raise ArgumentError("operation", None, found, "no more rows than were replaced")

    def _count(self, path: str, counts: Mapping[str, int]) -> None:
        self._counts.update(counts)
        self._partitions.setdefault(path, Counter()).update(counts)

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


class _Files(NamedTuple):
    """Some files of one kind.

    Attributes:
        content: A `FileContent`.
        is_vector: Whether they are deletion vectors.
        number: How many they are.
        size: Their bytes.
        rows: Their rows, or deletes.
    """

    content: int
    is_vector: bool
    number: int
    size: int
    rows: int


def _sums(values: NDArray[np.int64], groups: NDArray[np.intp], count: int) -> list[int]:
    """Return the sum of the values of each group."""
    made = np.zeros(count, np.int64)
    np.add.at(made, groups, values)
    found: list[int] = made.tolist()
    return found


def _partitions(
    entries: Entries, spec: PartitionSpec, schema: Schema
) -> tuple[list[str], NDArray[np.int64]]:
    """Return the folders of the partitions of some files, and the number of that of each file."""
    of = spec.partition_type(schema)
    if not of.fields:
        return [""], np.zeros(len(entries), np.int64)
    columns = storage_tuples(entries, spec, of)
    numbers = encoded_tuples(columns, of).dictionary_encode().indices.to_numpy()
    _, firsts = np.unique(numbers, return_index=True)
    values = [
        storage_values(each.type, held.take(pa.array(firsts)))
        for each, held in zip(of.fields, columns, strict=True)
    ]
    paths = [partition_path(spec, schema, each) for each in zip(*values, strict=True)]
    return paths, numbers.astype(np.int64)


def _counts(files: _Files, *, removed: bool) -> dict[str, int]:
    """Return what files count for."""
    verb = "removed" if removed else "added"
    if files.content == FileContent.DATA:
        of_data = "deleted" if removed else "added"
        return {
            f"{of_data}-data-files": files.number,
            f"{verb}-files-size": files.size,
            f"{of_data}-records": files.rows,
        }
    kind = _KINDS[FileContent(files.content)]
    return {
        f"{verb}-delete-files": files.number,
        f"{verb}-dvs" if files.is_vector else f"{verb}-{kind}-delete-files": files.number,
        f"{verb}-files-size": files.size,
        f"{verb}-{kind}-deletes": files.rows,
    }
