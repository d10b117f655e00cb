"""The records of an edited one, and the elements of its lists, each with what it was.

Elements at both ends of a list that are as they were read are the same ones.  Numbers that say
where their parts are may differ: these follow when an edit elsewhere moves the parts.
"""

from __future__ import annotations

from collections import deque
from contextlib import contextmanager
from functools import lru_cache
from operator import eq
from re import split
from threading import local
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from byteloom.editing.formulas import position_formula
from byteloom.editing.places import MISSING, MOST, PartPaths, bare, part
from byteloom.wire.members import is_record, stored

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from byteloom.wire.record import Record

__all__ = ["Pairs", "aligned", "kept_partners", "parts_read"]

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


class Pairs:
    """The records of an edited one, each with what it was and where that was.

    records   path, the record, the record as it was read
    twins     by ids of records, and of lists with the same elements: what each was
    changed   by path, the lists with other elements: for each the index of the one that it was
    partners  the same by the ids of these lists
    parts     the parts that are read only when asked for
    """

    def __init__(self, record: Record, as_read: Record) -> None:
        """Go through *record* and what it was *as_read*, as far as both are alike."""
        self.records: list[tuple[str, Any, Any]] = []
        self.twins: dict[int, Any] = {}
        self.changed: dict[str, Partners] = {}
        self.partners: dict[int, Partners] = {}
        parts = set[str]()
        self.parts = PartPaths(parts)
        waiting: deque[tuple[str, Any, Any]] = deque([(bare(as_read.NAME), record, as_read)])
        while waiting:
            path, now, was = waiting.popleft()
            if id(now) in self.twins and len(self.records) >= MOST:
                continue  # it may be inside itself
            if is_record(now) and type(now) is type(was):
                self.records.append((path, now, was))
                self.twins.setdefault(id(now), was)
                parts |= {f"{path}.{bare(name)}" for name in type(now).LAZY}
                waiting += _members(path, now, was)
            elif isinstance(now, list) and isinstance(was, list):
                partners = aligned(now, was)
                if partners == list(range(len(was))):
                    self.twins.setdefault(id(now), was)
                else:
                    self.changed[path] = self.partners[id(now)] = partners
                waiting += [
                    (f"{path}[{index}]", now[number], was[index])
                    for number, index in enumerate(partners)
                    if index is not None
                    and (isinstance(now[number], list) or is_record(now[number]))
                ]

    def as_read(self, path: str) -> str | None:
        """Return what *path* of the edited record was; None for what is new."""
        if not self.changed:
            return path
        pieces = split(r"\[(\d+)\]", path)
        found = pieces[0]
        for number in range(1, len(pieces), 2):
            index: int | None = int(pieces[number])
            partners = self.changed.get(found)
            if partners is not None:
                index = (*partners, None)[min(index or 0, len(partners))]
            if index is None:
                return None
            found = f"{found}[{index}]{pieces[number + 1]}"
        return found


def _members(path: str, now: Any, was: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield the records and lists in a record, and its parts that were read, with what each was."""
    for name in stored(now):
        value = getattr(now, name)
        if isinstance(value, list) or is_record(value):
            yield f"{path}.{bare(name)}", value, getattr(was, name)
    for name, hidden in type(now).LAZY.items():
        value = getattr(now, hidden)
        if value is not None:
            yield f"{path}.{bare(name)}", value, part(was, name)


@contextmanager
def parts_read(record: Record, as_read: Record | None) -> Iterator[None]:
    """Read all parts of *record* that no edit affects, and drop them at the end of the block."""
    read: list[tuple[Any, str]] = []
    waiting: deque[tuple[Any, Any]] = deque([(record, as_read or MISSING)])
    while waiting and len(read) < MOST:
        now, was = waiting.popleft()
        if is_record(now):
            twin = was if type(was) is type(now) else MISSING
            for name in stored(now):
                waiting.append((getattr(now, name), getattr(twin, name, MISSING)))
            for name, hidden in type(now).LAZY.items():
                is_there = getattr(now, hidden) is not None
                value, before = (
                    part(now, name),
                    part(twin, name) if twin is not MISSING else MISSING,
                )
                if not is_there and value is not MISSING:
                    if before is not MISSING and value != before:
                        setattr(now, hidden, None)
                        continue
                    read.append((now, hidden))
                waiting.append((value, before))
        elif isinstance(now, list | tuple) and any(is_record(each) for each in now[:1]):
            partners = aligned(now, was) if isinstance(was, list) else [None] * len(now)
            waiting += [
                (each, MISSING if index is None else was[index])
                for each, index in zip(now, partners, strict=True)
            ]
    try:
        yield
    finally:
        for owner, hidden in read:
            setattr(owner, hidden, None)
