"""Rows of Lance pages: the offsets of lists from levels, and the values of FullZip pages.

- Repetition and definition levels are processed from the leaf outwards: folding a layer of lists
  leaves one entry for each list.  Where all repetition or definition levels are 0, the array of
  them may be empty.
- An entry of a FullZip page is a control word, a length and bytes.

Source: https://lance.org/format/file/encoding/#repetition-and-definition-levels and
``#full-zip-page-layout``
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from byteloom.native.kernel import kernel
from byteloom.native.loads import byte, le16, le32, le64, lowest_bit, those_from_16

__all__ = [
    "find_fields",
    "find_values",
    "fold_lists",
    "list_starts",
]

word: Any = np.int64

_AT_ONCE: Final = 32
"""Repetition levels that are compared at once: a processor cannot guess where lists begin."""


@kernel
def list_starts(rep: np.ndarray, layer: int, starts: np.ndarray) -> int:
    """Put into *starts* which entries begin a list, the first in any case; return their number.

    layer  of the lists, 1 for the innermost
    """
    lists = word(0)
    base, whole = word(rep.ctypes.data), word(len(rep)) // _AT_ONCE * _AT_ONCE
    for first in range(0, whole, _AT_ONCE):
        found = those_from_16(base, 2 * first, layer) | word(first == 0)
        while found:
            starts[lists] = first + lowest_bit(found)
            lists += 1
            found &= found - 1
    for i in range(whole, len(rep)):
        if rep[i] >= layer or i == 0:
            starts[lists] = i
            lists += 1
    return lists


@kernel
def fold_lists(
    rep: np.ndarray,
    definition: np.ndarray,
    layer: int,
    most_item: int,
    most_list: int,
    offsets: np.ndarray,
    states: np.ndarray,
) -> tuple[int, int, int, int]:
    """Fold the items of a layer of lists; return the numbers of entries, lists and items.

    Also return the first entry that continues a list which is null or empty, or that is not an
    item of the list that it continues; -1 if there is none.

    rep, definition  levels of each entry; set to those of each list
    layer            of lists, 1 for the innermost
    most_item        the highest definition level of an item
    most_list        the highest definition level of a list of this layer, even if null or empty
    offsets          set to where the items of each list begin, and the end of the last
    states           set to the definition level of each list
    """
    entries, lists, items, bad = word(0), word(0), word(0), word(-1)
    if not len(definition):
        lists = list_starts(rep, layer, offsets)
        offsets[lists] = len(rep)
        for number in range(lists):
            rep[number] = rep[offsets[number]]
            states[number] = 0
        return lists, lists, word(len(rep)), bad
    level, state = word(0), word(0)
    for i in range(len(rep)):
        level = word(definition[i])
        if rep[i] >= layer or i == 0:
            rep[entries] = rep[i]
            definition[entries] = definition[i]
            entries += 1
            state = level
            if level <= most_list:
                offsets[lists] = items
                states[lists] = level
                lists += 1
        elif bad < 0 and (level > most_item or state > most_item):
            bad = word(i)
        if level <= most_item:
            items += 1
    offsets[lists] = items
    return entries, lists, items, bad


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
