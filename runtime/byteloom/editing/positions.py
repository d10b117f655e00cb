"""Let stored positions follow what they point to, where an edit moved that.

A part at a place of its own may begin where a field in sequence does: an entry of a directory
points to a file, a symbol to its name in a table.  When an edit moves those bytes, the number that
the position is calculated from has to follow.  Where they moved to is seen by reading what was
written, field by field, beside what the record was read from.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from byteloom.editing.aliases import bare
from byteloom.editing.demands import Demand
from byteloom.editing.differences import edits
from byteloom.editing.following import note_followed
from byteloom.editing.numbers import asks_stream, numbers_of, position_formula
from byteloom.editing.parts import parts_read
from byteloom.editing.places import Pairs, inside
from byteloom.editing.sizes import calculated
from byteloom.editing.solving import solutions
from byteloom.editing.staying import read_where_they_were
from byteloom.errors import FormatError
from byteloom.wire.origins import kept_origins

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from byteloom.editing.numbers import Number
    from byteloom.editing.places import Before, Places
    from byteloom.wire.record import Record

__all__ = ["Relocation"]

_MOST: Final = 4
"""How often positions are calculated anew: one that moves may move another."""

_READ: Final = 8
"""How often a record that is written may be read for that, in all."""


class Relocation:
    """A record whose positions have to follow, and what it was before it was edited."""

    def __init__(
        self,
        record: Record,
        as_read: Record,
        is_free: Callable[[Number], bool],
        before: Before,
    ) -> None:
        """Take *record*, what it was *as_read*, and where its fields were *before*.

        is_free  says which of its numbers were not edited
        """
        self._record, self._as_read, self._is_free = record, as_read, is_free
        self._before, self._left = before, _READ
        self._moved: list[tuple[Number, int]] = []

    def written(
        self, write: Callable[[], bytes], check: Callable[[bytes], FormatError | None]
    ) -> bytes | None:
        """Return the bytes with positions that follow; None where none can, and nothing changed.

        write  makes bytes of the record as it is
        check  gives what is wrong with them
        """
        left = self._left
        data = self._tried(write, check)
        if data is None and 0 < self._left < left:  # it was written, but not well
            with parts_read(self._record, self._as_read):  # numbers in them may have to follow
                data = self._tried(write, check, also_in_parts=True)
        if data is not None and self._moved:
            read_where_they_were(Pairs(self._record, self._as_read), self._moved)
        return data

    def _tried(
        self,
        write: Callable[[], bytes],
        check: Callable[[bytes], FormatError | None],
        *,
        also_in_parts: bool = False,
    ) -> bytes | None:
        moved: dict[tuple[int, str | int], tuple[Number, int]] = {}
        try:
            for _ in range(_MOST + 1):
                with _forgotten(self._record, self._as_read):
                    data = write()
                    has_moved = not also_in_parts and self._move(data, moved)
                if not (has_moved or (also_in_parts and self._move(data, moved))):
                    break
            if check(data) is None:
                self._moved = list(moved.values())
                note_followed(self._record, (number for number, _ in self._moved))
                return data
        except FormatError:
            pass
        for number, value in moved.values():
            number.put(value)
        return None

    def _move(self, data: bytes, moved: dict[tuple[int, str | int], tuple[Number, int]]) -> bool:
        """Change the numbers of parts that *data* has elsewhere; return whether any was.

        Where several numbers add up, those stay that alone say where another part is.
        """
        demands = [(each, self._free(each)) for each in self._demands(data)]
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
            for number, value in found[0].items():
                moved.setdefault(number.id, (number, number.value))
                number.put(value)
                known.add(number.id)
            has_moved = True
        return has_moved

    def _free(self, demand: Demand) -> list[Number]:
        return [each for each in numbers_of(demand.record, demand.formula) if self._is_free(each)]

    def _demands(self, data: bytes) -> list[Demand]:
        """Return what the formulas of positions must give, where *data* is what was written.

        If all of them do, return what those of sizes must give.
        """
        self._left -= 1
        if self._left < 0:
            return []
        pairs = Pairs(self._record, self._as_read)
        after = self._before.after(data, pairs)
        parts = [
            _Part(f"{path}.{bare(name)}", name, now, was)
            for path, now, was in pairs.records
            for name in type(now).LAZY
        ]
        positions = [each for part in parts for each in part.position(self._before.places, after)]
        if any(each.result() != each.wanted for each in positions):
            return positions
        return [each for part in parts for each in part.size(self._before.places, after)]


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
def _forgotten(record: Record, as_read: Record) -> Iterator[None]:
    """Let *record* be without the parts that nobody edited, for a while."""
    edited = list(map(bare, edits(record, as_read)))
    pairs, hidden_parts = Pairs(record, as_read), []
    for path, now, _ in pairs.records:
        for name, hidden in type(now).LAZY.items():
            value, place = getattr(now, hidden), f"{path}.{bare(name)}"
            if value is not None and not any(inside(each, place) for each in edited):
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
