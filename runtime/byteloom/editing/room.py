"""Let all that follows a part that grew move back, with the stored numbers that lead to it.

A table may lead to parts that lie one after the other: images of an icon, sections of a program.
If one of them gets longer, those behind it would be where its last bytes are.  They move back by
as much, and so do bytes between them that belong to no field; the numbers that their positions are
calculated from follow, if nobody edited them.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from byteloom.editing.differences import followed_in, note_followed
from byteloom.editing.formulas import (
    Changes,
    Demand,
    asks_stream,
    calculated,
    numbers_of,
    positions_of,
)
from byteloom.editing.pairs import aligned
from byteloom.editing.places import MISSING, bare, part
from byteloom.editing.stored_numbers import solutions
from byteloom.errors import FormatError
from byteloom.wire.contradictions import Room, given_room, rooms_given
from byteloom.wire.members import is_record, stored
from byteloom.wire.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator

    from byteloom.editing.edited import Edited, FreeNumbers
    from byteloom.editing.formulas import Member
    from byteloom.editing.pairs import Pairs
    from byteloom.wire.contradictions import Crowded

__all__ = ["with_room"]

_MOST: Final = 4
"""Streams that get room at a time: one that grew may need it in the stream around it."""


def with_room(
    edited: Edited,
    pairs: Pairs,
    free: FreeNumbers,
    error: Crowded,
    write: Callable[[], bytes],
) -> bytes | None:
    """Return what *write* returns with the room that *error* asks for; None if that fails.

    Then nothing has changed.

    pairs  the records of the *edited* one
    free   their numbers that may follow
    """
    base, rooms = getattr(error.owner, "_stream", None), rooms_given()
    if not error.grown or base is None or id(error.owner) in rooms or len(rooms) >= _MOST:
        return None
    room = Room(error.grown)
    follow = _Following(list(_demands(edited, pairs, room, base)), free)
    if follow.moved():
        with given_room(error.owner, room), suppress(FormatError):
            data = write()
            note_followed(edited.record, follow.changes.numbers)
            return data
    follow.undo()
    return None


def _demands(edited: Edited, pairs: Pairs, room: Room, base: Reader) -> Iterator[Demand]:
    """Yield where each part has to begin whose position counts from the start of the stream *base*.

    A new record may lead to bytes that were read, too.
    """
    origin, followed = base.offset - base.pos, followed_in(edited.record)
    for path, now, was in pairs.records:
        for name, formula in positions_of(now):
            start = edited.places.start_of(f"{path}.{bare(name)}")
            if start is not None and not asks_stream(now, formula):
                at = calculated(was, formula)
                if start.start - at == origin and at <= base.size:
                    yield Demand(now, name, formula, at + room.shift(at, (id(now), name)))
        for new in _new_elements(now, was):
            stream = getattr(new, "_io", None)
            if isinstance(stream, Reader) and stream.is_on(base):
                yield from _new_demands(new, room, base, followed)


def _new_demands(
    new: Any, room: Room, base: Reader, followed: Container[tuple[int, str | int]]
) -> Iterator[Demand]:
    """Yield where the parts of a new record have to begin, which has its place from another.

    They are read now: its numbers will be those of the new place, unless they are already.

    followed  numbers that followed an earlier edit
    """
    for name, formula in positions_of(new):
        has_followed = any(each.id in followed for each in numbers_of(new, formula))
        if not has_followed and part(new, name) is not MISSING and not asks_stream(new, formula):
            at = calculated(new, formula)
            if 0 <= at < base.size:
                yield Demand(new, name, formula, at + room.shift(at, (id(new), name)))


def _new_elements(now: Any, was: Any) -> Iterator[Any]:
    """Yield the records that lists of *now* have, and those of *was* had not."""
    for name in stored(now):
        values, before = getattr(now, name), getattr(was, name)
        if isinstance(values, list) and isinstance(before, list) and len(values) != len(before):
            partners = zip(values, aligned(values, before), strict=True)
            yield from (each for each, index in partners if index is None and is_record(each))


class _Following:
    """The numbers that change so that all *demands* hold.

    changes  these, and what each was
    """

    def __init__(self, demands: list[Demand], free: FreeNumbers) -> None:
        self._demands = [(each, free.of(each.record, each.formula)) for each in demands]
        self._sharing: dict[tuple[int, str | int], list[Demand]] = {}
        for demand, numbers in self._demands:
            for number in numbers:
                self._sharing.setdefault(number.id, []).append(demand)
        self.changes = Changes()
        self._fixed = set[tuple[int, str | int]]()
        self._read: list[tuple[Any, str]] = []

    def moved(self) -> bool:
        """Change numbers until all demands hold; return whether they do.

        Parts that will be elsewhere are read before: they are still where the numbers were.
        """
        for demand, _ in self._demands:
            hidden = type(demand.record).LAZY[demand.name]
            if getattr(demand.record, hidden) is None and not demand.holds():
                part(demand.record, demand.name)
                self._read.append((demand.record, hidden))
        with suppress(FormatError):
            for demand, numbers in self._demands:
                if not demand.holds() and not self._met(demand, numbers):
                    return False
        return all(each.holds() for each, _ in self._demands)

    def undo(self) -> None:
        """Give all numbers back what they had, and forget what was read for them."""
        self.changes.undo()
        for record, hidden in self._read:
            setattr(record, hidden, None)

    def _met(self, demand: Demand, numbers: list[Member]) -> bool:
        """Change one of *numbers* so that *demand* holds: rather one that many demands share.

        Those that share it and hold now must still do.
        """
        unchanged = [each for each in numbers if each.id not in self._fixed]
        for number in sorted(unchanged, key=lambda each: -len(self._sharing[each.id])):
            self._fixed.add(number.id)
            holding = [each for each in self._sharing[number.id] if each.holds()]
            for found in solutions(demand.result, [number], demand.wanted):
                changes = Changes(found)
                if all(each.holds() for each in holding):
                    self.changes.add(changes)
                    return True
                changes.undo()
        return False
