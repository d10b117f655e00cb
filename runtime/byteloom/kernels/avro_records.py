"""Records of an Avro file to columns, by a program made of its schema.

A program is a table of steps ``(operation, argument, target)`` that is run once for each record;
`byteloom.iceberg.manifests.program` writes them.  What a record holds goes to

    longs    int64[column, row], with valid[column, row]; a boolean is 0 or 1
    views    places[view, row] and sizes[view, row]; a size of -1 is null
    lists    ends[list, row] into items[0..2, list, :]; valid[column, row] tells null from empty
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

__all__ = ["FULL", "WRONG", "Op", "decode", "walk_blocks"]

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
)
"""For each code what was found and what was wanted."""

_CUT, _LONG, _BYTES, _BRANCH, _LEFT, _WIDE, _SYNC, _DEEP = range(1, 9)


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
    """argument: 1 for a map, whose items start with text; target: the step after the NEXT."""
    NEXT: Final = 14
    END: Final = 15


_NULLABLE, _OP_LONG, _INT, _BOOLEAN, _OP_BYTES, _FIXED = range(6)
_LIST_LONG, _MAP_LONG, _MAP_BYTES, _SLOT_LONG, _SLOT_BYTES = range(6, 11)
_UNION, _JUMP, _ARRAY, _NEXT, _END = range(11, 16)

_DEPTH: Final = 16
_INT_LEAST, _INT_MOST = -(1 << 31), (1 << 31) - 1


@njit(cache=True, nogil=True)
def _long(data: np.ndarray, at: int, end: int) -> tuple[int, int]:
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
def walk_blocks(
    data: np.ndarray, at: int, sync: np.ndarray, table: np.ndarray
) -> tuple[int, int, int]:
    """Fill *table* with count, start and size of each block from *at* on.

    Returns the number of blocks, a code and a place; the code is `FULL` if the table is too short,
    and the place then where to go on.
    """
    end = len(data)
    blocks = 0
    while at < end:
        if blocks == len(table):
            return blocks, FULL, at
        count, after = _long(data, at, end)
        if after < 0:
            return blocks, -after, at
        size, start = _long(data, after, end)
        if start < 0:
            return blocks, -start, after
        if count < 0 or size < 0 or size > end - start - 16:
            return blocks, _BYTES, at
        for i in range(16):
            if data[start + size + i] != sync[i]:
                return blocks, _SYNC, start + size
        table[blocks, 0] = count
        table[blocks, 1] = start
        table[blocks, 2] = size
        blocks += 1
        at = start + size + 16
    return blocks, 0, at


@njit(cache=True, nogil=True)
def _bytes(data: np.ndarray, at: int, end: int) -> tuple[int, int]:
    """The size of bytes and the place of the first one; minus a code for ones that are wrong."""
    size, start = _long(data, at, end)
    if start < 0:
        return 0, start
    if size < 0 or size > end - start:
        return 0, -_BYTES
    return size, start


@njit(cache=True, nogil=True)
def _count(data: np.ndarray, at: int, end: int) -> tuple[int, int]:
    """The number of items in the next block of an array, past its size where it tells one."""
    count, after = _long(data, at, end)
    if after < 0 or count >= 0:
        return count, after
    _, after = _long(data, after, end)
    return -count, after


@njit(cache=True, nogil=True)
def _fill_slots(
    data: np.ndarray, at: int, end: int, row: int, step: Any, slot_of: np.ndarray, slots: Any
) -> int:
    """Keep the values of a map's wanted keys; return one past its end, or minus a code."""
    slot_longs, slot_places, slot_sizes = slots
    target = step[2]
    while True:
        count, at = _count(data, at, end)
        if at < 0 or count == 0:
            return at
        for _ in range(count):
            key, at = _long(data, at, end)
            if at < 0:
                return at
            slot = slot_of[key] if 0 <= key < len(slot_of) else word(-1)
            if step[0] == _SLOT_LONG:
                value, at = _long(data, at, end)
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
    data: np.ndarray, at: int, end: int, row: int, step: Any, ends: np.ndarray, items: np.ndarray
) -> tuple[int, int]:
    """Append a list's or map's items; return one past its end, and how long lists must be."""
    target, filled = step[2], ends[step[2], row]
    while True:
        count, at = _count(data, at, end)
        if at < 0 or count == 0:
            ends[target, row] = filled
            return at, 0
        if count > end - at:
            return -_BYTES, 0
        if filled + count > items.shape[2]:
            return FULL, filled + count
        for _ in range(count):
            items[0, target, filled], at = _long(data, at, end)
            if at >= 0 and step[0] == _MAP_LONG:
                items[1, target, filled], at = _long(data, at, end)
            elif at >= 0 and step[0] == _MAP_BYTES:
                size, at = _bytes(data, at, end)
                items[1, target, filled], items[2, target, filled] = at, size
                at += size
            if at < 0:
                return at, 0
            filled += 1


@njit(cache=True, nogil=True)
def _keep_value(data: np.ndarray, at: int, end: int, row: int, step: Any, columns: Any) -> int:
    """Keep one number or run of bytes; return one past its end, or minus a code."""
    longs, _, places, sizes = columns
    operation, target = step[0], step[2]
    if operation in (_OP_LONG, _INT):
        value, at = _long(data, at, end)
        if operation == _INT and not _INT_LEAST <= value <= _INT_MOST:
            return -_WIDE
        if target >= 0:
            longs[target, row] = value
        return at
    if operation == _BOOLEAN:
        if at >= end:
            return -_CUT
        if target >= 0:
            longs[target, row] = data[at] != 0
        return at + 1
    size = step[1]
    if operation == _OP_BYTES:
        size, at = _bytes(data, at, end)
    elif size > end - at:
        return -_BYTES
    if at >= 0 and target >= 0:
        places[target, row] = at
        sizes[target, row] = size
    return at + size


@njit(cache=True, nogil=True)
def _next_block(data: np.ndarray, at: int, end: int) -> tuple[int, int]:
    """The items in the next block of an array that is passed over, each a byte or more."""
    count, at = _count(data, at, end)
    if at >= 0 and not 0 <= count <= end - at:
        return 0, -_BYTES
    return count, at


@njit(cache=True, nogil=True)
def _decode_record(
    data: np.ndarray,
    at: int,
    end: int,
    row: int,
    program: np.ndarray,
    columns: Any,
    lists: Any,
    slot_of: np.ndarray,
    slots: Any,
    stack: np.ndarray,
) -> tuple[int, int]:
    """Run the program once; return one past the record or minus a code, and a length for `FULL`."""
    valid = columns[1]
    ends, items = lists
    depth = 0
    number = 0
    while True:
        step = program[number]
        operation = step[0]
        number += 1
        if operation <= _FIXED and operation != _NULLABLE:
            at = _keep_value(data, at, end, row, step, columns)
        elif operation in (_SLOT_LONG, _SLOT_BYTES):
            at = _fill_slots(data, at, end, row, step, slot_of, slots)
        elif operation in (_NULLABLE, _UNION):
            branch, at = _long(data, at, end)
            if at >= 0 and not 0 <= branch < (2 if operation == _NULLABLE else step[1]):
                at = word(-_BRANCH)
            if operation == _UNION:
                number += branch
            elif branch == step[1]:
                number = step[2]
            elif step[3] >= 0:
                valid[step[3], row] = 1
        elif operation <= _MAP_BYTES:
            at, wanted = _append_items(data, at, end, row, step, ends, items)
            if wanted:
                return at, wanted
        elif operation == _JUMP:
            number = step[2]
        elif operation == _END:
            return at, 0
        else:
            if operation == _ARRAY:
                if depth == len(stack):
                    return -_DEEP, 0
                stack[depth, 0], stack[depth, 1] = number - 1, 0
                depth += 1
            else:
                number = stack[depth - 1, 0] + 1
                step = program[number - 1]
                stack[depth - 1, 1] -= 1
            if stack[depth - 1, 1] == 0:
                stack[depth - 1, 1], at = _next_block(data, at, end)
            if at >= 0 and stack[depth - 1, 1] == 0:
                depth -= 1
                number = step[2]
            elif at >= 0 and step[1] == 1:
                size, at = _bytes(data, at, end)
                at += size
        if at < 0:
            return at, 0


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
    resume   int64[3]: block, records of it that are done, place; where to go on, kept up to date
    columns  longs, valid, places, sizes
    lists    ends, items
    slot_of  int32[id]: the slot of a field id, -1 for none that is wanted
    slots    longs, places and sizes by map, slot and row; left as they were where a key is missing
    """
    ends = lists[0]
    stack = np.zeros((_DEPTH, 2), np.int64)
    row = resume[1]
    for b in range(resume[0]):
        row += blocks[b, 0]
    while resume[0] < len(blocks):
        count, at, end = blocks[resume[0]]
        if resume[1]:
            at = resume[2]
        while resume[1] < count:
            for k in range(len(ends)):
                ends[k, row] = ends[k, row - 1] if row else 0
            after, wanted = _decode_record(
                data, at, end, row, program, columns, lists, slot_of, slots, stack
            )
            if wanted:
                return FULL, row, wanted
            if after < 0:
                return -after, row, at
            at = after
            row += 1
            resume[1], resume[2] = resume[1] + 1, at
        if at != end:
            return _LEFT, row, at
        resume[0], resume[1] = resume[0] + 1, 0
    return 0, row, 0
