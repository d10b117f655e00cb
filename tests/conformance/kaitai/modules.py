"""``testformats.<id>``: drop-in modules made the moment something imports them."""

from __future__ import annotations

import importlib
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from typing import TYPE_CHECKING, Final

from byteloom_codegen.kaitaistruct import emit
from byteloom_codegen.load import load_spec

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from types import ModuleType

__all__ = ["PACKAGE", "include_dirs", "install"]

PACKAGE: Final = "testformats"
"""The package that the official unit tests import."""


def include_dirs(suite: Path) -> tuple[Path, ...]:
    """Return where absolute imports are looked up."""
    return (suite / "formats" / "ks_path",)


def install(suite: Path, folder: Path) -> None:
    """Make ``testformats`` a package in *folder* whose modules come from the specs of *suite*."""
    package = folder / PACKAGE
    package.mkdir(exist_ok=True)
    (package / "__init__.py").touch()
    sys.path[:0] = [
        str(folder),
        str(suite / "spec" / "python"),
        str(suite / "spec" / "python" / "extra"),
    ]
    sys.meta_path.insert(0, _Maker(suite, package))
    sys.dont_write_bytecode = True


class _Maker(MetaPathFinder):
    def __init__(self, suite: Path, package: Path) -> None:
        self._suite = suite
        self._package = package

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Write the module, and those it imports, before Python's own finder looks for it."""
        package, _, name = fullname.rpartition(".")
        source = self._suite / "formats" / f"{name}.ksy"
        if package != PACKAGE:
            return None
        if not (self._package / f"{name}.py").exists() and source.is_file():
            for file, text in emit(
                load_spec(source, include_dirs=include_dirs(self._suite))
            ).items():
                (self._package / file).write_text(text, encoding="utf-8")
            importlib.invalidate_caches()
        return PathFinder.find_spec(fullname, path, target)
