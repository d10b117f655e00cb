"""Decode the values of plain Parquet columns straight from their pages, for the wanted rows.

- A column is plain if each row has at most one value: a number, a decimal, a truth value, bytes of
  one size, or a text.  Its values are stored one after another, or as codes of a dictionary.
- Other rows are skipped; a page without wanted rows is not read at all.
- Anything unusual or damaged ends a loop with a code, and the library reads the column.

Source: https://parquet.apache.org/docs/file-format/data-pages/encodings/
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from byteloom.kernels.parquet_forms import (
    DECIMAL,
    DECIMALS,
    FLAGS,
    INTEGERS,
    NUMBERS,
    TEXTS,
    put_all_flags,
    put_decimals,
    put_flags,
    put_numbers,
    put_offsets,
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
    find_slots,
    find_texts,
    runs_at,
    runs_of,
)
from byteloom.native.kernel import kernel
from byteloom.native.loads import byte, copy, copy_run, le32, le64, put_byte, put_le64

__all__ = [
    "COLUMN_FIELDS",
    "copy_texts",
    "find_codes",
    "has_values",
    "place_columns",
    "take_values",
]

word: Any = np.int64

COLUMN_FIELDS: Final = 9
_FORM, _WIDTH, _NULLABLE, _FIRST, _LAST, _OUT, _VALID, _NULLS, _BYTES = range(COLUMN_FIELDS)
"""Fields of a column: the form of its values, the stored size of one (0 for text), whether values
may be null, its first page and the page after its last, where to put its values or offsets and its
validity; then the number of nulls and the size of its text."""

_MOST_BITS: Final = 32
"""The most bits of a code."""

_SHORT, _LONG = 4, 8
"""Sizes of numbers."""

_LINE: Final = 64
"""Bytes whose multiples are the sizes of buffers."""


@kernel
def _whole(size: int) -> int:
    """Return a size rounded up to a multiple of a line."""
    return (size + _LINE - 1) // _LINE * _LINE


@kernel(work=lambda leaves, *_: 16 * len(leaves))
def place_columns(leaves: np.ndarray, pages: np.ndarray, count: int, columns: np.ndarray) -> int:
    """Fill in the fields of columns that `take_values` reads; return how many bytes *out* needs.

    leaves   int64[column, 4]: see `plain_type`
    pages    int64[column]: how many pages each has; they are adjacent
    count    the number of wanted rows
    columns  int64[column, COLUMN_FIELDS], which have their forms
    """
    at = page = word(0)
    for column in range(len(columns)):
        here, form = columns[column], columns[column, _FORM]
        here[_WIDTH] = leaves[column, 1] if form != TEXTS else word(0)
        here[_NULLABLE] = leaves[column, 3]
        here[_FIRST], here[_LAST] = page, page + pages[column]
        here[_OUT] = at
        if form == TEXTS:
            at += _whole(_LONG * (count + 1))
        elif form == FLAGS:
            at += _whole((count + 7) >> 3)
        else:
            at += _whole((here[_WIDTH] if form == NUMBERS else word(DECIMAL)) * count)
        here[_VALID] = at
        at += _whole((count + 7) >> 3) if leaves[column, 3] else word(0)
        page += pages[column]
    return at


@kernel
def has_values(
    held: np.ndarray, page: np.ndarray, at: int, count: int, column: np.ndarray, texts: np.ndarray
) -> bool:
    """Return whether a page has *count* values from *at* on; find them if they are texts."""
    if column[_FORM] == TEXTS:
        return find_texts(held.ctypes.data, at, page[END], count, texts)
    if column[_FORM] == FLAGS:
        return count <= 8 * (page[END] - at)
    return count <= (page[END] - at) // column[_WIDTH]


@kernel
def find_codes(
    held: np.ndarray, page: np.ndarray, at: int, present: int, entries: int, codes: np.ndarray,
    is_all: bool,
) -> bool:  # fmt: skip
    """Decode the codes of a page, or its truth values in runs; return whether they are valid.

    codes  filled in if all are wanted; else the places of those that are, replaced by the codes
    """
    base, end, bits = held.ctypes.data, page[END], word(_MOST_BITS + 1)
    if page[IS_CODED] == RUNS:
        if at + _SHORT <= end and le32(base, at) <= end - at - _SHORT:
            bits, end = word(1), at + _SHORT + le32(base, at)
        at += _SHORT
    elif at < end:
        bits = byte(base, at)
        at += 1
    if bits > _MOST_BITS:
        return False
    if is_all:
        return 0 <= runs_of(base, at, end, bits, present, codes, held) < entries
    return 0 <= runs_at(base, at, end, bits, present, codes, held) < entries


@kernel
def _values_at(
    held: np.ndarray, page: np.ndarray, is_nullable: bool, slots: np.ndarray
) -> tuple[int, int, bool]:
    """Return what `find_slots` does, for columns without levels, too."""
    is_new = page[KIND] == DATA_PAGE_V2
    if is_nullable and page[LEVELS] < 0:
        return page[BEGIN], word(-1), False
    if is_new and (page[REPETITIONS] or (page[LEVELS] and not is_nullable)):
        return page[BEGIN], word(-1), False
    if is_nullable:
        return find_slots(held.ctypes.data, page, page[BEGIN], page[END], slots, held)
    return page[BEGIN], page[VALUES], False


@kernel
def _last_row(rows: np.ndarray, done: int, end: int) -> int:
    """Return the index after the last of the wanted rows, from *done* on, that are below *end*."""
    while done < len(rows) and rows[done] < end:
        done += 1
    return done


@kernel
def _picks(
    held: np.ndarray, page: np.ndarray, at: int, present: int, has_slots: bool, entries: int,
    some: np.ndarray, first: int, index: np.ndarray,
) -> tuple[bool, np.ndarray]:  # fmt: skip
    """Return whether a page is usual, and the value or entry of each wanted row; -1 for null.

    at, present, has_slots  what `_values_at` returns
    some   the wanted rows of the page; empty for all
    first  the index of the page's first row
    index  room for the page's codes, the value of each row if *has_slots*, and the result
    """
    is_all, is_coded = not len(some), page[IS_CODED] and present
    picks = index[2, : page[VALUES] if is_all else len(some)]
    if is_all and not has_slots and is_coded:
        codes = index[0, :present]
        return find_codes(held, page, at, present, entries, codes, is_all), codes
    for each in range(len(picks)):
        slot = word(each) if is_all else some[each] - first
        picks[each] = index[1, slot] if has_slots else slot
    if not is_coded:
        return True, picks
    if not is_all:
        return find_codes(held, page, at, present, entries, picks, is_all), picks
    if not find_codes(held, page, at, present, entries, index[0], is_all):
        return False, picks
    for each in range(len(picks)):
        if picks[each] >= 0:
            picks[each] = index[0, picks[each]]
    return True, picks


@kernel
def _take_column(
    data: np.ndarray, file: np.ndarray, pages: np.ndarray, column: np.ndarray, rows: np.ndarray,
    count: int, out: np.ndarray, starts: np.ndarray, index: np.ndarray, texts: np.ndarray,
) -> bool:  # fmt: skip
    """Put the values of a column into *out*; return whether it has only usual pages."""
    form, width, is_all = column[_FORM], column[_WIDTH], not len(rows)
    made = word(DECIMAL) if form in (INTEGERS, DECIMALS) else width
    wanted = count if is_all else len(rows)
    target, valid = out.ctypes.data + column[_OUT], out.ctypes.data + column[_VALID]
    for each in range((wanted + 7) >> 3 if column[_NULLABLE] else 0):
        put_byte(valid, each, 0xFF)
    first = done = nulls = size = dictionary = word(0)
    entries = word(-1)
    for number in range(column[_FIRST], column[_LAST]):
        page = pages[number]
        held = file if page[IS_IN_FILE] else data
        if page[KIND] == DICTIONARY_PAGE:
            entries, dictionary = page[VALUES], held.ctypes.data + page[BEGIN]
            if not has_values(held, page, page[BEGIN], entries, column, texts[0]):
                return False
            continue
        if form == FLAGS:
            entries = word(2)
        after = first + page[VALUES]
        last = after if is_all else _last_row(rows, done, after)
        if last > wanted:
            return False
        if last > done:
            is_coded = page[IS_CODED]
            if is_coded and (is_coded == RUNS) != (form == FLAGS):
                return False
            at, present, has_slots = _values_at(held, page, column[_NULLABLE], index[1])
            if present < 0:
                return False
            if not (is_coded or has_values(held, page, at, present, column, texts[1])):
                return False
            values = dictionary if is_coded else held.ctypes.data + at
            if form == NUMBERS and is_all and not has_slots and not is_coded:
                copy_run(values, target + width * done, width * page[VALUES])
            elif form == FLAGS and is_all and not (has_slots or is_coded or done & 7):
                put_all_flags(values, page[VALUES], target + (done >> 3))
            else:
                is_usual, picks = _picks(
                    held, page, at, present, has_slots, entries, rows[done:last], first, index
                )
                if not is_usual:
                    return False
                if form == NUMBERS:
                    nulls += put_numbers(values, width, picks, target + width * done, valid, done)
                elif form == FLAGS:
                    nulls += put_flags(values, is_coded > 0, picks, target, valid, done)
                elif form != TEXTS:
                    nulls += put_decimals(
                        values, width, form == INTEGERS, picks, target + made * done, valid, done
                    )
                else:
                    found, size = put_offsets(
                        texts[0] if is_coded else texts[1], picks, size, target + _LONG * done,
                        valid, starts, done,
                    )  # fmt: skip
                    nulls += found
        first, done = after, last
    if form == TEXTS:
        put_le64(target, _LONG * done, size)
    column[_NULLS], column[_BYTES] = nulls, size
    return bool(done == wanted)


@kernel(work=lambda *args: 8 * len(args[3]) + int(args[2][:, 1].sum()))
def take_values(
    data: np.ndarray,
    file: np.ndarray,
    pages: np.ndarray,
    columns: np.ndarray,
    rows: np.ndarray,
    count: int,
    out: np.ndarray,
    starts: np.ndarray,
    index: np.ndarray,
    texts: np.ndarray,
) -> int:
    """Put the values of columns into *out*; return how many are usual before the first that is not.

    data    decompressed pages, and `SLACK` more bytes
    file    the same of pages that are in the file as they are; never those with texts
    pages   int64[page, PAGE_FIELDS]: the pages of each column are adjacent
    columns int64[column, COLUMN_FIELDS]: the last two are filled in
    rows    the indexes of the wanted rows, ascending; empty for all
    count   the number of rows in all pages of a column
    out     for each column the values, or the offset of each text and the end of the last; and
            bits that say which are not null
    starts  int64[column, row]: the offsets of texts in *data*, only for columns of text
    index   int64[3, value], texts int64[2, value, 2]: room for the values of any page
    """
    nothing, text = np.zeros(0, np.int64), 0
    for column in range(len(columns)):
        here, held = columns[column], nothing
        if here[_FORM] == TEXTS:
            held = starts[text]
            text += 1
        if not _take_column(data, file, pages, here, rows, count, out, held, index, texts):
            return column
    return len(columns)


@kernel(work=lambda *args: args[2].size)
def copy_texts(
    data: np.ndarray, columns: np.ndarray, starts: np.ndarray, out: np.ndarray, content: np.ndarray
) -> None:
    """Put the texts of columns into *content*, column after column.

    columns      the columns of text
    starts, out  as filled in by `take_values`
    """
    base, target, filled = data.ctypes.data, content.ctypes.data, word(0)
    for column in range(len(columns)):
        offsets, each = out.ctypes.data + columns[column, _OUT], starts[column]
        begin = word(0)
        for row in range(len(each)):
            end = le64(offsets, _LONG * (row + 1))
            if end > begin:
                room = min(len(data) - each[row], len(content) - filled - begin)
                copy(base + each[row], target + filled + begin, end - begin, room)
            begin = end
        filled += begin
