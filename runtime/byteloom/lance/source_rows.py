"""The rows of one source in all columns of a scan, of pages that a window decodes.

- A page is decoded once: if it ends after the last row of a window, its other rows are kept.

Source: https://lance.org/format/file/
"""

from __future__ import annotations

import sys
from collections import deque
from typing import TYPE_CHECKING, Protocol

from byteloom.errors import ByteloomError
from byteloom.lance.arrays import rows_at
from byteloom.lance.field_reading import joined
from byteloom.storage.naming import about_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    import pyarrow as pa

    from byteloom.lance.decoding import Place, Window
    from byteloom.lance.field_reading import FieldReader, Leaf, Piece, Rows
    from byteloom.lance.fields import Field

__all__ = ["Picked", "RowSource", "SourceRows", "all_joined", "whole"]


class RowSource(Protocol):
    """A source of rows: a file, or a fragment of a dataset.

    Attributes:
        kept: For each row its number in the columns, where others are deleted; None for the same.
        file_name: Its name for errors; None if errors have a name already.
    """

    @property
    def kept(self) -> np.ndarray | None:
        """The number of each row in the columns."""

    @property
    def file_name(self) -> str | None:
        """The name for errors."""

    def readers(self, fields: Sequence[Field], rows: Rows | None = None) -> Sequence[FieldReader]:
        """Return readers of *fields*, which may be narrowed.

        Args:
            rows: The rows that will be read of the columns; None if they are not known.
        """


class _LeafRows:
    """The rows of a leaf from the first on; those of a page are kept until its last was used."""

    __slots__ = (
        "_array",
        "_end",
        "_error",
        "_first",
        "_is_picked",
        "_leaf",
        "_places",
        "_planned",
        "_stop",
    )

    def __init__(self, leaf: Leaf, end: int | None) -> None:
        self._leaf, self._stop, self._is_picked = leaf, end, False
        self._places: deque[Place] = deque()
        self._error: ByteloomError | None = None
        self._array: pa.Array | None = None
        self._planned = self._first = self._end = 0

    def plan(self, rows: range, window: Window) -> None:
        """Let *window* decode what is left of *rows*; rows before them are no longer needed."""
        start = max(self._planned, rows.start)
        if start < rows.stop:
            self._planned = rows.stop
            last = self._add(range(start, rows.stop), window)
            if last is not None:
                self._planned = max(last.first + last.length, rows.stop)

    def pick(self, rows: np.ndarray, window: Window) -> None:
        """Let *window* decode *rows*, which then count from 0 on."""
        self._is_picked = True
        if len(rows):
            self._add(rows, window)

    def _add(self, rows: Rows, window: Window) -> Piece | None:
        try:
            pieces = self._leaf.pieces(rows, self._stop)
        except ByteloomError as error:  # raised when the turn of the rows comes
            self._error = error
            return None
        self._places += window.add(pieces)
        return pieces[-1]

    def ready(self, row: int) -> int:
        """Return the number of rows from *row* on that are decoded, once some are."""
        while self._end <= row:
            self._load()
        return self._end - row

    def part(self, rows: range) -> pa.Array:
        """Return *rows*, which were planned."""
        parts, at = [], rows.start
        while at < rows.stop:
            count = min(self.ready(at), rows.stop - at)
            array = self._array
            assert array is not None  # noqa: S101  while there are rows in it
            parts.append(array if count == len(array) else array.slice(at - self._first, count))
            at += count
            if at == self._end:
                self._array = None
        return joined(self._leaf.type, parts)

    @property
    def planned(self) -> Sequence[Place]:
        """The pieces that are planned; none if one of them cannot be."""
        return self._places if self._error is None else ()

    def _load(self) -> None:
        if not self._places and self._error is not None:
            with about_file(self._leaf.file_name):
                raise self._error
        group, number = self._places.popleft()
        group.need()
        end = number + 1
        while group.is_one and self._places and self._places[0] == (group, end):
            self._places.popleft()
            end += 1
        self._array = group.rows(number, end)
        self._first = self._end if self._is_picked else group.pieces[number].first
        self._end = self._first + len(self._array)


class _Column:
    """A field of one source, row by row."""

    __slots__ = ("leaf_rows", "reader")

    def __init__(self, reader: FieldReader, end: int | None = None) -> None:
        """Read nothing yet of *reader*, of which no row from *end* on is wanted."""
        self.reader = reader
        self.leaf_rows = [_LeafRows(each, end) for each in reader.leaves]

    def pick(self, rows: np.ndarray, window: Window) -> None:
        for each in self.leaf_rows:
            each.pick(rows, window)

    def ready(self, row: int) -> int:
        """Return the number of rows from *row* on that are decoded, once some are."""
        return min([each.ready(row) for each in self.leaf_rows], default=sys.maxsize)

    def part(self, rows: range, places: Rows) -> pa.Array:
        """Return *rows*, which are at *places* in the field."""
        return self.reader.made([each.part(rows) for each in self.leaf_rows], places)


def _joined(columns: Sequence[_Column], rows: int) -> pa.Array | None:
    """All *rows* of a field of several sources in one array.

    None if they have to be read source by source: there is damage, they are not in one group, or
    pages have other rows as well.
    """
    first = columns[0]
    if not all(each.reader.joins for each in columns):
        return None
    parts = []
    for leaf_rows in zip(*(each.leaf_rows for each in columns), strict=True):
        if not all(each.planned for each in leaf_rows):
            return None
        places = [place for each in leaf_rows for place in each.planned]
        group, start = places[0]
        end = start + len(places)
        if places != [(group, number) for number in range(start, end)]:
            return None
        group.need()
        parts.append(group.rows(start, end) if group.is_one else ())
        if len(parts[-1]) != rows:
            return None
    try:
        return first.reader.made(parts, range(rows)) if parts else None
    except ByteloomError:  # it is raised again for the source
        return None


def all_joined(sources: Sequence[Sequence[_Column]], rows: int) -> list[pa.Array] | None:
    """All rows of several sources, an array for each column; None to read them apart."""
    found = []
    for columns in zip(*sources, strict=True):
        array = _joined(columns, rows)
        if array is None:
            return None
        found.append(array)
    return found


class SourceRows:
    """Rows of one source that follow one another, in all columns of a scan.

    Attributes:
        source: The source.
        at: The number of the next row.
        planned: The number of the first row of which nothing is planned.
        stop: The number of the row after the last.
        width: Bytes of a row in memory, about.
    """

    def __init__(self, source: RowSource, rows: range, fields: Sequence[Field]) -> None:
        """Read nothing yet of *rows*, of which there is at least one."""
        self.source, self._kept = source, source.kept
        self.at = self.planned = self._start = rows.start
        self.stop = rows.stop
        places = self.places(rows)
        readers = source.readers(fields, places)
        self.columns = [_Column(each, places.stop) for each in readers]
        self.width = sum([leaf.width for each in readers for leaf in each.leaves])

    def places(self, rows: range) -> range:
        """Return where *rows* are in the columns, with those between them."""
        kept = self._kept
        return rows if kept is None else range(int(kept[rows.start]), int(kept[rows.stop - 1]) + 1)

    def plan(self, rows: range, window: Window, column: int) -> None:
        """Let *window* decode *rows* of one of the columns."""
        places = self.places(rows)
        for each in self.columns[column].leaf_rows:
            each.plan(places, window)

    def is_cut(self, stop: int) -> bool:
        """Whether rows up to *stop* are not all of the columns, or not all that is read."""
        is_first = self.at == self._start and stop == self.stop
        return self._kept is not None or not is_first

    @property
    def is_in_memory(self) -> bool:
        """Whether there are columns, none of which has leaves."""
        return bool(self.columns) and not any(each.leaf_rows for each in self.columns)

    def ready(self) -> int:
        """Return the number of the next rows that are decoded in all columns; 0 if not known."""
        if self._kept is not None:
            return 0
        return min([each.ready(self.at) for each in self.columns], default=0)

    def next(self, count: int) -> list[pa.Array]:
        """Return the next rows of each column, which were planned."""
        rows = range(self.at, self.at + count)
        self.at = rows.stop
        return self.all(rows)

    def all(self, rows: range) -> list[pa.Array]:
        """Return *rows* of each column, which were planned."""
        places, kept = self.places(rows), self._kept
        found = [each.part(places, places) for each in self.columns]
        if kept is None or len(places) == len(rows):
            return found
        return [rows_at(each, kept[rows.start : rows.stop] - places.start) for each in found]

    def rows(self, column: int, rows: range) -> pa.Array:
        """Return *rows* of one of the columns, which were planned."""
        places = self.places(rows)
        found = self.columns[column].part(places, places)
        if self._kept is None or len(found) == len(rows):
            return found
        return rows_at(found, self._kept[rows.start : rows.stop] - places.start)

    def pieces(self, column: int, rows: range) -> Iterator[pa.Array]:
        """Yield *rows* of one of the columns, which were planned, as they were decoded."""
        if self._kept is not None:
            yield self.rows(column, rows)
            return
        at = rows.start
        while at < rows.stop:
            count = min(self.columns[column].ready(at), rows.stop - at)
            own = range(at, at + count)
            yield self.columns[column].part(own, own)
            at += count


class Picked:
    """Some rows of one source, by their numbers."""

    def __init__(self, source: RowSource, rows: np.ndarray, fields: Sequence[Field]) -> None:
        """Read nothing yet of *rows*, which ascend."""
        self.source = source
        self._places = rows if source.kept is None else source.kept[rows]
        self.columns = [_Column(each) for each in source.readers(fields, self._places)]

    def plan(self, window: Window, column: int) -> None:
        """Let *window* decode one of the columns."""
        self.columns[column].pick(self._places, window)

    def rows(self, column: int, rows: range) -> pa.Array:
        """Return some of the rows of one of the columns, the next ones, counted from 0 on."""
        return self.columns[column].part(rows, self._places[rows.start : rows.stop])

    def __len__(self) -> int:
        """The number of rows."""
        return len(self._places)


def whole(sources: Sequence[Picked]) -> list[pa.Array] | None:
    """Return all rows of several sources, an array for each column; None to read them apart."""
    if len(sources) < 2:  # noqa: PLR2004  several
        return None
    return all_joined([each.columns for each in sources], sum(map(len, sources)))
