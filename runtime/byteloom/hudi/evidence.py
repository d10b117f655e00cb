"""The data of a table, read once for all indexes that are checked against it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa

from byteloom.errors import ByteloomError, TooLarge, Unsupported
from byteloom.hudi.data_slices import (
    DataSlice,
    StoredFile,
    cleaned_names,
    data_files,
    data_slices,
    folders_of_partitions,
    path_of,
    stored_sizes,
    written_files,
)
from byteloom.hudi.findings import DATA, Audit, Finding, Skipped
from byteloom.hudi.snapshot import Snapshot, base_columns
from byteloom.hudi.table import MetadataTable
from byteloom.hudi.timeline import Instant

__all__ = ["Evidence", "unread_groups"]


class Evidence:
    """The data of *table*; what cannot be read is recorded in an audit.

    A damaged or lost file is a finding, however many indexes are compared with it.

    Attributes:
        columns: Names of the columns to read of records, besides their keys.
    """

    def __init__(self, table: MetadataTable, out: Audit, columns: tuple[str, ...]) -> None:
        """Read nothing yet; record unreadable files in *out*."""
        self._table, self._out, self.columns = table, out, columns
        self._damaged: set[str] = set()
        self._reader = Snapshot(table.data, table.timeline, table.properties, table.limits)

    @cached_property
    def partitions(self) -> list[str]:
        """Folders of partitions, by path."""
        return list(folders_of_partitions(self._table.data))

    @cached_property
    def files(self) -> dict[str, dict[str, StoredFile]]:
        """Data files that completed instants wrote, by partition and name."""
        return {
            partition: {each.name: each for each in files if self.is_committed(each)}
            for partition, files in self._there.items()
        }

    @cached_property
    def _there(self) -> dict[str, list[StoredFile]]:
        """Data files in the folders of partitions, by partition."""
        return data_files(self._table.data, self.partitions, self._table.timeline)

    def is_committed(self, file: StoredFile) -> bool:
        """Whether the instant in the name of *file* is completed."""
        return self._table.timeline.has_completed(file.instant)

    @cached_property
    def slices(self) -> list[DataSlice]:
        """The newest slice of each file group of each partition, with the files that are lost."""
        table, absent = self._table, self._absent
        unmarked = sorted(absent.keys() - self._there.keys())
        there = self._there | data_files(table.data, unmarked, table.timeline)
        files = {
            partition: [*found, *(file for file, _ in absent.get(partition, {}).values())]
            for partition, found in there.items()
        }
        return data_slices(files, table.timeline, table.table_version)

    @cached_property
    def lost(self) -> set[tuple[str, str]]:
        """Partition and name of each file of a newest slice that is not there; each is a finding.

        A commit names it, and no clean removed it.
        """
        found = set()
        for piece in self.slices:
            absent = self._absent.get(piece.partition, {})
            for name in (each for each in _names(piece) if each in absent):
                commit = absent[name][1]
                reason = f"named by {commit.action} {commit.time}, and not there"
                lacks = Finding(DATA, "lost", piece.partition or None, name, None, reason)
                self._out.findings.append(lacks)
                self._out.unread.add(path_of(piece.partition, name))
                found.add((piece.partition, name))
        return found

    @property
    def readable(self) -> list[tuple[str, str]]:
        """Partition and name of each data file that is there, and counts now or did before."""
        every = [(partition, name) for partition, files in self.files.items() for name in files]
        every += ((piece.partition, name) for piece in self.slices for name in _names(piece))
        every += (
            (partition, name)
            for partition in self._present
            for name in sorted(self._present[partition])
        )
        return [each for each in dict.fromkeys(every) if each not in self.lost]

    def _has_lost(self, piece: DataSlice) -> bool:
        return any((piece.partition, each) in self.lost for each in _names(piece))

    @cached_property
    def _absent(self) -> dict[str, dict[str, tuple[StoredFile, Instant]]]:
        """The files that commits name, and the folders do not have, with the commit.

        Those that a clean removed are left out.
        """
        found = {
            partition: {name: files[name] for name in files if name not in self._present[partition]}
            for partition, files in self._named.items()
        }
        cleaned = cleaned_names(self._table.timeline) if any(found.values()) else frozenset()
        return {
            partition: {
                name: files[name] for name in files if name.rpartition("/")[2] not in cleaned
            }
            for partition, files in found.items()
        }

    @cached_property
    def _present(self) -> dict[str, set[str]]:
        """The names of the files that commits name, and the folders have, by partition."""
        return {
            partition: stored_sizes(self._table.data, partition, files).keys() & files.keys()
            for partition, files in self._named.items()
        }

    @cached_property
    def _named(self) -> dict[str, dict[str, tuple[StoredFile, Instant]]]:
        """The files that commits name, with the first commit, by partition and name.

        A damaged commit is a finding; an empty one wrote nothing, as Hudi reads it.
        """
        timeline = self._table.timeline
        found: dict[str, dict[str, tuple[StoredFile, Instant]]] = defaultdict(dict)
        for instant in (each for each in timeline.commits.values() if each.size):
            try:
                written = written_files(timeline, instant)
            except ByteloomError as error:
                self.record(DATA, "", instant.name, error)
                continue
            for partition, file in written:
                found[partition].setdefault(file.name, (file, instant))
        return found

    def why_unindexed(self, partition: str, file: StoredFile) -> str | None:
        """Return why an index need not have *file*; None for a base file that queries read."""
        if file.version:
            return "a log file"
        if file.is_external:
            return "a file that another program wrote"
        return None if (partition, file.name) in self._newest else "no longer read by queries"

    @cached_property
    def _newest(self) -> set[tuple[str, str]]:
        """Partition and name of the base file of each of the newest slices."""
        return {(each.partition, each.base.name) for each in self.slices if each.base}

    @cached_property
    def records(self) -> Records:
        """All records of the table: key, partition, file_id and the requested columns."""
        parts, unread = [], []
        for piece in self.slices:
            if self._has_lost(piece):
                unread.append(piece.file_id)
                continue
            try:
                found = self._reader.records(piece, self.columns)
            except ByteloomError as error:
                unread.append(piece.file_id)
                self._unread("records", piece.partition, _culprit(piece, error), error)
                continue
            for name in ("partition", "file_id"):
                column = pa.array([getattr(piece, name)] * len(found), pa.string())
                found = found.append_column(name, column)
            parts.append(found)
        empty = pa.table(
            {each: pa.array([], pa.string()) for each in ("key", "partition", "file_id")}
        )
        whole = pa.concat_tables(parts, promote_options="permissive") if parts else empty
        return Records(whole.combine_chunks(), frozenset(unread))

    def base_file(
        self, index: str, partition: str, name: str, columns: tuple[str, ...]
    ) -> pa.Table | None:
        """Return columns of a base file for *index*; record a file that cannot be read."""
        table = self._table
        try:
            return base_columns(table.data, partition, name, columns, table.limits)
        except ByteloomError as error:
            self._unread(index, partition, name, error)
            return None

    def written(
        self, index: str, piece: DataSlice, columns: tuple[str, ...]
    ) -> list[pa.Table] | None:
        """Return columns of all that a slice wrote; record a file of it that cannot be read."""
        if self._has_lost(piece):
            return None
        try:
            return list(self._reader.written(piece, columns))
        except ByteloomError as error:
            self._unread(index, piece.partition, _culprit(piece, error), error)
            return None

    def _unread(self, index: str, partition: str, name: str, error: ByteloomError) -> None:
        """Record that the records of a data file could not be read, and why."""
        self._out.unread.add(path_of(partition, name))
        self.record(index, partition, name, error)

    def record(self, index: str, partition: str, name: str, error: ByteloomError) -> None:
        """Record why a file cannot be compared with *index*: damage, or a kind not supported."""
        place, out = path_of(partition, name), self._out
        reason = _without_path(str(error), f"{self._table.data}/{place}", place)
        if isinstance(error, Unsupported | TooLarge):
            out.skipped.append(Skipped(index, place, reason))
        elif place not in self._damaged:
            self._damaged.add(place)
            out.findings.append(Finding(DATA, "damaged", partition or None, name, None, reason))


def _culprit(piece: DataSlice, error: ByteloomError) -> str:
    """Return the name of the file of a slice that an error is about, or the id of its group."""
    return next((each for each in _names(piece) if each in str(error)), piece.file_id)


def _names(piece: DataSlice) -> list[str]:
    """Return the names of the files of a slice."""
    return [each.name for each in (piece.base, *piece.logs) if each]


def _without_path(text: str, *paths: str) -> str:
    """Return the text of an error without the path of a file that it begins with."""
    for path in paths:
        if text.startswith((f"{path}: ", f"{path} at ")):
            return text.removeprefix(path).lstrip(": ")
    return text


def unread_groups(count: int) -> str:
    """Return why an index of several file groups was not compared: some of them were not read."""
    return f"{count} file group{'' if count == 1 else 's'} could not be read"


@dataclass(frozen=True, slots=True)
class Records:
    """Records of a table.

    Attributes:
        table: Has the columns key, partition, file_id and the requested ones.
        unread: Ids of the file groups whose records are not in it.
    """

    table: pa.Table
    unread: frozenset[str]
