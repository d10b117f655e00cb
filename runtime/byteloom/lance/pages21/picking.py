"""Decode some values of chunks, skipping the others if the encoding allows it.

Source: https://lance.org/format/file/encoding/#compressive-encodings
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from byteloom.errors import Unsupported
from byteloom.lance.pages21 import codecs
from byteloom.lance.pages21.integers import packed_integers
from byteloom.lance.pages21.values import Fixed, Lists, Packed, Values, Variable, bitmap
from byteloom.lance.pages21.zipped import gathered
from byteloom_generated.lance import bit_packing

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom.lance.pages21.parts import Chunks
    from byteloom_generated.lance.encodings21 import CompressiveEncoding

__all__ = ["decode_some"]

_BYTE: Final = 8
_WORDS: Final = {1: "<u1", 2: "<u2", 4: "<u4", 8: "<u8"}


@dataclass(frozen=True)
class _Wanted:
    """The wanted values.

    Attributes:
        numbers: Among the values of all chunks, ascending.
        chunk: The number of the chunk of each.
    """

    numbers: np.ndarray
    chunks: Chunks
    chunk: np.ndarray

    @cached_property
    def within(self) -> np.ndarray:
        """The number of each value in its chunk."""
        found: np.ndarray = self.numbers - self.chunks.rows[self.chunk]
        return found


def decode_some(
    encoding: CompressiveEncoding,
    chunks: Chunks,
    numbers: np.ndarray,
    owners: np.ndarray | None = None,
) -> Values:
    """Return values by their *numbers* among those of all *chunks*, which ascend.

    owners  the number of the chunk of each value; None to find them
    raises  the errors of `codecs.decode`
    """
    kind = codecs.kind_of(encoding, chunks.path)
    if kind in _PICKERS:
        codecs.check_count(chunks)
        if owners is None:
            owners = np.searchsorted(chunks.rows, numbers, "right") - 1
        found = _PICKERS[kind](getattr(encoding, kind), _Wanted(numbers, chunks, owners))
        if found is not None:
            return found
    return _picked(codecs.decode(encoding, chunks), numbers)


def _flat(message: Any, wanted: _Wanted) -> Values | None:
    chunks, bits = wanted.chunks, message.bits_per_value
    if message.HasField("data") or bits % _BYTE or not bits:
        return None
    width = codecs.flat_width(bits, chunks.path) // _BYTE
    buffers = chunks.need(0, chunks.counts * width)
    places = buffers.starts[wanted.chunk] + wanted.within * width
    count = len(places)
    if width in _WORDS:
        return Fixed(bits, buffers.words(width)[places // width].view(np.uint8), count)
    return Fixed(bits, gathered(buffers.data, places, np.full(count, width)).data, count)


def _inline_bitpacking(message: Any, wanted: _Wanted) -> Values:
    bits, words, first, widths = packed_integers(message, wanted.chunks)
    out = np.empty(len(wanted.numbers), f"<u{bits // _BYTE}")
    chunk = wanted.chunk
    _PICK[bits](words, first[chunk], widths[chunk], wanted.within, out)
    return Fixed(bits, out.view(np.uint8), len(out))


def _variable(message: Any, wanted: _Wanted) -> Values:
    chunks, chunk = wanted.chunks, wanted.chunk
    words, buffers = codecs.offset_words(message, chunks)
    at = buffers.starts[chunk] // words.itemsize + wanted.within
    begins, ends = words[at].astype(np.int64), words[at + 1].astype(np.int64)
    least = (chunks.counts[chunk] + 1) * words.itemsize
    sound = (begins >= least) & (begins <= ends) & (ends <= buffers.sizes[chunk])
    if not sound.all():
        bad = int(np.argmin(sound))
        found, size = f"a value at {begins[bad]} to {ends[bad]}", buffers.sizes[chunk[bad]]
        raise chunks.refused(int(chunk[bad]), found, f"{size}")
    chunks.check_size(int((ends - begins).sum()))
    return gathered(buffers.data, buffers.starts[chunk] + begins, ends - begins)


def _fsst(message: Any, wanted: _Wanted) -> Values:
    coded = decode_some(message.values, wanted.chunks, wanted.numbers, wanted.chunk)
    counts = np.bincount(wanted.chunk, minlength=len(wanted.chunks.counts))
    return codecs.decoded_text(message, coded, wanted.chunks, counts)


_PICKERS: Final[dict[str, Callable[[Any, _Wanted], Values | None]]] = {
    "flat": _flat,
    "inline_bitpacking": _inline_bitpacking,
    "variable": _variable,
    "fsst": _fsst,
}
_PICK: Final = {
    8: bit_packing.pick_8,
    16: bit_packing.pick_16,
    32: bit_packing.pick_32,
    64: bit_packing.pick_64,
}


def _picked(values: Values, numbers: np.ndarray) -> Values:
    """Some of decoded *values*."""
    count = len(numbers)
    if isinstance(values, Variable):
        starts = values.offsets[numbers].astype(np.int64)
        return gathered(values.data, starts, values.offsets[numbers + 1] - starts)
    if isinstance(values, Fixed):
        return Fixed(values.bits, _elements(values.data, values.bits, numbers), count)
    if isinstance(values, Packed):
        rows = _elements(values.data, sum(values.widths), numbers)
        return Packed(values.widths, rows, count)
    if isinstance(values, Lists):
        items = (numbers[:, None] * values.size + np.arange(values.size)).ravel()
        valid = None if values.valid is None else _elements(values.valid, 1, items)
        return Lists(values.size, _picked(values.items, items), valid, count)
    raise Unsupported("values", None, type(values).__name__, "values that are stored in chunks")


def _elements(data: np.ndarray, bits: int, numbers: np.ndarray) -> np.ndarray:
    """Elements of *bits* bits each."""
    if bits == 1:
        return bitmap(data[numbers >> 3] >> (numbers & 7).astype(np.uint8) & 1)
    width = bits // _BYTE
    rows = data[: len(data) // width * width].reshape(-1, width)
    return np.ascontiguousarray(rows[numbers]).ravel()
