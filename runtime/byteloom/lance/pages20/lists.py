"""Lists of version 2.0: a column with their ends, and a field of their items.

Source: https://lance.org/format/file/encoding/
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError, Unsupported
from byteloom.lance.decoding import rows_of
from byteloom.lance.field_reading import OwnLeaf, Piece
from byteloom.lance.pages20.arrays import numbers_of, text_array

if TYPE_CHECKING:
    from collections.abc import Sequence

    from byteloom.lance.buffered_file import BufferedFile
    from byteloom.lance.field_reading import FileField, PagesFile, Rows
    from byteloom.lance.pages20.arrays import Node
    from byteloom.lance.pages20.leaf import ColumnPages

__all__ = ["ListEnds", "ListReader"]

_BYTE: Final = 8


@dataclass(frozen=True, slots=True)
class ListEnds:
    """Where the lists of a page end.

    Attributes:
        ends: A node of the ends as they are stored.
        adjustment: The number added to the end of a null list.
        first: The item that the first list of the page begins with.
        count: Items of the page.
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
            stored = self._numbers(self.ends.slice(base, stop))[start - 1 - base :]
        else:
            stored = np.concatenate([[0], self._numbers(self.ends.slice(0, stop))])
        return self._plain(stored) + self.first, stored[1:] < self.adjustment

    def _plain(self, stored: np.ndarray) -> np.ndarray:
        is_plain = 0 <= stored.min() <= stored.max() < self.adjustment
        plain = stored if is_plain else stored % self.adjustment
        sound = (plain[1:] >= plain[:-1]).all() and int(plain[-1]) <= self.count
        if not sound:
            wanted = f"ends that ascend up to {self.count}"
            raise FormatError(self.path, self.at, "ends that descend or are too large", wanted)
        return plain

    def taken(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return for each list its first item, its number of items, and whether it is not null."""
        numbers = np.union1d(rows, np.maximum(rows - 1, 0))
        stored = self._numbers(self.ends.take(numbers))
        plain = self._plain(stored)
        at = np.searchsorted(numbers, rows)
        before = np.where(rows > 0, plain[np.maximum(at - 1, 0)], 0)
        return before + self.first, plain[at] - before, stored[at] < self.adjustment

    def _numbers(self, ends: pa.Array) -> np.ndarray:
        return numbers_of(ends, self.path, self.at)


class ListReader(OwnLeaf):
    """A field of lists, or of text that is stored as lists of bytes.

    It is a leaf itself: only the ends of its lists say which items they have.
    """

    joins = True

    def __init__(self, pages: ColumnPages, items: FileField, type_: pa.DataType) -> None:
        """Read lists of *type_*; opened *pages* are `ListEnds`."""
        self._pages, self._items, self.type = pages, items, type_
        self.length = pages.length

    def of(self, file: PagesFile) -> ListReader:
        """Return the field of another file that has the same metadata."""
        return ListReader(self._pages.of(file), self._items.of(file), self.type)

    @property
    def source(self) -> BufferedFile:
        """What reads the pages of ends."""
        return self._pages.file.data

    @property
    def file_name(self) -> str | None:
        """The name of the file in errors."""
        return self._pages.file.file_name

    @property
    def width(self) -> int:
        """Bytes of a row in memory, about."""
        items = sum([each.width for each in self._items.leaves]) or 1
        return _BYTE + items * -(-self._items.length // max(self.length, 1))

    def pieces(self, rows: Rows, end: int | None = None) -> list[Piece]:
        """Return what has to be decoded for *rows*: those of each page; see `Leaf`."""
        pages, width = self._pages, self.width
        if isinstance(rows, range):
            return [
                Piece(self, at, pages.starts[at] + a, b - a, None, None, 0, (b - a) * width)
                for at, a, b in pages.parts(rows, end)
            ]
        return [
            Piece(self, at, pages.starts[at], len(own), own, None, 0, len(own) * width)
            for at, own in pages.numbered(rows)
        ]

    def ranges(self, piece: Piece) -> Sequence[tuple[int, int]]:
        """Return no range: items are found once the ends are read."""
        del piece
        return ()

    def decode(self, pieces: Sequence[Piece]) -> pa.Array:
        """Return the rows of a piece.

        Raises:
            FormatError: Pages are damaged.
            Unsupported: An encoding cannot be read.
            LimitExceeded: Pages need more than limits allow.
        """
        (piece,) = pieces
        ends: ListEnds = self._pages.page(piece.number)
        if piece.rows is not None:
            starts, sizes, valid = ends.taken(piece.rows)
            offsets = np.concatenate([[0], np.cumsum(sizes)])
            numbers = np.repeat(starts - offsets[:-1], sizes) + np.arange(offsets[-1])
            return self._lists(offsets, rows_of(self._items, numbers), valid, ends)
        first = piece.first - self._pages.starts[piece.number]
        offsets, valid = ends.ranges(first, first + piece.length)
        items = rows_of(self._items, range(int(offsets[0]), int(offsets[-1])))
        return self._lists(offsets - offsets[0], items, valid, ends)

    def _lists(
        self, offsets: np.ndarray, items: pa.Array, valid: np.ndarray, ends: ListEnds
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
