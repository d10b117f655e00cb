"""Room for a part that grew, and has none before what follows it in its stream.

With it a stream is written as if it had been read with that many more bytes there: all that
began after them, fields or not, is that much further back.
"""

from __future__ import annotations

from contextlib import contextmanager
from threading import local
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from byteloom.wire.contradictions import Growth

__all__ = ["Room", "given_room", "rooms_given"]


class Room:
    """The bytes that a stream gets in addition, by where they were missing."""

    def __init__(self, grown: Iterable[Growth]) -> None:
        """Take what grew; of two views with one end, the one that grew more counts."""
        steps: dict[int, int] = {}
        self._ends: dict[tuple[int, str], int] = {}
        self._sequence = 0
        for at, by, of in grown:
            steps[at] = max(steps.get(at, 0), by)
            if of is None:
                self._sequence = by
            else:
                self._ends[of] = at
        self._steps = sorted(steps.items())

    def shift(self, at: int, of: tuple[int, str]) -> int:
        """Return by how much the part *of*, which began at *at*, is further back."""
        own = self._ends.get(of) == at  # what grew from nothing is not behind itself
        return sum(by for where, by in self._steps if where < at or (where == at and not own))

    def read(self, end: int) -> int:
        """Return the end of the fields in sequence, which was *end*."""
        return end + self._sequence

    def widened(self, data: bytes) -> bytes:
        """Return the bytes of the stream, with zeros where room was made."""
        pieces, start = list[bytes](), 0
        for at, by in self._steps:
            pieces += [data[start:at], bytes(by)]
            start = at
        return b"".join([*pieces, data[start:]])

    def origin(self, origin: tuple[int, int], of: tuple[int, str]) -> tuple[int, int]:
        """Return where the part *of* would have been read, which had the bytes of *origin*."""
        first, last = origin
        inside = sum(by for where, by in self._steps if first < where < last)
        first += self.shift(first, of)
        return first, first + last - origin[0] + inside


class _Rooms(local):
    """The rooms of streams that this thread writes, by the ids of the records that have them."""

    given: Mapping[int, Room] = MappingProxyType({})


_ROOMS: Final = _Rooms()


def rooms_given() -> Mapping[int, Room]:
    """Return the rooms of streams, by the ids of the records that have them."""
    return _ROOMS.given


@contextmanager
def given_room(owner: object, room: Room) -> Iterator[None]:
    """Give the stream of *owner* the *room* during the block."""
    outer = _ROOMS.given
    _ROOMS.given = {**outer, id(owner): room}
    try:
        yield
    finally:
        _ROOMS.given = outer
