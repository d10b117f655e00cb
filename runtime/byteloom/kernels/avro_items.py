"""Lists of Avro values that one step decodes: skipped, appended, or put into slots.

- Items are numbers, or pairs of a number and a number or bytes; none takes a step of its own.
- Columns are addresses, as in `byteloom.kernels.avro_values`.
- The result is the place after the list, or minus a code of `avro_values.WRONG`.

Source: https://avro.apache.org/docs/1.12.0/specification/#arrays
"""

from __future__ import annotations

from typing import Final

from byteloom.kernels.avro_values import COUNT, block_at, bytes_at
from byteloom.wire.integers import pass_uleb128, zigzag_at
from byteloom.wire.kernel import kernel
from byteloom.wire.loads import le64, put_le64

__all__ = ["NUMBERS", "PAIRS", "RUNS", "append_items", "fill_slots", "pass_empty", "pass_items"]

NUMBERS: Final = 0
"""Items of a number."""
PAIRS: Final = 1
"""Items of two numbers."""
RUNS: Final = 2
"""Items of a number and bytes."""


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
    """Skip a list whose items are some numbers and then some runs of bytes."""
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
    """Append the items of a list; return the place after it and the new number of items.

    The place is 0 if there is no room.

    keys    a word for each item
    values  a word for each second part: a number, or the place of bytes, 32 bits further up, and
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
    """Return the slot of a key, -1 for none."""
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
    """Keep the second part of the pairs whose first is wanted.

    slot_of  keys and slots, as `byteloom.kernels.avro_columns.columns` has them
    mask     the bits of a key that say where it is looked up first
    values   of slot 0, that of each next one *stride* bytes further: numbers, or where bytes begin
    sizes    of slot 0, their lengths; 0 for numbers
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
