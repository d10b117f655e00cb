"""Find what was edited in a record since it was read."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple

from byteloom.editing.alignment import aligned
from byteloom.editing.equality import is_plainly_unedited
from byteloom.editing.following import followed_in
from byteloom.editing.parts import MISSING, part
from byteloom.wire.members import compared_parameters, is_record, places, stored

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from byteloom.wire.reader import Reader
    from byteloom.wire.record import Record

__all__ = ["edited_parameters", "edits", "edits_by_hand", "source_of", "twins"]


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
