"""Rows of a Lance file as Arrow.

- A column is read page by page, each page once, whatever the size of batches; one page of each
  column is kept at a time, or some small ones.
- Threads decode the next large pages of local files meanwhile (`byteloom.lance.ahead`).
- If a batch is inside a page, its arrays are slices of the page's, not copies.

Source: https://lance.org/format/file/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

import pyarrow as pa

from byteloom.arguments import whole_number
from byteloom.arrow.stream import ArrowStream
from byteloom.lance.ahead import pages_ahead, threads_of
from byteloom.lance.cursors import Cursor, Decoded, checked, next_rows, pieces_of
from byteloom.lance.extensions import Extensions
from byteloom.lance.reading import leaves_of
from byteloom.lance.rows_asked import ascending_once, row_numbers, row_range, without_columns
from byteloom.lance.rows_at import rows_at, rows_of_table
from byteloom.lance.together import decode_together
from byteloom.lance.types import arrow_schema
from byteloom.redaction import redacted
from byteloom.storage.naming import naming

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np

    from byteloom.lance.fields import Field
    from byteloom.lance.filtering import Condition
    from byteloom.lance.reading import FieldReader

__all__ = [
    "BATCH_ROWS",
    "LanceScan",
    "Rows",
]

BATCH_ROWS: Final = 1 << 16
"""Rows of a batch by default."""

_ANY: Final = 8
"""Rows of which arrays of a table may have any multiple: bitmaps then begin with a byte."""

_SPARSE: Final = 8
"""Number of rows that are decoded in the time of taking one by its number."""


class Rows(Protocol):
    """A source of rows: a file, or a fragment of a dataset.

    metadata   of its Arrow schema
    num_rows   the number of rows
    file_name  its name for errors; None if errors have a name already
    """

    file_name: str | None

    @property
    def metadata(self) -> dict[str, bytes]:
        """Metadata of the Arrow schema."""

    @property
    def num_rows(self) -> int:
        """The number of rows."""

    def readers(self, fields: Sequence[Field]) -> list[FieldReader]:
        """Return readers of *fields*, which may be narrowed."""

    def together(self, fields: Sequence[Field], rows: range | np.ndarray) -> list[pa.Array | None]:
        """Return *rows* of each of many *fields*; None for a field that needs its reader."""


@naming
class LanceScan(ArrowStream):
    """Some columns and rows of a file; nothing is read before they are asked for.

    schema     the columns
    rows       the range of row numbers; a filter may keep fewer rows
    file_name  the name of the file in errors
    """

    def __init__(  # noqa: PLR0913  the parts of `LanceFile.scan`
        self,
        file: Rows,
        fields: Sequence[Field],
        rows: range | None,
        batch_size: int,
        condition: Condition | None = None,
        *,
        threads: int | None = None,
        extends: bool = True,
    ) -> None:
        """Choose fields and rows of *file*; see `LanceFile.scan`.

        extends  whether columns have the extension types that pyarrow knows, or all storage types
        """
        self._file, self._condition = file, condition
        self._threads = threads_of(threads)
        self.file_name = file.file_name
        self._fields = list(fields)
        self._stored: Final = arrow_schema(self._fields, file.metadata)
        self._extensions = Extensions(self._stored, are_used=extends)
        self.schema: pa.Schema = self._extensions.schema
        self.rows: range = row_range(rows, file.num_rows)
        self._size = whole_number("batch_size", batch_size, "1 or more", least=1)

    def __repr__(self) -> str:
        """The file, and the range of its rows."""
        rows, columns = len(self.rows), len(self._fields)
        shown = f"{rows:,} row{'s' * (rows != 1)}, {columns:,} column{'s' * (columns != 1)}"
        shown += "" if self._condition is None else ", filtered"
        return redacted(f"<LanceScan of {self._file!r}: {shown}>")

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
        return sum(len(found) for _, _, found, _ in self._matched(self._condition))

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the rows in batches of the chosen size; with a filter, of at most that size.

        raises  `FormatError` for damage, `Unsupported` for encodings that cannot be read,
                `LimitExceeded`
        """
        for each in self._batches():
            yield self._extensions.of(each)

    def to_table(self) -> pa.Table:
        """Return the rows as a table whose chunks are pages, or several of them; see `batches`."""
        if not self._fields:
            return without_columns(self.count())
        if self._condition is not None:
            return self._extensions.of(pa.Table.from_batches(self._batches(), self._stored))
        columns, readers = self._together(self.rows)
        with pages_ahead(readers.values(), self.rows, _ANY, self._threads, is_by_column=True):
            if self.rows:
                leaves = leaves_of(readers.values(), self.rows.start, self.rows.stop)
                decode_together(leaves, whole=True)
            for at, each in readers.items():
                pieces = list(pieces_of(each, self.rows))
                columns[at] = pa.chunked_array(pieces, self._stored.field(at).type)
        return self._extensions.of(pa.Table.from_arrays(columns, schema=self._stored))

    def take(self, rows: Sequence[int] | np.ndarray | pa.Array) -> pa.Table:
        """Return rows by their numbers; see `LanceFile.take`."""
        numbers = row_numbers(rows, self._file.num_rows)
        if not self._fields:
            return without_columns(len(numbers))
        ascending, places = ascending_once(numbers)
        columns, readers = self._together(ascending)
        if len(ascending):
            leaves = leaves_of(readers.values(), int(ascending[0]), int(ascending[-1]) + 1)
            decode_together(leaves, whole=False)
        for at, each in readers.items():
            columns[at] = checked(each.take(ascending))
        table = pa.Table.from_arrays(columns, schema=self._stored)
        if places is not None:
            table = rows_of_table(table, places)
        return self._extensions.of(table)

    def _batches(self) -> Iterator[pa.RecordBatch]:
        if self._condition is not None:
            yield from self._matching(self._condition)
            return
        columns, readers = self._together(self.rows)
        if columns and not readers:
            whole = pa.RecordBatch.from_arrays(columns, schema=self._stored)
            for start in range(0, len(self.rows), self._size):
                yield whole.slice(start, self._size)
            return
        all_readers = [
            Decoded(each, self.rows.start) if at not in readers else readers[at]
            for at, each in enumerate(columns)
        ]
        size, types = self._size, self._stored.types
        for _, count, arrays in self._columns(all_readers, types, in_blocks=True):
            if arrays:
                block = pa.RecordBatch.from_arrays(arrays, schema=self._stored)
                if count <= size:
                    yield block
                else:
                    yield from (block.slice(at, size) for at in range(0, count, size))
            else:
                yield from without_columns(count).to_batches()

    def _matching(self, condition: Condition) -> Iterator[pa.RecordBatch]:
        """Yield the rows that match; other columns are read only where there are any."""
        known = {id(field): at for at, field in enumerate(condition.fields)}
        readers: list[FieldReader] | None = None
        for start, count, found, asked in self._matched(condition):
            if not len(found):
                continue
            if readers is None:
                readers = self._readers()
            arrays = [
                asked[known[id(field)]].take(pa.array(found))
                if id(field) in known
                else _some(reader, start, count, found)
                for field, reader in zip(self._fields, readers, strict=True)
            ]
            if arrays:
                yield pa.RecordBatch.from_arrays(arrays, schema=self._stored)
            else:
                yield from without_columns(len(found)).to_batches()

    def _matched(
        self, condition: Condition
    ) -> Iterator[tuple[int, int, np.ndarray, list[pa.Array]]]:
        """Yield, some rows at a time: first row, number, matches, columns of the filter."""
        readers = self._file.readers(condition.fields)
        for start, count, asked in self._columns(readers, condition.schema.types):
            yield start, count, condition.rows(asked, count), asked

    def _columns(
        self,
        readers: Sequence[FieldReader],
        types: Sequence[pa.DataType],
        *,
        in_blocks: bool = False,
    ) -> Iterator[tuple[int, int, list[pa.Array]]]:
        """Yield, some rows at a time: first row, number, an array for each reader.

        in_blocks  whether the rows of several batches may come at a time
        """
        with pages_ahead(readers, self.rows, self._size, self._threads, is_by_column=False):
            pairs = zip(readers, types, strict=True)
            cursors = [Cursor(each, self.rows, type_) for each, type_ in pairs]
            start, stop = self.rows.start, self.rows.stop
            while start < stop:
                left = range(start, stop)
                count, arrays = next_rows(cursors, left, self._size, in_blocks=in_blocks)
                yield start, count, arrays
                start += count

    def _readers(self) -> list[FieldReader]:
        return self._file.readers(self._fields)

    def _together(
        self, rows: range | np.ndarray
    ) -> tuple[list[pa.Array | None], dict[int, FieldReader]]:
        """The columns that were decoded together, and the readers of all others."""
        columns = self._file.together(self._fields, rows)
        left = [at for at, each in enumerate(columns) if each is None]
        readers = self._file.readers([self._fields[at] for at in left])
        return columns, dict(zip(left, readers, strict=True))


def _some(reader: FieldReader, start: int, count: int, found: np.ndarray) -> pa.Array:
    """Rows *found* among the *count* from *start* on; if they are few, the others are not read."""
    if len(found) * _SPARSE < count:
        return checked(reader.take(start + found))
    return rows_at(checked(reader.read(start, start + count)), found)
