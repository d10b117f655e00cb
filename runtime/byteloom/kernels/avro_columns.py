"""Decode Avro's values to columns, by a loop that runs a program compiled from their schema.

- A step is eight words, see `_CELL` and the names after it.  Values are stored in the order of
  the schema, so the program runs to `END` once for each value.
- A cell of a column is a word of 64 bits: a number, the raw bits of a float, an offset or a length.
- A list has its own rows, on its own level, and its own counter of the items left in a
  block; a schema that is not recursive needs no stack.
- Every read is checked against the end of its value.  An error is returned as a code of
  `WRONG`, with the index of the value, the offset and the step.  `FULL` asks for more rows of a
  list; the next call continues where that one ended.

Source: https://avro.apache.org/docs/1.12.0/specification/#binary-encoding
"""

from __future__ import annotations

from typing import Any

import numpy as np

from byteloom.kernels.avro_items import (
    WRONG,
    append_items,
    block_at,
    bytes_at,
    fill_slots,
    pass_empty,
    pass_items,
)
from byteloom.native.integers import wide_zigzag_at
from byteloom.native.kernel import kernel
from byteloom.native.loads import le64, put_le64

__all__ = ["FULL", "WRONG", "columns", "gather"]

word: Any = np.int64

END, BOOL, FLOAT, DOUBLE, FIXED, INT, LONG, BYTES, ENUM, UNION, LIST, NEXT = range(12)
PASS, EMPTY, NUMBERS, PAIRS, RUNS, SLOT_NUMBER, SLOT_RUN, PREFIXED = range(12, 20)

place_of: Any = np.uint64
"""Makes an unsigned index, for which numba need not handle counting from the end."""

_CELL, _LEVEL, _MOST, _NEXT_STEP, _SECOND, _TABLE, _THIRD = range(1, 8)
"""The words of a step, after the one with the operation:

_CELL       the cell of row 0 of its column, or -1
_LEVEL      the level of that column
_MOST       the number of bytes, branches or symbols; the index of a list; the cells from one
            slot to the next; the runs of items that are skipped
_NEXT_STEP  the step that follows, in words
_SECOND     the cell of row 0 of the next column
_TABLE      the offset in branches; the step of a list's items; row 0 of the first part of items
_THIRD      row 0 of their second part; the numbers of items that are skipped
"""

FULL = 99
"""Returned if a list has more rows than there is room for."""


@kernel
def _bits(data: np.ndarray, at: int, size: int) -> Any:
    """Return the little-endian bits of a float."""
    bits = np.uint64(0)
    for i in range(size):
        bits |= np.uint64(data[at + i]) << np.uint64(8 * i)
    return word(bits)


@kernel
def _at_once(
    source: int,
    at: int,
    end: int,
    step: int,
    target: int,
    rows: int,
    room: int,
    slots: int,
    mask: int,
) -> int:
    """Process a list, or bytes after their length, in one step; return the offset after it.

    The offset is 0 if there is no room, and minus a code on an error.  The other arguments
    are addresses, that of the step included; *target* is that of the cells.
    """
    op, most = le64(step, 0), le64(step, 8 * _MOST)
    if op == PASS:
        return pass_items(source, at, end, le64(step, 8 * _THIRD), most)
    cell = target + 8 * (le64(step, 8 * _CELL) + le64(rows, 8 * le64(step, 8 * _LEVEL)))
    second = target + 8 * (le64(step, 8 * _SECOND) + le64(rows, 8 * le64(step, 8 * _LEVEL)))
    if op == SLOT_NUMBER:
        return fill_slots(source, at, end, slots, mask, cell, 0, 8 * most)
    if op == SLOT_RUN:
        return fill_slots(source, at, end, slots, mask, cell, second, 8 * most)
    if op == EMPTY:
        return pass_empty(source, at, end)
    if op == PREFIXED:
        size, at = bytes_at(source, at, end)
        if at < 0 or size != most:
            return -4
        if le64(step, 8 * _CELL) >= 0:
            put_le64(cell, 0, at)
        return at + size
    filled = le64(rows, 8 * (most + 1))
    put_le64(cell, 0, filled)
    keys, values = target + 8 * le64(step, 8 * _TABLE), target + 8 * le64(step, 8 * _THIRD)
    most_items = le64(room, 8 * (most + 1))
    at, filled = append_items(source, at, end, filled, most_items, op - NUMBERS, keys, values)
    if at > 0:
        put_le64(second, 0, filled)
        put_le64(rows, 8 * (most + 1), filled)
    return at


@kernel(work=lambda _, offsets, *__: 2 * (offsets[-1] - offsets[0]))
def columns(
    data: np.ndarray,
    offsets: np.ndarray,
    counts: np.ndarray,
    steps: np.ndarray,
    branches: np.ndarray,
    slot_of: np.ndarray,
    cells: np.ndarray,
    room: np.ndarray,
    rows: np.ndarray,
    left: np.ndarray,
    state: np.ndarray,
) -> int:
    """Fill *cells* with all values; return 0, or the code of an error.

    offsets   the offset of each value, and the end of the last
    counts    for values that are blocks: the items of list 0, which then has no counts of its own;
              otherwise empty
    steps     the program
    branches  the steps at which the branches of unions begin
    slot_of   int64[n, 2]: a hash table of keys and their slots, -1 for none, by the last bits
              of the key, with linear probing; n is a power of two, and one entry is free
    room      the rows allocated for each level: level 0 has a row for each value, list n has its
              rows on level n + 1
    rows      the rows filled on each level so far
    left      the items left in the block of each list
    state     where to continue: value, offset and step; an offset of -1 is the start of the value.
              Set to where the call ended, and the level that is full
    """
    wrong = 0
    source, target = word(data.ctypes.data), word(cells.ctypes.data)
    slots, mask = word(slot_of.ctypes.data), word(len(slot_of) - 1)
    of_steps, of_rows = word(steps.ctypes.data), word(rows.ctypes.data)
    of_room = word(room.ctypes.data)
    at, step = word(state[1]), word(state[2])
    for value in range(state[0], len(offsets) - 1):
        end = word(offsets[value + 1])
        rows[0] = value
        if at < 0:
            at, step = word(offsets[value]), word(0)
        place = at
        while True:
            op, cell = steps[place_of(step)], steps[place_of(step + _CELL)]
            place = at
            if op >= INT and op <= UNION:
                if at < end and data[place_of(at)] < 0x80:
                    number = word(data[place_of(at)])
                    number = (number >> 1) ^ -(number & 1)
                    at += 1
                else:
                    number, at = wide_zigzag_at(source, at, end)
                    if at < 0:
                        wrong = -at
                        break
                if op == UNION:
                    if number < 0 or number >= steps[place_of(step + _MOST)]:
                        wrong = 5
                        break
                    if cell >= 0:
                        cells[place_of(cell + rows[place_of(steps[place_of(step + _LEVEL)])])] = (
                            number
                        )
                    step = branches[place_of(steps[place_of(step + _TABLE)] + number)]
                    continue
                if op == BYTES:
                    if number < 0 or number > end - at:
                        wrong = 4
                        break
                    if cell >= 0:
                        row = rows[place_of(steps[place_of(step + _LEVEL)])]
                        cells[place_of(steps[place_of(step + _SECOND)] + row)] = number
                        cells[place_of(cell + row)] = at
                    at += number
                    step = steps[place_of(step + _NEXT_STEP)]
                    continue
                if op == INT:
                    if number < -0x80000000 or number > 0x7FFFFFFF:
                        wrong = 2
                        break
                elif op == ENUM and (number < 0 or number >= steps[place_of(step + _MOST)]):
                    wrong = 5
                    break
            elif op >= PASS:
                at = _at_once(
                    source, at, end, of_steps + 8 * step, target, of_rows, of_room, slots, mask
                )
                if at == 0:
                    wrong, at = FULL, place
                    state[3] = steps[place_of(step + _MOST)] + 1
                    break
                if at < 0:
                    wrong = -at
                    break
                step = steps[place_of(step + _NEXT_STEP)]
                continue
            elif op >= LIST:
                a = steps[place_of(step + _MOST)]
                child = a + 1
                if op == LIST:
                    left[a] = 0
                    if cell >= 0:
                        cells[cell + rows[steps[place_of(step + _LEVEL)]]] = rows[child]
                else:
                    left[a] -= 1
                    rows[child] += 1
                if left[a] == 0:
                    if a == 0 and len(counts):
                        count = word(counts[value]) if op == LIST else word(0)
                        if count < 0 or count > end - at:
                            wrong = 6
                            break
                    else:
                        count, at = block_at(source, at, end)
                        if at < 0:
                            wrong = -at
                            break
                    left[a] = count
                if left[a] == 0:
                    if cell >= 0:
                        row = rows[steps[place_of(step + _LEVEL)]]
                        cells[steps[place_of(step + _SECOND)] + row] = rows[child]
                    step = steps[place_of(step + _NEXT_STEP)]
                else:
                    step = steps[place_of(step + _TABLE)]
                    if rows[child] >= room[child]:
                        wrong, state[3] = FULL, child
                        break
                continue
            elif op == END:
                if at != end:
                    wrong = 7
                break
            elif op == BOOL:
                if at >= end or data[place_of(at)] > 1:
                    wrong = 3
                    break
                number = word(data[place_of(at)])
                at += 1
            else:
                size = steps[place_of(step + _MOST)]
                if size > end - at:
                    wrong = 4
                    break
                number = at if op == FIXED else _bits(data, at, size)
                at += size
            if cell >= 0:
                cells[place_of(cell + rows[place_of(steps[place_of(step + _LEVEL)])])] = number
            step = steps[place_of(step + _NEXT_STEP)]
        if wrong != 0:
            state[0], state[1], state[2] = value, at if wrong == FULL else place, step
            return wrong
        at = word(-1)
    rows[0] = len(offsets) - 1
    return 0


@kernel
def gather(
    data: np.ndarray, starts: np.ndarray, sizes: np.ndarray, offsets: np.ndarray, out: np.ndarray
) -> None:
    """Concatenate pieces of *data* in *out*; *offsets* is set to where each begins."""
    at = 0
    for i in range(len(starts)):
        offsets[i] = at
        start, size = starts[i], sizes[i]
        for j in range(size):
            out[at + j] = data[start + j]
        at += size
    offsets[len(starts)] = at
