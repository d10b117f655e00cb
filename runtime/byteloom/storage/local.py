"""Open local files without ever blocking.

Opening a named pipe blocks until somebody writes to it, a terminal until somebody types, and
opening a device can change it.  So the kind is looked up first, and only regular files are
opened; in non-blocking mode, in case another file has taken the name in between.
"""

from __future__ import annotations

import os
import re
import stat
from io import FileIO
from typing import Final

from byteloom.errors import StorageError

__all__ = ["LOCAL_URL", "regular_file"]

LOCAL_URL: Final = re.compile(r"file:(//localhost)?/+", re.IGNORECASE)
"""The beginning of a local path's URL, up to the root, with the host of RFC 8089 or without."""

_KINDS: Final = {
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def regular_file(path: str | os.PathLike[str]) -> tuple[FileIO, int]:
    """Return the regular file at *path*, open for reading and unbuffered, and its size.

    StorageError  a directory, pipe, socket or device
    OSError       no such file, or no permission to read it
    """
    _check(path, os.stat(path).st_mode)  # noqa: PTH116  Path's takes longer
    file = FileIO(path, opener=_handle)
    try:
        found = os.fstat(file.fileno())
        _check(path, found.st_mode)
    except BaseException:
        file.close()
        raise
    return file, found.st_size


def _handle(path: str, _: int) -> int:
    """Open a file without blocking; the calling `FileIO` owns it at once, even after Ctrl-C."""
    return os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)


def _check(path: str | os.PathLike[str], mode: int) -> None:
    """Refuse anything that is not a regular file."""
    if not stat.S_ISREG(mode):
        kind = _KINDS.get(stat.S_IFMT(mode), "a special file")
        name = os.fspath(path)
        raise StorageError(f"{name}: found {kind}, wanted a regular file").about(name)
