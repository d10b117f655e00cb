"""Decode lists of plain values from their pages, for the wanted rows.

- A list has one level of repetition, and values that `byteloom.kernels.parquet_values` decodes, but
  no texts.  A row may go on in the next page.
- Anything unusual or damaged ends the loop, and the library reads the column.

Source: https://parquet.apache.org/docs/file-format/nestedencoding/
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from byteloom.kernels.parquet_forms import (
    FLAGS,
    INTEGERS,
    NUMBERS,
    clear,
    put_decimals,
    put_flags,
    put_numbers,
)
from byteloom.kernels.parquet_pages import DATA_PAGE_V2, DICTIONARY_PAGE
from byteloom.kernels.parquet_plain_pages import (
    BEGIN,
    END,
    IS_CODED,
    IS_IN_FILE,
    KIND,
    LEVELS,
    REPETITIONS,
    RUNS,
    VALUES,
    runs_of,
)
from byteloom.kernels.parquet_values import find_codes, has_values
from byteloom.native.kernel import kernel
from byteloom.native.loads import le32, put_byte, put_le64

__all__ = ["LIST_FIELDS", "take_list"]

word: Any = np.int64

LIST_FIELDS: Final = 11
(
    _FORM, _WIDTH, _FLOOR, _DEEPEST, _OUT, _VALID, _ITEMS, _ITEMS_VALID, _NULLS, _COUNT, _ITEM_NULLS
) = range(LIST_FIELDS)  # fmt: skip
"""Fields of a column: the form of its values and the stored size of one; the lowest definition
level of a value, null or not, and of one that is not null; where to put the offsets, the validity
of lists, the values and their validity; then the numbers of null lists, of values and of null
values."""

_HEAD: Final = 4
"""The size of the length before levels."""

_LONG: Final = 8


@kernel
def _levels(
    base: int, at: int, end: int, size: int, width: int, count: int, out: np.ndarray,
    held: np.ndarray,
) -> tuple[int, int]:  # fmt: skip
    """Decode the levels of a page; return where they end and the highest, -1 for damage.

    size   their bytes; below 0 if a length is before them
    width  the bits of a level
    """
    if size < 0:
        if at + _HEAD > end:
            return at, word(-1)
        size, at = word(le32(base, at)), at + _HEAD
    if size > end - at:
        return at, word(-1)
    return at + size, runs_of(base, at, at + size, width, count, out, held)


@kernel
def _put(
    column: np.ndarray, values: int, are_decoded: bool, picks: np.ndarray, out: int, valid: int
) -> int:
    """Put some values of a column after those that it has already; return the number of nulls."""
    form, width, done = column[_FORM], column[_WIDTH], column[_COUNT]
    if form == FLAGS:
        return put_flags(values, are_decoded, picks, out, valid, done)
    if form == NUMBERS:
        return put_numbers(values, width, picks, out + width * done, valid, done)
    return put_decimals(values, width, form == INTEGERS, picks, out + 16 * done, valid, done)


@kernel
def _find_levels(held: np.ndarray, page: np.ndarray, column: np.ndarray, index: np.ndarray) -> int:
    """Decode the levels of a page into *index*, repetitions first; return where they end, or -1."""
    base, count, is_new = held.ctypes.data, page[VALUES], page[KIND] == DATA_PAGE_V2
    if min(page[REPETITIONS], page[LEVELS]) < 0 or (page[REPETITIONS] and not is_new):
        return word(-1)
    deepest, none = column[_DEEPEST], word(-1)
    size = page[REPETITIONS] if is_new else none
    at, highest = _levels(base, page[BEGIN], page[END], size, 1, count, index[0], held)
    if not 0 <= highest <= 1:
        return none
    size, width = page[LEVELS] if is_new else none, word(1) if deepest < 2 else word(2)
    at, highest = _levels(base, at, page[END], size, width, count, index[1], held)
    return at if 0 <= highest <= deepest else none


@kernel
def _add_all(
    column: np.ndarray, wanted: int, state: np.ndarray, out: int, index: np.ndarray, count: int
) -> tuple[int, int]:
    """Put the offsets of all lists of a page; return its values, null or not, and those not null.

    Which values start a list is hardly ever predicted, so nothing depends on it but numbers.
    """
    floor, deepest, items = column[_FLOOR], column[_DEEPEST], column[_COUNT]
    offsets, valid = out + column[_OUT], out + column[_VALID]
    made, found, slot, wrong = state[1], word(0), word(0), word(0)
    for each in range(count):
        more, level = index[0, each], index[1, each]
        if made > wanted - 1 + more:
            return word(-1), slot
        put_le64(offsets, _LONG * made, items + found)
        if level + 1 < floor and not more:
            clear(valid, made)
            column[_NULLS] += 1
        wrong |= more & word(level < floor)
        made += 1 - more
        is_there = word(level == deepest)
        index[2, found] = (slot + 1) * is_there - 1
        found += word(level >= floor)
        slot += is_there
    state[0] += made - state[1]
    state[1] = made
    return (word(-1) if wrong else found), slot


@kernel
def _add_wanted(
    column: np.ndarray, rows: np.ndarray, state: np.ndarray, out: int, index: np.ndarray,
    count: int,
) -> tuple[int, int]:  # fmt: skip
    """Put the offsets of a page's wanted lists; return their values, null or not, and all not null.

    state  the last row, the wanted ones so far, and whether the last row is wanted
    index  the levels; filled in: the wanted values' numbers among those not null, -1 for null
    """
    floor, deepest, items = column[_FLOOR], column[_DEEPEST], column[_COUNT]
    offsets, valid = out + column[_OUT], out + column[_VALID]
    lists, slot, wrong = word(0), word(0), word(0)
    for each in range(count):  # in place: the begin of a list is never before its number
        more, level = index[0, each], index[1, each]
        wrong |= more & word(level < floor)
        index[0, lists], index[3, lists] = each, slot
        lists += 1 - more
        slot += word(level == deepest)
    begin = index[0, 0] if lists else count
    row, made, found, number = state[0], state[1], word(0), word(-1)
    is_wanted, place, end = state[2], word(0), begin
    while True:
        if is_wanted:
            first = word(0) if number < 0 else index[0, number]
            seen = word(0) if number < 0 else index[3, number]
            for each in range(first, end):
                level = index[1, each]
                if level >= floor:
                    index[2, found] = seen if level == deepest else word(-1)
                    found += 1
                seen += word(level == deepest)
        if made >= len(rows) or rows[made] - row > lists:
            break
        number = rows[made] - row - 1
        place = index[0, number]
        end = index[0, number + 1] if number + 1 < lists else count
        put_le64(offsets, _LONG * made, items + found)
        if index[1, place] + 1 < floor:
            clear(valid, made)
            column[_NULLS] += 1
        is_wanted, made = word(1), made + 1
    state[0], state[1] = row + lists, made
    state[2] = word(made > 0 and rows[made - 1] == row + lists)
    return (word(-1) if wrong else found), slot


@kernel(work=lambda *args: 8 + 2 * int(args[2][:, 1].sum()))
def take_list(
    data: np.ndarray,
    file: np.ndarray,
    pages: np.ndarray,
    column: np.ndarray,
    rows: np.ndarray,
    count: int,
    out: np.ndarray,
    index: np.ndarray,
) -> bool:
    """Put the lists of a column into *out*; return whether it has only usual pages.

    data, file, pages, rows  see `take_values`; *pages* are those of this column
    column  int64[LIST_FIELDS]: the numbers of nulls and of values are filled in
    count   the number of rows in all pages
    out     the offsets, the validity of lists, the values and their validity, with room for all
    index   int64[4, value]: room for the levels of any page, and one more
    """
    target, nothing = out.ctypes.data, np.zeros((1, 2), np.int64)
    wanted, items = word(len(rows)) if len(rows) else count, word(0)
    for number in range(len(pages)):
        items += pages[number, VALUES]
    for each in range((wanted + 7) >> 3):
        put_byte(target + column[_VALID], each, 0xFF)
    for each in range((items + 7) >> 3):
        put_byte(target + column[_ITEMS_VALID], each, 0xFF)
    state, is_all = np.zeros(3, np.int64), False
    state[0] = -1
    entries, dictionary = word(-1), word(0)
    for number in range(len(pages)):
        page = pages[number]
        held = file if page[IS_IN_FILE] else data
        if page[KIND] == DICTIONARY_PAGE:
            entries, dictionary = page[VALUES], held.ctypes.data + page[BEGIN]
            if not has_values(held, page, page[BEGIN], entries, column, nothing):
                return False
            continue
        if len(rows) and state[1] == wanted and not state[2]:
            break
        is_coded = page[IS_CODED]
        if is_coded and (is_coded == RUNS) != (column[_FORM] == FLAGS):
            return False
        at = _find_levels(held, page, column, index)
        if at < 0 or (state[0] < 0 and page[VALUES] and index[0, 0]):
            return False
        if len(rows):
            found, present = _add_wanted(column, rows, state, target, index, page[VALUES])
        else:
            found, present = _add_all(column, wanted, state, target, index, page[VALUES])
        if found < 0:
            return False
        picks = index[2, :found]
        if is_coded and present:
            limit = word(2) if column[_FORM] == FLAGS else entries
            if found and not find_codes(held, page, at, present, limit, picks, is_all):
                return False
        elif not has_values(held, page, at, present, column, nothing):
            return False
        values = dictionary if is_coded else held.ctypes.data + at
        column[_ITEM_NULLS] += _put(
            column, values, is_coded > 0, picks, target + column[_ITEMS],
            target + column[_ITEMS_VALID],
        )  # fmt: skip
        column[_COUNT] += found
    put_le64(target + column[_OUT], _LONG * wanted, column[_COUNT])
    return bool(state[1] == wanted and (len(rows) or state[0] + 1 == count))
