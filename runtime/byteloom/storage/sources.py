"""Reading ranges of a file.

The rules all sources obey:

- A range is checked against the size first; one beyond the end of the file is `Truncated`.
- A short read is `Truncated` too: the file has shrunk meanwhile.
- An error of a filesystem becomes a `StorageError` that names the file, with the cause chained.
- Reads may come from several threads.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Any, Final, Protocol, Self, runtime_checkable

from byteloom.errors import ByteloomError, MissingFile, StorageError, TooLarge, Truncated
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.redaction import shown_cause
from byteloom.storage.local import regular_file
from byteloom.storage.ranges import DEFAULT_GAP, merged

__all__ = [
    "ArrowSource",
    "BytesSource",
    "FileSource",
    "LocalSource",
    "Source",
    "name_of",
    "read_whole",
    "storing",
]

PARALLEL: Final = 8
"""Concurrent requests, which fit the connection pool of each common store."""

_MEMORY, _NAMELESS = "bytes", "file object"
"""Names, in errors, of sources whose bytes have none."""


@runtime_checkable
class Source(Protocol):
    """Bytes of a known size that are read in ranges."""

    name: str
    size: int

    def read(self, offset: int, length: int) -> bytes:
        """Return exactly the *length* bytes at *offset*."""

    def read_tail(self, length: int) -> bytes:
        """Return the last *length* bytes, or all of them if there are fewer."""

    def read_ranges(self, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
        """Return the bytes of each (offset, length), in the given order."""

    def close(self) -> None:
        """Release all resources."""


def name_of(source: Source) -> str | None:
    """Return the name of the file that *source* reads; None for bytes without a name."""
    return None if source.name in {_MEMORY, _NAMELESS} else source.name


_JAVA: Final = ("libjvm", "libhdfs")
"""Words in errors on a machine without Java or Hadoop."""


class storing:  # noqa: N801  as contextlib.closing, and in a third of a generator's time
    """Turn any error of a filesystem, in a ``with`` block, into a `StorageError` about a file.

    MissingFile  the file does not exist
    """

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        """Name the file of the block."""
        self._name = name

    def __enter__(self) -> None:
        """Begin the block."""

    def __exit__(self, _: object, error: BaseException | None, trace: object) -> None:
        """Raise the error of the block; filesystems of third parties raise what they like."""
        if isinstance(error, Exception) and not isinstance(error, ByteloomError):
            raise _stored_error(error, self._name) from shown_cause(error)


def _stored_error(error: Exception, name: str) -> StorageError:
    """Return the error about the file *name*, with which a filesystem failed."""
    reason = _reason(error)
    kind = MissingFile if isinstance(error, FileNotFoundError) else StorageError
    return kind(f"{name}: {reason or type(error).__name__}").about(name)


def _reason(error: Exception) -> str:
    """Return why a filesystem failed; without Java, pyarrow lists every place that it tried."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    if any(each in reason for each in _JAVA):
        return "hdfs:// needs libhdfs and Java: set HADOOP_HOME, JAVA_HOME and CLASSPATH"
    return reason.partition("\n\nDebug source:")[0].rstrip()  # after which obstore says it again


class _Ranged:
    """What all sources share: bounds, merging, and closing at the end of a ``with`` block."""

    gap = DEFAULT_GAP
    parallel = 1

    def __init__(self, name: str, size: int) -> None:
        """Keep the *name*, which errors show, and the *size*."""
        self.name = name
        self.size = size

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Release all resources."""

    def read(self, offset: int, length: int) -> bytes:
        """Return exactly the *length* bytes at *offset*."""
        self._check(offset, length)
        with storing(self.name):
            data = self._fetch(offset, length)
        if len(data) != length:
            raise Truncated(self.name, offset, f"{len(data)} bytes", f"{length} bytes")
        return data

    def read_tail(self, length: int) -> bytes:
        """Return the last *length* bytes, or all of them if there are fewer."""
        length = min(length, self.size)
        return self.read(self.size - length, length)

    def read_ranges(self, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
        """Return the bytes of each (offset, length), in the given order."""
        for offset, length in ranges:
            self._check(offset, length)
        requests = merged(ranges, self.gap)
        found = [b""] * len(ranges)
        for request, data in zip(requests, self._fetch_all(requests), strict=True):
            for index in request.members:
                offset, length = ranges[index]
                start = offset - request.offset
                # A request for one range is passed on unchanged.
                found[index] = data[start : start + length] if len(data) != length else data
        return found

    def _fetch(self, offset: int, length: int) -> bytes:
        raise NotImplementedError

    def _fetch_all(self, requests: Sequence[tuple[int, int, list[int]]]) -> list[bytes]:
        if self.parallel == 1 or len(requests) < 2:  # noqa: PLR2004  one request needs no thread
            return [self.read(offset, length) for offset, length, _ in requests]
        with ThreadPoolExecutor(min(self.parallel, len(requests))) as pool:
            return list(pool.map(lambda request: self.read(request[0], request[1]), requests))

    def _check(self, offset: int, length: int) -> None:
        if offset < 0 or length < 0 or offset + length > self.size:
            left = f"{self.size} bytes in all"
            raise Truncated(self.name, offset, left, f"bytes {offset} to {offset + length}")


class BytesSource(_Ranged):
    """Bytes in memory."""

    gap = 0

    def __init__(self, data: bytes | bytearray | memoryview, name: str = _MEMORY) -> None:
        """Read from *data*, which must not change meanwhile."""
        self._view = memoryview(data).cast("B")
        super().__init__(name, len(self._view))

    def _fetch(self, offset: int, length: int) -> bytes:
        return bytes(self._view[offset : offset + length])


class LocalSource(_Ranged):
    """A local file, read at offsets: each range costs one copy and one system call.

    It is not mapped into memory, since reading a page that the file lost later would end the
    process.
    """

    gap = 0

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Open the file at *path*; `StorageError` for anything but a regular file."""
        name = os.fspath(path)
        with storing(name):
            self._file, size = regular_file(name)
        super().__init__(name, size)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    @property
    def path(self) -> str:
        """A path that leads to this file even if another one has taken its name since."""
        own = f"/dev/fd/{self._file.fileno()}"
        return own if os.access(own, os.R_OK) else self.name

    def _fetch(self, offset: int, length: int) -> bytes:
        handle = self._file.fileno()
        data = os.pread(handle, length, offset)
        if len(data) == length:
            return data
        parts = [data]  # one call returns 2 GiB at most
        while data and (missing := length - sum(map(len, parts))):
            data = os.pread(handle, missing, offset + length - missing)
            parts.append(data)
        return b"".join(parts)

    def read_into(self, offset: int, out: memoryview) -> None:
        """Fill *out* with the bytes from *offset* on, at half the cost of `read`."""
        self._check(offset, len(out))
        done = 0
        while done < len(out):
            try:  # `storing` takes longer than a short read
                count = os.preadv(self._file.fileno(), [out[done:]], offset + done)
            except Exception as error:  # noqa: BLE001  as in `storing`
                raise _stored_error(error, self.name) from shown_cause(error)
            if count == 0:
                raise Truncated(self.name, offset, f"{done} bytes", f"{len(out)} bytes")
            done += count


class FileSource(_Ranged):
    """An open binary file object, one read at a time; it stays open when this source is closed."""

    def __init__(self, file: Any, name: str | None = None) -> None:
        """Read from *file*, which can seek; if *name* is None, the file's own name is used."""
        name = str(getattr(file, "name", _NAMELESS)) if name is None else name
        self._file, self._lock = file, Lock()
        with storing(name):
            super().__init__(name, file.seek(0, os.SEEK_END))

    def _fetch(self, offset: int, length: int) -> bytes:
        with self._lock:
            self._file.seek(offset)
            return _read_fully(self._file, length)


class ArrowSource(_Ranged):
    """A file in a `pyarrow.fs` filesystem."""

    parallel = PARALLEL

    def __init__(self, filesystem: Any, path: str) -> None:
        """Open the file at *path* of *filesystem*."""
        with storing(path):
            self._file = filesystem.open_input_file(path)
            super().__init__(path, self._file.size())

    def close(self) -> None:
        """Close the file."""
        with storing(self.name):
            self._file.close()

    def _fetch(self, offset: int, length: int) -> bytes:
        return bytes(self._file.read_at(length, offset))


class FsspecSource(_Ranged):
    """A file in an fsspec filesystem, read in ranges without fsspec's own read-ahead."""

    parallel = PARALLEL

    def __init__(self, filesystem: Any, path: str) -> None:
        """Look up the file at *path* of *filesystem*."""
        self._filesystem, self._path = filesystem, path
        with storing(path):
            size = filesystem.size(path)
            if size is None:
                text = f"{path}: its filesystem does not report its size"
                raise StorageError(text).about(path)
            super().__init__(path, int(size))

    def _fetch(self, offset: int, length: int) -> bytes:
        if length == 0:
            return b""
        return bytes(self._filesystem.cat_file(self._path, start=offset, end=offset + length))


def _read_fully(file: Any, length: int) -> bytes:
    """Read *length* bytes of a file that may return fewer at a time (a raw one does)."""
    data = file.read(length)
    if len(data) == length:
        return bytes(data)
    parts = [data]
    while data and (missing := length - sum(map(len, parts))):
        data = file.read(missing)
        parts.append(data)
    return b"".join(parts)


def read_whole(source: Source, limits: Limits = DEFAULT_LIMITS) -> bytes:
    """Return all bytes of *source*; `TooLarge` for more than ``limits.metadata_size``."""
    most = limits.metadata_size
    if source.size > most:
        wanted = f"at most {most} (limits.metadata_size)"
        raise TooLarge(source.name, None, f"{source.size} bytes", wanted)
    return source.read(0, source.size)
