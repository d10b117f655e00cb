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
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from byteloom.arguments import whole_number
from byteloom.errors import ByteloomError
from byteloom.lance.choosing import chosen
from byteloom.lance.pages21 import decode_together
from byteloom.lance.reading import leaves_of
from byteloom.lance.scan import LanceScan, row_numbers, row_range
from byteloom.lance.types import arrow_schema
from byteloom.redaction import redacted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from byteloom.lance.dataset.dataset import Dataset
    from byteloom.lance.dataset.fragments import FragmentRows
    from byteloom.lance.fields import Field
    from byteloom.lance.filtering import Condition
    from byteloom.lance.reading import LeafRows

__all__ = ["MOST_FRAGMENTS", "DatasetScan"]

MOST_FRAGMENTS: Final = 64
_MOST_ROWS: Final = 1 << 16
"""Most small fragments that are open at a time, and most rows of these."""


class DatasetScan:
    """Some columns and rows of a dataset; nothing is read before they are asked for.

    schema  the columns
    rows       the range of row numbers; a filter may keep fewer rows
    """

    def __init__(  # noqa: PLR0913  the parts of `Dataset.scan`
        self,
        dataset: Dataset,
        columns: Sequence[str] | None,
        rows: range | None,
        batch_size: int,
        *,
        condition: Condition | None = None,
        added: Sequence[Field] = (),
    ) -> None:
        """Choose columns and rows of *dataset*; see `Dataset.scan`.

        added  further columns: row ids, addresses
        """
        self._dataset: Final = dataset
        self._condition = condition
        self._fields = [*chosen(dataset.fields, columns), *added]
        self.schema: pa.Schema = arrow_schema(self._fields, dataset.metadata)
        self.rows: range = row_range(rows, dataset.num_rows)
        self._size = whole_number("batch_size", batch_size, "1 or more", least=1)

    def __repr__(self) -> str:
        """The dataset, and the range of its rows."""
        count, columns = f"{len(self.rows):,}", len(self._fields)
        noun = "column" if columns == 1 else "columns"
        shown = f"{count} rows, {columns} {noun}{'' if self._condition is None else ', filtered'}"
        return redacted(f"<DatasetScan of {self._dataset!r}: {shown}>")

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export all rows to any library that takes Arrow."""
        batches = (pa.record_batch(each.columns, self.schema) for each in self.batches())
        reader = pa.RecordBatchReader.from_batches(self.schema, batches)
        return reader.__arrow_c_stream__(requested_schema)

    @property
    def num_rows(self) -> int:
        """The number of rows; with a filter its columns are read."""
        return self.count()

    def count(self) -> int:
        """Return the number of rows; with a filter its columns are read."""
        if self._condition is None:
            return len(self.rows)
        return sum(self._scan(fragment, rows).count() for fragment, rows in self._parts())

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the rows, no more at a time than the size of a batch.

        raises  `FormatError` for damage, `Unsupported` for encodings that cannot be read,
                `LimitExceeded`
        """
        for fragment, rows in self._parts():
            yield from self._scan(fragment, rows).batches()

    def to_table(self) -> pa.Table:
        """Return the rows as a table; see `batches`."""
        tables = [self._scan(each, rows).to_table() for each, rows in self._parts()]
        return self._joined(tables)

    def take(self, rows: Sequence[int] | np.ndarray | pa.Array) -> pa.Table:
        """Return rows by their numbers; see `Dataset.take`."""
        numbers = row_numbers(rows, self._dataset.num_rows)
        ascending, places = np.unique(numbers, return_inverse=True)
        starts = self._dataset.starts
        inside = np.searchsorted(starts, ascending, side="right") - 1
        numbers, cuts = np.unique(inside, return_index=True)
        parts = np.split(ascending, cuts[1:]) if len(ascending) else []
        wanted = {
            number: rows - starts[number]
            for number, rows in zip(numbers.tolist(), parts, strict=True)
        }
        ranges = ((each, int(rows[0]), int(rows[-1]) + 1) for each, rows in wanted.items())
        tables = [
            LanceScan(fragment, self._fields, None, self._size).take(wanted[number])
            for number, fragment in self._opened(ranges, self._fields, self._fields)
        ]
        return self._joined(tables).combine_chunks().take(pa.array(places))

    def _parts(self) -> Iterator[tuple[FragmentRows, range]]:
        """Yield each fragment that has any of the rows, open, and the numbers of these in it."""
        condition = self._condition
        fields = self._fields if condition is None else [*self._fields, *condition.fields]
        wanted = dict(self._ranges())
        ranges = ((number, rows.start, rows.stop) for number, rows in wanted.items())
        first = self._fields if condition is None else condition.fields
        for number, fragment in self._opened(ranges, fields, first):
            yield fragment, wanted[number]

    def _ranges(self) -> Iterator[tuple[int, range]]:
        """Yield the number of each fragment that has any of the rows, and the numbers in it."""
        starts = self._dataset.starts
        for number in range(max(bisect_right(starts, self.rows.start) - 1, 0), len(starts) - 1):
            begin, end = starts[number], starts[number + 1]
            if begin >= self.rows.stop:
                return
            rows = range(max(self.rows.start, begin) - begin, min(self.rows.stop, end) - begin)
            if rows:
                yield number, rows

    def _opened(
        self,
        wanted: Iterable[tuple[int, int, int]],
        fields: Sequence[Field],
        first: Sequence[Field],
    ) -> Iterator[tuple[int, FragmentRows]]:
        """Yield fragments, open, with their numbers; small ones are read some at a time.

        wanted  numbers of fragments, each with the rows that will be read of it: first, last + 1
        fields  the fields that will be read
        first   those fields that are needed first
        """
        left = deque(wanted)
        while left:
            with ExitStack() as stack:
                found: list[tuple[int, FragmentRows]] = []
                leaves: list[LeafRows] = []
                rows = 0
                while left and len(found) < MOST_FRAGMENTS:
                    number, start, stop = left[0]
                    part = self._dataset.fragments[number]
                    rows += part.physical_rows
                    if found and rows > _MOST_ROWS:
                        break
                    try:
                        fragment = stack.enter_context(part.open(fields))
                        leaves += leaves_of(fragment.readers(first), start, stop)
                    except ByteloomError:
                        if not found:
                            raise
                        break  # it is opened again for the error when its turn comes
                    found.append((number, fragment))
                    left.popleft()
                if len(found) > 1:
                    decode_together(leaves, whole=False)
                yield from found

    def _scan(self, fragment: FragmentRows, rows: range) -> LanceScan:
        return LanceScan(fragment, self._fields, rows, self._size, self._condition)

    def _joined(self, tables: list[pa.Table]) -> pa.Table:
        if not tables:
            return LanceScan(self._dataset.no_rows(), self._fields, None, self._size).to_table()
        return pa.concat_tables(tables).replace_schema_metadata(self.schema.metadata)
