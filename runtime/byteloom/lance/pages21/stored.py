"""A page's buffers, read when they are needed.

Source: https://lance.org/format/file/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.errors import FormatError, LimitExceeded
from byteloom.lance.pages21.parts import aligned, bytes_of

if TYPE_CHECKING:
    import numpy as np

    from byteloom.lance.columns import Page
    from byteloom.limits import Limits
    from byteloom.storage import Source

__all__ = ["StoredPage"]

_SMALL: Final = 1 << 18
_SHARE: Final = 4


class StoredPage:
    """A page and what reads its buffers.

    path    what errors call it
    at      where its description is in the file
    length  rows, as the page has them
    """

    def __init__(self, page: Page, source: Source, limits: Limits) -> None:
        """Read nothing yet."""
        self.path, self.at, self.length = page.path, page.at, page.length
        self.source, self.limits, self.places = source, limits, page.buffers
        for number, (_, size) in enumerate(page.buffers):
            if size > limits.decompressed_size:
                path = f"{self.path}.buffers[{number}]"
                wanted = f"at most {limits.decompressed_size} (limits.decompressed_size)"
                raise LimitExceeded(path, self.at, f"{size} bytes", wanted)

    def need(self, *counts: int) -> None:
        """Refuse a page that has another number of buffers than one of *counts*."""
        if len(self.places) not in counts:
            wanted = " or ".join(map(str, counts))
            raise FormatError(f"{self.path}.buffer_offsets", self.at, len(self.places), wanted)

    def buffers(self, numbers: range) -> list[np.ndarray]:
        """Return buffers in one read, each at a multiple of eight in memory."""
        wanted = [self.places[number] for number in numbers]
        start = min((offset for offset, _ in wanted), default=0)
        end = max((offset + size for offset, size in wanted), default=0)
        if end - start <= sum(size for _, size in wanted) + _SMALL:
            data = bytes_of(self.source.read(start, end - start))
            return [aligned(data[o - start : o - start + s]) for o, s in wanted]
        return [aligned(bytes_of(each)) for each in self.source.read_ranges(wanted)]

    def pieces(self, number: int, starts: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """Return pieces of a buffer, one after the other, at a multiple of eight in memory."""
        offset, size = self.places[number]
        return aligned(bytes_of(b"".join(self._pieces(offset, size, starts, sizes))))

    def _pieces(
        self, offset: int, size: int, starts: np.ndarray, sizes: np.ndarray
    ) -> list[memoryview]:
        if size <= _SMALL or sizes.sum() * _SHARE >= size:
            view = memoryview(self.source.read(offset, size))
            ends = starts + sizes
            return [view[a:b] for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]
        ranges = list(zip((offset + starts).tolist(), sizes.tolist(), strict=True))
        return [memoryview(each) for each in self.source.read_ranges(ranges)]
