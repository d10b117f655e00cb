"""How one repeated record is scanned: its columns, and the arrays that a loop or strided rows fill.

A loop ``f(data, start, at, end, row, count, most, *slots)`` reads records from offset *at* on, puts
them into the slots from *row* on, and returns ``(code, row, at)``: the record it stopped at, and
its offset.

    DONE      *count* records were read, or the bytes or the repetition ended
    REFUSED   that record breaks a rule of the spec
    FULL + k  table k has no room for that record; with more room the loop continues there

A loop does not describe errors: the record class reads the refused record again, and its error is
the one that is raised.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NoReturn

import numpy as np

from byteloom.columns.column import PLACE, Binary, Column, Filled, Slot, record_batch, slots_of
from byteloom.columns.loops import FULL
from byteloom.columns.record_columns import batch_of
from byteloom.columns.views import LONGEST, allocated

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa
    from numpy.typing import NDArray
    from pyarrow import RecordBatch

    from byteloom.columns.column import Column
    from byteloom.columns.loops import Loop
    from byteloom.columns.strided_rows import Rows
    from byteloom.limits import Limits
    from byteloom.wire.reader import Buffer, Reader

__all__ = [
    "Outputs",
    "Stop",
    "TableFullError",
    "Target",
    "fill_rows",
]


def _unable(reader: Reader) -> NoReturn:
    """Refuse to read a record that only the one around it can read."""
    raise TypeError(reader)


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """How one repeated record is scanned.

    name       the repeated field; errors begin with it
    take       reads one record as its class does, named by the reader; none if records fill them
    columns    the columns of the result
    loop       fills the columns, if records vary in size
    size       bytes of every record, if there is no loop
    wrong      finds fixed-size records that break a rule; None if there are no rules
    attribute  the repeated field's name in the class, if records fill the columns
    around     what a loop is given of what the class hands to each record
    """

    name: str
    take: Callable[[Reader], object] = _unable
    columns: tuple[Column, ...]
    loop: Loop | None = None
    size: int = 0
    wrong: Callable[[Rows], NDArray[Any]] | None = None
    attribute: str = ""
    around: Callable[[dict[str, Any]], tuple[int, ...]] | None = None

    @property
    def schema(self) -> pa.Schema:
        """The schema of its batches, with bytes as Arrow's plain type."""
        return self.none("binary").schema

    def none(self, binary: Binary) -> RecordBatch:
        """Return the columns without rows."""
        if self.attribute:
            return batch_of(self.columns, [], binary)
        return self.batch(Filled(b"", iter(_no_slots(self)), binary), 0)

    def batch(self, filled: Filled, rows: int) -> RecordBatch:
        """Return the columns of the first *rows* records."""
        return record_batch(self.columns, [column.array(filled, rows) for column in self.columns])


def _no_slots(target: Target) -> list[NDArray[Any]]:
    return [
        np.zeros(slot.more, "i4" if slot.form == PLACE else slot.form)
        for slot in slots_of(target.columns)
    ]


PROBE: Final = 1024
"""The most records of the first run, from which the size of a record is estimated."""

_SPARE: Final = 1.02
_STEEPEST: Final = 64


class TableFullError(Exception):
    """A table has too many rows; the scanner catches this error."""

    def __init__(self, table: int) -> None:
        """Keep the number of the table."""
        super().__init__(table)
        self.table = table


@dataclass(frozen=True, slots=True)
class Stop:
    """Where and why a loop stopped: the code, the record, and the record's offset in the data."""

    code: int
    row: int
    at: int


class Outputs:
    """The slots of some columns, which grow while a loop fills them."""

    def __init__(self, columns: tuple[Column, ...], data: Buffer, limits: Limits) -> None:
        """Allocate slots for the first records."""
        self._slots = slots_of(columns)
        self._wide = "i4" if len(data) < 1 << 31 else "i8"
        self._data, self._limits = data, limits
        lists = sum(slot.more for slot in self._slots)
        self._most = [limits.elements, *[LONGEST] * lists]
        self._room = [min(PROBE, most) for most in self._most]
        self.arrays = [self._array(slot) for slot in self._slots]
        for slot, array in zip(self._slots, self.arrays, strict=True):
            if slot.more:
                array[0] = 0

    def fill(  # noqa: PLR0913, PLR0917  (what a loop takes)
        self, loop: Loop, start: int, at: int, end: int, count: int, around: tuple[int, ...] = ()
    ) -> Stop:
        """Run *loop* over bytes *at* to *end*; its positions count from *start*.

        around  numbers from the records around
        """
        row, begin = 0, at
        while True:
            args = (start, at, end, row, count, self._limits.elements, *around, *self.arrays)
            code, row, at = loop(self._data, end - at, *args)
            if code < FULL:
                return Stop(code, row, at)
            self._grow(code - FULL, row, (end - begin) / max(at - begin, 1))

    def _grow(self, table: int, row: int, ratio: float) -> None:
        """Make *table*, and others that would fill up as soon, large enough for all records."""
        if self._room[table] >= self._most[table]:
            raise TableFullError(table)
        # Small records may come before large ones, so what is projected from them is bounded.
        factor = min(ratio * _SPARE, _STEEPEST)
        needed = [int(used * factor) + PROBE for used in self._used(row)]
        needed[table] = max(needed[table], 2 * self._room[table])
        rooms = zip(self._room, needed, self._most, strict=True)
        self._room = [min(max(old, new), most) for old, new, most in rooms]
        for index, (slot, old) in enumerate(zip(self._slots, self.arrays, strict=True)):
            if self._room[slot.table] > _length(slot, old):
                self.arrays[index] = self._array(slot)
                self.arrays[index][: len(old)] = old

    def _used(self, row: int) -> list[int]:
        """Return the number of rows in each table that belong to records before *row*."""
        rows = [row]
        for slot, array in zip(self._slots, self.arrays, strict=True):
            if slot.more:
                rows.append(int(array[rows[slot.table]]))
        return rows

    def _array(self, slot: Slot) -> NDArray[Any]:
        form = self._wide if slot.form == PLACE else slot.form
        return np.zeros(self._room[slot.table] + slot.more, form)


def _length(slot: Slot, array: NDArray[Any]) -> int:
    return len(array) - slot.more


def fill_rows(
    columns: tuple[Column, ...], rows: Rows, wrong: Callable[[Rows], NDArray[Any]] | None
) -> tuple[list[NDArray[Any]], int]:
    """Fill the slots of *columns*, and find the first row that *wrong* refuses.

    returns  the slots, and that row; the number of rows if none is wrong
    """
    wide = "i4" if len(rows.data) < 1 << 31 else "i8"
    slots = slots_of(columns)
    outputs = [allocated(rows.count, wide if slot.form == PLACE else slot.form) for slot in slots]
    for where, part in rows.chunks():
        filled = (each for column in columns for each in column.from_rows(part))
        for output, values in zip(outputs, filled, strict=True):
            is_float = values.dtype.kind == "f"  # its slot is the integer of its bits
            slot = output.view(values.dtype.newbyteorder("=")) if is_float else output
            slot[where] = values
        bad = None if wrong is None else wrong(part)
        if bad is not None and bad.any():
            return outputs, where.start + int(bad.argmax())
    return outputs, rows.count
