"""Folders that are made once on a machine, for all processes of a user.

They are in ``$XDG_CACHE_HOME/byteloom`` or ``~/.cache/byteloom``, and named by a hash of what they
were made from, so that none is ever changed.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

__all__ = ["cache_root", "cached_folder"]


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
