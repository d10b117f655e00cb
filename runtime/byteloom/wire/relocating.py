"""Let stored positions follow what they point to, where an edit moved that.

A part at a place of its own may begin where a field in sequence does: an entry of a directory
points to a file, a symbol to its name in a table.  When an edit moves those bytes, the number that
the position is calculated from has to follow.  Where they moved to is seen by reading what was
written, field by field, beside what the record was read from.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import FormatError
from byteloom.wire.aliases import bare
from byteloom.wire.edits import edits
from byteloom.wire.following import note_followed
from byteloom.wire.mending import calculated
from byteloom.wire.places import Pairs, inside, places_of
from byteloom.wire.solving import solutions
from byteloom.wire.watching import numbers_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from byteloom.wire.places import Places
    from byteloom.wire.record import Record
    from byteloom.wire.watching import Number

__all__ = ["Relocation"]

_MOST: Final = 4
"""How often positions are calculated anew: one that moves may move another."""

_READ: Final = 8
"""How often a record that is written may be read for that, in all."""


class Relocation:
    """A record whose positions have to follow, and what it was before it was edited."""

    def __init__(self, record: Record, as_read: Record, is_free: Callable[[Number], bool]) -> None:
        """Take *record*; *is_free* says which of its numbers were not edited."""
        self._record, self._as_read, self._is_free = record, as_read, is_free
        self._before: Places | None = None
        self._left = _READ

    def written(
        self, write: Callable[[], bytes], check: Callable[[bytes], FormatError | None]
    ) -> bytes | None:
        """Return the bytes with positions that follow; None where none can, and nothing changed.

        write  makes bytes of the record as it is
        check  gives what is wrong with them
        """
        moved: dict[tuple[int, str | int], tuple[Number, int]] = {}
        data: bytes | None = None
        try:
            with _forgotten(self._record, self._as_read):
                data = write()
                for _ in range(_MOST):
                    if not self._move(data, moved):
                        break
                    data = write()
            if moved and check(data) is None:
                values = ((each.owner, each.key, each.value) for each, _ in moved.values())
                note_followed(self._record, values)
                return data
        except FormatError:
            pass
        for number, value in moved.values():
            number.put(value)
        return None

    def _move(self, data: bytes, moved: dict[tuple[int, str | int], tuple[Number, int]]) -> bool:
        """Change the numbers of parts that *data* has elsewhere; return whether any was."""
        found: dict[tuple[int, str | int], tuple[Number, int]] = {}
        for number, value in self._follows(data):
            if found.setdefault(number.id, (number, value))[1] != value or number.id in moved:
                raise FormatError("", None, "positions that contradict each other", "one position")
        for key, (number, value) in found.items():
            moved[key] = number, number.value
            number.put(value)
        return bool(found)

    def _follows(self, data: bytes) -> Iterator[tuple[Number, int]]:
        """Yield the numbers that say otherwise than *data* where a part is, with what is right."""
        self._left -= 1
        if self._left < 0:
            return
        pairs = Pairs(self._record, self._as_read)
        if self._before is None:
            self._before = places_of(self._as_read, pairs.parts)
        before = self._before
        after = places_of(self._as_read, pairs.parts, data, pairs.as_read)
        for path, now, was in pairs.records:
            for name in type(now).LAZY:
                part_path, formula = f"{path}.{bare(name)}", f"_position_of_{name}"
                start = before.start_of(part_path)
                if start is None or not hasattr(type(now), formula):
                    continue
                at = calculated(was, formula)
                base = start._replace(start=start.start - at)
                place = before.moved(start, after, part_path)
                origin = base if base.start == 0 else before.moved(base, after, "")
                if place is None or origin is None:
                    continue
                wanted = place.start - origin.start
                if calculated(now, formula) != wanted:
                    yield from self._solved(now, formula, wanted)

    def _solved(self, record: Any, formula: str, wanted: int) -> Iterator[tuple[Number, int]]:
        numbers = [each for each in numbers_of(record, formula) if self._is_free(each)]
        found = list(solutions(lambda: calculated(record, formula), numbers, wanted))
        if len(found) != 1:
            raise FormatError(formula, None, "no number alone", f"one that gives {wanted}")
        yield from found[0].items()


@contextmanager
def _forgotten(record: Record, as_read: Record) -> Iterator[None]:
    """Let *record* be without the parts that nobody edited, for a while."""
    edited = list(map(bare, edits(record, as_read)))
    pairs, hidden_parts = Pairs(record, as_read), []
    for path, now, _ in pairs.records:
        for name, hidden in type(now).LAZY.items():
            value, place = getattr(now, hidden), f"{path}.{bare(name)}"
            if value is not None and not any(inside(each, place) for each in edited):
                hidden_parts.append((now, hidden, value))
    for owner, hidden, _ in hidden_parts:
        setattr(owner, hidden, None)
    try:
        yield
    finally:
        for owner, hidden, value in hidden_parts:
            setattr(owner, hidden, value)
