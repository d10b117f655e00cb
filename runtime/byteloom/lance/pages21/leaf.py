"""A column from version 2.1 on: the leaf of a field, with all layers around it.

- Pages that were decoded whole are kept until later ones are read: a scan in small batches decodes
  each page once, and its batches are slices of the array of several pages.
- Rows by number are read from all pages of one layout together.  A group with any damage is read
  page by page, so that errors name the page.

Source: https://lance.org/format/file/encoding/
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import pyarrow as pa

from byteloom.errors import ByteloomError, FormatError
from byteloom.lance.encodings import EARLY_PAGE_LAYOUT, has_early_chunks, page_layout
from byteloom.lance.held import Held
from byteloom.lance.pages21.blob import BlobPage
from byteloom.lance.pages21.constant import ConstantPage
from byteloom.lance.pages21.full_zip import FullZipPage
from byteloom.lance.pages21.mini_block import MiniBlockPages
from byteloom.lance.pages21.stored import StoredPage, fetch_together
from byteloom.lance.pages21.together import MOST_OF_GROUP, decoded_run, shape_of
from byteloom.lance.rows_at import rows_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.lance.ahead import PagesAhead
    from byteloom.lance.column_metadata import Column
    from byteloom.limits import Limits
    from byteloom.storage import Source
    from byteloom_generated.lance.encodings21 import MiniBlockLayout, PageLayout

__all__ = ["Leaf21"]

_Page: TypeAlias = MiniBlockPages | ConstantPage | FullZipPage | BlobPage

_RANGE: Final = 1 << 12
"""Bytes that are read in the time of a request for a range."""

_SMALL: Final = 1 << 20
"""Most bytes of pages that are read whole for some of their rows."""

_MOST_OF_ROW: Final = 1 << 15
"""Estimated bytes of a chunk; most chunks have fewer."""

_BYTE: Final = 8
_TEXT: Final = 16
"""Bytes of a value of any length, about."""

_EASE: Final = 4
"""How many times as fast as others packed integers are decoded, if they have as few bits."""

_LAYOUTS: Final[dict[str, Any]] = {
    "constant_layout": ConstantPage,
    "full_zip_layout": FullZipPage,
    "blob_layout": BlobPage,
}


class Leaf21:
    """A column as an array of its top-level field, narrowed to this leaf.

    type    type of the array: structs in it have one field, down to the leaf
    length  number of rows
    starts  the first row of each page
    source  what reads its pages
    limits  what reading may cost
    ahead   what decodes its large pages in threads while a scan runs; usually None
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
        self._held = Held()
        self._shapes: dict[int, tuple[MiniBlockLayout, bytes]] = {}
        self._fetched: tuple[int, StoredPage | None] = (-1, None)
        self.ahead: PagesAhead | None = None

    def of(self, source: Source) -> Leaf21:
        """Return the leaf of another file that has the same metadata."""
        found = Leaf21.__new__(Leaf21)
        found.__dict__.update(self.__dict__)
        found.source, found._held = source, Held()  # noqa: SLF001  of a copy of this one
        found._opened = found._fetched = (-1, None)  # noqa: SLF001
        found.ahead = None
        return found

    def read(self, start: int, stop: int) -> pa.Array:
        """Return the rows from *start* up to *stop*.

        raises  `FormatError` for damage, `Unsupported`, `LimitExceeded`
        """
        found = self._held.part(start, stop) if start < stop else None
        if found is not None:
            return found
        parts = []
        while start < stop:
            last = min(stop, self.end_of(start))
            parts.append(self._range(start, last))
            start = last
        return self._joined(parts)

    def end_of(self, start: int) -> int:
        """Return the row up to which rows from *start* on are decoded together.

        Those that a thread decodes are waited for: if they are damaged, pages are read one by one.
        """
        if self.ahead is not None and self._held.at(start) is None:
            self._held.clear()
            for first, rows in self.ahead.take(self, start):
                self._held.keep(first, rows)
        held = self._held.at(start)
        if held is not None:
            return held[1]
        number = self._number(start)
        return self.starts[number] + self._rows(number)

    def take(self, rows: np.ndarray) -> pa.Array:
        """Return rows by their numbers, which ascend."""
        cuts = [0, *np.searchsorted(rows, self.starts[1:]).tolist(), len(rows)]
        rows = np.asarray(rows, np.int64)
        wanted = {
            number: rows[a:b] - self.starts[number]
            for number, (a, b) in enumerate(pairwise(cuts))
            if a < b
        }
        return self._joined([part for group in self._groups(wanted) for part in self._taken(group)])

    # Its pages, which may be decoded with those of other columns

    def undecoded(self, start: int, stop: int, room: int = 0) -> list[int]:
        """Return the numbers of pages with the rows from *start* up to *stop*, *stop* > *start*.

        Empty if the first need not be decoded, or if a release before 0.33 wrote it.

        room  bytes of decoded pages after the first; if 0, one page has to have all rows
        """
        if not self._pages or self._is_ahead(start) or self._held.at(start) is not None:
            return []
        number = self._number(start)
        if self._is_early(number):
            return []
        if not room:
            return [number] if stop <= self.starts[number] + self._rows(number) else []
        found = [number]
        for each in range(number + 1, bisect_left(self.starts, stop)):
            room -= self._decoded_bytes(each)
            if room < 0 or self._is_early(each) or self._is_ahead(self.starts[each]):
                break
            found.append(each)
        return found

    def units(self, start: int, stop: int, batch: int) -> list[tuple[int, int, int]]:
        """Return the pages with rows from *start* up to *stop* that threads may decode.

        Each is given by its first row, the row after its last, and the bytes of its decoded rows,
        about.
        """
        del batch
        if self.is_remote or not self._pages:
            return []
        numbers = range(self._number(start), bisect_left(self.starts, stop))
        firsts = self.starts
        return [
            (firsts[each], firsts[each] + self._rows(each), self._decoded_bytes(each))
            for each in numbers
            if self._is_of_chunks(each)
        ]

    def ease(self, row: int) -> int:
        """Return how many times as fast as others a row is decoded: packed integers are."""
        layout = self.layout(self._number(row)).mini_block_layout
        is_packed = layout.value_compression.WhichOneof("compression") == "inline_bitpacking"
        has_levels = layout.HasField("rep_compression") or layout.HasField("def_compression")
        if not is_packed or has_levels or layout.HasField("dictionary"):
            return 1
        number = self._number(row)
        return _EASE if _EASE * self.bytes_of(number) <= self._decoded_bytes(number) else 1

    def _decoded_bytes(self, number: int) -> int:
        """The bytes of the decoded rows of a page, about."""
        return max(self.bytes_of(number), self._rows(number) * self._width)

    def _is_of_chunks(self, number: int) -> bool:
        """Whether all values of a page are in its buffers, by today's layouts."""
        if self._is_early(number):
            return False
        try:
            kind = self.layout(number).WhichOneof("layout")
        except ByteloomError:
            return False
        return kind in {"mini_block_layout", "full_zip_layout"}

    def decoded(self, first: int, stop: int) -> list[tuple[int, pa.Array]]:
        """Return the rows of pages, and keep nothing: it may be called by any thread."""
        numbers = range(self._number(first), bisect_left(self.starts, stop))
        found = decoded_run(self, numbers)
        if found is not None:
            return [(first, self._of_length(found, stop - first, numbers[0]))]
        return [
            (self.starts[each], self._checked(self._opened_page(each).whole(), each))
            for each in numbers
        ]

    def _is_ahead(self, row: int) -> bool:
        """Whether a thread decodes a row."""
        return self.ahead is not None and self.ahead.end(self, row) is not None

    def _number(self, row: int) -> int:
        """The number of the page that has a row."""
        return bisect_right(self.starts, row) - 1

    def _is_early(self, number: int) -> bool:
        """Whether a release before 0.33 wrote a page."""
        return self._pages[number].encoding.type == EARLY_PAGE_LAYOUT

    @property
    def has_one_page(self) -> bool:
        """Whether all rows are in one page, which may be decoded with others."""
        return len(self._pages) == 1 and not self._is_early(0)

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

        The shape is empty for a page that is read alone.
        """
        found = self._shapes.get(number)
        if found is None:
            layout, data = self.layout(number), self._pages[number].encoding.data
            found = layout.mini_block_layout, shape_of(layout, data, self.type)
            self._shapes[number] = found
        return found

    def keep(self, number: int, rows: pa.Array) -> None:
        """Keep all rows of a page that was decoded with others, or of several."""
        self._held.keep(self.starts[number], rows)

    # Reading rows

    def _groups(self, wanted: dict[int, np.ndarray]) -> Iterator[dict[int, np.ndarray]]:
        """Yield pages that are read together, each with the rows that are wanted of it."""
        group: dict[int, np.ndarray] = {}
        shape, left = b"", 0
        for number, rows in wanted.items():
            is_alone = self._is_held(number) or self._is_early(number)
            own = b"" if is_alone else self.shape(number)[1]
            size = min(self.bytes_of(number), len(rows) * _MOST_OF_ROW)
            if group and (not own or own != shape or size > left):
                yield group
                group = {}
            if not group:
                shape, left = own, MOST_OF_GROUP
            group[number] = rows
            left -= size
        if group:
            yield group

    def _taken(self, group: dict[int, np.ndarray]) -> list[pa.Array]:
        """The rows of a group of pages."""
        numbers = list(group)
        if len(numbers) == 1:
            return [self._chosen(numbers[0], group[numbers[0]])]
        counts = [self._rows(number) for number in numbers]
        before = np.cumsum(counts) - counts
        rows = np.concatenate([group[n] + b for n, b in zip(numbers, before, strict=True)])
        try:
            stored = [self.stored(each) for each in numbers]
            layouts = [self.layout(each).mini_block_layout for each in numbers]
            size = sum(map(self.bytes_of, numbers))
            if size <= min(len(rows) * _RANGE, _SMALL) and not self.is_remote:
                fetch_together(stored)
            found = MiniBlockPages(stored, layouts, self.type).take(rows)
        except ByteloomError:
            return [self._chosen(number, each) for number, each in group.items()]
        return [found]

    def _rows(self, number: int) -> int:
        """The rows of a page."""
        return self._pages[number].length // self._size

    def _joined(self, parts: list[pa.Array]) -> pa.Array:
        if len(parts) == 1:
            return parts[0]
        return pa.concat_arrays(parts) if parts else pa.array([], self.type)

    def _range(self, start: int, stop: int) -> pa.Array:
        """Rows that are decoded together."""
        found = self._held.part(start, stop)
        if found is not None:
            return found
        number = self._number(start)
        page = self._open(number)
        if isinstance(page, ConstantPage) and page.is_plain:
            return self._of_length(page.rows(stop - start), stop - start, number)
        self._held.clear()
        self.keep(number, self._checked(page.whole(), number))
        rows = self._held.part(start, stop)
        assert rows is not None  # noqa: S101  a page has all rows up to its end
        return rows

    def _chosen(self, number: int, rows: np.ndarray) -> pa.Array:
        """Ascending rows of a page, by their numbers in it."""
        held = self._held.at(self.starts[number])
        if held is not None:
            return rows_at(held[2], rows + (self.starts[number] - held[0]))
        return self._of_length(self._open(number).take(rows), len(rows), number)

    def _is_held(self, number: int) -> bool:
        """Whether the rows of a page are held, all of them."""
        return self._held.at(self.starts[number]) is not None

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
