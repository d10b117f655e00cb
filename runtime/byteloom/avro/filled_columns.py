"""Run a program over values; Arrow arrays are made of the columns that it fills.

- The loop takes the program's steps as numbers, with all lookups resolved.
- Null values, and all fields inside them, are null; nothing is left out.
- A column has a 64-bit word for each row: a number, the bits of a float, a place or a length.

Source: https://arrow.apache.org/docs/format/Columnar.html;
https://avro.apache.org/docs/1.12.0/specification/#binary-encoding
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import pyarrow as pa

from byteloom.avro.nodes import Frame, Program
from byteloom.errors import FormatError, LimitExceeded
from byteloom.kernels import avro_columns as kernel
from byteloom.kernels import avro_columns as ops
from byteloom.limits import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "STEP",
    "BlockColumns",
    "Columns",
    "Numbers",
    "Placed",
    "Valid",
    "bits",
    "inverted",
    "resolved",
    "slot_numbers",
]

STEP: Final = 8
"""Number of words in a step."""


def resolved(
    program: Program, base: NDArray[np.int64], room: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the steps in the form of `byteloom.kernels.avro_columns`, and the jumps of unions.

    base  the index where each column begins and the last one ends
    room  the number of rows that each level has room for
    """
    if program.frame is None:
        program.frame = _framed(program)
    frame = program.frame
    steps = frame.steps.copy()
    steps[frame.cells] = base[frame.columns]
    steps[frame.strides] = room[frame.levels]
    return steps, frame.branches


def _framed(program: Program) -> Frame:
    """Return the parts of a program that all its runs have in common."""
    op, a, b, c, following = np.array(program.code, np.int64).reshape(-1, 5).T
    levels = np.array([*program.levels, 0], np.int64)
    is_list = (op == ops.LIST) | (op == ops.NEXT)
    is_bulk = (op >= ops.NUMBERS) & (op <= ops.RUNS)
    is_slots = (op == ops.SLOT_NUMBER) | (op == ops.SLOT_RUN)
    column = np.where(is_list | is_bulk, b, a)
    is_kept = (column >= 0) & (op != ops.END) & (op != ops.PASS) & (op != ops.EMPTY)
    steps = np.zeros((len(op), STEP), np.int64)
    steps[:, 0], steps[:, 1], steps[:, 6], steps[:, 4] = op, -1, c, following * STEP
    steps[is_kept, 2] = levels[column[is_kept]]
    steps[:, 3] = np.where(is_list | is_bulk, a, b)
    steps[is_list, 6] = np.array(program.bodies or [0], np.int64)[a[is_list]] * STEP
    steps[op == ops.PASS, 7] = a[op == ops.PASS]
    kept, bulk = np.flatnonzero(is_kept) * STEP, np.flatnonzero(is_bulk) * STEP
    second = np.where(op == ops.SLOT_RUN, b, column + 1)[is_kept]
    return Frame(
        steps.ravel(),
        np.concatenate([kept + 1, kept + 5, bulk + 6, bulk + 7]),
        np.concatenate([column[is_kept], second, c[is_bulk], c[is_bulk] + 1]),
        np.flatnonzero(is_slots) * STEP + 3,
        levels[a[is_slots]],
        np.array(program.jumps or [0], np.int64) * STEP,
    )


def slot_numbers(keys: Sequence[int]) -> NDArray[np.int64]:
    """Return a table of the slots of *keys*, in which the loop looks up a key."""
    places = 1 << (2 * len(keys)).bit_length()
    table = np.full((places, 2), -1, np.int64)
    for slot, key in enumerate(keys):
        at = key % places
        while table[at, 1] >= 0:
            at = (at + 1) % places
        table[at] = key, slot
    return table


Numbers: TypeAlias = "np.ndarray[tuple[int], np.dtype[np.int64]]"
Valid: TypeAlias = "np.ndarray[tuple[int], np.dtype[np.bool_]] | None"
"""The rows that have a value, as a mask; None for all."""

Placed: TypeAlias = "Callable[[FormatError, int], FormatError]"
"""A function that returns an error about a place in a value as one about a place in the file.

It takes the error and the number of the value."""

_SHOWN = 10
"""Most bytes of a value that an error shows."""


class Columns:
    """The columns of some values.

    data  the bytes of all values
    rows  of each level: level 0 has a row for each value, n + 1 for each item of list n
    """

    def __init__(  # noqa: PLR0913, PLR0917  (what a program may be run with)
        self,
        program: Program,
        data: np.ndarray,
        offsets: np.ndarray,
        items: int,
        counts: Numbers | None = None,
        slots: Sequence[int] = (),
        limits: Limits | None = None,
        placed: Placed | None = None,
    ) -> None:
        """Decode values.

        offsets        where each value begins in *data*, and where the last ends
        items          number of items to make room for at first; more require copying those before
        counts         for a program of `compile_blocks`, the number of records in each block
        slots          the keys that have slots, as many as the program was compiled for
        limits         ``elements`` bounds the items of all lists of a column together,
                       ``decompressed_size`` the text of an enum; None for any number of items
        placed         returns an error about a place in a value, given the value's number, as one
                       about a place in the file; None where values are of no file
        FormatError    bytes that do not fit the schema; a block of more or fewer records
        LimitExceeded  lists with more items
        """
        self.program, self.data, self._placed = program, data, placed
        most = int(offsets[-1] - offsets[0])  # every item takes at least one byte
        self._most_items = most if limits is None else limits.elements
        self._most_text = (limits or DEFAULT_LIMITS).decompressed_size
        self._room = np.full(len(program.bodies) + 1, min(items, most), np.int64)
        self._room[0] = len(offsets) - 1
        if counts is not None:
            self._room[1] = counts.sum()
        self._known = 1 if counts is None else 2  # levels whose number of rows is known
        is_free = np.ones(len(self._room), np.bool_)
        is_free[[*range(self._known), *program.levels]] = False
        self._room[is_free] = np.iinfo(np.int64).max
        self.rows = np.zeros(len(self._room), np.int64)
        self._cells, self._base = self._laid_out()
        counts = np.ascontiguousarray([] if counts is None else counts, np.int64)
        self._run(offsets, counts, slot_numbers(slots), most)

    def _run(self, offsets: np.ndarray, counts: Numbers, slot_of: np.ndarray, most: int) -> None:
        """Run the program, again with more room each time a list needs it."""
        state, left = np.array([0, -1, 0, 0], np.int64), np.zeros(len(self.rows), np.int64)
        while True:
            steps, branches = resolved(self.program, self._base, self._room)
            wrong = kernel.columns(
                self.data, offsets, counts, steps, branches, slot_of,
                self._cells, self._room, self.rows, left, state,
            )  # fmt: skip
            if not wrong:
                return
            if wrong != kernel.FULL:
                raise self._refusal(kernel.WRONG[wrong], offsets, *map(int, state[:3]))
            self._grow(int(state[3]), most)

    def _refusal(
        self, wanted: str, offsets: np.ndarray, value: int, place: int, step: int
    ) -> FormatError:
        """Return the error about a place in a value."""
        found = bytes(self.data[place : min(place + _SHOWN, int(offsets[value + 1]))]).hex(" ")
        path, offset = self.refused(
            value, place - int(offsets[value]), self.program.names[step // STEP]
        )
        error = FormatError(path, offset, found or "nothing", wanted)
        return error if self._placed is None else self._placed(error, value)

    def _grow(self, full: int, most: int) -> None:
        """Make more room for the rows of *full*, and of levels with a quarter of their room used.

        most  rows that a level may have
        """
        if self._room[full] >= self._most_items < most:
            field = self.program.names[self.program.bodies[full - 1] - 1]
            wanted = f"at most {self._most_items} (limits.elements)"
            raise LimitExceeded(self.refused(0, 0, field)[0], None, "more items", wanted)
        before, base = self._cells, self._base
        is_used = self.rows >= self._room >> 2
        is_used[: self._known], is_used[full] = False, True
        self._room[is_used] = np.minimum(4 * self._room[is_used] + 1, min(most, self._most_items))
        self._cells, self._base = self._laid_out()
        for column, level in enumerate(self.program.levels):
            rows = int(self.rows[level]) + 1
            start, end = self._base[column], min(base[column] + rows, base[column + 1])
            self._cells[start : start + end - base[column]] = before[base[column] : end]

    def _laid_out(self) -> tuple[Numbers, Numbers]:
        """Return an array for all cells, and where in it each column begins and the last ends."""
        levels = np.array(self.program.levels, np.int64)
        base = np.concatenate([[0], np.cumsum(self._room[levels])]).astype(np.int64)
        cells = np.empty(max(int(base[-1]), 1), np.int64)
        column = 0
        for fill, same in groupby(self.program.fills):
            start, column = column, column + len(list(same))
            if fill is not None:
                cells[base[start] : base[column]] = fill
        return cells, base

    def refused(self, value: int, place: int, name: str) -> tuple[str, int | None]:
        """Return the name of a field of a value in errors, and the error's place in its file.

        place  in the value
        """
        return f"values[{value}].{name}", place

    def column(self, number: int, level: int) -> Numbers:
        """Return a column, whose rows are those of *level*."""
        start = self._base[number]
        return self._cells[start : start + self.rows[level]]

    def coded(
        self, column: int, level: int, symbols: Sequence[str], valid: Valid
    ) -> pa.DictionaryArray:
        """Return the values of an enum, as codes.

        LimitExceeded  more text than one part of a file may decompress to
        """
        cells = self.column(column, level)
        texts = pa.array(symbols, pa.large_string())
        sizes = np.array([len(each.encode()) for each in symbols], np.int64)
        size = int(sizes[cells if valid is None else cells[valid]].sum())
        if size > self._most_text:
            found = f"symbols of {size} bytes in {len(cells)} values"
            wanted = f"at most {self._most_text} (limits.decompressed_size)"
            raise LimitExceeded("avro.enum", None, found, wanted)
        codes = pa.array(
            cells if valid is None else np.where(valid, cells, 0), mask=inverted(valid)
        )
        return pa.DictionaryArray.from_arrays(codes, texts)

    def offsets(self, column: int, level: int, valid: Valid) -> Numbers:
        """Return where the items of each list of *column* begin, and where the last ends.

        valid  mask of the rows that have a list
        """
        sizes = self.column(column + 1, level) - self.column(column, level)
        ends = np.zeros(len(sizes) + 1, np.int64)
        np.cumsum(sizes if valid is None else np.where(valid, sizes, 0), out=ends[1:])
        return ends

    def gathered(
        self, starts: Numbers, sizes: Numbers, offsets: np.ndarray, slack: int = 1
    ) -> np.ndarray:
        """Return the runs of bytes at *starts* as one, of *sizes* bytes each.

        offsets  is filled with the start of each run in the result, and the end of the last
        slack    extra bytes that the result has room for
        """
        out = np.empty(int(sizes.sum()) + slack, np.uint8)
        kernel.gather(self.data, starts, sizes, offsets, out)
        return out


class BlockColumns(Columns):
    """The columns of some blocks of records."""

    def __init__(  # noqa: PLR0913, PLR0917  (what a program may be run with)
        self,
        program: Program,
        data: np.ndarray,
        offsets: np.ndarray,
        counts: Numbers,
        first_block: int = 0,
        limits: Limits | None = None,
        placed: Placed | None = None,
    ) -> None:
        """Decode blocks.

        program      of `compile_blocks`
        data         the content of the blocks, one after the other
        offsets      where each begins, and where the last ends
        counts       the number of records of each block
        first_block  the number of the first one in its file, for errors
        limits, placed  as for `Columns`, with blocks as values
        FormatError  blocks that do not fit the schema
        """
        self._first_block = first_block
        items = 16 + len(data) // 16
        super().__init__(program, data, offsets, items, counts, limits=limits, placed=placed)

    def refused(self, value: int, place: int, name: str) -> tuple[str, int | None]:
        """Return the number of the block and the field, and the place in the block, for errors."""
        return f"avro.blocks[{self._first_block + value}].{name}", place


def inverted(valid: Valid) -> Valid:
    """Return a mask of the null rows, as Arrow takes it."""
    return None if valid is None else ~valid


def bits(valid: Valid) -> pa.Buffer | None:
    """Return the rows that have a value, as Arrow's bitmap."""
    return None if valid is None else pa.py_buffer(np.packbits(valid, bitorder="little"))
