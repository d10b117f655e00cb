"""Files in the form that pyarrow's readers accept, and files with some ranges kept in memory.

- Local files are not mapped into memory: if a mapped file shrinks, reading a lost page ends the
  process.
- Files in a store are read in ranges.
"""

from __future__ import annotations

import io
from bisect import bisect_right
from collections.abc import Iterable
from typing import Any, Protocol

from byteloom.late import pa
from byteloom.storage.sources import ArrowSource, LocalSource, Source

__all__ = ["HeldRanges", "Readable", "local_file", "native_file"]


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


class Readable(Protocol):
    """Anything that can be read in ranges."""

    size: int

    def read(self, offset: int, length: int) -> bytes:
        """Return exactly the *length* bytes at *offset*."""


def native_file(source: Readable) -> Any:
    """Return *source* as a file that pyarrow's readers accept."""
    if isinstance(source, LocalSource):
        return pa.OSFile(source.path)
    if isinstance(source, ArrowSource):
        return source._file  # noqa: SLF001  the very file, without a copy on the way
    return pa.PythonFile(_Stream(source), mode="r")


def local_file(path: str) -> Any:
    """Return the regular file at *path* as a file that pyarrow's readers accept.

    StorageError  anything but a regular file
    """
    with LocalSource(path) as source:
        return native_file(source)


class _Stream(io.RawIOBase):
    """A source as a file object."""

    def __init__(self, source: Readable) -> None:
        super().__init__()
        self._source = source
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._source.size}[whence]
        self._at = base + offset
        return self._at

    def read(self, size: int | None = -1) -> bytes:
        left = max(self._source.size - self._at, 0)
        count = left if size is None or size < 0 else min(size, left)
        data = self._source.read(self._at, count)
        self._at += count
        return data
