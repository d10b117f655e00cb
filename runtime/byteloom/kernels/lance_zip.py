"""Walk the entries of a Lance page in the FullZip layout: a control word, a length and bytes each.

Source: https://lance.org/format/file/encoding/#full-zip-page-layout
"""

from __future__ import annotations

from typing import Any

import numpy as np

from byteloom.native.kernel import kernel
from byteloom.native.loads import byte, le16, le32, le64

__all__ = ["find_fields", "find_values"]

word: Any = np.int64

_MOST_LEVEL = (1 << 16) - 1


@kernel
def find_values(
    data: np.ndarray,
    control: int,
    bits_def: int,
    most_visible: int,
    size: int,
    length: int,
    rep: np.ndarray,
    definition: np.ndarray,
    places: np.ndarray,
    sizes: np.ndarray,
) -> tuple[int, int, int]:
    """Find the values of entries; return the numbers of entries and values, and the end.

    control       the size of a control word: 0, 1, 2 or 4
    bits_def      the bits of its definition level; the rest is the repetition level
    most_visible  the highest definition level of an entry with a value
    size          the size of a value, if *length* is 0
    length        the size of the length before a value that is not null: 4, 8, or 0 for none
    rep, definition, places, sizes
                  the levels of each entry, and the offset and size of each value; filled in.  Their
                  length is the most entries.
    returns       the end is that of *data*, or the offset of the first entry that is incomplete, or
                  whose repetition level has more than 16 bits
    """
    base, end, at = data.ctypes.data, len(data), word(0)
    entries, values, level = word(0), word(0), word(0)
    mask = (1 << bits_def) - 1
    while at < end and entries < len(rep):
        begin = at
        if control > end - at:
            return entries, values, begin
        if control == 1:
            level = byte(base, at)
        elif control == 2:
            level = le16(base, at)
        elif control == 4:
            level = le32(base, at)
        at += control
        if level >> bits_def > _MOST_LEVEL:
            return entries, values, begin
        state = level & mask
        if state <= most_visible:
            found = word(size)
            if length and state:
                found = word(0)
            elif length:
                if length > end - at:
                    return entries, values, begin
                found = le32(base, at) if length == 4 else le64(base, at)
                at += length
            if found < 0 or found > end - at:
                return entries, values, begin
            places[values] = at
            sizes[values] = found
            values += 1
            at += found
        rep[entries] = level >> bits_def
        definition[entries] = state
        entries += 1
    return entries, values, at


@kernel
def find_fields(
    data: np.ndarray,
    at: np.ndarray,
    ends: np.ndarray,
    size: int,
    length: int,
    places: np.ndarray,
    sizes: np.ndarray,
) -> int:
    """Find a field of each struct; return -1, or the first struct in which it is incomplete.

    at      the offset of the field in each struct; set to that of the next field
    ends    the end of each struct
    size    the size of the field, if *length* is 0
    length  the size of the length before it: 4, 8, or 0 for none
    """
    base = data.ctypes.data
    for row in range(len(at)):
        place, found = at[row], word(size)
        if length:
            if length > ends[row] - place:
                return row
            found = le32(base, place) if length == 4 else le64(base, place)
            place += length
        if found < 0 or found > ends[row] - place:
            return row
        places[row] = place
        sizes[row] = found
        at[row] = place + found
    return -1
