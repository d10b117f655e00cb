"""The file that a command looks at: a path or a URL, read in ranges."""

from __future__ import annotations

from contextlib import closing, contextmanager
from io import SEEK_END
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import TYPE_CHECKING

from byteloom.errors import StorageError, Truncated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Source"]


class Source:
    """A named run of bytes.

    name   what the user called it
    size   in bytes
    fetch  gives the bytes of a range (offset, size)
    """

    __slots__ = ("_fetch", "name", "size")

    def __init__(self, name: str, size: int, fetch: Callable[[int, int], bytes]) -> None:
        """Stand for *size* bytes that *fetch* gives."""
        self.name = name
        self.size = size
        self._fetch = fetch

    def read(self, start: int, size: int) -> bytes:
        """Return *size* bytes from *start*, and never fewer."""
        data = self._fetch(start, size)
        if len(data) != size:
            raise Truncated("", start, f"{len(data)} bytes", f"{size} bytes")
        return data

    @classmethod
    @contextmanager
    def open(cls, name: str) -> Iterator[Source]:
        """Give the file *name*, a path or a URL, for as long as the block lasts."""
        try:
            with Path(name).open("rb") as file:
                size = file.seek(0, SEEK_END)
                data = mmap(file.fileno(), 0, access=ACCESS_READ) if size else None
        except OSError as error:
            raise StorageError(f"{name}: {error.strerror or error}") from error
        if data is None:
            yield cls(name, 0, lambda _at, _size: b"")
            return
        with closing(data):
            yield cls(name, size, lambda at, size: data[at : at + size])
