"""Create a file only if it does not exist yet, which makes a commit atomic.

- A local file is written and synced under a temporary name, then linked to its final name, which
  fails if a file of that name exists.
- fsspec's filesystems are asked to create the file, those of object stores in one request.
- `pyarrow.fs` can only replace files, so it is not supported here.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from shutil import rmtree

from byteloom.errors import CommitConflict, Unsupported
from byteloom.storage.folders import Folder
from byteloom.storage.sources import storing
from byteloom.storage.targets import LocalTarget

__all__ = [
    "check_creates",
    "create_file",
    "make_folder",
    "remove_empty_folder",
    "remove_file",
    "remove_folder",
]


def check_creates(folder: Folder) -> None:
    """Refuse a folder whose filesystem cannot create a file only if it does not exist.

    raises  `Unsupported`
    """
    if folder.filesystem is not None and not hasattr(folder.filesystem, "pipe_file"):
        found = type(folder.filesystem).__name__
        raise Unsupported(str(folder), None, found, "a local folder, or a filesystem of fsspec")


def make_folder(folder: Folder, name: str) -> None:
    """Create a folder below *folder*, unless its filesystem has no folders."""
    if folder.filesystem is None:
        with storing(f"{folder}/{name}"):
            Path(folder.path, name).mkdir(parents=True, exist_ok=True)
        return
    with storing(f"{folder}/{name}"):
        folder.filesystem.makedirs(f"{folder.path}/{name}", exist_ok=True)


def create_file(folder: Folder, name: str, data: bytes) -> None:
    """Create a file with *data*, whole or not at all.

    raises  `CommitConflict` if a file of that name exists, `Unsupported`, `StorageError`
    """
    check_creates(folder)
    try:
        if folder.filesystem is None:
            _create_local(Path(folder.path, name), data)
        else:
            with storing(f"{folder}/{name}"):
                folder.filesystem.pipe_file(f"{folder.path}/{name}", data, mode="create")
    except Exception as error:
        if isinstance(error, FileExistsError) or isinstance(error.__cause__, FileExistsError):
            raise CommitConflict(f"{folder}/{name}: another writer created it first") from error
        raise


def remove_file(folder: Folder, name: str) -> None:
    """Remove a file that no committed version uses; failures are ignored."""
    with suppress(Exception):  # the failure that led here is the one to report
        if folder.filesystem is None:
            Path(folder.path, name).unlink(missing_ok=True)
        else:
            folder.filesystem.rm_file(f"{folder.path}/{name}")


def remove_empty_folder(folder: Folder, name: str) -> None:
    """Remove a local folder below *folder* if it is empty; object stores have no folders."""
    if folder.filesystem is None:
        with suppress(OSError):  # another writer has put a file into it, or removed it
            Path(folder.path, name).rmdir()


def remove_folder(folder: Folder) -> None:
    """Remove a folder with all that is in it; `StorageError` if that fails."""
    with storing(str(folder)):
        if folder.filesystem is None:
            rmtree(folder.path)
        else:
            folder.filesystem.rm(folder.path, recursive=True)


class _NewFile(LocalTarget):
    """A local file that is created only if it does not exist."""

    def _publish(self) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        os.link(self._temporary, self._path)
        with suppress(OSError):  # the file is there; and some filesystems cannot sync a directory
            self._temporary.unlink()
            _sync(self._path.parent)


def _create_local(path: Path, data: bytes) -> None:
    with _NewFile(path) as target:
        target.write(data)
        target.commit()


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
