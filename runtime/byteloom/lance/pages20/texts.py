"""Encodings of text and bytes of any length, and dictionaries, as nodes that give Arrow arrays.

Source: https://lance.org/format/file/encoding/
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError
from byteloom.lance.arrays import items_at
from byteloom.lance.pages20.arrays import Fixed, Node, numbers_of, text_array
from byteloom.lance.pages21.symbols import text_of
from byteloom.lance.pages21.values import Variable

if TYPE_CHECKING:
    from byteloom.lance.pages20.stored import Stored

__all__ = ["CodedTexts", "Dictionary", "FixedTexts", "TextDictionary", "Texts"]

_BYTE = 8


class Texts(Node):
    """Text or bytes of any length: the end of each, and the bytes of all.

    Attributes:
        adjustment: The number added to the end of a null; 0 if nothing is null.
    """

    def __init__(self, type_: pa.DataType, ends: Node, data: Stored, adjustment: int) -> None:
        """Cut *data* at its *ends*, unsigned 64-bit integers."""
        self.type, self._ends, self._data, self._adjustment = type_, ends, data, adjustment

    def slice(self, start: int, stop: int) -> pa.Array:
        """Return the values, their bytes as they are stored."""
        offsets, valid = self._offsets(self._ends_of(start, stop))
        first, last = int(offsets[0]), int(offsets[-1])
        data = self._data.slice(first, last)
        if first:
            offsets = offsets - first
        return text_array(self.type, offsets, data, valid, self._data.place)

    def take(self, rows: np.ndarray) -> pa.Array:
        """Return the values, their bytes copied."""
        place = self._data.place
        ends = numbers_of(self._ends.take(rows), *place)
        before = numbers_of(self._ends.take(np.maximum(rows - 1, 0)), *place)
        before = np.where(rows > 0, self._plain(before), 0)
        plain = self._plain(ends)
        self._check(before, plain)
        sizes = plain - before
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        data = self._data.ranges(before, sizes)
        return text_array(self.type, offsets, data, self._valid(ends), self._data.place)

    def _ends_of(self, start: int, stop: int) -> np.ndarray:
        """The ends of a range of values, with the end of the value before them (or 0) in front."""
        if not start:
            ends = numbers_of(self._ends.slice(0, stop), *self._data.place)
            return np.concatenate([[0], ends])
        return numbers_of(self._ends.slice(start - _BYTE, stop), *self._data.place)[_BYTE - 1 :]

    def _offsets(self, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """Return offsets, and which values are not null; None for all."""
        is_plain = ends[0] >= 0 and (not self._adjustment or ends[-1] < self._adjustment)
        if is_plain and (ends[:-1] <= ends[1:]).all():
            return ends, None
        plain = self._plain(ends)
        self._check(plain[:-1], plain[1:])
        return plain, self._valid(ends[1:])

    def _valid(self, ends: np.ndarray) -> np.ndarray | None:
        if not self._adjustment:
            return None
        valid = ends < self._adjustment
        return None if valid.all() else valid

    def _plain(self, ends: np.ndarray) -> np.ndarray:
        if (
            not self._adjustment
            or not len(ends)
            or 0 <= ends.min() <= ends.max() < self._adjustment
        ):
            return ends  # division takes longer than everything else
        return ends % self._adjustment

    def _check(self, before: np.ndarray, ends: np.ndarray) -> None:
        sound = before <= ends
        if sound.all() and (not len(before) or before.min() >= 0):
            return
        at = int(np.argmin(sound))
        found = f"a value from byte {before[at]} to {ends[at]}"
        raise FormatError(f"{self._data.path}", self._data.at, found, "ends that ascend")


class FixedTexts(Node):
    """Text or bytes of equal length."""

    def __init__(self, type_: pa.DataType, width: int, data: Stored) -> None:
        """Cut *data* into values of *width* bytes."""
        self.type, self._width, self._data = type_, width, data

    def slice(self, start: int, stop: int) -> pa.Array:
        """Return the values, their bytes as they are stored."""
        data = self._data.slice(start * self._width, stop * self._width)
        offsets = np.arange(stop - start + 1) * self._width
        return text_array(self.type, offsets, data, None, self._data.place)

    def take(self, rows: np.ndarray) -> pa.Array:
        """Return the values, their bytes copied."""
        data = self._data.rows(rows, self._width)
        offsets = np.arange(len(rows) + 1) * self._width
        return text_array(self.type, offsets, data, None, self._data.place)


class Dictionary(Node):
    """An Arrow dictionary: indices from 0 on; an item may be null, and so may an index."""

    def __init__(self, type_: pa.DictionaryType, indices: Node, items: Node, count: int) -> None:
        """Look up *indices* among *count* items."""
        self.type, self._indices, self._source, self._count = type_, indices, items, count

    @cached_property
    def _items(self) -> pa.Array:
        return self._source.slice(0, self._count)

    def slice(self, start: int, stop: int) -> pa.Array:
        """Return the indices with their items."""
        return self._array(self._indices.slice(start, stop))

    def take(self, rows: np.ndarray) -> pa.Array:
        """Return the indices with their items."""
        return self._array(self._indices.take(rows))

    def _array(self, indices: pa.Array) -> pa.Array:
        _check_indices(indices, len(self._items), self._indices)
        items = self._items
        if items.null_count:  # Arrow does not join dictionaries that have nulls
            present = items.is_valid().to_numpy(zero_copy_only=False)
            numbers = indices.fill_null(0).to_numpy(zero_copy_only=False)
            valid = present[numbers] & indices.is_valid().to_numpy(zero_copy_only=False)
            moved = (np.cumsum(present) - 1)[numbers]
            indices = pa.array(np.where(valid, moved, 0), indices.type, mask=~valid)
            items = items.drop_null()
        return pa.DictionaryArray.from_arrays(indices, items, ordered=self.type.ordered)


class TextDictionary(Node):
    """Text looked up by indices from 1 on; 0 is null."""

    def __init__(self, type_: pa.DataType, indices: Node, items: Node, count: int) -> None:
        """Look up *indices* among *count* items."""
        self.type, self._indices, self._source, self._count = type_, indices, items, count

    @cached_property
    def _items(self) -> pa.Array:
        """The items, after a null for index 0."""
        return pa.concat_arrays([pa.nulls(1, self.type), self._present])

    @cached_property
    def _present(self) -> pa.Array:
        """The items, the first of which has index 1."""
        return self._source.slice(0, self._count)

    def slice(self, start: int, stop: int) -> pa.Array:
        """Return the text itself."""
        return self._array(self._indices.slice(start, stop))

    def take(self, rows: np.ndarray) -> pa.Array:
        """Return the text itself."""
        return self._array(self._indices.take(rows))

    def _array(self, indices: pa.Array) -> pa.Array:
        numbers = _check_indices(indices, len(self._present) + 1, self._indices)
        if indices.null_count or not len(numbers) or not numbers.min():
            return self._items.take(indices)
        # No index is 0, that of null, so that items are looked up by a faster loop.
        return items_at(self._present, pa.array(numbers.astype(np.int64) - 1))


def _check_indices(indices: pa.Array, count: int, node: Node) -> np.ndarray:
    """Return indices as integers, with 0 for null; refuse those that are not below *count*."""
    plain = indices.fill_null(0) if indices.null_count else indices
    numbers: np.ndarray = plain.to_numpy(zero_copy_only=False)
    if len(numbers) and not (numbers.min() >= 0 and numbers.max() < count):
        stored = node.stored if isinstance(node, Fixed) else None
        path, at = (stored.path, stored.at) if stored is not None else ("indices", None)
        found = f"an index of {numbers.max() if numbers.min() >= 0 else numbers.min()}"
        raise FormatError(path, at, found, f"a number below {count}")
    return numbers


class CodedTexts(Node):
    """Text whose pieces are coded by a table of symbols."""

    def __init__(
        self, type_: pa.DataType, coded: Node, table: bytes, most: int, place: tuple[str, int]
    ) -> None:
        """Decode *coded*, large binary, by *table*.

        Args:
            most: Most bytes of the decoded text.
            place: The table's name in errors, and its offset.
        """
        self.type, self._coded, self._table = type_, coded, table
        self._most, self._place = most, place

    def slice(self, start: int, stop: int) -> pa.Array:
        """Return the text of a range."""
        return self._text(self._coded.slice(start, stop))

    def take(self, rows: np.ndarray) -> pa.Array:
        """Return text by its numbers."""
        return self._text(self._coded.take(rows))

    def _text(self, coded: pa.Array) -> pa.Array:
        _, offsets, data = coded.buffers()
        ends = np.frombuffer(offsets, np.int64, len(coded) + 1)
        stored = np.frombuffer(data, np.uint8) if data is not None else np.zeros(0, np.uint8)
        plain = text_of(self._table, Variable(ends, stored), self._place[0], self._most)
        valid = coded.is_valid().to_numpy(zero_copy_only=False) if coded.null_count else None
        text = pa.py_buffer(np.ascontiguousarray(plain.data))
        return text_array(self.type, plain.offsets, text, valid, self._place)
