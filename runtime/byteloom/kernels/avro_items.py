"""Items of lists and maps of Avro records, kept for the loop over records.

- Columns are addresses, as in `byteloom.kernels.manifest_values`, whose values these are made of.
- What is given back is the place behind the list or map, or minus a code of its `WRONG`.

Source: Apache Avro specification, "Binary Encoding", arrays.
"""

from __future__ import annotations

from typing import Final

from byteloom.kernels.manifest_values import block_at, bytes_at, long_at
from byteloom.wire.kernel import kernel
from byteloom.wire.loads import le64, put_le64

__all__ = ["NUMBERS", "RUNS", "append_items", "fill_runs", "fill_slots"]

NUMBERS: Final = 1
"""Items of two numbers."""
RUNS: Final = 2
"""Items of a number and a run of bytes; else they are one number."""


@kernel
def _slot(key: int, slot_of: int, mask: int) -> int:
    """The slot of a key, -1 for none."""
    place = key & mask
    while True:
        slot = le64(slot_of, 16 * place + 8)
        if slot < 0 or le64(slot_of, 16 * place) == key:
            return slot
        place = (place + 1) & mask


@kernel
def fill_slots(
    base: int, at: int, end: int, slot_of: int, mask: int, values: int, stride: int
) -> int:
    """Keep the numbers of a map's wanted keys at *values*, each *stride* bytes a slot further.

    slot_of  keys and slots, as `byteloom.kernels.avro_records.decode` has them
    mask     the bits of a key that tell where it is looked for first
    """
    while True:
        count, at = block_at(base, at, end)
        if at < 0 or count == 0:
            return at
        for _ in range(count):
            key, at = long_at(base, at, end)
            if at < 0:
                return at
            value, at = long_at(base, at, end)
            if at < 0:
                return at
            slot = _slot(key, slot_of, mask)
            if slot >= 0:
                put_le64(values, slot * stride, value)


@kernel
def fill_runs(
    base: int, at: int, end: int, slot_of: int, mask: int, places: int, sizes: int, stride: int
) -> int:
    """Keep where the bytes of a map's wanted keys are, as above."""
    while True:
        count, at = block_at(base, at, end)
        if at < 0 or count == 0:
            return at
        for _ in range(count):
            key, at = long_at(base, at, end)
            if at < 0:
                return at
            size, at = bytes_at(base, at, end)
            if at < 0:
                return at
            slot = _slot(key, slot_of, mask)
            if slot >= 0:
                put_le64(places, slot * stride, at)
                put_le64(sizes, slot * stride, size)
            at += size


@kernel
def append_items(
    base: int, at: int, end: int, filled: int, kind: int, keys: int, values: int
) -> tuple[int, int]:
    """Append a list's or map's items; return one past its end and the number of items then.

    Minus a code stands for the end if the list is wrong, and 0 if there is no room: keys end where
    values begin.
    """
    room = (values - keys) >> 3
    while True:
        count, at = block_at(base, at, end)
        if at < 0 or count == 0:
            return at, filled
        if filled + count > room:
            return 0, filled + count
        for _ in range(count):
            key, at = long_at(base, at, end)
            put_le64(keys, 8 * filled, key)
            if at >= 0 and kind == NUMBERS:
                value, at = long_at(base, at, end)
                put_le64(values, 8 * filled, value)
            elif at >= 0 and kind == RUNS:
                size, at = bytes_at(base, at, end)
                put_le64(values, 8 * filled, at << 32 | size)
                at += size
            if at < 0:
                return at, filled
            filled += 1
