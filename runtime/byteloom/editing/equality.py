"""A quick look whether a record still is what it was read as.

Comparing two records as dataclasses takes a tenth of the time of finding each edit, which
`byteloom.editing.differences` does.  It does not see what a record reads when it is asked, and
positions that may be set: these are compared where records can have them, which their annotations
say.
"""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from byteloom.editing.parts import part
from byteloom.wire.members import passed_records, places, stored_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from dataclasses import Field

    from byteloom.wire.record import Record

__all__ = ["is_plainly_unedited"]

_CLASS: Final = re.compile(r"\b(?!None\b)[A-Z]\w*")


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
    if not hasattr(kind, "LAZY") or not is_dataclass(kind):
        return None
    record: Any = kind
    parts = tuple(record.LAZY.items())
    return _Hidden(places(record), _ways(record), parts, bool(passed_records(record)))


@lru_cache(maxsize=1024)
def _ways(kind: Any) -> tuple[str, ...]:
    """Return the fields of a record of *kind* that may lead to what equality does not see."""
    names = stored_of(kind)
    return tuple(
        each.name
        for each in fields(kind)
        if each.name in names and any(map(_may_hide, _classes(kind, each)))
    )


@lru_cache(maxsize=1024)
def _may_hide(kind: Any) -> bool:
    """Whether a record of *kind*, or one inside it, can have parts of its own or positions."""
    found: set[Any] = set()
    waiting: list[Any] = [kind]
    while waiting:
        each = waiting.pop()
        if each not in found:
            if not hasattr(each, "LAZY") or each.LAZY or places(each) or passed_records(each):
                return True
            found.add(each)
            waiting += (inner for field in fields(each) for inner in _classes(each, field))
    return False


def _classes(kind: Any, field: Field[Any]) -> Iterator[Any]:
    """Yield the classes that a field of *kind* is of; a name for one that is not known."""
    known = kind.read.__globals__
    for name in _CLASS.findall(str(field.type)) if field.compare else ():
        found = known.get(name, name)
        if not (isinstance(found, type) and issubclass(found, Enum)):
            yield found
