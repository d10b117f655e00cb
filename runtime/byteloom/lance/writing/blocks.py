"""Blocks: levels or a dictionary in one buffer, for a chunk or a page.

Source: https://lance.org/format/file/encoding/#block-compression
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from byteloom.lance.units import LEVEL_BITS
from byteloom.lance.writing.integers import Runs, pack, runs_of
from byteloom.lance.writing.pieces import Pieces
from byteloom.lance.writing.values import Part, flat
from byteloom_generated.lance import bit_packing
from byteloom_generated.lance import encodings21 as e

if TYPE_CHECKING:
    from byteloom.lance.writing.options import Options

__all__ = ["EncodedLevels", "levels_of"]

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
