"""Fields of version 2.0, each read from its columns.

- A field without children is read from the pages of its column.  The last page is kept, so that a
  scan decodes each page once.
- A list has a column with the ends of its lists, and its items are a field of their own; the
  column of a struct has only the number of rows.
- Where releases through 0.27.2 wrote structs in parts, each page of their fields has the whole
  struct, so reading one of them is enough.

Source: https://lance.org/format/file/encoding/
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError, Unsupported
from byteloom.lance.encodings import array_encoding
from byteloom.lance.pages20.buffers import numbers_of, text_array
from byteloom.lance.pages20.building import PageNodes
from byteloom.lance.pages20.order import is_reversed
from byteloom.lance.pages21.stored import StoredPage
from byteloom.lance.reading import (
    FieldReader,
    first_rows,
    joined,
    leaves_of,
    repeats,
    starts_of,
)
from byteloom.lance.rows_at import rows_at
from byteloom.lance.types import arrow_field
from byteloom.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from byteloom.lance.column_metadata import Column, Page
    from byteloom.lance.fields import Field
    from byteloom.lance.pages20.arrays import Node
    from byteloom.lance.reader import LanceFile
    from byteloom.lance.reading import LeafRows
    from byteloom.limits import Limits

__all__ = ["field_reader"]

_BYTE: Final = 8
_TEXT: Final = ("string", "binary", "large_string", "large_binary")


class _Pages:
    """A column, page by page; the last decoded page is kept."""

    def __init__(self, column: Column, open_page: Callable[[Page], Any]) -> None:
        self.column, self._open_page = column, open_page
        self.length = column.length
        self.starts = [each.first for each in column.pages if each.length] or [0]
        self._pages = [each for each in column.pages if each.length]
        self._last: tuple[int, Any] = (-1, None)

    def pieces(self, start: int, stop: int) -> Iterator[tuple[Any, int, int]]:
        """Yield each page of a range of rows, opened, with the range inside the page."""
        if not 0 <= start <= stop <= self.length:
            found, wanted = f"rows {start} to {stop}", f"{self.length} rows"
            raise FormatError(self.column.path, self.column.at, wanted, found)
        number = bisect_right(self.starts, start) - 1
        while start < stop:
            page = self._pages[number]
            last = min(stop, page.first + page.length)
            yield self.page(number), start - page.first, last - page.first
            start, number = last, number + 1

    def groups(self, rows: np.ndarray) -> Iterator[tuple[Any, np.ndarray]]:
        """Yield each page of ascending rows, opened, with the rows inside the page."""
        if len(rows) and not 0 <= rows[0] <= rows[-1] < self.length:
            wanted = f"rows of {self.length}"
            raise FormatError(self.column.path, self.column.at, f"row {rows[-1]}", wanted)
        cuts = np.searchsorted(rows, [*self.starts[1:]])
        for number, part in enumerate(np.split(rows, cuts)):
            if len(part):
                yield self.page(number), part - self.starts[number]

    def number(self, start: int, stop: int) -> int | None:
        """Return the number of the page that has all rows from *start* up to *stop*; None if none.

        *stop* is above *start*.
        """
        number = bisect_right(self.starts, start) - 1
        if not 0 <= number < len(self._pages):
            return None
        page = self._pages[number]
        return number if start >= page.first and stop <= page.first + page.length else None

    def stored(self, number: int) -> Page:
        """Return a page as it is described."""
        return self._pages[number]

    def page(self, number: int) -> Any:
        """Return a page, opened."""
        if self._last[0] != number:
            self._last = number, self._open_page(self._pages[number])
        return self._last[1]


class LeafReader:
    """A field that has one column."""

    def __init__(self, pages: _Pages, type_: pa.DataType, file: LanceFile | None = None) -> None:
        """Read values of *type_*; opened *pages* are nodes.

        file  the file, if pages may be decoded with those of other leaves
        """
        self._pages, self.type, self._file = pages, type_, file
        self.length, self.starts = pages.length, pages.starts
        self._kept: tuple[int, int, pa.Array] | None = None

    def read(self, start: int, stop: int) -> pa.Array:
        """Return the rows from *start* up to *stop*."""
        found = self._part(start, stop)
        if found is not None:
            return found
        return joined(self.type, [_slice(*each) for each in self._pages.pieces(start, stop)])

    def _part(self, start: int, stop: int) -> pa.Array | None:
        """Rows of the page that was decoded with others; None if it lacks any of them."""
        if self._kept is None:
            return None
        first, end, rows = self._kept
        return rows.slice(start - first, stop - start) if first <= start <= stop <= end else None

    # Its pages, which may be decoded with those of other columns

    @property
    def form(self) -> _LeafForm | None:
        """What makes the reader in other files; None if its pages are not decoded with others."""
        return None if self._file is None else _LeafForm(self._pages.column, self.type)

    def leaves(self, start: int, stop: int) -> Iterator[tuple[LeafReader, int, int]]:
        """Yield this leaf, if its pages may be decoded with others."""
        if self._file is not None:
            yield self, start, stop

    def of_leaves(self, parts: list[pa.Array]) -> pa.Array:
        """Return the array of the field, from that of its leaf."""
        return parts[0]

    @property
    def limits(self) -> Limits:
        """What reading may cost."""
        return DEFAULT_LIMITS if self._file is None else self._file.limits

    @property
    def has_one_page(self) -> bool:
        """Whether all rows are in one page."""
        return len(self.starts) == 1 and self.length > 0

    def undecoded(self, start: int, stop: int) -> int | None:
        """Return the number of the page with the rows from *start* up to *stop*, *stop* > *start*.

        None if there is no such page, or it need not be decoded.
        """
        return None if self._part(start, stop) is not None else self._pages.number(start, stop)

    def bytes_of(self, number: int) -> int:
        """Return the bytes of all buffers of a page."""
        return sum(size for _, size in self._pages.stored(number).buffers)

    def encoded(self, number: int) -> bytes:
        """Return the encoding of a page, as it is stored."""
        return self._pages.stored(number).encoding.data

    def stored(self, number: int) -> StoredPage:
        """Return a page to fetch."""
        assert self._file is not None  # noqa: S101  only such leaves are decoded with others
        return StoredPage(self._pages.stored(number), self._file.data, self._file.limits)

    def keep(self, number: int, rows: pa.Array) -> None:
        """Keep all rows of a page that was decoded with others."""
        page = self._pages.stored(number)
        self._kept = page.first, page.first + page.length, rows

    def take(self, rows: np.ndarray) -> pa.Array:
        """Return rows by their numbers, which ascend."""
        if len(rows):
            found = self._part(int(rows[0]), int(rows[-1]) + 1)
            if found is not None:
                return rows_at(found, rows - rows[0])
        return joined(self.type, [node.take(own) for node, own in self._pages.groups(rows)])


@dataclass(frozen=True, slots=True)
class _LeafForm:
    """What readers of a field in files with the same metadata share."""

    column: Column
    type: pa.DataType

    def of(self, file: LanceFile) -> LeafReader:
        """Return the reader in *file*."""
        return _Builder(file).leaf(self.column, self.type, file)


@dataclass(frozen=True, slots=True)
class _Ends:
    """Where the lists of a page end.

    ends        a node of the ends as they are stored
    adjustment  the number added to the end of a null list
    first       the item that the first list of the page begins with
    count       items of the page
    """

    ends: Node
    adjustment: int
    first: int
    count: int
    path: str
    at: int

    def ranges(self, start: int, stop: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the offsets of a range of lists among all items, and which lists are not null."""
        if start:
            base = (start - 1) // _BYTE * _BYTE
            stored = numbers_of(self.ends.slice(base, stop))[start - 1 - base :]
        else:
            stored = np.concatenate([[0], numbers_of(self.ends.slice(0, stop))])
        return self._plain(stored) + self.first, stored[1:] < self.adjustment

    def _plain(self, stored: np.ndarray) -> np.ndarray:
        is_plain = 0 <= stored.min() <= stored.max() < self.adjustment
        plain = stored if is_plain else stored % self.adjustment
        sound = (plain[1:] >= plain[:-1]).all() and int(plain[-1]) <= self.count
        if not sound:
            wanted = f"ends that ascend up to {self.count}"
            raise FormatError(self.path, self.at, "other ends of lists", wanted)
        return plain

    def taken(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return for each list its first item, its number of items, and whether it is not null."""
        numbers = np.union1d(rows, np.maximum(rows - 1, 0))
        stored = numbers_of(self.ends.take(numbers))
        plain = self._plain(stored)
        at = np.searchsorted(numbers, rows)
        before = np.where(rows > 0, plain[np.maximum(at - 1, 0)], 0)
        return before + self.first, plain[at] - before, stored[at] < self.adjustment


class ListReader:
    """A field of lists, or of text that is stored as lists of bytes."""

    def __init__(self, pages: _Pages, items: FieldReader, type_: pa.DataType) -> None:
        """Read lists of *type_*; opened *pages* are `_Ends`."""
        self._pages, self._items, self.type = pages, items, type_
        self.length, self.starts = pages.length, pages.starts

    def read(self, start: int, stop: int) -> pa.Array:
        """Return the rows from *start* up to *stop*."""
        parts = []
        for ends, first, last in self._pages.pieces(start, stop):
            offsets, valid = ends.ranges(first, last)
            items = self._items.read(int(offsets[0]), int(offsets[-1]))
            parts.append(self._lists(offsets - offsets[0], items, valid, ends))
        return joined(self.type, parts)

    def take(self, rows: np.ndarray) -> pa.Array:
        """Return rows by their numbers, which ascend."""
        parts = []
        for ends, own in self._pages.groups(rows):
            starts, sizes, valid = ends.taken(own)
            offsets = np.concatenate([[0], np.cumsum(sizes)])
            numbers = np.repeat(starts - offsets[:-1], sizes) + np.arange(offsets[-1])
            parts.append(self._lists(offsets, self._items.take(numbers), valid, ends))
        return joined(self.type, parts)

    def _lists(
        self, offsets: np.ndarray, items: pa.Array, valid: np.ndarray, ends: _Ends
    ) -> pa.Array:
        if not pa.types.is_nested(self.type):
            data = items.buffers()[1].slice(items.offset, len(items))
            place = (ends.path, ends.at)
            return text_array(self.type, offsets, data, None if valid.all() else valid, place)
        is_large = pa.types.is_large_list(self.type)
        if not is_large and int(offsets[-1]) >= 1 << 31:
            wanted = "at most 2147483647 items at a time"
            raise Unsupported(ends.path, ends.at, f"{offsets[-1]} items of lists", wanted)
        stored = pa.py_buffer(offsets.astype(np.int64 if is_large else np.int32))
        bitmap = None if valid.all() else pa.py_buffer(np.packbits(valid, bitorder="little"))
        buffers = [bitmap, stored]
        return pa.Array.from_buffers(self.type, len(valid), buffers, children=[items])


class StructReader:
    """A field of structs, which are never null."""

    def __init__(self, length: int, children: list[FieldReader], type_: pa.StructType) -> None:
        """Combine *children*."""
        self.length, self._children, self.type = length, children, type_
        self.starts = starts_of(children)

    def leaves(self, start: int, stop: int) -> Iterator[LeafRows]:
        """Yield the leaves that read these rows."""
        return leaves_of(self._children, start, stop)

    def read(self, start: int, stop: int) -> pa.Array:
        """Return the rows from *start* up to *stop*."""
        return self._structs([each.read(start, stop) for each in self._children], stop - start)

    def take(self, rows: np.ndarray) -> pa.Array:
        """Return rows by their numbers, which ascend."""
        return self._structs([each.take(rows) for each in self._children], len(rows))

    def _structs(self, children: list[pa.Array], count: int) -> pa.Array:
        return pa.Array.from_buffers(self.type, count, [None], children=children)


class BlobReader:
    """A field of bytes outside pages; its column has their places."""

    def __init__(self, places: LeafReader, file: LanceFile, path: str, type_: pa.DataType) -> None:
        """Read *places*, structs of a position and a size, of bytes of *type_*."""
        self._places, self._file, self._path, self._type = places, file, path, type_
        self.length, self.starts = places.length, places.starts

    def read(self, start: int, stop: int) -> pa.Array:
        """Return the rows from *start* up to *stop*."""
        return self._bytes(self._places.read(start, stop))

    def take(self, rows: np.ndarray) -> pa.Array:
        """Return rows by their numbers, which ascend."""
        return self._bytes(self._places.take(rows))

    def _bytes(self, places: pa.Array) -> pa.Array:
        positions, sizes = (numbers_of(places.field(each)) for each in (0, 1))
        size = self._file.size
        sound = (positions >= 0) & (sizes >= 0) & (sizes <= size) & (positions <= size - sizes)
        if not sound.all() or int(sizes.sum()) > size:
            raise FormatError(
                self._path, None, "a blob outside of the file", f"{size} bytes in all"
            )
        ranges = list(zip(positions.tolist(), sizes.tolist(), strict=True))
        data = self._file.source.read_ranges([each for each in ranges if each[1]])
        parts = iter(data)
        values = [
            next(parts) if length else (None if position else b"") for position, length in ranges
        ]
        return pa.array(values, self._type)


def field_reader(file: LanceFile, field: Field) -> FieldReader:
    """Return a reader of *field* in a file whose pages have array encodings."""
    return _Builder(file).reader(field)


class _Builder:
    """Makes the readers of fields."""

    def __init__(self, file: LanceFile) -> None:
        self._file, self._map = file, file.column_map
        self._is_reversed = is_reversed(file)

    def reader(self, field: Field) -> FieldReader:
        """Return the reader of a field."""
        number = self._map.number(field)
        column = self._file.columns([number])[0]
        type_ = arrow_field(field).type
        if field.type in _TEXT and self._map.text_is_lists:
            texts = self.leaf(self._file.columns([number + 1])[0], pa.uint8())
            return ListReader(_Pages(column, self._ends(column)), texts, type_)
        if field.is_blob and self._has_places(column):
            place = pa.struct([("position", pa.uint64()), ("size", pa.uint64())])
            return BlobReader(self.leaf(column, place), self._file, column.path, type_)
        if field.is_list:
            items = self.reader(field.children[0])
            return ListReader(_Pages(column, self._ends(column)), items, type_)
        if field.is_struct and (self._map.packed_is_split or not field.is_packed):
            children = [_of_struct(self.reader(each), column) for each in field.children]
            return StructReader(column.length, children, type_)
        return self.leaf(column, type_, None if self._is_reversed else self._file)

    def _has_places(self, column: Column) -> bool:
        """Whether pages have the places of blobs, not their bytes, as through release 0.15."""
        kinds = {
            array_encoding(each, self._file.limits).WhichOneof("array_encoding")
            for each in column.pages
        }
        return "packed_struct" in kinds

    def leaf(self, column: Column, type_: pa.DataType, file: LanceFile | None = None) -> LeafReader:
        """Return the reader of values of one column; *file* if others may be decoded with them."""

        def opened(page: Page) -> Node:
            nodes = self._nodes(page)
            return nodes.node(array_encoding(page, self._file.limits), type_, page.length)

        return LeafReader(_Pages(column, opened), type_, file)

    def _ends(self, column: Column) -> Callable[[Page], _Ends]:
        """Returns a function that opens pages of the ends of lists."""
        first, items = {}, 0
        for page in column.pages:
            first[page.path] = items
            items += self._list(page).num_items

        def opened(page: Page) -> _Ends:
            lists = self._list(page)
            ends = self._nodes(page).node(lists.offsets, pa.uint64(), page.length)
            adjustment = lists.null_offset_adjustment
            if not lists.num_items < adjustment < 1 << 62:
                path, wanted = f"{page.path}.encoding.list", f"more than {lists.num_items}"
                raise FormatError(path, page.at, f"null_offset_adjustment {adjustment}", wanted)
            return _Ends(ends, adjustment, first[page.path], lists.num_items, page.path, page.at)

        return opened

    def _list(self, page: Page) -> Any:
        encoding = array_encoding(page, self._file.limits)
        kind = encoding.WhichOneof("array_encoding")
        if kind != "list":
            path = f"{page.path}.encoding"
            raise Unsupported(path, page.at, kind or "no encoding", "an encoding of lists")
        return encoding.list

    def _nodes(self, page: Page) -> PageNodes:
        return PageNodes(page, self._file.source, self._file.limits, self._is_reversed)


def _of_struct(child: FieldReader, header: Column) -> FieldReader:
    """The reader of a struct's field, which may have all rows several times."""
    if not repeats(child.length, header.length):
        wanted = f"{header.length}, as the struct"
        raise FormatError(header.path, header.at, f"a field of {child.length} rows", wanted)
    return first_rows(child, header.length)


def _slice(node: Node, start: int, stop: int) -> pa.Array:
    """A range of a node's values, wherever it begins."""
    base = start // _BYTE * _BYTE
    return node.slice(base, stop).slice(start - base)
