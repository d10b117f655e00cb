"""Find the parts of pages of plain Parquet columns: levels, dictionary codes, texts.

- Anything unusual or damaged ends a loop, and the library reads the column.
- Lengths come from files: each is checked against the remaining bytes before it is used.
- A page that lies in the file as its encoding has it is read there; the others are decompressed.

Source: https://parquet.apache.org/docs/file-format/data-pages/encodings/
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from byteloom.kernels.parquet_pages import DATA_PAGE_V2, DICTIONARY_PAGE
from byteloom.kernels.parquet_structs import numbers
from byteloom.kernels.thrift import I32, next_field, number_at, passed, varint
from byteloom.native.kernel import kernel
from byteloom.native.loads import byte, copy_run, le32, le64
from byteloom_generated.parquet.footers import (
    CODECS,
    DATA_PAGE_HEADER,
    DATA_PAGE_HEADER_V2,
    DICTIONARY_PAGE_HEADER,
    ENCODINGS,
    TYPES,
)

__all__ = [
    "BEGIN",
    "END",
    "IS_CODED",
    "IS_IN_FILE",
    "KIND",
    "LEVELS",
    "PAGE_FIELDS",
    "RANGE_FIELDS",
    "REPETITIONS",
    "RUNS",
    "SLACK",
    "VALUES",
    "describe_pages",
    "find_slots",
    "find_texts",
    "place_pages",
    "runs_at",
    "runs_of",
]

word: Any = np.int64

PAGE_FIELDS: Final = 8
KIND, VALUES, IS_CODED, LEVELS, BEGIN, END, IS_IN_FILE, REPETITIONS = range(PAGE_FIELDS)
"""Fields of a page: the number of the field with its header, its values, whether they are codes (or
`RUNS`), the bytes of its definition levels if the header says so, the range of its decompressed
bytes, whether that is a range of the file, and the bytes of its repetition levels if the header
says so; below 0 if levels are in another encoding than runs."""

RUNS: Final = 2
"""Says that the values of a page are bits in runs."""

RANGE_FIELDS: Final = 5
"""Fields of a compressed page: its range in the file, its range when decompressed, its codec."""

SLACK: Final = 8
"""Bytes after the pages that may be read; their content does not matter."""

_PLAIN, _OLD_CODES, _RLE, _CODES = numbers(
    ENCODINGS, "PLAIN", "PLAIN_DICTIONARY", "RLE", "RLE_DICTIONARY"
)
_COUNT, _ENCODING, _LEVEL_ENCODING, _REPETITION_ENCODING = numbers(
    DATA_PAGE_HEADER,
    "num_values",
    "encoding",
    "definition_level_encoding",
    "repetition_level_encoding",
)
_COUNT_V2, _ENCODING_V2, _DEFINITIONS_V2, _REPETITIONS_V2 = numbers(
    DATA_PAGE_HEADER_V2,
    "num_values",
    "encoding",
    "definition_levels_byte_length",
    "repetition_levels_byte_length",
)
_COUNT_OF_CODES, _ENCODING_OF_CODES = numbers(DICTIONARY_PAGE_HEADER, "num_values", "encoding")
_UNCOMPRESSED, _SNAPPY = numbers(CODECS, "UNCOMPRESSED", "SNAPPY")
(_BYTE_ARRAY,) = numbers(TYPES, "BYTE_ARRAY")
_HEAD: Final = 4
"""The size of the length before levels, and before each text."""

_TYPE_BITS: Final = 2
_TYPE: Final = (1 << _TYPE_BITS) - 1
"""The bits of the first byte of an element of Snappy with its type, which are 0 for a literal."""

_LONG_LITERAL: Final = 60
"""The value of the other bits from which on they say how many bytes the size has, from 1."""


@kernel(work=lambda _, pages, *__: 16 * len(pages))
def describe_pages(
    data: np.ndarray, pages: np.ndarray, codecs: np.ndarray, rows: int, found: np.ndarray
) -> int:
    """Fill in the fields of pages from their headers, up to an unusual one; return their number.

    pages   as filled in by `find_pages`; all of an uncompressed page is said to be so
    codecs  int64[chunk]: the number of each chunk's codec
    rows    the most values of a page, except for one that has more bytes
    found   int64[page, PAGE_FIELDS]
    """
    for page in range(len(pages)):
        packed, raw = pages[page, 5] - pages[page, 4], pages[page, 7]
        if codecs[pages[page, 0]] == _UNCOMPRESSED:
            if packed != raw:
                return page
            pages[page, 6] = packed
        kind, at = pages[page, 1], pages[page, 2]
        window = data[: pages[page, 3]]
        number = count = levels = repeated = 0
        encoding, of_levels = word(-1), word(_RLE)
        while True:
            number, of, at = next_field(window, at, number)
            if not of:
                break
            value = word(0)
            if of == I32:
                value, at = number_at(window, at)
            else:
                at = passed(window, at, of)
            if kind == DATA_PAGE_V2:
                count = value if number == _COUNT_V2 else count
                encoding = value if number == _ENCODING_V2 else encoding
                levels = value if number == _DEFINITIONS_V2 else levels
                repeated = value if number == _REPETITIONS_V2 else repeated
            elif kind == DICTIONARY_PAGE:
                count = value if number == _COUNT_OF_CODES else count
                encoding = value if number == _ENCODING_OF_CODES else encoding
            else:
                count = value if number == _COUNT else count
                encoding = value if number == _ENCODING else encoding
                of_levels = value if number == _LEVEL_ENCODING else of_levels
                if number == _REPETITION_ENCODING and value != _RLE:
                    repeated = word(-1)
        is_coded = encoding in (_CODES, _OLD_CODES)
        if not 0 <= count <= max(raw, rows):
            return page
        are_runs = encoding == _RLE and kind != DICTIONARY_PAGE
        if not (is_coded or are_runs or encoding == _PLAIN):
            return page
        found[page, KIND], found[page, VALUES] = kind, count
        found[page, IS_CODED] = word(RUNS) if are_runs else word(is_coded)
        found[page, LEVELS] = levels if of_levels == _RLE else word(-1)
        found[page, REPETITIONS] = repeated
    return len(pages)


@kernel
def _only_literal(data: np.ndarray, begin: int, end: int, size: int) -> int:
    """Return where the content of a page of Snappy is if it is one literal, else -1.

    A writer makes such a page of at most 64 KiB in which it finds nothing to compress.

    begin, end  the page
    size        bytes of its content
    """
    window = data[:end]
    content, at = varint(window, begin)
    if content != size or at >= end or window[at] & _TYPE:
        return word(-1)
    held = word(window[at]) >> _TYPE_BITS
    at += 1
    if held >= _LONG_LITERAL:
        width = held - _LONG_LITERAL + 1
        if width > end - at:
            return word(-1)
        held = word(0)
        for each in range(width):
            held |= word(window[at + each]) << 8 * each
        at += width
    return at if held + 1 == size and size == end - at else word(-1)


@kernel(work=lambda _, pages, *__: 16 * len(pages))
def place_pages(
    file: np.ndarray,
    pages: np.ndarray,
    codecs: np.ndarray,
    leaves: np.ndarray,
    needed: np.ndarray,
    found: np.ndarray,
    data: np.ndarray,
    ranges: np.ndarray,
) -> int:
    """Fill in where the decompressed bytes of pages are; return how many pages are compressed.

    pages   as filled in by `find_pages`
    codecs  int64[chunk]: the number of each chunk's codec
    leaves  int64[chunk, 4]: the leaf of each chunk, see `plain_type`
    needed  bool[page]: whether the page is needed; the range of one that is not is empty
    found   their range is filled in, and whether it is one of the file
    data    room for all pages; what is never compressed is copied there
    ranges  int64[page, RANGE_FIELDS]: filled in, for those that have to be decompressed
    """
    at = count = word(0)
    for page in range(len(pages)):
        chunk, begin, end = pages[page, 0], pages[page, 4], pages[page, 5]
        stored, size, here = pages[page, 6], pages[page, 7], found[page]
        if not needed[page]:
            here[BEGIN], here[END], here[IS_IN_FILE] = at, at, 0
            continue
        is_of_codes = here[IS_CODED] and here[KIND] != DICTIONARY_PAGE
        is_text, place = leaves[chunk, 0] == _BYTE_ARRAY, word(-1)
        if (is_of_codes or not is_text) and end + SLACK <= len(file):
            if stored == size:
                place = begin
            elif codecs[chunk] == _SNAPPY and not stored:
                place = _only_literal(file, begin, end, size)
        here[IS_IN_FILE] = place >= 0
        if place >= 0:
            here[BEGIN], here[END] = place, place + size
            continue
        here[BEGIN], here[END] = at, at + size
        if stored:
            copy_run(file.ctypes.data + begin, data.ctypes.data + at, stored)
        if size > stored:
            ranges[count, 0], ranges[count, 1] = begin + stored, end
            ranges[count, 2], ranges[count, 3] = at + stored, at + size
            ranges[count, 4] = codecs[chunk]
            count += 1
        at += size
    return count


@kernel
def _next_run(window: np.ndarray, at: int, width: int, left: int) -> tuple[int, int, int, int]:
    """Return the next run of numbers of some bits: its form, length, begin and end; end -1: damage.

    left    numbers that are wanted still: the length is at most that
    return  1 if the numbers are packed, 0 if one is repeated; how many; offsets of its content
    """
    head, begin = varint(window, at)
    room, length, is_packed = len(window) - begin, head >> 1, head & 1
    size = length * width if is_packed else (width + 7) >> 3
    if room < 0 or size > room or (is_packed and length > 8 * room):
        return is_packed, word(0), begin, word(-1)
    return is_packed, min(8 * length if is_packed else length, left), begin, begin + size


@kernel
def _packed(base: int, begin: int, width: int, place: int) -> int:
    """Return a number of a packed run."""
    bit = place * width
    return le64(base, begin + (bit >> 3)) >> (bit & 7) & ((word(1) << width) - 1)


@kernel
def _repeated(base: int, begin: int, width: int) -> int:
    """Return the number of a run that repeats it."""
    return le64(base, begin) & ((word(1) << 8 * ((width + 7) >> 3)) - 1)


@kernel
def runs_of(
    base: int, at: int, end: int, width: int, count: int, out: np.ndarray, data: np.ndarray
) -> int:
    """Decode runs of numbers of some bits; return the highest one, -1 for damaged runs."""
    seen, highest, window = word(0), word(0), data[:end]
    while seen < count:
        is_packed, held, begin, at = _next_run(window, at, width, count - seen)
        if at < 0:
            return word(-1)
        value = word(0) if is_packed else _repeated(base, begin, width)
        for each in range(held):
            if is_packed:
                value = _packed(base, begin, width, each)
            out[seen + each] = value
            highest = max(highest, value)
        seen += held
    return highest


@kernel
def runs_at(
    base: int, at: int, end: int, width: int, count: int, picks: np.ndarray, data: np.ndarray
) -> int:
    """Replace places in runs of numbers by the numbers there; return the highest, -1 for damage.

    picks  places below *count*, ascending; those below 0 stay as they are
    """
    seen, highest, window, each = word(0), word(0), data[:end], 0
    while each < len(picks):
        is_packed, held, begin, at = _next_run(window, at, width, count - seen)
        if at < 0 or seen >= count:
            return word(-1)
        value = word(0) if is_packed else _repeated(base, begin, width)
        while each < len(picks) and picks[each] < seen + held:
            if picks[each] >= 0:
                if is_packed:
                    value = _packed(base, begin, width, picks[each] - seen)
                picks[each] = value
                highest = max(highest, value)
            each += 1
        seen += held
    return highest


@kernel
def find_texts(base: int, at: int, end: int, count: int, texts: np.ndarray) -> bool:
    """Fill in the offsets and sizes of texts, each of which follows its length."""
    for each in range(count):
        if at + _HEAD > end:
            return False
        size = le32(base, at)
        at += _HEAD
        if size > end - at:
            return False
        texts[each, 0], texts[each, 1] = at, size
        at += size
    return True


@kernel
def find_slots(
    base: int, page: np.ndarray, at: int, end: int, slots: np.ndarray, data: np.ndarray
) -> tuple[int, int, bool]:
    """Return the offset of values and their number, -1 for damage, and whether slots are filled in.

    slots  the value of each row, below 0 for null; not filled in if no row is null
    """
    values = page[VALUES]
    if page[KIND] == DATA_PAGE_V2:
        last = at + page[LEVELS]
    else:
        if at + _HEAD > end:
            return at, word(-1), False
        last = at + _HEAD + le32(base, at)
        at += _HEAD
    if last > end:
        return at, word(-1), False
    window = data[:last]
    head, after = varint(window, at)
    if not head & 1 and head >> 1 >= values and after < last and byte(base, after) == 1:
        return last, values, False
    highest = runs_of(base, at, last, 1, values, slots, data)
    if not 0 <= highest <= 1:
        return at, word(-1), False
    held = word(0)
    for row in range(values):
        level = slots[row]
        slots[row] = held if level else -1
        held += level
    return last, held, True
