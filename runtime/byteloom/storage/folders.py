"""Folders wherever they are stored: their listings, their files, the walk through all below one.

- A name is relative to the folder, its parts joined by ``/``.
- A missing folder counts as an empty one: object stores cannot distinguish the two.

Every command that searches through folders walks as these rules say:

- Links to folders are not followed: one may lead to a parent, and a folder that several links lead
  to must count once. They are recorded, so that a command can report what it left out.
- A folder that cannot be read does not end the walk; its error is recorded.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from byteloom.errors import StorageError
from byteloom.late import pa_fs
from byteloom.storage.open import resolve, source_in
from byteloom.storage.sources import Source, read_whole, storing

if TYPE_CHECKING:
    from byteloom.storage.allowed import Allowed

__all__ = ["Folder", "Level", "Walk"]


class Folder:
    """A folder of a filesystem.

    filesystem  of `pyarrow.fs` or fsspec; None for the local one
    path        path of the folder in its filesystem, without a ``/`` at its end
    """

    def __init__(
        self,
        place: str | os.PathLike[str],
        *,
        filesystem: Any = None,
        allowed: Allowed | None = None,
    ) -> None:
        """Keep the place of the folder; nothing is read yet.

        place       path or URL
        filesystem  of `pyarrow.fs` or fsspec, in which *place* is a path
        allowed     prefixes below which opened files must be; None for anywhere
        """
        self._allowed, self._place = allowed, os.fspath(place).rstrip("/")
        self.filesystem, path = resolve(place, filesystem)
        self.path: Final = path.rstrip("/") or "/"

    def __str__(self) -> str:
        return self.path

    @property
    def exists(self) -> bool:
        """Return whether anything has the path; True in a store, which has no real folders."""
        return self.filesystem is not None or os.path.exists(self.path)  # noqa: PTH110  Path's may raise

    def files(self, below: str = "") -> dict[str, int]:
        """Return the size of each file in the folder, or in one *below* it, by name."""
        return self.names(below)[1]

    def folders(self, below: str = "") -> list[str]:
        """Return the names of the folders in the folder, or in one *below* it, in order."""
        return self.names(below)[0]

    def names(self, below: str = "") -> tuple[list[str], dict[str, int]]:
        """Return the results of `folders` and `files`, from one request."""
        found = self._infos(below)
        folders = sorted(each.base_name for each in found if each.type == pa_fs.FileType.Directory)
        return folders, {each.base_name: each.size for each in found if each.is_file}

    def open(self, name: str) -> Source:
        """Open a file of the folder for reading; `StorageError` for one that is not allowed."""
        if self._allowed is not None:
            self._allowed.check(f"{self._place}/{name}")
        return source_in(self.filesystem, f"{self.path}/{name}")

    def read(self, name: str) -> bytes:
        """Return all bytes of a file of the folder; `LimitExceeded` for a large one."""
        source = self.open(name)
        try:
            return read_whole(source)
        finally:
            source.close()

    def _infos(self, below: str) -> list[Any]:
        place = f"{self.path}/{below}" if below else self.path
        with storing(place):
            if hasattr(self.filesystem, "invalidate_cache"):  # others may have added files since
                self.filesystem.invalidate_cache(place)
            selector = pa_fs.FileSelector(place, allow_not_found=True)
            return list(self.arrow().get_file_info(selector))

    def arrow(self) -> Any:
        """Return the filesystem in the form of `pyarrow.fs`."""
        if self.filesystem is None:
            return pa_fs.LocalFileSystem()
        if hasattr(self.filesystem, "cat_file"):
            return pa_fs.PyFileSystem(pa_fs.FSSpecHandler(self.filesystem))
        return self.filesystem


class Level(NamedTuple):
    """A folder of the walk.

    below    its path relative to where the walk began, joined by ``/``; empty for the beginning
             itself
    folders  names of the folders in it, in order; remove those that the walk should not enter
    links    names of links to folders, in order, which the walk does not follow
    files    names of everything else in it, in order
    """

    below: str
    folders: list[str]
    links: list[str]
    files: list[str]

    def path(self, name: str) -> str:
        """Return the path of its member *name*, relative to where the walk began."""
        return f"{self.below}/{name}" if self.below else name

    def has_folder(self, name: str) -> bool:
        """Return whether it contains a folder *name*, or a link of that name to a folder."""
        return name in self.folders or name in self.links


class Walk:
    """The folders below a place, each before those in it, in the order of their names.

    refused  the `StorageError` of each folder that could not be read so far, by its place
    links    links to folders found so far, which are not followed
    """

    def __init__(self, place: str) -> None:
        """Begin a walk at *place*; nothing is read yet.

        place  path or URL of a folder
        """
        self.refused: dict[str, StorageError] = {}
        self.links: list[str] = []
        self._place = place.rstrip("/") or "/"
        self._folder = Folder(place)

    def place(self, path: str) -> str:
        """Return the path or URL for *path*, which is relative to where the walk began."""
        return f"{self._place.rstrip('/')}/{path}" if path else self._place

    def __iter__(self) -> Iterator[Level]:
        """Walk from the beginning."""
        waiting = [""]
        while waiting:
            level = self.level(waiting.pop())
            if level is not None:
                self.links += [self.place(level.path(name)) for name in level.links]
                yield level
                waiting += [level.path(name) for name in reversed(level.folders)]

    def level(self, below: str) -> Level | None:
        """Return what is in a folder; None, with the error in `refused`, if it cannot be read."""
        place = self.place(below)
        try:
            with storing(place):
                if self._folder.filesystem is None:
                    return Level(below, *_local(f"{self._folder.path}/{below}"))
                folders, files = self._folder.names(below)
                return Level(below, folders, [], sorted(files))
        except StorageError as error:
            self.refused[place] = error
            return None


def _local(path: str) -> tuple[list[str], list[str], list[str]]:
    """Return the names of folders, links to folders, and everything else in a local folder."""
    folders, links, files = [], [], []
    with os.scandir(path) as found:
        for each in found:
            if each.is_dir(follow_symlinks=False):
                folders.append(each.name)
            elif each.is_symlink() and os.path.isdir(each.path):  # noqa: PTH112  Path's may raise
                links.append(each.name)
            else:
                files.append(each.name)
    return sorted(folders), sorted(links), sorted(files)
