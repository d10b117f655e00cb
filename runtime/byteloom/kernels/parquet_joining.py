"""Several Parquet files as one: what their footers say, their pages, and one file made of them.

- Files of one schema become row groups of one file, of which only wanted columns are there; what
  remains is decoded by the library, at the cost of one file.
- Pages of Zstandard, which the library decompresses at a fixed cost a page, are put in plain.
- Whatever is unusual (another schema, encryption, an order of fields that no writer has, counts
  that differ) ends a loop: such a file is read by itself, which knows what is wrong.
- Lengths come from files: each is compared with what is left before it is used.

Source: https://github.com/apache/parquet-format, ``parquet.thrift``; Apache Thrift,
``thrift-compact-protocol.md``.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from byteloom.kernels.parquet_footer import _bounds, _list, _next, _passed, _sizes, _varint
from byteloom.kinds import PARQUET_MAGIC
from byteloom.wire.kernel import kernel
from byteloom.wire.loads import copy_run

__all__ = [
    "CHUNK_FIELDS",
    "FILE_FIELDS",
    "GROUP_FIELDS",
    "PAGE_FIELDS",
    "ZSTD",
    "find_files",
    "find_pages",
    "find_schema",
    "put_file",
    "schema_leaves",
]

word: Any = np.int64

FILE_FIELDS: Final = 6
"""Of a file: where its schema begins and ends, where ``ARROW:schema`` begins and ends, its rows,
its row groups."""

GROUP_FIELDS: Final = 2
"""Of a row group: its file and its rows."""

CHUNK_FIELDS: Final = 8
"""Of a column chunk: its row group, its leaf, where its pages begin and end, its values, its codec,
its bytes when decompressed, and then those that it has in the new file, those of its dictionary."""

PAGE_FIELDS: Final = 8
"""Of a page: its chunk, the number of the field with its header, where that begins and ends, where
its bytes begin and end, how many of them are never compressed, its bytes when decompressed."""

ZSTD: Final = 6

_I32, _I64, _BINARY, _LIST, _STRUCT = 5, 6, 8, 9, 12
_SCHEMA, _ROWS, _GROUPS, _KEYS = 2, 3, 4, 5
_DATA_PAGE, _DICTIONARY_PAGE, _DATA_PAGE_V2 = 5, 7, 8
_WIDTHS: Final = np.array((1, 4, 8, 12, 4, 8, -1), np.int64)
_LEVELS: Final = 200
_FAR: Final = 1 << 48
_ARROW: Final = np.frombuffer(b"ARROW:schema", np.uint8)
_MAGIC: Final = np.frombuffer(PARQUET_MAGIC, np.uint8)


@kernel
def _number(data: np.ndarray, at: int) -> tuple[int, int]:
    """A zigzag number, and the place after it."""
    value, at = _varint(data, at)
    return (value >> 1) ^ -(value & 1), at


@kernel(work=lambda data, *_: len(data))
def schema_leaves(data: np.ndarray, at: int, leaves: np.ndarray) -> int:
    """Fill in the leaves of a schema; return how many there are, -1 for a schema that is no tree.

    leaves  int64[leaf, 4]: physical type, bytes of a bound or -1, the highest repetition level and
            the highest definition level
    """
    size, _, at = _list(data, at)
    left = np.zeros(_LEVELS, np.int64)
    levels = np.zeros((_LEVELS, 2), np.int64)
    depth = count = 0
    for element in range(size):
        number, kind, length, repetition, children = 0, -1, 0, 0, 0
        while True:
            number, of, at = _next(data, at, number)
            if not of:
                break
            if number == 1 and of == _I32:
                kind, at = _number(data, at)
            elif number == 2 and of == _I32:
                length, at = _number(data, at)
            elif number == 3 and of == _I32:
                repetition, at = _number(data, at)
            elif number == 5 and of == _I32:
                children, at = _number(data, at)
            else:
                at = _passed(data, at, of)
            if at > len(data):
                return -1
        if element == 0:
            left[0] = children
            continue
        while depth and not left[depth]:
            depth -= 1
        if not left[depth]:
            return -1
        left[depth] -= 1
        repeated = levels[depth, 0] + (repetition == 2)
        defined = levels[depth, 1] + (repetition != 0)
        if children > 0:
            depth += 1
            if depth >= _LEVELS:
                return -1
            left[depth] = children
            levels[depth, 0], levels[depth, 1] = repeated, defined
            continue
        if count >= len(leaves) or not 0 <= kind <= 7:
            return -1
        leaves[count, 0], leaves[count, 1] = kind, length if kind == 7 else _WIDTHS[kind]
        leaves[count, 2], leaves[count, 3] = repeated, defined
        count += 1
    return count


@kernel
def _arrow_schema(data: np.ndarray, at: int) -> tuple[int, int, int]:
    """Where the value of ``ARROW:schema`` begins and ends, 0 for none, and the list's end."""
    size, _, at = _list(data, at)
    first = last = 0
    for _ in range(size):
        number, is_it = 0, False
        while True:
            number, kind, at = _next(data, at, number)
            if not kind:
                break
            if kind == _BINARY:
                length, start = _varint(data, at)
                if not 0 <= length <= len(data) - start:
                    return -1, -1, at
                if number == 1:
                    is_it = length == len(_ARROW)
                    for step in range(length if is_it else 0):
                        is_it = is_it and data[start + step] == _ARROW[step]
                elif number == 2 and is_it:
                    first, last = start, start + length
                at = start + length
            else:
                at = _passed(data, at, kind)
        if at > len(data):
            return -1, -1, at
    return first, last, at


@kernel
def find_schema(data: np.ndarray, file: np.ndarray) -> None:
    """Fill in where the schema of a footer begins and ends, and ``ARROW:schema``; zeros for none.

    data  up to the end of the footer, from its beginning
    """
    number = at = 0
    file[:] = 0
    while True:
        number, kind, at = _next(data, at, number)
        if not kind or at > len(data):
            return
        first = at
        if number == _KEYS and kind == _LIST:
            file[2], file[3], at = _arrow_schema(data, at)
            continue
        at = _passed(data, at, kind)
        if number == _SCHEMA and kind == _LIST and at <= len(data):
            file[0], file[1] = first, at


@kernel
def _same(data: np.ndarray, first: int, last: int, other: int, end: int) -> bool:
    """Whether two runs of bytes are equal."""
    if last - first != end - other:
        return False
    same = True
    for step in range(last - first):
        same = same and data[first + step] == data[other + step]
    return same


@kernel(work=lambda footers, *_: len(footers))
def find_files(
    footers: np.ndarray,
    places: np.ndarray,
    leaves: np.ndarray,
    wanted: np.ndarray,
    files: np.ndarray,
    groups: np.ndarray,
    chunks: np.ndarray,
) -> tuple[int, int, int]:
    """Find what the footers of files say, up to the first file that is not like the first one.

    places  int64[file, 4]: where each file begins, where its footer begins, and where that begins
            and ends in *footers*
    leaves  those of the first file's schema
    wanted  uint8[leaf]: 1 for those whose chunks are found
    files, groups, chunks  are filled in; see their fields
    return  how many files, row groups and chunks there are; no file if the first one is unusual,
            -1 of them if the room does not suffice
    """
    group_count = chunk_count = 0
    for file in range(len(places)):
        groups_before, chunks_before = group_count, chunk_count
        is_usual, group_count, chunk_count = _find_file(
            footers[: places[file, 3]], places[file], file, leaves, wanted, files, groups,
            group_count, chunks, chunk_count,
        )  # fmt: skip
        if not is_usual:
            if group_count < 0:
                return -1, 0, 0
            return file, groups_before, chunks_before
    return len(places), group_count, chunk_count


@kernel
def _find_file(
    data: np.ndarray,
    place: np.ndarray,
    file: int,
    leaves: np.ndarray,
    wanted: np.ndarray,
    files: np.ndarray,
    groups: np.ndarray,
    group_count: int,
    chunks: np.ndarray,
    chunk_count: int,
) -> tuple[bool, int, int]:
    """Whether a file is usual, and the row groups and chunks with its own; -1 without room."""
    number = rows = total = 0
    begin, pages_end, at, first_group = place[0], place[1], place[2], group_count
    here = files[file]
    here[:] = 0
    while True:
        number, kind, at = _next(data, at, number)
        if not kind:
            break
        if number == _SCHEMA and kind == _LIST:
            here[0] = at
            at = _passed(data, at, kind)
            here[1] = at
            if at > len(data):
                return False, group_count, chunk_count
            if file:
                before = files[0]
                if not _same(data, here[0], here[1], before[0], before[1]):
                    return False, group_count, chunk_count
        elif number == _ROWS and kind == _I64:
            rows, at = _number(data, at)
        elif number == _GROUPS and kind == _LIST:
            if not here[1]:
                return False, group_count, chunk_count
            count, _, at = _list(data, at)
            for _ in range(count):
                if group_count >= len(groups) or chunk_count + len(leaves) > len(chunks):
                    return False, -1, -1
                groups[group_count, 0] = file
                chunk_count, at = _find_group(
                    data, begin, pages_end, at, leaves, wanted, groups, group_count, chunks,
                    chunk_count,
                )  # fmt: skip
                if at > len(data) or chunk_count < 0 or groups[group_count, 1] < 0:
                    return False, group_count, chunk_count
                total += groups[group_count, 1]
                group_count += 1
        elif number == _KEYS and kind == _LIST:
            here[2], here[3], at = _arrow_schema(data, at)
        elif number > 7:
            return False, group_count, chunk_count  # encryption
        else:
            at = _passed(data, at, kind)
        if at > len(data):
            return False, group_count, chunk_count
    here[4], here[5] = total, group_count - first_group
    if not here[1] or total != rows or here[2] < 0:
        return False, group_count, chunk_count
    if file:
        before = files[0]
        if not _same(data, here[2], here[3], before[2], before[3]):
            return False, group_count, chunk_count
    return True, group_count, chunk_count


@kernel
def _find_group(
    data: np.ndarray,
    begin: int,
    pages_end: int,
    at: int,
    leaves: np.ndarray,
    wanted: np.ndarray,
    groups: np.ndarray,
    group: int,
    chunks: np.ndarray,
    chunk_count: int,
) -> tuple[int, int]:
    """The number of chunks with those of a row group, -1 for an unusual one, and its end."""
    number, first, columns = 0, chunk_count, -1
    groups[group, 1] = -1
    while True:
        number, kind, at = _next(data, at, number)
        if not kind:
            break
        if number == 1 and kind == _LIST:
            columns, _, at = _list(data, at)
            if columns != len(leaves):
                return -1, at
            for leaf in range(columns):
                here = chunks[chunk_count]
                is_usual, at = _find_chunk(data, begin, at, leaves[leaf], here)
                if not is_usual or at > len(data):
                    return -1, at
                if wanted[leaf]:
                    if not begin + 4 <= here[2] <= here[3] <= pages_end:
                        return -1, at
                    here[0], here[1] = group, leaf
                    chunk_count += 1
        elif number == 3 and kind == _I64:
            groups[group, 1], at = _number(data, at)
        else:
            at = _passed(data, at, kind)
        if at > len(data):
            return -1, at
    if columns < 0:
        return -1, at
    for each in range(first, chunk_count):
        is_flat = not leaves[chunks[each, 1], 2]
        if is_flat and chunks[each, 4] != groups[group, 1]:
            return -1, at
    return chunk_count, at


@kernel
def _find_chunk(
    data: np.ndarray, begin: int, at: int, leaf: np.ndarray, here: np.ndarray
) -> tuple[bool, int]:
    """Whether a column chunk is usual, and its end; fills in what it says."""
    number, is_inside, is_usual, is_there = 0, False, True, False
    pages, dictionary, size = word(0), word(0), word(-1)
    here[:] = 0
    here[4] = -1
    while True:
        number, kind, at = _next(data, at, number)
        code = 0
        if not kind:
            if is_inside:
                number, is_inside = 3, False
                continue
            break
        if not is_inside and number == 3 and kind == _STRUCT:
            number, is_inside, is_there = 0, True, True
        elif not is_inside:
            is_usual = is_usual and (number == 2 or 4 <= number <= 7)
            at = _passed(data, at, kind)
        elif number == 1 and kind == _I32:
            of, at = _number(data, at)
            is_usual = is_usual and of == leaf[0]
        elif number == 4 and kind == _I32:
            here[5], at = _number(data, at)
        elif number == 5 and kind == _I64:
            here[4], at = _number(data, at)
        elif number == 6 and kind == _I64:
            here[6], at = _number(data, at)
        elif number == 7 and kind == _I64:
            size, at = _number(data, at)
        elif number == 9 and kind == _I64:
            pages, at = _number(data, at)
        elif number == 11 and kind == _I64:
            dictionary, at = _number(data, at)
        elif number == 12 and kind == _STRUCT:
            code, at = _bounds(data, at, leaf[1])
        elif number == 16 and kind == _STRUCT:
            code, at = _sizes(data, at, leaf)
        else:
            at = _passed(data, at, kind)
        is_usual = is_usual and not code
        if at > len(data):
            return False, at
    start = dictionary if 0 < dictionary < pages else pages
    if not here[4]:  # no values, so no pages
        start, pages, size = word(4), word(4), word(0)
    if not is_there or not 0 < start < _FAR or not 0 <= size < _FAR or here[4] < 0:
        return False, at
    if not 0 <= here[6] < _FAR:
        return False, at
    here[2], here[3], here[7] = begin + start, begin + start + size, pages - start
    return is_usual, at


@kernel(work=lambda _, chunks, *__: 64 * len(chunks))
def find_pages(data: np.ndarray, chunks: np.ndarray, pages: np.ndarray, sums: np.ndarray) -> int:
    """Find the pages of chunks; return how many, -1 for unusual ones, -2 without room.

    pages  are filled in, of Zstandard's chunks alone
    sums   int64[page]: its CRC-32, -1 without one
    """
    count = 0
    for chunk in range(len(chunks)):
        at, end, values = chunks[chunk, 2], chunks[chunk, 3], word(0)
        is_zstd, size = chunks[chunk, 5] == ZSTD, word(0)
        window = data[:end]
        while (at < end and values < chunks[chunk, 4]) or (at < end and not chunks[chunk, 4]):
            head = at
            number = raw = packed = field = first = last = plain = held = word(0)
            packing, crc = 1, word(-1)
            while True:
                number, kind, at = _next(window, at, number)
                if not kind:
                    break
                if number == 2 and kind == _I32:
                    raw, at = _number(window, at)
                elif number == 3 and kind == _I32:
                    packed, at = _number(window, at)
                elif number == 4 and kind == _I32:
                    crc, at = _number(window, at)
                    crc &= 0xFFFFFFFF
                elif number in (_DATA_PAGE, _DICTIONARY_PAGE, _DATA_PAGE_V2) and kind == _STRUCT:
                    field, first = number, at
                    held, plain, packing, at = _page_header(window, at, number)
                    last = at
                else:
                    at = _passed(window, at, kind)
                if at > end:
                    return -1
            if not field or packed < 0 or raw < 0 or at + packed > end or plain < 0:
                return -1
            if plain > packed or plain > raw or held < 0:
                return -1
            values += held if field != _DICTIONARY_PAGE else 0
            if is_zstd:
                if count >= len(pages):
                    return -2
                here = pages[count]
                here[0], here[1], here[2], here[3] = chunk, field, first, last
                here[4], here[5], here[6], here[7] = at, at + packed, plain, raw
                if not packing:  # of the second version, which says so
                    here[6] = packed
                    if packed != raw:
                        return -1
                sums[count] = crc
                count += 1
                size += raw + (last - first) + 24
            at += packed
            if at <= head:
                return -1
        if values != chunks[chunk, 4]:
            return -1
        chunks[chunk, 6] = size if is_zstd else end - chunks[chunk, 2]
    return count


@kernel
def _page_header(data: np.ndarray, at: int, field: int) -> tuple[int, int, int, int]:
    """The values of a page, its bytes that are not compressed, whether others are, the end."""
    number, held, plain, packing = 0, word(0), word(0), 1
    while True:
        number, kind, at = _next(data, at, number)
        if not kind:
            return held, plain, packing, at
        if number == 1 and kind == _I32:
            held, at = _number(data, at)
        elif field == _DATA_PAGE_V2 and number in (5, 6) and kind == _I32:
            length, at = _number(data, at)
            plain = plain + length if length >= 0 and plain >= 0 else word(-1)
        elif field == _DATA_PAGE_V2 and number == 7:
            packing = word(kind == 1)
        else:
            at = _passed(data, at, kind)
        if at > len(data):
            return word(-1), word(-1), 0, at


@kernel
def _put_varint(out: np.ndarray, at: int, value: int) -> int:
    """Write a number of seven bits a byte; return the place after it."""
    while value >= 0x80:
        out[at] = value & 0x7F | 0x80
        value >>= 7
        at += 1
    out[at] = value
    return at + 1


@kernel
def _put(out: np.ndarray, at: int, head: int, value: int) -> int:
    """Write the head of a field and a number that is not negative."""
    out[at] = head
    return _put_varint(out, at + 1, value << 1)


@kernel
def _put_list(out: np.ndarray, at: int, head: int, size: int, kind: int) -> int:
    """Write the head of a field that is a list, and that of the list."""
    out[at] = head
    if size < 15:
        out[at + 1] = size << 4 | kind
        return at + 2
    out[at + 1] = 0xF0 | kind
    return _put_varint(out, at + 2, size)


@kernel
def _copy(out: np.ndarray, at: int, data: np.ndarray, first: int, last: int) -> int:
    """Copy some bytes; return the place after them."""
    copy_run(data.ctypes.data + first, out.ctypes.data + at, last - first)
    return at + last - first


@kernel(work=lambda *args: 64 * len(args[7]) + 4 * len(args[5]) * len(args[6]))
def put_file(
    data: np.ndarray,
    footers: np.ndarray,
    raw: np.ndarray,
    places: np.ndarray,
    file: np.ndarray,
    leaves: np.ndarray,
    groups: np.ndarray,
    chunks: np.ndarray,
    pages: np.ndarray,
    out: np.ndarray,
) -> int:
    """Write one file of row groups; return its length.

    raw     the compressed parts of pages, decompressed
    places  int64[page, 2]: where that of each page begins and ends
    file    what the first one of *footers* says: its schema is that of all
    chunks  in the order of their row groups, and of their leaves in each
    """
    at = _copy(out, 0, _MAGIC, 0, 4)
    written = np.zeros((len(chunks), 4), np.int64)  # of each: begins, first data page, ends, codec
    page = 0
    for chunk in range(len(chunks)):
        written[chunk, 0] = written[chunk, 1] = at
        if chunks[chunk, 5] == ZSTD:
            while page < len(pages) and pages[page, 0] == chunk:
                each = pages[page]
                if each[1] != _DICTIONARY_PAGE and written[chunk, 1] == written[chunk, 0]:
                    written[chunk, 1] = at
                of = 2 if each[1] == _DICTIONARY_PAGE else 3 if each[1] == _DATA_PAGE_V2 else 0
                at = _put(out, at, 0x15, of)
                at = _put(out, at, 0x15, each[7])
                at = _put(out, at, 0x15, each[7])
                out[at] = (each[1] - 3) << 4 | _STRUCT
                at = _copy(out, at + 1, data, each[2], each[3])
                out[at] = 0
                at = _copy(out, at + 1, data, each[4], each[4] + each[6])
                at = _copy(out, at, raw, places[page, 0], places[page, 1])
                page += 1
        else:
            written[chunk, 3] = chunks[chunk, 5]
            written[chunk, 1] = at + chunks[chunk, 7]
            at = _copy(out, at, data, chunks[chunk, 2], chunks[chunk, 3])
        written[chunk, 2] = at
    footer = at
    at = _put(out, at, 0x15, 1)
    out[at] = 0x19
    at = _copy(out, at + 1, footers, file[0], file[1])
    at = _put(out, at, 0x16, groups[:, 1].sum())
    at = _put_list(out, at, 0x19, len(groups), _STRUCT)
    chunk = 0
    for group in range(len(groups)):
        at = _put_list(out, at, 0x19, len(leaves), _STRUCT)
        for leaf in range(len(leaves)):
            out[at] = 0x26  # file_offset
            out[at + 1] = 0
            at += 2
            if chunk < len(chunks) and chunks[chunk, 0] == group and chunks[chunk, 1] == leaf:
                size = written[chunk, 2] - written[chunk, 0]
                out[at] = 0x1C
                at = _put(out, at + 1, 0x15, leaves[leaf, 0])
                at = _put_list(out, at, 0x19, 0, _I32)
                at = _put_list(out, at, 0x19, 0, _BINARY)
                at = _put(out, at, 0x15, written[chunk, 3])
                at = _put(out, at, 0x16, chunks[chunk, 4])
                at = _put(out, at, 0x16, size)
                at = _put(out, at, 0x16, size)
                at = _put(out, at, 0x26, written[chunk, 1])
                if written[chunk, 1] != written[chunk, 0]:
                    at = _put(out, at, 0x26, written[chunk, 0])
                out[at] = 0
                at += 1
                chunk += 1
            out[at] = 0
            at += 1
        at = _put(out, at, 0x16, 0)
        at = _put(out, at, 0x16, groups[group, 1])
        out[at] = 0
        at += 1
    if file[3]:
        at = _put_list(out, at, 0x19, 1, _STRUCT)
        out[at] = 0x18
        at = _copy(out, _put_varint(out, at + 1, len(_ARROW)), _ARROW, 0, len(_ARROW))
        out[at] = 0x18
        at = _put_varint(out, at + 1, file[3] - file[2])
        at = _copy(out, at, footers, file[2], file[3])
        out[at] = 0
        at += 1
    out[at] = 0
    at += 1
    for shift in range(4):
        out[at + shift] = (at - footer) >> (8 * shift) & 0xFF
    return _copy(out, at + 4, _MAGIC, 0, 4)
