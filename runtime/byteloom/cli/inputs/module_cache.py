"""Modules, and plans of scans, kept on disk for later processes.

- A module has a folder of its own, called by the digest of its text: another spec, or another
  version of byteloom that prints other loops, has another folder.
- Numba keeps its machine code beside a module of loops, for as long as that file and what it
  calls are as they were (`byteloom.native.compiling`); a file that is there is not written again.
- Where nothing can be kept, as in a home that is read-only, modules are used without that.
- What was not used for long is removed when something new is kept, and of much what was not used
  for longest.  A folder that was used lately stays: a process may be about to read it.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from hashlib import blake2b
from time import time
from typing import TYPE_CHECKING, Final
from uuid import uuid4

from byteloom.spark.caching import cache_root

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["keep_file", "kept_file", "kept_module"]

_KINDS: Final = ("loops-", "scan-")
"""The beginnings of the names of folders that are removed after some time."""

_LONG: Final = 60 * 86_400
"""After this many seconds without use, a folder is removed."""

_LATELY: Final = 3_600
"""A folder that was used within this many seconds stays."""

_MOST: Final = 300
"""Folders that are kept; one has some 100 KB with machine code, else 10."""


def kept_module(name: str, text: str) -> Path | None:
    """Return the file *name*.py with this *text*; None where it cannot be kept."""
    data = text.encode()
    folder = f"loops-{blake2b(data, digest_size=16).hexdigest()}"
    return keep_file(folder, f"{name}.py", data)


def keep_file(folder: str, name: str, data: bytes) -> Path | None:
    """Return the file *name* with *data* in a *folder* of the cache; None if it cannot be kept."""
    try:
        path = cache_root() / folder / name
        if not path.exists() or path.read_bytes() != data:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            new = path.with_name(f"{path.stem}.{uuid4().hex}")
            new.write_bytes(data)
            new.replace(path)  # no process sees half a file
            _remove_old(cache_root())
        _use(path.parent)
        return path if os.access(path.parent, os.W_OK) else None
    except (OSError, RuntimeError):  # no folder, or no home
        return None


def kept_file(folder: str, name: str) -> bytes | None:
    """Return the bytes of the file *name* in a *folder* of the cache; None if there is none."""
    try:
        path = cache_root() / folder / name
        data = path.read_bytes()
        _use(path.parent)
    except (OSError, RuntimeError):
        return None
    return data


def _use(folder: Path) -> None:
    """Note that *folder* is used now."""
    with suppress(OSError):  # of another user, or read-only
        os.utime(folder)


def _remove_old(root: Path) -> None:
    """Remove folders that were not used for long, and the oldest of too many."""
    used: list[tuple[float, Path]] = []
    for each in root.iterdir():
        if each.name.startswith(_KINDS):
            with suppress(OSError):  # another process has removed it
                used.append((each.stat().st_mtime, each))
    now = time()
    for number, (at, each) in enumerate(sorted(used, reverse=True)):
        is_old = now - at > _LONG or (number >= _MOST and now - at > _LATELY)
        if is_old:
            shutil.rmtree(each, ignore_errors=True)
