"""Run generated modules from their text, and keep some on disk for later processes.

- A spec is code: the custom processors that it names are imported and run.
- Modules are imported from memory, so that nothing needs a folder that can be written, and
  forgotten afterwards.  Those that are kept, and plans of scans, are files of a cache on disk.
- A kept module has a folder of its own, called by the digest of its text: another spec, or another
  version of byteloom that prints other loops, has another folder.
- Numba keeps its machine code beside a module of loops, for as long as that file and what it
  calls are as they were (`byteloom.native.kernel`); a file that is there is not written again.
- Where nothing can be kept, as in a home that is read-only, modules are used without that.
- What was not used for long is removed when something new is kept, and of much what was not used
  for longest.  A folder that was used lately stays: a process may be about to read it.
"""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import contextmanager, suppress
from hashlib import blake2b
from importlib import import_module, invalidate_caches
from importlib.abc import InspectLoader, MetaPathFinder
from importlib.machinery import ModuleSpec
from itertools import count
from os import environ, pathsep
from pathlib import Path
from time import time
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from byteloom.errors import ByteloomError
from byteloom.spark.caching import cache_root

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

__all__ = [
    "add_module",
    "imported",
    "importing",
    "keep_file",
    "kept_file",
    "kept_module",
    "packaged",
]

_NUMBERS = count()


class _Texts(InspectLoader, MetaPathFinder):
    """Imports modules whose text is in memory, by their full names."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    def find_spec(self, fullname: str, *_: object) -> ModuleSpec | None:
        """Return how the module is imported; None for modules that are elsewhere."""
        return ModuleSpec(fullname, self) if fullname in self.texts else None

    def is_package(self, fullname: str) -> bool:  # noqa: ARG002  (none of them is)
        """Return False."""
        return False

    def get_source(self, fullname: str) -> str:
        """Return the text, which those ask for that inline its functions, or show its lines."""
        return self.texts[fullname]

    def get_code(self, fullname: str) -> CodeType:
        """Return the text, compiled."""
        return compile(self.texts[fullname], f"{fullname}.py", "exec", dont_inherit=True)


@contextmanager
def importing() -> Iterator[Callable[[Mapping[str, str]], str]]:
    """Yield a function that makes modules, text by name, a package; it returns the package's name.

    Packages can be imported from until the block ends.
    """
    packages: list[str] = []
    texts = _Texts()

    def package(modules: Mapping[str, str]) -> str:
        name = f"_byteloom_traced_{next(_NUMBERS)}"
        texts.texts |= {f"{name}.{module}": text for module, text in modules.items()}
        made = ModuleType(name)
        made.__path__, made.__loader__ = [], texts
        sys.modules[name] = made
        packages.append(name)
        return name

    sys.meta_path.insert(0, texts)
    try:
        yield package
    finally:
        sys.meta_path.remove(texts)
        for name in [each for each in sys.modules if each.partition(".")[0] in packages]:
            del sys.modules[name]


@contextmanager
def packaged(texts: Mapping[str, str], classes: Sequence[Path]) -> Iterator[str]:
    """Make modules of *texts* a package that imports from *classes* too; yield its name."""
    with importing() as package, _on_path(classes):
        name = package(texts)
        sys.modules[name].__path__ += [
            *map(str, classes),
            *filter(None, environ.get("PYTHONPATH", "").split(pathsep)),
        ]
        yield name


@contextmanager
def _on_path(folders: Sequence[Path]) -> Iterator[None]:
    """Let modules in *folders* be imported until the block ends."""
    before = sys.path[:]
    sys.path[:0] = map(str, folders)
    try:
        yield
    finally:
        sys.path[:] = before


def imported(module: str, spec: Path) -> Any:
    """Import the *module* that was generated from *spec*."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        missing = (error.name or "").rpartition(".")[2]
        wanted = "wanted the module of a class that the spec names, see --classes and PYTHONPATH"
        raise ByteloomError(f"{spec}: found no module {missing}, {wanted}") from error


def add_module(package: str, name: str, text: str) -> None:
    """Make *text* one more module of a package that can be imported, before any other of its name.

    It is kept on disk, where there is a place for it, with its bytecode and machine code of loops.
    """
    made, path = sys.modules[package], kept_module(name, text)
    if path is not None:
        made.__path__.insert(0, str(path.parent))
        invalidate_caches()
    elif isinstance(made.__loader__, _Texts):
        made.__loader__.texts[f"{package}.{name}"] = text


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
