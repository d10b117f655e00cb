"""Puts: write columns of values as records, after the bytes that are already in the buffer.

- The loop is generated from the spec (``-loom-put``).  It fills the caller's buffer, and stops
  if there is no room for the next record.
- It checks every rule of the spec.  A refused record is made by its class, whose error
  names the field.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from byteloom.columns.loops import DONE, REFUSED
from byteloom.errors import FormatError, Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from byteloom.columns.walks import Out
    from byteloom.wire.record import Record

__all__ = ["SLACK", "Put", "rows_put"]

SLACK: Final = 16
"""Spare bytes at the end of the buffer, since whole words are stored."""

_STATE: Final = 2
_ROW: Final = 32
"""The work of a record, in the units of kernels."""


def rows_put(_: object, starts: NDArray[np.int64], *rest: Any) -> int:
    """Return the work of a put, in the units of kernels."""
    first, end = rest[2:4]
    return _ROW * min(int(end - first), len(starts))


@dataclass(frozen=True, slots=True, kw_only=True)
class Put:
    """A put: how columns are written as a run of records.

    name        the name of the run in errors
    fill        the loop: `fill(data, starts, shared, state, first, end, *parameters, *columns)`;
                it returns whether it was refused (1) or full (2), the next row, and the records in
                *data*
    make        makes the record of one row
    parameters  of the record, the same for all
    columns     all columns; one of bytes is two arrays, the bytes and the offset of each value,
                with the end of the last; one of lists has another array, with the index of the
                first item of each record, and the number of all items
    remembered  the number of words that the loop keeps of a record
    ranks       the parts of the sort key; `shared` counts those that a record has in common with
                the one before
    """

    name: str
    fill: Callable[..., tuple[int, int, int]]
    make: Callable[..., Record]
    parameters: tuple[str, ...]
    columns: tuple[Out, ...]
    remembered: int
    ranks: int

    def state(self) -> NDArray[np.int64]:
        """Return the state of an empty buffer: number of records, first out of order, last one."""
        state = np.zeros(_STATE + self.remembered, np.int64)
        state[1] = -1
        return state

    def whole(
        self, rows: int, arrays: Sequence[NDArray[Any]], parameters: Mapping[str, int]
    ) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """Return the bytes of all records, and their offsets, with the end of the last one.

        arrays  of the columns, in their order
        raises  `FormatError` for a record that breaks a rule
        """
        data = np.zeros(sum(each.nbytes for each in arrays) + _ROW * rows + SLACK, np.uint8)
        starts, shared = np.zeros(rows + 2, np.int64), np.zeros(rows + 2, np.uint8)
        state, row = self.state(), 0
        flags = [int(parameters[name]) for name in self.parameters]
        fill: Any = self.fill  # mypy cannot count what a list spreads
        while True:
            code, row, count = fill(data, starts, shared, state, row, rows, *flags, *arrays)
            if code == REFUSED:
                raise self.refusal(self._row(arrays, int(row)), int(row), parameters)
            if code == DONE:
                return data[: starts[count]], starts[: count + 1]
            data = np.concatenate([data, np.zeros(len(data), np.uint8)])

    def _row(self, arrays: Sequence[NDArray[Any]], row: int) -> list[Any]:
        """Return the values of one record."""
        left, values = list(arrays), list[Any]()
        for column in self.columns:
            numbers, first, end = left.pop(0), row, row + 1
            ends = left.pop(0) if column.form == "view" else None
            if column.items:
                first, end = left.pop(0)[row : row + 2].tolist()
            if ends is None:
                found = numbers.view(column.form)[first:end].tolist()
            else:
                bounds = pairwise(ends[first : end + 1].tolist())
                found = [numbers[begin:stop].tobytes() for begin, stop in bounds]
            values.append(found if column.items else found[0])
        return values

    def refusal(
        self, values: Sequence[Any], number: int, parameters: Mapping[str, int]
    ) -> FormatError:
        """Return the record class's error for a refused record.

        values  of the columns, in their order; a list for a list
        number  the index of the record in its run
        """
        path = f"{self.name}[{number}]"
        try:
            record = self.make(*values, **parameters)
        except FormatError as error:
            error.offset = None  # in the value of a column
            return error.inside(path)
        try:
            record.to_bytes()
        except FormatError as error:
            error.path = error.path.partition(".")[2]
            return error.inside(path)
        wanted = "values that fit 63 bits, and none in columns of fields that the record lacks"
        return Unsupported(path, None, "others", wanted)
