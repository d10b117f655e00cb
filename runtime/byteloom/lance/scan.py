"""Rows of a Lance file as Arrow, and what its scan shares with that of a dataset.

- A page is decoded once, whatever the size of batches; some megabytes of each scan are decoded at
  a time (`byteloom.lance.decoding_plan`), the next ones by threads meanwhile if the file is local.

Source: https://lance.org/format/file/
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import ExitStack
from typing import TYPE_CHECKING, Protocol

import pyarrow as pa

from byteloom.arguments import whole_number
from byteloom.arrow.data import ArrowStream
from byteloom.lance.arrays import rows_of_table
from byteloom.lance.decoding import threads_of
from byteloom.lance.decoding_plan import OpenSources
from byteloom.lance.extensions import Extensions
from byteloom.lance.row_reading import RowReading
from byteloom.lance.selection import ascending_once, row_numbers, row_range, without_columns
from byteloom.lance.source_rows import RowSource
from byteloom.lance.types import arrow_schema
from byteloom.redaction import redacted
from byteloom.storage.naming import naming

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy as np

    from byteloom.lance.field_reading import Rows
    from byteloom.lance.fields import Field
    from byteloom.lance.selection import Condition

__all__ = ["LanceScan", "RowScan"]


class _Scanned(Protocol):
    """A file or a dataset."""

    @property
    def num_rows(self) -> int:
        """The number of rows."""

    @property
    def metadata(self) -> dict[str, bytes]:
        """Metadata of the Arrow schema."""


class _File(RowSource, _Scanned, Protocol):
    """A file."""


@naming
class RowScan(ArrowStream, ABC):
    """Some columns and rows of a file or a dataset; nothing is read before they are asked for.

    Attributes:
        schema: The columns.
        rows: The range of row numbers; a filter may keep fewer rows.
        file_name: The name of the file in errors; None for a dataset, whose errors have one.
    """

    file_name: str | None = None

    def __init__(  # noqa: PLR0913  the parts of `LanceFile.scan`
        self,
        scanned: _Scanned,
        fields: Sequence[Field],
        rows: range | None,
        batch_size: int,
        *,
        condition: Condition | None,
        threads: int | None,
    ) -> None:
        """Choose fields and rows of *scanned*; see `LanceFile.scan`."""
        self._scanned, self._fields, self._condition = scanned, list(fields), condition
        stored = arrow_schema(self._fields, scanned.metadata)
        self._extensions = Extensions(self._shown_schema(stored))
        self.schema: pa.Schema = self._extensions.schema
        self.rows: range = row_range(rows, scanned.num_rows)
        size = whole_number("batch_size", batch_size, "1 or more", least=1)
        self._reading = RowReading(self._fields, stored, size, condition, threads_of(threads))

    def __repr__(self) -> str:
        """What is scanned, and how many of its rows."""
        rows, columns = len(self.rows), len(self._fields)
        shown = f"{rows:,} row{'s' * (rows != 1)}, {columns:,} column{'s' * (columns != 1)}"
        shown += "" if self._condition is None else ", filtered"
        return redacted(f"<{type(self).__name__} of {self._scanned!r}: {shown}>")

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
        return self._reading.count(self._opened())

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the rows in batches of the chosen size; with a filter, of at most that size.

        Batches of a dataset also end where its fragments do.

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
            >>> with lance.LanceWriter("rows.lance", table.schema) as writer:
            ...     writer.write(table)
            >>> with lance.open("rows.lance") as file:
            ...     [batch.num_rows for batch in file.scan(batch_size=4).batches()]
            [4, 4, 2]
        """
        for each in self._shown_batches(self._reading.batches(self._opened())):
            yield self._extensions.of(each)

    def to_table(self) -> pa.Table:
        """Return the rows as a table whose chunks are pages, or several of them.

        Returns:
            The rows.

        Raises:
            FormatError: As for `batches`.
        """
        if not self._fields:
            return without_columns(self.count())
        return self._extensions.of(self._shown_table(self._reading.table(self._opened())))

    def take(self, rows: Sequence[int] | np.ndarray | pa.Array) -> pa.Table:
        """Return rows by their numbers in the file or the dataset, in the given order.

        Args:
            rows: Numbers from 0 on, not counting deleted rows, in any order, possibly repeated.

        Returns:
            A row for each number.

        Raises:
            FormatError: As for `batches`, and for numbers that are too large.
        """
        numbers = row_numbers(rows, self._scanned.num_rows)
        if not self._fields:
            return without_columns(len(numbers))
        ascending, places = ascending_once(numbers)
        table = self._taken(ascending)
        if places is not None:
            table = rows_of_table(table, places)
        return self._extensions.of(self._shown_table(table))

    @abstractmethod
    def _opened(self) -> Iterator[OpenSources]:
        """Yield what has the rows of the range, some at a time."""

    @abstractmethod
    def _taken(self, numbers: np.ndarray) -> pa.Table:
        """Read rows by their numbers, which ascend."""

    def _shown_schema(self, stored: pa.Schema) -> pa.Schema:
        """The schema of rows that are shown, for that of rows as they are stored."""
        return stored

    def _shown_batches(self, stored: Iterable[pa.RecordBatch]) -> Iterable[pa.RecordBatch]:
        """Rows as they are shown, for rows as they are stored."""
        return stored

    def _shown_table(self, stored: pa.Table) -> pa.Table:
        """Rows as they are shown, for rows as they are stored."""
        return stored


class LanceScan(RowScan):
    """Some columns and rows of a file; nothing is read before they are asked for."""

    def __init__(  # noqa: PLR0913  the parts of `LanceFile.scan`
        self,
        file: _File,
        fields: Sequence[Field],
        rows: range | None,
        batch_size: int,
        condition: Condition | None = None,
        *,
        threads: int | None = None,
    ) -> None:
        """Choose fields and rows of *file*; see `LanceFile.scan`."""
        self._file, self.file_name = file, file.file_name
        super().__init__(file, fields, rows, batch_size, condition=condition, threads=threads)

    def _opened(self) -> Iterator[OpenSources]:
        return self._with(self.rows)

    def _taken(self, numbers: np.ndarray) -> pa.Table:
        return self._reading.take(self._with(numbers))

    def _with(self, rows: Rows) -> Iterator[OpenSources]:
        """Yield the file, if any of its rows is wanted."""
        if len(rows):
            yield OpenSources([(self._file, rows)], ExitStack())
        else:  # what cannot be read is refused all the same
            condition = self._condition
            self._file.readers(self._fields if condition is None else condition.fields)
