"""FSST: text in which frequent substrings are replaced by one-byte codes.

- The values of a chunk are decoded as one run of codes, which notes where each code's bytes begin:
  the ends of short values, of a few codes each, would be hard to predict for a processor.
- To encode, the longest symbol is looked up by the next three bytes, since at most one symbol has
  their hash; shorter ones by the next two bytes, or by one.
- The tables for that are one array of integers of 64 bits, of `TABLE` words: masks of 0 to 8 bytes;
  for each slot a symbol's bytes; for each slot its entry; entries by one byte; entries by two.
- An entry is a code plus 256 times the length of its symbol; 0 is a free slot.  The code `ESCAPE`
  with the length 1 stands for a byte without a symbol.

Source: https://www.vldb.org/pvldb/vol13/p2649-boncz.pdf
"""

from __future__ import annotations

from typing import Any

import numpy as np

from byteloom.native.kernel import kernel
from byteloom.native.loads import byte, le64, put_byte, put_le32, put_le64

__all__ = [
    "BYTES",
    "CODES",
    "COUNTED",
    "DISORDER",
    "DONE",
    "ENTRIES",
    "ESCAPE",
    "FULL",
    "MASKS",
    "PAIRS",
    "SYMBOLS",
    "TABLE",
    "code_values",
    "count_codes",
    "expand",
    "slot_of",
]

word: Any = np.int64

CODES = 256
"""Entries of a symbol table for each code, including those that it lacks."""

ESCAPE = 255
"""The code before a byte that is not part of a symbol."""

DONE = -1
FULL = -2
DISORDER = -3

_SYMBOL = 8
"""Bytes of the longest symbol."""


def _codes(data: np.ndarray, *_: Any) -> int:
    """Called to estimate the work: all bytes are decoded."""
    return len(data)


@kernel(work=_codes)
def expand(
    data: np.ndarray,
    words: np.ndarray,
    firsts: np.ndarray,
    bases: np.ndarray,
    counts: np.ndarray,
    tables: np.ndarray,
    symbols: np.ndarray,
    lengths: np.ndarray,
    places: np.ndarray,
    state: np.ndarray,
    ends: np.ndarray,
    out: np.ndarray,
) -> int:
    """Decode the values of chunks; return how that ended, or the first value with damaged codes.

    That is DONE; FULL if *out* has no room for more, and the loop goes on from *state*; or DISORDER
    if the offsets of a chunk, whose number is then in *state*, descend.

    data     the codes, and perhaps more
    words    offsets: the first of a chunk is at *firsts*, and there is one more than its values
    bases    for each chunk the place in *data* from which its offsets count
    counts   values of each chunk
    tables   for each chunk the number of its symbol table
    symbols  for each table and code its bytes, little-endian
    lengths  for each table and code the number of bytes, 1 to 8; 0 if there is no such code, and
             for ESCAPE 0 in a table with escapes
    places   room for one place more than the codes of values that are decoded as one run
    state    all 0 at first: a chunk, the next of its values, the next of all, the bytes so far
    ends     one more than there are values; filled in with where each ends in *out*
    out      filled in; at least 8 bytes
    """
    source, target = word(data.ctypes.data), word(out.ctypes.data)
    notes = word(places.ctypes.data)
    room, most = len(out) - _SYMBOL, len(places) - 1
    row, to = word(state[2]), word(state[3])
    ends[0] = 0
    for chunk in range(state[0], len(counts)):
        first, count = word(firsts[chunk]), word(counts[chunk])
        pieces = word(symbols.ctypes.data) + _SYMBOL * CODES * tables[chunk]
        sizes = word(lengths.ctypes.data) + CODES * tables[chunk]
        at = state[1] if chunk == state[0] else word(0)
        is_ordered = True
        for i in range(at, count):
            is_ordered &= words[first + i] <= words[first + i + 1]
        if not is_ordered:
            state[0] = chunk
            return DISORDER
        while at < count:
            begin = word(words[first + at])
            stop = count
            if word(words[first + stop]) - begin > most:
                stop = at + 1
                while stop < count and word(words[first + stop + 1]) - begin <= most:
                    stop += 1
            size = word(words[first + stop]) - begin
            if to + _SYMBOL * size > room:
                state[0], state[1], state[2], state[3] = chunk, at, row, to
                return FULL
            codes = source + bases[chunk] + begin
            if size <= most:
                length = _run(codes, size, pieces, sizes, notes, target + to)
            else:
                length = _value(codes, size, pieces, sizes, target + to)
            is_sound = length >= 0
            if size <= most and is_sound:
                for i in range(stop - at):
                    end = word(places[word(words[first + at + i + 1]) - begin])
                    is_sound &= end >= 0
                    ends[row + i + 1] = to + end
            if not is_sound:
                for i in range(at, stop):
                    start = word(words[first + i])
                    size = word(words[first + i + 1]) - start
                    codes = source + bases[chunk] + start
                    if _value(codes, size, pieces, sizes, target + to) < 0:
                        return row + i - at
            to += length
            row += stop - at
            ends[row] = to
            at = stop
    return DONE


@kernel
def _run(codes: int, size: int, symbols: int, lengths: int, places: int, target: int) -> int:
    """Decode codes, and note where the bytes of each begin; return how many bytes they are.

    The place of a byte after an escape is -1, since no value ends there; all is -1 for damage.
    All but the size are addresses: those of *symbols* and *lengths* are of the entries of a table.
    """
    at, to = word(0), word(0)
    while at < size:
        code = byte(codes, at)
        length = byte(lengths, code)
        put_le32(places, 4 * at, to)
        at += 1
        put_le64(target, to, le64(symbols, _SYMBOL * code))
        to += length
        if length == 0:
            if code != ESCAPE or at == size:
                return word(-1)
            put_le32(places, 4 * at, -1)
            put_byte(target, to, byte(codes, at))
            at += 1
            to += 1
    put_le32(places, 4 * at, to)
    return to


@kernel
def _value(codes: int, size: int, symbols: int, lengths: int, target: int) -> int:
    """Decode the codes of a value, as `_run` does; return how many bytes they are."""
    at, to = word(0), word(0)
    while at < size:
        code = byte(codes, at)
        length = byte(lengths, code)
        at += 1
        put_le64(target, to, le64(symbols, _SYMBOL * code))
        to += length
        if length == 0:
            if code != ESCAPE or at == size:
                return word(-1)
            put_byte(target, to, byte(codes, at))
            at += 1
            to += 1
    return to


_SLOTS = 4096
_THREE = 0xFFFFFF
_PRIME = 0x9E3779B1

MASKS = 0
SYMBOLS = 9
ENTRIES = SYMBOLS + _SLOTS
BYTES = ENTRIES + _SLOTS
PAIRS = BYTES + 256
TABLE = PAIRS + 65536

COUNTED = 512
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
        before = word(COUNTED - 1)
        while at < end:
            text = le64(source, at)
            entry = _entry(text, end - at, table)
            code = entry & 255
            if code == ESCAPE:
                code = word(256) + (text & 255)
            counts[COUNTED - 1, code] += 1
            if before != COUNTED - 1:
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
