"""Rows of sources as Arrow: in batches, as a table, those of a filter, and some by their numbers.

- A batch has rows of one source.  If it is inside a page, its arrays are slices of the page's.
- Columns that a filter does not need are read only where rows match: these rows alone, if they are
  few, of many batches and sources together.

Source: https://lance.org/format/file/
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import pyarrow as pa

from byteloom.errors import ByteloomError, Unsupported
from byteloom.lance.arrays import rows_at
from byteloom.lance.decoding import Window
from byteloom.lance.decoding_plan import steps, steps_ahead
from byteloom.lance.field_reading import joined
from byteloom.lance.selection import without_columns
from byteloom.lance.source_rows import Picked, SourceRows, whole
from byteloom.storage.naming import about_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from byteloom.lance.decoding_plan import OpenSources, Step
    from byteloom.lance.fields import Field
    from byteloom.lance.selection import Condition

__all__ = ["RowReading"]

_SPARSE: Final = 8
"""Number of rows that are decoded in the time of taking one by its number."""

_MOST: Final = 1 << 24
"""Bytes of matching rows that are read together."""

_SHORT: Final = 1 << 12
"""Rows of a source that are not worth a chunk of their own."""


class _Match(NamedTuple):
    """Rows of a batch that match a filter.

    Attributes:
        source_rows: The rows of the source that the batch is of.
        rows: The numbers of the rows of the batch.
        found: The rows that match, counted from the first of the batch on.
        asked: The columns of the filter.
    """

    source_rows: SourceRows
    rows: range
    found: np.ndarray
    asked: list[pa.Array]

    @property
    def is_sparse(self) -> bool:
        """Whether few rows match, and others are not read."""
        return len(self.found) * _SPARSE < len(self.rows)


class RowReading:
    """How rows of open sources are read."""

    def __init__(
        self,
        fields: Sequence[Field],
        schema: pa.Schema,
        size: int,
        condition: Condition | None,
        threads: int,
    ) -> None:
        """Read *fields*, whose arrays *schema* describes.

        Args:
            size: The rows of a batch.
            condition: Chooses rows; None for all.
            threads: The number of threads, the calling one included.
        """
        self._fields, self._schema, self._size = fields, schema, size
        self._condition, self._threads = condition, threads

    def count(self, opened: Iterable[OpenSources]) -> int:
        """Return the number of rows that match the condition."""
        return sum([len(each.found) for each in self._matched(opened) if each is not None])

    def batches(self, opened: Iterable[OpenSources]) -> Iterator[pa.RecordBatch]:
        """Yield the rows in batches, with a condition of at most their size.

        Raises:
            FormatError: Pages are damaged.
            Unsupported: An encoding cannot be read.
            LimitExceeded: Pages need more than limits allow.
        """
        if self._condition is not None:
            yield from self._matching(opened)
            return
        size, schema = self._size, self._schema
        for step in self._steps(opened, self._fields, size):
            counts = [stop - source_rows.at for source_rows, stop in step.parts]
            arrays = step.whole()
            if arrays is not None:
                rows = pa.RecordBatch.from_arrays(arrays, schema=schema)
                for count in counts:
                    for at in range(0, count, size):
                        yield rows.slice(at, min(size, count - at))
                    rows = rows.slice(count)
                continue
            for source_rows, stop in step.parts:
                with about_file(source_rows.source.file_name):
                    for count, arrays in _blocks(source_rows, stop, size):
                        if not arrays:
                            yield from without_columns(count).to_batches()
                            continue
                        block = pa.RecordBatch.from_arrays(arrays, schema=schema)
                        if count <= size:
                            yield block
                        else:
                            yield from (block.slice(at, size) for at in range(0, count, size))

    def table(self, opened: Iterable[OpenSources]) -> pa.Table:
        """Return the rows as a table, whose chunks are pages, or several of them; see `batches`."""
        if self._condition is not None:
            return pa.Table.from_batches(self.batches(opened), self._schema)
        columns: list[list[pa.Array]] = [[] for _ in self._fields]
        for step in self._steps(opened, self._fields, 1):
            arrays = step.whole()
            if arrays is not None:
                for chunks, array in zip(columns, arrays, strict=True):
                    chunks.append(array)
                continue
            rows = 0
            for source_rows, stop in step.parts:
                own = range(source_rows.at, stop)
                rows += len(own)
                with about_file(source_rows.source.file_name):
                    for number, chunks in enumerate(columns):
                        chunks.extend(source_rows.pieces(number, own))
                source_rows.at = stop
            if len(step.parts) > 1 and rows < _SHORT * len(step.parts):
                _join_last(columns, rows)
        return self._table(columns)

    def take(self, opened: Iterable[OpenSources]) -> pa.Table:
        """Return some rows of sources, by their numbers; see `batches`."""
        columns: list[list[pa.Array]] = [[] for _ in self._fields]
        for sources, files in opened:
            with files:
                found = [Picked(source, np.asarray(rows), self._fields) for source, rows in sources]
                window = Window()
                for number in range(len(columns)):
                    for each in found:
                        each.plan(window, number)
                window.begin(self._threads)
                arrays = whole(found)
                if arrays is not None:
                    for chunks, array in zip(columns, arrays, strict=True):
                        chunks.append(array)
                    continue
                for each in found:
                    with about_file(each.source.file_name):
                        for number, chunks in enumerate(columns):
                            chunks.append(each.rows(number, range(len(each))))
        return self._table(columns)

    def _steps(
        self, opened: Iterable[OpenSources], fields: Sequence[Field], size: int
    ) -> Iterator[Step]:
        return steps_ahead(steps(opened, fields, size), self._threads)

    def _table(self, columns: Sequence[Sequence[pa.Array]]) -> pa.Table:
        if all(len(chunks) == 1 for chunks in columns):
            arrays = [chunks[0] for chunks in columns]
        else:
            pairs = zip(columns, self._schema.types, strict=True)
            arrays = [pa.chunked_array(chunks, type_) for chunks, type_ in pairs]
        return pa.Table.from_arrays(arrays, schema=self._schema)

    # Rows that match

    def _matched(self, opened: Iterable[OpenSources]) -> Iterator[_Match | None]:
        """Yield the batches that have any row that matches; None before sources are closed."""
        condition = self._condition
        assert condition is not None  # noqa: S101  of scans with a filter
        for step in self._steps(opened, condition.fields, self._size):
            for source_rows, stop in step.parts:
                with about_file(source_rows.source.file_name):
                    while source_rows.at < stop:
                        rows = range(source_rows.at, min(source_rows.at + self._size, stop))
                        asked = source_rows.next(len(rows))
                        found = condition.rows(asked, len(rows))
                        if len(found):
                            yield _Match(source_rows, rows, found, asked)
            if step.files is not None:
                yield None

    def _matching(self, opened: Iterable[OpenSources]) -> Iterator[pa.RecordBatch]:
        """Yield the rows that match, some batches after they were found."""
        others = _Others(self._fields, self._condition, self._schema, self._threads)
        matched = self._matched(opened)
        error: ByteloomError | None = None
        while error is None:
            try:
                match = next(matched)
                if match is not None:
                    others.add(match)
            except StopIteration:
                break
            except ByteloomError as raised:  # raised after the rows before it
                match, error = None, raised
            if match is None or others.is_full:
                yield from others.batches()
                others.clear(has_ended=match is None)
        if error is not None:
            raise error


class _Others:
    """The columns that a filter does not need, of rows that match."""

    def __init__(
        self,
        fields: Sequence[Field],
        condition: Condition | None,
        schema: pa.Schema,
        threads: int,
    ) -> None:
        asked = [] if condition is None else condition.fields
        known = {id(field): at for at, field in enumerate(asked)}
        self._places = [known.get(id(each)) for each in fields]
        self._fields = [each for each in fields if id(each) not in known]
        self._schema, self._threads = schema, threads
        self._matches: list[_Match] = []
        self._whole: dict[int, SourceRows] = {}
        self._left = _MOST

    def add(self, match: _Match) -> None:
        """Read the rows of *match* with the next ones."""
        source_rows = match.source_rows
        if id(source_rows) not in self._whole:
            rows = range(match.rows.start, source_rows.stop)
            with about_file(source_rows.source.file_name):
                self._whole[id(source_rows)] = SourceRows(source_rows.source, rows, self._fields)
        self._matches.append(match)
        count = len(match.found) if match.is_sparse else len(match.rows)
        self._left -= count * self._whole[id(source_rows)].width

    @property
    def is_full(self) -> bool:
        """Whether as many rows as are read together were added."""
        return self._left < 0

    def clear(self, *, has_ended: bool) -> None:
        """Forget the matches; *has_ended* says whether their sources are no longer read."""
        self._matches, self._left = [], _MOST
        if has_ended:
            self._whole = {}

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the matching rows of each batch."""
        window = Window()
        some = self._planned(window) if self._fields else {}
        window.fetch()
        window.begin(self._threads)
        done: dict[int, int] = dict.fromkeys(some, 0)
        for each in self._matches:
            key = id(each.source_rows)
            with about_file(each.source_rows.source.file_name):
                if each.is_sparse and self._fields:
                    rows = range(done[key], done[key] + len(each.found))
                    done[key] = rows.stop
                    columns = [some[key].rows(at, rows) for at in range(len(self._fields))]
                else:
                    whole = self._whole[key]
                    columns = [
                        rows_at(whole.rows(at, each.rows), each.found)
                        for at in range(len(self._fields))
                    ]
            left = iter(columns)
            arrays = [
                next(left) if at is None else rows_at(each.asked[at], each.found)
                for at in self._places
            ]
            if arrays:
                yield pa.RecordBatch.from_arrays(arrays, schema=self._schema)
            else:
                yield from without_columns(len(each.found)).to_batches()

    def _planned(self, window: Window) -> dict[int, Picked]:
        """Plan all rows; return those of sparse batches, by the rows of their source."""
        numbers: dict[int, list[np.ndarray]] = {}
        for each in self._matches:
            if each.is_sparse:
                own = numbers.setdefault(id(each.source_rows), [])
                own.append(each.rows.start + each.found)
        some = {
            key: Picked(self._whole[key].source, np.concatenate(own), self._fields)
            for key, own in numbers.items()
        }
        for column in range(len(self._fields)):
            for picked in some.values():
                picked.plan(window, column)
            for each in self._matches:
                if not each.is_sparse:
                    self._whole[id(each.source_rows)].plan(each.rows, window, column)
        return some


def _blocks(source_rows: SourceRows, stop: int, size: int) -> Iterator[tuple[int, list[pa.Array]]]:
    """Yield the next rows up to *stop*: a batch of *size* rows, or several that are decoded."""
    while source_rows.at < stop:
        left = stop - source_rows.at
        ready = min(source_rows.ready(), left)
        count = max(min(size, left), ready // size * size)
        yield count, source_rows.next(count)


def _join_last(columns: Sequence[list[pa.Array]], rows: int) -> None:
    """Make one array of the last of each column that have this many *rows*."""
    for chunks in columns:
        at = len(chunks)
        left = rows
        while left > 0 and at:
            at -= 1
            left -= len(chunks[at])
        with suppress(Unsupported):  # dictionaries may have too many items together
            chunks[at:] = [joined(chunks[at].type, chunks[at:])] if chunks[at:] else []
