"""Modules made the moment something imports them: ``testformats.<id>``, ``testrecords.<id>``."""

from __future__ import annotations

import importlib
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from typing import TYPE_CHECKING, Final

from byteloom_codegen.kaitaistruct import emit
from byteloom_codegen.load import load_spec
from byteloom_codegen.python.emit import emit as emit_record

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from types import ModuleType

__all__ = ["PACKAGE", "RECORDS", "include_dirs", "install"]

PACKAGE: Final = "testformats"
"""The package that the official unit tests import."""

RECORDS: Final = "testrecords"
"""The package of our own records."""


def include_dirs(suite: Path) -> tuple[Path, ...]:
    """Return where absolute imports are looked up."""
    return (suite / "formats" / "ks_path",)


def install(suite: Path, folder: Path) -> None:
    """Make ``testformats`` a package in *folder* whose modules come from the specs of *suite*."""
    for name in (PACKAGE, RECORDS):
        (folder / name).mkdir(exist_ok=True)
        (folder / name / "__init__.py").touch()
    sys.path[:0] = [
        str(folder),
        str(suite / "spec" / "python"),
        str(suite / "spec" / "python" / "extra"),
    ]
    sys.meta_path.insert(0, _Maker(suite, folder))
    sys.dont_write_bytecode = True


class _Maker(MetaPathFinder):
    def __init__(self, suite: Path, folder: Path) -> None:
        self._suite = suite
        self._folder = folder

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Write the module, and those it imports, before Python's own finder looks for it."""
        package, _, name = fullname.rpartition(".")
        if package not in {PACKAGE, RECORDS}:
            return None
        if not (self._folder / package / f"{name}.py").exists():
            self._make(package, name)
        return PathFinder.find_spec(fullname, path, target)

    def _make(self, package: str, name: str) -> None:
        dirs = include_dirs(self._suite)
        for source in sorted((self._suite / "formats").rglob(f"{name}.ksy"))[:1]:
            spec = load_spec(source, include_dirs=dirs)
            made = (
                emit(spec)
                if package == PACKAGE
                else {f"{name}.py": emit_record(spec, source.name, navigable=True)}
            )
            for file, text in made.items():
                (self._folder / package / file).write_text(text, encoding="utf-8")
            importlib.invalidate_caches()
