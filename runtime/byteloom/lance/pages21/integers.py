"""Integers in fewer bits: packed in chunks of 1,024, or as runs.

Source: https://lance.org/format/file/encoding/#compressive-encodings
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from byteloom.errors import FormatError
from byteloom.kernels.lance_values import join_runs
from byteloom.lance.arrays import empty
from byteloom.lance.pages21.values import Fixed
from byteloom_generated.lance import bit_packing

if TYPE_CHECKING:
    from byteloom.lance.pages21.parts import Buffers, Chunks

__all__ = ["inline_bitpacking", "packed_integers", "runs", "unpack_into"]

_BYTE: Final = 8
_BITS: Final = (8, 16, 32, 64)


def _integer_bits(bits: int, path: str) -> int:
    if bits not in _BITS:
        raise FormatError(f"{path}.bits_per_value", None, bits, "8, 16, 32 or 64")
    return bits


def packed_integers(message: Any, chunks: Chunks) -> tuple[int, np.ndarray, np.ndarray, np.ndarray]:
    """Return the places of packed integers in chunks that begin with the bits of an integer.

    Returns:
        Bits of an integer; all words; of each chunk its first word, and its width in bits.
    """
    bits = _integer_bits(message.uncompressed_bits_per_value, chunks.path)
    width = bits // _BYTE
    buffers = chunks.need(0, np.where(chunks.counts > 0, width, 0))
    most = bit_packing.INTEGERS
    chunks.check(chunks.counts <= most, lambda i: (f"{chunks.counts[i]} values", f"{most}"))
    words, first = buffers.words(width), buffers.starts // width
    widths = words[first].astype(np.int64) if len(words) else np.zeros(len(first), np.int64)
    sound = (widths >= 0) & (widths <= bits)
    chunks.check(sound, lambda i: (f"a width of {widths[i]} bits", f"at most {bits}"))
    sizes = width * (1 + widths * (most // bits))
    chunks.need(0, np.where(chunks.counts > 0, sizes, 0))
    return bits, words, first + 1, widths


def inline_bitpacking(message: Any, chunks: Chunks) -> Fixed:
    """Return the integers of chunks, each of which may use only its first ones."""
    bits, words, places, widths = packed_integers(message, chunks)
    targets, total = chunks.rows, chunks.total
    chunks.check_size((total + bit_packing.INTEGERS) * bits // _BYTE)
    room = int(targets[-1]) + bit_packing.INTEGERS if len(targets) else 0
    out = empty(room, f"<u{bits // _BYTE}")
    unpack_into(bits, words, places, widths, out, targets)
    return Fixed(bits, out[:total].view(np.uint8), total)


def unpack_into(  # noqa: PLR0913, PLR0917  what the loop takes
    bits: int,
    words: np.ndarray,
    places: np.ndarray,
    widths: np.ndarray,
    out: np.ndarray,
    targets: np.ndarray,
) -> None:
    """Unpack chunks of integers of *bits* bits, by `bit_packing`."""
    _UNPACK[bits](words, places, widths.astype(np.int64, copy=False), out, targets)


def runs(bits: int, values: Buffers, lengths: Buffers, chunks: Chunks) -> Fixed:
    """Return the values of runs: a buffer of values, and one of their lengths, 8 bits each.

    Raises:
        FormatError: For other *bits* than 8, 16, 32 or 64, and for damage.
    """
    width = _integer_bits(bits, chunks.path) // _BYTE
    counts = lengths.sizes
    sound = values.sizes >= counts * width
    chunks.check(sound, lambda i: (f"{values.sizes[i]} bytes", f"{counts[i]} values"))
    chunks.check_size(chunks.total * width)
    out = empty(chunks.total, f"<u{width}")
    bad = join_runs(
        values.words(width),
        lengths.data,
        values.starts // width,
        lengths.starts,
        counts,
        chunks.counts,
        out,
    )
    if bad >= 0:
        raise chunks.refused(bad, "runs of the wrong length", f"{chunks.counts[bad]} values")
    return Fixed(bits, out.view(np.uint8), chunks.total)


_UNPACK: Final = {
    8: bit_packing.unpack_8,
    16: bit_packing.unpack_16,
    32: bit_packing.unpack_32,
    64: bit_packing.unpack_64,
}
