"""Records of an Avro file to columns, by a program made of its schema.

A program is a table of steps ``(operation, argument, target)`` that is run once for each record;
`byteloom.iceberg.manifests.program` writes them.  What a record holds goes to

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
from numba import njit

__all__ = ["BYTES", "FULL", "SYNC", "WRONG", "Op", "decode", "long_at"]

word: Any = np.int64

FULL: Final = -1

WRONG: Final = (
    ("", ""),
    ("a number that ends outside of its block", "a whole number"),
    ("a number of more than 10 bytes", "at most 64 bits"),
    ("bytes that end outside of their block", "bytes inside their block"),
    ("a branch that the union does not have", "a branch of the union"),
    ("fewer records than bytes", "a block that its records fill"),
    ("a number of more than 32 bits", "an int"),
    ("another sync marker", "the file's sync marker"),
    ("blocks inside blocks, too deep", "a schema of fewer levels"),
    ("another byte", "0 or 1"),
)
"""For each code what was found and what was wanted."""

_CUT, _LONG, BYTES, _BRANCH, _LEFT, _WIDE, SYNC, _DEEP, _NEITHER = range(1, 10)


class Op:
    """The operations of a program."""

    NULLABLE: Final = 0
    """argument: the branch that is null; target: the step after the value; then a valid column."""
    LONG: Final = 1
    INT: Final = 2
    BOOLEAN: Final = 3
    BYTES: Final = 4
    FIXED: Final = 5
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


_NULLABLE, _OP_LONG, _INT, _BOOLEAN, _OP_BYTES, _FIXED = range(6)
_LIST_LONG, _MAP_LONG, _MAP_BYTES, _SLOT_LONG, _SLOT_BYTES = range(6, 11)
_UNION, _JUMP, _ARRAY, _NEXT, _END, _EMPTY = range(11, 17)

_DEPTH: Final = 16
_INT_LEAST, _INT_MOST = -(1 << 31), (1 << 31) - 1


@njit(cache=True, nogil=True)
def long_at(data: np.ndarray, at: int, end: int) -> tuple[int, int]:
    """A zigzag integer and one past its end; minus a code for one that is wrong."""
    shift = 0
    value = np.uint64(0)
    while at < end:
        byte = data[at]
        at += 1
        value |= np.uint64(byte & 0x7F) << np.uint64(shift)
        if byte < 0x80:
            half = word(value >> np.uint64(1))
            return half ^ -word(value & np.uint64(1)), at
        shift += 7
        if shift > 63:
            return 0, -_LONG
    return 0, -_CUT


@njit(cache=True, nogil=True)
def _bytes(data: np.ndarray, at: int, end: int) -> tuple[int, int]:
    """The size of bytes and the place of the first one; minus a code for ones that are wrong."""
    size, start = long_at(data, at, end)
    if start < 0:
        return 0, start
    if size < 0 or size > end - start:
        return 0, -BYTES
    return size, start


@njit(cache=True, nogil=True)
def _count(data: np.ndarray, at: int, end: int) -> tuple[int, int]:
    """The number of items in the next block of an array, past its size where it tells one."""
    count, after = long_at(data, at, end)
    if after < 0 or count >= 0:
        return count, after
    _, after = long_at(data, after, end)
    return -count, after


@njit(cache=True, nogil=True)
def _next_block(data: np.ndarray, at: int, end: int) -> tuple[int, int]:
    """The items in the next block of an array, each a byte or more."""
    count, at = _count(data, at, end)
    if at >= 0 and not 0 <= count <= end - at:
        return 0, -BYTES
    return count, at


@njit(cache=True, nogil=True)
def _pass_empty(data: np.ndarray, at: int, end: int) -> int:
    """Pass over an array whose items take no bytes."""
    while True:
        count, at = _count(data, at, end)
        if at < 0 or count == 0:
            return at


@njit(cache=True, nogil=True)
def _slot(key: int, slot_of: np.ndarray) -> int:
    """The slot of a key, -1 for none."""
    mask = len(slot_of) - 1
    at = key & mask
    while slot_of[at, 1] >= 0:
        if slot_of[at, 0] == key:
            return word(slot_of[at, 1])
        at = (at + 1) & mask
    return -1


@njit(cache=True, nogil=True)
def _fill_slots(
    data: np.ndarray,
    at: int,
    end: int,
    row: int,
    operation: int,
    target: int,
    slot_of: np.ndarray,
    slots: Any,
) -> int:
    """Keep the values of a map's wanted keys; return one past its end, or minus a code."""
    slot_longs, slot_places, slot_sizes = slots
    while True:
        count, at = _next_block(data, at, end)
        if at < 0 or count == 0:
            return at
        for _ in range(count):
            key, at = long_at(data, at, end)
            if at < 0:
                return at
            slot = _slot(key, slot_of)
            if operation == _SLOT_LONG:
                value, at = long_at(data, at, end)
                if at < 0:
                    return at
                if slot >= 0:
                    slot_longs[target, slot, row] = value
            else:
                size, at = _bytes(data, at, end)
                if at < 0:
                    return at
                if slot >= 0:
                    slot_places[target, slot, row] = at
                    slot_sizes[target, slot, row] = size
                at += size


@njit(cache=True, nogil=True)
def _append_items(
    data: np.ndarray, at: int, end: int, filled: int, operation: int, items: np.ndarray
) -> tuple[int, int]:
    """Append a list's or map's items; return one past its end and the number of items then.

    Minus a code stands for the end if the list is wrong, and 0 if *items* are too short.
    """
    while True:
        count, at = _next_block(data, at, end)
        if at < 0 or count == 0:
            return at, filled
        if filled + count > items.shape[1]:
            return 0, filled + count
        for _ in range(count):
            items[0, filled], at = long_at(data, at, end)
            if at >= 0 and operation == _MAP_LONG:
                items[1, filled], at = long_at(data, at, end)
            elif at >= 0 and operation == _MAP_BYTES:
                size, at = _bytes(data, at, end)
                items[1, filled] = at << 32 | size
                at += size
            if at < 0:
                return at, filled
            filled += 1


@njit(cache=True, nogil=True)
def _keep_number(
    data: np.ndarray, at: int, end: int, row: int, operation: int, target: int, longs: np.ndarray
) -> int:
    """Keep one number; return one past its end, or minus a code."""
    if operation == _BOOLEAN:
        if at >= end:
            return -_CUT
        value, at = word(data[at]), at + 1
        if value > 1:
            return -_NEITHER
    else:
        value, at = long_at(data, at, end)
        if operation == _INT and not _INT_LEAST <= value <= _INT_MOST:
            return -_WIDE
    if target >= 0:
        longs[target, row] = value
    return at


@njit(cache=True, nogil=True)
def _keep_run(
    data: np.ndarray,
    at: int,
    end: int,
    row: int,
    size: int,
    target: int,
    places: np.ndarray,
    sizes: np.ndarray,
) -> int:
    """Keep one run of bytes, whose size is stored if *size* is -1; as above."""
    if size < 0:
        size, at = _bytes(data, at, end)
    elif size > end - at:
        return -BYTES
    if at >= 0 and target >= 0:
        places[target, row] = at
        sizes[target, row] = size
    return at + size


@njit(cache=True, nogil=True)
def _decode_record(
    data: np.ndarray,
    end: int,
    row: int,
    program: np.ndarray,
    resume: np.ndarray,
    columns: Any,
    lists: Any,
    slot_of: np.ndarray,
    slots: Any,
    stack: np.ndarray,
) -> int:
    """Run the program once; return 0, a code, or minus the length that `FULL` asks for."""
    longs, valid, places, sizes = columns
    starts, ends, items = lists
    at, filled, inner = resume[2], resume[3], resume[4]
    depth = number = 0
    cell = row
    while True:
        operation, argument = program[number, 0], program[number, 1]
        target, kept = program[number, 2], program[number, 3]
        number += 1
        if _OP_LONG <= operation <= _BOOLEAN:
            at = _keep_number(data, at, end, cell, operation, target, longs)
        elif operation == _OP_BYTES:
            at = _keep_run(data, at, end, cell, -1, target, places, sizes)
        elif operation == _FIXED:
            at = _keep_run(data, at, end, cell, argument, target, places, sizes)
        elif operation in (_NULLABLE, _UNION):
            branch, at = long_at(data, at, end)
            if at >= 0 and not 0 <= branch < (2 if operation == _NULLABLE else argument):
                at = word(-_BRANCH)
            elif operation == _UNION:
                number += branch
            elif branch == argument:
                number = target
            elif kept >= 0:
                valid[kept, cell] = 1
        elif operation in (_SLOT_LONG, _SLOT_BYTES):
            at = _fill_slots(data, at, end, row, operation, target, slot_of, slots)
        elif operation <= _MAP_BYTES:
            starts[target, row] = filled
            at, filled = _append_items(data, at, end, filled, operation, items)
            ends[target, row] = filled
            if at == 0:
                return -filled
        elif operation == _JUMP:
            number = target
        elif operation == _END:
            resume[2], resume[3], resume[4] = at, filled, inner
            return 0
        elif operation == _EMPTY:
            at = _pass_empty(data, at, end)
        else:
            if operation == _ARRAY:
                if depth == len(stack):
                    return _DEEP
                stack[depth, 0], stack[depth, 1] = number - 1, 0
                depth += 1
                if kept >= 0:
                    starts[kept, row] = ends[kept, row] = inner
            else:
                number = stack[depth - 1, 0] + 1
                argument, target = program[number - 1, 1], program[number - 1, 2]
                kept = program[number - 1, 3]
                stack[depth - 1, 1] -= 1
                if kept >= 0:
                    inner += 1
                    ends[kept, row] = inner
            if stack[depth - 1, 1] == 0:
                stack[depth - 1, 1], at = _next_block(data, at, end)
            if at >= 0 and stack[depth - 1, 1] == 0:
                depth -= 1
                number = target
                cell = row if kept >= 0 else cell
            elif at >= 0 and kept >= 0:
                cell = inner
                if cell >= valid.shape[1]:
                    return -(cell + 1)
            elif at >= 0 and argument == 1:
                size, at = _bytes(data, at, end)
                at += size
        if at < 0:
            return -at


@njit(cache=True, nogil=True)
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
    stack = np.zeros((_DEPTH, 2), np.int64)
    row = resume[1]
    for b in range(resume[0]):
        row += blocks[b, 0]
    while resume[0] < len(blocks):
        count, start, end = blocks[resume[0]]
        if resume[1] == 0:
            resume[2] = start
        while resume[1] < count:
            code = _decode_record(
                data, end, row, program, resume, columns, lists, slot_of, slots, stack
            )
            if code < 0:
                return FULL, row, -code
            if code > 0:
                return code, row, resume[2]
            row += 1
            resume[1] += 1
        if resume[2] != end:
            return _LEFT, row, resume[2]
        resume[0], resume[1] = resume[0] + 1, 0
    return 0, row, 0
