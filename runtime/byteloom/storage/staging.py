"""Files of one job that appear in a folder together, or not at all.

- Writers put files into a hidden folder below; each is complete once it has its name there.  One
  process publishes the files to be kept, and removes the hidden folder with all others, such as
  those of a task that ran twice.
- To publish is a move for each file.  A job that replaces files first moves the old ones into the
  hidden folder, so that `withdraw` can put them back until the last move is made.
- An empty file ``_SUCCESS``, as Spark and Hadoop write it, shows that all moves were made.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Final

from byteloom.storage.folders import Folder
from byteloom.storage.sources import storing

__all__ = ["SUCCESS", "Staging", "is_hidden"]

SUCCESS: Final = "_SUCCESS"
_REPLACED: Final = "replaced"


def is_hidden(name: str) -> bool:
    """Return whether readers such as Spark skip a file or folder of this name."""
    return name.startswith((".", "_"))


class Staging:
    """The files of one job; it can be pickled.

    folder  the folder in which they appear
    job     the id of the job, which is a part of the name of each published file
    """

    def __init__(self, folder: Folder, job: str) -> None:
        """Keep the folder, the id and whether there is such a folder; nothing is written yet."""
        self.folder, self.job = folder, job
        self._is_new = not folder.exists
        self._hidden = f".byteloom-{job}"

    def place(self, name: str) -> str:
        """Create the hidden folder if necessary; return the path in it for the file *name*."""
        self._make(self._hidden)
        return f"{self.folder}/{self._hidden}/{name}"

    def publish(self, names: Iterable[tuple[str, str]], *, replaces: bool) -> None:
        """Make files visible.

        names     the name of each file in the hidden folder, and its final name, which contains the
                  job's id
        replaces  whether files now visible in the folder, or below it, are removed
        raises    `StorageError`; `withdraw` then undoes what was done
        """
        self._make("")
        if replaces:
            self._move_all("", f"{self._hidden}/{_REPLACED}")
        for staged, name in names:
            self._move(f"{self._hidden}/{staged}", name)
        path = f"{self.folder}/{SUCCESS}"
        with storing(path), self._filesystem.open_output_stream(path, compression=None):
            pass
        with suppress(Exception):  # all files are in place; what remains is hidden
            self._remove_hidden()

    def withdraw(self) -> None:
        """Remove every file of the job, put back those that it replaced, and drop a new folder."""
        for name in self.folder.files():
            if self.job in name:
                with storing(f"{self.folder}/{name}"):
                    self._filesystem.delete_file(f"{self.folder}/{name}")
        self._move_all(f"{self._hidden}/{_REPLACED}", "")
        self._remove_hidden()
        if self._is_new and self.folder.exists and self.folder.names() == ([], {}):
            with storing(str(self.folder)):
                self._filesystem.delete_dir(str(self.folder))

    @property
    def _filesystem(self) -> Any:
        return self.folder.arrow()

    def _make(self, below: str) -> None:
        place = f"{self.folder}/{below}".rstrip("/")
        with storing(place):
            self._filesystem.create_dir(place, recursive=True)

    def _move(self, name: str, to: str) -> None:
        with storing(f"{self.folder}/{name}"):
            self._filesystem.move(f"{self.folder}/{name}", f"{self.folder}/{to}")

    def _move_all(self, source: str, target: str) -> None:
        """Move everything visible in one folder, subfolders included, to another."""
        folders, files = self.folder.names(source)
        names = [name for name in files if not is_hidden(name) or name == SUCCESS]
        if names:
            self._make(target)
        for name in names:
            self._move(_joined(source, name), _joined(target, name))
        for name in folders:
            if not is_hidden(name):
                self._move_all(_joined(source, name), _joined(target, name))

    def _remove_hidden(self) -> None:
        if self._hidden in self.folder.folders():
            place = f"{self.folder}/{self._hidden}"
            with storing(place):
                self._filesystem.delete_dir(place)


def _joined(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name
