"""The errors for values that contradict others, and room for what grew, as may follow from an edit.

- A size, a count or an end differs from what other fields say, or a part has no room before what
  follows it in its stream.  Each error says enough to change what was not edited.
- With room for a part that grew, a stream is written as if it had been read with that many more
  bytes there: all that began after them, fields or not, is that much further back.
"""

from __future__ import annotations

from contextlib import contextmanager
from threading import local
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from byteloom.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = [
    "Crowded",
    "Growth",
    "Room",
    "Unended",
    "Unequal",
    "found_in",
    "given_room",
    "rooms_given",
]


class Unequal(FormatError):
    """The size or the number of elements of a value differs from what another field says.

    field   the field that has the value; "" until the record that has it is known
    record  the record that has the field; None until it is known
    count   the number of elements; None if the size is wrong
    size    the number of bytes; None if only writing `value` without a limit can show it
    value   the record that should fit a stream of a given size; None for anything else
    """

    field: str = ""
    record: Any = None
    count: int | None = None
    size: int | None = None
    value: Any = None


class Unended(Unequal):
    """An element of a list says that the list ends there, and it does not, or the other way round.

    element  that element
    """

    element: Any = None


def found_in(error: FormatError, record: object) -> None:
    """Store *record* in *error*, raised by one of its fields, unless a nested record is there."""
    if isinstance(error, Unequal) and error.record is None:
        error.field, error.record = error.field or error.path, record


class Growth(NamedTuple):
    """Bytes *at* a place of a stream, where what grew had its end, lack *by* bytes.

    of  the id of the record that has the part, and its name; None for the fields in sequence
    """

    at: int
    by: int
    of: tuple[int, str] | None


class Crowded(FormatError):
    """Two parts of a stream would have the same bytes, and at least one of them grew.

    owner  the record that has the stream
    grown  what grew
    """

    owner: Any = None
    grown: tuple[Growth, ...] = ()


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
