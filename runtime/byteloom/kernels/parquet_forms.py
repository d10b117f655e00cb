"""Forms in which plain Parquet columns store their values, and how values of each are put.

- Values become what Arrow has in memory: decimals of 16 bytes, the lowest first, bits for truth
  values, and offsets for texts.
- Every loop takes the places of the values of some rows, below 0 for null, and counts the nulls.

Source: https://parquet.apache.org/docs/file-format/data-pages/encodings/
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from byteloom.native.kernel import kernel
from byteloom.native.loads import be64, byte, copy_run, le32, le64, put_byte, put_le32, put_le64

__all__ = [
    "DECIMAL",
    "DECIMALS",
    "FLAGS",
    "INTEGERS",
    "NUMBERS",
    "TEXTS",
    "clear",
    "put_all_flags",
    "put_decimals",
    "put_flags",
    "put_numbers",
    "put_offsets",
]

word: Any = np.int64

TEXTS, NUMBERS, FLAGS, INTEGERS, DECIMALS = range(5)
"""Forms: texts; bytes that stay as they are; truth values; decimals that are stored as integers of
4 or 8 bytes, and as bytes, the highest first."""

DECIMAL: Final = 16
"""Bytes of a decoded decimal."""

_SHORT, _LONG = 4, 8
"""Sizes of numbers."""

_LARGEST: Final = 127
"""The largest first byte of a decimal that is not below 0."""


@kernel
def clear(bits: int, row: int) -> None:
    """Clear the bit of a row."""
    put_byte(bits, row >> 3, byte(bits, row >> 3) & ~(word(1) << (row & 7)))


@kernel
def put_numbers(base: int, width: int, picks: np.ndarray, out: int, valid: int, done: int) -> int:
    """Put the numbers of some rows; return the number of nulls.

    base   the address of the first number
    out    the address for the first row
    valid  the address of the validity bits
    done   the index of the first row
    """
    nulls = 0
    for each in range(len(picks)):
        pick = picks[each]
        if pick < 0:
            nulls += 1
            clear(valid, done + each)
            for step in range(width):
                put_byte(out, width * each + step, word(0))
        elif width == _LONG:
            put_le64(out, _LONG * each, le64(base, _LONG * pick))
        elif width == _SHORT:
            put_le32(out, _SHORT * each, le32(base, _SHORT * pick))
        else:
            for step in range(width):
                put_byte(out, width * each + step, byte(base, width * pick + step))
    return nulls


@kernel
def _signed(value: int) -> int:
    """Return four bytes as a signed number."""
    return value - (word(1) << 32) if value >> 31 else value


@kernel
def put_decimals(
    base: int, width: int, is_integer: bool, picks: np.ndarray, out: int, valid: int, done: int
) -> int:  # fmt: skip
    """Put the decimals of some rows, the lowest byte first; else as `put_numbers`.

    Of those stored in fewer than eight bytes, up to seven bytes after the last are read.
    """
    nulls = 0
    for each in range(len(picks)):
        pick, low, high = picks[each], word(0), word(0)
        if pick < 0:
            nulls += 1
            clear(valid, done + each)
        elif is_integer:
            low = le64(base, _LONG * pick) if width == _LONG else _signed(le32(base, width * pick))
            high = low >> 63
        elif width <= _LONG:
            low = be64(base, width * pick) >> 8 * (_LONG - width)
            high = low >> 63
        else:
            for step in range(width):
                held = byte(base, width * pick + step)
                if step == 0 and held > _LARGEST:
                    low = high = word(-1)
                high = high << 8 | (low >> 56 & 0xFF)
                low = low << 8 | held
        put_le64(out, DECIMAL * each, low)
        put_le64(out, DECIMAL * each + _LONG, high)
    return nulls


@kernel
def put_flags(
    base: int, are_decoded: bool, picks: np.ndarray, out: int, valid: int, done: int
) -> int:
    """Put the truth values of some rows; else as `put_numbers`.

    are_decoded  whether *picks* are the values, not their places
    out          the address of the bits of all rows
    """
    nulls = 0
    for each in range(len(picks)):
        pick, row = picks[each], done + each
        if not row & 7:
            put_byte(out, row >> 3, word(0))
        if pick < 0:
            nulls += 1
            clear(valid, row)
        elif (pick if are_decoded else byte(base, pick >> 3) >> (pick & 7)) & 1:
            put_byte(out, row >> 3, byte(out, row >> 3) | word(1) << (row & 7))
    return nulls


@kernel
def put_all_flags(base: int, count: int, out: int) -> None:
    """Put the truth values of *count* rows, none of them null, from the first bit of *out* on."""
    copy_run(base, out, (count + 7) >> 3)
    if count & 7:
        put_byte(out, count >> 3, byte(out, count >> 3) & ((word(1) << (count & 7)) - 1))


@kernel
def put_offsets(
    texts: np.ndarray, picks: np.ndarray, size: int, out: int, valid: int, starts: np.ndarray,
    done: int,
) -> tuple[int, int]:  # fmt: skip
    """Put the offsets of the texts of some rows; return the number of nulls, and their end."""
    nulls = word(0)
    for each in range(len(picks)):
        pick = picks[each]
        put_le64(out, _LONG * each, size)
        if pick < 0:
            nulls += 1
            clear(valid, done + each)
        else:
            starts[done + each] = texts[pick, 0]
            size += texts[pick, 1]
    return nulls, size
