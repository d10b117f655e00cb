"""Whether two records differ in nothing but the numbers that say where their parts are.

Such numbers follow when an edit elsewhere moves the parts, so that a record is still the one that
it was read as.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from byteloom.wire.edits import is_record, stored
from byteloom.wire.watching import position_formula

__all__ = ["alike"]


def alike(now: Any, was: Any) -> bool:
    """Whether *now* and *was* are records of one type that differ in positions alone."""
    kind: Any = type(now)
    return is_record(now) and _alike(now, was, _in_positions(kind))


def _alike(now: Any, was: Any, positions: frozenset[str]) -> bool:
    return type(now) is type(was) and all(
        _is_same(getattr(now, name), getattr(was, name), name, positions) for name in stored(now)
    )


def _is_same(now: Any, was: Any, name: str, positions: frozenset[str]) -> bool:
    if now == was:
        return True
    if name not in positions:
        return False
    if is_record(now):
        return _alike(now, was, positions)
    return type(now) is type(was) is int


@lru_cache(maxsize=1024)
def _in_positions(kind: Any) -> frozenset[str]:
    """Return the names that formulas of positions of parts of a *kind* of record use."""
    formulas = filter(None, (position_formula(kind, name) for name in kind.LAZY))
    return frozenset(
        used for each in formulas for used in getattr(kind, each).fget.__code__.co_names
    )
