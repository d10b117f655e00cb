"""Rows of a Lance dataset as Arrow, fragment by fragment.

- The files of one fragment are open at a time, and no more than a page of each column is kept.
- A batch has rows of one fragment.
- Row numbers count the rows that are not deleted, in the order of fragments.

Source: https://lance.org/format/table/
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from byteloom.arguments import whole_number
from byteloom.lance.choosing import chosen
from byteloom.lance.scan import Scan, row_numbers, row_range
from byteloom.lance.types import arrow_schema
from byteloom.redaction import redacted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from byteloom.lance.dataset.dataset import Dataset
    from byteloom.lance.dataset.fragments import FragmentRows
    from byteloom.lance.filtering import Condition

__all__ = ["DatasetScan"]


class DatasetScan:
    """Some columns and rows of a dataset; nothing is read before they are asked for.

    schema  the columns
    rows    the numbers of the rows, all in one piece; a filter may keep fewer
    """

    def __init__(
        self,
        dataset: Dataset,
        columns: Sequence[str] | None,
        rows: range | None,
        batch_size: int,
        condition: Condition | None = None,
    ) -> None:
        """Choose columns and rows of *dataset*; see `Dataset.scan`."""
        self._dataset: Final = dataset
        self._condition = condition
        self._fields = chosen(dataset.fields, columns)
        self.schema: pa.Schema = arrow_schema(self._fields, dataset.metadata)
        self.rows: range = row_range(rows, dataset.num_rows)
        self._size = whole_number("batch_size", batch_size, "1 or more", least=1)

    def __repr__(self) -> str:
        """The dataset, and how much of it."""
        count, columns = f"{len(self.rows):,}", len(self._fields)
        noun = "column" if columns == 1 else "columns"
        shown = f"{count} rows, {columns} {noun}{'' if self._condition is None else ', filtered'}"
        return redacted(f"<DatasetScan of {self._dataset!r}: {shown}>")

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Hand all rows to any library that takes Arrow."""
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
        """Yield the rows, no more at a time than were asked for.

        raises  `FormatError` for damage, `Unsupported` for what is not read, `LimitExceeded`
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
        tables = []
        for number in np.unique(inside).tolist():
            wanted = ascending[inside == number] - starts[number]
            with self._dataset.fragments[number].open(self._fields) as fragment:
                tables.append(Scan(fragment, self._fields, None, self._size).take(wanted))
        return self._joined(tables).take(pa.array(places))

    def _parts(self) -> Iterator[tuple[FragmentRows, range]]:
        """Yield each fragment that has any of the rows, open, and the numbers of these in it."""
        starts = self._dataset.starts
        condition = self._condition
        fields = self._fields if condition is None else [*self._fields, *condition.fields]
        first = max(bisect_right(starts, self.rows.start) - 1, 0)
        for number in range(first, len(starts) - 1):
            begin, end = starts[number], starts[number + 1]
            rows = range(max(self.rows.start, begin) - begin, min(self.rows.stop, end) - begin)
            if begin >= self.rows.stop:
                return
            if rows:
                with self._dataset.fragments[number].open(fields) as fragment:
                    yield fragment, rows

    def _scan(self, fragment: FragmentRows, rows: range) -> Scan:
        return Scan(fragment, self._fields, rows, self._size, self._condition)

    def _joined(self, tables: list[pa.Table]) -> pa.Table:
        if not tables:
            return Scan(self._dataset.no_rows(), self._fields, None, self._size).to_table()
        return pa.concat_tables(tables).replace_schema_metadata(self.schema.metadata)
