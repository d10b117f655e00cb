"""Walks: runs of records in many ranges of one buffer, to Arrow's views and numbers.

- The loop is generated from the spec (``-loom-scan: walk``); what it fills is allocated here, and
  grows where records turn out to be smaller than was expected.
- Columns that are not wanted are left out.
- The record that a walk refuses is read again by its class, whose error names the field.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from byteloom.errors import FormatError, Unsupported
from byteloom.wire.reader import Reader
from byteloom.wire.views import allocated

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from numpy.typing import NDArray

__all__ = ["DONE", "FULL", "REFUSED", "Out", "Walk", "Walked", "bytes_walked"]

DONE: Final = 0
REFUSED: Final = 1
FULL: Final = 2

_VIEW: Final = 16
_STATE: Final = 4
"""Words of what a walk goes on from, before those that it remembers of the last record."""
_SPARE: Final = 64

_COSTLIEST: Final = 64
"""What a record costs at most, as kernels estimate it: of a longer one, most is passed over."""


class Out(NamedTuple):
    """A column: *form* is ``view``, or NumPy's of a number; *default* is for records without it."""

    name: str
    form: str
    default: int = 0

    @property
    def width(self) -> int:
        """Bytes of a value."""
        return _VIEW if self.form == "view" else int(self.form[1:])


def bytes_walked(_: object, ranges: NDArray[np.int64], *rest: Any) -> int:
    """Return what a walk over *ranges* costs, as kernels estimate it."""
    room = int(rest[2])
    return min(_size(ranges), _COSTLIEST * (room + 1))


def _size(ranges: NDArray[np.int64]) -> int:
    return int((ranges[:, 1] - ranges[:, 0]).sum())


@dataclass(frozen=True, slots=True)
class Walked:
    """What a walk found.

    rows      records taken
    counts    for each range, the records taken up to its end, and where the last one begins
    disorder  the first record that comes before the one before it; -1 for none
    columns   what was asked for: 16 bytes a view, or numbers
    code      DONE, REFUSED or FULL: there are more records than there may be
    part      the range of the record that was refused, or has no room
    place     where that begins
    """

    rows: int
    counts: NDArray[np.int64]
    disorder: int
    columns: dict[str, NDArray[np.uint8]]
    code: int
    part: int
    place: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """How runs of one record are walked over.

    name        what errors call the run
    fill        the loop
    take        reads one record as its class does
    parameters  of the record, the same for all
    columns     all there are
    remembered  words that the loop remembers of a record
    usual       bytes that most records take at least
    """

    name: str
    fill: Callable[..., tuple[int, int, int, int]]
    take: Callable[..., object]
    parameters: tuple[str, ...]
    columns: tuple[Out, ...]
    remembered: int
    usual: int = 40

    def over(
        self,
        data: NDArray[np.uint8],
        ranges: NDArray[np.int64],
        wanted: Collection[str],
        most: int,
        parameters: Mapping[str, int],
    ) -> Walked:
        """Walk over the records between the bounds in each row of *ranges*.

        wanted      columns to fill
        most        records there may be
        parameters  of the record, by name
        """
        size = _size(ranges)
        counts = np.zeros((len(ranges), 2), np.int64)
        state = np.zeros(_STATE + self.remembered, np.int64)
        state[3] = -1
        if len(ranges):
            state[2] = ranges[0, 0]
        flags = [int(parameters[name]) for name in self.parameters]
        room = min(size // self.usual + 1, most)
        outs = [_room(column, room if column.name in wanted else 0) for column in self.columns]
        while True:
            ended = self.fill(data, ranges, counts, state, room, *flags, *outs)
            code, part, row, place = map(int, ended)
            if code != FULL or room == most:
                break
            passed = int((ranges[:part, 1] - ranges[:part, 0]).sum()) + place - int(ranges[part, 0])
            room = min(max(2 * row, row * size // max(passed, 1)) + _SPARE, most)
            state[:3] = part, row, place
            outs = [_grown(*each, row, room) for each in zip(self.columns, outs, strict=True)]
        filled = {column.name: out for column, out in zip(self.columns, outs, strict=True)}
        columns = {name: filled[name] for name in wanted}
        return Walked(row, counts, int(state[3]), columns, code, part, place)

    def refusal(
        self,
        data: NDArray[np.uint8],
        end: int,
        found: Walked,
        parameters: Mapping[str, int],
        origin: int = 0,
    ) -> FormatError:
        """Return the error of the record class about the record that was refused.

        end     where the range of that record ends
        origin  where *data* begins in the file
        """
        rest = data[found.place : end].tobytes()
        reader = _WalkReader(rest, origin=origin + found.place)
        reader.number(self.name, found.rows)
        try:
            self.take(reader, **parameters)
        except FormatError as error:
            return error
        wanted = "numbers and sizes that fit 63 bits, which walks calculate in"
        path = f"{self.name}[{found.rows}]"
        return Unsupported(path, origin + found.place, "more", wanted)


class _WalkReader(Reader):
    """A reader of one of many records."""

    __slots__ = ()

    def number(self, name: str, number: int) -> None:
        """Call the record that is read next by its number."""
        self._element = name, number


def _room(column: Out, rows: int) -> NDArray[np.uint8]:
    return allocated(rows * column.width, "u1")


def _grown(column: Out, out: NDArray[np.uint8], row: int, room: int) -> NDArray[np.uint8]:
    """Return *out*, of which *row* values are filled, with room for more; empty remains empty."""
    if not len(out):
        return out
    more = _room(column, room)
    more[: row * column.width] = out[: row * column.width]
    return more
