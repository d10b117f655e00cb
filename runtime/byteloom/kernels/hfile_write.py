"""Columns of cells laid out as the cells of an HFile, and where data blocks end among them.

- A cell is laid whole or not at all; `lay` stops where the next one has no room, and at the first
  that HBase would not take, or would not read back.
- Each cell is compared with the one before, which lies in the output.  *out* has `SLACK` bytes more
  than are ever used, so that whole words may be loaded and stored at the end of a cell.
- A block ends before a cell of another key, once its cells reach the block size.

Source: specs/hfile/cell.ksy
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom.kernels.hfile_keys import tags_fit
from byteloom.wire.kernel import kernel
from byteloom.wire.loads import (
    be16,
    be32,
    byte,
    copy,
    le64,
    put_be16,
    put_be32,
    put_be64,
    put_byte,
)
from byteloom.wire.runs import compare

if TYPE_CHECKING:
    import numpy as np

__all__ = ["OUT_OF_ORDER", "REFUSED", "SAME_KEY", "SAME_ROW", "SLACK", "gather", "lay", "split"]
__all__ += ["types_of"]

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


@kernel
def _put_vlong(out: int, at: int, value: int) -> int:
    """Put Hadoop's integer of variable length, not negative; return the place behind it."""
    if value <= 127:
        put_byte(out, at, value)
        return at + 1
    size = 1
    while size < 8 and value >> (8 * size):
        size += 1
    put_byte(out, at, -112 - size)
    for i in range(size):
        put_byte(out, at + 1 + i, value >> (8 * (size - 1 - i)))
    return at + 1 + size


@kernel
def _refusal(
    len_row: int,
    len_family: int,
    kind: int,
    tags: int,
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
        if not tags_fit(tags, tags_at, tags_end):
            return 4
    if time < 0 and not is_delta:
        return 8
    if mvcc < 0:
        return 9
    if mvcc and not has_mvcc:
        return 10
    return 0


@kernel
def _relation(out: int, one: int, two: int, is_delta: bool) -> int:
    """Return how the cell at *two* follows that at *one*: marks, or less than 0 for a refusal."""
    len_row_one, len_row_two = be16(out, one + 8), be16(out, two + 8)
    order = compare(out, one + 10, len_row_one, two + 10, len_row_two)
    a, b = one + 10 + len_row_one, two + 10 + len_row_two
    family_one, family_two = byte(out, a), byte(out, b)
    by_family = compare(out, a + 1, family_one, b + 1, family_two)
    if is_delta and by_family:
        return -11
    if order:
        return 0 if order < 0 else -OUT_OF_ORDER
    end_one, end_two = one + 8 + be32(out, one), two + 8 + be32(out, two)
    # A key without columns and of type 0 stands behind its whole row.
    is_last_one = end_one - a == 10 and byte(out, end_one - 1) == 0
    is_last_two = end_two - b == 10 and byte(out, end_two - 1) == 0
    if is_last_one != is_last_two:
        return SAME_ROW if is_last_two else -OUT_OF_ORDER
    if by_family:
        return SAME_ROW if by_family < 0 else -OUT_OF_ORDER
    a, b = a + 1 + family_one, b + 1 + family_two
    order = compare(out, a, end_one - 9 - a, b, end_two - 9 - b)
    if order == 0:  # what follows descends: the greater time and type stand first
        order = compare(out, end_two - 9, 9, end_one - 9, 9)
        if (byte(out, end_one - 9) ^ byte(out, end_two - 9)) & 128:  # and times are signed
            order = -order
    if order:
        return SAME_ROW if order < 0 else -OUT_OF_ORDER
    return SAME_ROW | SAME_KEY


@kernel
def lay(
    rows: np.ndarray,
    row_ends: np.ndarray,
    families: np.ndarray,
    family_ends: np.ndarray,
    qualifiers: np.ndarray,
    qualifier_ends: np.ndarray,
    values: np.ndarray,
    value_ends: np.ndarray,
    tags: np.ndarray,
    tags_ends: np.ndarray,
    times: np.ndarray,
    types: np.ndarray,
    mvccs: np.ndarray,
    first: int,
    has_tags: bool,
    has_mvcc: bool,
    is_delta: bool,
    checks_order: bool,
    data: np.ndarray,
    starts: np.ndarray,
    marks: np.ndarray,
    told: np.ndarray,
) -> int:
    """Lay cells from *first* on behind those in *data*; return the code of a refusal, or 0.

    row_ends  where each row begins in *rows*, and the last one ends; and so on
    starts    where cells begin in *data*; behind the last of them where it ends
    marks     `SAME_KEY` and `SAME_ROW`, of each with the one before
    told      [cells in *data*, next of the columns, bytes of keys, of values, greatest mvcc, most
              bytes of tags, bytes of the biggest cell, its number in *data* or -1]
    """
    out, room = data.ctypes.data, len(data) - SLACK
    base_row, base_family = rows.ctypes.data, families.ctypes.data
    base_qualifier, base_value = qualifiers.ctypes.data, values.ctypes.data
    base_tags = tags.ctypes.data
    at_row, at_family = row_ends.ctypes.data, family_ends.ctypes.data
    at_qualifier, at_value = qualifier_ends.ctypes.data, value_ends.ctypes.data
    at_tags = tags_ends.ctypes.data
    at_time, at_type, at_mvcc = times.ctypes.data, types.ctypes.data, mvccs.ctypes.data
    count, len_keys, len_values = told[0], told[2], told[3]
    most_mvcc, most_tags, biggest, number = told[4], told[5], told[6], -1
    to, before, wrong, i = starts[count], -1, 0, first
    if count:
        before = starts[count - 1]
    while i < len(times) and count + 1 < len(starts):
        step = 8 * i
        row, family, qualifier = le64(at_row, step), le64(at_family, step), le64(at_qualifier, step)
        value, tag = le64(at_value, step), le64(at_tags, step)
        len_row, len_family = le64(at_row, step + 8) - row, le64(at_family, step + 8) - family
        len_qualifier = le64(at_qualifier, step + 8) - qualifier
        len_value, len_tags = le64(at_value, step + 8) - value, le64(at_tags, step + 8) - tag
        time, kind, mvcc = le64(at_time, step), byte(at_type, i), le64(at_mvcc, step)
        len_key = 12 + len_row + len_family + len_qualifier
        wrong = _refusal(
            len_row, len_family, kind, base_tags, tag, tag + len_tags,
            time, mvcc, has_tags, has_mvcc, is_delta,
        )  # fmt: skip
        if wrong == 0 and len_key + len_value > _MOST_CELL:
            wrong = 12
        if wrong or to + 19 + len_key + len_value + len_tags > room:
            break
        put_be32(out, to, len_key)
        put_be32(out, to + 4, len_value)
        put_be16(out, to + 8, len_row)
        at = to + 10
        copy(base_row + row, out + at, len_row, len(rows) - row)
        at += len_row
        put_byte(out, at, len_family)
        copy(base_family + family, out + at + 1, len_family, len(families) - family)
        at += 1 + len_family
        copy(base_qualifier + qualifier, out + at, len_qualifier, len(qualifiers) - qualifier)
        at += len_qualifier
        put_be64(out, at, time)
        put_byte(out, at + 8, kind)
        at += 9
        copy(base_value + value, out + at, len_value, len(values) - value)
        at += len_value
        if has_tags:
            put_be16(out, at, len_tags)
            copy(base_tags + tag, out + at + 2, len_tags, len(tags) - tag)
            at += 2 + len_tags
        if has_mvcc:
            at = _put_vlong(out, at, mvcc)
        mark = 0
        if before >= 0:
            mark = _relation(out, before, to, is_delta)
            if mark < 0 and (checks_order or mark != -OUT_OF_ORDER):
                wrong = -mark
                break
            mark = max(mark, 0)
        marks[count] = mark
        len_keys += len_key
        len_values += len_value
        most_mvcc, most_tags = max(most_mvcc, mvcc), max(most_tags, len_tags)
        size = len_key + len_value + 12 + (len_tags + 2 if len_tags else 0)
        if size > biggest:
            biggest, number = size, count
        count += 1
        i += 1
        before, to = to, at
        starts[count] = to
    told[0], told[1], told[2], told[3] = count, i, len_keys, len_values
    told[4], told[5], told[6], told[7] = most_mvcc, most_tags, biggest, number
    return wrong


@kernel
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


@kernel
def gather(
    data: np.ndarray,
    starts: np.ndarray,
    first: int,
    end: int,
    is_qualifier: bool,
    names: np.ndarray,
    ends: np.ndarray,
) -> None:
    """Put rows, or qualifiers, of cells behind each other.

    names  has 8 bytes more than they take
    ends   becomes where each begins in *names*, and the last one ends
    """
    base, out, to = data.ctypes.data, names.ctypes.data, 0
    ends[0] = 0
    for i in range(first, end):
        cell = starts[i]
        at, size = cell + 10, be16(base, cell + 8)
        if is_qualifier:
            stop = cell + 8 + be32(base, cell) - 9
            at += size + 1 + byte(base, at + size)
            size = stop - at
        copy(base + at, out + to, size, size + 8)
        to += size
        ends[i - first + 1] = to


@kernel
def types_of(data: np.ndarray, starts: np.ndarray, first: int, out: np.ndarray) -> None:
    """Put the types of the cells from *first* on into *out*."""
    base = data.ctypes.data
    for i in range(len(out)):
        cell = starts[first + i]
        out[i] = byte(base, cell + 7 + be32(base, cell))
