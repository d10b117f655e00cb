"""Rows of a Lance dataset as Arrow, fragment by fragment.

- The files of one fragment, or of some small ones, are open at a time, and at most one page of
  each column is kept.
- A batch has rows of one fragment.
- Row numbers count the rows that are not deleted, in the order of fragments.

Source: https://lance.org/format/table/
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from contextlib import ExitStack
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import pyarrow as pa

from byteloom.arguments import whole_number
from byteloom.arrow.stream import ArrowStream
from byteloom.errors import ByteloomError
from byteloom.lance.ahead import threads_of
from byteloom.lance.choosing import chosen
from byteloom.lance.dataset.fragment_rows import opened_fragment
from byteloom.lance.extensions import Extensions
from byteloom.lance.reading import leaves_of
from byteloom.lance.rows_asked import row_numbers, row_range, without_columns
from byteloom.lance.scan import LanceScan
from byteloom.lance.together import decode_together, joined_rows
from byteloom.lance.types import arrow_schema, is_bounded
from byteloom.redaction import redacted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from byteloom.lance.dataset.blob_columns import BlobColumns
    from byteloom.lance.dataset.fragment_rows import FragmentRows
    from byteloom.lance.dataset.state import DatasetState
    from byteloom.lance.fields import Field
    from byteloom.lance.filtering import Condition

__all__ = ["MOST_FRAGMENTS", "DatasetScan"]

MOST_FRAGMENTS: Final = 64
_MOST_ROWS: Final = 1 << 16
"""Most small fragments that are open at a time, and most rows of these."""

_MOST_COLUMNS: Final = 256
"""Most columns of fragments that are read together: all columns of one have more small pages."""


class DatasetScan(ArrowStream):
    """Some columns and rows of a dataset; nothing is read before they are asked for.

    schema  the columns
    rows       the range of row numbers; a filter may keep fewer rows
    """

    def __init__(  # noqa: PLR0913  the parts of `Dataset.scan`
        self,
        dataset: DatasetState,
        columns: Sequence[str] | None,
        rows: range | None,
        batch_size: int,
        *,
        condition: Condition | None = None,
        added: Sequence[Field] = (),
        blobs: Callable[[Sequence[Field]], BlobColumns] | None = None,
        threads: int | None = None,
    ) -> None:
        """Choose columns and rows of *dataset*; see `Dataset.scan`.

        added  further columns: row ids, addresses
        blobs  makes what reads bytes of blobs from the fields, the last of which has addresses;
               None for descriptors
        """
        self._dataset: Final = dataset
        self._condition, self._threads = condition, threads_of(threads)
        self._fields = [*chosen(dataset.fields, columns), *added]
        self._stored: Final = arrow_schema(self._fields, dataset.metadata)
        self._blobs = None if blobs is None else blobs(self._fields)
        shown = self._stored if self._blobs is None else self._blobs.schema(self._stored)
        self._extensions = Extensions(shown)
        self.schema: pa.Schema = self._extensions.schema
        self.rows: range = row_range(rows, dataset.num_rows)
        self._size = whole_number("batch_size", batch_size, "1 or more", least=1)

    def __repr__(self) -> str:
        """The dataset, and the range of its rows."""
        count, columns = f"{len(self.rows):,}", len(self._fields)
        noun = "column" if columns == 1 else "columns"
        shown = f"{count} rows, {columns} {noun}{'' if self._condition is None else ', filtered'}"
        return redacted(f"<DatasetScan of {self._dataset!r}: {shown}>")

    def to_reader(self) -> pa.RecordBatchReader:
        """Return all rows as pyarrow's reader of batches; see `batches`."""
        return pa.RecordBatchReader.from_batches(self.schema, self.batches())

    @property
    def num_rows(self) -> int:
        """The number of rows; with a filter its columns are read."""
        return self.count()

    def count(self) -> int:
        """Return the number of rows; with a filter its columns are read."""
        if self._condition is None:
            return len(self.rows)
        return sum(scan.count() for group in self._groups() for scan in self._apart(group))

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the rows, no more at a time than the size of a batch.

        raises  `FormatError` for damage, `Unsupported` for encodings that cannot be read,
                `LimitExceeded`
        """
        found = self._batches()
        for each in found if self._blobs is None else self._blobs.batches(found):
            yield self._extensions.of(each)

    def _batches(self) -> Iterator[pa.RecordBatch]:
        for group in self._groups():
            table = self._together(group)
            if table is None:
                for scan in self._apart(group):
                    yield from scan.batches()
                continue
            at = 0
            for each in group:
                own = table.slice(at + each.start, each.stop - each.start)
                yield from own.to_batches(self._size)
                at += each.rows.num_rows

    def to_table(self) -> pa.Table:
        """Return the rows as a table; see `batches`."""
        if not self._fields:
            return without_columns(self.count())
        if self._blobs is not None:
            found = list(self._batches())
            table = pa.Table.from_batches(found) if found else self._joined([])
            return self._extensions.of(self._blobs.table(table))
        tables: list[pa.Table] = []
        for group in self._groups():
            table = self._together(group)
            if table is None:
                tables += [scan.to_table() for scan in self._apart(group)]
            else:
                start, left = group[0].start, group[-1].rows.num_rows - group[-1].stop
                tables.append(table.slice(start, table.num_rows - left - start))
        return self._extensions.of(self._joined(tables))

    def take(self, rows: Sequence[int] | np.ndarray | pa.Array) -> pa.Table:
        """Return rows by their numbers; see `Dataset.take`."""
        numbers = row_numbers(rows, self._dataset.num_rows)
        if not self._fields:
            return without_columns(len(numbers))
        ascending, places = np.unique(numbers, return_inverse=True)
        starts = np.array(self._dataset.starts)
        inside = np.searchsorted(starts, ascending, side="right") - 1
        numbers, cuts = np.unique(inside, return_index=True)
        parts = np.split(ascending - starts[inside], cuts[1:]) if len(ascending) else []
        wanted = dict(zip(numbers.tolist(), parts, strict=True))
        ranges = ((each, int(rows[0]), int(rows[-1]) + 1) for each, rows in wanted.items())
        tables: list[pa.Table] = []
        for group in self._opened(ranges, self._fields, self._fields):
            own = [wanted[each.number] for each in group]
            table = self._together(group)
            if table is None:
                tables += [
                    self._scan(each).take(some)
                    for each, some in zip(_decoded(group, self._fields), own, strict=True)
                ]
            else:
                counts = np.array([each.rows.num_rows for each in group])
                before = np.repeat(np.cumsum(counts) - counts, [len(each) for each in own])
                tables.append(table.take(pa.array(np.concatenate(own) + before)))
        table = self._joined(tables).combine_chunks()
        if not np.array_equal(places, np.arange(table.num_rows)):
            table = table.take(pa.array(places))
        return self._extensions.of(table if self._blobs is None else self._blobs.table(table))

    def _ranges(self) -> Iterator[tuple[int, int, int]]:
        """Yield the number of each fragment that has any of the rows, and which: first, end."""
        starts = self._dataset.starts
        for number in range(max(bisect_right(starts, self.rows.start) - 1, 0), len(starts) - 1):
            begin, end = starts[number], starts[number + 1]
            if begin >= self.rows.stop:
                return
            first, last = max(self.rows.start, begin), min(self.rows.stop, end)
            if first < last:
                yield number, first - begin, last - begin

    def _groups(self) -> Iterator[list[_Opened]]:
        """Yield the fragments that have any of the rows, open, some small ones at a time."""
        condition = self._condition
        fields = self._fields if condition is None else [*self._fields, *condition.fields]
        return self._opened(self._ranges(), fields, self._first)

    @property
    def _first(self) -> Sequence[Field]:
        """The fields that are needed first."""
        return self._fields if self._condition is None else self._condition.fields

    def _opened(
        self,
        wanted: Iterable[tuple[int, int, int]],
        fields: Sequence[Field],
        first: Sequence[Field],
    ) -> Iterator[list[_Opened]]:
        """Yield some fragments at a time, open until the next ones are asked for.

        wanted  numbers of fragments, each with the rows that will be read of it: first, last + 1
        fields  the fields that will be read
        first   those fields that are needed first
        """
        left = deque(wanted)
        while left:
            with ExitStack() as stack:
                found: list[_Opened] = []
                rows = 0
                while left and len(found) < MOST_FRAGMENTS:
                    number, start, stop = left[0]
                    rows += self._dataset.fragment(number).physical_rows
                    if found and rows > _MOST_ROWS:
                        break
                    is_wide = len(first) > _MOST_COLUMNS
                    if found and is_wide:
                        break
                    try:
                        fragment = opened_fragment(self._dataset, number, fields, stack)
                        if not is_wide:
                            fragment.readers(first)
                    except ByteloomError:
                        if not found:
                            raise
                        break  # it is opened again for the error when its turn comes
                    found.append(_Opened(number, start, stop, fragment))
                    left.popleft()
                yield found

    def _together(self, group: list[_Opened]) -> pa.Table | None:
        """All rows of several fragments, decoded in few calls; None if they have to be read apart.

        They have to have one small page of each column, and no deleted rows.
        """
        is_filtered = self._condition is not None
        if len(group) < 2 or is_filtered or not self._fields:  # noqa: PLR2004
            return None
        if any(each.rows.has_deletions for each in group):
            return None
        columns = zip(*(each.rows.readers(self._fields) for each in group), strict=True)
        arrays = joined_rows(columns)
        if arrays is None or any(is_bounded(each.type) for each in arrays):
            return None
        total = sum(each.rows.num_rows for each in group)
        if any(len(each) != total for each in arrays):
            return None
        return pa.Table.from_arrays(arrays, schema=self._stored.remove_metadata())

    def _apart(self, group: list[_Opened]) -> Iterator[LanceScan]:
        """Yield one scan for each fragment; their small pages are decoded together."""
        for each in _decoded(group, self._first):
            yield self._scan(each, range(each.start, each.stop), self._condition)

    def _scan(
        self, of: _Opened, rows: range | None = None, condition: Condition | None = None
    ) -> LanceScan:
        """The scan of a fragment, whose columns have storage types."""
        what = of.rows, self._fields, rows, self._size, condition
        return LanceScan(*what, threads=self._threads, extends=False)

    def _joined(self, tables: list[pa.Table]) -> pa.Table:
        if not tables:
            return self._stored.empty_table()
        return pa.concat_tables(tables).replace_schema_metadata(self._stored.metadata)


class _Opened(NamedTuple):
    """An open fragment: its number, and the rows that will be read of it."""

    number: int
    start: int
    stop: int
    rows: FragmentRows


def _decoded(group: list[_Opened], fields: Sequence[Field]) -> list[_Opened]:
    """Return fragments whose small pages of *fields* were decoded together."""
    if len(group) > 1:
        leaves = [leaves_of(each.rows.readers(fields), each.start, each.stop) for each in group]
        decode_together(chain.from_iterable(leaves), whole=False)
    return group
