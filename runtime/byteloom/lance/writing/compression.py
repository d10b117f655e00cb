"""Values compressed whatever they mean: by a general codec, or as numbers of a dictionary's items.

- A general codec compresses the first buffer of each chunk, or each large value, on its own.
- A dictionary stores frequent values once, in a block, and rows have their numbers.

Source: https://lance.org/format/file/encoding/#general,
https://lance.org/format/file/encoding/#dictionary-encoding
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from byteloom.lance.writing.values import FixedValues, Part, VariableValues, flat, values_of
from byteloom_generated.lance import encodings21 as e

if TYPE_CHECKING:
    from collections.abc import Sequence

    from byteloom.lance.writing.options import Codec, Options
    from byteloom.lance.writing.values import Encoded, Values

__all__ = [
    "ByteStreams",
    "Compressed",
    "DictionaryBlock",
    "block_of",
    "compressed_each",
    "dictionary_of",
    "numbers_of",
]

_BYTE: Final = 8


def compressed_each(values: VariableValues, codec: Codec) -> VariableValues:
    """Return values compressed one by one, including empty ones, which have a size."""
    ends = values.offsets.tolist()
    parts = [codec.compressed(values.data[start:end]) for start, end in pairwise(ends)]
    offsets = np.append(0, np.cumsum([len(each) for each in parts], dtype=np.int64))
    data = np.frombuffer(b"".join(parts), np.uint8)
    return replace(values, offsets=offsets, data=data, codec=codec)


class Compressed:
    """Values of which a codec has compressed the first buffer of each chunk.

    Attributes:
        inner: The values to compress.
        codec: The codec that compresses them.
    """

    def __init__(self, inner: Encoded, codec: Codec) -> None:
        """Set up the codec; nothing is compressed yet."""
        self.inner, self.codec = inner, codec
        self.count, self.num_buffers, self.most = inner.count, inner.num_buffers, inner.most
        self._cuts = np.zeros(0, np.int64)
        self._parts: Sequence[Part] = ()

    @property
    def encoding(self) -> e.CompressiveEncoding:
        """Return the message that describes the encoding."""
        return self.codec.around(self.inner.encoding)

    @property
    def size(self) -> int:
        """Return the bytes of all values."""
        cuts = np.append(np.arange(0, self.count, self.most, dtype=np.int64), self.count)
        return int(sum(each.sizes.sum() for each in self.parts(cuts)))

    def parts(self, cuts: np.ndarray) -> Sequence[Part]:
        """Return the buffers of chunks; those of the last cuts are kept."""
        if not np.array_equal(cuts, self._cuts):
            first, *others = self.inner.parts(cuts)
            ends = (first.starts + first.sizes).tolist()
            found = [
                self.codec.compressed(first.data[start:end])
                for start, end in zip(first.starts.tolist(), ends, strict=True)
            ]
            sizes = np.array([len(each) for each in found], np.int64)
            joined = Part.joined(np.frombuffer(b"".join(found), np.uint8), sizes)
            self._cuts, self._parts = cuts, [joined, *others]
        return self._parts


@dataclass(frozen=True, slots=True)
class ByteStreams:
    """Numbers whose bytes are split by significance in each chunk, the lowest first."""

    values: FixedValues

    @property
    def count(self) -> int:
        """Return the number of values."""
        return self.values.count

    @property
    def encoding(self) -> e.CompressiveEncoding:
        """Return the message that describes the encoding."""
        message = e.ByteStreamSplit(values=flat(self.values.bits))
        return e.CompressiveEncoding(byte_stream_split=message)

    @property
    def num_buffers(self) -> int:
        """Return the number of buffers of values in a chunk."""
        return 1

    @property
    def most(self) -> int:
        """Return the most values of a chunk."""
        return self.values.most

    @property
    def size(self) -> int:
        """Return the bytes of all values."""
        return self.values.size

    def parts(self, cuts: np.ndarray) -> list[Part]:
        """Return the buffers of chunks; all but the last have the same number of values."""
        width = self.values.bits // _BYTE
        rows = self.values.buffers[0][1].reshape(-1, width)
        each = int(cuts[1]) if len(cuts) > 2 else 0  # noqa: PLR2004  the last chunk is apart
        whole = rows[: cuts[-2]].reshape(len(cuts) - 2, each, width).transpose(0, 2, 1)
        data = np.concatenate([whole.ravel(), rows[cuts[-2] :].T.ravel()])
        return [Part.joined(data, np.diff(cuts) * width)]


_FEWEST: Final = 100
"""Least values of a page for which a dictionary is tried."""

_MOST: Final = 100_000
"""Items of a dictionary."""

_SAMPLE: Final = 4096
_UNIQUE: Final = 0.9
"""Share of values that occur once in a sample, from which on no dictionary is tried."""


@dataclass(frozen=True, slots=True)
class DictionaryBlock:
    """The items of a dictionary.

    Attributes:
        count: How many.
        encoding: How they are encoded.
        data: Their bytes.
    """

    count: int
    encoding: e.CompressiveEncoding
    data: np.ndarray


def dictionary_of(
    array: pa.Array, values: Values, options: Options
) -> tuple[FixedValues, DictionaryBlock] | None:
    """Return the numbers of values in a dictionary, and the dictionary; None if it saves nothing.

    Args:
        array: A leaf.
        values: The values of *array*.
    """
    if isinstance(values, FixedValues):
        if not values.is_plain or values.bits not in options.dictionary_bits:
            return None
        stored = pa.py_buffer(values.buffers[0][1])
        kind = pa.int64() if values.bits == 64 else pa.binary(values.bits // _BYTE)  # noqa: PLR2004
        array = pa.Array.from_buffers(kind, values.count, [None, stored])
    if len(array) < _FEWEST or not _repeats(array):
        return None
    encoded = array.dictionary_encode()
    if len(encoded.dictionary) > min(len(array) // options.dict_divisor, _MOST):
        return None
    items = encoded.dictionary
    if not len(items):
        return None
    indices = encoded.indices.fill_null(0)
    return numbers_of(indices), block_of(values_of(items), options)


def _repeats(array: pa.Array) -> bool:
    """Whether enough values are repeated in a sample."""
    sample = array[:: max(1, len(array) // _SAMPLE)]
    found = len(sample.unique())
    return bool(found <= _UNIQUE * len(sample))


def numbers_of(indices: pa.Array) -> FixedValues:
    """Return the numbers of items, none of which is null."""
    width = indices.type.bit_width
    data = np.frombuffer(indices.buffers()[1], np.uint8)[indices.offset * width // _BYTE :]
    return FixedValues(len(indices), flat(width), [(width, data[: len(indices) * width // _BYTE])])


def block_of(items: Values, options: Options) -> DictionaryBlock:
    """Return the block of the items of a dictionary, compressed where that makes it smaller."""
    if isinstance(items, VariableValues):
        data = _variable(items)
        encoding = items.encoding
    else:
        data, encoding = items.buffers[0][1], items.encoding
    if (codec := options.dictionary_codec) is not None:
        packed = codec.compressed(data)
        if len(packed) < len(data):
            data, encoding = np.frombuffer(packed, np.uint8), codec.around(encoding)
    return DictionaryBlock(items.count, encoding, data)


def _variable(items: VariableValues) -> np.ndarray:
    """The bits of an offset, where the bytes begin, offsets from 0 on, bytes."""
    width = items.width
    begin = width * (len(items.offsets) + 2)
    words = np.concatenate([[width * _BYTE, begin], items.offsets]).astype(f"<u{width}")
    return np.concatenate([words.view(np.uint8), items.data])
