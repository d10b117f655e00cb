"""Entries as columns, for planning scans and for metadata tables.

The rules:

- Numbers are NumPy arrays, in which -1 means null: no field of the spec may be negative.
- Text and bytes stay in the decompressed buffer, as `Spans`, until `Entries.table` copies those of
  the wanted rows; `Entries.take` copies them, and releases the rest.

Source: Iceberg table spec, "Manifests".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError
from byteloom.iceberg.expressions.stats import FieldStats, Spans
from byteloom.iceberg.manifests import fields
from byteloom.iceberg.manifests.arrow_columns import (
    Lists,
    gathered,
    long_lists,
    map_array,
    number_array,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from numpy.typing import NDArray

    Rows = NDArray[np.intp]
    Numbers = NDArray[np.int64]

__all__ = ["ALL_COLUMNS", "MAPS", "SCAN_COLUMNS", "Entries", "Lists", "Statistics"]

MAPS: Final = frozenset(each.name for each in fields.ENTRY if each.kind.startswith("map"))
"""The maps of statistics by column id."""

ALL_COLUMNS: Final = frozenset(each.name for each in fields.ENTRY) | {"partition"}
"""All columns: SCAN_COLUMNS and the maps of statistics, ``column_sizes``, ``value_counts``, ..."""

SCAN_COLUMNS: Final = ALL_COLUMNS - MAPS
"""The columns for planning a scan: all but statistics."""

_BY_NAME: Final = {each.name: each for each in fields.ENTRY}
_OWN: Final = {"spec_id": pa.int32(), "manifest": pa.int32()}


@dataclass(frozen=True, slots=True)
class Statistics:
    """The statistics of some columns; those of others are unknown.

    Attributes:
        record_count: Rows of each file.
        columns: By column id.
    """

    record_count: Numbers
    columns: dict[int, FieldStats] = field(default_factory=dict)

    def of(self, field_id: int) -> FieldStats:
        """Return the statistics of a column."""
        known = self.columns.get(field_id)
        if known is not None:
            return known
        nothing = np.full(len(self.record_count), -1, np.int64)
        none = Spans(np.zeros(0, np.uint8), np.zeros(len(nothing), np.int64), nothing)
        return FieldStats(nothing, nothing, nothing, none, none)


@dataclass(frozen=True, slots=True)
class Entries:
    """Entries as columns, in the order of their manifests.

    Attributes:
        numbers: int64[row] by name, those of the properties below and others that were requested.
        runs: `Spans` by name: ``file_path``, ``file_format``, ``key_metadata``,
            ``referenced_data_file``.
        lists: By name: ``split_offsets``, ``equality_ids``, and the maps of statistics.
        partitions: By spec id: rows, and their partition tuples.
        stats: The statistics of the columns in ``stats_for``.
        paths: Of the manifests that ``manifest`` refers to; errors name them.
    """

    numbers: dict[str, Numbers]
    runs: dict[str, Spans]
    lists: dict[str, Lists]
    partitions: dict[int, tuple[Rows, pa.StructArray]]
    stats: Statistics
    paths: Sequence[str] = ()

    def __len__(self) -> int:
        """Return the number of entries."""
        return len(self.numbers["status"])

    @property
    def status(self) -> Numbers:
        """What the snapshot did with each file, an `EntryStatus`."""
        return self.numbers["status"]

    @property
    def snapshot_id(self) -> Numbers:
        """The snapshot that added or deleted each file, which may be inherited."""
        return self.numbers["snapshot_id"]

    @property
    def sequence_number(self) -> Numbers:
        """The sequence number of each file's rows, which may be inherited."""
        return self.numbers["sequence_number"]

    @property
    def file_sequence_number(self) -> Numbers:
        """The sequence number of the commit that added each file; -1 where it was left out."""
        return self.numbers["file_sequence_number"]

    @property
    def content(self) -> Numbers:
        """What each file has in it, a `FileContent`."""
        return self.numbers["content"]

    @property
    def record_count(self) -> Numbers:
        """Rows of each file."""
        return self.numbers["record_count"]

    @property
    def file_size_in_bytes(self) -> Numbers:
        """Bytes of each file."""
        return self.numbers["file_size_in_bytes"]

    @property
    def sort_order_id(self) -> Numbers:
        """The sort order of each file; -1 for unknown."""
        return self.numbers["sort_order_id"]

    @property
    def content_offset(self) -> Numbers:
        """Where a deletion vector starts in its file; -1 for all else."""
        return self.numbers["content_offset"]

    @property
    def content_size_in_bytes(self) -> Numbers:
        """Bytes of a deletion vector; -1 for all else."""
        return self.numbers["content_size_in_bytes"]

    @property
    def first_row_id(self) -> Numbers:
        """The id of each file's first row, which may be inherited; -1 if it has none."""
        return self.numbers["first_row_id"]

    @property
    def spec_id(self) -> Numbers:
        """The partition spec of each file."""
        return self.numbers["spec_id"]

    @property
    def manifest(self) -> Numbers:
        """The row of each entry's manifest in the list that was read."""
        return self.numbers["manifest"]

    def manifest_path(self, row: int) -> str:
        """Return the path of the manifest that has an entry."""
        return self.paths[int(self.manifest[row])]

    @property
    def file_path(self) -> Spans:
        """The path of each file, as written."""
        return self.runs["file_path"]

    @property
    def file_format(self) -> Spans:
        """The format of each file, as written: in capitals, small letters or both."""
        return self.runs["file_format"]

    @property
    def key_metadata(self) -> Spans:
        """The key metadata of an encrypted file."""
        return self.runs["key_metadata"]

    @property
    def referenced_data_file(self) -> Spans:
        """The only file that a delete file applies to."""
        return self.runs["referenced_data_file"]

    def partition(self, spec_id: int) -> tuple[Rows, pa.StructArray]:
        """Return the rows of a spec, and their partition tuples as the spec's partition type."""
        if spec_id not in self.partitions:
            return np.zeros(0, np.intp), pa.array([], pa.struct([]))
        return self.partitions[spec_id]

    def table(self, rows: Rows | None = None, columns: Collection[str] | None = None) -> pa.Table:
        """Return rows as an Arrow table with the spec's names; arguments as for `arrays`."""
        return pa.table(self.arrays(rows, columns))

    def arrays(
        self, rows: Rows | None = None, columns: Collection[str] | None = None
    ) -> dict[str, pa.Array]:
        """Return rows as Arrow arrays by the spec's names, in its order.

        Args:
            rows: All if None.
            columns: Names of columns that were read; if None all, and ``manifest`` (int32) and
                ``spec_id``.

        Raises:
            FormatError: Invalid UTF-8, or a number beyond its type; names the manifest and the
                field.
        """
        read = self._names
        wanted = [
            name
            for name in (*_BY_NAME, *_OWN)
            if (name in read or name in _OWN) and (columns is None or name in columns)
        ]
        everything = np.arange(len(self)) if rows is None else rows
        return {name: self._named(name, everything, whole=rows is None) for name in wanted}

    @property
    def _names(self) -> set[str]:
        """Return the names of the columns that were read."""
        return {*self.numbers, *self.runs, *self.lists}

    def _named(self, name: str, rows: Rows, *, whole: bool) -> pa.Array:
        """Return a column of some rows; an error names the first manifest among theirs."""
        try:
            return self._array(name, rows, whole=whole)
        except FormatError as error:
            manifests = self.manifest[rows]
            for number in np.unique(manifests).tolist() if self.paths else ():
                try:
                    self._array(name, rows[manifests == number], whole=False)
                except FormatError as of_one:
                    raise of_one.in_file(self.paths[number]) from error.__cause__
            raise

    def _array(self, name: str, rows: Rows, *, whole: bool) -> pa.Array:
        """Return a column of some rows."""
        of = _OWN[name] if name in _OWN else _BY_NAME[name].arrow
        if name in self.numbers:
            numbers = self.numbers[name] if whole else self.numbers[name][rows]
            return number_array(numbers, of, numbers != -1, name)
        if name in self.runs:
            spans = self.runs[name]
            return texts(spans if whole else _some(spans, rows), of, name)
        lists = self.lists[name]
        runs = lists.runs if whole else lists.runs.of(rows)
        if pa.types.is_map(of):
            return map_array(runs, lists.items, of, name, lists.data)
        return long_lists(runs, lists.items, of, name)

    def take(self, rows: Rows) -> Entries:
        """Return some entries, in this order; their bytes are copied, the rest is released."""
        return self._select(rows, _copied, Lists.take)

    def view(self, rows: Rows) -> Entries:
        """Return some entries, in this order, that share their bytes with these."""
        return self._select(rows, _some, Lists.view)

    def _select(
        self,
        rows: Rows,
        spans: Callable[[Spans, Rows], Spans],
        lists: Callable[[Lists, Rows], Lists],
    ) -> Entries:
        """Return some entries, with their bytes and lists chosen by the given functions."""
        numbers = {name: each[rows] for name, each in self.numbers.items()}
        stats = {
            key: FieldStats(
                each.value_count[rows],
                each.null_count[rows],
                each.nan_count[rows],
                spans(each.lower, rows),
                spans(each.upper, rows),
            )
            for key, each in self.stats.columns.items()
        }
        return Entries(
            numbers,
            {name: spans(each, rows) for name, each in self.runs.items()},
            {name: lists(each, rows) for name, each in self.lists.items()},
            {
                spec: _taken_partition(*each, rows, len(self))
                for spec, each in self.partitions.items()
            },
            Statistics(numbers["record_count"], stats),
            self.paths,
        )


def _some(spans: Spans, rows: Rows) -> Spans:
    """Return the spans of some rows, which share the bytes."""
    return Spans(spans.data, spans.places[rows], spans.sizes[rows])


def _copied(spans: Spans, rows: Rows) -> Spans:
    """Return the spans of some rows, with their bytes copied."""
    some = _some(spans, rows)
    data, offsets = gathered(some)
    return Spans(data, offsets[:-1], some.sizes)


def _taken_partition(
    held: Rows, structs: pa.StructArray, rows: Rows, count: int
) -> tuple[Rows, pa.StructArray]:
    """Return the partition tuples of some rows."""
    place = np.full(count, -1, np.intp)
    place[held] = np.arange(len(held))
    places = place[rows]
    kept = np.flatnonzero(places >= 0)
    return kept, structs.take(pa.array(places[kept]))
