"""Turn repetition and definition levels of a Lance page into the offsets of its lists.

Levels are processed from the leaf outwards: folding a layer of lists leaves one entry for
each list.  Where all repetition or definition levels are 0, the array of them may be empty.

Source: https://lance.org/format/file/encoding/#repetition-and-definition-levels
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from byteloom.native.kernel import kernel
from byteloom.native.loads import lowest_bit, those_from_16

__all__ = ["fold_lists"]

word: Any = np.int64

_AT_ONCE: Final = 32
"""Repetition levels that are compared at once: a processor cannot guess where lists begin."""


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
        base, whole = word(rep.ctypes.data), word(len(rep)) // _AT_ONCE * _AT_ONCE
        for first in range(0, whole, _AT_ONCE):
            found = those_from_16(base, 2 * first, layer) | word(first == 0)
            while found:
                offsets[lists] = first + lowest_bit(found)
                lists += 1
                found &= found - 1
        for i in range(whole, len(rep)):
            if rep[i] >= layer or i == 0:
                offsets[lists] = i
                lists += 1
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
