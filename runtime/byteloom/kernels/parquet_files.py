"""Parse the footers of many Parquet files with one schema: rows, row groups and chunks.

- Anything unusual (another schema, encryption, an order of fields that no writer uses, counts
  that differ) ends a loop: such a file is read by itself, which reports what is wrong.
- Lengths come from files: each is checked against the remaining bytes before it is used.

Source: specs/parquet/footers.yaml
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from byteloom.kernels.parquet_footers import FILE_FIELDS, KEYS, SCHEMA, find_arrow_schema
from byteloom.kernels.parquet_structs import (
    CODEC,
    DICTIONARY,
    ENCODINGS,
    FIELDS,
    IS_PLAIN,
    IS_THERE,
    PAGES,
    RAW,
    STORED,
    VALUES,
    chunk_at,
    numbers,
)
from byteloom.kernels.thrift import I64, LIST, list_head, next_field, number_at, passed
from byteloom.native.kernel import kernel
from byteloom_generated.parquet.footers import FILE_META_DATA, ROW_GROUP

__all__ = ["CHUNK_FIELDS", "FILE_FIELDS", "GROUP_FIELDS", "find_files"]

word: Any = np.int64

GROUP_FIELDS: Final = 2
"""Fields of a row group: its file and its rows."""

CHUNK_FIELDS: Final = 9
"""Fields of a column chunk: its row group, its leaf, the offsets of its pages, its values, its
codec, its size when decompressed (in the new file, once that is written), that of its dictionary
there, and a bit for each of its encodings."""

_ROWS, _GROUPS, _ORDERS = numbers(FILE_META_DATA, "num_rows", "row_groups", "column_orders")
_COLUMNS, _GROUP_ROWS = numbers(ROW_GROUP, "columns", "num_rows")
_FAR: Final = 1 << 48


@kernel
def _same(data: np.ndarray, first: int, last: int, other: int, end: int) -> bool:
    """Return whether two runs of bytes are equal."""
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
    """Parse the footers of files, up to the first file that differs from the first one.

    places  int64[file, 4]: the offset of each file, the offset of its footer in it, and the range
            of the footer in *footers*
    leaves  the leaves of the first file's schema
    wanted  uint8[leaf]: 1 for those whose chunks are found
    files, groups, chunks  filled in; see the names of their fields
    return  the numbers of files, row groups and chunks; no file if the first one is unusual,
            -1 files if there is not enough room
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
    """Return whether a file is usual, and the row groups and chunks so far; -1 without room."""
    number = rows = total = 0
    begin, pages_end, at, first_group = place[0], place[1], place[2], group_count
    here = files[file]
    here[:] = 0
    while True:
        number, kind, at = next_field(data, at, number)
        if not kind:
            break
        if number == SCHEMA and kind == LIST:
            here[0] = at
            at = passed(data, at, kind)
            here[1] = at
            if at > len(data):
                return False, group_count, chunk_count
            if file:
                before = files[0]
                if not _same(data, here[0], here[1], before[0], before[1]):
                    return False, group_count, chunk_count
        elif number == _ROWS and kind == I64:
            rows, at = number_at(data, at)
        elif number == _GROUPS and kind == LIST:
            if not here[1]:
                return False, group_count, chunk_count
            count, _, at = list_head(data, at)
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
        elif number == KEYS and kind == LIST:
            here[2], here[3], at = find_arrow_schema(data, at)
        elif number > _ORDERS:
            return False, group_count, chunk_count  # encryption
        else:
            at = passed(data, at, kind)
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
    """Add a row group; return the number of chunks so far, -1 if it is unusual, and its end."""
    held = np.zeros(FIELDS, np.int64)
    number, first, columns = 0, chunk_count, -1
    groups[group, 1] = -1
    while True:
        number, kind, at = next_field(data, at, number)
        if not kind:
            break
        if number == _COLUMNS and kind == LIST:
            columns, _, at = list_head(data, at)
            if columns != len(leaves):
                return -1, at
            for leaf in range(columns):
                here = chunks[chunk_count]
                is_usual, at = _find_chunk(data, begin, at, leaves[leaf], held, here)
                if not is_usual or at > len(data):
                    return -1, at
                if wanted[leaf]:
                    if not begin + 4 <= here[2] <= here[3] <= pages_end:
                        return -1, at
                    here[0], here[1] = group, leaf
                    chunk_count += 1
        elif number == _GROUP_ROWS and kind == I64:
            groups[group, 1], at = number_at(data, at)
        else:
            at = passed(data, at, kind)
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
    data: np.ndarray, begin: int, at: int, leaf: np.ndarray, held: np.ndarray, here: np.ndarray
) -> tuple[bool, int]:
    """Fill in the fields of a column chunk; return whether it is usual, and its end.

    held  int64[FIELDS]: room for the fields in the footer
    """
    wrong, at = chunk_at(data, at, leaf, held)
    pages, dictionary, size = held[PAGES], held[DICTIONARY], held[STORED]
    start = dictionary if 0 < dictionary < pages else pages
    if not held[VALUES]:  # without values there are no pages
        start, pages, size = word(4), word(4), word(0)
    is_usual = not wrong and held[IS_PLAIN] and held[IS_THERE] and held[VALUES] >= 0
    if not is_usual or at > len(data) or not 0 < start < _FAR or not 0 <= size < _FAR:
        return False, at
    if not 0 <= held[RAW] < _FAR:
        return False, at
    here[0] = here[1] = 0
    here[2], here[3], here[7] = begin + start, begin + start + size, pages - start
    here[4], here[5], here[6] = held[VALUES], held[CODEC], held[RAW]
    here[8] = held[ENCODINGS]
    return True, at
