"""Find the source files that a module's compiled loops depend on, and their digest.

- Machine code depends on a module and on everything that it calls in others; a loop is recompiled
  when
any of them has changed.
- A module's sources are its own, and those of the modules of byteloom that it imports at its head,
  and so on; what compiles and calls kernels counts as well.
"""

from __future__ import annotations

import re
import sys
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["digest", "path_of", "sources"]

_IMPORT: Final = re.compile(r"^from (\.*[\w.]*) import|^import (byteloom[\w.]*)", re.MULTILINE)
_COMPILER: Final = (
    "byteloom.native.intrinsics",
    "byteloom.native.build",
    "byteloom.native.entry",
    "byteloom.native.linking",
)
_APART: Final = {"byteloom.native.kernel"}
"""Modules that decide how a kernel runs, not what it does."""


@cache
def path_of(module: str) -> Path | None:
    """Return the file of an imported module, or of a module beside one; None if there is none."""
    top, *rest = module.split(".")
    place = getattr(sys.modules.get(top), "__file__", None)
    loaded = getattr(sys.modules.get(module), "__file__", None)
    if loaded or not place:
        return Path(loaded) if loaded else None
    path = Path(place).parent.joinpath(*rest)
    return next((p for p in (path.with_suffix(".py"), path / "__init__.py") if p.exists()), None)


def sources(module: str) -> list[str]:
    """Return the names of the modules that compiled code of *module* depends on, sorted."""
    found: set[str] = set()
    left = [module, *_COMPILER]
    while left:
        name = left.pop()
        if name in found or name in _APART or (path := path_of(name)) is None:
            continue
        found.add(name)
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        imported = _IMPORT.findall(path.read_text("utf-8"))
        left += [_absolute(one or other, package) for one, other in imported]
    return sorted(found)


def _absolute(name: str, package: str) -> str:
    """Return the full name of module *name* imported in *package*; empty if not byteloom's."""
    dots = len(name) - len(name.lstrip("."))
    if dots:
        parts = package.split(".")
        return ".".join([*parts[: len(parts) - dots + 1], name[dots:]]).rstrip(".")
    return name if name.split(".", maxsplit=1)[0] in {"byteloom", "byteloom_generated"} else ""


def digest(modules: Iterable[str], *more: str) -> str:
    """Return a digest of the files of *modules*, and of *more*; empty if a module has no file."""
    total = blake2b(digest_size=16)
    for name in modules:
        path = path_of(name)
        if path is None:
            return ""
        total.update(f"{name}\0".encode() + path.read_bytes() + b"\0")
    for text in more:
        total.update(text.encode())
    return total.hexdigest()
