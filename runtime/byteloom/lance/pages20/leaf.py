"""Columns of version 2.0 that have values: the leaves of fields.

- Pages of values that are stored as Arrow has them are decoded together, unless they are large and
  have nulls or text, and so are those of text that is looked up; all others by themselves, and of
  these only the rows that are wanted.
- The last page that was decoded by itself is kept, for its other rows.

Source: https://lance.org/format/file/encoding/
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from byteloom.errors import ByteloomError, FormatError
from byteloom.lance.arrays import rows_at
from byteloom.lance.encodings import array_encoding
from byteloom.lance.field_reading import SMALL_PAGE, OwnLeaf, Piece, value_size
from byteloom.lance.pages20.building import PageNodes
from byteloom.lance.pages20.forms import coded_of, form_of, looked_up, pages_as_one
from byteloom.lance.stored_pages import StoredPage, fetch_together

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence

    import pyarrow as pa

    from byteloom.lance.buffered_file import BufferedFile
    from byteloom.lance.column_metadata import Column, Page
    from byteloom.lance.field_reading import PagesFile, Rows
    from byteloom.lance.pages20.arrays import Node

__all__ = ["ColumnPages", "LeafReader", "leaf_reader"]

_BYTE: Final = 8

_LOOKED_UP: Final = 1 << 20
"""Bytes of a page that are read in the time of opening its dictionary."""


class _Described(NamedTuple):
    """What is known of a page before it is read; files with the same metadata share it.

    Attributes:
        keys: The keys of its pieces: of all rows, and of some by their numbers; None for damage.
        size: Bytes of all buffers.
    """

    keys: tuple[Hashable, Hashable]
    size: int


class ColumnPages:
    """A column, page by page; the last opened page is kept."""

    def __init__(
        self, column: Column, open_page: Callable[[PagesFile, Page], Any], file: PagesFile
    ) -> None:
        """Read nothing yet; *open_page* returns the reader of a page's rows."""
        self.column, self.file, self._open_page = column, file, open_page
        self.length = column.length
        self.starts = [each.first for each in column.pages if each.length] or [0]
        self._pages = [each for each in column.pages if each.length]
        self.stored_bytes = sum([size for each in self._pages for _, size in each.buffers])
        self.described: dict[int, _Described] = {}
        self._last: tuple[int, Any] = (-1, None)

    def of(self, file: PagesFile) -> ColumnPages:
        """Return the column of another file that has the same metadata."""
        found = ColumnPages.__new__(ColumnPages)
        found.__dict__.update(self.__dict__)
        found.file, found._last = file, (-1, None)  # noqa: SLF001  of a copy of this one
        return found

    def parts(self, rows: range, end: int | None) -> Iterator[tuple[int, int, int]]:
        """Yield the number of each page of *rows*, with the range inside the page.

        Args:
            end: The row after the last that is wanted of the last page; None for that of *rows*.
        """
        start, stop = rows.start, rows.stop if end is None else end
        if not 0 <= start <= stop <= self.length:
            found, wanted = f"rows {start} to {stop}", f"{self.length} rows"
            raise FormatError(self.column.path, self.column.at, wanted, found)
        number = bisect_right(self.starts, start) - 1
        while start < rows.stop:
            page = self._pages[number]
            last = min(stop, page.first + page.length)
            yield number, start - page.first, last - page.first
            start, number = last, number + 1

    def numbered(self, rows: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
        """Yield the number of each page of ascending rows, with the rows inside the page."""
        if len(rows) and not 0 <= rows[0] <= rows[-1] < self.length:
            wanted = f"rows of {self.length}"
            raise FormatError(self.column.path, self.column.at, f"row {rows[-1]}", wanted)
        cuts = np.searchsorted(rows, [*self.starts[1:]])
        for number, part in enumerate(np.split(rows, cuts)):
            if len(part):
                yield number, part - self.starts[number]

    def stored(self, number: int) -> Page:
        """Return a page as it is described."""
        return self._pages[number]

    def page(self, number: int) -> Any:
        """Return a page, opened."""
        known, found = self._last
        if known != number:
            found = self._open_page(self.file, self._pages[number])
            self._last = number, found
        return found


class LeafReader(OwnLeaf):
    """A field that has one column."""

    joins = True

    def __init__(self, pages: ColumnPages, type_: pa.DataType, *, is_alone: bool) -> None:
        """Read values of *type_*; opened *pages* are nodes.

        Args:
            is_alone: Whether its pages are never decoded with those of other columns.
        """
        self._pages, self.type, self._is_alone = pages, type_, is_alone
        self.length = pages.length
        self._value = value_size(type_)
        self.width = max(self._value, -(-pages.stored_bytes // max(self.length, 1)))

    def of(self, file: PagesFile) -> LeafReader:
        """Return the field of another file that has the same metadata."""
        found = LeafReader.__new__(LeafReader)
        found.__dict__.update(self.__dict__)
        found._pages = self._pages.of(file)  # noqa: SLF001  of a copy of this one
        return found

    @property
    def source(self) -> BufferedFile:
        """What reads its pages."""
        return self._pages.file.data

    @property
    def file_name(self) -> str | None:
        """The name of the file in errors."""
        return self._pages.file.file_name

    # What has to be decoded

    def pieces(self, rows: Rows, end: int | None = None) -> list[Piece]:
        """Return what has to be decoded for *rows*; see `Leaf`."""
        if isinstance(rows, range):
            return [self._of_page(*each) for each in self._pages.parts(rows, end)]
        return [self._some(*each) for each in self._pages.numbered(rows)]

    def ranges(self, piece: Piece) -> Sequence[tuple[int, int]]:
        """Return the ranges of the file with all buffers of a page that is read whole."""
        page = self._pages.stored(piece.number)
        return page.buffers if piece.rows is None and piece.length == page.length else ()

    def _of_page(self, number: int, start: int, stop: int) -> Piece:
        """The rows from *start* up to *stop* of a page, or all if it may be decoded with others."""
        page = self._pages.stored(number)
        keys, size = self._describe(number)
        if keys[0] is not None:
            weight = max(size, page.length * self._value)
            return Piece(self, number, page.first, page.length, None, keys[0], size, weight)
        count = stop - start
        width = count * self.width
        return Piece(self, number, page.first + start, count, None, None, size, width)

    def _some(self, number: int, rows: np.ndarray) -> Piece:
        """Some rows of a page, by their numbers in it."""
        keys, size = self._describe(number)
        count, first = len(rows), self._pages.stored(number).first
        key = keys[1] if self.source.is_local else None
        return Piece(self, number, first, count, rows, key, size, count * self.width)

    def _describe(self, number: int) -> _Described:
        """What is known of a page."""
        found = self._pages.described.get(number)
        if found is None:
            found = self._pages.described[number] = self._describe_new(number)
        return found

    def _describe_new(self, number: int) -> _Described:
        page, limits = self._pages.stored(number), self._pages.file.limits
        size = sum([each for _, each in page.buffers])
        if self._is_alone:
            return _Described((None, None), size)
        try:
            found, coded = form_of(page.encoding.data, limits), None
            if found is None:
                coded = coded_of(page.encoding.data, limits)
        except ByteloomError:  # decoding the page raises it when its turn comes
            return _Described((None, None), size)
        fits = found is not None and found[0].fits(self.type, len(page.buffers))
        form = found[0] if found is not None and fits else None
        whole: Hashable = None
        some: Hashable = None
        if form is not None:
            is_plain = form.text < 0 and form.validity < 0
            whole = (form, self.type, False) if is_plain or size < SMALL_PAGE else None
            some = (form, self.type, True) if size < SMALL_PAGE else None
        elif coded is not None and size < _LOOKED_UP:
            some = coded[:3], self.type
        return _Described((whole, some), size)

    # Decoding

    def decode(self, pieces: Sequence[Piece]) -> pa.Array:
        """Return the rows of one piece, or of several with one key, in one array.

        Raises:
            FormatError: Pages are damaged.
            Unsupported: An encoding cannot be read.
            LimitExceeded: Pages need more than limits allow.
        """
        if len(pieces) > 1:
            return _decoded_together(pieces)
        piece = pieces[0]
        node: Node = self._pages.page(piece.number)
        if piece.rows is not None:
            return node.take(piece.rows)
        start = piece.first - self._pages.stored(piece.number).first
        base = start // _BYTE * _BYTE
        return node.slice(base, start + piece.length).slice(start - base)

    def member(self, number: int) -> tuple[StoredPage, bytes]:
        """Return a page to fetch, and its encoding as it is stored."""
        page, file = self._pages.stored(number), self._pages.file
        return StoredPage(page, file.data, file.limits), page.encoding.data


def _decoded_together(pieces: Sequence[Piece]) -> pa.Array:
    """The rows of pages that are stored alike."""
    found = [each.leaf.member(each.number) for each in pieces if isinstance(each.leaf, LeafReader)]
    pages, type_ = [each for each, _ in found], pieces[0].leaf.type
    rows = [each.rows for each in pieces if each.rows is not None]
    limits = pages[0].limits
    forms = [form_of(data, limits) for _, data in found]
    if forms[0] is None or forms[0][0].text >= 0:
        fetch_together(pages)
    if forms[0] is None:
        coded = [coded_of(data, limits) for _, data in found]
        known = [each for each in coded if each is not None]
        array = looked_up(pages, known, rows, type_)
    else:
        counts = np.array([each.length for each in pages])
        adjustments = np.array([each[1] for each in forms if each is not None])
        array = pages_as_one(pages, forms[0][0], counts, adjustments, type_)
        if array is not None and rows:
            before = np.cumsum(counts) - counts
            numbers = [own + first for own, first in zip(rows, before, strict=True)]
            array = rows_at(array, np.concatenate(numbers))
    if array is None:
        raise FormatError(pages[0].path, pages[0].at, "damage in one of several pages", "none")
    return array


def leaf_reader(
    file: PagesFile,
    column: Column,
    type_: pa.DataType,
    *,
    is_reversed: bool,
    is_alone: bool = False,
) -> LeafReader:
    """Return the reader of values of one column.

    Args:
        is_reversed: Whether buffers are stored in the reverse order.
        is_alone: Whether its pages are never decoded with those of other columns.
    """

    def opened(file: PagesFile, page: Page) -> Node:
        nodes = PageNodes(page, file.data, file.limits, is_reversed)
        return nodes.node(array_encoding(page, file.limits), type_, page.length)

    return LeafReader(ColumnPages(column, opened, file), type_, is_alone=is_alone or is_reversed)
