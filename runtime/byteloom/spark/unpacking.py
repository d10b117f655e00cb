"""Unpack byteloom from the archive that was sent to an executor, once on each machine.

This runs where byteloom cannot be imported yet, and imports none of it: in the archive it is a part
of the package ``byteloom_shipped``.  Modules could be imported from the archive itself; machine
code, which is compared with the sources that it was made of, has to be in a folder.
"""

from __future__ import annotations

import importlib
import sys
import zipfile
from pathlib import Path
from typing import Final

from .caching import cached_folder

__all__ = ["CONTENT", "replace_package"]

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
