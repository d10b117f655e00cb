"""Folders that are made once on a machine, for all processes of a user.

They are in ``$XDG_CACHE_HOME/byteloom`` or ``~/.cache/byteloom``, and named by a hash of what they
were made from, so that none is ever changed.

One of them is byteloom itself, unpacked from the archive that was sent to an executor.  This module
runs where byteloom cannot be imported yet, and imports none of it: in the archive it is a part of
the package ``byteloom_shipped``.  Modules could be imported from the archive itself; machine code,
which is compared with the sources that it was made of, has to be in a folder.
"""

from __future__ import annotations

import atexit
import importlib
import os
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Final

__all__ = ["CONTENT", "cache_root", "cached_folder", "replace_package"]


def cached_folder(name: str, fill: Callable[[Path], None]) -> Path:
    """Return the folder *name* of the user's cache, filled by *fill* if it does not exist.

    Args:
        fill: Puts files into an empty folder, which is then renamed to *name* in one step.

    Returns:
        The folder; if the cache cannot be written, one that is removed when the process ends.
    """
    try:
        return _kept(cache_root() / name, fill)
    except (OSError, RuntimeError):  # RuntimeError is that of a user without a home
        return _kept(_temporary() / name, fill)


def cache_root() -> Path:
    """Return the folder for everything that byteloom caches for this user.

    Raises:
        RuntimeError: For a user without a home.
    """
    given = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(given) if Path(given).is_absolute() else Path.home() / ".cache") / "byteloom"


def _kept(folder: Path, fill: Callable[[Path], None]) -> Path:
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    unfinished = Path(tempfile.mkdtemp(prefix=f"{folder.name}.", dir=folder.parent))
    unfinished.chmod(0o755)
    try:
        fill(unfinished)
        unfinished.rename(folder)
    except BaseException as error:
        shutil.rmtree(unfinished, ignore_errors=True)
        is_there = isinstance(error, OSError) and folder.is_dir()  # another process was first
        if not is_there:
            raise
    return folder


@cache
def _temporary() -> Path:
    """Return a folder of this process."""
    folder = tempfile.mkdtemp(prefix="byteloom-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


CONTENT: Final = "content/"
"""The prefix of the names of byteloom's own files in the archive."""


def replace_package(name: str, file: str) -> None:
    """Import the real package in place of the one called *name* in the archive.

    Args:
        file: The file of the package being imported: the archive's path, then the path inside
            it.
    """
    archive = Path(file).parents[1]

    def unpack(folder: Path) -> None:
        with zipfile.ZipFile(archive) as packed:
            names = [each for each in packed.namelist() if each.startswith(CONTENT)]
            packed.extractall(folder, names)

    place = str(cached_folder(archive.stem, unpack) / CONTENT)
    if place not in sys.path:
        sys.path.insert(0, place)
    importlib.invalidate_caches()
    del sys.modules[name]
    importlib.import_module(name)
