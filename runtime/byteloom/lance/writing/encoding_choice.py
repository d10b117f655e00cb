"""Choose the encoding of values: the one of fewest bytes, or the one that metadata names.

- An encoding must save a twenty-fifth of the bytes of plain values: a smaller gain is not worth
  readers' time.

Source: https://lance.org/format/file/encoding/#compressive-encodings
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeGuard

import numpy as np
import pyarrow as pa

from byteloom.lance.writing.compression import (
    ByteStreams,
    Compressed,
    DictionaryBlock,
    block_of,
    compressed_each,
    dictionary_of,
    numbers_of,
)
from byteloom.lance.writing.integers import WIDTHS, PackedIntegers, RunLengths
from byteloom.lance.writing.options import Codec, Options
from byteloom.lance.writing.symbols import coded
from byteloom.lance.writing.values import FixedValues, VariableValues, values_of

if TYPE_CHECKING:
    from byteloom.lance.writing.values import Encoded, Values

__all__ = ["Choice", "choose", "choose_large", "choose_numbers"]

_SAVED: Final = 0.96
"""Greatest share of the bytes of plain values that an encoding may take."""

_CHUNK: Final = 16
"""Bytes of a chunk besides its values: its word, its sizes, padding."""

_TEXTS: Final = frozenset({pa.string(), pa.large_string()})
_LEAST_TEXT: Final = 1 << 15
"""Least bytes of text for which a table of symbols is tried."""

_LEAST_WORD: Final = 5
_LARGE: Final = 1 << 15
"""Least average bytes of values that are compressed one by one."""

_LEAST_BUFFER: Final = 4096
"""Least bytes of a page for which a general codec is tried."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Values in the encoding chosen for a page.

    Attributes:
        name: The name of the encoding, as plans show it.
        values: In that encoding.
        dictionary: The items whose numbers the values are.
        sizes: For each encoding that was tried, the bytes that it would take.
    """

    name: str
    values: Encoded
    dictionary: DictionaryBlock | None
    sizes: dict[str, int]

    @property
    def size(self) -> int:
        """Return the bytes of the encoded values."""
        return self.sizes[self.name]

    def or_else(self, name: str, values: Encoded, dictionary: DictionaryBlock | None) -> Choice:
        """Return the smaller one of this choice and another encoding."""
        size = _size(values) + (0 if dictionary is None else len(dictionary.data))
        sizes = {**self.sizes, name: size}
        if size < self.size and size <= _SAVED * sizes["flat"]:
            return Choice(name, values, dictionary, sizes)
        return Choice(self.name, self.values, self.dictionary, sizes)


def choose(array: pa.Array, values: Values, options: Options) -> Choice:
    """Return the encoding of the values of a leaf in chunks.

    Args:
        array: The leaf.
    """
    found = Choice("flat", values, None, {"flat": _size(values)})
    if options.compression == "none":
        return found
    if options.compression == "fsst" and isinstance(values, VariableValues):
        return _forced("fsst", coded(values), found)
    found = _integers(found, options)
    if (made := dictionary_of(array, values, options)) is not None:
        numbers, block = made
        inner = _integers(Choice("flat", numbers, None, {"flat": _size(numbers)}), options)
        if inner.size + len(block.data) <= options.dict_ratio * found.sizes["flat"]:
            found = found.or_else("dictionary", inner.values, block)
    if options.codec is not None:
        return found if found.dictionary else _compressed(found, values, options, options.codec)
    if _is_text(array, values) and found.size > found.sizes["flat"] // 2:
        found = found.or_else("fsst", coded(values), None)  # type: ignore[arg-type]
    return found


def choose_numbers(array: pa.DictionaryArray, options: Options) -> Choice:
    """Return the encoding of values that are in a dictionary already."""
    numbers = numbers_of(array.indices.fill_null(0))
    plain = Choice("flat", numbers, None, {"flat": _size(numbers)})
    found = plain if options.compression == "none" else _integers(plain, options)
    block = block_of(values_of(array.dictionary), options)
    return Choice(found.name, found.values, block, found.sizes)


def choose_large(array: pa.Array, values: Values, options: Options) -> tuple[Choice, Values]:
    """Return the encoding of large values, each on its own, and the values in it.

    Args:
        array: The leaf.
    """
    found = Choice("flat", values, None, {"flat": values.size})
    if not isinstance(values, VariableValues) or options.compression == "none":
        return found, values
    codec = options.codec
    if codec is None and len(values.data) > _LARGE * values.count:
        codec = Codec("zstd")
    if codec is not None:
        name, made = codec.name, compressed_each(values, codec)
    elif options.compression == "fsst" or _is_text(array, values):
        name, made = "fsst", coded(values)
    else:
        return found, values
    sizes = {**found.sizes, name: made.size}
    if options.compression or made.size <= _SAVED * values.size:
        return Choice(name, made, None, sizes), made
    return Choice("flat", values, None, sizes), values


def _integers(found: Choice, options: Options) -> Choice:
    """The encoding of values without a dictionary."""
    values = found.values
    if not _is_number(values):
        return found
    words = values.buffers[0][1].view(f"<u{values.bits // 8}")
    found = found.or_else("bit-packing", PackedIntegers(words), None)
    if np.count_nonzero(words[1:] != words[:-1]) < options.most_runs * len(words):
        found = found.or_else("runs", RunLengths(words), None)
    return found


def _compressed(found: Choice, values: Values, options: Options, codec: Codec) -> Choice:
    """Values that a general codec has compressed, if that makes them smaller."""
    if found.sizes["flat"] < _LEAST_BUFFER:
        return found
    inner, name = found.values, codec.name
    if options.splits_bytes and _is_number(values):
        inner, name = ByteStreams(values), f"byte-stream-split {name}"
    return found.or_else(name, Compressed(inner, codec), None)


def _forced(name: str, values: Encoded, found: Choice) -> Choice:
    return Choice(name, values, None, {**found.sizes, name: _size(values)})


def _is_text(array: pa.Array, values: Values) -> bool:
    """Whether a table of symbols may make text smaller."""
    if array.type not in _TEXTS or not isinstance(values, VariableValues):
        return False
    return len(values.data) >= _LEAST_TEXT and values.largest >= _LEAST_WORD


def _is_number(values: Encoded) -> TypeGuard[FixedValues]:
    """Whether values are of the width of integers."""
    return isinstance(values, FixedValues) and values.is_plain and values.bits in WIDTHS


def _size(values: Encoded) -> int:
    return values.size + _CHUNK * -(-values.count // values.most)
