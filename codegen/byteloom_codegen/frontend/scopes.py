"""Resolve the names of types and enums.

A name is looked up in the type in which it is used, then in each of its owners; then among the top
types of the file itself, of all files it imports, and of all that were loaded with it.  A name that
starts with ``::`` (its first part is empty) is looked up from the top type only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom_codegen.frontend.outline import Unit
    from byteloom_codegen.frontend.place import Place
    from byteloom_codegen.model import EnumSpec, TypeSpec

__all__ = ["Scope"]


@dataclass(frozen=True, slots=True)
class Scope:
    """A type, as the place that names are looked up from."""

    type: TypeSpec
    unit: Unit

    def find_type(self, names: tuple[str, ...]) -> TypeSpec | None:
        """Return the type that ``a::b`` names here; None if there is none."""
        return next(self._types(names), None)

    def find_enum(self, names: tuple[str, ...]) -> EnumSpec | None:
        """Return the enum that ``type::enum`` names here; None if there is none."""
        *owners, name = names
        candidates = self._types(tuple(owners)) if owners else self._outwards()
        return next((found.enums[name] for found in candidates if name in found.enums), None)

    def enum(self, place: Place) -> EnumSpec:
        """Return the enum that the key ``enum`` names."""
        name = place.text()
        found = self.find_enum(tuple(name.split("::")))
        if found is None:
            raise place.error(f"unable to find enum '{name}', searching from {self}")
        return found

    def _types(self, names: tuple[str, ...]) -> Iterator[TypeSpec]:
        for start in self._starts(names[0]):
            found: TypeSpec | None = start
            for name in names[1:]:
                found = found and found.types.get(name)
            if found is not None:
                yield found

    def _starts(self, name: str) -> Iterator[TypeSpec]:
        if not name:
            yield self.unit.spec.top
            return
        for level in self._outwards():
            if name in level.types:
                yield level.types[name]
        unit = self.unit.named(name)
        if unit is not None:
            yield unit.spec.top

    def _outwards(self) -> Iterator[TypeSpec]:
        level: TypeSpec | None = self.type
        while level is not None:
            yield level
            level = level.owner

    def __str__(self) -> str:
        return "::".join(self.type.path)
