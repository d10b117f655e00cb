"""Array encodings as nodes that produce Arrow arrays, and arrays of the buffers of pages.

- An encoding is a tree; each of its nodes becomes an object that gives rows of its page: a range
  that begins at a multiple of eight, or rows by their numbers.
- Fixed-width values are passed on unchanged.
- Arrays have no offset of their own, so that a validity bitmap can be put before their buffers.

Source: https://lance.org/format/file/encoding/
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError, LimitExceeded, found_by
from byteloom.lance.types import width_of

if TYPE_CHECKING:
    from byteloom.lance.pages20.stored import Stored
    from byteloom.limits import Limits

__all__ = [
    "AllNull",
    "Fixed",
    "FixedLists",
    "Node",
    "Packed",
    "SomeNull",
    "bits_of",
    "fixed_array",
    "numbers_of",
    "packed",
    "text_array",
    "with_validity",
]

_BYTE = 8
_LAST_OF_ASCII = 127


def fixed_array(type_: pa.DataType, count: int, data: pa.Buffer) -> pa.Array:
    """Return values of fixed width, or fixed-size lists of them."""
    if not pa.types.is_fixed_size_list(type_):
        return pa.Array.from_buffers(type_, count, [None, data])
    items = fixed_array(type_.value_type, count * type_.list_size, data)
    return pa.Array.from_buffers(type_, count, [None], children=[items])


def text_array(
    type_: pa.DataType,
    offsets: np.ndarray,
    data: pa.Buffer,
    valid: np.ndarray | None,
    place: tuple[str, int],
) -> pa.Array:
    """Return text or bytes; *offsets* begin with 0.

    Args:
        place: Their name in errors, and their offset.

    Raises:
        FormatError: For invalid UTF-8.
        LimitExceeded: For more than the type's offsets reach.
    """
    is_large = pa.types.is_large_string(type_) or pa.types.is_large_binary(type_)
    if not is_large and len(offsets) and int(offsets[-1]) >= 1 << 31:
        found = f"{offsets[-1]} bytes of {type_}"
        raise LimitExceeded(*place, found, "at most 2147483647")
    plain = pa.large_binary() if is_large else pa.binary()
    stored = offsets.astype(np.int64 if is_large else np.int32)
    bitmap = None if valid is None else packed(valid)
    buffers = [bitmap, pa.py_buffer(stored), data]
    if plain == type_ or _is_ascii(data):
        return pa.Array.from_buffers(type_, len(offsets) - 1, buffers)
    array = pa.Array.from_buffers(plain, len(offsets) - 1, buffers)
    try:
        return array.cast(type_)
    except pa.ArrowInvalid as error:
        raise FormatError(*place, found_by("invalid UTF-8", error), "text in UTF-8") from error


def _is_ascii(data: pa.Buffer) -> bool:
    """Whether all bytes are ASCII, which needs no other check of UTF-8."""
    return not data.size or bool(np.frombuffer(data, np.uint8).max() <= _LAST_OF_ASCII)


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


def bits_of(bitmap: pa.Buffer) -> np.ndarray:
    """Return the bits of a bitmap, the lowest of a byte first, as booleans."""
    return np.unpackbits(np.frombuffer(bitmap, np.uint8), bitorder="little").view(np.bool_)


def packed(bits: np.ndarray) -> pa.Buffer:
    """Return a bitmap of booleans, the lowest bit of a byte first."""
    return pa.py_buffer(np.packbits(bits, bitorder="little"))


def numbers_of(array: pa.Array, path: str, at: int | None) -> np.ndarray:
    """Return unsigned integers as signed ones of 64 bits.

    Args:
        path: Their name in errors.
        at: Their place in errors.

    Raises:
        FormatError: Any of them is null.
    """
    if array.null_count:
        raise FormatError(path, at, "null", "the number of a byte or item")
    found: np.ndarray = array.to_numpy(zero_copy_only=False)
    return found.view(np.int64) if found.dtype == np.uint64 else found.astype(np.int64)


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
    """Values of fixed width: bits, or bytes."""

    def __init__(self, type_: pa.DataType, bits: int, stored: Stored) -> None:
        """Read values of *type_* from *stored*."""
        wanted = width_of(type_)
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
            data = packed(bits_of(self.stored.slice(0, -(-last // _BYTE)))[rows])
        return pa.Array.from_buffers(self.type, len(rows), [None, data])


class AllNull(Node):
    """Only nulls, which take no bytes."""

    def __init__(self, type_: pa.DataType, limits: Limits, path: str) -> None:
        """Set up nulls, of which one call returns at most what limits allow."""
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
    """Values, and a validity bit for each."""

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
        """Return the lists, with their items."""
        items = self._items.slice(start * self._size, stop * self._size)
        return self._lists(items, stop - start)

    def take(self, rows: np.ndarray) -> pa.Array:
        """Return the lists of these numbers, with their items."""
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


class Packed(Node):
    """Structs of fixed-width fields, row after row."""

    def __init__(self, type_: pa.StructType, widths: list[int], data: Stored) -> None:
        """Cut rows of *data* into fields of these *widths* in bytes."""
        self.type, self._widths, self._data = type_, widths, data
        self._row = sum(widths)

    def slice(self, start: int, stop: int) -> pa.Array:
        """Return the structs, with a copy of each field in an array of its own."""
        return self._structs(self._data.slice(start * self._row, stop * self._row), stop - start)

    def take(self, rows: np.ndarray) -> pa.Array:
        """Return the structs, with a copy of each field in an array of its own."""
        return self._structs(self._data.rows(rows, self._row), len(rows))

    def _structs(self, data: pa.Buffer, count: int) -> pa.Array:
        rows = np.frombuffer(data, np.uint8, count * self._row).reshape(count, self._row)
        children, at = [], 0
        for field, width in zip(self.type, self._widths, strict=True):
            part = np.ascontiguousarray(rows[:, at : at + width])
            children.append(fixed_array(field.type, count, pa.py_buffer(part)))
            at += width
        return pa.Array.from_buffers(self.type, count, [None], children=children)
