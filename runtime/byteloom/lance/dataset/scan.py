"""Rows of a Lance dataset as Arrow, fragment by fragment.

- The files of some fragments are open at a time, as many as have some megabytes of wanted rows.
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
from byteloom.arrow.stream import ArrowStream
from byteloom.errors import ByteloomError
from byteloom.lance.choosing import chosen
from byteloom.lance.dataset.fragment_rows import opened_fragment
from byteloom.lance.decoding import threads_of
from byteloom.lance.extensions import Extensions
from byteloom.lance.plan import Opened
from byteloom.lance.row_reading import RowReading
from byteloom.lance.row_selection import row_numbers, row_range, without_columns
from byteloom.lance.rows_at import rows_of_table
from byteloom.lance.types import arrow_schema
from byteloom.redaction import redacted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from byteloom.lance.dataset.blob_columns import BlobColumns
    from byteloom.lance.dataset.fragment_rows import FragmentRows
    from byteloom.lance.dataset.state import DatasetState
    from byteloom.lance.fields import Field
    from byteloom.lance.filtering import Condition
    from byteloom.lance.reading import Rows

__all__ = ["MOST_FRAGMENTS", "DatasetScan"]

MOST_FRAGMENTS: Final = 64
_MOST_VALUES: Final = 1 << 21
"""Most fragments that are open at a time, and most values of several of them."""


class DatasetScan(ArrowStream):
    """Some columns and rows of a dataset; nothing is read before they are asked for.

    Attributes:
        schema: The columns.
        rows: The range of row numbers; a filter may keep fewer rows.
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

        Args:
            dataset: The version.
            columns: As for `Dataset.scan`.
            rows: As for `Dataset.scan`.
            batch_size: As for `Dataset.scan`.
            condition: Selects rows; None for all.
            added: Further columns: row ids, addresses.
            blobs: Makes what reads bytes of blobs from the fields, the last of which has addresses;
                None for descriptors.
            threads: As for `Dataset.scan`.
        """
        self._dataset: Final = dataset
        self._condition = condition
        self._fields = [*chosen(dataset.fields, columns), *added]
        self._stored: Final = arrow_schema(self._fields, dataset.metadata)
        self._blobs = None if blobs is None else blobs(self._fields)
        shown = self._stored if self._blobs is None else self._blobs.schema(self._stored)
        self._extensions = Extensions(shown)
        self.schema: pa.Schema = self._extensions.schema
        self.rows: range = row_range(rows, dataset.num_rows)
        size = whole_number("batch_size", batch_size, "1 or more", least=1)
        what = self._fields, self._stored.remove_metadata(), size, condition, threads_of(threads)
        self._reading = RowReading(*what)

    def __repr__(self) -> str:
        """The dataset, and the range of its rows."""
        count, columns = f"{len(self.rows):,}", len(self._fields)
        noun = "column" if columns == 1 else "columns"
        shown = f"{count} rows, {columns} {noun}{'' if self._condition is None else ', filtered'}"
        return redacted(f"<DatasetScan of {self._dataset!r}: {shown}>")

    def to_reader(self) -> pa.RecordBatchReader:
        """Return all rows as pyarrow's reader of batches.

        Returns:
            The reader; nothing is read before batches are asked for.
        """
        return pa.RecordBatchReader.from_batches(self.schema, self.batches())

    @property
    def num_rows(self) -> int:
        """The number of rows; with a filter its columns are read."""
        return self.count()

    def count(self) -> int:
        """Return the number of rows; with a filter its columns are read.

        Returns:
            The number of rows that are in the range and match the filter.
        """
        if self._condition is None:
            return len(self.rows)
        return self._reading.count(self._opened(self._ranges()))

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the rows, no more at a time than the size of a batch.

        Yields:
            Batches of the scan's schema.

        Raises:
            FormatError: A page is damaged.
            Unsupported: An encoding cannot be read.
            LimitExceeded: It takes more than the limits allow.

        Example:
            >>> import pyarrow as pa
            >>> from byteloom import lance
            >>> table = pa.table({"id": range(10)})
            >>> trips = lance.write_dataset("trips.lance", table, max_rows_per_file=6)
            >>> [batch.num_rows for batch in trips.scan(batch_size=4).batches()]
            [4, 2, 4]
        """
        found = self._reading.batches(self._opened(self._ranges()))
        for each in found if self._blobs is None else self._blobs.batches(found):
            yield self._extensions.of(each)

    def to_table(self) -> pa.Table:
        """Return the rows as a table.

        Returns:
            The rows.

        Raises:
            FormatError: As for `batches`.
        """
        if not self._fields:
            return without_columns(self.count())
        return self._shown(self._reading.table(self._opened(self._ranges())))

    def take(self, rows: Sequence[int] | np.ndarray | pa.Array) -> pa.Table:
        """Return rows by their numbers in the dataset, in the given order.

        Args:
            rows: Numbers from 0 on, not counting deleted rows, in any order, possibly repeated.

        Returns:
            A row for each number.

        Raises:
            FormatError: As for `batches`, and for numbers that are too large.
        """
        numbers = row_numbers(rows, self._dataset.num_rows)
        if not self._fields:
            return without_columns(len(numbers))
        ascending, places = np.unique(numbers, return_inverse=True)
        starts = np.array(self._dataset.starts)
        inside = np.searchsorted(starts, ascending, side="right") - 1
        numbers, cuts = np.unique(inside, return_index=True)
        parts = np.split(ascending - starts[inside], cuts[1:]) if len(ascending) else []
        wanted = zip(numbers.tolist(), parts, strict=True)
        table = self._reading.take(self._opened(wanted)).combine_chunks()
        if not np.array_equal(places, np.arange(table.num_rows)):
            table = rows_of_table(table, places)
        return self._shown(table)

    def _shown(self, table: pa.Table) -> pa.Table:
        """The rows with blobs and extension types."""
        if self._blobs is not None:
            table = self._blobs.table(table)
        return self._extensions.of(table.replace_schema_metadata(self._stored.metadata))

    def _ranges(self) -> Iterator[tuple[int, Rows]]:
        """Yield the number of each fragment that has any of the rows, and which."""
        starts = self._dataset.starts
        for number in range(max(bisect_right(starts, self.rows.start) - 1, 0), len(starts) - 1):
            begin, end = starts[number], starts[number + 1]
            if begin >= self.rows.stop:
                return
            first, last = max(self.rows.start, begin), min(self.rows.stop, end)
            if first < last:
                yield number, range(first - begin, last - begin)

    def _opened(self, wanted: Iterable[tuple[int, Rows]]) -> Iterator[Opened]:
        """Yield fragments, some at a time, with the rows that are read of each.

        Args:
            wanted: Numbers of fragments, with these rows.
        """
        condition = self._condition
        fields = self._fields if condition is None else [*self._fields, *condition.fields]
        first = self._fields if condition is None else condition.fields
        most = max(_MOST_VALUES // max(len(first), 1), 1)
        left = deque(wanted)
        while left:
            with ExitStack() as stack:
                found: list[tuple[FragmentRows, Rows]] = []
                count = 0
                while left and len(found) < MOST_FRAGMENTS:
                    number, rows = left[0]
                    count += len(rows)
                    if found and count > most:
                        break
                    try:
                        fragment = opened_fragment(self._dataset, number, fields, stack)
                        fragment.readers(first)
                    except ByteloomError:
                        if not found:
                            raise
                        break  # it is opened again for the error when its turn comes
                    found.append((fragment, rows))
                    left.popleft()
                yield Opened(found, stack.pop_all())
