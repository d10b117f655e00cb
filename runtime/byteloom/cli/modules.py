"""Run generated modules from their text, without installing them.

The text is imported from a folder of its own, and forgotten afterwards.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from importlib import invalidate_caches
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import TYPE_CHECKING

from byteloom.cli.kept_modules import kept_module

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

__all__ = ["add_module", "importing"]

_NUMBERS = count()


@contextmanager
def importing() -> Iterator[Callable[[Mapping[str, str]], str]]:
    """Yield a function that makes modules, text by name, a package; it returns the package's name.

    Packages can be imported from until the block ends.
    """
    packages: list[str] = []
    with TemporaryDirectory(prefix="byteloom-", ignore_cleanup_errors=True) as folder:

        def package(modules: Mapping[str, str]) -> str:
            packages.append(_package(Path(folder), modules))
            return packages[-1]

        try:
            yield package
        finally:
            for name in [each for each in sys.modules if each.partition(".")[0] in packages]:
                del sys.modules[name]


def _package(folder: Path, modules: Mapping[str, str]) -> str:
    name = f"_byteloom_traced_{next(_NUMBERS)}"
    (folder / name).mkdir()
    for module, text in modules.items():
        (folder / name / f"{module}.py").write_text(text, encoding="utf-8")
    package = ModuleType(name)
    package.__path__ = [str(folder / name)]
    sys.modules[name] = package
    invalidate_caches()
    return name


def add_module(package: str, name: str, text: str) -> None:
    """Make *text* one more module of a package that can be imported, before any other of its name.

    It is kept on disk, where there is a place for it, with its bytecode and machine code of loops.
    """
    path = kept_module(name, text)
    if path is None:
        path = Path(sys.modules[package].__path__[0]) / f"{name}.py"
        path.write_text(text, encoding="utf-8")
    else:
        sys.modules[package].__path__.insert(1, str(path.parent))  # after its own folder
    invalidate_caches()
