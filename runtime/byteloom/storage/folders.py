"""Folders wherever they are stored: their listings, and their files.

- A name is relative to the folder, its parts joined by ``/``.
- A missing folder counts as an empty one: object stores cannot distinguish the two.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

from byteloom.late import pa_fs
from byteloom.storage.open import resolve, source_in
from byteloom.storage.sources import Source, storing
from byteloom.storage.whole import read_whole

if TYPE_CHECKING:
    from byteloom.storage.allowed import Allowed

__all__ = ["Folder"]


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
            selector = pa_fs.FileSelector(place, allow_not_found=True)
            return list(self.arrow().get_file_info(selector))

    def arrow(self) -> Any:
        """Return the filesystem in the form of `pyarrow.fs`."""
        if self.filesystem is None:
            return pa_fs.LocalFileSystem()
        if hasattr(self.filesystem, "cat_file"):
            return pa_fs.PyFileSystem(pa_fs.FSSpecHandler(self.filesystem))
        return self.filesystem
