"""A program run over values: the columns that it fills, for those who make Arrow of them.

- Values that are null, and what lies below a null, are null; nothing is left out.
- A column is a word of 64 bits a row: a number, the bits of a float, a place or a length.

Source: https://arrow.apache.org/docs/format/Columnar.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError

if TYPE_CHECKING:
    from byteloom.avro.nodes import Program

__all__ = ["Columns", "Numbers", "Valid", "bits", "inverted"]

Numbers: TypeAlias = "np.ndarray[tuple[int], np.dtype[np.int64]]"
Valid: TypeAlias = "np.ndarray[tuple[int], np.dtype[np.bool_]] | None"
"""Which rows are there; None for all."""

_SHOWN = 10
"""Bytes that an error shows."""


class Columns:
    """The columns of some values.

    data  the bytes of all of them
    rows  of each level: 0 has one a value, n + 1 one an item of list n
    """

    def __init__(
        self,
        program: Program,
        data: np.ndarray,
        offsets: np.ndarray,
        items: int,
        counts: Numbers | None = None,
    ) -> None:
        """Decode values.

        offsets      where each begins in *data*, and where the last ends
        items        how many a list may have at first; more cost another pass
        counts       of a program of `compile_blocks`, the records of each block
        FormatError  bytes that are not of the schema; a block of more or fewer records
        """
        self.program, self.data = program, data
        self._levels = np.array(program.levels, np.int64)
        most = int(offsets[-1] - offsets[0])  # an item takes a byte or more
        room = np.full(len(program.bodies) + 1, min(items, most), np.int64)
        room[0] = len(offsets) - 1
        if counts is not None:
            room[1] = counts.sum()
        self._counts = np.ascontiguousarray([] if counts is None else counts, np.int64)
        while full := self._fill(offsets, room):
            room[full] = min(4 * int(room[full]) + 1, most)

    def _fill(self, offsets: np.ndarray, room: np.ndarray) -> int:
        """Run the program; return the level that has too little room, or 0."""
        from byteloom.kernels import avro_columns as kernel

        sizes = room[self._levels] if len(self._levels) else room[:0]
        self._base = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
        self._cells = np.zeros(max(int(self._base[-1]), 1), np.int64)
        self.rows = np.zeros(len(room), np.int64)
        told, left = np.zeros(3, np.int64), np.zeros(len(room), np.int64)
        code, jumps, bodies, levels = self.program.arrays()
        wrong = kernel.columns(
            self.data, offsets, self._counts, code, jumps, bodies, levels,
            self._base, self._cells, room, self.rows, left, told,
        )  # fmt: skip
        value, place, step = map(int, told)
        if wrong == kernel.FULL:
            return self.program.code[step][1] + 1
        if wrong:
            found = self.data[place : min(place + _SHOWN, int(offsets[value + 1]))]
            path, offset = self.where(value, place - int(offsets[value]))
            path = f"{path}.{self.program.names[step]}"
            told_bytes = bytes(found).hex(" ") or "nothing"
            raise FormatError(path, offset, told_bytes, kernel.WRONG[wrong])
        return 0

    def where(self, value: int, place: int) -> tuple[str, int | None]:
        """Return what an error calls the value of a number, and where in its file the error is.

        place  in the value
        """
        return f"values[{value}]", place

    def column(self, number: int, level: int) -> Numbers:
        """Return a column, whose rows are those of *level*."""
        start = self._base[number]
        return self._cells[start : start + self.rows[level]]

    def offsets(self, column: int, level: int, valid: Valid) -> Numbers:
        """Return where the items of each list of *column* begin, and where the last ends.

        valid  which of them have items at all
        """
        sizes = self.column(column + 1, level) - self.column(column, level)
        ends = np.zeros(len(sizes) + 1, np.int64)
        np.cumsum(sizes if valid is None else np.where(valid, sizes, 0), out=ends[1:])
        return ends

    def gathered(
        self, starts: Numbers, sizes: Numbers, offsets: np.ndarray, slack: int = 1
    ) -> np.ndarray:
        """Return runs of bytes one behind the other.

        offsets  becomes where each begins, and where the last ends
        slack    bytes more that the result has room for
        """
        from byteloom.kernels.avro_columns import gather

        out = np.empty(int(sizes.sum()) + slack, np.uint8)
        gather(self.data, starts, sizes, offsets, out)
        return out


def inverted(valid: Valid) -> Valid:
    """Return which rows are null, as Arrow's mask."""
    return None if valid is None else ~valid


def bits(valid: Valid) -> pa.Buffer | None:
    """Return which rows are there, as Arrow's bitmap."""
    return None if valid is None else pa.py_buffer(np.packbits(valid, bitorder="little"))
