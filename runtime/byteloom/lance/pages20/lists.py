"""Lists of version 2.0: a column with their ends, and a field of their items.

Source: https://lance.org/format/file/encoding/
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError, Unsupported
from byteloom.lance.pages20.buffers import numbers_of, text_array
from byteloom.lance.reading import joined

if TYPE_CHECKING:
    from byteloom.lance.pages20.arrays import Node
    from byteloom.lance.pages20.leaf import ColumnPages
    from byteloom.lance.reading import FieldReader

__all__ = ["ListEnds", "ListReader"]

_BYTE: Final = 8


@dataclass(frozen=True, slots=True)
class ListEnds:
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


class ListReader:
    """A field of lists, or of text that is stored as lists of bytes."""

    def __init__(self, pages: ColumnPages, items: FieldReader, type_: pa.DataType) -> None:
        """Read lists of *type_*; opened *pages* are `ListEnds`."""
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
