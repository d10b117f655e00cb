"""Check manifest lists, and every manifest against every list that names it.

The rules:

- A manifest is read once, whole, with entries of deleted files; what the lists state about it must
  be the same in all of them, and summaries that differ from those of another list are checked, too.
- A manifest that contradicts its list is still checked further; one with invalid text is not.

Source: Iceberg table spec, "Manifests" and "Manifest Lists".
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from byteloom.errors import ByteloomError, FormatError
from byteloom.iceberg.manifests.column_stats import BOUNDS, COUNTS
from byteloom.iceberg.manifests.entries import SCAN_COLUMNS, Entries, read_entries
from byteloom.iceberg.verification.bounds import check_bounds
from byteloom.iceberg.verification.counts import check_counts
from byteloom.iceberg.verification.entries import check_entries
from byteloom.iceberg.verification.headers import (
    check_list_header,
    check_manifest_header,
    check_schema_id,
    read_header,
    written_schema,
)
from byteloom.iceberg.verification.lists import REPEATED, check_again, check_counted, check_list
from byteloom.iceberg.verification.summaries import check_summaries

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from byteloom.iceberg.manifests.manifest_list import ManifestList
    from byteloom.iceberg.schema import Schema
    from byteloom.iceberg.stored_table import StoredTable

__all__ = ["Content", "check_manifests"]

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
