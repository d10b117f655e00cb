"""Entries of a Lance page of the layout FullZip: each a control word, a length and bytes.

Source: https://lance.org/format/file/encoding/#full-zip-page-layout
"""

from __future__ import annotations

from typing import Any

import numpy as np

from byteloom.wire.kernel import kernel
from byteloom.wire.loads import byte, le16, le32, le64

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
    """Find the values of entries; return how many entries and values, and where it ended.

    control       bytes of a control word: 0, 1, 2 or 4
    bits_def      bits of the definition level in it; the rest is the repetition level
    most_visible  the highest definition level of an entry with a value
    size          bytes of a value; only where *length* is 0
    length        bytes of the length before a value, 4 or 8, where it is not null; or 0
    rep, definition, places, sizes
                  of each entry its levels, of each value where it is; changed.  Their length is
                  how many entries there may be.
    returns       the end is that of *data*, or the place of the first entry that is cut off, or
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
    """Find a field of each struct; return -1, or the first struct in which it is cut off.

    at      where the field is; changed to where the next one is
    ends    where each struct ends
    size    bytes of the field; only where *length* is 0
    length  bytes of the length before it, 4 or 8, or 0
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
