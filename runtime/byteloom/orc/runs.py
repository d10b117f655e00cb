"""What the runs of a stream say of its numbers, without keeping any: bounds and sums.

A stream comes in parts: a run may begin in one and end in the next.

Source: https://orc.apache.org/specification/ORCv1/ ("Run Length Encoding")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from byteloom.errors import FormatError
from byteloom.kernels import orc_sizes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["Numbers", "check_scales", "check_tags"]

_SCALE: Final = 38
_LEFT: Final = 255
"""The largest scale that is left to the library: digits beyond those of the column are dropped."""

_RUN: Final = 128
"""Heads below are of runs of one byte, of this number less, and 3 more."""


class Numbers:
    """The bounds of the numbers of a stream, and the greatest sum of any consecutive ones.

    is_cut_off  whether the stream ends inside a run
    """

    def __init__(
        self, parts: Iterable[bytes], version: int, most: int, *, is_signed: bool = False
    ) -> None:
        """Add up the runs of a stream of at most *most* numbers.

        version    of its runs, 1 or 2
        is_signed  whether the lowest bit of a number is its sign
        """
        state = self._state = np.zeros(orc_sizes.HEAD + 4 * orc_sizes.LEVELS, np.int64)

        def take(data: bytes) -> tuple[int, bool]:
            stored = np.frombuffer(data, np.uint8)
            taken = orc_sizes.add_runs(stored, version, is_signed, most, state)
            return int(taken), state[0] >= most

        self.is_cut_off = _take_parts(parts, take)

    @property
    def total(self) -> int:
        """The sum of all numbers."""
        return int(self._state[orc_sizes.TOTAL])

    @property
    def lowest(self) -> int:
        """The smallest number, or 0; a number that takes 64 bits may count as the largest."""
        return int(self._state[orc_sizes.LOWEST])

    @property
    def longest(self) -> int:
        """The largest number, or 0."""
        return int(self._state[orc_sizes.LARGEST])

    def of(self, count: int) -> int:
        """Return the greatest sum of *count* consecutive numbers."""
        most = min(self.total, self.longest * count)
        for level in range(orc_sizes.LEVELS):
            if count <= 1 << (orc_sizes.FIRST + level):
                return min(most, int(self._state[orc_sizes.HEAD + 4 * level + 3]))
        return most


def check_scales(parts: Iterable[bytes], version: int, most: int, where: str, offset: int) -> None:
    """Refuse a stream of at most *most* scales if one is below 0, or far beyond a decimal's.

    The library multiplies or divides each number by 10 as many times as its scale differs from that
    of the column.  It never ends with a scale below 0, and takes hours for huge ones.

    version      of its runs, 1 or 2
    where        the name of the column in errors
    offset       offset of the stream in the file
    FormatError  such a scale, or a run that is cut off
    """
    held, wanted = Numbers(parts, version, most, is_signed=True), f"scales from 0 to {_SCALE}"
    for scale in (held.lowest, held.longest):
        if not 0 <= scale <= _LEFT:
            raise FormatError(where, offset, f"a scale of {scale}", wanted)
    if held.is_cut_off:
        raise FormatError(where, offset, "a run of scales that does not end", wanted)


def check_tags(parts: Iterable[bytes], inner: int, most: int, where: str, offset: int) -> None:
    """Refuse a stream of at most *most* tags if one of them is of no type inside the union.

    A tag says which type inside the union has the value.  The library counts the values of each
    without comparing the tag with their number, in memory that may be something else's.

    inner        how many types are inside
    where        the name of the column in errors
    offset       offset of the stream in the file
    FormatError  such a tag
    """
    seen = 0

    def take(data: bytes) -> tuple[int, bool]:
        nonlocal seen
        at = 0
        while seen < most and at + 1 < len(data):
            head = data[at]
            count = head + 3 if head < _RUN else 256 - head
            end = at + 2 if head < _RUN else at + 1 + count
            if end > len(data):
                break
            if (tag := max(data[at + 1 : end])) >= inner:
                raise FormatError(where, offset, f"a tag of {tag}", f"tags below {inner}")
            seen, at = seen + count, end
        return at, seen >= most

    _take_parts(parts, take)


def _take_parts(parts: Iterable[bytes], take: Callable[[bytes], tuple[int, bool]]) -> bool:
    """Give each part to *take*, after what was left of those before; return if a run is cut off.

    parts  the bytes of the stream, decompressed
    take   returns how many bytes it has taken, and whether it wants no more
    """
    rest = b""
    for part in parts:
        data = rest + part
        taken, is_done = take(data)
        if is_done:
            return False
        rest = data[taken:]
    return bool(rest)
