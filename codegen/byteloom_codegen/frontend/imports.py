"""Imports: from the names in ``meta/imports`` to files.

A relative name leads from the folder of the importing file, an absolute one (``/a/b``) from the
folders of the search path.  Each file is read once; files may import each other in a circle.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from byteloom_codegen.errors import Problems, SpecError
from byteloom_codegen.frontend.outline import Unit, outline
from byteloom_codegen.frontend.place import Place
from byteloom_codegen.frontend.yaml_tree import parse
from byteloom_codegen.model import Location

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Importer"]

MAX_SIZE: Final = 1 << 24
"""The largest public spec has some 100 KB."""


@dataclass(slots=True)
class Importer:
    """Reads files and what they import.

    include       the folders of the search path
    opaque_types  whether unknown types are classes written elsewhere, where a file does not say
    units         every file read so far, by its resolved path
    """

    include: Sequence[Path]
    problems: Problems
    opaque_types: bool = False
    units: dict[Path, Unit] = field(default_factory=dict)

    def read(self, path: Path, shown: str) -> Unit:
        """Return the outline of a file; *shown* is the name that errors give it."""
        place = Place(*parse(_text(path, shown), shown))
        return self.add(path, place)

    def add(self, path: Path, place: Place) -> Unit:
        """Return the outline of a file that was read, and read all its imports."""
        first = self._outline(path, place)
        waiting = [(path, first)]
        while waiting:
            where, unit = waiting.pop()
            for each in self._names(unit):
                with self.problems:
                    waiting += self._import(where, unit, each)
        return first

    def _outline(self, path: Path, place: Place) -> Unit:
        unit = outline(place, self.problems, opaque_types=self.opaque_types)
        self.units[path.resolve()] = unit
        return unit

    def _names(self, unit: Unit) -> list[Place]:
        meta = unit.place.get("meta")
        imports = None if meta is None else meta.get("imports")
        if imports is None:
            return []
        with self.problems:
            return list(imports.items()) if imports.is_list else [imports]
        return []

    def _import(self, importing: Path, unit: Unit, name: Place) -> list[tuple[Path, Unit]]:
        """Return what has to be searched for imports in its turn."""
        path, shown = self._find(importing, unit.spec.file, name)
        known = self.units.get(path.resolve())
        found = known
        if found is None:
            with self.problems:
                found = self._outline(path, Place(*parse(_text(path, shown), shown)))
        if found is None:
            return []
        if found not in unit.imports:
            unit.imports.append(found)
            unit.spec.imports.append(found.spec)
        return [] if known else [(path, found)]

    def _find(self, importing: Path, file: str, place: Place) -> tuple[Path, str]:
        name = place.text()
        if name.startswith("/"):
            candidates = [(folder / f"{name[1:]}.ksy") for folder in self.include]
            for path in candidates:
                if _is_file(path):
                    return path, str(path)
            searched = ", ".join(map(str, self.include)) or "no folder"
            raise place.error(
                f"unable to find '{name[1:]}.ksy' in import search paths, using: {searched}",
                "see -I and KSPATH",
            )
        path = importing.parent / f"{name}.ksy"
        if not _is_file(path):
            raise place.error(f"unable to find '{path}'", _without_suffix(name))
        return path, str(Path(file).parent / f"{name}.ksy")


def _without_suffix(name: str) -> str:
    return "leave .ksy out" if name.endswith(".ksy") else ""


def decoded(raw: bytes, shown: str) -> str:
    """Return the text of a spec's file, which errors call *shown*."""
    whole = Location(shown, 0, 0)
    if len(raw) > MAX_SIZE:
        raise SpecError(whole, f"longer than {MAX_SIZE} bytes")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        found = f"byte {error.object[error.start]:#04x} at {error.start}"
        raise SpecError(whole, f"not UTF-8: {found}") from error


def _text(path: Path, shown: str) -> str:
    whole = Location(shown, 0, 0)
    try:
        if path.exists() and not path.is_file():  # a named pipe would block whoever opens it
            raise SpecError(whole, "cannot be read: not a regular file")
        with path.open("rb") as file:
            raw = file.read(MAX_SIZE + 1)
        return decoded(raw, shown)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise SpecError(whole, f"cannot be read: {reason}") from error


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name that no file can have
        return False
