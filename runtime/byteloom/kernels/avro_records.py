"""Records of an Avro file to columns, by a program made of its schema.

A program is a table of steps ``(operation, argument, target, valid)`` that is run once for each
record; `byteloom.iceberg.manifests.program` writes them.  What a record holds goes to

    longs    int64[column, row], with valid[column, row]; a boolean is 0 or 1
    views    places[view, row] and sizes[view, row]; a size of -1 is null
    lists    starts[list, row] and ends[list, row] into items[0..1, :], key and value; bytes as
             their place, 32 bits further up, and size; valid[column, row] tells null from empty
    records  in an array: rows of their own in the columns above, between starts and ends
    slots    for maps whose keys are field ids: one row of values for each id that is wanted

- Every read is compared with the end of its block first, whatever a length says.
- What is wrong is returned as a code from 1 up, with the row and the place, for the caller to put
  into words (`WRONG`).  `FULL` asks for longer lists, and for the row again.

Source: Apache Avro specification, "Binary Encoding".
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from byteloom.kernels.avro_items import append_items, fill_runs, fill_slots
from byteloom.kernels.manifest_values import (
    BRANCH,
    BYTES,
    CUT,
    DEEP,
    LEFT,
    LENGTH,
    NEITHER,
    WIDE,
    WRONG,
    block_at,
    bytes_at,
    long_at,
    pass_empty,
    pass_items,
)
from byteloom.wire.kernel import kernel
from byteloom.wire.loads import byte, le64, put_byte, put_le64

__all__ = ["FULL", "WRONG", "Op", "decode"]

word: Any = np.int64

FULL: Final = -1


class Op:
    """The operations of a program."""

    NULLABLE: Final = 0
    """argument: the branch that is null; target: the step after the value; then a valid column."""
    LONG: Final = 1
    INT: Final = 2
    BOOLEAN: Final = 3
    BYTES: Final = 4
    """argument: the one size that is right; 0 for any."""
    FIXED: Final = 5
    """argument: the size."""
    LIST_LONG: Final = 6
    MAP_LONG: Final = 7
    MAP_BYTES: Final = 8
    SLOT_LONG: Final = 9
    SLOT_BYTES: Final = 10
    UNION: Final = 11
    """argument: the number of branches; the steps behind it are JUMPs, one for each."""
    JUMP: Final = 12
    ARRAY: Final = 13
    """argument: 1 for a map, whose items start with text; target: the step after the NEXT; then the
    list whose ends count its items, each of which has a row of its own, or -1."""
    NEXT: Final = 14
    END: Final = 15
    EMPTY: Final = 16
    """An array whose items take no bytes."""
    PASS: Final = 17
    """An array that is passed over; argument: the numbers in an item; target: the runs of bytes
    behind them."""


_NULLABLE, _LONG, _INT, _BOOLEAN, _BYTES, _FIXED = range(6)
_LIST_LONG, _MAP_LONG, _MAP_BYTES, _SLOT_LONG, _SLOT_BYTES = range(6, 11)
_UNION, _JUMP, _ARRAY, _NEXT, _END, _EMPTY, _PASS = range(11, 18)

_DEPTH: Final = 16
_INT_LEAST, _INT_MOST = -(1 << 31), (1 << 31) - 1


@kernel
def _number(base: int, at: int, end: int, operation: int) -> tuple[int, int]:
    """A number of one of three types."""
    if operation == _BOOLEAN:
        if at >= end:
            return 0, -CUT
        value = byte(base, at)
        return value, at + 1 if value <= 1 else -NEITHER
    value, at = long_at(base, at, end)
    if operation == _INT and not _INT_LEAST <= value <= _INT_MOST:
        return 0, -WIDE
    return value, at


@kernel
def _step(program: int, number: int) -> tuple[int, int, int, int]:
    """A step of the program."""
    at = 32 * number
    return (
        le64(program, at),
        le64(program, at + 8),
        le64(program, at + 16),
        le64(program, at + 24),
    )


@kernel
def _decode_record(
    base: int,
    end: int,
    row: int,
    program: int,
    resume: np.ndarray,
    columns: Any,
    lists: Any,
    slots: Any,
    stack: np.ndarray,
) -> int:
    """Run the program once; return 0, a code, or minus the length that `FULL` asks for."""
    longs, valid, places, sizes, room = columns
    starts, ends, keys, values, rows = lists
    slot_of, mask, slot_longs, slot_places, slot_sizes, slot_count, stride = slots
    at, filled, inner = resume[2], resume[3], resume[4]
    depth = number = 0
    cell = row
    while True:
        operation, argument, target, kept = _step(program, number)
        number += 1
        if operation == _NULLABLE:
            branch, at = long_at(base, at, end)
            if branch == argument:
                number = target
            elif not 0 <= branch <= 1:
                return BRANCH
            elif kept >= 0 and at >= 0:
                put_byte(valid, kept * room + cell, 1)
        elif operation <= _BOOLEAN:
            value, at = _number(base, at, end, operation)
            if target >= 0 and at >= 0:
                put_le64(longs, 8 * (target * room + cell), value)
        elif operation <= _FIXED:
            size = argument
            if operation == _BYTES:
                size, at = bytes_at(base, at, end)
                if at >= 0 and argument > 0 and size != argument:
                    return LENGTH
            elif size > end - at:
                return BYTES
            if target >= 0 and at >= 0:
                put_le64(places, 8 * (target * room + cell), at)
                put_le64(sizes, 8 * (target * room + cell), size)
            at += size
        elif operation == _PASS:
            at = pass_items(base, at, end, argument, target)
        elif operation == _SLOT_LONG:
            cells = slot_longs + target * slot_count * stride + 8 * row
            at = fill_slots(base, at, end, slot_of, mask, cells, stride)
        elif operation == _SLOT_BYTES:
            before = target * slot_count * stride + 8 * row
            cells, others = slot_places + before, slot_sizes + before
            at = fill_runs(base, at, end, slot_of, mask, cells, others, stride)
        elif operation <= _MAP_BYTES:
            put_le64(starts, 8 * (target * rows + row), filled)
            at, filled = append_items(base, at, end, filled, operation - _LIST_LONG, keys, values)
            put_le64(ends, 8 * (target * rows + row), filled)
            if at == 0:
                return -filled
        elif operation == _UNION:
            branch, at = long_at(base, at, end)
            if not 0 <= branch < argument:
                return BRANCH
            number += branch
        elif operation == _JUMP:
            number = target
        elif operation == _END:
            resume[2], resume[3], resume[4] = at, filled, inner
            return 0
        elif operation == _EMPTY:
            at = pass_empty(base, at, end)
        else:
            if operation == _ARRAY:
                if depth == len(stack):
                    return DEEP
                stack[depth, 0], stack[depth, 1] = number - 1, 0
                depth += 1
                if kept >= 0:
                    put_le64(starts, 8 * (kept * rows + row), inner)
                    put_le64(ends, 8 * (kept * rows + row), inner)
            else:
                number = stack[depth - 1, 0] + 1
                _, argument, target, kept = _step(program, number - 1)
                stack[depth - 1, 1] -= 1
                if kept >= 0:
                    inner += 1
                    put_le64(ends, 8 * (kept * rows + row), inner)
            if stack[depth - 1, 1] == 0:
                stack[depth - 1, 1], at = block_at(base, at, end)
            if at >= 0 and stack[depth - 1, 1] == 0:
                depth -= 1
                number = target
                cell = row if kept >= 0 else cell
            elif at >= 0 and kept >= 0:
                cell = inner
                if cell >= room:
                    return -(cell + 1)
            elif at >= 0 and argument == 1:
                size, at = bytes_at(base, at, end)
                at += size
        if at < 0:
            return -at


@kernel
def _addresses(columns: Any, lists: Any, slot_of: np.ndarray, slots: Any) -> Any:
    """Where columns, lists and slots lie, and how many rows each has room for."""
    longs, valid, places, sizes = columns
    starts, ends, items = lists
    slot_longs, slot_places, slot_sizes = slots
    return (
        (
            longs.ctypes.data,
            valid.ctypes.data,
            places.ctypes.data,
            sizes.ctypes.data,
            valid.shape[1],
        ),
        (
            starts.ctypes.data,
            ends.ctypes.data,
            items.ctypes.data,
            items.ctypes.data + 8 * items.shape[1],
            starts.shape[1],
        ),
        (
            slot_of.ctypes.data,
            len(slot_of) - 1,
            slot_longs.ctypes.data,
            slot_places.ctypes.data,
            slot_sizes.ctypes.data,
            slot_longs.shape[1],
            8 * slot_longs.shape[2],
        ),
    )


@kernel(work=lambda _, blocks, *__: (blocks[:, 2] - blocks[:, 1]).sum())
def decode(
    data: np.ndarray,
    blocks: np.ndarray,
    program: np.ndarray,
    resume: np.ndarray,
    columns: Any,
    lists: Any,
    slot_of: np.ndarray,
    slots: Any,
) -> tuple[int, int, int]:
    """Run *program* for each record of *blocks*; return a code, the row, and a place or length.

    blocks   int64[block, 3]: records, start and end in *data*
    program  int64[step, 4]: operation, argument, target, column of *valid* or -1
    resume   int64[5]: block, records of it that are done, place, items and inner rows that are
             filled; where to go on, kept up to date
    columns  longs, valid, places, sizes
    lists    starts, ends, items
    slot_of  int64[place, 2]: field ids and their slots, -1 for none, by the last bits of the id or
             behind; a power of two of places, not all taken
    slots    longs, places and sizes by map, slot and row; left as they were where a key is missing
    """
    base = data.ctypes.data
    stack = np.zeros((_DEPTH, 2), np.int64)
    steps = program.ctypes.data
    of_columns, of_lists, of_slots = _addresses(columns, lists, slot_of, slots)
    row = resume[1]
    for b in range(resume[0]):
        row += blocks[b, 0]
    while resume[0] < len(blocks):
        count, start, end = blocks[resume[0]]
        if resume[1] == 0:
            resume[2] = start
        while resume[1] < count:
            code = _decode_record(
                base, end, row, steps, resume, of_columns, of_lists, of_slots, stack
            )
            if code < 0:
                return FULL, row, -code
            if code > 0:
                return code, row, resume[2]
            row += 1
            resume[1] += 1
        if resume[2] != end:
            return LEFT, row, resume[2]
        resume[0], resume[1] = resume[0] + 1, 0
    return 0, row, 0
