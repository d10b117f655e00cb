"""Folders that nobody can read, not even root, whom file modes do not stop."""

import os
from contextlib import ExitStack
from pathlib import Path

__all__ = ["too_deep"]

_LONGEST = 4095
"""Characters of a path that Linux takes."""


def too_deep(folder: Path) -> Path:
    """Make folders in *folder* until a path is too long; return the first whose path is."""
    name, found = "n" * 250, folder
    with ExitStack() as opened:
        handle = os.open(folder, os.O_RDONLY)
        for _ in range(20):
            opened.callback(os.close, handle)
            os.mkdir(name, dir_fd=handle)
            handle = os.open(name, os.O_RDONLY, dir_fd=handle)
        os.close(handle)
    while len(str(found)) <= _LONGEST:
        found /= name
    return found
