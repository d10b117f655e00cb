"""Find what was edited in a record since it was read, and its parts that were not read yet."""

from __future__ import annotations

from collections import deque
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from functools import lru_cache
from inspect import Parameter, signature
from operator import eq
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from byteloom.errors import FormatError
from byteloom.wire.following import followed_in
from byteloom.wire.passing import WRITING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from byteloom.wire.reader import Reader
    from byteloom.wire.record import Record

__all__ = [
    "MISSING",
    "MOST",
    "aligned",
    "edited_parameters",
    "edits",
    "edits_by_hand",
    "is_record",
    "parameter_names",
    "parameters",
    "part",
    "parts_read",
    "passed_records",
    "places",
    "source_of",
    "stored",
    "stored_of",
    "twins",
]

MISSING: Final = object()
"""Stands for a part that cannot be read, or that has no counterpart."""

MOST: Final = 20_000
"""The most parts read for a comparison: references between parts may be circular."""


class _Pair(NamedTuple):
    """A value, the same value as read, and the path of the latter.

    key  the id of what has the value, and its attribute or index
    """

    path: str
    now: Any
    was: Any
    key: tuple[int, str | int] = (0, "")


def edits(record: Record, as_read: Record) -> Iterator[str]:
    """Yield the paths of all differences, as in *as_read*; new elements count on after its last."""
    return (pair.path for pair in _differences(record, as_read))


def edits_by_hand(record: Record, as_read: Record) -> list[str]:
    """Return the paths of all differences but those that follow from an earlier edit."""
    followed = followed_in(record)
    differences = _differences(record, as_read)
    return [
        each.path
        for each in differences
        if each.key not in followed or followed[each.key] != each.now
    ]


def _differences(record: Record, as_read: Record) -> Iterator[_Pair]:
    # Imported late, since it imports this module.
    from byteloom.wire.unedited import is_plainly_unedited

    waiting = deque([_Pair(as_read.NAME, record, as_read)])
    while waiting:
        pair = waiting.popleft()
        path, now, was, _ = pair
        if type(now) is type(was) and is_record(now):
            if not is_plainly_unedited(now, was):
                waiting += _members(path, now, was)
        elif isinstance(now, list | tuple) and isinstance(was, list) and _differ(now, was):
            partners = aligned(now, was)
            waiting += [
                _Pair(f"{path}[{index}]", now[number], was[index], (id(now), number))
                for number, index in enumerate(partners)
                if index is not None
            ]
            gone = {*range(len(was))} - {*partners}
            yield from (_Pair(f"{path}[{index}]", MISSING, was[index]) for index in gone)
            if None in partners:
                yield _Pair(f"{path}[{len(was)}]", now, MISSING)
        elif now != was and (now == now or was == was):  # noqa: PLR0124  not a number is itself
            yield pair


def _members(path: str, now: Any, was: Any) -> Iterator[_Pair]:
    """Yield the fields of two records, their positions, and the parts that were accessed."""
    kind: Any = type(now)
    for name in (*stored(now), *_compared_parameters(kind)):
        yield _Pair(f"{path}.{name}", getattr(now, name), getattr(was, name), (id(now), name))
    for hidden in places(kind):
        before = getattr(was, hidden)
        if isinstance(before, int):
            yield _Pair(f"{path}.{hidden[1:]}", getattr(now, hidden), before)
    for name, hidden in kind.LAZY.items():
        value = getattr(now, hidden)
        if value is not None:
            yield _Pair(f"{path}.{name}", value, part(was, name))


def source_of(record: Record) -> Reader | None:
    """Return what *record* was read from; None if made by hand, or part of another record."""
    source: Reader | None = getattr(record, "_stream", None)
    return source or getattr(record, "_source", None)


def parameters(record: Record) -> dict[str, Any]:
    """Return the arguments that `read` takes for the parameters of *record*, with its values."""
    kind: Any = type(record)
    return {name: getattr(record, name) for name in parameter_names(kind)}


@lru_cache(maxsize=1024)
def parameter_names(kind: Any) -> tuple[str, ...]:
    """Return the arguments of `read`, and attributes of *kind*, that hold parameters."""
    taken = signature(kind.read).parameters.values()
    return tuple(each.name for each in taken if each.kind is Parameter.KEYWORD_ONLY)


@lru_cache(maxsize=1024)
def _compared_parameters(kind: Any) -> tuple[str, ...]:
    given = parameter_names(kind)
    return tuple(each.name for each in fields(kind) if each.compare and each.name in given)


@lru_cache(maxsize=1024)
def passed_records(kind: Any) -> tuple[str, ...]:
    """Return the parameters of *kind* that are, or may hold, parts of the records around it."""
    given = parameter_names(kind)
    return tuple(each.name for each in fields(kind) if not each.compare and each.name in given)


def edited_parameters(record: Any, as_read: Any) -> tuple[str, ...]:
    """Return the parameters of *record* that were edited; none for a new record."""
    kind: Any = type(record)
    names = () if as_read is MISSING else _compared_parameters(kind)
    return tuple(each for each in names if getattr(record, each) != getattr(as_read, each))


def stored(record: Any) -> tuple[str, ...]:
    """Return the attributes of *record* that are stored in its bytes."""
    kind: Any = type(record)
    return stored_of(kind)


@lru_cache(maxsize=1024)
def stored_of(kind: Any) -> tuple[str, ...]:
    """Return the attributes that hold values of its bytes in a record of *kind*."""
    given = parameter_names(kind)
    return tuple(each.name for each in fields(kind) if each.compare and each.name not in given)


@lru_cache(maxsize=1024)
def places(kind: Any) -> tuple[str, ...]:
    """Return the attributes of records of *kind* that are positions and may be set."""
    parts = kind.LAZY.values()
    hidden = [each.name for each in fields(kind) if not each.compare and each.name not in parts]
    return tuple(each for each in hidden if getattr(getattr(kind, each[1:], None), "fset", None))


def is_record(value: Any) -> bool:
    """Whether *value* is a generated record, and not an instance of a handwritten opaque type."""
    return _is_kind_of_record(value if isinstance(value, type) else type(value))


@lru_cache(maxsize=1024)
def _is_kind_of_record(kind: type) -> bool:
    return hasattr(kind, "LAZY") and is_dataclass(kind)


def _differ(now: Sequence[Any], was: Sequence[Any]) -> bool:
    """Whether two lists differ, or may differ in parts that their records read on demand."""
    return any(is_record(each) for each in now[:1]) or now != was


def part(record: Any, name: str) -> Any:
    """Read the part *name* of *record* on demand; return MISSING if that fails."""
    try:
        return getattr(record, name)
    except FormatError:
        return MISSING


def aligned(now: Sequence[Any], was: Sequence[Any]) -> list[int | None]:
    """Return for each element of *now* its index in *was*; None for new ones.

    Records whose parts were moved, with the numbers that lead to them, are what they were.
    """
    if len(now) == len(was):
        return list(range(len(was)))
    known = WRITING.partners.get(id(now))
    if known is not None and len(known) == len(now):
        return known
    first, last = _matching(now, was, eq)
    if first + last < min(len(now), len(was)):
        from byteloom.wire.alike import alike  # which imports this module

        first, last = _matching(now, was, lambda new, old: new == old or alike(new, old))
    new = len(now) - first - last
    return [*range(first), *[None] * new, *range(len(was) - last, len(was))]


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


def twins(record: Record, as_read: Record) -> dict[int, Any]:
    """Return the records and lists in *record* as they were read, by ids of the present ones."""
    found: dict[int, Any] = {}
    waiting: deque[tuple[Any, Any]] = deque([(record, as_read)])
    while waiting:
        now, was = waiting.popleft()
        if id(now) in found:
            continue
        if is_record(now) and type(now) is type(was):
            found[id(now)] = was
            waiting += [(getattr(now, name), getattr(was, name)) for name in stored(now)]
            for name, hidden in type(now).LAZY.items():
                if getattr(now, hidden) is not None:
                    waiting.append((getattr(now, hidden), part(was, name)))
        elif isinstance(now, list) and isinstance(was, list):
            partners = aligned(now, was)
            if partners == list(range(len(was))):
                found[id(now)] = was
            waiting += [
                (each, was[index])
                for each, index in zip(now, partners, strict=True)
                if index is not None
            ]
    return found


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
