"""Values of a leaf as bytes: of one width with the bitmaps inside of them, or of any length.

Source: https://lance.org/format/file/encoding/#compressive-encodings
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from byteloom_generated.lance import encodings21 as e

__all__ = ["FixedValues", "Values", "VariableValues", "flat", "values_of"]

_BYTE = 8
_LARGE = frozenset({pa.large_string(), pa.large_binary()})
_TEXTS = frozenset({pa.string(), pa.binary(), *_LARGE})


@dataclass(frozen=True, slots=True)
class FixedValues:
    """Values of one width.

    count     how many
    encoding  what they are
    buffers   for each buffer the bits of a value in it, and the bytes of all values
    """

    count: int
    encoding: e.CompressiveEncoding
    buffers: list[tuple[int, np.ndarray]]

    @property
    def zipped_size(self) -> int:
        """Return the bytes of a value in a page of the layout FullZip."""
        return sum((bits + _BYTE - 1) // _BYTE for bits, _ in self.buffers)

    @property
    def largest(self) -> int:
        """Return the bytes of a value."""
        return self.zipped_size


@dataclass(frozen=True, slots=True)
class VariableValues:
    """Values of any length.

    offsets  where each begins in *data*, and where the last ends, from 0 on
    data     their bytes
    width    bytes of an offset in the file
    """

    offsets: np.ndarray
    data: np.ndarray
    width: int

    @property
    def count(self) -> int:
        """Return how many there are."""
        return len(self.offsets) - 1

    @property
    def encoding(self) -> e.CompressiveEncoding:
        """Return what they are."""
        return e.CompressiveEncoding(variable=e.Variable(offsets=flat(self.width * _BYTE)))

    @property
    def largest(self) -> int:
        """Return the bytes of the longest."""
        return int(np.diff(self.offsets).max(initial=0))


Values: TypeAlias = FixedValues | VariableValues


def flat(bits: int) -> e.CompressiveEncoding:
    """Return the encoding of values as they are, so many bits each."""
    return e.CompressiveEncoding(flat=e.Flat(bits_per_value=bits))


def values_of(array: pa.Array) -> Values:
    """Return the values of an array of a type without layers; those of nulls may be anything."""
    if array.type in _TEXTS:
        return _variable(array)
    encoding, buffers = _fixed(array)
    return FixedValues(len(array), encoding, buffers)


def _variable(array: pa.Array) -> VariableValues:
    width = 8 if array.type in _LARGE else 4
    _, offsets, data = array.buffers()
    if not len(array) or offsets is None:
        return VariableValues(np.zeros(len(array) + 1, np.int64), np.zeros(0, np.uint8), width)
    ends = np.frombuffer(offsets, f"<i{width}")[array.offset :][: len(array) + 1].astype(np.int64)
    stored = np.zeros(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)
    return VariableValues(ends - ends[0], stored[ends[0] : ends[-1]], width)


def _fixed(array: pa.Array) -> tuple[e.CompressiveEncoding, list[tuple[int, np.ndarray]]]:
    type_, count = array.type, len(array)
    if pa.types.is_fixed_size_list(type_):
        return _lists(array)
    if pa.types.is_boolean(type_):
        bits = array.fill_null(pa.scalar(value=False)).to_numpy(zero_copy_only=False)
        return flat(1), [(1, np.packbits(bits, bitorder="little"))]
    width = type_.bit_width // _BYTE
    stored = array.buffers()[1]
    data = np.zeros(count * width, np.uint8)
    if stored is not None and count:
        data = np.frombuffer(stored, np.uint8)[array.offset * width :][: count * width]
    return flat(type_.bit_width), [(type_.bit_width, data)]


def _lists(array: pa.Array) -> tuple[e.CompressiveEncoding, list[tuple[int, np.ndarray]]]:
    """Lists of one size: the bitmaps of their items from the outer ones inwards, then the items."""
    size = array.type.list_size
    items = array.values.slice(array.offset * size, len(array) * size)
    encoding, inner = _fixed(items)
    buffers = [(bits * size, data) for bits, data in inner]
    if items.null_count:
        valid = items.is_valid().to_numpy(zero_copy_only=False)
        buffers.insert(0, (size, np.packbits(valid, bitorder="little")))
    message = e.FixedSizeList(
        items_per_value=size, values=encoding, has_validity=items.null_count > 0
    )
    return e.CompressiveEncoding(fixed_size_list=message), buffers
