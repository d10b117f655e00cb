"""Paths of what is in a record, as places and errors have them."""

from __future__ import annotations

from re import sub

__all__ = ["PartPaths", "bare", "inside"]


def bare(path: str) -> str:
    """Return *path* with the spec's names: attributes may have an extra underscore."""
    if "_." in path or "_[" in path or path.endswith("_"):
        return sub(r"_+(?=[.\[]|$)", "", path)
    return path


def inside(path: str, outer: str) -> bool:
    """Whether *path* is *outer*, or in it."""
    return path.startswith(outer) and path[len(outer) :][:1] in {"", ".", "["}


class PartPaths:
    """The paths of what is read only when asked for, and what is in them."""

    def __init__(self, paths: set[str]) -> None:
        """Take the *paths*; more may be added to them before the first question."""
        self._paths = paths
        self._known: dict[str, tuple[int, ...]] = {"": ()}

    def around(self, path: str) -> tuple[int, ...]:
        """Return where in *path* those of them end that it is in, or is; the outermost first."""
        unknown, outer = [], path
        while outer not in self._known:
            unknown.append(outer)
            outer = outer[: max(outer.rfind("."), outer.rfind("["), 0)]
        found = self._known[outer]
        for inner in reversed(unknown):
            found = (*found, len(inner)) if inner in self._paths else found
            self._known[inner] = found
        return found
