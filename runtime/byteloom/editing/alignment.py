"""Which elements of an edited list are which of those that it was read with.

Elements at both ends that are as they were read are the same ones.  Numbers that say where their
parts are may differ: these follow when an edit elsewhere moves the parts.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import lru_cache
from operator import eq
from threading import local
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from byteloom.editing.numbers import position_formula
from byteloom.wire.members import is_record, stored

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

__all__ = ["Partners", "aligned", "kept_partners"]

Partners = list[int | None]
"""For each element of a list the index of the one that it was; None for new ones."""


class _Known(local):
    """The partners of elements of lists, by the ids of the lists, which this thread keeps."""

    partners: Mapping[int, Partners] = MappingProxyType({})


_KNOWN: Final = _Known()


def aligned(now: Sequence[Any], was: Sequence[Any]) -> Partners:
    """Return for each element of *now* its index in *was*; None for new ones.

    Records whose parts were moved, with the numbers that lead to them, are what they were.
    """
    if len(now) == len(was):
        return list(range(len(was)))
    known = _KNOWN.partners.get(id(now))
    if known is not None and len(known) == len(now):
        return known
    first, last = _matching(now, was, eq)
    if first + last < min(len(now), len(was)):
        first, last = _matching(now, was, lambda new, old: new == old or _is_alike(new, old))
    new = len(now) - first - last
    return [*range(first), *[None] * new, *range(len(was) - last, len(was))]


@contextmanager
def kept_partners(partners: Mapping[int, Partners]) -> Iterator[None]:
    """Let elements of edited lists be those that they were, whatever follows during the block."""
    outer, _KNOWN.partners = _KNOWN.partners, partners
    try:
        yield
    finally:
        _KNOWN.partners = outer


def _matching(
    now: Sequence[Any], was: Sequence[Any], same: Callable[[Any, Any], bool]
) -> tuple[int, int]:
    """Return how many elements are the *same* from the start on, and then from the end."""
    shorter = min(len(now), len(was))
    first = 0
    while first < shorter and same(now[first], was[first]):
        first += 1
    last = 0
    while last < shorter - first and same(now[-1 - last], was[-1 - last]):
        last += 1
    return first, last


def _is_alike(now: Any, was: Any) -> bool:
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
