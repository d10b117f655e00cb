"""Let stored positions follow what they point to, where an edit moved that.

A part at a place of its own may begin where a field in sequence does: an entry of a directory
points to a file, a symbol to its name in a table.  When an edit moves those bytes, the number that
the position is calculated from has to follow.  Where they moved to is seen by reading what was
written, field by field, beside what the record was read from.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from byteloom.editing.differences import edits, note_followed
from byteloom.editing.formulas import (
    Changes,
    Demand,
    asks_stream,
    calculated,
    position_formula,
    positions_of,
)
from byteloom.editing.pairs import parts_read
from byteloom.editing.places import bare, inside, part
from byteloom.editing.stored_numbers import solutions
from byteloom.errors import FormatError
from byteloom.wire.temporary_changes import kept_origins

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from byteloom.editing.edited import Edited, FreeNumbers
    from byteloom.editing.pairs import Pairs
    from byteloom.editing.places import Places

__all__ = ["Relocation"]

_MOST: Final = 4
"""How often positions are calculated anew: one that moves may move another."""

_READ: Final = 8
"""How often a record that is written may be read for that, in all."""


class Relocation:
    """A record whose positions have to follow, and what it was before it was edited."""

    def __init__(self, edited: Edited, free: FreeNumbers) -> None:
        """Take the record, and its numbers that may follow."""
        self._edited, self._free, self._left = edited, free, _READ

    def written(
        self, write: Callable[[], bytes], check: Callable[[bytes], FormatError | None]
    ) -> bytes | None:
        """Return the bytes with positions that follow; None where none can, and nothing changed.

        write  makes bytes of the record as it is
        check  gives what is wrong with them
        """
        left, moved = self._left, Changes()
        data = self._tried(write, check, moved)
        if data is None and 0 < self._left < left:  # it was written, but not well
            # numbers in them may have to follow
            with parts_read(self._edited.record, self._edited.as_read):
                data = self._tried(write, check, moved, also_in_parts=True)
        if data is not None and moved:
            _read_where_they_were(self._edited.pairs(), moved)
        return data

    def _tried(
        self,
        write: Callable[[], bytes],
        check: Callable[[bytes], FormatError | None],
        moved: Changes,
        *,
        also_in_parts: bool = False,
    ) -> bytes | None:
        try:
            for _ in range(_MOST + 1):
                with _forgotten(self._edited):
                    data = write()
                    has_moved = not also_in_parts and self._move(data, moved)
                if also_in_parts:
                    has_moved = self._move(data, moved)
                if not has_moved:
                    break
            if check(data) is None:
                note_followed(self._edited.record, moved.numbers)
                return data
        except FormatError:
            pass
        moved.undo()
        return None

    def _move(self, data: bytes, moved: Changes) -> bool:
        """Change the numbers of parts that *data* has elsewhere; return whether any was.

        Where several numbers add up, those stay that alone say where another part is.
        """
        demands = [(each, self._free.of(each.record, each.formula)) for each in self._demands(data)]
        known: set[tuple[int, str | int]] = set()
        has_moved = False
        for demand, numbers in sorted(demands, key=lambda each: (len(each[1]), each[0].stays)):
            open_numbers = [each for each in numbers if each.id not in known]
            if demand.stays or demand.result() == demand.wanted:
                known |= {each.id for each in open_numbers} if len(open_numbers) == 1 else set()
                continue
            found = list(solutions(demand.result, open_numbers, demand.wanted))
            if len(found) != 1:
                raise FormatError(demand.formula, None, "no number alone", f"{demand.wanted}")
            moved.put(found[0])
            known |= {number.id for number in found[0]}
            has_moved = True
        return has_moved

    def _demands(self, data: bytes) -> list[Demand]:
        """Return what the formulas of positions must give, where *data* is what was written.

        If all of them do, return what those of sizes must give.
        """
        self._left -= 1
        if self._left < 0:
            return []
        pairs = self._edited.pairs()
        before, after = self._edited.places, self._edited.places_in(data, pairs)
        parts = [
            _Part(f"{path}.{bare(name)}", name, now, was)
            for path, now, was in pairs.records
            for name in type(now).LAZY
        ]
        positions = [each for part in parts for each in part.position(before, after)]
        if any(each.result() != each.wanted for each in positions):
            return positions
        return [each for part in parts for each in part.size(before, after)]


class _Part(NamedTuple):
    """The part *name* that a record reads on demand: its path, the record, what that was."""

    path: str
    name: str
    now: Any
    was: Any

    def position(self, before: Places, after: Places) -> Iterator[Demand]:
        """Yield where it must be: where fields are now that began at the same place."""
        start, formula = before.start_of(self.path), position_formula(type(self.now), self.name)
        if start is None or not formula:
            return
        base = start._replace(start=start.start - calculated(self.was, formula))
        place = before.moved(start, after, self.path)
        origin = base if base.start == 0 else before.moved(base, after, "")
        if place is not None and origin is not None:
            yield Demand(self.now, self.name, formula, place.start - origin.start)
        else:
            at = calculated(self.now, formula)
            yield Demand(self.now, self.name, formula, at, stays=True)

    def size(self, before: Places, after: Places) -> Iterator[Demand]:
        """Yield how large it must be, if it was not read, and ended where another field does."""
        hidden, formula = type(self.now).LAZY[self.name], f"_size_of_{bare(self.name)}"
        if not hasattr(type(self.now), formula) or getattr(self.now, hidden) is not None:
            return
        span = before.span(self.path)
        start = span and before.moved(span, after, self.path)
        end = span and before.moved_end(span, after, self.path)
        if span is None or start is None or end is None or asks_stream(self.now, formula):
            return
        setattr(self.was, hidden, None)  # the stored size, not that of what was read
        if calculated(self.was, formula) == span.end - span.start:
            yield Demand(self.now, self.name, formula, end - start.start)


@contextmanager
def _forgotten(edited: Edited) -> Iterator[None]:
    """Let the record be without the parts that nobody edited, for a while."""
    edits_now = list(map(bare, edits(edited.record, edited.as_read)))
    hidden_parts = []
    for path, now, _ in edited.pairs().records:
        for name, hidden in type(now).LAZY.items():
            value, place = getattr(now, hidden), f"{path}.{bare(name)}"
            if value is not None and not any(inside(each, place) for each in edits_now):
                hidden_parts.append((now, name, value))
    with kept_origins() as kept:
        for owner, name, _ in hidden_parts:
            kept.add((id(owner), name))
            setattr(owner, type(owner).LAZY[name], None)
        try:
            yield
        finally:
            for owner, name, value in hidden_parts:
                setattr(owner, type(owner).LAZY[name], value)


def _read_where_they_were(pairs: Pairs, changes: Changes) -> None:
    """Read the parts of all records that are elsewhere with *changes*, made already.

    A part that is read on demand is read from the bytes that the record was read from, where it
    is still where it was.
    """
    unread = [
        (now, name, formula)
        for _, now, _ in pairs.records
        for name, formula in positions_of(now)
        if getattr(now, type(now).LAZY[name]) is None
    ]
    after = [_position(now, formula) for now, _, formula in unread]
    with changes.undone():
        for (now, name, formula), position in zip(unread, after, strict=True):
            if _position(now, formula) != position:
                part(now, name)


def _position(record: Any, formula: str) -> int | None:
    try:
        return calculated(record, formula)
    except FormatError:
        return None
