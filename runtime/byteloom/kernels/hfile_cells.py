"""Cells of an HFile, one behind the other, to Arrow's binary views and numbers.

- The cells lie in *data* between the bounds of each row of *ranges*; every read is compared with
  those bounds first, whatever a length says.
- What is wrong is returned as a code from 1 up, with the cell's number and place, for the caller to
  put into words.  Codes are listed with `WRONG`; `FULL` asks for more room.
- A view is two words: size and first four bytes, then the other bytes of a value of up to twelve,
  or the place of a longer one.

Source: https://arrow.apache.org/docs/format/Columnar.html#variable-size-binary-view-layout
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from byteloom.kernels.hfile_keys import (
    columns_in_order,
    compare,
    compare_at,
    s32,
    tags_fit,
    u16,
    vlong,
    vlong_at,
)
from byteloom.wire.kernel import kernel
from byteloom.wire.loads import be16, be32, be64, byte, le32, le64, put_byte, put_le64

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["FULL", "WRONG", "compare", "s32", "u16", "vlong", "walk", "word"]

word: Any = np.int64
"""Makes a byte a signed word; Python's types cannot tell it from the integers it mixes with."""

WRONG: Final = (
    ("", ""),
    ("len_key", "a key inside its block, of 2 bytes or more"),
    ("len_value", "a value inside its block"),
    ("len_row", "a row of at most 32767 bytes inside its key"),
    ("len_family", "a family of at most 127 bytes inside its key"),
    ("type", "0, 4, 8, 10, 12, 14 or 255"),
    ("len_tags", "whole tags inside the block"),
    ("mvcc", "a sequence number inside its block"),
    ("mvcc", "0: the file info says that no cell has one"),
    ("", "no more cells than the trailer's entry_count"),
)
"""For each code, the field that it is about and what was wanted."""

FULL: Final = 9
"""The code of more cells than there is room for."""

_ROW_MOST, _FAMILY_MOST = 32767, 127
_TIME_AND_TYPE = 9
_LATEST = (1 << 63) - 1
_PUT = 4
_INLINE = 12


@kernel
def _put_view(views: int, row: int, base: int, end: int, at: int, size: int) -> None:
    """Make row *row* of *views* the *size* bytes at *at* of *end* bytes in all."""
    if at + 16 <= end:
        head, tail = le32(base, at), le64(base, at + 4)
    else:
        head, tail = _slow_words(base, at, min(size, _INLINE))
    if size > _INLINE:
        tail = at << 32
    elif size >= 4:
        half = 4 * (size - 4)  # in two steps, for a word is not shifted by all of its 64 bits
        tail &= ~((-1 << half) << half)
    else:
        head &= ~(-1 << (8 * size))
        tail = 0
    put_le64(views, 16 * row, head << 32 | size)
    put_le64(views, 16 * row + 8, tail)


@kernel
def _slow_words(base: int, at: int, size: int) -> tuple[int, int]:
    """Return what two loads would, of bytes near the end of the buffer."""
    head, tail = 0, 0
    for i in range(size):
        if i < 4:
            head |= byte(base, at + i) << (8 * i)
        else:
            tail |= byte(base, at + i) << (8 * (i - 4))
    return head, tail


@kernel
def _is_type(code: int) -> bool:
    return code in (0, 4, 8, 10, 12, 14, 255)


@kernel(work=lambda _, ranges, *__: (ranges[:, 1] - ranges[:, 0]).sum())
def walk(
    data: NDArray[np.uint8],
    ranges: NDArray[np.int64],
    has_columns: bool,
    has_tags: bool,
    has_mvcc: bool,
    is_mvcc_wide: bool,
    counts: NDArray[np.int64],
    told: NDArray[np.int64],
    room: int,
    rows: NDArray[np.uint8],
    families: NDArray[np.uint8],
    qualifiers: NDArray[np.uint8],
    values: NDArray[np.uint8],
    tags: NDArray[np.uint8],
    times: NDArray[np.uint8],
    types: NDArray[np.uint8],
    mvccs: NDArray[np.uint8],
) -> int:
    """Fill the columns with all cells; return 0, or what is wrong.

    has_columns   keys go on behind the row
    is_mvcc_wide  sequence numbers may be other than the one byte 0
    counts        becomes the number of cells at the end of each range, and where its last one is
    told          becomes [cell, its place, range, first cell out of order or -1]
    room          cells that each column has room for; a column of no bytes is left out
    """
    base, size_all = data.ctypes.data, len(data)
    row_b, len_row_b, family_b, len_family_b, len_qualifier_b = 0, 0, 0, 0, 0
    time_b, kind_b = 0, 0
    disorder, n = -1, 0
    for block in range(len(ranges)):
        at, end = int(ranges[block, 0]), int(ranges[block, 1])
        begin = at
        while at < end:
            begin = at
            wrong = 0
            if n >= room:
                wrong = 9
            elif at + 10 > end:
                wrong = 1
            if wrong:
                told[0], told[1], told[2] = n, begin, block
                return wrong
            len_key, len_value = be32(base, at), be32(base, at + 4)
            key = at + 8
            stop = key + len_key
            len_row = be16(base, key)
            row = key + 2
            family = row + len_row
            if len_key < 2 or len_key > end - key:
                wrong = 1
            elif len_value < 0 or len_value > end - stop:
                wrong = 2
            elif len_row > _ROW_MOST or family > stop:
                wrong = 3
            if wrong:
                told[0], told[1], told[2] = n, begin, block
                return wrong
            time, kind = _LATEST, _PUT
            len_family, len_qualifier = 0, 0
            if has_columns:
                if family + 1 + _TIME_AND_TYPE > stop:
                    wrong = 3
                else:
                    len_family = byte(base, family)
                    family += 1
                    len_qualifier = stop - _TIME_AND_TYPE - family - len_family
                    time, kind = be64(base, stop - 9), byte(base, stop - 1)
                    if len_family > _FAMILY_MOST or len_qualifier < 0:
                        wrong = 4
                    elif kind != _PUT and not _is_type(kind):
                        wrong = 5
            elif family != stop:
                wrong = 3
            at = stop + len_value
            place, size = at, 0
            if has_tags and not wrong:
                if at + 2 > end:
                    wrong = 6
                else:
                    place, size = at + 2, be16(base, at)
                    at = place + size
                    if at > end or not tags_fit(base, place, at):
                        wrong = 6
            mvcc = 0
            if has_mvcc and not wrong:
                mvcc, after = vlong_at(base, at, end)
                if after == 0:
                    wrong = 7
                elif not is_mvcc_wide and (mvcc != 0 or after != at + 1):
                    wrong = 8
                at = after
            if wrong:
                told[0], told[1], told[2] = n, begin, block
                return wrong
            if n and disorder < 0:
                order = compare_at(base, row_b, len_row_b, row, len_row)
                if order > 0 or (
                    order == 0
                    and not columns_in_order(
                        base, family_b, len_family_b, len_qualifier_b, time_b, kind_b,
                        family, len_family, len_qualifier, time, kind,
                    )
                ):  # fmt: skip
                    disorder = n
            row_b, len_row_b, family_b, len_family_b = row, len_row, family, len_family
            len_qualifier_b, time_b, kind_b = len_qualifier, time, kind
            if len(rows):
                _put_view(rows.ctypes.data, n, base, size_all, row, len_row)
            if len(values):
                _put_view(values.ctypes.data, n, base, size_all, stop, len_value)
            if len(families):
                _put_view(families.ctypes.data, n, base, size_all, family, len_family)
            if len(qualifiers):
                _put_view(
                    qualifiers.ctypes.data, n, base, size_all, family + len_family, len_qualifier
                )
            if len(tags):
                _put_view(tags.ctypes.data, n, base, size_all, place, size)
            if len(times):
                put_le64(times.ctypes.data, 8 * n, time)
            if len(types):
                put_byte(types.ctypes.data, n, kind)
            if len(mvccs):
                put_le64(mvccs.ctypes.data, 8 * n, mvcc)
            n += 1
        counts[block, 0], counts[block, 1] = n, begin
    told[0], told[3] = n, disorder
    return 0
