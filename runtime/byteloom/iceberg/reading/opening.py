"""Opening a file of rows, and telling what was wrong with it.

The rules:

- A file has the size that its manifest entry says; another one is damaged, or another file.
- Local files are mapped into memory; what lies in a store is read in ranges.
- Whatever a library raises over a file becomes a `FormatError` that names the file.

Source: Iceberg table spec, "Manifests" (``file_size_in_bytes``).
"""

from __future__ import annotations

import io
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

import pyarrow as pa

from byteloom.errors import ByteloomError, FormatError, Truncated
from byteloom.storage.sources import ArrowSource, LocalSource

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.iceberg.metadata import Relocation
    from byteloom.storage import Source

__all__ = ["about", "native_file", "open_checked"]


def open_checked(relocation: Relocation, path: str, size: int) -> Source:
    """Open the file of a written *path*.

    size         what its entry says; below 0 for nothing
    StorageError no such file
    FormatError  a file of another size
    """
    source = relocation.open(path)
    if size >= 0 and source.size != size:
        held = source.size
        source.close()
        kind = Truncated if held < size else FormatError
        raise kind(path, None, f"{held} bytes", f"{size} bytes, as its manifest says")
    return source


class Readable(Protocol):
    """What can be read in ranges."""

    size: int

    def read(self, offset: int, length: int) -> bytes:
        """Return just these bytes."""


def native_file(source: Readable) -> Any:
    """Return what pyarrow's readers take."""
    if isinstance(source, LocalSource):
        return pa.memory_map(source.name)
    if isinstance(source, ArrowSource):
        return source._file  # noqa: SLF001  the very file, without a copy on the way
    return pa.PythonFile(_Stream(source), mode="r")


@contextmanager
def about(path: str) -> Iterator[None]:
    """Say of any error which file it is about."""
    try:
        yield
    except FormatError as error:
        if path in error.path:
            raise
        raise error.inside(path) from error.__cause__
    except ByteloomError:
        raise
    except (pa.ArrowException, OSError, ValueError, KeyError, IndexError, OverflowError) as error:
        raise FormatError(path, None, _shortly(error), "a sound file") from error


def _shortly(error: BaseException) -> str:
    """The first line of what a library says."""
    told = str(error).strip().splitlines()
    return told[0][:300] if told else type(error).__name__


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
