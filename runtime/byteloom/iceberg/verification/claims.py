"""What manifests state about each file: every different entry of all manifests that have it.

The rules:

- A place is a file, or a deletion vector inside one; entries of deleted files state nothing.
- Of entries that state the same, only the first met is kept.

Source: Iceberg table spec, "Manifests" (``data_file``).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from byteloom.errors import FormatError
from byteloom.iceberg.manifests.decoded_stats import BOUNDS, COUNTS
from byteloom.iceberg.manifests.entries import SCAN_COLUMNS
from byteloom.iceberg.transforms.arrays import storage_values
from byteloom_generated.iceberg.manifests import EntryStatus, FileContent

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from byteloom.iceberg.manifests.entries import Entries
    from byteloom.iceberg.types import Type
    from byteloom.iceberg.verification.manifests import Content

__all__ = ["Claim", "Place", "claimed_places", "statistics_of"]

_OF_ENTRY: Final = {"status", "snapshot_id", "sequence_number", "file_sequence_number"}
_FILE: Final = {*SCAN_COLUMNS, "spec_id"} - _OF_ENTRY - {"partition", "first_row_id"}
_AT_ONCE: Final = 256
"""Entries whose statistics are made Python's objects together."""

_MOST: Final = 8
"""Of the same, how many times these are in memory."""

_PLACE: Final = ("file_path", "file_format", "content", "content_offset", "content_size_in_bytes")


_Recent: TypeAlias = dict[tuple[int, int], dict[str, list[dict[int, Any]]]]


class _Columns:
    """Statistics and partitions of the entries of a manifest, taken for many at once."""

    def __init__(self, entries: Entries, recent: _Recent) -> None:
        """Nothing is taken yet."""
        self._entries, self._recent = entries, recent
        self._partitions: dict[tuple[int, int], list[Any]] = {}

    def statistics(self, row: int) -> dict[str, dict[int, Any]]:
        """Return counts and bounds of an entry by the name of the map and the id of the column."""
        first = row - row % _AT_ONCE
        held = self._recent.get((id(self), first))
        if held is None:
            rows = np.arange(first, min(first + _AT_ONCE, len(self._entries)))
            held = statistics_of(self._entries, rows)
            if len(self._recent) >= _MOST:
                del self._recent[next(iter(self._recent))]
            self._recent[id(self), first] = held
        return {name: each[row - first] for name, each in held.items()}

    def partition(self, spec_id: int, index: int, of: Type) -> list[Any]:
        """Return the storage values of a field of the partitions of a spec."""
        place = (spec_id, index)
        if place not in self._partitions:
            _, tuples = self._entries.partition(spec_id)
            self._partitions[place] = storage_values(of, tuples.field(index))
        return self._partitions[place]


def statistics_of(entries: Entries, rows: NDArray[np.intp]) -> dict[str, list[dict[int, Any]]]:
    """Return counts and bounds by the name of the map: for each entry, by the id of the column."""
    arrays = entries.arrays(rows, {*COUNTS, *BOUNDS})
    return {name: _dicts(each) for name, each in arrays.items()}


def _dicts(maps: pa.MapArray) -> list[dict[int, Any]]:
    """Return each map; an empty one for null."""
    pairs = list(zip(maps.keys.to_pylist(), maps.items.to_pylist(), strict=True))
    return [dict(pairs[low:high]) for low, high in pairwise(maps.offsets.to_pylist())]


@dataclass(frozen=True)
class Claim:
    """An entry of a manifest.

    Attributes:
        row: Of the entry in the manifest.
        file: The fields of the file, without partition and statistics.
    """

    manifest: str
    entries: Entries
    row: int
    file: dict[str, Any]
    _columns: _Columns

    @property
    def is_data(self) -> bool:
        """Whether the file has the table's rows."""
        return bool(self.file["content"] == FileContent.DATA)

    @property
    def is_orc(self) -> bool:
        """Whether the file is one of ORC."""
        return bool(self.file["file_format"].lower() == "orc")

    @property
    def statistics(self) -> dict[str, dict[int, Any]]:
        """Counts and bounds by the name of the map and the id of the column."""
        return self._columns.statistics(self.row)

    @property
    def values(self) -> pa.StructArray | None:
        """The partition, in an array of one; None if its spec is unknown."""
        rows, tuples = self.entries.partition(self.file["spec_id"])
        return tuples.slice(self._place(rows), 1) if len(rows) else None

    def partition(self, index: int, of: Type) -> Any:
        """Return the storage value of a field of the partition.

        Args:
            index: Of the field in the spec, which is known.
            of: The field's type.
        """
        rows, _ = self.entries.partition(self.file["spec_id"])
        found = self._columns.partition(self.file["spec_id"], index, of)
        return found[self._place(rows)]

    def _place(self, rows: NDArray[np.intp]) -> int:
        """Return the index of the entry among those of its spec, whose *rows* these are."""
        return int(np.searchsorted(rows, self.row))

    def error(self, where: str, found: object, wanted: str) -> FormatError:
        """Return a finding about a field of the entry."""
        of_file = f"{wanted} ({self.file['file_path']})"
        error = FormatError(f"entries[{self.row}].{where}", None, str(found), of_file)
        return error.in_file(self.manifest)


@dataclass(frozen=True)
class Place:
    """A file, or a deletion vector inside one.

    Attributes:
        claims: The different entries about it.
        manifests: All that have it.
    """

    claims: list[Claim]
    manifests: list[str]


def claimed_places(content: Content) -> list[Place]:
    """Return all places, in the order in which they are met."""
    found: dict[tuple[Any, ...], list[Claim]] = {}
    recent: _Recent = {}
    for manifest, entries in content.statistics.items():
        live = np.flatnonzero(entries.status != EntryStatus.DELETED)
        columns = _Columns(entries, recent)
        for row, file in zip(live.tolist(), _files(entries, live), strict=True):
            place = tuple(file[each] for each in _PLACE)
            found.setdefault(place, []).append(Claim(manifest, entries, row, file, columns))
    repeated: dict[str, list[Claim]] = {}
    for claims in found.values():
        for each in claims if len(claims) > 1 else ():
            repeated.setdefault(each.manifest, []).append(each)
    marks: dict[tuple[str, int], int] = {}
    for some in repeated.values():
        for each, mark in zip(some, _marks(some), strict=True):
            marks[each.manifest, each.row] = mark
    return [
        Place(_different(claims, marks), [each.manifest for each in claims])
        for claims in found.values()
    ]


def _files(entries: Entries, rows: NDArray[np.intp]) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = entries.table(rows, _FILE).to_pylist()
    return made


def _different(claims: list[Claim], marks: dict[tuple[str, int], int]) -> list[Claim]:
    """Return the first of all claims that state the same."""
    if len(claims) == 1:
        return claims
    return list({marks[each.manifest, each.row]: each for each in reversed(claims)}.values())[::-1]


def _marks(claims: Sequence[Claim]) -> list[int]:
    """Return a number for each entry of a manifest, equal for those that state the same."""
    entries = claims[0].entries
    rows = np.array([each.row for each in claims])
    parts: list[list[Any]] = [
        _runs(each) for each in entries.arrays(rows, {*COUNTS, *BOUNDS}).values()
    ]
    partitions: list[Any] = [None] * len(entries)
    for held, tuples in entries.partitions.values():
        for row, value in zip(held.tolist(), tuples.to_pylist(), strict=True):
            partitions[row] = repr(value)
    parts.append([partitions[each] for each in rows.tolist()])
    parts.append([repr(each.file) for each in claims])
    return [hash(each) for each in zip(*parts, strict=True)]


def _runs(maps: pa.MapArray) -> list[tuple[bytes, bytes]]:
    """Return the keys of each map and its values, or their hashes, as bytes."""
    offsets, keys, items = maps.offsets.to_numpy().tolist(), maps.keys.to_numpy(), maps.items
    values = items.to_numpy(zero_copy_only=False)
    if values.dtype == object:
        values = np.array([hash(each) for each in values.tolist()], np.int64)
    return [
        (keys[low:high].tobytes(), values[low:high].tobytes()) for low, high in pairwise(offsets)
    ]
