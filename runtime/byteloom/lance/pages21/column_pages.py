"""The pages of a column from version 2.1 on: how each is stored, and what reads it.

Source: https://lance.org/format/file/encoding/
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import pyarrow as pa

from byteloom.errors import ByteloomError, FormatError
from byteloom.lance.encodings import EARLY_PAGE_LAYOUT, has_early_chunks, page_layout
from byteloom.lance.pages21.blob import BlobPage
from byteloom.lance.pages21.constant import ConstantPage
from byteloom.lance.pages21.full_zip import FullZipPage
from byteloom.lance.pages21.mini_block import MiniBlockPages
from byteloom.lance.pages21.stored import StoredPage
from byteloom.lance.pages21.together import shape_of

if TYPE_CHECKING:
    from byteloom.lance.column_metadata import Column
    from byteloom.limits import Limits
    from byteloom.storage import Source
    from byteloom_generated.lance.encodings21 import MiniBlockLayout, PageLayout

__all__ = ["ColumnPages21"]

_Page: TypeAlias = MiniBlockPages | ConstantPage | FullZipPage | BlobPage

_BYTE: Final = 8
_TEXT: Final = 16
"""Bytes of a value of any length, about."""

_EASE: Final = 2
"""How many times as fast as others packed integers are decoded, if they have as few bits."""

_LAYOUTS: Final[dict[str, Any]] = {
    "constant_layout": ConstantPage,
    "full_zip_layout": FullZipPage,
    "blob_layout": BlobPage,
}


class ColumnPages21:
    """The pages of a column that have rows, as pages of an array of its top-level field.

    type    type of the array: structs in it have one field, down to the leaf
    length  number of rows
    starts  the first row of each page
    source  what reads its pages
    limits  what reading may cost
    """

    def __init__(self, type_: pa.DataType, column: Column, source: Source, limits: Limits) -> None:
        """Read nothing yet of *column*; a map in *type_* is a list of structs."""
        self.type, self._column = type_, column
        self.source, self.limits = source, limits
        self._pages = [each for each in column.pages if each.length]
        size = _entries_of_row(type_)
        for each in self._pages:
            if each.length % size:
                path, wanted = f"{each.path}.length", f"a multiple of {size}"
                raise FormatError(path, each.at, each.length, wanted)
        self._size = size
        self.length = column.length // size
        self.starts = [each.first // size for each in self._pages] or [0]
        self._opened: tuple[int, _Page | None] = (-1, None)
        self._shapes: dict[int, tuple[MiniBlockLayout, bytes]] = {}
        self._fetched: tuple[int, StoredPage | None] = (-1, None)

    def _rows(self, number: int) -> int:
        """The rows of a page."""
        return self._pages[number].length // self._size

    def _number(self, row: int) -> int:
        """The number of the page that has a row."""
        return bisect_right(self.starts, row) - 1

    @property
    def has_one_page(self) -> bool:
        """Whether all rows are in one page, which may be decoded with others."""
        return len(self._pages) == 1

    @cached_property
    def _width(self) -> int:
        """The bytes of a decoded value, about."""
        type_ = self.type
        while type_.num_fields == 1:
            type_ = type_.field(0).type
        is_fixed = pa.types.is_primitive(type_) or pa.types.is_decimal(type_)
        return -(-type_.bit_width // _BYTE) if is_fixed else _TEXT

    def stored(self, number: int) -> StoredPage:
        """Return a page that has rows; one that was fetched ahead is returned once."""
        if self._fetched[0] == number and self._fetched[1] is not None:
            found = self._fetched[1]
            self._fetched = (-1, None)
            return found
        return StoredPage(self._pages[number], self.source, self.limits)

    @property
    def is_remote(self) -> bool:
        """Whether each read is a request to a store."""
        return getattr(self.source, "read_into", None) is None

    def fetching(self, number: int) -> StoredPage:
        """Return a page to fetch ahead, which is kept until it is opened."""
        found = self.stored(number)
        self._fetched = (number, found)
        return found

    def bytes_of(self, number: int) -> int:
        """Return the bytes of all buffers of a page."""
        return sum([size for _, size in self._pages[number].buffers])

    def layout(self, number: int) -> PageLayout:
        """Return the layout of a page."""
        return page_layout(self._pages[number], self.limits)

    def shape(self, number: int) -> tuple[MiniBlockLayout, bytes]:
        """Return the layout of a page, and the shape that it shares with pages read together.

        The shape is empty for a page that is read alone, as one by a release before 0.33 is.
        """
        found = self._shapes.get(number)
        if found is None:
            layout, (kind, data) = self.layout(number), self._pages[number].encoding
            is_early = kind == EARLY_PAGE_LAYOUT
            own = b"" if is_early else shape_of(layout, data, self.type)
            found = self._shapes[number] = layout.mini_block_layout, own
        return found

    def _decoded_bytes(self, number: int) -> int:
        """The bytes of the decoded rows of a page, about."""
        return max(self.bytes_of(number), self._rows(number) * self._width)

    def _is_of_chunks(self, number: int) -> bool:
        """Whether all values of a page are in its buffers."""
        try:
            kind = self.layout(number).WhichOneof("layout")
        except ByteloomError:
            return False
        return kind in {"mini_block_layout", "full_zip_layout"}

    def ease(self, row: int) -> int:
        """Return how many times as fast as others a row is decoded: packed integers are."""
        number = self._number(row)
        layout = self.layout(number).mini_block_layout
        is_packed = layout.value_compression.WhichOneof("compression") == "inline_bitpacking"
        has_levels = layout.HasField("rep_compression") or layout.HasField("def_compression")
        if not is_packed or has_levels or layout.HasField("dictionary"):
            return 1
        return _EASE if _EASE * self.bytes_of(number) <= self._decoded_bytes(number) else 1

    # Opening pages

    def _checked(self, found: pa.Array, number: int) -> pa.Array:
        """All rows of a page."""
        return self._of_length(found, self._rows(number), number)

    def _of_length(self, found: pa.Array, count: int, number: int) -> pa.Array:
        page = self._pages[number]
        if len(found) != count:
            raise FormatError(f"{page.path}.length", page.at, f"{len(found)} rows", f"{count}")
        return found

    def _open(self, number: int) -> _Page:
        if self._opened[0] != number or self._opened[1] is None:
            self._opened = (number, self._opened_page(number))
        found = self._opened[1]
        assert found is not None  # noqa: S101  it was just opened
        return found

    def _opened_page(self, number: int) -> _Page:
        page = self._pages[number]
        layout = self.layout(number)
        kind = layout.WhichOneof("layout")
        if kind is None:
            raise FormatError(f"{page.path}.encoding", page.at, "nothing", "a layout")
        stored = self.stored(number)
        if kind == "mini_block_layout":
            is_early = has_early_chunks(page, self.limits)
            layouts = [layout.mini_block_layout]
            return MiniBlockPages([stored], layouts, self.type, has_early_chunks=is_early)
        made: _Page = _LAYOUTS[kind](stored, getattr(layout, kind), self.type)
        return made


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
