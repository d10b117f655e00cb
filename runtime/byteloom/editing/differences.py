"""What was edited in a record since it was read, and what has followed from that.

A quick look comes first: comparing two records as dataclasses takes a tenth of the time of finding
each edit.  It does not see what a record reads when it is asked, and positions that may be set:
these are compared where records can have them, which their annotations say.
"""

from __future__ import annotations

from collections import deque
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from byteloom.editing.pairs import aligned
from byteloom.editing.places import MISSING, part
from byteloom.wire.members import (
    compared_parameters,
    is_record,
    passed_records,
    places,
    stored,
    stored_of,
)
from byteloom.wire.value_types import hints_of, records_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from byteloom.editing.formulas import Member
    from byteloom.wire.reader import Reader
    from byteloom.wire.record import Record

__all__ = [
    "edited_parameters",
    "edits",
    "edits_by_hand",
    "followed_in",
    "is_plainly_unedited",
    "note_followed",
    "source_of",
]


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
    for name in (*stored(now), *compared_parameters(kind)):
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


def edited_parameters(record: Any, as_read: Any) -> tuple[str, ...]:
    """Return the parameters of *record* that were edited; none for a new record."""
    kind: Any = type(record)
    names = () if as_read is MISSING else compared_parameters(kind)
    return tuple(each for each in names if getattr(record, each) != getattr(as_read, each))


def _differ(now: Sequence[Any], was: Sequence[Any]) -> bool:
    """Whether two lists differ, or may differ in parts that their records read on demand."""
    return any(is_record(each) for each in now[:1]) or now != was


def is_plainly_unedited(record: Record, as_read: Record) -> bool:
    """Whether *record* equals *as_read* in all that it holds; False where that is not plain."""
    try:
        return record == as_read and _hides_nothing(record, as_read)
    except RecursionError:
        return False


class _Hidden(NamedTuple):
    """What equality does not see of records of one type.

    places   attributes that are positions and may be set
    ways     fields that may lead to more of it
    parts    what is read when it is asked for: name, and the attribute that stores it
    is_deep  whether there are parts of other records, which would take long to compare
    """

    places: tuple[str, ...]
    ways: tuple[str, ...]
    parts: tuple[tuple[str, str], ...]
    is_deep: bool


def _hides_nothing(record: Record, as_read: Record) -> bool:
    """Whether two equal records, and all in them, have the same positions and parts."""
    waiting: list[tuple[Any, Any]] = [(record, as_read)]
    known: dict[Any, _Hidden | None] = {}
    while waiting:
        now, was = waiting.pop()
        kind: Any = type(now)
        if kind not in known:
            known[kind] = _hidden(kind)
        hidden = known[kind]
        if hidden is None:
            if isinstance(now, list | tuple):
                waiting += zip(now, was, strict=True)
            continue
        if kind is not type(was) or hidden.is_deep:
            return False
        for name in hidden.ways:
            waiting.append((getattr(now, name), getattr(was, name)))
        if hidden.places or hidden.parts:
            parts = _parts(now, was, hidden)
            if parts is None:
                return False
            waiting += parts
    return True


def _parts(now: Any, was: Any, hidden: _Hidden) -> list[tuple[Any, Any]] | None:
    """Return the parts of *now* that were read, with those of *was*; None if anything differs."""
    for name in hidden.places:
        if getattr(now, name) != getattr(was, name):
            return None
    found = []
    for name, store in hidden.parts:
        value = getattr(now, store)
        if value is not None:
            before = part(was, name)
            if value != before:
                return None
            found.append((value, before))
    return found


@lru_cache(maxsize=1024)
def _hidden(kind: Any) -> _Hidden | None:
    """Return what records of *kind* hide; None for what is no record."""
    if not is_record(kind):
        return None
    parts = tuple(kind.LAZY.items())
    return _Hidden(places(kind), _ways(kind), parts, bool(passed_records(kind)))


def _ways(kind: Any) -> tuple[str, ...]:
    """Return the fields of a record of *kind* that may lead to what equality does not see."""
    hints = hints_of(kind)
    names = stored_of(kind)
    if not hints:
        return names
    return tuple(name for name in names if any(map(_may_hide, records_in(hints[name]))))


@lru_cache(maxsize=1024)
def _may_hide(kind: Any) -> bool:
    """Whether a record of *kind*, or one inside it, can have parts of its own or positions."""
    found: set[Any] = set()
    waiting: list[Any] = [kind]
    while waiting:
        each = waiting.pop()
        if each in found:
            continue
        hints = hints_of(each)
        if each.LAZY or places(each) or passed_records(each) or (stored_of(each) and not hints):
            return True
        found.add(each)
        waiting += (inner for name in stored_of(each) for inner in records_in(hints[name]))
    return False


def followed_in(record: Record) -> dict[tuple[int, str | int], Any]:
    """Return the values that followed, by the id of their owner, and their attribute or index."""
    return {(id(owner), key): value for owner, key, value in getattr(record, "_followed", ())}


def note_followed(record: Record, values: Iterable[Member]) -> None:
    """Remember *values* that followed, as they are now; the last one of each place counts."""
    new = [(each.owner, each.key, each.value) for each in values]
    known = {(id(owner), key) for owner, key, _ in new}
    before = getattr(record, "_followed", ())
    kept = [each for each in before if (id(each[0]), each[1]) not in known]
    record._followed = [*kept, *new]  # noqa: SLF001  (its own)
