"""A column from version 2.1 on: the leaf of a field, with all layers around it.

- Pages of the layout MiniBlock are decoded together, whatever their column and file, if they have
  one shape and type; all others are decoded by themselves.
- Of a page with one value only the rows that are wanted are made, of any other page all of them.

Source: https://lance.org/format/file/encoding/
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pyarrow as pa

from byteloom.errors import ByteloomError, FormatError
from byteloom.lance.encodings import EARLY_PAGE_LAYOUT, has_early_chunks, page_layout
from byteloom.lance.field_reading import Piece, value_size
from byteloom.lance.pages21.blob import BlobPage
from byteloom.lance.pages21.constant import ConstantPage
from byteloom.lance.pages21.full_zip import FullZipPage
from byteloom.lance.pages21.mini_block import MiniBlockPages
from byteloom.lance.pages21.shapes import shape_of
from byteloom.lance.stored_pages import StoredPage, fetch_together

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from byteloom.lance.buffered_file import BufferedFile
    from byteloom.lance.column_metadata import Column, Page
    from byteloom.lance.field_reading import PagesFile, Rows
    from byteloom.limits import Limits
    from byteloom_generated.lance.encodings21 import MiniBlockLayout, PageLayout

__all__ = ["Leaf21"]

_RANGE: Final = 1 << 12
"""Bytes that are read in the time of a request for a range."""

_numbers: Final = itertools.count()

_LAYOUTS: Final[dict[str, Any]] = {
    "constant_layout": ConstantPage,
    "full_zip_layout": FullZipPage,
    "blob_layout": BlobPage,
}


class _Described(NamedTuple):
    """What is known of a page before it is read.

    Attributes:
        layout: How it is encoded; None if that is damaged.
        keys: The keys of its pieces: of all rows, and of some by their numbers.
        size: Bytes of all buffers.
    """

    layout: PageLayout | None
    keys: tuple[Hashable, Hashable]
    size: int


class _Pages:
    """The pages of a column that have rows: what leaves of files with the same metadata share.

    Attributes:
        type: Type of the array: structs in it have one field, down to the leaf.
        length: Number of rows.
        starts: The first row of each page.
        value: Bytes of a decoded value, about.
        width: Bytes of a row in memory, about.
    """

    def __init__(self, type_: pa.DataType, column: Column, limits: Limits) -> None:
        self.type, self._limits = type_, limits
        self.pages = [each for each in column.pages if each.length]
        size = _entries_of_row(type_)
        for each in self.pages:
            if each.length % size:
                path, wanted = f"{each.path}.length", f"a multiple of {size}"
                raise FormatError(path, each.at, each.length, wanted)
        self.length = column.length // size
        self.starts = [each.first // size for each in self.pages] or [0]
        self.rows = [each.length // size for each in self.pages]
        self.value = _width_of(type_)
        stored = sum([size for each in self.pages for _, size in each.buffers])
        self.width = max(self.value, -(-stored // max(self.length, 1)))
        self._described: dict[int, _Described] = {}

    def number(self, row: int) -> int:
        """Return the number of the page that has a row."""
        return bisect_right(self.starts, row) - 1

    def layout(self, number: int) -> PageLayout:
        """Return the layout of a page."""
        known = self._described.get(number)
        if known is not None and known.layout is not None:
            return known.layout
        return page_layout(self.pages[number], self._limits)

    def describe(self, number: int) -> _Described:
        """Return what is known of a page."""
        found = self._described.get(number)
        if found is None:
            found = self._described[number] = self._describe_new(number)
        return found

    def _describe_new(self, number: int) -> _Described:
        page = self.pages[number]
        size = sum([each for _, each in page.buffers])
        try:
            layout = self.layout(number)
        except ByteloomError:  # decoding the page raises it when its turn comes
            return _Described(None, (None, None), size)
        shape = b""
        if page.encoding.type != EARLY_PAGE_LAYOUT:
            shape = shape_of(layout, page.encoding.data, self.type)
        whole = some = None
        if shape:
            type_ = _number_of(self.type)
            some = (shape, type_, True)
            values = layout.mini_block_layout
            if values.num_items == page.length or values.HasField("rep_compression"):
                whole = (shape, type_, False)
        return _Described(layout, (whole, some), size)


class Leaf21:
    """A column as an array of its top-level field, narrowed to this leaf."""

    __slots__ = ("_file", "_pages", "length", "type", "width")

    def __init__(self, type_: pa.DataType, column: Column, file: PagesFile) -> None:
        """Read nothing yet of *column*; a map in *type_* is a list of structs."""
        self._set(_Pages(type_, column, file.limits), file)

    def _set(self, pages: _Pages, file: PagesFile) -> None:
        self._pages, self._file = pages, file
        self.type, self.length, self.width = pages.type, pages.length, pages.width

    def of(self, file: PagesFile) -> Leaf21:
        """Return the leaf of another file that has the same metadata."""
        found = Leaf21.__new__(Leaf21)
        found._set(self._pages, file)  # noqa: SLF001  of another one
        return found

    @property
    def source(self) -> BufferedFile:
        """What reads its pages."""
        return self._file.data

    @property
    def file_name(self) -> str | None:
        """The name of the file in errors."""
        return self._file.file_name

    # What has to be decoded

    def pieces(self, rows: Rows, end: int | None = None) -> list[Piece]:
        """Return what has to be decoded for *rows*; see `Leaf`."""
        starts = self._pages.starts
        if isinstance(rows, range):
            wanted = range(rows.start, rows.stop if end is None else end)
            if len(starts) == 1:
                return [self._piece(0, wanted)]
            numbers = range(self._pages.number(rows.start), bisect_left(starts, rows.stop))
            return [self._piece(each, wanted) for each in numbers]
        if len(starts) == 1:
            return [self._some(0, rows)]
        cuts = [0, *np.searchsorted(rows, starts[1:]).tolist(), len(rows)]
        return [
            self._some(number, rows[cuts[number] : cuts[number + 1]] - starts[number])
            for number in range(len(starts))
            if cuts[number] < cuts[number + 1]
        ]

    def ranges(self, piece: Piece) -> Sequence[tuple[int, int]]:
        """Return the ranges of the file with all buffers of a page that is read whole."""
        return self._pages.pages[piece.number].buffers if piece.rows is None else ()

    def _piece(self, number: int, rows: range) -> Piece:
        """All rows of a page; of a page of one value those of *rows*."""
        pages = self._pages
        layout, keys, size = pages.describe(number)
        first, count = pages.starts[number], pages.rows[number]
        if keys[0] is None and layout is not None and _is_plain(layout, pages.pages[number]):
            last = min(first + count, rows.stop)
            first = max(first, rows.start)
            count = last - first
        weight = max(size, count * pages.value)
        return Piece(self, number, first, count, None, keys[0], size, weight)

    def _some(self, number: int, rows: np.ndarray) -> Piece:
        """Some rows of a page, by their numbers in it."""
        pages = self._pages
        _, keys, size = pages.describe(number)
        count = len(rows)
        weight = count * max(pages.value, size // pages.rows[number])
        return Piece(self, number, pages.starts[number], count, rows, keys[1], size, weight)

    # Decoding

    def decode(self, pieces: Sequence[Piece]) -> pa.Array:
        """Return the rows of one piece, or of several with one key, in one array.

        Raises:
            FormatError: Pages are damaged.
            Unsupported: An encoding cannot be read.
            LimitExceeded: Pages need more than limits allow.
        """
        (first, *others) = pieces
        if others:
            return _decoded_together(pieces)
        page = self._opened(first.number)
        if first.rows is not None:
            found = page.take(first.rows)
        elif isinstance(page, ConstantPage) and page.is_plain:
            found = page.rows(first.length)
        else:
            found = page.whole()
        if len(found) != first.length:
            stored = self._pages.pages[first.number]
            wanted = f"{first.length}"
            raise FormatError(f"{stored.path}.length", stored.at, f"{len(found)} rows", wanted)
        return found

    def member(self, number: int) -> tuple[StoredPage, MiniBlockLayout, int]:
        """Return a page to decode with others: itself, its layout, and its number of rows."""
        pages = self._pages
        page = StoredPage(pages.pages[number], self._file.data, self._file.limits)
        return page, pages.layout(number).mini_block_layout, pages.rows[number]

    def _opened(self, number: int) -> MiniBlockPages | ConstantPage | FullZipPage | BlobPage:
        page = self._pages.pages[number]
        layout = self._pages.layout(number)
        kind = layout.WhichOneof("layout")
        if kind is None:
            raise FormatError(f"{page.path}.encoding", page.at, "nothing", "a layout")
        stored = StoredPage(page, self._file.data, self._file.limits)
        if kind == "mini_block_layout":
            is_early = has_early_chunks(page, self._file.limits)
            layouts = [layout.mini_block_layout]
            return MiniBlockPages([stored], layouts, self.type, has_early_chunks=is_early)
        made: ConstantPage | FullZipPage | BlobPage = _LAYOUTS[kind](
            stored, getattr(layout, kind), self.type
        )
        return made


def _is_plain(layout: PageLayout, page: Page) -> bool:
    """Whether a page has one value, and no levels."""
    is_constant = layout.WhichOneof("layout") == "constant_layout"
    return is_constant and len(page.buffers) < 2  # noqa: PLR2004  those of levels


def _decoded_together(pieces: Sequence[Piece]) -> pa.Array:
    """The rows of pages of one shape and type."""
    members = [each.leaf.member(each.number) for each in pieces if isinstance(each.leaf, Leaf21)]
    stored = [each for each, _, _ in members]
    opened = MiniBlockPages(stored, [each for _, each, _ in members], pieces[0].leaf.type)
    chosen = [each.rows for each in pieces if each.rows is not None]
    if not chosen:
        fetch_together(stored)
        return opened.whole()
    counts = np.array([each for _, _, each in members])
    before = np.cumsum(counts) - counts
    wanted = np.concatenate([rows + first for rows, first in zip(chosen, before, strict=True)])
    if sum([each.size for each in pieces]) <= len(wanted) * _RANGE:
        fetch_together(stored)
    return opened.take(wanted)


@lru_cache(maxsize=1024)
def _number_of(type_: pa.DataType) -> int:
    """Return a number for a type, which takes less time to compare."""
    del type_
    return next(_numbers)


def _entries_of_row(type_: pa.DataType) -> int:
    """The number of entries for each row: the items of fixed-size lists of structs."""
    size = 1
    while type_.num_fields == 1 and not pa.types.is_map(type_):
        inner = type_.field(0).type
        if pa.types.is_fixed_size_list(type_):
            if not pa.types.is_struct(inner):
                break
            size *= type_.list_size
        type_ = inner
    return size


@lru_cache(maxsize=1024)
def _width_of(type_: pa.DataType) -> int:
    """The bytes of a decoded value of a leaf, about."""
    while type_.num_fields == 1:
        type_ = type_.field(0).type
    return value_size(type_)
