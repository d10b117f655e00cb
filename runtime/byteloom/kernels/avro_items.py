"""Read single values of Avro's binary encoding, and a list of them in one step.

- A value is read from *base*, the address of the bytes, at an offset before *end*.  The result
  is the value and the offset after it.  An offset below 0 is minus a code of `WRONG`; `NOWHERE`,
  if no integer could be read, is minus `NUMBER`.
- Addresses are passed, not arrays, whose references numba counts at every call.
- A list is skipped, appended, or put into slots; there is no step for each item.  Items are
  numbers, or pairs of a number and a number or bytes.  The result is the offset after the list, or
  minus a code.

Source: https://avro.apache.org/docs/1.12.0/specification/#binary-encoding and ``#arrays``
"""

from __future__ import annotations

from typing import Final

from byteloom.native.integers import pass_uleb128, zigzag_at
from byteloom.native.kernel import kernel
from byteloom.native.loads import le64, put_le64

__all__ = [
    "BRANCH",
    "COUNT",
    "END",
    "INT",
    "LENGTH",
    "NEITHER",
    "NUMBER",
    "NUMBERS",
    "PAIRS",
    "RUNS",
    "WRONG",
    "append_items",
    "block_at",
    "bytes_at",
    "fill_slots",
    "pass_empty",
    "pass_items",
]

WRONG: Final = (
    "",
    "a whole number of at most 10 bytes inside the value",
    "a number of 32 bits",
    "0 or 1",
    "a length of bytes that are inside the value",
    "a number of a branch or symbol that the schema has",
    "a count of items that are inside the value",
    "the end of the value",
)
"""For each code, the *wanted* part of the error."""

NUMBER, INT, NEITHER, LENGTH, BRANCH, COUNT, END = range(1, 8)


@kernel(forceinline=True)
def bytes_at(base: int, at: int, end: int) -> tuple[int, int]:
    """Return the length of bytes, and the offset of the first one."""
    size, start = zigzag_at(base, at, end)
    if start < 0:
        return 0, start
    if size < 0 or size > end - start:
        return 0, -LENGTH
    return size, start


@kernel
def block_at(base: int, at: int, end: int) -> tuple[int, int]:
    """Return the number of items in the next block of a list; each takes at least one byte."""
    count, at = zigzag_at(base, at, end)
    if at >= 0 and count < 0:
        size, at = zigzag_at(base, at, end)
        count = -count
        if at >= 0 and (size < 0 or size > end - at):
            return 0, -COUNT
    if at >= 0 and (count < 0 or count > end - at):
        return 0, -COUNT
    return count, at


NUMBERS: Final = 0
"""Items that are a number."""
PAIRS: Final = 1
"""Items that are two numbers."""
RUNS: Final = 2
"""Items that are a number and bytes."""


@kernel
def pass_empty(base: int, at: int, end: int) -> int:
    """Skip a list whose items take no bytes."""
    while True:
        count, at = zigzag_at(base, at, end)
        if at >= 0 and count < 0:
            size, at = zigzag_at(base, at, end)
            if at >= 0 and (size < 0 or size > end - at):
                return -COUNT
        if at < 0 or count == 0:
            return at


@kernel
def pass_items(base: int, at: int, end: int, numbers: int, runs: int) -> int:
    """Skip a list whose items are some numbers and then some byte strings."""
    while True:
        count, at = block_at(base, at, end)
        if at < 0 or count == 0:
            return at
        for _ in range(count):
            for _ in range(numbers):
                at = pass_uleb128(base, at, end)
                if at < 0:
                    return at
            for _ in range(runs):
                size, at = bytes_at(base, at, end)
                if at < 0:
                    return at
                at += size


@kernel
def append_items(
    base: int, at: int, end: int, filled: int, room: int, kind: int, keys: int, values: int
) -> tuple[int, int]:
    """Append the items of a list; return the offset after it and the new number of items.

    The offset is 0 if there is no room.

    keys    a word for each item
    values  a word for each second part: a number, or the offset of bytes, shifted by 32 bits, and
            their length
    """
    while True:
        count, at = block_at(base, at, end)
        if at < 0 or count == 0:
            return at, filled
        if filled + count > room:
            return 0, filled + count
        if kind == PAIRS:
            for item in range(filled, filled + count):
                key, at = zigzag_at(base, at, end)
                if at < 0:
                    return at, item
                value, at = zigzag_at(base, at, end)
                if at < 0:
                    return at, item
                put_le64(keys, 8 * item, key)
                put_le64(values, 8 * item, value)
        elif kind == RUNS:
            for item in range(filled, filled + count):
                key, at = zigzag_at(base, at, end)
                if at < 0:
                    return at, item
                size, at = bytes_at(base, at, end)
                if at < 0:
                    return at, item
                put_le64(keys, 8 * item, key)
                put_le64(values, 8 * item, at << 32 | size)
                at += size
        else:
            for item in range(filled, filled + count):
                key, at = zigzag_at(base, at, end)
                if at < 0:
                    return at, item
                put_le64(keys, 8 * item, key)
        filled += count


@kernel
def _slot(key: int, slot_of: int, mask: int) -> int:
    """Return the slot of a key; -1 if it has none."""
    place = key & mask
    while True:
        slot = le64(slot_of, 16 * place + 8)
        if slot < 0 or le64(slot_of, 16 * place) == key:
            return slot
        place = (place + 1) & mask


@kernel
def fill_slots(
    base: int,
    at: int,
    end: int,
    slot_of: int,
    mask: int,
    values: int,
    sizes: int,
    stride: int,
) -> int:
    """Store the second parts of the pairs whose first part is wanted.

    slot_of  keys and slots, as `byteloom.kernels.avro_columns.columns` has them
    mask     the bits of a key that give its first position in the table
    values   the address for slot 0; the next slots are *stride* bytes apart: numbers, or offsets of
             bytes
    sizes    likewise, for the lengths of bytes; 0 for numbers
    """
    while True:
        count, at = block_at(base, at, end)
        if at < 0 or count == 0:
            return at
        for _ in range(count):
            key, at = zigzag_at(base, at, end)
            if at < 0:
                return at
            if sizes == 0:
                value, at = zigzag_at(base, at, end)
            else:
                value, at = bytes_at(base, at, end)
            if at < 0:
                return at
            slot = _slot(key, slot_of, mask)
            if sizes != 0:
                if slot >= 0:
                    put_le64(values, slot * stride, at)
                    put_le64(sizes, slot * stride, value)
                at += value
            elif slot >= 0:
                put_le64(values, slot * stride, value)
