"""Array encodings as nodes that give Arrow arrays.

- An encoding is a tree; each of its nodes becomes an object that gives rows of its page: a range of
  them, which begins at a multiple of eight, or some by their numbers.
- Arrays have no offset of their own, so that a validity bitmap can be put before their buffers.
- Fixed-width values are handed on as they are stored.

Source: https://lance.org/format/file/encoding/
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError, LimitExceeded, found_by

if TYPE_CHECKING:
    from byteloom.lance.pages20.stored import Stored
    from byteloom.limits import Limits

__all__ = [
    "AllNull",
    "Dictionary",
    "Fixed",
    "FixedLists",
    "FixedTexts",
    "Node",
    "Packed",
    "SomeNull",
    "TextDictionary",
    "Texts",
    "bits_of",
    "numbers_of",
    "text_array",
    "with_validity",
]

_BYTE = 8


class Node(ABC):
    """Values of a page."""

    type: pa.DataType

    @abstractmethod
    def slice(self, start: int, stop: int) -> pa.Array:
        """Return the values from *start*, a multiple of eight, up to *stop*."""

    @abstractmethod
    def take(self, rows: np.ndarray) -> pa.Array:
        """Return the values of these numbers."""


class Fixed(Node):
    """Values of one width: bits, or bytes."""

    def __init__(self, type_: pa.DataType, bits: int, stored: Stored) -> None:
        """Read values of *type_* from *stored*."""
        wanted = _width_of(type_)
        if bits != wanted:
            plain = f"{wanted} bits, of {type_}" if wanted else f"an encoding of {type_}"
            raise FormatError(f"{stored.path}.bits_per_value", stored.at, bits, plain)
        self.type, self.stored, self.width = type_, stored, bits // _BYTE

    def slice(self, start: int, stop: int) -> pa.Array:
        """Return the values as they are stored."""
        if not self.width:
            data = self.stored.slice(start // _BYTE, -(-stop // _BYTE))
        else:
            data = self.stored.slice(start * self.width, stop * self.width)
        return pa.Array.from_buffers(self.type, stop - start, [None, data])

    def take(self, rows: np.ndarray) -> pa.Array:
        """Return the values, copied."""
        if self.width:
            data = self.stored.rows(rows, self.width)
        else:
            last = int(rows.max()) + 1 if len(rows) else 0
            data = _packed(bits_of(self.stored.slice(0, -(-last // _BYTE)))[rows])
        return pa.Array.from_buffers(self.type, len(rows), [None, data])


class AllNull(Node):
    """Nothing but nulls, which take no bytes."""

    def __init__(self, type_: pa.DataType, limits: Limits, path: str) -> None:
        """Give no more nulls at a time than the limits allow."""
        self.type, self._limits, self._path = type_, limits, path

    def slice(self, start: int, stop: int) -> pa.Array:
        """Return nulls."""
        most = self._limits.elements
        if stop - start > most and not pa.types.is_null(self.type):
            wanted = f"at most {most} (limits.elements)"
            raise LimitExceeded(self._path, None, f"{stop - start} nulls", wanted)
        return pa.nulls(stop - start, self.type)

    def take(self, rows: np.ndarray) -> pa.Array:
        """Return nulls."""
        return self.slice(0, len(rows))


class SomeNull(Node):
    """Values, and a bit for each that says whether it is there."""

    def __init__(self, valid: Node, values: Node) -> None:
        """Take values from one node, their validity from the other."""
        self.type, self._valid, self.values = values.type, valid, values

    def slice(self, start: int, stop: int) -> pa.Array:
        """Return the values, null where their bit is 0."""
        bits = self._valid.slice(start, stop).buffers()[1]
        return with_validity(self.values.slice(start, stop), bits)

    def take(self, rows: np.ndarray) -> pa.Array:
        """Return the values, null where their bit is 0."""
        return with_validity(self.values.take(rows), self._valid.take(rows).buffers()[1])


class FixedLists(Node):
    """Lists of the same number of items."""

    def __init__(self, type_: pa.FixedSizeListType, items: Node) -> None:
        """Cut the *items* into lists."""
        self.type, self._items, self._size = type_, items, type_.list_size

    def slice(self, start: int, stop: int) -> pa.Array:
        """Return the lists around their items."""
        items = self._items.slice(start * self._size, stop * self._size)
        return self._lists(items, stop - start)

    def take(self, rows: np.ndarray) -> pa.Array:
        """Return the lists around the items of each."""
        if isinstance(self._items, Fixed) and self._items.width:
            data = self._items.stored.rows(rows, self._items.width * self._size)
            count = len(rows) * self._size
            items = pa.Array.from_buffers(self._items.type, count, [None, data])
        else:
            numbers = rows[:, None] * self._size + np.arange(self._size)
            items = self._items.take(numbers.ravel())
        return self._lists(items, len(rows))

    def _lists(self, items: pa.Array, count: int) -> pa.Array:
        return pa.Array.from_buffers(self.type, count, [None], children=[items])


class Texts(Node):
    """Text or bytes of any length: where each ends, and the bytes of all.

    adjustment  what the end of a null is increased by; 0 where nothing is null
    """

    def __init__(self, type_: pa.DataType, ends: Node, data: Stored, adjustment: int) -> None:
        """Cut *data* at its *ends*, unsigned 64-bit integers."""
        self.type, self._ends, self._data, self._adjustment = type_, ends, data, adjustment

    def slice(self, start: int, stop: int) -> pa.Array:
        """Return the values, their bytes as they are stored."""
        offsets, valid = self._offsets(self._ends_of(start, stop))
        first, last = int(offsets[0]), int(offsets[-1])
        data = self._data.slice(first, last)
        return text_array(self.type, offsets - first, data, valid, self._data.place)

    def take(self, rows: np.ndarray) -> pa.Array:
        """Return the values, their bytes copied."""
        ends = numbers_of(self._ends.take(rows))
        before = numbers_of(self._ends.take(np.maximum(rows - 1, 0)))
        before = np.where(rows > 0, self._plain(before), 0)
        plain = self._plain(ends)
        self._check(before, plain)
        sizes = plain - before
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        data = self._data.ranges(before, sizes)
        return text_array(self.type, offsets, data, self._valid(ends), self._data.place)

    def _ends_of(self, start: int, stop: int) -> np.ndarray:
        """The ends of a range of values, after that of the value before them, or 0."""
        if not start:
            return np.concatenate([[0], numbers_of(self._ends.slice(0, stop))])
        return numbers_of(self._ends.slice(start - _BYTE, stop))[_BYTE - 1 :]

    def _offsets(self, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """Return offsets, and which values are there; None for all."""
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
            return ends  # division takes longer than all else
        return ends % self._adjustment

    def _check(self, before: np.ndarray, ends: np.ndarray) -> None:
        sound = before <= ends
        if sound.all() and (not len(before) or before.min() >= 0):
            return
        at = int(np.argmin(sound))
        found = f"a value from byte {before[at]} to {ends[at]}"
        raise FormatError(f"{self._data.path}", self._data.at, found, "ends that ascend")


class FixedTexts(Node):
    """Text or bytes that are all as long as each other."""

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
        """The items, after a null that index 0 stands for."""
        items = self._source.slice(0, self._count)
        return pa.concat_arrays([pa.nulls(1, self.type), items])

    def slice(self, start: int, stop: int) -> pa.Array:
        """Return the text itself."""
        return self._array(self._indices.slice(start, stop))

    def take(self, rows: np.ndarray) -> pa.Array:
        """Return the text itself."""
        return self._array(self._indices.take(rows))

    def _array(self, indices: pa.Array) -> pa.Array:
        _check_indices(indices, len(self._items), self._indices)
        return self._items.take(indices)


class Packed(Node):
    """Structs of fixed-width fields, row after row."""

    def __init__(self, type_: pa.StructType, widths: list[int], data: Stored) -> None:
        """Cut rows of *data* into fields of these *widths* in bytes."""
        self.type, self._widths, self._data = type_, widths, data
        self._row = sum(widths)

    def slice(self, start: int, stop: int) -> pa.Array:
        """Return the fields, copied apart."""
        return self._structs(self._data.slice(start * self._row, stop * self._row), stop - start)

    def take(self, rows: np.ndarray) -> pa.Array:
        """Return the fields, copied apart."""
        return self._structs(self._data.rows(rows, self._row), len(rows))

    def _structs(self, data: pa.Buffer, count: int) -> pa.Array:
        rows = np.frombuffer(data, np.uint8, count * self._row).reshape(count, self._row)
        children, at = [], 0
        for field, width in zip(self.type, self._widths, strict=True):
            part = np.ascontiguousarray(rows[:, at : at + width])
            children.append(_of_bytes(field.type, count, pa.py_buffer(part)))
            at += width
        return pa.Array.from_buffers(self.type, count, [None], children=children)


def _of_bytes(type_: pa.DataType, count: int, data: pa.Buffer) -> pa.Array:
    """Values of fixed width, or lists of a fixed size of such."""
    if not pa.types.is_fixed_size_list(type_):
        return pa.Array.from_buffers(type_, count, [None, data])
    items = _of_bytes(type_.value_type, count * type_.list_size, data)
    return pa.Array.from_buffers(type_, count, [None], children=[items])


def text_array(
    type_: pa.DataType,
    offsets: np.ndarray,
    data: pa.Buffer,
    valid: np.ndarray | None,
    place: tuple[str, int],
) -> pa.Array:
    """Return text or bytes; *offsets* begin with 0.

    place   what errors call them, and where they are
    raises  `FormatError` for invalid UTF-8, `LimitExceeded` for more than the type's offsets reach
    """
    is_large = pa.types.is_large_string(type_) or pa.types.is_large_binary(type_)
    if not is_large and len(offsets) and int(offsets[-1]) >= 1 << 31:
        found = f"{offsets[-1]} bytes of {type_}"
        raise LimitExceeded(*place, found, "at most 2147483647")
    plain = pa.large_binary() if is_large else pa.binary()
    stored = offsets.astype(np.int64 if is_large else np.int32)
    bitmap = None if valid is None else _packed(valid)
    buffers = [bitmap, pa.py_buffer(stored), data]
    array = pa.Array.from_buffers(plain, len(offsets) - 1, buffers)
    if plain == type_:
        return array
    try:
        return array.cast(type_)
    except pa.ArrowInvalid as error:
        raise FormatError(*place, found_by("other bytes", error), "text in UTF-8") from error


def with_validity(array: pa.Array, bitmap: pa.Buffer) -> pa.Array:
    """Return an array without an offset whose values are null where a bit is 0."""
    if pa.types.is_dictionary(array.type):
        indices = with_validity(array.indices, bitmap)
        return pa.DictionaryArray.from_arrays(indices, array.dictionary)
    own = array.buffers()[0]
    if own is not None:
        size = -(-len(array) // _BYTE)
        both = np.frombuffer(own, np.uint8, size) & np.frombuffer(bitmap, np.uint8, size)
        bitmap = pa.py_buffer(both)
    type_ = array.type
    if pa.types.is_fixed_size_list(type_):
        return pa.Array.from_buffers(type_, len(array), [bitmap], children=[array.values])
    if pa.types.is_struct(type_):
        children = [array.field(each) for each in range(type_.num_fields)]
        return pa.Array.from_buffers(type_, len(array), [bitmap], children=children)
    return pa.Array.from_buffers(type_, len(array), [bitmap, *array.buffers()[1:]])


def _width_of(type_: pa.DataType) -> int:
    """Bits of a value, all of which are as wide; 0 for other types."""
    is_fixed = pa.types.is_primitive(type_) or pa.types.is_decimal(type_)
    return type_.bit_width if is_fixed or pa.types.is_fixed_size_binary(type_) else 0


def bits_of(bitmap: pa.Buffer) -> np.ndarray:
    """Return the bits of a bitmap, the lowest of a byte first, as booleans."""
    return np.unpackbits(np.frombuffer(bitmap, np.uint8), bitorder="little").view(np.bool_)


def _packed(bits: np.ndarray) -> pa.Buffer:
    return pa.py_buffer(np.packbits(bits, bitorder="little"))


def numbers_of(array: pa.Array) -> np.ndarray:
    """Unsigned integers as signed ones of 64 bits."""
    found: np.ndarray = array.to_numpy(zero_copy_only=False)
    return found.view(np.int64) if found.dtype == np.uint64 else found.astype(np.int64)


def _check_indices(indices: pa.Array, count: int, node: Any) -> None:
    """Refuse indices that are not below *count*."""
    plain = indices.fill_null(0) if indices.null_count else indices
    numbers: np.ndarray = plain.to_numpy(zero_copy_only=False)
    if len(numbers) and not (numbers.min() >= 0 and numbers.max() < count):
        stored = getattr(node, "stored", None)
        path, at = (stored.path, stored.at) if stored is not None else ("indices", None)
        found = f"an index of {numbers.max() if numbers.min() >= 0 else numbers.min()}"
        raise FormatError(path, at, found, f"one below {count}")
