"""A file with some ranges kept in memory, for readers that read them repeatedly."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from byteloom.storage.sources import Source

__all__ = ["HeldRanges"]


class HeldRanges:
    """A file; ranges that are not kept in memory are read on demand.

    size  number of bytes of the file
    """

    def __init__(self, source: Source, ranges: Iterable[tuple[int, int]]) -> None:
        """Read each (offset, length), cut at the end of the file, and keep it."""
        self._source, self.size, self.name = source, source.size, source.name
        inside = sorted({(at, min(length, source.size - at)) for at, length in ranges})
        inside = [(at, length) for at, length in inside if at >= 0 and length > 0]
        self._starts = [at for at, _ in inside]
        self._parts = source.read_ranges(inside) if inside else []

    def read(self, offset: int, length: int) -> bytes:
        """Return exactly these bytes."""
        found = bisect_right(self._starts, offset) - 1
        if found >= 0:
            first, part = offset - self._starts[found], self._parts[found]
            if first + length <= len(part):
                return part if length == len(part) else part[first : first + length]
        return self._source.read(offset, length)
