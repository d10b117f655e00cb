"""One stream being written: its fields in sequence, parts at places of their own, unknown bytes.

The rules of a layout:

- The fields in sequence come first.  A part that was read out of order goes to its position; a
  position that was calculated from the size of the stream is a distance from its end.
- Bytes of the original stream that belong to no field are kept.  Those right after the fields in
  sequence move with them if nothing else is placed there; all others keep their position, or their
  distance from the end if a part placed from the end comes before them.  Zeros among them may be
  overwritten.
- A placed part whose bytes are unchanged may be overwritten: where it meets another part, that one
  wins.  Two different changed parts at one position are an error that names both.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from byteloom.errors import FormatError
from byteloom.wire.contradictions import Growth, Unequal
from byteloom.wire.stream_bytes import Canvas, Outcome, Placed, between, too_large

if TYPE_CHECKING:
    from byteloom.wire.contradictions import Room
    from byteloom.wire.reader import Reader

__all__ = ["StreamLayout"]


@dataclass(slots=True)
class StreamLayout:
    """What is known about a stream after its fields were written.

    base     the window it was read from, for the bytes after its fields in sequence; or None
    size     the size it must have; None if that depends on its content
    assumed  the size that positions were calculated from
    room     the bytes that it gets in addition to those that it was read from
    ends     (offset, name) of fields that extend to the end: where they ended
    follows  (offset, terminator, name) of fields whose terminator the next field must begin with
    """

    base: Reader | None = None
    size: int | None = None
    assumed: int = 0
    room: Room | None = None
    ends: list[tuple[int, str]] = field(default_factory=list)
    follows: list[tuple[int, bytes, str]] = field(default_factory=list)

    def is_plain(self, forward: bytes) -> bool:
        """Whether the stream is just *forward*, the bytes of its fields in sequence."""
        size = len(forward)
        return (
            self.base is None
            and (self.size is None or self.size == size)
            and not self.follows
            and all(at == size for at, _ in self.ends)
        )

    def laid_out(self, forward: bytes, placed: list[Placed]) -> Outcome:
        """Return the whole stream: *forward* from its start, and *placed* at their positions."""
        forward = self._terminated(forward, placed)
        if not placed and self.base is None and self.size is None:
            outcome = Outcome(forward, len(forward))
        else:
            outcome = self._painted(forward, placed)
        self._check(outcome)
        return outcome

    def _terminated(self, forward: bytes, placed: list[Placed]) -> bytes:
        """Add the terminator, if no other field provides it."""
        if not self.follows or placed or (self.base is not None and self.base.left):
            return forward
        at, terminator, _ = self.follows[-1]
        return forward + terminator if at == len(forward) else forward

    def _check(self, outcome: Outcome) -> None:
        for at, terminator, name in self.follows:
            found = outcome.data[at : at + len(terminator)]
            if found and found != terminator:
                outcome.wrong(name, repr(found), f"{terminator!r} after it, which ends it")
        for at, name in self.ends:
            if at != len(outcome.data):
                left = len(outcome.data) - at
                kind = FormatError if self.size is None else Unequal
                outcome.wrong(name, f"{left} bytes after it", "the end of the stream", kind)

    def _painted(self, forward: bytes, placed: list[Placed]) -> Outcome:
        base = self.base.written() if self.base is not None else b""
        read = self.base.pos if self.base is not None else 0
        grown = self._grown(forward, placed, base, read)
        if self.room is not None:
            base, read = self.room.widened(base), self.room.read(read)
            placed = [_moved_along(each, self.room) for each in placed]
        new = [each for each in placed if not each.found]
        placed = [each for each in placed if each.found]
        counted = [each for each in placed if not self._inside(each, forward, read)]
        anchored = [each for each in counted if each.anchored]
        free = [each for each in counted if not each.anchored]
        border = min([len(base), *(each.origin[0] for each in anchored if each.origin)])
        border = max(border, read)
        moved = [
            each
            for each in free
            if not _stays(each, base, 0) or (each.may_move and each.start < len(forward))
        ]
        moved += [each for each in free if each not in moved and _is_pushed(each, moved)]
        by = 0 if free else len(forward) - read
        gaps = [(at + by, base[at:end]) for at, end in between(read, border, _origins(moved))]
        left = max([len(forward), *(each.end for each in free), *(at + len(x) for at, x in gaps)])
        size = left + max([0, *(self.assumed - each.start for each in anchored)])
        by = size - len(base)
        moved += [each for each in anchored if not _stays(each, base, by)]
        rest = between(border, len(base), _origins(moved))
        gaps += [(at + by, base[at:end]) for at, end in rest]
        moved += [each for each in placed if each not in counted and not _same(each, base)]
        wanted = size if self.size is None else self.size
        canvas = Canvas(forward, size, gaps, too_large(forward, placed, wanted))
        homeless = [*new, *(each for each in moved if not canvas.place(each))]
        outcome = canvas.outcome(wanted)
        fixed = [each.end for each in free if each not in homeless]
        self._move(outcome, homeless, max([len(forward), *fixed, *(at + len(x) for at, x in gaps)]))
        outcome.places |= {
            each.of: each.start for each in placed if each.may_move and each not in homeless
        }
        outcome.grown = grown
        return outcome

    def _grown(
        self, forward: bytes, placed: list[Placed], base: bytes, read: int
    ) -> tuple[Growth, ...]:
        """Return what needs more bytes than it was read from, and did not move to the front."""
        if self.base is None or self.room is not None:
            return ()
        grown = [
            Growth(each.origin[1], len(each.data) - (each.origin[1] - each.origin[0]), each.of)
            for each in placed
            if each.origin is not None
            and each.start >= each.origin[0]
            and not self._inside(each, forward, read)
        ]
        if read < len(base):
            grown.append(Growth(read, len(forward) - read, None))
        return tuple(each for each in grown if each.by > 0)

    @staticmethod
    def _move(outcome: Outcome, homeless: list[Placed], at: int) -> None:
        """Find positions for the *homeless* parts, from *at* on."""
        for each in homeless:
            if each.may_move:
                outcome.places[each.of] = at
                outcome.moved = True
                at += len(each.data)

    def _inside(self, each: Placed, forward: bytes, read: int) -> bool:
        """Whether *each* is another view of the fields in sequence."""
        if each.origin is not None and not (each.origin == (read, read) and each.data):
            return each.origin[1] <= read
        return each.start >= 0 and each.data == forward[each.start : each.end]


def _moved_along(each: Placed, room: Room) -> Placed:
    """Return *each* as if it had been read where it is with that *room*."""
    return each if each.origin is None else replace(each, origin=room.origin(each.origin, each.of))


def _same(each: Placed, base: bytes) -> bool:
    """Whether the bytes of *each* are unchanged."""
    return each.origin is not None and base[slice(*each.origin)] == each.data


def _stays(each: Placed, base: bytes, by: int) -> bool:
    """Whether *each* is unchanged, and stays where it was when everything moves *by* bytes."""
    return each.origin is not None and each.start == each.origin[0] + by and _same(each, base)


def _is_pushed(each: Placed, moved: list[Placed]) -> bool:
    """Whether a part that was read elsewhere now has the position of *each*, which may move."""
    return each.may_move and any(
        max(each.start, other.start) < min(each.end, other.end) and not _share(each, other)
        for other in moved
    )


def _share(each: Placed, other: Placed) -> bool:
    """Whether both were read from overlapping bytes."""
    if each.origin is None or other.origin is None:
        return False
    return max(each.origin[0], other.origin[0]) < min(each.origin[1], other.origin[1])


def _origins(placed: list[Placed]) -> list[tuple[int, int]]:
    return [each.origin for each in placed if each.origin is not None]
