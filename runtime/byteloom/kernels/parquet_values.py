"""Decode the values of plain Parquet columns straight from their pages, for the wanted rows.

- A column is plain if each row has at most one value: a number of 4 or 8 bytes, or a text.  Its
  values are stored one after another, or as codes of a dictionary.
- Other rows are skipped; a page without wanted rows is not read at all.
- Anything unusual or damaged ends a loop with a code, and the library reads the column.

Source: https://parquet.apache.org/docs/file-format/data-pages/encodings/
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from byteloom.kernels.parquet_fields import numbers
from byteloom.kernels.parquet_pages import DATA_PAGE_V2, DICTIONARY_PAGE
from byteloom.kernels.parquet_plain_pages import (
    BEGIN,
    END,
    IS_CODED,
    IS_IN_FILE,
    KIND,
    LEVELS,
    VALUES,
    find_slots,
    find_texts,
    runs_at,
    runs_of,
)
from byteloom.wire.kernel import kernel
from byteloom.wire.loads import byte, copy, copy_run, le32, le64, put_byte, put_le32, put_le64
from byteloom_generated.parquet.footers import TYPES

__all__ = ["COLUMN_FIELDS", "copy_texts", "place_columns", "take_values"]

word: Any = np.int64

COLUMN_FIELDS: Final = 8
_WIDTH, _NULLABLE, _FIRST, _LAST, _OUT, _VALID, _NULLS, _BYTES = range(COLUMN_FIELDS)
"""Fields of a column: the size of a number, 0 for text, whether values may be null, its first page
and the page after its last, where to put its numbers or offsets and its validity; then the number
of nulls and the size of its text."""

(_BYTE_ARRAY,) = numbers(TYPES, "BYTE_ARRAY")

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

    leaves   int64[column, 4]: see `is_plain`
    pages    int64[column]: how many pages each has; they are adjacent
    count    the number of wanted rows
    columns  int64[column, COLUMN_FIELDS]
    """
    at = page = word(0)
    for column in range(len(columns)):
        here, width = columns[column], leaves[column, 1]
        if leaves[column, 0] == _BYTE_ARRAY:
            width = word(0)
        here[_WIDTH], here[_NULLABLE] = width, leaves[column, 3]
        here[_FIRST], here[_LAST] = page, page + pages[column]
        here[_OUT] = at
        at += _whole(width * count if width else _LONG * (count + 1))
        here[_VALID] = at
        at += _whole((count + 7) >> 3) if leaves[column, 3] else word(0)
        page += pages[column]
    return at


@kernel
def _find_picks(index: np.ndarray, count: int, is_coded: bool, has_slots: bool) -> None:
    """Fill in the value, or the dictionary entry, of each row of a page; -1 for null."""
    for each in range(count):
        slot = index[1, each] if has_slots else word(each)
        index[2, each] = index[0, slot] if is_coded and slot >= 0 else slot


@kernel
def _find_slots_of(
    rows: np.ndarray, first: int, done: int, last: int, index: np.ndarray, has_slots: bool
) -> None:
    """Fill in the value of each wanted row of a page; -1 for null.

    rows         the wanted rows
    first        the index of the page's first row
    done, last   the range of the wanted rows that are in the page
    """
    for each in range(last - done):
        slot = rows[done + each] - first
        index[2, each] = index[1, slot] if has_slots else slot


@kernel
def _put_numbers(base: int, width: int, picks: np.ndarray, out: int, valid: int, done: int) -> int:
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
            at = (done + each) >> 3
            put_byte(valid, at, byte(valid, at) & ~(word(1) << ((done + each) & 7)))
            if width == _LONG:
                put_le64(out, _LONG * each, word(0))
            else:
                put_le32(out, _SHORT * each, word(0))
        elif width == _LONG:
            put_le64(out, _LONG * each, le64(base, _LONG * pick))
        else:
            put_le32(out, _SHORT * each, le32(base, _SHORT * pick))
    return nulls


@kernel
def _put_offsets(
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
            at = (done + each) >> 3
            put_byte(valid, at, byte(valid, at) & ~(word(1) << ((done + each) & 7)))
        else:
            starts[done + each] = texts[pick, 0]
            size += texts[pick, 1]
    return nulls, size


@kernel
def _find_codes(
    base: int,
    page: np.ndarray,
    at: int,
    held: int,
    entries: int,
    codes: np.ndarray,
    is_all: bool,
    data: np.ndarray,
) -> bool:
    """Decode the codes of a page; return whether they are valid.

    codes  filled in if all are wanted; else the places of those that are, replaced by the codes
    """
    end = page[END]
    bits = byte(base, at) if at < end else word(_MOST_BITS + 1)
    if bits > _MOST_BITS:
        return False
    if is_all:
        return 0 <= runs_of(base, at + 1, end, bits, held, codes, data) < entries
    return 0 <= runs_at(base, at + 1, end, bits, held, codes, data) < entries


@kernel
def _take_column(
    data: np.ndarray,
    file: np.ndarray,
    pages: np.ndarray,
    column: np.ndarray,
    rows: np.ndarray,
    count: int,
    out: np.ndarray,
    starts: np.ndarray,
    index: np.ndarray,
    texts: np.ndarray,
) -> bool:
    """Put the values of a column into *out*; return whether it has only usual pages."""
    width, is_all = column[_WIDTH], not len(rows)
    wanted = count if is_all else len(rows)
    target, valid = out.ctypes.data + column[_OUT], out.ctypes.data + column[_VALID]
    if column[_NULLABLE]:
        for each in range((wanted + 7) >> 3):
            put_byte(valid, each, 0xFF)
    first = done = nulls = size = dictionary = word(0)
    entries = word(-1)
    for number in range(column[_FIRST], column[_LAST]):
        page = pages[number]
        held = file if page[IS_IN_FILE] else data
        base = held.ctypes.data
        at, end, values, is_coded = page[BEGIN], page[END], page[VALUES], page[IS_CODED]
        if page[KIND] == DICTIONARY_PAGE:
            entries, dictionary = values, base + at
            if width and values > (end - at) // width:
                return False
            if not width and not find_texts(base, at, end, values, texts[0]):
                return False
            continue
        last = done
        if is_all:
            last = first + values
        else:
            while last < wanted and rows[last] < first + values:
                last += 1
        if last > wanted:
            return False
        if last > done:
            present, has_slots = values, False
            if column[_NULLABLE]:
                at, present, has_slots = find_slots(base, page, at, end, index[1], held)
            elif page[KIND] == DATA_PAGE_V2 and page[LEVELS]:
                return False
            if present < 0:
                return False
            picks = index[2, : last - done]
            if not is_all:
                _find_slots_of(rows, first, done, last, index, has_slots)
            codes = index[0] if is_all else picks
            if (
                is_coded
                and present
                and not _find_codes(base, page, at, present, entries, codes, is_all, held)
            ):
                return False
            if width and not is_coded and present > (end - at) // width:
                return False
            if not width and not is_coded and not find_texts(base, at, end, present, texts[1]):
                return False
            if width and is_all and not has_slots and not is_coded:
                copy_run(base + at, target + width * done, width * values)
            else:
                if is_all and is_coded and not has_slots:
                    picks = index[0, :present]
                elif is_all:
                    _find_picks(index, last - done, is_coded, has_slots)
                if width:
                    start = dictionary if is_coded else base + at
                    nulls += _put_numbers(start, width, picks, target + width * done, valid, done)
                else:
                    found, size = _put_offsets(
                        texts[0] if is_coded else texts[1], picks, size, target + _LONG * done,
                        valid, starts, done,
                    )  # fmt: skip
                    nulls += found
        first, done = first + values, last
    if not width:
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
    out     for each column the numbers, or the offset of each text and the end of the last; and
            bits that say which are not null
    starts  int64[column, row]: the offsets of texts in *data*, only for columns of text
    index   int64[3, value], texts int64[2, value, 2]: room for the values of any page
    """
    nothing, text = np.zeros(0, np.int64), 0
    for column in range(len(columns)):
        here, held = columns[column], nothing
        if not here[_WIDTH]:
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
