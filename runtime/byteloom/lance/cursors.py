"""The rows of fields one after the other, a batch at a time.

- A page is decoded when its first row is wanted, and kept until its last one was.
- Pages of several fields that are wanted at the same time are decoded together.

Source: https://lance.org/format/file/
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from byteloom.errors import FormatError, found_by
from byteloom.lance.reading import end_of, joined, leaves_of
from byteloom.lance.rows_at import rows_at
from byteloom.lance.together import decode_together
from byteloom.lance.types import is_bounded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np

    from byteloom.lance.reading import FieldReader

__all__ = ["Cursor", "Decoded", "checked", "next_rows", "pieces_of"]


class Decoded:
    """A field whose rows were decoded with those of other fields, as its reader would give them."""

    def __init__(self, array: pa.Array, first: int) -> None:
        """Give the rows of *array*, the first of which has the number *first*."""
        self.length, self.starts = len(array), [first]
        self._array = array

    def end_of(self, start: int) -> int:
        """Return the row after the last."""
        del start
        return self.starts[0] + self.length

    def read(self, start: int, stop: int) -> pa.Array:
        """Return the rows from *start* up to *stop*."""
        return self._array.slice(start - self.starts[0], stop - start)

    def take(self, rows: np.ndarray) -> pa.Array:
        """Return rows by their numbers, which ascend."""
        return rows_at(self._array, rows - self.starts[0])


class Cursor:
    """A field that is read from its first row to its last, a page at a time."""

    def __init__(self, reader: FieldReader, rows: range, type_: pa.DataType) -> None:
        """Begin at the first of *rows*, of *type_*; nothing is read yet."""
        self.reader = reader
        self._type, self._pieces = type_, pieces_of(reader, rows)
        self._rows: pa.Array | None = None
        self._at = self._end = 0

    @property
    def is_empty(self) -> bool:
        """Whether the next row is in a page that was not read yet."""
        return self._at == self._end

    def ready(self) -> int:
        """Return the number of the next rows that are decoded, once some are."""
        if self.is_empty:
            self._read()
        return self._end - self._at

    def next(self, count: int) -> pa.Array:
        """Return the next rows, as many as *count*."""
        if 0 < count <= self._end - self._at:
            return self._part(count)
        parts = []
        while count:
            if self.is_empty:
                self._read()
            part = self._part(min(count, self._end - self._at))
            parts.append(part)
            count -= len(part)
        return joined(self._type, parts)

    def _read(self) -> None:
        self._rows = next(self._pieces)
        self._at, self._end = 0, len(self._rows)

    def _part(self, count: int) -> pa.Array:
        """The next rows of the page; it is not kept after its last one."""
        rows, at = self._rows, self._at
        assert rows is not None  # noqa: S101  only while there are rows left
        self._at = at + count
        if self._at == self._end:
            self._rows = None
        return rows if count == self._end else rows.slice(at, count)


def next_rows(
    cursors: Sequence[Cursor], rows: range, size: int, *, in_blocks: bool = False
) -> tuple[int, list[pa.Array]]:
    """Return a number of rows, and that many of each field: the first of *rows*, which are left.

    size       the number of rows
    in_blocks  whether to return some times *size* rows where as many are decoded
    """
    empty = [each.reader for each in cursors if each.is_empty]
    if empty:
        decode_together(leaves_of(empty, rows.start, rows.stop), whole=True)
    count = min(size, len(rows))
    if in_blocks:
        ready = min([each.ready() for each in cursors], default=0)
        count = max(count, ready // size * size)
    return count, [each.next(count) for each in cursors]


def pieces_of(reader: FieldReader, rows: range) -> Iterator[pa.Array]:
    """Yield rows of a field, those of a page, or of several, at a time."""
    start = rows.start
    while start < rows.stop:
        if start > rows.start:
            decode_together(leaves_of([reader], start, rows.stop), whole=True)
        stop = min(end_of(reader, start), rows.stop)
        yield checked(reader.read(start, stop))
        start = stop


def checked(array: pa.Array) -> pa.Array:
    """Return *array*, if its values are of its type.

    raises  `FormatError` for decimals of too many digits, hours past 24, and the like
    """
    if is_bounded(array.type):
        try:
            array.validate(full=True)
        except pa.ArrowInvalid as error:
            found = found_by("a value that its type does not have", error)
            raise FormatError("values", None, found, str(array.type)) from error
    return array
