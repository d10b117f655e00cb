# Written by byteloom-codegen from specs/hfile/cell.ksy; do not edit.
# To change it, edit that file and generate again.
"""Scanners of `cell`: repeated records as Arrow columns."""

from __future__ import annotations

from typing import Any

from byteloom.columns.byte_runs import compare, put_view
from byteloom.columns.puts import SLACK, Put, rows_put
from byteloom.columns.walks import Out, Walk, bytes_walked
from byteloom.native.integers import hadoop_at, put_hadoop
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
    put_be64,
    put_byte,
    put_le64,
)
from byteloom.wire import Reader

from .cell import Cell, Columns, Key, Tags

__all__ = ["CELLS", "PUT_CELLS"]


@kernel(work=bytes_walked)
def _walk_cells(
    data: Any,
    ranges: Any,
    counts: Any,
    state: Any,
    room: int,
    has_columns: int,
    has_tags: int,
    has_mvcc: int,
    is_mvcc_wide: int,
    to_row: Any,
    to_family: Any,
    to_qualifier: Any,
    to_timestamp: Any,
    to_type: Any,
    to_value: Any,
    to_tags: Any,
    to_mvcc: Any,
    to_place: Any,
) -> tuple[int, int, int, int]:
    """Fill the columns; return how it ended: code, range, row and place."""
    base, total = data.ctypes.data, len(data)
    out_row = to_row.ctypes.data if len(to_row) else 0
    out_family = to_family.ctypes.data if len(to_family) else 0
    out_qualifier = to_qualifier.ctypes.data if len(to_qualifier) else 0
    out_timestamp = to_timestamp.ctypes.data if len(to_timestamp) else 0
    out_type = to_type.ctypes.data if len(to_type) else 0
    out_value = to_value.ctypes.data if len(to_value) else 0
    out_tags = to_tags.ctypes.data if len(to_tags) else 0
    out_mvcc = to_mvcc.ctypes.data if len(to_mvcc) else 0
    out_place = to_place.ctypes.data if len(to_place) else 0
    first = int(state[0])
    row = int(state[1])
    begin = int(state[2])
    disorder = int(state[3])
    last_row_at = int(state[4])
    last_row_size = int(state[5])
    last_family_at = int(state[6])
    last_family_size = int(state[7])
    last_qualifier_at = int(state[8])
    last_qualifier_size = int(state[9])
    last_timestamp = int(state[10])
    last_type_ = int(state[11])
    for part in range(first, len(ranges)):
        start, end = int(ranges[part, 0]), int(ranges[part, 1])
        at = place = begin if part == first else start
        while at < end:
            place = at
            if row == room:
                state[3] = disorder
                state[4] = last_row_at
                state[5] = last_row_size
                state[6] = last_family_at
                state[7] = last_family_size
                state[8] = last_qualifier_at
                state[9] = last_qualifier_size
                state[10] = last_timestamp
                state[11] = last_type_
                return 2, part, row, place
            if out_place:
                put_le64(out_place, 8 * row, place)
            if end - at < 8:
                return 1, part, row, place
            len_key = be32(base, at)
            if len_key < 2:
                return 1, part, row, place
            len_value = be32(base, at + 4)
            if len_value < 0:
                return 1, part, row, place
            at += 8
            key_size = len_key
            if key_size > end - at:
                return 1, part, row, place
            key_at = at
            key_end = at + key_size
            len_row = be16(base, at)
            if len_row < (0 if has_columns else key_end - key_at - 2):
                return 1, part, row, place
            if len_row > 32767:
                return 1, part, row, place
            at += 2
            row_size = len_row
            if row_size > key_end - at:
                return 1, part, row, place
            row_at = at
            if out_row:
                put_view(out_row, row, base, total, row_at, row_size)
            at += row_size
            if has_columns:
                if key_end - at < 10:
                    return 1, part, row, place
                len_family = byte(base, at)
                if len_family > 127:
                    return 1, part, row, place
                at += 1
                family_size = len_family
                if family_size > key_end - at - 9:
                    return 1, part, row, place
                family_at = at
                if out_family:
                    put_view(out_family, row, base, total, family_at, family_size)
                at += family_size
                qualifier_size = key_end - at - 9
                qualifier_at = at
                if out_qualifier:
                    put_view(
                        out_qualifier, row, base, total, qualifier_at, qualifier_size
                    )
                at += qualifier_size
                timestamp = be64(base, at)
                if out_timestamp:
                    put_le64(out_timestamp, 8 * row, timestamp)
                type_ = byte(base, at + 8)
                if (
                    type_ != 4
                    and type_ != 0
                    and type_ != 8
                    and type_ != 10
                    and type_ != 12
                    and type_ != 14
                    and type_ != 255
                ):
                    return 1, part, row, place
                if out_type:
                    put_byte(out_type, row, type_)
                at += 9
            else:
                family_at = 0
                family_size = 0
                qualifier_at = 0
                qualifier_size = 0
                timestamp = 9223372036854775807
                type_ = 4
                if out_family:
                    put_view(out_family, row, base, total, 0, 0)
                if out_qualifier:
                    put_view(out_qualifier, row, base, total, 0, 0)
                if out_timestamp:
                    put_le64(out_timestamp, 8 * row, 9223372036854775807)
                if out_type:
                    put_byte(out_type, row, 4)
            at = key_end
            value_size = len_value
            if value_size > end - at:
                return 1, part, row, place
            value_at = at
            if out_value:
                put_view(out_value, row, base, total, value_at, value_size)
            at += value_size
            if has_tags:
                if end - at < 2:
                    return 1, part, row, place
                len_tags = be16(base, at)
                at += 2
                tags_size = len_tags
                if tags_size > end - at:
                    return 1, part, row, place
                tags_at = at
                if out_tags:
                    put_view(out_tags, row, base, total, tags_at, tags_size)
                tags_end = at + tags_size
                while at < tags_end:
                    if tags_end - at < 3:
                        return 1, part, row, place
                    len_tag = be16(base, at)
                    if len_tag < 1:
                        return 1, part, row, place
                    at += 3
                    value_size_2 = len_tag - 1
                    if value_size_2 > tags_end - at:
                        return 1, part, row, place
                    at += value_size_2
                at = tags_end
            elif out_tags:
                put_view(out_tags, row, base, total, 0, 0)
            if has_mvcc and is_mvcc_wide:
                mvcc, at = hadoop_at(base, at, end)
                if at < 0:
                    return 1, part, row, place
                if out_mvcc:
                    put_le64(out_mvcc, 8 * row, mvcc)
            elif out_mvcc:
                put_le64(out_mvcc, 8 * row, 0)
            if has_mvcc and not is_mvcc_wide:
                if end - at < 1:
                    return 1, part, row, place
                no_mvcc = byte(base, at)
                if no_mvcc != 0:
                    return 1, part, row, place
                at += 1
            if row and disorder < 0:
                order = compare(base, last_row_at, last_row_size, row_at, row_size)
                if order == 0:
                    order = int(
                        last_family_size + last_qualifier_size + last_type_ == 0
                    ) - int(family_size + qualifier_size + type_ == 0)
                    if order == 0:
                        order = compare(
                            base,
                            last_family_at,
                            last_family_size,
                            family_at,
                            family_size,
                        )
                        if order == 0:
                            order = compare(
                                base,
                                last_qualifier_at,
                                last_qualifier_size,
                                qualifier_at,
                                qualifier_size,
                            )
                            if order == 0:
                                order = (timestamp > last_timestamp) - (
                                    timestamp < last_timestamp
                                )
                                if order == 0:
                                    order = (type_ > last_type_) - (type_ < last_type_)
                if order > 0:
                    disorder = row
            last_row_at = row_at
            last_row_size = row_size
            last_family_at = family_at
            last_family_size = family_size
            last_qualifier_at = qualifier_at
            last_qualifier_size = qualifier_size
            last_timestamp = timestamp
            last_type_ = type_
            row += 1
        counts[part, 0], counts[part, 1] = row, place
    state[3] = disorder
    state[4] = last_row_at
    state[5] = last_row_size
    state[6] = last_family_at
    state[7] = last_family_size
    state[8] = last_qualifier_at
    state[9] = last_qualifier_size
    state[10] = last_timestamp
    state[11] = last_type_
    return 0, len(ranges), row, 0


def _take_cells(
    r: Reader, *, has_columns: int, has_tags: int, has_mvcc: int, is_mvcc_wide: int
) -> Cell:
    """Read one record with its class."""
    return r.record(
        "cells",
        Cell.read,
        (bool(has_columns), bool(has_tags), bool(has_mvcc), bool(is_mvcc_wide)),
    )


CELLS = Walk(
    name="cells",
    fill=_walk_cells,
    parameters=("has_columns", "has_tags", "has_mvcc", "is_mvcc_wide"),
    columns=(
        Out("row", "view"),
        Out("family", "view"),
        Out("qualifier", "view"),
        Out("timestamp", "i8", 9223372036854775807),
        Out("type", "u1", 4),
        Out("value", "view"),
        Out("tags", "view"),
        Out("mvcc", "i8"),
        Out("place", "i8"),
    ),
    remembered=8,
    take=_take_cells,
)


@kernel(work=rows_put)
def _put_cells(
    data: Any,
    starts: Any,
    shared: Any,
    state: Any,
    first: int,
    end: int,
    has_columns: int,
    has_tags: int,
    has_mvcc: int,
    is_mvcc_wide: int,
    of_row: Any,
    ends_of_row: Any,
    of_family: Any,
    ends_of_family: Any,
    of_qualifier: Any,
    ends_of_qualifier: Any,
    of_timestamp: Any,
    of_type: Any,
    of_value: Any,
    ends_of_value: Any,
    of_tags: Any,
    ends_of_tags: Any,
    of_mvcc: Any,
) -> tuple[int, int, int]:
    """Put records; return how it ended: code, next row, and how many there are."""
    base, room = data.ctypes.data, len(data) - SLACK
    from_row = of_row.ctypes.data
    room_row = len(of_row)
    ends_row = ends_of_row.ctypes.data
    from_family = of_family.ctypes.data
    room_family = len(of_family)
    ends_family = ends_of_family.ctypes.data
    from_qualifier = of_qualifier.ctypes.data
    room_qualifier = len(of_qualifier)
    ends_qualifier = ends_of_qualifier.ctypes.data
    from_timestamp = of_timestamp.ctypes.data
    from_type = of_type.ctypes.data
    from_value = of_value.ctypes.data
    room_value = len(of_value)
    ends_value = ends_of_value.ctypes.data
    from_tags = of_tags.ctypes.data
    room_tags = len(of_tags)
    ends_tags = ends_of_tags.ctypes.data
    from_mvcc = of_mvcc.ctypes.data
    row, count, disorder = first, int(state[0]), int(state[1])
    at = int(starts[count])
    before = int(starts[count - 1]) if count else 0
    last_row_at = before + int(state[2])
    last_row_size = int(state[3])
    last_family_at = before + int(state[4])
    last_family_size = int(state[5])
    last_qualifier_at = before + int(state[6])
    last_qualifier_size = int(state[7])
    last_timestamp = int(state[8])
    last_type_ = int(state[9])
    code = 0
    while row < end:
        row_from = le64(ends_row, 8 * row)
        row_size = le64(ends_row, 8 * row + 8) - row_from
        family_from = le64(ends_family, 8 * row)
        family_size = le64(ends_family, 8 * row + 8) - family_from
        qualifier_from = le64(ends_qualifier, 8 * row)
        qualifier_size = le64(ends_qualifier, 8 * row + 8) - qualifier_from
        timestamp = le64(from_timestamp, 8 * row)
        type_ = byte(from_type, row)
        value_from = le64(ends_value, 8 * row)
        value_size = le64(ends_value, 8 * row + 8) - value_from
        tags_from = le64(ends_tags, 8 * row)
        tags_size = le64(ends_tags, 8 * row + 8) - tags_from
        mvcc = le64(from_mvcc, 8 * row)
        columns_part = 10 + family_size + qualifier_size if has_columns else 0
        key_size = 2 + row_size + columns_part
        len_tags_part = 2 + tags_size if has_tags else 0
        no_mvcc_part = 1 if has_mvcc and not is_mvcc_wide else 0
        if key_size > 2147483647:
            return 1, row, count
        if key_size < 2:
            return 1, row, count
        if value_size > 2147483647:
            return 1, row, count
        if value_size < 0:
            return 1, row, count
        if row_size < (0 if has_columns else key_size - 2):
            return 1, row, count
        if row_size > 32767:
            return 1, row, count
        if has_columns:
            if family_size > 127:
                return 1, row, count
            if (
                type_ != 4
                and type_ != 0
                and type_ != 8
                and type_ != 10
                and type_ != 12
                and type_ != 14
                and type_ != 255
            ):
                return 1, row, count
        elif (
            family_size != 0
            or qualifier_size != 0
            or timestamp != 9223372036854775807
            or type_ != 4
        ):
            return 1, row, count
        if has_tags:
            if tags_size > 65535:
                return 1, row, count
        elif tags_size != 0:
            return 1, row, count
        if not (has_mvcc and is_mvcc_wide) and mvcc != 0:
            return 1, row, count
        need = 17 + key_size + value_size + len_tags_part + no_mvcc_part
        if need > room - at or count + 2 > len(starts):
            code = 2
            break
        place = at
        put_be32(base, at, key_size)
        put_be32(base, at + 4, value_size)
        put_be16(base, at + 8, row_size)
        at += 10
        row_at = at
        copy(from_row + row_from, base + at, row_size, room_row - row_from)
        at += row_size
        if has_columns:
            put_byte(base, at, family_size)
            at += 1
            family_at = at
            copy(
                from_family + family_from,
                base + at,
                family_size,
                room_family - family_from,
            )
            at += family_size
            qualifier_at = at
            copy(
                from_qualifier + qualifier_from,
                base + at,
                qualifier_size,
                room_qualifier - qualifier_from,
            )
            at += qualifier_size
            put_be64(base, at, timestamp)
            put_byte(base, at + 8, type_)
            at += 9
        else:
            family_at = at
            qualifier_at = at
        copy(from_value + value_from, base + at, value_size, room_value - value_from)
        at += value_size
        if has_tags:
            put_be16(base, at, tags_size)
            at += 2
            copy(from_tags + tags_from, base + at, tags_size, room_tags - tags_from)
            at += tags_size
            tags_end = at
            at -= tags_size
            while at < tags_end:
                if tags_end - at < 3:
                    return 1, row, count
                len_tag = be16(base, at)
                if len_tag < 1:
                    return 1, row, count
                at += 3
                value_size_2 = len_tag - 1
                if value_size_2 > tags_end - at:
                    return 1, row, count
                at += value_size_2
            at = tags_end
        if has_mvcc and is_mvcc_wide:
            at = put_hadoop(base, at, mvcc)
        if has_mvcc and not is_mvcc_wide:
            put_byte(base, at, 0)
            at += 1
        rank = 0
        if count:
            order = compare(base, last_row_at, last_row_size, row_at, row_size)
            if order == 0:
                rank = 1
                order = int(
                    last_family_size + last_qualifier_size + last_type_ == 0
                ) - int(family_size + qualifier_size + type_ == 0)
                if order == 0:
                    rank = 2
                    order = compare(
                        base, last_family_at, last_family_size, family_at, family_size
                    )
                    if order == 0:
                        rank = 3
                        order = compare(
                            base,
                            last_qualifier_at,
                            last_qualifier_size,
                            qualifier_at,
                            qualifier_size,
                        )
                        if order == 0:
                            rank = 4
                            order = (timestamp > last_timestamp) - (
                                timestamp < last_timestamp
                            )
                            if order == 0:
                                rank = 5
                                order = (type_ > last_type_) - (type_ < last_type_)
                                if order == 0:
                                    rank = 6
            if order > 0 and disorder < 0:
                disorder = count
        last_row_at = row_at
        last_row_size = row_size
        last_family_at = family_at
        last_family_size = family_size
        last_qualifier_at = qualifier_at
        last_qualifier_size = qualifier_size
        last_timestamp = timestamp
        last_type_ = type_
        shared[count] = rank
        before = place
        count += 1
        starts[count] = at
        row += 1
    state[0], state[1] = count, disorder
    state[2] = last_row_at - before
    state[3] = last_row_size
    state[4] = last_family_at - before
    state[5] = last_family_size
    state[6] = last_qualifier_at - before
    state[7] = last_qualifier_size
    state[8] = last_timestamp
    state[9] = last_type_
    return code, row, count


def _make_cells(
    row: bytes,
    family: bytes,
    qualifier: bytes,
    timestamp: int,
    type_: int,
    value: bytes,
    tags: bytes,
    mvcc: int,
    *,
    has_columns: int,
    has_tags: int,
    has_mvcc: int,
    is_mvcc_wide: int,
) -> Cell:
    """Make the record of one row."""
    return Cell(
        has_columns=bool(has_columns),
        has_tags=bool(has_tags),
        has_mvcc=bool(has_mvcc),
        is_mvcc_wide=bool(is_mvcc_wide),
        key=Key(
            has_columns=bool(has_columns),
            row=row,
            columns=Columns(
                family=family, qualifier=qualifier, timestamp=timestamp, type=type_
            )
            if has_columns
            or family
            or qualifier
            or timestamp != 9223372036854775807
            or type_ != 4
            else None,
        ),
        value=value,
        tags=Reader(tags).whole("tags", Tags.read) if has_tags or tags else None,
        mvcc=mvcc if (has_mvcc and is_mvcc_wide) or mvcc else None,
        no_mvcc=0 if (has_mvcc and not is_mvcc_wide) else None,
    )


PUT_CELLS = Put(
    name="cells",
    fill=_put_cells,
    parameters=("has_columns", "has_tags", "has_mvcc", "is_mvcc_wide"),
    columns=(
        Out("row", "view"),
        Out("family", "view"),
        Out("qualifier", "view"),
        Out("timestamp", "i8", 9223372036854775807),
        Out("type", "u1", 4),
        Out("value", "view"),
        Out("tags", "view"),
        Out("mvcc", "i8"),
    ),
    remembered=8,
    make=_make_cells,
    ranks=6,
)
