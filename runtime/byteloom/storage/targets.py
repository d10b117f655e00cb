"""Write a file that appears whole or not at all.

The rules all targets obey:

- Until `commit`, the final name has no file, or the old one.
- On a filesystem that can rename, bytes go to a temporary name in the same directory, which takes
  the final name in one step.  A local file is synced first, and its directory after it.
- On an object store an upload appears when it is closed, and an upload that is garbage-collected is
  closed, too.  So bytes wait in a local spool, and the upload begins with `commit`.
- Leaving the ``with`` block by an exception aborts, and no trace remains.  The same is true of an
  interrupt before that block: a target that is garbage-collected without `commit` or `abort`
  removes its temporary file.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, Self, TypeAlias, runtime_checkable
from weakref import finalize

from byteloom.late import tempfile
from byteloom.storage.sources import storing

if TYPE_CHECKING:
    Data: TypeAlias = "bytes | bytearray | memoryview"

__all__ = ["LocalTarget", "RenameTarget", "Sink", "SpoolTarget", "Target", "write_all"]

_COPY: Final = 1 << 20
_MOST_PIECES: Final = 1024
_MOST_AT_ONCE: Final = 1 << 30
"""Most pieces, and most bytes, of one system call on Linux and macOS."""


@runtime_checkable
class Target(Protocol):
    """A place that bytes are written to, front to back."""

    name: str

    def write(self, data: Data) -> None:
        """Add *data*, which the caller may overwrite afterwards."""

    def commit(self) -> None:
        """Make everything written visible under the final name."""

    def abort(self) -> None:
        """Discard everything written; after `commit` this does nothing."""


class _Guarded:
    """What all targets share: a ``with`` block that ends in `abort` unless `commit` was called."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._done = False
        self._removal: finalize[..., Any] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.abort()

    def write(self, data: Data) -> None:
        """Add *data*."""
        with storing(self.name):
            self._write(data)

    def write_all(self, pieces: Sequence[Data]) -> None:
        """Add *pieces*, one after the other."""
        with storing(self.name):
            self._write_all(pieces)

    def commit(self) -> None:
        """Make everything written visible under the final name, or nothing if that fails."""
        try:
            with storing(self.name):
                self._publish()
            self._done = True
        finally:
            self.abort()

    def abort(self) -> None:
        """Discard everything written; after `commit` this does nothing."""
        if not self._done:
            self._done = True
            with suppress(Exception):  # the failure that led here is the one to report
                self._forget()
        if self._removal:
            self._removal.detach()

    def _remove_when_dropped(self, remove: Callable[[], Any]) -> None:
        """Call *remove* if this object, or the program, ends before `commit` and `abort`."""
        self._removal = finalize(self, _remove, os.getpid(), remove)

    def _write(self, data: Data) -> None:
        raise NotImplementedError

    def _write_all(self, pieces: Sequence[Data]) -> None:
        for piece in pieces:
            self._write(piece)

    def _publish(self) -> None:
        raise NotImplementedError

    def _forget(self) -> None:
        raise NotImplementedError


class LocalTarget(_Guarded):
    """A local file."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Open a temporary file beside *path*; a symbolic link is followed, not replaced."""
        super().__init__(os.fspath(path))
        with storing(self.name):
            self._path = Path(os.path.realpath(path))
            self._temporary = self._path.with_name(_temporary(self._path.name))
            self._remove_when_dropped(partial(self._temporary.unlink, missing_ok=True))
            self._file = self._temporary.open("xb")

    def _write(self, data: Data) -> None:
        self._file.write(data)

    def _write_all(self, pieces: Sequence[Data]) -> None:
        """Write the pieces without joining them, as many per system call as possible."""
        size = sum(map(len, pieces))
        done = 0
        if 0 < len(pieces) <= _MOST_PIECES and size <= _MOST_AT_ONCE:
            self._file.flush()
            done = os.writev(self._file.fileno(), pieces)
        for piece in pieces if done < size else ():
            self._file.write(memoryview(piece)[done:])
            done = max(done - len(piece), 0)

    def _publish(self) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        self._temporary.replace(self._path)
        with suppress(OSError):  # some filesystems cannot sync a directory
            _sync_directory(self._path.parent)

    def _forget(self) -> None:
        with suppress(OSError):  # closing writes what is buffered, which may be what failed
            self._file.close()
        self._temporary.unlink(missing_ok=True)


class RenameTarget(_Guarded):
    """A file in a `pyarrow.fs` filesystem that can rename: HDFS, SFTP, memory and the like."""

    def __init__(self, filesystem: Any, path: str) -> None:
        """Open a temporary file beside *path* of *filesystem*."""
        super().__init__(path)
        self._filesystem, self._path = filesystem, path
        head, slash, tail = path.rpartition("/")
        self._temporary = f"{head}{slash}{_temporary(tail)}"
        self._remove_when_dropped(partial(filesystem.delete_file, self._temporary))
        with storing(path):
            # Without compression=None, pyarrow would compress a file whose name ends in .gz.
            self._file = filesystem.open_output_stream(self._temporary, compression=None)

    def _write(self, data: Data) -> None:
        self._file.write(data)

    def _publish(self) -> None:
        self._file.close()
        self._filesystem.move(self._temporary, self._path)

    def _forget(self) -> None:
        with suppress(Exception):  # an output stream that failed may fail again when closed
            self._file.close()
        self._filesystem.delete_file(self._temporary)


class SpoolTarget(_Guarded):
    """An object store, or an open file object: all bytes are uploaded at once, at the end."""

    def __init__(self, name: str, hand_over: Callable[[Any], None]) -> None:
        """Collect bytes for *hand_over*, which gets a file to copy from."""
        super().__init__(name)
        self._hand_over = hand_over

        self._spool = tempfile.NamedTemporaryFile(prefix="byteloom-")

    def _write(self, data: Data) -> None:
        self._spool.write(data)

    def _publish(self) -> None:
        self._spool.flush()
        self._spool.seek(0)
        self._hand_over(self._spool)
        self._spool.close()

    def _forget(self) -> None:
        self._spool.close()


class Sink:
    """A file for pyarrow, on top of any object with a method ``write``."""

    closed = False

    def __init__(self, out: Any) -> None:
        """Pass bytes to *out*."""
        self._out, self._at = out, 0

    def drop(self) -> None:
        """Ignore what comes from now on: pyarrow's writers end their files when they are freed."""
        self._out = None

    def write(self, data: Any) -> int:
        """Add *data*."""
        size = len(data)
        if self._out is not None:
            self._out.write(bytes(data))
        self._at += size
        return size

    def tell(self) -> int:
        """Return how many bytes there are."""
        return self._at

    def flush(self) -> None:
        """Do nothing: bytes are passed on at once."""

    def close(self) -> None:
        """Do nothing: the opener of the file closes it."""


def write_all(target: Target, pieces: Sequence[Data]) -> None:
    """Add *pieces* to *target*, at once if it can."""
    if isinstance(target, _Guarded):
        target.write_all(pieces)
        return
    for piece in pieces:
        target.write(piece)


def upload(filesystem: Any, path: str) -> Callable[[Any], None]:
    """Return the function that copies a spool to *path* in an object store of `pyarrow.fs`."""

    def hand_over(spool: Any) -> None:
        with filesystem.open_output_stream(path, compression=None) as stream:
            shutil.copyfileobj(spool, stream, _COPY)

    return hand_over


def put(filesystem: Any, path: str) -> Callable[[Any], None]:
    """Return the function that copies a spool to *path* in an object store of fsspec."""
    return lambda spool: filesystem.put_file(spool.name, path)


def copy_into(file: Any) -> Callable[[Any], None]:
    """Return the function that copies a spool into an open file object, at its position."""

    def hand_over(spool: Any) -> None:
        while piece := spool.read(_COPY):
            _write_fully(file, piece)
        file.flush()

    return hand_over


def _write_fully(file: Any, piece: bytes) -> None:
    """Write all of *piece* to a file that may accept fewer bytes at a time (a raw one does)."""
    left = memoryview(piece)
    while left:
        taken = file.write(left)
        if not taken:
            raise OSError(f"took {taken} of {len(left)} bytes")
        left = left[taken:]


def _remove(process: int, remove: Callable[[], Any]) -> None:
    """Remove a temporary file, unless this is a fork of the process that writes it."""
    if process == os.getpid():
        with suppress(Exception):  # nobody is left to report it to
            remove()


def _temporary(name: str) -> str:
    """Return a name that no other writer has; a leading dot hides it from listings of tables.

    It contains 100 bytes of the final name: filesystems allow 255 bytes, however many characters.
    """
    known = name.encode(errors="ignore")[:100].decode(errors="ignore")
    return f".{known}.{os.urandom(8).hex()}.tmp"


def _sync_directory(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
