"""The lines of a spec that describe a field, by the class that was generated from it."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Excerpt", "Excerpts"]

_GENERATED: Final = "byteloom_generated"


class Excerpt(NamedTuple):
    """The lines of a spec that describe one field.

    spec  the file
    line  the first of the lines; 1 is the file's first
    text  the lines, without the indent that they share
    """

    spec: str
    line: int
    text: str


class Excerpts:
    """Finds excerpts for the classes of this library, and for those of specs just compiled."""

    def __init__(self, compiled: Mapping[str, dict[str, Any]] | None = None) -> None:
        """Take the documents of *compiled* specs, by the last part of the module's name."""
        self._compiled = compiled or {}
        self._documents: dict[str, dict[str, Any]] = {}

    def of(self, record: type, name: str) -> Excerpt | None:
        """Return the lines that describe the field *name* of *record*; None if there are none."""
        module = record.__module__
        if module not in self._documents:
            self._documents[module] = self._document(module)
        document = self._documents[module]
        found = document.get("classes", {}).get(record.__name__, {}).get(name)
        return None if found is None else Excerpt(document["spec"], *found)

    def _document(self, module: str) -> dict[str, Any]:
        package, _, name = module.rpartition(".")
        if name in self._compiled:
            return self._compiled[name]
        if package.partition(".")[0] != _GENERATED:
            return {}
        path = files(package) / f"{name}.lines.json"
        document: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.is_file() else {}
        return document
