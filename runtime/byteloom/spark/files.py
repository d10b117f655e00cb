"""The files that the path of a source refers to.

- A path or URL is that of a file or a folder, or a pattern in which ``*``, ``?`` and ``[...]``
  stand for parts of one name.
- All files below a folder are read, except those that Spark's own sources skip: whose name, or that
  of a folder on the way, begins with ``.`` or ``_``.
- Links to local folders are not followed: one may lead to a folder above.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import translate
from pathlib import Path
from typing import Any, Final, NamedTuple

from byteloom.errors import MissingFile
from byteloom.storage import Folder
from byteloom.storage.options import filesystem_of, path_in
from byteloom.storage.sources import storing
from byteloom.storage.staging import is_hidden

__all__ = ["Found", "absolute", "find_files", "is_file", "located"]

_WILD: Final = re.compile(r"[*?\[]")


class Found(NamedTuple):
    """A file.

    Attributes:
        place: Its path or URL.
        size: In bytes.
    """

    place: str
    size: int


def absolute(place: str) -> str:
    """Return a path or URL that means the same place in every working directory."""
    if "://" in place:
        return place
    return os.path.abspath(place)  # noqa: PTH100  Path would ask the filesystem what `*` is


def located(place: str, storage: Mapping[str, str]) -> tuple[str, Any]:
    """Return the path of a place and its filesystem, if *storage* has options for one.

    Args:
        storage: Options of filesystems, as `byteloom.storage.options` names them.
    """
    filesystem = filesystem_of(place, storage)
    return (place if filesystem is None else path_in(filesystem, place)), filesystem


def find_files(places: Sequence[str], storage: Mapping[str, str]) -> list[Found]:
    """Return the files that *places* refer to, those of one place in the order of their names.

    Args:
        storage: Options of filesystems.

    Raises:
        MissingFile: If a place does not exist, or no file matches its pattern.
        StorageError: A file cannot be read.
    """
    return [file for each in places for file in _files_of(each, storage)]


def _files_of(place: str, storage: Mapping[str, str]) -> Iterator[Found]:
    place = absolute(place)
    folder = _folder(place, storage)
    info = _info(folder)
    if info.is_file:
        yield Found(place, info.size)
    elif info.type.name == "Directory":
        yield from _below(folder, place.rstrip("/"), "", ())
    elif _WILD.search(place):
        parts = place.split("/")
        first = next(number for number, part in enumerate(parts) if _WILD.search(part))
        head = "/".join(parts[:first])
        found = list(_below(_folder(head or "/", storage), head, "", tuple(parts[first:])))
        if not found:
            raise MissingFile(f"{place}: no file matches")
        yield from found
    else:
        raise MissingFile(f"{place}: no such file or folder")


def _folder(place: str, storage: Mapping[str, str]) -> Folder:
    path, filesystem = located(place, storage)
    return Folder(path, filesystem=filesystem)


def is_file(path: str, filesystem: Any) -> bool:
    """Return whether a file exists at a path of a filesystem."""
    return bool(_info(Folder(path, filesystem=filesystem)).is_file)


def _info(folder: Folder) -> Any:
    with storing(str(folder)):
        return folder.arrow().get_file_info(folder.path)


def _below(folder: Folder, place: str, below: str, patterns: tuple[str, ...]) -> Iterator[Found]:
    """Yield the files in one folder below *folder*, and in those in it.

    Args:
        place: The name of *folder* in the paths of files.
        patterns: One for each level of folders; below them, all files match.
    """
    folders, files = folder.names(below)
    for name in sorted([*files, *folders]):
        if not _matches(name, patterns):
            continue
        path = f"{below}/{name}" if below else name
        if name in files:
            if len(patterns) < 2:  # noqa: PLR2004  the last one is that of the file
                yield Found(f"{place}/{path}", files[name])
        elif not _is_link(folder, path):
            yield from _below(folder, place, path, patterns[1:])


def _matches(name: str, patterns: tuple[str, ...]) -> bool:
    if not patterns:
        return not is_hidden(name)
    shown = not is_hidden(name) or patterns[0].startswith(name[0])
    return shown and re.fullmatch(translate(patterns[0]), name) is not None


def _is_link(folder: Folder, path: str) -> bool:
    return folder.filesystem is None and Path(folder.path, path).is_symlink()
