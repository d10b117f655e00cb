"""Uncompressed values of a leaf: of fixed width with their inner bitmaps, or of any length.

Chunks have these forms if no encoding makes them smaller, see `Encoded`.

Source: https://lance.org/format/file/encoding/#compressive-encodings
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

import numpy as np
import pyarrow as pa

from byteloom.lance.arrays import empty
from byteloom.lance.writing.pieces import Pieces
from byteloom_generated.lance import encodings21 as e

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from byteloom.lance.writing.options import Codec
    from byteloom_generated.lance.tail import Extent

__all__ = [
    "TEXTS",
    "Encoded",
    "FixedValues",
    "Part",
    "Values",
    "VariableValues",
    "flat",
    "values_of",
    "written_blobs",
]

_BYTE = 8
_MOST_VALUES: Final = 4096
_FIXED_BYTES: Final = 8186
"""Upper bound of the bytes of values of fixed width in a chunk."""

_VARIABLE_BYTES: Final = 4096
"""Most bytes of values of any length in a chunk, on average."""

_TEXT_FILL: Final = 0x48
_LARGE = frozenset({pa.large_string(), pa.large_binary()})
TEXTS = frozenset({pa.string(), pa.binary(), *_LARGE})


@dataclass(frozen=True, slots=True)
class Part:
    """A buffer of each chunk.

    Attributes:
        data: The bytes of all chunks.
        starts: Where the bytes of each chunk begin.
        sizes: Number of bytes of each chunk.
    """

    data: np.ndarray
    starts: np.ndarray
    sizes: np.ndarray

    @classmethod
    def joined(cls, data: np.ndarray, sizes: np.ndarray) -> Part:
        """Return the part whose *data* has the bytes of one chunk after those of another."""
        return cls(data, np.cumsum(sizes) - sizes, sizes)


class Encoded(Protocol):
    """Values encoded for the chunks of a page."""

    @property
    def count(self) -> int:
        """Return the number of values."""

    @property
    def encoding(self) -> e.CompressiveEncoding:
        """Return the message that describes the encoding."""

    @property
    def num_buffers(self) -> int:
        """Return the number of buffers of values in a chunk."""

    @property
    def most(self) -> int:
        """Return the most values of a chunk, a power of two."""

    @property
    def size(self) -> int:
        """Return the bytes of all values, without the fixed bytes of chunks."""

    def parts(self, cuts: np.ndarray) -> Sequence[Part]:
        """Return the buffers of chunks.

        Args:
            cuts: The first value of each chunk, and the number of values.
        """


@dataclass(frozen=True, slots=True)
class FixedValues:
    """Values of fixed width.

    Attributes:
        count: How many.
        encoding: Message that describes them.
        buffers: For each buffer the bits of a value in it, and the bytes of all values.
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

    @property
    def has_bits(self) -> bool:
        """Return whether a value, without the bitmaps around it, is bits and not whole bytes."""
        bits, data = self.buffers[-1]
        return bits != _BYTE * (len(data) // max(1, self.count))

    @property
    def is_plain(self) -> bool:
        """Return whether they are integers or other values of some bits, and not lists."""
        return self.encoding.WhichOneof("compression") == "flat"

    @property
    def bits(self) -> int:
        """Return the bits of a value in all buffers."""
        return sum(bits for bits, _ in self.buffers)

    @property
    def num_buffers(self) -> int:
        """Return the number of buffers of values in a chunk."""
        return len(self.buffers)

    @property
    def most(self) -> int:
        """Return the most values of a chunk."""
        return _most((_FIXED_BYTES * _BYTE - 1) // max(1, self.bits))

    @property
    def size(self) -> int:
        """Return the bytes of all values."""
        return (self.bits * self.count + _BYTE - 1) // _BYTE

    def zipped(self) -> Iterator[np.ndarray]:
        """Yield matrices of bytes, a row for each value, whose bits begin at a whole byte."""
        for bits, data in self.buffers:
            size, stored = (bits + _BYTE - 1) // _BYTE, data
            if bits % _BYTE:
                rows = np.unpackbits(data, count=bits * self.count, bitorder="little")
                stored = np.packbits(rows.reshape(self.count, bits), axis=1, bitorder="little")
            yield stored.reshape(self.count, size)

    def parts(self, cuts: np.ndarray) -> list[Part]:
        """Return the buffers of chunks, which begin at whole bytes."""
        counts = np.diff(cuts)
        return [
            Part(data, cuts[:-1] * bits // _BYTE, (counts * bits + _BYTE - 1) // _BYTE)
            for bits, data in self.buffers
        ]


@dataclass(frozen=True, slots=True)
class VariableValues:
    """Values of any length.

    Attributes:
        offsets: Where each begins in *data*, and where the last ends, from 0 on.
        data: Their bytes.
        width: Bytes of an offset in the file.
        symbols: The stored table that codes them; None if they are not coded.
        codec: Compresses each value; None for no compression.
        structs: Encoding of packed structs; None for text and bytes.
        chunk_size: Approximate bytes of a chunk.
    """

    offsets: np.ndarray
    data: np.ndarray
    width: int
    symbols: bytes | None = None
    codec: Codec | None = None
    structs: e.CompressiveEncoding | None = None
    chunk_size: int = _VARIABLE_BYTES

    @property
    def count(self) -> int:
        """Return the number of values."""
        return len(self.offsets) - 1

    @property
    def encoding(self) -> e.CompressiveEncoding:
        """Return the message that describes the values."""
        if self.structs is not None:
            return self.structs
        found = e.CompressiveEncoding(variable=e.Variable(offsets=flat(self.width * _BYTE)))
        if self.codec is not None:
            return self.codec.around(found)
        if self.symbols is None:
            return found
        return e.CompressiveEncoding(fsst=e.Fsst(symbol_table=self.symbols, values=found))

    @property
    def largest(self) -> int:
        """Return the bytes of the longest value."""
        return int(np.diff(self.offsets).max(initial=0))

    @property
    def num_buffers(self) -> int:
        """Return the number of buffers of values in a chunk."""
        return 1

    @property
    def most(self) -> int:
        """Return the most values of a chunk."""
        mean = self.width + len(self.data) / max(1, self.count)
        return _most(int(self.chunk_size / mean))

    @property
    def size(self) -> int:
        """Return the bytes of all values."""
        return len(self.data) + len(self.offsets) * self.width + len(self.symbols or b"")

    def parts(self, cuts: np.ndarray) -> list[Part]:
        """Return for each chunk its offsets, counted from its beginning, its bytes, and padding."""
        width, counts = self.width, np.diff(cuts)
        heads = (counts + 1) * width
        first = self.offsets[cuts[:-1]]
        chunk = np.repeat(np.arange(len(counts)), counts + 1)
        number = np.arange(len(chunk)) - chunk
        offsets = (self.offsets[number] - first[chunk] + heads[chunk]).astype(f"<u{width}")
        pieces = Pieces(len(counts))
        pieces.add(offsets, np.cumsum(heads) - heads, heads)
        pieces.add(self.data, first, self.offsets[cuts[1:]] - first)
        pieces.pad(width, _TEXT_FILL)
        return [Part.joined(pieces.joined(), pieces.sizes)]


Values: TypeAlias = FixedValues | VariableValues


def _most(room: int) -> int:
    """The largest power of two that is at most *room*."""
    return int(min(_MOST_VALUES, 1 << max(room, 1).bit_length() - 1))


def flat(bits: int) -> e.CompressiveEncoding:
    """Return the encoding of unencoded values of *bits* bits each."""
    return e.CompressiveEncoding(flat=e.Flat(bits_per_value=bits))


def values_of(array: pa.Array, chunk_size: int = _VARIABLE_BYTES) -> Values:
    """Return the values of an array of a type without layers; nulls may have any value.

    Args:
        chunk_size: Approximate bytes of a chunk of values of any length.
    """
    if array.type in TEXTS:
        return replace(_variable(array), chunk_size=chunk_size)
    encoding, buffers = _fixed(array)
    return FixedValues(len(array), encoding, buffers)


def _variable(array: pa.Array) -> VariableValues:
    width = 8 if array.type in _LARGE else 4
    _, offsets, data = array.buffers()
    if not len(array) or offsets is None:
        return VariableValues(np.zeros(len(array) + 1, np.int64), np.zeros(0, np.uint8), width)
    ends = np.frombuffer(offsets, f"<i{width}")[array.offset :][: len(array) + 1]
    stored = np.zeros(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)
    places = np.subtract(ends, ends[0], out=empty(len(ends), np.int64))
    return VariableValues(places, stored[ends[0] : ends[-1]], width)


def _fixed(array: pa.Array) -> tuple[e.CompressiveEncoding, list[tuple[int, np.ndarray]]]:
    type_, count = array.type, len(array)
    if pa.types.is_fixed_size_list(type_):
        return _lists(array)
    if pa.types.is_boolean(type_):
        bits = array.fill_null(pa.scalar(value=False)).to_numpy(zero_copy_only=False)
        return flat(1), [(1, np.packbits(bits, bitorder="little"))]
    width = type_.bit_width // _BYTE
    stored = array.buffers()[1]
    if stored is None or not count:
        return flat(type_.bit_width), [(type_.bit_width, np.zeros(count * width, np.uint8))]
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


def written_blobs(array: pa.Array, nulls: np.ndarray, put: Callable[[Any], Extent]) -> np.ndarray:
    """Write the bytes of an array; return the place and the size of each value.

    Args:
        nulls: For each value 0, or the position that marks it as null.
        put: Writes bytes, and returns their place.
    """
    values: Any = values_of(array)
    places = np.zeros((len(array), 2), "<u8")
    places[:, 0] = nulls
    sizes = np.where(nulls > 0, 0, np.diff(values.offsets))
    for row in np.flatnonzero(sizes).tolist():
        found = put(values.data[values.offsets[row] : values.offsets[row + 1]].data)
        places[row] = found.offset, found.size
    return places
