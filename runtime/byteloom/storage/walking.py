"""All folders below one: the walk of every command that searches through folders.

- Links to folders are not followed: one may lead to a parent, and a folder that several links lead
  to must count once. They are recorded, so that a command can report what it left out.
- A folder that cannot be read does not end the walk; its error is recorded.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from byteloom.errors import StorageError
from byteloom.storage.folders import Folder
from byteloom.storage.sources import storing

__all__ = ["Level", "Walk"]


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
