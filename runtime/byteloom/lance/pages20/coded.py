"""Encodings of 2.0 that later versions have as well: bit-packed chunks, and FSST.

Source: https://lance.org/format/file/encoding/#compressive-encodings
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from byteloom.lance.pages20.arrays import Node
from byteloom.lance.pages20.buffers import text_array
from byteloom.lance.pages21.integers import unpack_into
from byteloom.lance.pages21.symbols import text_of
from byteloom.lance.pages21.values import Variable
from byteloom_generated.lance.bit_packing import INTEGERS

if TYPE_CHECKING:
    from byteloom.lance.pages20.stored import Stored

__all__ = ["CodedTexts", "unpacked_chunks"]

_BYTE = 8


def unpacked_chunks(stored: Stored, count: int, width: int, bits: int) -> np.ndarray:
    """Return *count* integers of *bits* bits as bytes, of which *width* bits are stored."""
    chunks = -(-count // INTEGERS)
    size = INTEGERS * width // _BYTE
    words = np.frombuffer(stored.slice(0, chunks * size), f"<u{bits // _BYTE}")
    numbers = np.arange(chunks, dtype=np.int64)
    out = np.empty(chunks * INTEGERS, words.dtype)
    places = numbers * (size // (bits // _BYTE))
    unpack_into(bits, words, places, np.full(chunks, width), out, numbers * INTEGERS)
    return out[:count].view(np.uint8)


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
