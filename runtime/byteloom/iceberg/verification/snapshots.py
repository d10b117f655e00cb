"""Check the files of each snapshot against each other, and its summary against them.

The rules:

- A file may be live once; a deletion vector counts as one file, by its place in its file.
- The data file of a deletion vector must be live, not newer, in the same partition, and not be
  that of another vector.
- Files are kept as columns; text is made only for files with errors.
- Totals are those of all live files.  A list that lost a manifest looks sound by itself, but the
  totals still count the manifest's files.
- Numbers of added and removed files are those of the files that the snapshot added and deleted.
- Writers leave out any of these numbers, and do not count bytes in the same way: those are not
  compared.

Source: Iceberg table spec, "Deletion Vectors", "Scan Planning", "Snapshots" and "Appendix F"
(optional snapshot summary fields).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import ByteloomError, FormatError
from byteloom.iceberg.manifests.joining import joined_entries, partition_codes
from byteloom.iceberg.verification.partitions import shown_partition
from byteloom.late import pc
from byteloom_generated.iceberg.manifests import EntryStatus, FileContent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from byteloom.iceberg.manifests.entries import Entries
    from byteloom.iceberg.stored_table import StoredTable
    from byteloom.iceberg.verification.manifests import Content

    Rows = NDArray[np.intp]
    Numbers = NDArray[np.int64]

__all__ = ["check_snapshots", "check_totals"]

_COLUMNS: Final = {"file_path", "file_format", "content_offset", "referenced_data_file"}


def check_snapshots(table: StoredTable, content: Content) -> Iterator[ByteloomError]:
    """Yield what is wrong with the files of each snapshot, each problem once."""
    reported = set()
    for snapshot_id in table.metadata.snapshots:
        parts = content.of(snapshot_id)
        if not parts:
            continue  # what cannot be read was reported already, and may explain the difference
        try:
            found = list(_found([_Live.of(each) for each in parts]))
        except ByteloomError as error:
            found = [error]
        for each in found:
            if str(each) not in reported:
                reported.add(str(each))
                yield each


@dataclass(frozen=True, slots=True)
class _Live:
    """The live files of a manifest.

    Attributes:
        rows: Their rows in *entries*.
        texts: The columns compared as text, one row per file.
    """

    entries: Entries
    rows: Rows
    texts: pa.Table

    @classmethod
    def of(cls, entries: Entries) -> _Live:
        """Return the live files of *entries*."""
        rows = np.flatnonzero(entries.status != EntryStatus.DELETED)
        return cls(entries, rows, entries.table(rows, columns=_COLUMNS))

    def kept(self, flags: pa.ChunkedArray | pa.Array, content: int) -> tuple[Entries, pa.Table]:
        """Return the files with this content and a set flag, their bytes copied."""
        is_one = self.entries.content[self.rows] == content
        kept = np.flatnonzero(is_one & np.asarray(pc.fill_null(flags, fill_value=False)))
        return self.entries.take(self.rows[kept]), self.texts.take(pa.array(kept))


def _found(parts: list[_Live]) -> Iterator[ByteloomError]:
    """Yield what is wrong with the files of one snapshot."""
    held = pa.concat_tables([each.texts for each in parts])
    counted = held.group_by(["file_path", "content_offset"]).aggregate([([], "count_all")])
    twice = counted.filter(pc.greater(counted.column("count_all"), 1))
    for path in twice.column("file_path").to_pylist():
        yield FormatError(path, None, "live twice in one snapshot", "each file once")
    vectors = _joined(
        [
            each.kept(
                pc.equal(pc.utf8_lower(each.texts.column("file_format")), "puffin"),
                FileContent.POSITION_DELETES,
            )
            for each in parts
        ]
    )
    if len(vectors.entries):
        named = vectors.texts.column("referenced_data_file").combine_chunks()
        data = _joined(
            [
                each.kept(
                    pc.is_in(each.texts.column("file_path"), value_set=named), FileContent.DATA
                )
                for each in parts
            ]
        )
        yield from _Vectors(vectors, data).found()


@dataclass(frozen=True, slots=True)
class _Files:
    """Some files of a snapshot, and their columns compared as text."""

    entries: Entries
    texts: pa.Table


def _joined(parts: list[tuple[Entries, pa.Table]]) -> _Files:
    """Return the files of several manifests as one."""
    entries = joined_entries([each for each, _ in parts])
    return _Files(entries, pa.concat_tables([texts for _, texts in parts]).combine_chunks())


class _Vectors:
    """Deletion vectors, and the data files that they name."""

    def __init__(self, vectors: _Files, data: _Files) -> None:
        """Find the file of each vector."""
        self.vectors, self.data = vectors.entries, data.entries
        self.texts = vectors.texts
        named = self.texts.column("referenced_data_file").combine_chunks()
        self.named = named
        places = pc.index_in(named, value_set=data.texts.column("file_path").combine_chunks())
        self.file = pc.fill_null(places, -1).to_numpy(zero_copy_only=False)
        self.has_file = np.flatnonzero(self.file >= 0)

    def found(self) -> Iterator[FormatError]:
        """Yield what is wrong, rule by rule."""
        is_null = np.asarray(self.named.is_null())
        for row in np.flatnonzero(is_null).tolist():
            yield self._error(row, "no referenced_data_file", "the file it deletes from")
        yield from self._twice(is_null)
        for row in np.flatnonzero((self.file < 0) & ~is_null).tolist():
            yield self._error(row, self._name(row), "a data file that is live in the snapshot")
        yield from self._too_old()
        yield from self._elsewhere()

    def _twice(self, is_null: NDArray[np.bool_]) -> Iterator[FormatError]:
        """Yield vectors whose file has another vector as well."""
        codes = self.named.dictionary_encode().indices
        codes = pc.fill_null(codes, -1).to_numpy(zero_copy_only=False)
        first = np.full(len(codes) + 1, -1, np.intp)
        first[codes[::-1]] = np.arange(len(codes))[::-1]
        for row in np.flatnonzero((first[codes] != np.arange(len(codes))) & ~is_null).tolist():
            wanted = (
                f"one deletion vector for each data file, not {self._where(first[codes[row]])} too"
            )
            yield self._error(row, f"another one for {self._name(row)}", wanted)

    def _too_old(self) -> Iterator[FormatError]:
        """Yield vectors with a sequence number below that of their file."""
        ages = self.vectors.sequence_number[self.has_file]
        needed = self.data.sequence_number[self.file[self.has_file]]
        for each in np.flatnonzero(ages < needed).tolist():
            row = int(self.has_file[each])
            wanted = f"{needed[each]} or more, that of {self._name(row)}"
            yield self._error(row, f"sequence number {ages[each]}", wanted)

    def _elsewhere(self) -> Iterator[FormatError]:
        """Yield vectors whose spec or partition is not that of their file."""
        files = self.file[self.has_file]
        ours, theirs = partition_codes(self.data, files, self.vectors, self.has_file)
        for each in np.flatnonzero(ours != theirs).tolist():
            row, file = int(self.has_file[each]), int(files[each])
            found, wanted = shown_partition(self.vectors, row), shown_partition(self.data, file)
            yield self._error(row, found, f"{wanted}, that of {self._name(row)}")

    def _error(self, row: int, found: str, wanted: str) -> FormatError:
        return FormatError(self._where(row), None, found, wanted)

    def _where(self, row: int) -> str:
        path = self.texts.column("file_path")[row].as_py()
        return f"{path}.{self.vectors.content_offset[row]}"

    def _name(self, row: int) -> Any:
        return self.named[row].as_py()


_CONTENTS: Final = {
    FileContent.DATA: "records",
    FileContent.POSITION_DELETES: "position-deletes",
    FileContent.EQUALITY_DELETES: "equality-deletes",
}
"""What rows of each content are called."""

_DELETED: Final = {"removed-data-files": "deleted-data-files", "removed-records": "deleted-records"}
"""Names in which data is not removed, but deleted."""

_NOTHING: Final = np.zeros(3 * len(_CONTENTS) + 1, np.int64)


def check_totals(table: StoredTable, content: Content) -> Iterator[FormatError]:
    """Yield an error for each number of a snapshot that is not that of its files."""
    live: dict[int, Numbers] = {}
    for each in content.entries.values():
        live[id(each)] = _sums(each, each.status != EntryStatus.DELETED)
    for snapshot in table.metadata.snapshots.values():
        parts = content.of(snapshot.snapshot_id)
        if parts is None:
            continue  # what cannot be read was reported already
        total = sum((live[id(each)] for each in parts), _NOTHING)
        own = _own(parts, snapshot.snapshot_id)
        for name, found in {**_named("total", total), **own}.items():
            stated = snapshot.summary.get(name)
            if stated is not None and stated != str(found):
                where = f"snapshots[{snapshot.snapshot_id}].summary.{name}"
                kind = "in total" if name.startswith("total") else "of this snapshot"
                wanted = f"{found}, as its manifests have {kind}"
                yield FormatError(where, None, repr(stated), wanted)


def _own(parts: list[Entries], own: int) -> dict[str, int]:
    """Return the numbers of files that a snapshot added and removed by name in a summary."""
    added = removed = _NOTHING
    for each in parts:
        is_own = each.snapshot_id == own
        if is_own.any():
            added = added + _sums(each, is_own & (each.status == EntryStatus.ADDED))
            removed = removed + _sums(each, is_own & (each.status == EntryStatus.DELETED))
    return _named("added", added) | _named("removed", removed)


def _sums(entries: Entries, chosen: NDArray[np.bool_]) -> Numbers:
    """Return the numbers of the chosen files, of files without row counts, and of rows, by content.

    The last column is the number of deletion vectors.
    """
    made = []
    for kind in _CONTENTS:
        counts = entries.record_count[chosen & (entries.content == kind)]
        made += [len(counts), int((counts < 0).sum()), int(counts.sum())]
    return np.array([*made, (chosen & (entries.content_offset >= 0)).sum()], np.int64)


def _named(kind: str, sums: Numbers) -> dict[str, int]:
    """Return the known numbers by name: ``total``, ``added`` or ``removed``."""
    *numbers, vectors = sums.tolist()
    data, positions, equality = numbers[::3]
    made = {f"{kind}-data-files": data, f"{kind}-delete-files": positions + equality}
    if kind != "total":
        made[f"{kind}-position-delete-files"] = positions - vectors
        made[f"{kind}-equality-delete-files"] = equality
        made[f"{kind}-dvs"] = vectors
    rows = zip(_CONTENTS.values(), numbers[1::3], numbers[2::3], strict=True)
    made |= {f"{kind}-{name}": count for name, unknown, count in rows if not unknown}
    return {_DELETED.get(name, name): number for name, number in made.items()}
