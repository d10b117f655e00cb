"""Integers in fewer bits: packed in chunks of 1,024, or as runs.

They are the values of a page, or, as a block, the levels of a chunk or a page.

Source: https://lance.org/format/file/encoding/#compressive-encodings,
https://lance.org/format/file/encoding/#block-compression
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from byteloom.lance.units import LEVEL_BITS
from byteloom.lance.writing.pieces import Pieces
from byteloom.lance.writing.values import Part, flat
from byteloom_generated.lance import bit_packing
from byteloom_generated.lance import encodings21 as e

if TYPE_CHECKING:
    from byteloom.lance.writing.options import Options

__all__ = [
    "WIDTHS",
    "EncodedLevels",
    "PackedIntegers",
    "RunLengths",
    "Runs",
    "levels_of",
    "pack",
    "runs_of",
]

_BYTE: Final = 8
WIDTHS: Final = (8, 16, 32, 64)
"""Bits of integers that can be packed."""

_PACK: Final = {
    8: bit_packing.pack_8,
    16: bit_packing.pack_16,
    32: bit_packing.pack_32,
    64: bit_packing.pack_64,
}
_POWERS: Final = np.uint64(1) << np.arange(64, dtype=np.uint64)
_LONGEST: Final = 255
"""Most values of a run, whose length has 8 bits."""

_MOST_OF_RUNS: Final = 4096


def pack(
    integers: np.ndarray, places: np.ndarray, widths: np.ndarray, out: np.ndarray, at: np.ndarray
) -> None:
    """Pack 1,024 integers from each of *places* on, those after the end being zeros.

    Args:
        integers: Unsigned, of 8, 16, 32 or 64 bits.
        places: Numbers of integers, ascending.
        widths: Bits to store of each integer of a chunk.
        out: Words as wide as the integers, changed.
        at: For each chunk its first word.
    """
    kernel = _PACK[integers.itemsize * _BYTE]
    whole = int(np.searchsorted(places, len(integers) - bit_packing.INTEGERS, "right"))
    if whole:
        kernel(integers, places[:whole], widths[:whole], out, at[:whole])
    if whole < len(places):
        first = int(places[whole])
        rest = np.zeros(len(integers) - first + bit_packing.INTEGERS, integers.dtype)
        rest[: len(integers) - first] = integers[first:]
        kernel(rest, places[whole:] - first, widths[whole:], out, at[whole:])


@dataclass(frozen=True, slots=True)
class PackedIntegers:
    """Integers packed into as many bits in each chunk as its largest one needs.

    Attributes:
        words: The integers, unsigned.
    """

    words: np.ndarray

    @property
    def count(self) -> int:
        """Return the number of values."""
        return len(self.words)

    @property
    def encoding(self) -> e.CompressiveEncoding:
        """Return the message that describes the encoding."""
        message = e.InlineBitpacking(uncompressed_bits_per_value=self.words.itemsize * _BYTE)
        return e.CompressiveEncoding(inline_bitpacking=message)

    @property
    def num_buffers(self) -> int:
        """Return the number of buffers of values in a chunk."""
        return 1

    @property
    def most(self) -> int:
        """Return the number of values in a chunk."""
        return bit_packing.INTEGERS

    @property
    def size(self) -> int:
        """Return the bytes of all values."""
        cuts = np.arange(0, self.count, bit_packing.INTEGERS, dtype=np.int64)
        return int(self._sizes(self._widths(cuts)).sum()) * self.words.itemsize

    def parts(self, cuts: np.ndarray) -> list[Part]:
        """Return a word with the bits of an integer and the packed words, for each chunk."""
        places = cuts[:-1]
        widths = self._widths(places)
        sizes = self._sizes(widths)
        starts = np.cumsum(sizes) - sizes
        out = np.empty(int(sizes.sum()), self.words.dtype)
        out[starts] = widths
        pack(self.words, places, widths, out, starts + 1)
        return [Part.joined(out.view(np.uint8), sizes * self.words.itemsize)]

    def _widths(self, places: np.ndarray) -> np.ndarray:
        """The bits of the largest integer of each chunk."""
        found = np.bitwise_or.reduceat(self.words, places).astype(np.uint64)
        return np.searchsorted(_POWERS, found, "right")

    def _sizes(self, widths: np.ndarray) -> np.ndarray:
        """The words of each chunk."""
        lanes = bit_packing.INTEGERS // (self.words.itemsize * _BYTE)
        found: np.ndarray = 1 + widths * lanes
        return found


@dataclass(frozen=True, slots=True)
class Runs:
    """Runs of equal values; none crosses a cut.

    Attributes:
        values: The value of each run.
        lengths: The number of values in each run, 1 to 255.
        counts: The runs between two cuts.
    """

    values: np.ndarray
    lengths: np.ndarray
    counts: np.ndarray

    @property
    def size(self) -> int:
        """Return how many bytes values and lengths take."""
        return len(self.lengths) * (self.values.itemsize + 1)


def runs_of(words: np.ndarray, cuts: np.ndarray) -> Runs:
    """Return the runs of integers between *cuts*, which ascend from 0 to their number."""
    begins = np.empty(len(words), bool)
    np.not_equal(words[1:], words[:-1], out=begins[1:])
    begins[cuts[:-1]] = True
    starts = np.flatnonzero(begins)
    lengths = np.diff(starts, append=len(words))
    if len(lengths) and lengths.max() > _LONGEST:
        more = (lengths - 1) // _LONGEST
        run = np.repeat(np.arange(len(starts)), more + 1)
        within = np.arange(len(run)) - (np.cumsum(more + 1) - more - 1)[run]
        starts = starts[run] + within * _LONGEST
        lengths = np.minimum(lengths[run] - within * _LONGEST, _LONGEST)
    counts = np.diff(np.searchsorted(starts, cuts))
    return Runs(words[starts], lengths.astype(np.uint8), counts)


@dataclass(frozen=True, slots=True)
class RunLengths:
    """Integers as runs: a buffer of values, and one of their lengths.

    Attributes:
        words: The integers, unsigned.
    """

    words: np.ndarray

    @property
    def count(self) -> int:
        """Return the number of values."""
        return len(self.words)

    @property
    def encoding(self) -> e.CompressiveEncoding:
        """Return the message that describes the encoding."""
        message = e.Rle(values=flat(self.words.itemsize * _BYTE), run_lengths=flat(_BYTE))
        return e.CompressiveEncoding(rle=message)

    @property
    def num_buffers(self) -> int:
        """Return the number of buffers of values in a chunk."""
        return 2

    @property
    def most(self) -> int:
        """Return the number of values in a chunk."""
        return _MOST_OF_RUNS

    @property
    def size(self) -> int:
        """Return the bytes of all values."""
        cuts = np.arange(0, self.count, _MOST_OF_RUNS, dtype=np.int64)
        return runs_of(self.words, np.append(cuts, self.count)).size

    def parts(self, cuts: np.ndarray) -> list[Part]:
        """Return the values of runs and their lengths, for each chunk."""
        found = runs_of(self.words, cuts)
        return [
            Part.joined(found.values.view(np.uint8), found.counts * self.words.itemsize),
            Part.joined(found.lengths, found.counts),
        ]


_WIDTH: Final = 2
_LENGTH: Final = 8
"""Bytes of the size before the values of runs."""


class EncodedLevels(Protocol):
    """The encoded levels of chunks."""

    @property
    def encoding(self) -> e.CompressiveEncoding:
        """Return the message that describes the encoding."""

    def part(self, cuts: np.ndarray) -> Part:
        """Return the levels of each chunk; *cuts* are the bounds of the chunks."""


def levels_of(levels: np.ndarray, cuts: np.ndarray, options: Options) -> EncodedLevels:
    """Return the levels in the smallest form: packed, or as runs where the version has them."""
    packed = _Packed(levels, max(1, int(levels.max(initial=0)).bit_length()))
    if options.has_runs_of_levels:
        # A run takes three bytes and more than one level, or it is no gain over packed levels.
        changes = int(np.count_nonzero(levels[1:] != levels[:-1]))
        if changes * (_WIDTH + 1) < len(levels) * packed.bits // 8:
            runs = _Runs(runs_of(levels, cuts))
            if runs.part(cuts).sizes.sum() < packed.part(cuts).sizes.sum():
                return runs
    return packed


@dataclass(frozen=True, slots=True)
class _Packed:
    """Levels packed into *bits* bits each, 1,024 at a time."""

    levels: np.ndarray
    bits: int

    @property
    def encoding(self) -> e.CompressiveEncoding:
        message = e.OutOfLineBitpacking(
            uncompressed_bits_per_value=LEVEL_BITS, values=flat(self.bits)
        )
        return e.CompressiveEncoding(out_of_line_bitpacking=message)

    def part(self, cuts: np.ndarray) -> Part:
        """Return packed levels; those after the last 1,024 stay unpacked if that is smaller."""
        size, most = self.bits * bit_packing.INTEGERS // LEVEL_BITS, bit_packing.INTEGERS
        counts = np.diff(cuts)
        full, tail = counts // most, counts % most
        is_packed = tail > size
        groups, rest = full + is_packed, np.where(is_packed, 0, tail)
        chunk = np.repeat(np.arange(len(groups)), groups)
        within = np.arange(len(chunk)) - (np.cumsum(groups) - groups)[chunk]
        out = np.empty(len(chunk) * size, "<u2")
        targets = np.arange(len(chunk), dtype=np.int64) * size
        widths = np.full(len(chunk), self.bits, np.int64)
        pack(self.levels, cuts[:-1][chunk] + within * most, widths, out, targets)
        pieces, sizes = Pieces(len(groups)), groups * size * _WIDTH
        pieces.add(out, np.cumsum(sizes) - sizes, sizes)
        pieces.add(self.levels, (cuts[:-1] + full * most) * _WIDTH, rest * _WIDTH)
        return Part.joined(pieces.joined(), pieces.sizes)


@dataclass(frozen=True, slots=True)
class _Runs:
    """Levels as runs: the bytes of the values, the values, the lengths."""

    runs: Runs

    @property
    def encoding(self) -> e.CompressiveEncoding:
        message = e.Rle(values=flat(LEVEL_BITS), run_lengths=flat(8))
        return e.CompressiveEncoding(rle=message)

    def part(self, _: np.ndarray) -> Part:
        """Return the block of each chunk; the runs know the cuts."""
        counts = self.runs.counts
        starts = np.cumsum(counts) - counts
        pieces = Pieces(len(counts))
        pieces.add_rows((counts * _WIDTH).astype(f"<u{_LENGTH}")[:, None])
        pieces.add(self.runs.values, starts * _WIDTH, counts * _WIDTH)
        pieces.add(self.runs.lengths, starts, counts)
        return Part.joined(pieces.joined(), pieces.sizes)
