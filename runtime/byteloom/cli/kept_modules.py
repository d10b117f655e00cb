"""Modules of loops, kept on disk for later processes with the machine code of their loops.

- A module has a folder of its own, called by the digest of its text: another spec, or another
  version of byteloom that prints other loops, has another folder.
- Numba keeps its machine code beside the module, for as long as that file and what it calls are as
  they were (`byteloom.wire.compiling`); so a file that is there already is not written again.
- Where nothing can be kept, as in a home that is read-only, modules are used without that.
"""

from __future__ import annotations

import os
from hashlib import blake2b
from typing import TYPE_CHECKING
from uuid import uuid4

from byteloom.spark.caching import cache_root

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["kept_module"]


def kept_module(name: str, text: str) -> Path | None:
    """Return the file *name*.py with this *text*; None where it cannot be kept."""
    data = text.encode()
    try:
        folder = cache_root() / f"loops-{blake2b(data, digest_size=16).hexdigest()}"
        path = folder / f"{name}.py"
        if not path.exists() or path.read_bytes() != data:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            new = folder / f"{name}.{uuid4().hex}"
            new.write_bytes(data)
            new.replace(path)  # no process sees half a file
        return path if os.access(folder, os.W_OK) else None
    except (OSError, RuntimeError):  # no folder, or no home
        return None
