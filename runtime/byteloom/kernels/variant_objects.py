"""Reassemble objects of variants from shredded fields and the fields left in a value.

- A run is an offset and a size in some buffer; a size of -1 means that the value is missing.
- Sizes are filled in first, so that the caller can allocate the output; then the bytes.
- Sizes and offsets in a buffer are checked against its end.  An error is returned as a row and one
  of `ABSENT`, `NO_OBJECT` and `DAMAGED`; a row of -1 means that there is none.

Source: Apache Parquet, "Variant Binary Encoding" and "Variant Shredding".
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from byteloom.kernels.variants import copied, le, put_le, width_of
from byteloom.native.kernel import kernel

__all__ = ["ABSENT", "DAMAGED", "NO_OBJECT", "find_names", "object_sizes", "put_objects"]

word: Any = np.int64

ABSENT, NO_OBJECT, DAMAGED = 1, 2, 3

_SHORT_TEXT, _OBJECT = 1, 2
_COUNTED: Final = -1
_SIZES: Final = np.array(
    [0, 0, 0, 1, 2, 4, 8, 8, 5, 9, 17, 4, 8, 8, 4, -1, -1, 8, 8, 8, 16], np.int64
)
"""Bytes after the header of each primitive type; `_COUNTED` if four bytes give their number."""


@kernel
def _entry(meta: np.ndarray, start: int, end: int, number: int) -> tuple[int, int]:
    """Return the offset and the size of a name in the metadata; a size of -1 if there is none."""
    if end - start < 1 or meta[start] & 0xF != 1:
        return 0, -1
    width = word(meta[start] >> 6) + 1
    if start + 1 + width > end:
        return 0, -1
    count = le(meta, start + 1, width)
    first = start + 1 + width
    names = first + (count + 1) * width
    if number < 0 or number >= count or names > end:
        return 0, -1
    low = le(meta, first + number * width, width)
    high = le(meta, first + (number + 1) * width, width)
    if low > high or names + high > end:
        return 0, -1
    return names + low, high - low


@kernel
def _order(a: np.ndarray, at: int, size: int, b: np.ndarray, place: int, length: int) -> int:
    """Compare two runs of bytes: -1, 0 or 1."""
    for i in range(min(size, length)):
        if a[at + i] != b[place + i]:
            return -1 if a[at + i] < b[place + i] else 1
    if size == length:
        return 0
    return -1 if size < length else 1


@kernel
def find_names(
    meta: np.ndarray,
    places: np.ndarray,
    sizes: np.ndarray,
    names: np.ndarray,
    name_offsets: np.ndarray,
    ids: np.ndarray,
    counts: np.ndarray,
) -> tuple[int, int]:
    """Fill in the indexes of names in each metadata, -1 for none, and the number of its names."""
    for i in range(len(places)):
        start, end = places[i], places[i] + sizes[i]
        width = word(meta[start] >> 6) + 1 if sizes[i] > 0 else word(0)
        if sizes[i] < 1 + 2 * width or meta[start] & 0xF != 1:
            return i, DAMAGED
        counts[i] = le(meta, start + 1, width)
        if 1 + (counts[i] + 2) * width > sizes[i]:
            return i, DAMAGED
        ids[i, :] = -1
        for number in range(counts[i]):
            place, size = _entry(meta, start, end, number)
            if size < 0:
                return i, DAMAGED
            for j in range(ids.shape[1]):
                low, high = name_offsets[j], name_offsets[j + 1]
                if ids[i, j] < 0 and not _order(meta, place, size, names, low, high - low):
                    ids[i, j] = number
    return -1, 0


@kernel
def _value_size(data: np.ndarray, at: int, end: int) -> int:
    """Return the size of a value; -1 if it extends past the end."""
    if at >= end:
        return -1
    kind, header = data[at] & 3, word(data[at] >> 2)
    size = 1
    if kind == 0:
        if header >= len(_SIZES):
            return -1
        size += _SIZES[header]
        if _SIZES[header] == _COUNTED:
            if at + 5 > end:
                return -1
            size = 5 + le(data, at + 1, 4)
    elif kind == _SHORT_TEXT:
        size += header
    else:
        is_object = kind == _OBJECT
        is_large = (header >> 4) & 1 if is_object else (header >> 2) & 1
        counted, width = 4 if is_large else 1, (header & 3) + 1
        ids = ((header >> 2) & 3) + 1 if is_object else 0
        if at + 1 + counted > end:
            return -1
        count = le(data, at + 1, counted)
        size += counted + count * ids + (count + 1) * width
        if at + size > end:
            return -1
        size += le(data, at + size - width, width)
    return size if at + size <= end else -1


@kernel
def _fields(data: np.ndarray, at: int, size: int) -> int:
    """Return the number of fields of an object; minus a code if it is not an object, or damaged."""
    if size < 1 or data[at] & 3 != _OBJECT:
        return -NO_OBJECT
    if _value_size(data, at, at + size) < 0:
        return -DAMAGED
    return le(data, at + 1, 4 if data[at] & 0x40 else 1)


@kernel
def _merged(
    ids: np.ndarray,
    places: np.ndarray,
    sizes: np.ndarray,
    names: np.ndarray,
    name_offsets: np.ndarray,
    meta: np.ndarray,
    start: int,
    end: int,
    rest: np.ndarray,
    at: int,
    size: int,
    out: np.ndarray,
) -> int:
    """Fill in name index, source (1: the rest), offset and size of an object's fields, by name.

    ids, places, sizes  of the shredded fields, sorted by name
    start, end          of the metadata
    at, size            of the object with the other fields; a size of -1 if there is none
    returns             the number of fields; minus a code for an error
    """
    count, left, wide, width, first, begin = 0, 0, 1, 1, 0, 0
    if size >= 0:
        left = _fields(rest, at, size)
        if left < 0:
            return left
        wide, width = (word(rest[at] >> 4) & 3) + 1, (word(rest[at] >> 2) & 3) + 1
        first = at + (5 if rest[at] & 0x40 else 2)
        begin = first + left * wide + (left + 1) * width
    j = k = total = 0
    while j < len(ids) or k < left:
        order, number, place, length = -1, 0, 0, 0
        if k < left:
            number = le(rest, first + k * wide, wide)
            place, length = _entry(meta, start, end, number)
            if length < 0:
                return -DAMAGED
            order = 1
            if j < len(ids):
                low, high = name_offsets[j], name_offsets[j + 1]
                order = _order(names, low, high - low, meta, place, length)
        if order > 0:
            offset = begin + le(rest, first + left * wide + k * width, width)
            held = _value_size(rest, offset, at + size)
            total += held
            # Fields do not overlap, so together they are no longer than the object.
            if held < 0 or total > size:
                return -DAMAGED
            out[count, 0], out[count, 1], out[count, 2], out[count, 3] = number, 1, offset, held
            count, k = count + 1, k + 1
            continue
        if sizes[j] >= 0:
            if ids[j] < 0:
                return -ABSENT
            out[count, 0], out[count, 1] = ids[j], 0
            out[count, 2], out[count, 3] = places[j], sizes[j]
            count += 1
        # A shredded field that the rest also has is not taken from there.
        j, k = j + 1, k + int(order == 0)
    return count


@kernel
def object_sizes(
    valid: np.ndarray,
    codes: np.ndarray,
    ids: np.ndarray,
    counts: np.ndarray,
    places: np.ndarray,
    sizes: np.ndarray,
    names: np.ndarray,
    name_offsets: np.ndarray,
    meta: np.ndarray,
    meta_places: np.ndarray,
    meta_sizes: np.ndarray,
    rest: np.ndarray,
    rest_places: np.ndarray,
    rest_sizes: np.ndarray,
    out: np.ndarray,
) -> tuple[int, int]:
    """Fill in the sizes of objects.

    valid         which rows are objects
    codes         the metadata of each row
    ids, counts   for each metadata, as filled in by `find_names`
    places, sizes int64[row, field], of the shredded fields, sorted by name
    rest          the objects with the other fields
    """
    for i in range(len(valid)):
        if not valid[i]:
            out[i] = -1
            continue
        code = codes[i]
        more = 0
        if rest_sizes[i] >= 0:
            more = _fields(rest, rest_places[i], rest_sizes[i])
            if more < 0:
                return i, -more
        held = np.empty((ids.shape[1] + more, 4), np.int64)
        end = meta_places[code] + meta_sizes[code]
        count = _merged(
            ids[code], places[i], sizes[i], names, name_offsets, meta, meta_places[code], end,
            rest, rest_places[i], rest_sizes[i], held,
        )  # fmt: skip
        if count < 0:
            return i, -count
        total = held[:count, 3].sum()
        wide = width_of(counts[code])
        head = 1 + (4 if count > 0xFF else 1)
        out[i] = head + count * wide + (count + 1) * width_of(total) + total
    return -1, 0


@kernel
def put_objects(
    valid: np.ndarray,
    codes: np.ndarray,
    ids: np.ndarray,
    counts: np.ndarray,
    data: np.ndarray,
    places: np.ndarray,
    sizes: np.ndarray,
    names: np.ndarray,
    name_offsets: np.ndarray,
    meta: np.ndarray,
    meta_places: np.ndarray,
    meta_sizes: np.ndarray,
    rest: np.ndarray,
    rest_places: np.ndarray,
    rest_sizes: np.ndarray,
    out: np.ndarray,
    starts: np.ndarray,
) -> None:
    """Write objects at their *starts*; *data* has the shredded fields."""
    for i in range(len(valid)):
        if not valid[i]:
            continue
        code = codes[i]
        more = _fields(rest, rest_places[i], rest_sizes[i]) if rest_sizes[i] >= 0 else 0
        held = np.empty((ids.shape[1] + more, 4), np.int64)
        end = meta_places[code] + meta_sizes[code]
        count = _merged(
            ids[code], places[i], sizes[i], names, name_offsets, meta, meta_places[code], end,
            rest, rest_places[i], rest_sizes[i], held,
        )  # fmt: skip
        total = held[:count, 3].sum()
        wide, width, at = width_of(counts[code]), width_of(total), starts[i]
        is_large = count > 0xFF
        out[at] = (int(is_large) << 4 | (wide - 1) << 2 | (width - 1)) << 2 | _OBJECT
        put_le(out, at + 1, 4 if is_large else 1, count)
        at += 5 if is_large else 2
        offsets, filled = at + count * wide, 0
        begin = offsets + (count + 1) * width
        for j in range(count):
            put_le(out, at + j * wide, wide, held[j, 0])
            put_le(out, offsets + j * width, width, filled)
            source = rest if held[j, 1] else data
            copied(source, held[j, 2], held[j, 3], out, begin + filled)
            filled += held[j, 3]
        put_le(out, offsets + count * width, width, filled)
