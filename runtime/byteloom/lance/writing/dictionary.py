"""Dictionaries: frequent values are stored once, in a block, and rows have their numbers.

Source: https://lance.org/format/file/encoding/#dictionary-encoding
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from byteloom.lance.writing.values import FixedValues, VariableValues, flat, values_of

if TYPE_CHECKING:
    from byteloom.lance.writing.options import Options
    from byteloom.lance.writing.values import Values
    from byteloom_generated.lance import encodings21 as e

__all__ = ["DictionaryBlock", "block_of", "dictionary_of", "numbers_of"]

_BYTE: Final = 8
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
