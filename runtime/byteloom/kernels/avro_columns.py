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
from numba import njit

__all__ = ["FULL", "WRONG", "columns", "framed", "gather", "uuid_text"]

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

ONE, TWO, THREE, FOUR = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)

_HEX = np.frombuffer(bytes(range(256)).hex().encode(), np.uint8)
"""Two digits of each byte."""

FULL = 99
"""Returned where a list has more rows than there is room for."""


@njit(cache=True, nogil=True)
def _long(data: np.ndarray, at: int, end: int) -> Any:
    """Return a zigzag number and the place behind it; -1 as the place of none."""
    value = np.uint64(0)
    shift = 0
    while at < end and shift < 70:
        byte = np.uint64(data[at])
        at += 1
        if shift == 63 and byte > np.uint64(1):
            return word(0), -1
        value |= (byte & np.uint64(0x7F)) << np.uint64(shift)
        if byte < np.uint64(0x80):
            return word(value >> np.uint64(1)) ^ -word(value & np.uint64(1)), at
        shift += 7
    return word(0), -1


@njit(cache=True, nogil=True)
def _bits(data: np.ndarray, at: int, size: int) -> Any:
    """Return the little-endian bits of a float."""
    bits = np.uint64(0)
    for i in range(size):
        bits |= np.uint64(data[at + i]) << np.uint64(8 * i)
    return word(bits)


@njit(cache=True, nogil=True)
def columns(
    data: np.ndarray,
    offsets: np.ndarray,
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
    for value in range(len(offsets) - 1):
        at, end = word(offsets[value]), word(offsets[value + 1])
        rows[0] = value
        step = word(0)
        place = at
        while True:
            at_step = place_of(step * 5)
            op, a, b = code[at_step], code[at_step + ONE], code[at_step + TWO]
            place = at
            if op >= INT and op <= UNION:
                if at < end and data[place_of(at)] < 0x80:
                    number = word(data[place_of(at)])
                    number = (number >> 1) ^ -(number & 1)
                    at += 1
                else:
                    number, at = _long(data, at, end)
                    if at < 0:
                        wrong = 1
                        break
                if op == UNION:
                    if number < 0 or number >= b:
                        wrong = 5
                        break
                    if a >= 0:
                        cells[place_of(base[place_of(a)] + rows[place_of(level[place_of(a)])])] = (
                            number
                        )
                    step = jumps[place_of(code[at_step + THREE] + number)]
                    continue
                if op == BYTES:
                    if number < 0 or number > end - at:
                        wrong = 4
                        break
                    size = number
                    number = at
                    at += size
                    if a >= 0:
                        cells[base[a + 1] + rows[level[a]]] = size
                elif op == INT:
                    if number < -0x80000000 or number > 0x7FFFFFFF:
                        wrong = 2
                        break
                elif op == ENUM and (number < 0 or number >= b):
                    wrong = 5
                    break
            elif op >= LIST:
                child = a + 1
                if op == LIST:
                    left[a] = 0
                    if b >= 0:
                        cells[base[b] + rows[level[b]]] = rows[child]
                else:
                    left[a] -= 1
                    rows[child] += 1
                if left[a] == 0:
                    count, at = _long(data, at, end)
                    if at >= 0 and count < 0:
                        size, at = _long(data, at, end)
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
                    step = code[at_step + FOUR]
                elif rows[child] >= room[child]:
                    wrong = FULL
                    break
                else:
                    step = bodies[a]
                continue
            elif op == END:
                if at != end:
                    wrong = 7
                break
            elif op == BOOL:
                if at >= end or data[at] > 1:
                    wrong = 3
                    break
                number = word(data[at])
                at += 1
            else:
                if b > end - at:
                    wrong = 4
                    break
                number = at if op == FIXED else _bits(data, at, b)
                at += b
            if a >= 0:
                cells[place_of(base[place_of(a)] + rows[place_of(level[place_of(a)])])] = number
            step = code[at_step + FOUR]
        if wrong != 0:
            told[0], told[1], told[2] = value, place, step
            return wrong
    rows[0] = len(offsets) - 1
    return 0


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def uuid_text(
    high: np.ndarray, low: np.ndarray, index: np.ndarray, offsets: np.ndarray, out: np.ndarray
) -> None:
    """Write UUIDs of two words each as text, and ``-`` and *index* behind each that is not -1.

    offsets  becomes where each begins, and where the last ends
    out      room for 48 bytes each
    """
    at = 0
    for i in range(len(high)):
        offsets[i] = at
        for half in range(2):
            bits = np.uint64(high[i]) if half == 0 else np.uint64(low[i])
            for byte in range(8):
                digits = (bits >> np.uint64(56 - 8 * byte) & np.uint64(0xFF)) << ONE
                out[place_of(at)] = _HEX[digits]
                out[place_of(at + 1)] = _HEX[digits | ONE]
                at += 2
                if 8 * half + byte in (3, 5, 7, 9):
                    out[place_of(at)] = 0x2D
                    at += 1
        number = word(index[i])
        if number != -1:
            out[at] = 0x2D
            at += 1
            if number < 0:
                out[at] = 0x2D
                at += 1
                number = -number
            size = 1
            rest = number // 10
            while rest:
                size += 1
                rest //= 10
            for place in range(size):
                out[at + size - 1 - place] = 0x30 + number % 10
                number //= 10
            at += size
    offsets[len(high)] = at


@njit(cache=True, nogil=True)
def framed(data: np.ndarray, at: int, starts: np.ndarray, sizes: np.ndarray) -> int:
    """Find records that each lie behind their length in four bytes, the highest first.

    at       where the first length is
    starts   becomes where each record begins, *sizes* how many bytes it has
    returns  where the last ends; -1 for a length that leads out of *data*
    """
    for i in range(len(starts)):
        if at + 4 > len(data):
            return -1
        size = word(0)
        for j in range(4):
            size = size << 8 | word(data[at + j])
        at += 4
        if size > len(data) - at:
            return -1
        starts[i], sizes[i] = at, size
        at += size
    return at
