"""Encode plain cells of an HFile: PREFIX, DIFF, FAST_DIFF, and the rows of ROW_INDEX_V1.

- A block is encoded by one call, which also finds its end: HBase ends it before a cell with a new
  key, once its plain or its encoded cells reach their size.
- The bytes that a cell shares with the previous one are counted over row, qualifier and, in PREFIX,
  timestamp and type; all cells of a file have the same family.
- A dictionary of tags has the 127 most recently used, and begins empty in each block.

Source: HBase's encoders have no document; what they write was measured (see specs/hfile/SOURCE.md)
"""

from __future__ import annotations

import numpy as np

from byteloom.kernels.hfile_cells import KEPT, SAME_KEY, SAME_ROW, TIME_AND_TYPE
from byteloom.kernels.hfile_encodings import DIFF, PREFIX
from byteloom.native.integers import put_uleb128
from byteloom.native.kernel import kernel
from byteloom.native.loads import (
    be16,
    be32,
    be64,
    byte,
    copy,
    le64,
    put_be16,
    put_be32,
    put_byte,
    put_le64,
)

__all__ = ["encode", "index_rows"]


@kernel
def _shared(data: int, a: int, b: int, most: int) -> int:
    """Return how many equal bytes begin at *a* and at *b*, at most *most*."""
    i = 0
    while i + 8 <= most and le64(data, a + i) == le64(data, b + i):
        i += 8
    while i < most and byte(data, a + i) == byte(data, b + i):
        i += 1
    return i


@kernel
def _common(data: int, one: int, two: int, behind: int) -> int:
    """Return how many bytes the keys of two cells share, at most *behind* after the names."""
    a, b = one + 8, two + 8
    len_row = be16(data, b)
    if be16(data, a) != len_row:
        return 1 if byte(data, a) == byte(data, b) else 0
    common = _shared(data, a + 2, b + 2, len_row)
    if common != len_row:
        return 2 + common
    common = 2 + len_row + 1 + byte(data, b + 2 + len_row)
    qualifier_a = be32(data, one) - TIME_AND_TYPE - common
    qualifier_b = be32(data, two) - TIME_AND_TYPE - common
    same = _shared(data, a + common, b + common, min(qualifier_a, qualifier_b))
    common += same
    if same == max(qualifier_a, qualifier_b):
        common += _shared(data, a + common, b + common, behind)
    return common


@kernel
def _prefix(data: int, before: int, cell: int, out: int, to: int) -> int:
    """Put key and value of a cell in PREFIX; return the offset after them."""
    len_key, len_value = be32(data, cell), be32(data, cell + 4)
    common = _common(data, before, cell, TIME_AND_TYPE) if before >= 0 else 0
    to = put_uleb128(out, to, len_key - common)
    to = put_uleb128(out, to, len_value)
    to = put_uleb128(out, to, common)
    rest = len_key - common + len_value
    copy(data + cell + 8 + common, out + to, rest, rest + 8)
    return to + rest


@kernel
def _names(data: int, cell: int, common: int, out: int, to: int) -> int:
    """Put the unshared parts of row and qualifier, without the family."""
    key = cell + 8
    len_row = be16(data, key)
    qualifier = key + 2 + len_row + 1 + byte(data, key + 2 + len_row)
    end = key + be32(data, cell) - TIME_AND_TYPE
    if common < len_row + 2:
        rest = len_row + 2 - common
        copy(data + key + common, out + to, rest, rest + 8)
        to += rest
    else:
        qualifier = key + common
    copy(data + qualifier, out + to, end - qualifier, end - qualifier + 8)
    return to + end - qualifier


@kernel
def _width(value: int) -> int:
    """Return the size of a number; a negative one takes all eight bytes."""
    if value < 0:
        return 8
    size = 1
    while size < 8 and value >> (8 * size):
        size += 1
    return size


@kernel
def _put_lengths(out: int, to: int, len_key: int, len_value: int, common: int) -> int:
    """Put those of three lengths that are not negative."""
    if len_key >= 0:
        to = put_uleb128(out, to, len_key)
    if len_value >= 0:
        to = put_uleb128(out, to, len_value)
    return put_uleb128(out, to, common)


@kernel
def _diff(data: int, before: int, cell: int, out: int, to: int) -> int:
    """Put key and value of a cell in DIFF; return the offset after them."""
    len_key, len_value = be32(data, cell), be32(data, cell + 4)
    last = cell + 8 + len_key - TIME_AND_TYPE
    time = be64(data, last)
    flag, common = 0, 0
    sign = 128 if time < 0 else 0
    moment = -time if time < 0 else time
    width = _width(moment)
    key_size, value_size = len_key, len_value
    if before < 0:
        family = cell + 10 + be16(data, cell + 8)
        size = 1 + byte(data, family)
        copy(data + family, out + to, size, size + 8)
        to += size
    else:
        old = before + 8 + be32(data, before) - TIME_AND_TYPE
        common = _common(data, before, cell, 0)
        if be32(data, before) == len_key:
            flag |= 1
            key_size = -1
        if be32(data, before + 4) == len_value:
            flag |= 2
            value_size = -1
        if byte(data, old + 8) == byte(data, last + 8):
            flag |= 4
        # Unsigned words wrap around, as Java's do; compilers assume that signed ones do not
        # overflow.
        step = int(np.int64(np.uint64(np.int64(be64(data, old))) - np.uint64(np.int64(time))))
        size = -step if step < 0 else step
        if _width(size) < width:
            flag |= 8
            sign = 128 if step < 0 else 0
            moment, width = size, _width(size)
    put_byte(out, to, flag | sign | ((width - 1) << 4))
    to = _put_lengths(out, to + 1, key_size, value_size, common)
    to = _names(data, cell, common, out, to)
    put_le64(out, to, moment)  # surplus bytes are overwritten later
    to += width
    if not flag & 4:
        put_byte(out, to, byte(data, last + 8))
        to += 1
    copy(data + last + TIME_AND_TYPE, out + to, len_value, len_value + 8)
    return to + len_value


@kernel
def _fast_diff(data: int, before: int, cell: int, out: int, to: int) -> int:
    """Put key and value of a cell in FAST_DIFF; return the offset after them."""
    len_key, len_value = be32(data, cell), be32(data, cell + 4)
    if before < 0:
        put_byte(out, to, 0)
        to = _put_lengths(out, to + 1, len_key, len_value, 0)
        copy(data + cell + 8, out + to, len_key + len_value, len_key + len_value + 8)
        return to + len_key + len_value
    last = cell + 8 + len_key - TIME_AND_TYPE
    old = before + 8 + be32(data, before) - TIME_AND_TYPE
    common = _common(data, before, cell, 0)
    same_time = _shared(data, old, last, 7)
    flag = same_time
    key_size, value_size = len_key, len_value
    if be32(data, before) == len_key:
        flag |= 8
        key_size = -1
    if be32(data, before + 4) == len_value:
        flag |= 16
        value_size = -1
        value, old_value = last + TIME_AND_TYPE, old + TIME_AND_TYPE
        if _shared(data, old_value, value, len_value) == len_value:
            flag |= 64
    if byte(data, old + 8) == byte(data, last + 8):
        flag |= 32
    put_byte(out, to, flag)
    to = _put_lengths(out, to + 1, key_size, value_size, common)
    to = _names(data, cell, common, out, to)
    copy(data + last + same_time, out + to, 8 - same_time, 8 - same_time + 8)
    to += 8 - same_time
    if not flag & 32:
        put_byte(out, to, byte(data, last + 8))
        to += 1
    if not flag & 64:
        copy(data + last + TIME_AND_TYPE, out + to, len_value, len_value + 8)
        to += len_value
    return to


@kernel
def _hash(data: int, at: int, size: int) -> int:
    value = size
    for i in range(size):
        value = (value * 31 + byte(data, at + i)) & 0xFFFFFFFF
    return value


@kernel
def _put_tag(
    data: int,
    at: int,
    size: int,
    out: int,
    to: int,
    places: np.ndarray,
    hashes: np.ndarray,
    clock: int,
) -> int:
    """Put a tag by its number in the dictionary, or else its bytes, and add it to the dictionary.

    places  for each number, the offset and size of its tag, and when it was used; after them, the
            number of tags in the dictionary
    """
    kept = places[KEPT, 0]
    mark = _hash(data, at, size)
    for slot in range(kept):
        same = hashes[slot] == mark and places[slot, 1] == size
        if same and _shared(data, places[slot, 0], at, size) == size:
            places[slot, 2] = clock
            put_be16(out, to, slot)
            return to + 2
    slot = kept
    if kept < KEPT:
        places[KEPT, 0] = kept + 1
    else:
        slot = 0
        for other in range(1, kept):
            if places[other, 2] < places[slot, 2]:
                slot = other
    places[slot, 0], places[slot, 1], places[slot, 2] = at, size, clock
    hashes[slot] = mark
    put_byte(out, to, 255)
    to = put_uleb128(out, to + 1, size)
    copy(data + at, out + to, size, size + 8)
    return to + size


@kernel
def encode(
    cells: np.ndarray,
    starts: np.ndarray,
    shared: np.ndarray,
    first: int,
    count: int,
    is_last: bool,
    encoding: int,
    has_tags: bool,
    is_packed: bool,
    limits: np.ndarray,
    encoded: np.ndarray,
) -> tuple[int, int]:
    """Encode the block that begins with cell *first*; return the next cell, and the size.

    is_last    no cells follow these, so the block ends with them at the latest
    is_packed  tags are written with a dictionary
    limits     as in `byteloom.hfile.writing.blocks`
    returns    -1 as the cell if the block does not end yet
    """
    places = np.zeros((KEPT + 1 if is_packed else 1, 3), np.int64)
    hashes = np.empty(KEPT if is_packed else 1, np.int64)
    data, out = cells.ctypes.data, encoded.ctypes.data
    put_be16(out, 0, encoding)
    to, before, clock = 6, -1, 0
    for i in range(first, count):
        cell, end = starts[i], starts[i + 1]
        plain, size = cell - starts[first], to - 6
        is_full = (plain >= limits[0] or size >= limits[1]) and size >= limits[2]
        if is_full and i > first and shared[i] < SAME_KEY:
            put_be32(out, 2, plain)
            return i, to
        if encoding == PREFIX:
            to = _prefix(data, before, cell, out, to)
        elif encoding == DIFF:
            to = _diff(data, before, cell, out, to)
        else:
            to = _fast_diff(data, before, cell, out, to)
        before = cell
        at = cell + 8 + be32(data, cell) + be32(data, cell + 4)
        if has_tags:
            size = be16(data, at)
            at += 2
            to = put_uleb128(out, to, size)
            stop = at + size
            if is_packed:
                while at < stop:
                    size = be16(data, at)
                    clock += 1
                    to = _put_tag(data, at + 2, size, out, to, places, hashes, clock)
                    at += 2 + size
            else:
                copy(data + at, out + to, size, size + 8)
                to += size
            at = stop
        copy(data + at, out + to, end - at, end - at + 8)
        to += end - at
    if not is_last:
        return -1, 0
    put_be32(out, 2, starts[count] - starts[first])
    return count, to


@kernel
def index_rows(
    starts: np.ndarray, shared: np.ndarray, first: int, end: int, index: np.ndarray
) -> int:
    """Write the index after the cells of a ROW_INDEX_V1 block to *index*; return its size."""
    out, rows = index.ctypes.data, 0
    for i in range(first, end):
        if i == first or shared[i] < SAME_ROW:
            put_be32(out, 4 + 4 * rows, starts[i] - starts[first])
            rows += 1
    put_be32(out, 0, rows)
    put_be32(out, 4 + 4 * rows, starts[end] - starts[first])
    return 8 + 4 * rows
