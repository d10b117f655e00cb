"""Walks: read runs of records, in many ranges of one buffer, as Arrow views and numbers.

- The loop is generated from the spec (``-loom-scan: walk``); the arrays that it fills are allocated
  here, and grow if records are smaller than expected.
- Columns that are not wanted are left out.
- A refused record is read again by its class, whose error names the field.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

import numpy as np

from byteloom.columns.loops import FULL
from byteloom.columns.views import allocated
from byteloom.errors import FormatError, Unsupported
from byteloom.wire.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from numpy.typing import NDArray

__all__ = ["Out", "Walk", "Walked", "bytes_walked"]

_VIEW: Final = 16
_STATE: Final = 4
"""Words of a walk's state, before those that it keeps of the last record."""
_SPARE: Final = 64

_COSTLIEST: Final = 64
"""The most work of a record, in the units of kernels: most of a longer record is skipped."""


class Out(NamedTuple):
    """A column: *form* is ``view`` or a NumPy dtype; *default* is the value in records without it.

    items  for lists, the least bytes of an item
    """

    name: str
    form: str
    default: int = 0
    items: int = 0

    @property
    def width(self) -> int:
        """The bytes of a value."""
        return _VIEW if self.form == "view" else int(self.form[1:])


def bytes_walked(_: object, ranges: NDArray[np.int64], *rest: Any) -> int:
    """Return the work of a walk over *ranges*, in the units of kernels."""
    room = int(rest[2])
    return min(_size(ranges), _COSTLIEST * (room + 1))


def _size(ranges: NDArray[np.int64]) -> int:
    if len(ranges) == 1:
        return int(ranges[0, 1]) - int(ranges[0, 0])
    return int(np.add.reduce(ranges[:, 1] - ranges[:, 0]))


class Walked(NamedTuple):
    """The result of a walk.

    rows      the number of records
    counts    for each range, the number of records up to its end, and the offset of the last
    disorder  the first record that is less than its predecessor; -1 if they are in order
    columns   the wanted columns: 16 bytes for a view, or numbers; for lists the items of all
              records
    code      DONE, REFUSED, or FULL if there are more records than allowed
    part      the range of the record that was refused or had no room
    place     the offset of that record
    offsets   for each wanted list, the index of the first item of each record, and
              at the end the number of all items
    """

    rows: int
    counts: NDArray[np.int64]
    disorder: int
    columns: dict[str, NDArray[np.uint8]]
    code: int
    part: int
    place: int
    offsets: dict[str, NDArray[np.int64]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """A walk: how runs of records are read.

    name        the name of the run in errors
    fill        the loop
    take        reads one record as its class does
    parameters  of the record, the same for all
    columns     all columns
    remembered  the number of words that the loop keeps of a record
    usual       the least bytes of most records
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
        parameters: Mapping[str, int | bytes],
    ) -> Walked:
        """Walk over the records between the bounds in each row of *ranges*.

        wanted      columns to fill
        most        the most records; the items of lists are bounded by the bytes
        parameters  of the record, by name
        """
        size = _size(ranges)
        counts = np.zeros((len(ranges), 2), np.int64)
        state = np.zeros(_STATE + self.remembered, np.int64)
        state[3] = -1
        if len(ranges):
            state[2] = ranges[0, 0]
        given = [_argument(parameters[name]) for name in self.parameters]
        room = min(size // self.usual + 1, most)
        filled = {
            each.name: _Filling.of(each, room, size) for each in self.columns if each.name in wanted
        }
        while True:
            arrays = [
                array
                for each in self.columns
                for array in (filled[each.name].arrays if each.name in filled else _left_out(each))
            ]
            ended = self.fill(data, ranges, counts, state, room, *given, *arrays)
            code, part, row, place = map(int, ended)
            if code != FULL or row == most:
                break
            state[:3] = part, row, place
            if row < room:
                for out in filled.values():
                    out.grow_items(row, size)
                continue
            passed = int((ranges[:part, 1] - ranges[:part, 0]).sum()) + place - int(ranges[part, 0])
            room = min(max(2 * row, row * size // max(passed, 1)) + _SPARE, most)
            for out in filled.values():
                out.grow(row, room)
        columns = {name: filled[name].values for name in wanted}
        offsets = {name: out.offsets[: row + 1] for name, out in filled.items() if out.column.items}
        return Walked(row, counts, int(state[3]), columns, code, part, place, offsets)

    def refusal(
        self,
        data: NDArray[np.uint8],
        end: int,
        found: Walked,
        parameters: Mapping[str, int | bytes],
        origin: int = 0,
    ) -> FormatError:
        """Return the record class's error for the refused record.

        end     the end of that record's range
        origin  the offset of *data* in the file
        """
        rest = data[found.place : end].tobytes()
        reader = _WalkReader(rest, origin=origin + found.place)
        reader.number(self.name, found.rows)
        try:
            self.take(reader, **parameters)
        except FormatError as error:
            return error.with_traceback(None)  # whose frames would keep *data* in memory
        wanted = "numbers and sizes that fit 63 bits, which walks calculate in"
        path = f"{self.name}[{found.rows}]"
        return Unsupported(path, origin + found.place, "more", wanted)


class _WalkReader(Reader):
    """A reader of one record among many."""

    __slots__ = ()

    def number(self, name: str, number: int) -> None:
        """Name the next record by its number."""
        self._element = name, number, self._spent.depth


_NO_VALUES: Final = np.zeros(0, np.uint8)
_NO_OFFSETS: Final = np.zeros(0, np.int64)
_SMALL: Final = 1 << 15
"""Bytes up to which NumPy allocates faster than Arrow's pool."""


def _argument(value: int | bytes) -> int | NDArray[np.uint8]:
    """Return the loop's argument for a parameter."""
    return np.frombuffer(value, np.uint8) if isinstance(value, bytes) else int(value)


def _left_out(column: Out) -> tuple[NDArray[Any], ...]:
    """Return the loop's argument for a column that is not wanted."""
    return (_NO_VALUES, _NO_OFFSETS) if column.items else (_NO_VALUES,)


@dataclass(slots=True)
class _Filling:
    """A column while it is being filled.

    offsets  the offsets of the items of each row, with the end of the last; empty if not a list
    """

    column: Out
    values: NDArray[np.uint8]
    offsets: NDArray[np.int64]

    @classmethod
    def of(cls, column: Out, rows: int, size: int) -> Self:
        """Allocate *rows* of a column that is read from *size* bytes."""
        if not column.items:
            return cls(column, _room(rows, column), _NO_OFFSETS)
        items = min(rows, size // column.items)
        return cls(column, _room(items, column), np.zeros(rows + 1, np.int64))

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """The loop's arguments."""
        return (self.values, self.offsets) if self.column.items else (self.values,)

    def grow(self, row: int, room: int) -> None:
        """Grow to *room* rows, of which *row* are filled."""
        if self.column.items:
            more = np.zeros(room + 1, np.int64)
            more[: row + 1] = self.offsets[: row + 1]
            self.offsets = more
        else:
            self._grow(row, room)

    def grow_items(self, row: int, size: int) -> None:
        """Double the room for items, up to as many as *size* bytes may contain."""
        if self.column.items:
            count = len(self.values) // self.column.width
            count = min(2 * count + _SPARE, size // self.column.items)
            self._grow(int(self.offsets[row]), count)

    def _grow(self, filled: int, room: int) -> None:
        kept = filled * self.column.width
        more = _room(room, self.column)
        more[:kept] = self.values[:kept]
        self.values = more


def _room(count: int, column: Out) -> NDArray[np.uint8]:
    size = count * column.width
    return allocated(size, "u1") if size > _SMALL else np.empty(size, np.uint8)
