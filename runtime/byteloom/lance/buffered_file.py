"""A Lance file with a buffer: of its end, and of what was fetched of a file in a store."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Final

from byteloom.storage.sources import LocalSource

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from byteloom.storage import Source

__all__ = ["FETCH", "BufferedFile"]

FETCH: Final = 1 << 16
"""Bytes of the first request: the metadata of some 300 columns."""

NEAR: Final = 1 << 14
"""Most bytes between two ranges that are read in one request."""


class BufferedFile:
    """A file whose last bytes were fetched, and are not fetched again.

    Attributes:
        source: Reads all other bytes.
        tail: The last bytes.
        start: Where they begin.
        is_local: Whether ranges are read from a local file, not requested from a store.

    The bytes that a scan of a file in a store needs next are kept, too.
    """

    def __init__(self, source: Source) -> None:
        """Fetch the last bytes of *source*, which its owner closes."""
        self.source: Final = source
        self.name, self.size = source.name, source.size
        self.tail: Final = source.read_tail(FETCH)
        self.start: Final = source.size - len(self.tail)
        self.is_local: Final = isinstance(source, LocalSource)
        self._held: list[tuple[int, bytes]] = []

    @property
    def read_into(self) -> Callable[[int, memoryview], None] | None:
        """A function that fills memory with the bytes from an offset on; None for a store."""
        return self._read_into if self.is_local else None

    def _read_into(self, offset: int, out: memoryview) -> None:
        at = offset - self.start
        if at >= 0 and at + len(out) <= len(self.tail):
            out[:] = self.tail[at : at + len(out)]
        elif isinstance(self.source, LocalSource):
            self.source.read_into(offset, out)

    def hold(self, ranges: Sequence[tuple[int, int]]) -> None:
        """Read *ranges* at once, and keep these bytes instead of those that were kept before.

        Ranges that are close to each other are read with the bytes between them.
        """
        wanted: list[list[int]] = []
        for offset, size in sorted(ranges):
            if wanted and offset - wanted[-1][1] <= NEAR:
                wanted[-1][1] = max(wanted[-1][1], offset + size)
            else:
                wanted.append([offset, offset + size])
        self._held = []
        found = self.read_ranges([(start, end - start) for start, end in wanted])
        self._held = [(start, data) for (start, _), data in zip(wanted, found, strict=True)]

    def read_tail(self, length: int) -> bytes:
        """Return the last *length* bytes, or all there are."""
        if length <= len(self.tail):
            return self.tail[len(self.tail) - length :]
        return self.source.read_tail(length)

    def close(self) -> None:
        """Leave the file open."""

    def read(self, offset: int, length: int) -> bytes:
        """Return exactly *length* bytes from *offset* on."""
        return self.read_ranges([(offset, length)])[0]

    def read_ranges(self, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
        """Return the bytes of each (offset, length), in the order asked for."""
        known = [self._known(*each) for each in ranges]
        missing = [each for each, data in zip(ranges, known, strict=True) if data is None]
        fetched = iter(self.source.read_ranges(missing) if missing else ())
        return [next(fetched) if data is None else data for data in known]

    def _known(self, offset: int, length: int) -> bytes | None:
        """Bytes that are in memory; None where they are not."""
        if offset >= self.start:
            return self.tail[offset - self.start :][:length]
        held = self._held
        at = bisect_right(held, offset, key=lambda each: each[0]) - 1 if held else -1
        if at < 0:
            return None
        start, data = held[at]
        inside = offset - start
        return data[inside : inside + length] if inside + length <= len(data) else None
