"""Avro's binary values to columns: one loop that obeys a program made of their schema.

- A step is five numbers: what to do, its three operands, and the step that follows.  Values follow
  one another in the order of the schema, so that the program runs to `END` once for each of them.
- A cell of a column is a word of 64 bits: a number, the raw bits of a float, a place or a length.
- A list has rows of its own, on a level of their own, and its own counter of what is left of a
  block; a schema that is not recursive needs no stack.
- Every read is compared with the end of its value first.  What is wrong is returned as a code, see
  `WRONG`, with the number of the value, the place and the step.

Source: https://avro.apache.org/docs/1.12.0/specification/#binary-encoding
"""

from __future__ import annotations

from typing import Any

import numpy as np

from byteloom.wire.kernel import kernel
from byteloom.wire.loads import byte, le64

__all__ = ["FULL", "WRONG", "columns", "gather"]

word: Any = np.int64

END, BOOL, FLOAT, DOUBLE, FIXED, INT, LONG, BYTES, ENUM, UNION, LIST, NEXT = range(12)

WRONG = (
    "",
    "a whole number of at most 10 bytes inside the value",
    "a number of 32 bits",
    "0 or 1",
    "a length of bytes that are inside the value",
    "a number of a branch or symbol that the schema has",
    "a count of items that are inside the value",
    "the end of the value",
)
"""For each code, what was wanted."""

place_of: Any = np.uint64
"""Makes a place of an integer: numba does not ask whether it counts from the end."""

_LONGEST = 10
"""Bytes of a number."""
_POSITIVE = (1 << 63) - 1
_HIGH = -0x7F7F_7F7F_7F7F_7F80
"""The highest bit of each of eight bytes, which says that the number goes on."""

_STEP = 8
_CELL, _LEVEL, _MOST, _NEXT_STEP, _SECOND, _TABLE = range(1, 7)

FULL = 99
"""Returned where a list has more rows than there is room for."""


@kernel
def _long(source: int, at: int, end: int) -> tuple[int, int]:
    """Return a zigzag number and the place behind it; -1 as the place of none.

    source  address of the bytes
    """
    if at + _LONGEST <= end:
        bits, behind = _ten(source, at)
    else:
        bits, behind = _bytewise(source, at, end)
    return ((bits >> 1) & _POSITIVE) ^ -(bits & 1), behind


@kernel
def _bytewise(source: int, at: int, end: int) -> tuple[int, int]:
    """Return the bits of a number that is near the end, and the place behind it."""
    bits = shift = 0
    while at < end and shift < 70:
        part = byte(source, at)
        at += 1
        if shift == 63 and part > 1:
            return 0, -1
        bits |= (part & 0x7F) << shift
        if part < 0x80:
            return bits, at
        shift += 7
    return 0, -1


@kernel
def _ten(source: int, at: int) -> tuple[int, int]:
    """Return what `_bytewise` does, where there are ten bytes: eight of them at a time."""
    eight = le64(source, at)
    last = ~eight & _HIGH
    last &= -last
    kept = (last - 1) & ~_HIGH if last else ~_HIGH
    bits = eight & kept
    bits = (bits & 0x007F_007F_007F_007F) | (bits & 0x7F00_7F00_7F00_7F00) >> 1
    bits = (bits & 0x0000_3FFF_0000_3FFF) | (bits & 0x3FFF_0000_3FFF_0000) >> 2
    bits = (bits & 0x0000_0000_0FFF_FFFF) | (bits & 0x0FFF_FFFF_0000_0000) >> 4
    if last:
        before = ((last - 1) >> 7) & 0x0001_0101_0101_0101
        return bits, at + 1 + ((before * 0x0101_0101_0101_0101 >> 56) & 0xFF)
    ninth, tenth = byte(source, at + 8), byte(source, at + 9)
    bits |= (ninth & 0x7F) << 56
    if ninth < 0x80:
        return bits, at + 9
    return (bits | tenth << 63, at + 10) if tenth < 2 else (0, -1)


@kernel
def _bits(data: np.ndarray, at: int, size: int) -> Any:
    """Return the little-endian bits of a float."""
    bits = np.uint64(0)
    for i in range(size):
        bits |= np.uint64(data[at + i]) << np.uint64(8 * i)
    return word(bits)


@kernel
def _resolved(code: np.ndarray, jumps: np.ndarray, level: np.ndarray, base: np.ndarray) -> Any:
    """Return the steps with all that they would have to look up, and jumps to them.

    A step is eight words: what to do, its cell in row 0 or -1, the level of that, the size or how
    many branches or symbols there are, the step that follows, its other cell, its place in jumps.
    """
    steps = np.zeros(len(code) // 5 * _STEP, np.int64)
    for number in range(len(code) // 5):
        op, a = code[5 * number], code[5 * number + 1]
        at = number * _STEP
        steps[at], steps[at + _CELL] = op, -1
        if a >= 0 and BOOL <= op <= UNION:
            steps[at + _CELL], steps[at + _LEVEL] = base[a], level[a]
            steps[at + _SECOND] = base[a + 1]
        steps[at + _MOST], steps[at + _TABLE] = code[5 * number + 2], code[5 * number + 3]
        steps[at + _NEXT_STEP] = code[5 * number + 4] * _STEP
    return steps, jumps * _STEP


@kernel(work=lambda _, offsets, *__: 2 * (offsets[-1] - offsets[0]))
def columns(
    data: np.ndarray,
    offsets: np.ndarray,
    counts: np.ndarray,
    code: np.ndarray,
    jumps: np.ndarray,
    bodies: np.ndarray,
    level: np.ndarray,
    base: np.ndarray,
    cells: np.ndarray,
    room: np.ndarray,
    rows: np.ndarray,
    left: np.ndarray,
    told: np.ndarray,
) -> int:
    """Fill *cells* with all values; return 0, or what is wrong.

    offsets  where each value begins, and where the last ends
    counts   of values that are blocks: the items of list 0, which then has no counts of its own;
             or nothing
    code     the program; column -1 is not kept
    jumps    the steps at which the branches of unions begin
    bodies   the steps at which the items of lists begin
    level    of each column; 0 has a row for each value, list n has its rows on level n + 1
    base     where in *cells* each column begins
    room     rows there are room for, of each level
    rows     becomes the number of rows of each level
    left     items left of the block of each list; room for work
    told     becomes [value, place, step] of what is wrong
    """
    rows[:] = 0
    wrong = 0
    source = data.ctypes.data
    steps, branches = _resolved(code, jumps, level, base)
    for value in range(len(offsets) - 1):
        at, end = word(offsets[value]), word(offsets[value + 1])
        rows[0] = value
        step = word(0)
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
                    number, at = _long(source, at, end)
                    if at < 0:
                        wrong = 1
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
            elif op >= LIST:
                at_code = step // _STEP * 5
                a, b = code[at_code + 1], code[at_code + 2]
                child = a + 1
                if op == LIST:
                    left[a] = 0
                    if b >= 0:
                        cells[base[b] + rows[level[b]]] = rows[child]
                else:
                    left[a] -= 1
                    rows[child] += 1
                if left[a] == 0:
                    if a == 0 and len(counts):
                        count = word(counts[value]) if op == LIST else word(0)
                    else:
                        count, at = _long(source, at, end)
                    if at >= 0 and count < 0:
                        size, at = _long(source, at, end)
                        count = -count
                        if at >= 0 and (size < 0 or size > end - at):
                            wrong = 6
                            break
                    if at < 0:
                        wrong = 1
                        break
                    if count < 0 or count > end - at:
                        wrong = 6
                        break
                    left[a] = count
                if left[a] == 0:
                    if b >= 0:
                        cells[base[b + 1] + rows[level[b]]] = rows[child]
                    step = steps[place_of(step + _NEXT_STEP)]
                elif rows[child] >= room[child]:
                    wrong = FULL
                    break
                else:
                    step = bodies[a] * _STEP
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
            told[0], told[1], told[2] = value, place, step // _STEP
            return wrong
    rows[0] = len(offsets) - 1
    return 0


@kernel
def gather(
    data: np.ndarray, starts: np.ndarray, sizes: np.ndarray, offsets: np.ndarray, out: np.ndarray
) -> None:
    """Put pieces of *data* behind one another into *out*; *offsets* become where each begins."""
    at = 0
    for i in range(len(starts)):
        offsets[i] = at
        start, size = starts[i], sizes[i]
        for j in range(size):
            out[at + j] = data[start + j]
        at += size
    offsets[len(starts)] = at
