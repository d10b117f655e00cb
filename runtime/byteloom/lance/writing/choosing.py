"""How values are encoded in chunks: what takes the fewest bytes, and why.

- An encoding must save a twentieth of what plain values take: less is not worth readers' time.

Source: https://lance.org/format/file/encoding/#compressive-encodings
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from byteloom.lance.writing.dictionary import DictionaryBlock, dictionary_of
from byteloom.lance.writing.integers import WIDTHS, PackedIntegers, RunLengths
from byteloom.lance.writing.values import FixedValues

if TYPE_CHECKING:
    import pyarrow as pa

    from byteloom.lance.writing.options import Options
    from byteloom.lance.writing.values import Encoded, Values

__all__ = ["Choice", "choose"]

_SAVED: Final = 0.95
"""Share of the bytes of plain values that an encoding takes at most."""

_CHUNK: Final = 16
"""Bytes that a chunk takes besides its values: its word, its sizes, padding."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Values as a page gets them.

    name        of the encoding, as plans show it
    values      in that encoding
    dictionary  what the values are numbers of
    sizes       for each encoding that was tried, the bytes that it would take
    """

    name: str
    values: Encoded
    dictionary: DictionaryBlock | None
    sizes: dict[str, int]

    @property
    def size(self) -> int:
        """Return how many bytes it takes."""
        return self.sizes[self.name]


def choose(array: pa.Array, values: Values, options: Options) -> Choice:
    """Return the encoding of the values of a leaf in chunks.

    array  the leaf
    """
    found = _integers(values)
    coded = dictionary_of(array, values, options)
    if coded is None:
        return found
    numbers, block = coded
    inner = _integers(numbers)
    sizes = {**found.sizes, "dictionary": inner.size + len(block.data)}
    if sizes["dictionary"] < min(found.size, _SAVED * found.sizes["flat"]):
        return Choice("dictionary", inner.values, block, sizes)
    return Choice(found.name, found.values, None, sizes)


def _integers(values: Values) -> Choice:
    """The encoding of values without a dictionary."""
    encoded: dict[str, Encoded] = {"flat": values}
    if isinstance(values, FixedValues) and values.bits in WIDTHS and len(values.buffers) == 1:
        words = values.buffers[0][1].view(f"<u{values.bits // 8}")
        encoded["bit-packing"] = PackedIntegers(words)
        if np.count_nonzero(words[1:] != words[:-1]) < len(words) // 2:
            encoded["runs"] = RunLengths(words)
    sizes = {name: _size(each) for name, each in encoded.items()}
    best = min(sizes, key=lambda name: (sizes[name], name))
    if sizes[best] > _SAVED * sizes["flat"]:
        best = "flat"
    return Choice(best, encoded[best], None, sizes)


def _size(values: Encoded) -> int:
    return values.size + _CHUNK * -(-values.count // values.most)
