"""Encode text with FSST by a table of symbols, and count codes to find a good table.

- The longest symbol is looked up by the next three bytes, since at most one symbol has their hash;
  shorter ones by the next two bytes, or by one.
- The tables are one array of integers of 64 bits, of `TABLE` words: masks of 0 to 8 bytes; for each
  slot a symbol's bytes; for each slot its entry; entries by one byte; entries by two.
- An entry is a code plus 256 times the length of its symbol; 0 is a free slot.  The code `ESCAPE`
  with the length 1 stands for a byte without a symbol.

Source: https://www.vldb.org/pvldb/vol13/p2649-boncz.pdf
"""

from __future__ import annotations

from typing import Any

import numpy as np

from byteloom.kernels.lance_fsst import ESCAPE
from byteloom.native.kernel import kernel
from byteloom.native.loads import le64, put_byte

__all__ = ["BYTES", "CODES", "ENTRIES", "MASKS", "PAIRS", "SYMBOLS", "TABLE", "code_values",
           "count_codes", "slot_of"]  # fmt: skip

word: Any = np.int64

_SLOTS = 4096
_THREE = 0xFFFFFF
_PRIME = 0x9E3779B1

MASKS = 0
SYMBOLS = 9
ENTRIES = SYMBOLS + _SLOTS
BYTES = ENTRIES + _SLOTS
PAIRS = BYTES + 256
TABLE = PAIRS + 65536

CODES = 512
"""Counted codes: those of symbols, and from 256 on those of bytes without a symbol."""


@kernel
def slot_of(text: int) -> int:
    """Return the slot of a symbol of three bytes or more, given in little-endian order."""
    return ((text & _THREE) * _PRIME >> 20) & (_SLOTS - 1)


@kernel
def _entry(text: int, left: int, table: int) -> int:
    """Return the entry of the longest symbol that *text* begins with.

    left   the remaining bytes of the value, 1 or more
    table  the address of the tables
    """
    if left > 2:
        slot = slot_of(text)
        entry = le64(table, 8 * (ENTRIES + slot))
        length = entry >> 8
        if 0 < length <= left:
            mask = le64(table, 8 * (MASKS + length))
            if text & mask == le64(table, 8 * (SYMBOLS + slot)):
                return entry
    if left > 1:
        return le64(table, 8 * (PAIRS + (text & 0xFFFF)))
    return le64(table, 8 * (BYTES + (text & 0xFF)))


@kernel
def count_codes(
    data: np.ndarray, offsets: np.ndarray, tables: np.ndarray, counts: np.ndarray
) -> None:
    """Count the codes of values, and the pairs of adjacent codes.

    data     the values, between two *offsets* each, and eight more bytes
    counts   for each code, how often each code follows it; the last row counts all; filled in
    """
    source, table = data.ctypes.data, tables.ctypes.data
    for row in range(len(offsets) - 1):
        at, end = word(offsets[row]), word(offsets[row + 1])
        before = word(CODES - 1)
        while at < end:
            text = le64(source, at)
            entry = _entry(text, end - at, table)
            code = entry & 255
            if code == ESCAPE:
                code = word(256) + (text & 255)
            counts[CODES - 1, code] += 1
            if before != CODES - 1:
                counts[before, code] += 1
            before = code
            at += entry >> 8


@kernel
def code_values(
    data: np.ndarray,
    offsets: np.ndarray,
    tables: np.ndarray,
    out: np.ndarray,
    ends: np.ndarray,
) -> None:
    """Encode values.

    data  the values, between two *offsets* each, and eight more bytes
    out   with twice the bytes of *data*; filled in
    ends  set to 0, and then the end of each value in *out*
    """
    source, target, table = data.ctypes.data, out.ctypes.data, tables.ctypes.data
    to = word(0)
    ends[0] = 0
    for row in range(len(offsets) - 1):
        at, end = word(offsets[row]), word(offsets[row + 1])
        while at < end:
            text = le64(source, at)
            entry = _entry(text, end - at, table)
            code = entry & 255
            put_byte(target, to, code)
            to += 1
            if code == ESCAPE:
                put_byte(target, to, text & 255)
                to += 1
            at += entry >> 8
        ends[row + 1] = to
