"""Columns of cells laid out as the cells of an HFile, and where data blocks end among them.

- A cell is laid whole or not at all; `lay` stops where the next one has no room, and at the first
  that HBase would not take, or would not read back.
- Each cell is compared with the one before, which lies in the output.  *out* has `SLACK` bytes more
  than are ever used, so that whole words may be loaded and stored at the end of a cell.
- A block ends before a cell of another key, once its cells reach the block size.

Source: specs/hfile/cell.ksy
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numba import njit

from byteloom.kernels.hfile_cells import compare, s32, u16, word
from byteloom.kernels.memory import load_u64, store_u64

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "REFUSED",
    "SAME_KEY",
    "SAME_ROW",
    "SLACK",
    "copy",
    "gather",
    "lay",
    "put_s32",
    "split",
    "types_of",
]

SLACK = 16
SAME_KEY, SAME_ROW = 1, 2

REFUSED = (
    ("", ""),
    ("row", "at most 32767 bytes"),
    ("family", "at most 127 bytes"),
    ("type", "0, 4, 8, 10, 12, 14 or 255"),
    ("tags", "whole tags, each behind its length"),
    ("tags", "at most 65535 bytes"),
    ("tags", "at most 32767 bytes: HBase does not read more back without a delta encoding"),
    ("tags", "none: the file is written without (tags=True keeps them)"),
    ("timestamp", "0 or more: HBase does not read others back without a delta encoding"),
    ("mvcc", "0 or more: HBase does not read others back"),
    ("mvcc", "0: the file is written without (mvcc=True keeps them)"),
    ("family", "one family in a file of a delta encoding: HBase reads rubbish back"),
    ("", "a cell of at most 1 GiB"),
    ("", "keys in ascending order"),
)
"""For each code, the field that it is about and what was wanted."""

OUT_OF_ORDER = len(REFUSED) - 1

_MOST_CELL = 1 << 30


@njit(cache=True, nogil=True)
def copy(source: np.ndarray, at: int, out: np.ndarray, to: int, size: int) -> None:
    """Copy bytes forward; up to seven bytes behind them in *out* may be overwritten."""
    a, b = source.ctypes.data, out.ctypes.data
    i = 0
    if at + size + 8 <= len(source):
        while i < size:
            store_u64(b, to + i, load_u64(a, at + i))
            i += 8
        return
    while i + 8 <= size:
        store_u64(b, to + i, load_u64(a, at + i))
        i += 8
    while i < size:
        out[to + i] = source[at + i]
        i += 1


@njit(cache=True, nogil=True)
def put_s32(out: np.ndarray, at: int, value: int) -> None:
    """Put four bytes, the highest first."""
    out[at] = (value >> 24) & 255
    out[at + 1] = (value >> 16) & 255
    out[at + 2] = (value >> 8) & 255
    out[at + 3] = value & 255


@njit(cache=True, nogil=True)
def _put_s64(out: np.ndarray, at: int, value: int) -> None:
    put_s32(out, at, value >> 32)
    put_s32(out, at + 4, value)


@njit(cache=True, nogil=True)
def _put_vlong(out: np.ndarray, at: int, value: int) -> int:
    """Put Hadoop's integer of variable length, not negative; return the place behind it."""
    if value <= 127:
        out[at] = value
        return at + 1
    size = 1
    while size < 8 and value >> (8 * size):
        size += 1
    out[at] = (-112 - size) & 255
    for i in range(size):
        out[at + 1 + i] = (value >> (8 * (size - 1 - i))) & 255
    return at + 1 + size


@njit(cache=True, nogil=True)
def _are_tags(data: np.ndarray, at: int, end: int) -> bool:
    while at < end:
        if at + 3 > end:
            return False
        size = u16(data, at)
        at += 2 + size
        if size == 0 or at > end:
            return False
    return True


@njit(cache=True, nogil=True)
def _refusal(
    len_row: int,
    len_family: int,
    kind: int,
    tags: np.ndarray,
    tags_at: int,
    tags_end: int,
    time: int,
    mvcc: int,
    has_tags: bool,
    has_mvcc: bool,
    is_delta: bool,
) -> int:
    """Return the code of what is wrong with a cell by itself, or 0."""
    if len_row > 32767:
        return 1
    if len_family > 127:
        return 2
    if kind not in (4, 0, 8, 10, 12, 14, 255):
        return 3
    if tags_end != tags_at:
        if not has_tags:
            return 7
        if tags_end - tags_at > 65535:
            return 5
        if tags_end - tags_at > 32767 and not is_delta:
            return 6
        if not _are_tags(tags, tags_at, tags_end):
            return 4
    if time < 0 and not is_delta:
        return 8
    if mvcc < 0:
        return 9
    if mvcc and not has_mvcc:
        return 10
    return 0


@njit(cache=True, nogil=True)
def _relation(out: np.ndarray, one: int, two: int, is_delta: bool) -> Any:
    """Return how the cell at *two* follows that at *one*: marks, or less than 0 for a refusal."""
    len_row_one, len_row_two = u16(out, one + 8), u16(out, two + 8)
    order = compare(out, one + 10, len_row_one, two + 10, len_row_two)
    a, b = one + 10 + len_row_one, two + 10 + len_row_two
    family_one, family_two = word(out[a]), word(out[b])
    end_one, end_two = one + 8 + s32(out, one), two + 8 + s32(out, two)
    by_family = compare(out, a + 1, family_one, b + 1, family_two)
    if is_delta and by_family:
        return -11
    if order:
        return 0 if order < 0 else -OUT_OF_ORDER
    # A key without columns and of type 0 stands behind its whole row.
    is_last_one = end_one - a == 10 and out[end_one - 1] == 0
    is_last_two = end_two - b == 10 and out[end_two - 1] == 0
    if is_last_one != is_last_two:
        return SAME_ROW if is_last_two else -OUT_OF_ORDER
    if by_family:
        return SAME_ROW if by_family < 0 else -OUT_OF_ORDER
    a, b = a + 1 + family_one, b + 1 + family_two
    order = compare(out, a, end_one - 9 - a, b, end_two - 9 - b)
    if order == 0:  # what follows descends: the greater time and type stand first
        order = compare(out, end_two - 9, 9, end_one - 9, 9)
        if (out[end_one - 9] ^ out[end_two - 9]) & 128:  # and times are signed
            order = -order
    if order:
        return SAME_ROW if order < 0 else -OUT_OF_ORDER
    return SAME_ROW | SAME_KEY


@njit(cache=True, nogil=True)
def lay(
    rows: np.ndarray,
    row_at: np.ndarray,
    families: np.ndarray,
    family_at: np.ndarray,
    qualifiers: np.ndarray,
    qualifier_at: np.ndarray,
    values: np.ndarray,
    value_at: np.ndarray,
    tags: np.ndarray,
    tags_at: np.ndarray,
    times: np.ndarray,
    types: np.ndarray,
    mvccs: np.ndarray,
    first: int,
    has_tags: bool,
    has_mvcc: bool,
    is_delta: bool,
    checks_order: bool,
    out: np.ndarray,
    starts: np.ndarray,
    marks: np.ndarray,
    told: np.ndarray,
) -> int:
    """Lay cells from *first* on behind those in *out*; return the code of a refusal, or 0.

    row_at   where each row begins in *rows*, and the last one ends; and so on
    starts   where cells begin in *out*; behind the last of them where it ends
    marks    `SAME_KEY` and `SAME_ROW`, of each with the one before
    told     [cells in *out*, next of the columns, bytes of keys, of values, greatest mvcc, most
             bytes of tags, bytes of the biggest cell, its number in *out* or -1]
    """
    count, i = told[0], first
    to = starts[count]
    room = len(out) - SLACK
    told[7] = -1
    while i < len(times) and count + 1 < len(starts):
        row, family, qualifier = row_at[i], family_at[i], qualifier_at[i]
        len_row, len_family = row_at[i + 1] - row, family_at[i + 1] - family
        len_qualifier = qualifier_at[i + 1] - qualifier
        len_value, len_tags = value_at[i + 1] - value_at[i], tags_at[i + 1] - tags_at[i]
        len_key = 12 + len_row + len_family + len_qualifier
        told[0], told[1] = count, i
        wrong = _refusal(
            len_row, len_family, types[i], tags, tags_at[i], tags_at[i + 1],
            times[i], mvccs[i], has_tags, has_mvcc, is_delta,
        )  # fmt: skip
        if wrong:
            return wrong
        if len_key + len_value > _MOST_CELL:
            return 12
        if to + 19 + len_key + len_value + len_tags > room:
            return 0
        put_s32(out, to, len_key)
        put_s32(out, to + 4, len_value)
        out[to + 8], out[to + 9] = len_row >> 8, len_row & 255
        at = to + 10
        copy(rows, row, out, at, len_row)
        at += len_row
        out[at] = len_family
        copy(families, family, out, at + 1, len_family)
        at += 1 + len_family
        copy(qualifiers, qualifier, out, at, len_qualifier)
        at += len_qualifier
        _put_s64(out, at, times[i])
        out[at + 8] = types[i]
        at += 9
        copy(values, value_at[i], out, at, len_value)
        at += len_value
        if has_tags:
            out[at], out[at + 1] = len_tags >> 8, len_tags & 255
            copy(tags, tags_at[i], out, at + 2, len_tags)
            at += 2 + len_tags
        if has_mvcc:
            at = _put_vlong(out, at, mvccs[i])
        mark = 0
        if count:
            mark = _relation(out, starts[count - 1], to, is_delta)
            if mark < 0 and (checks_order or mark != -OUT_OF_ORDER):
                return -mark
            mark = max(mark, 0)
        marks[count] = mark
        told[2] += len_key
        told[3] += len_value
        told[4] = max(told[4], mvccs[i])
        told[5] = max(told[5], len_tags)
        size = len_key + len_value + 12 + (len_tags + 2 if len_tags else 0)
        if size > told[6]:
            told[6], told[7] = size, count
        count += 1
        i += 1
        to = at
        starts[count] = to
    told[0], told[1] = count, i
    return 0


@njit(cache=True, nogil=True)
def split(
    starts: np.ndarray, marks: np.ndarray, first: int, count: int, block_size: int, per_row: int,
    ends: np.ndarray,
) -> int:  # fmt: skip
    """Put the number of the cell behind each whole block into *ends*; return how many there are.

    first    the first cell that is in no block yet
    per_row  bytes that each row adds to its block
    """
    found = 0
    begin = starts[first]
    rows = 0
    for i in range(first, count):
        is_full = starts[i] - begin + per_row * rows >= block_size
        if is_full and i > first and not marks[i] & SAME_KEY:
            ends[found] = i
            found += 1
            begin, first, rows = starts[i], i, 0
        if i == first or not marks[i] & SAME_ROW:
            rows += 1
    return found


@njit(cache=True, nogil=True)
def gather(
    data: np.ndarray, starts: np.ndarray, first: int, end: int, is_qualifier: bool,
    out: np.ndarray, ends: np.ndarray,
) -> None:  # fmt: skip
    """Put rows, or qualifiers, of cells behind each other; *out* has 8 bytes more than they take.

    ends  becomes where each begins in *out*, and the last one ends
    """
    to = 0
    ends[0] = 0
    for i in range(first, end):
        cell = starts[i]
        at, size = cell + 10, u16(data, cell + 8)
        if is_qualifier:
            stop = cell + 8 + s32(data, cell) - 9
            at += size + 1 + word(data[at + size])
            size = stop - at
        copy(data, at, out, to, size)
        to += size
        ends[i - first + 1] = to


@njit(cache=True, nogil=True)
def types_of(data: np.ndarray, starts: np.ndarray, first: int, out: np.ndarray) -> None:
    """Put the types of the cells from *first* on into *out*."""
    for i in range(len(out)):
        cell = starts[first + i]
        out[i] = data[cell + 7 + s32(data, cell)]
