# Written by byteloom-codegen from specs/lance/chunks.ksy; do not edit.
# To change it, edit that file and generate again.
"""Scanners of `chunks`: repeated records as Arrow columns."""

from __future__ import annotations

from typing import Any

from byteloom.columns.puts import SLACK, Put, rows_put
from byteloom.columns.walks import Out, Walk, bytes_walked
from byteloom.native.kernel import kernel
from byteloom.native.loads import (
    byte,
    le16,
    le32,
    le64,
    put_byte,
    put_le16,
    put_le32,
    put_le64,
)
from byteloom.wire import Reader

from .chunks import Chunk, ChunkHead, EarlyChunk, LargeWord, SmallWord

__all__ = [
    "CHUNKS",
    "EARLY_CHUNKS",
    "LARGE_WORDS",
    "PUT_CHUNK_HEADS",
    "PUT_LARGE_WORDS",
    "PUT_SMALL_WORDS",
    "SMALL_WORDS",
]


@kernel(work=bytes_walked)
def _walk_small_words(
    data: Any,
    ranges: Any,
    counts: Any,
    state: Any,
    room: int,
    to_log_num_values: Any,
    to_num_values: Any,
    to_len_chunk: Any,
    to_place: Any,
) -> tuple[int, int, int, int]:
    """Fill the columns; return how it ended: code, range, row and place."""
    base = data.ctypes.data
    out_log_num_values = to_log_num_values.ctypes.data if len(to_log_num_values) else 0
    out_num_values = to_num_values.ctypes.data if len(to_num_values) else 0
    out_len_chunk = to_len_chunk.ctypes.data if len(to_len_chunk) else 0
    out_place = to_place.ctypes.data if len(to_place) else 0
    first = int(state[0])
    row = int(state[1])
    begin = int(state[2])
    disorder = int(state[3])
    for part in range(first, len(ranges)):
        start, end = int(ranges[part, 0]), int(ranges[part, 1])
        at = place = begin if part == first else start
        while at < end:
            place = at
            if row == room:
                state[3] = disorder
                return 2, part, row, place
            if out_place:
                put_le64(out_place, 8 * row, place)
            if end - at < 2:
                return 1, part, row, place
            log_num_values = byte(base, at) & 0xF
            if out_log_num_values:
                put_byte(out_log_num_values, row, log_num_values)
            len_chunk_words = le16(base, at) >> 4 & 0xFFF
            at += 2
            if out_num_values:
                put_le64(out_num_values, 8 * row, 1 << log_num_values)
            if out_len_chunk:
                put_le64(out_len_chunk, 8 * row, 8 * (len_chunk_words + 1))
            row += 1
        counts[part, 0], counts[part, 1] = row, place
    state[3] = disorder
    return 0, len(ranges), row, 0


def _take_small_words(r: Reader) -> SmallWord:
    """Read one record with its class."""
    return r.record("small_words", SmallWord.read)


SMALL_WORDS = Walk(
    name="small_words",
    fill=_walk_small_words,
    parameters=(),
    columns=(
        Out("log_num_values", "u1"),
        Out("num_values", "i8"),
        Out("len_chunk", "i8"),
        Out("place", "i8"),
    ),
    remembered=0,
    take=_take_small_words,
)


@kernel(work=rows_put)
def _put_small_words(
    data: Any,
    starts: Any,
    shared: Any,
    state: Any,
    first: int,
    end: int,
    of_log_num_values: Any,
    of_len_chunk: Any,
) -> tuple[int, int, int]:
    """Put records; return how it ended: code, next row, and how many there are."""
    base, room = data.ctypes.data, len(data) - SLACK
    from_log_num_values = of_log_num_values.ctypes.data
    from_len_chunk = of_len_chunk.ctypes.data
    row, count, disorder = first, int(state[0]), int(state[1])
    at = int(starts[count])
    code = 0
    while row < end:
        log_num_values = byte(from_log_num_values, row)
        len_chunk = le64(from_len_chunk, 8 * row)
        len_chunk_words = len_chunk // 8 - 1
        if log_num_values > 15:
            return 1, row, count
        if len_chunk % 8 != 0:
            return 1, row, count
        if len_chunk_words < 0:
            return 1, row, count
        if len_chunk_words > 4095:
            return 1, row, count
        need = 2
        if need > room - at or count + 2 > len(starts):
            code = 2
            break
        put_byte(base, at, log_num_values | ((len_chunk_words & 15) << 4))
        put_byte(base, at + 1, len_chunk_words >> 4 & 255)
        at += 2
        rank = 0
        shared[count] = rank
        count += 1
        starts[count] = at
        row += 1
    state[0], state[1] = count, disorder
    return code, row, count


def _make_small_words(log_num_values: int, len_chunk: int) -> SmallWord:
    """Make the record of one row."""
    return SmallWord(log_num_values=log_num_values, len_chunk_words=len_chunk // 8 - 1)


PUT_SMALL_WORDS = Put(
    name="small_words",
    fill=_put_small_words,
    parameters=(),
    columns=(Out("log_num_values", "u1"), Out("len_chunk", "i8")),
    remembered=0,
    make=_make_small_words,
    ranks=0,
)


@kernel(work=bytes_walked)
def _walk_large_words(
    data: Any,
    ranges: Any,
    counts: Any,
    state: Any,
    room: int,
    to_log_num_values: Any,
    to_num_values: Any,
    to_len_chunk: Any,
    to_place: Any,
) -> tuple[int, int, int, int]:
    """Fill the columns; return how it ended: code, range, row and place."""
    base = data.ctypes.data
    out_log_num_values = to_log_num_values.ctypes.data if len(to_log_num_values) else 0
    out_num_values = to_num_values.ctypes.data if len(to_num_values) else 0
    out_len_chunk = to_len_chunk.ctypes.data if len(to_len_chunk) else 0
    out_place = to_place.ctypes.data if len(to_place) else 0
    first = int(state[0])
    row = int(state[1])
    begin = int(state[2])
    disorder = int(state[3])
    for part in range(first, len(ranges)):
        start, end = int(ranges[part, 0]), int(ranges[part, 1])
        at = place = begin if part == first else start
        while at < end:
            place = at
            if row == room:
                state[3] = disorder
                return 2, part, row, place
            if out_place:
                put_le64(out_place, 8 * row, place)
            if end - at < 4:
                return 1, part, row, place
            log_num_values = byte(base, at) & 0xF
            if out_log_num_values:
                put_byte(out_log_num_values, row, log_num_values)
            len_chunk_words = le32(base, at) >> 4 & 0xFFFFFFF
            at += 4
            if out_num_values:
                put_le64(out_num_values, 8 * row, 1 << log_num_values)
            if out_len_chunk:
                put_le64(out_len_chunk, 8 * row, 8 * (len_chunk_words + 1))
            row += 1
        counts[part, 0], counts[part, 1] = row, place
    state[3] = disorder
    return 0, len(ranges), row, 0


def _take_large_words(r: Reader) -> LargeWord:
    """Read one record with its class."""
    return r.record("large_words", LargeWord.read)


LARGE_WORDS = Walk(
    name="large_words",
    fill=_walk_large_words,
    parameters=(),
    columns=(
        Out("log_num_values", "u1"),
        Out("num_values", "i8"),
        Out("len_chunk", "i8"),
        Out("place", "i8"),
    ),
    remembered=0,
    take=_take_large_words,
)


@kernel(work=rows_put)
def _put_large_words(
    data: Any,
    starts: Any,
    shared: Any,
    state: Any,
    first: int,
    end: int,
    of_log_num_values: Any,
    of_len_chunk: Any,
) -> tuple[int, int, int]:
    """Put records; return how it ended: code, next row, and how many there are."""
    base, room = data.ctypes.data, len(data) - SLACK
    from_log_num_values = of_log_num_values.ctypes.data
    from_len_chunk = of_len_chunk.ctypes.data
    row, count, disorder = first, int(state[0]), int(state[1])
    at = int(starts[count])
    code = 0
    while row < end:
        log_num_values = byte(from_log_num_values, row)
        len_chunk = le64(from_len_chunk, 8 * row)
        len_chunk_words = len_chunk // 8 - 1
        if log_num_values > 15:
            return 1, row, count
        if len_chunk % 8 != 0:
            return 1, row, count
        if len_chunk_words < 0:
            return 1, row, count
        if len_chunk_words > 268435455:
            return 1, row, count
        need = 4
        if need > room - at or count + 2 > len(starts):
            code = 2
            break
        put_byte(base, at, log_num_values | ((len_chunk_words & 15) << 4))
        put_byte(base, at + 1, len_chunk_words >> 4 & 255)
        put_byte(base, at + 2, len_chunk_words >> 12 & 255)
        put_byte(base, at + 3, len_chunk_words >> 20 & 255)
        at += 4
        rank = 0
        shared[count] = rank
        count += 1
        starts[count] = at
        row += 1
    state[0], state[1] = count, disorder
    return code, row, count


def _make_large_words(log_num_values: int, len_chunk: int) -> LargeWord:
    """Make the record of one row."""
    return LargeWord(log_num_values=log_num_values, len_chunk_words=len_chunk // 8 - 1)


PUT_LARGE_WORDS = Put(
    name="large_words",
    fill=_put_large_words,
    parameters=(),
    columns=(Out("log_num_values", "u1"), Out("len_chunk", "i8")),
    remembered=0,
    make=_make_large_words,
    ranks=0,
)


@kernel(work=bytes_walked)
def _walk_chunks(
    data: Any,
    ranges: Any,
    counts: Any,
    state: Any,
    room: int,
    has_rep: int,
    has_def: int,
    num_buffers: int,
    is_large: int,
    to_num_levels: Any,
    to_len_rep: Any,
    to_len_def: Any,
    to_len_small_buffers: Any,
    offsets_of_len_small_buffers: Any,
    to_len_large_buffers: Any,
    offsets_of_len_large_buffers: Any,
    to_len_parts: Any,
    to_place: Any,
) -> tuple[int, int, int, int]:
    """Fill the columns; return how it ended: code, range, row and place."""
    base = data.ctypes.data
    out_num_levels = to_num_levels.ctypes.data if len(to_num_levels) else 0
    out_len_rep = to_len_rep.ctypes.data if len(to_len_rep) else 0
    out_len_def = to_len_def.ctypes.data if len(to_len_def) else 0
    out_len_small_buffers = to_len_small_buffers.ctypes.data
    room_len_small_buffers = len(to_len_small_buffers) // 2
    offsets_len_small_buffers = (
        offsets_of_len_small_buffers.ctypes.data
        if len(offsets_of_len_small_buffers)
        else 0
    )
    out_len_large_buffers = to_len_large_buffers.ctypes.data
    room_len_large_buffers = len(to_len_large_buffers) // 4
    offsets_len_large_buffers = (
        offsets_of_len_large_buffers.ctypes.data
        if len(offsets_of_len_large_buffers)
        else 0
    )
    out_len_parts = to_len_parts.ctypes.data if len(to_len_parts) else 0
    out_place = to_place.ctypes.data if len(to_place) else 0
    first = int(state[0])
    row = int(state[1])
    begin = int(state[2])
    disorder = int(state[3])
    for part in range(first, len(ranges)):
        start, end = int(ranges[part, 0]), int(ranges[part, 1])
        at = place = begin if part == first else start
        while at < end:
            place = at
            if row == room:
                state[3] = disorder
                return 2, part, row, place
            if out_place:
                put_le64(out_place, 8 * row, place)
            if end - at < 2:
                return 1, part, row, place
            num_levels = le16(base, at)
            if out_num_levels:
                put_le16(out_num_levels, 2 * row, num_levels)
            at += 2
            if has_rep:
                if end - at < 2:
                    return 1, part, row, place
                len_rep = le16(base, at)
                if out_len_rep:
                    put_le16(out_len_rep, 2 * row, len_rep)
                at += 2
            elif out_len_rep:
                put_le16(out_len_rep, 2 * row, 0)
            if has_def:
                if end - at < 2:
                    return 1, part, row, place
                len_def = le16(base, at)
                if out_len_def:
                    put_le16(out_len_def, 2 * row, len_def)
                at += 2
            elif out_len_def:
                put_le16(out_len_def, 2 * row, 0)
            if not is_large:
                len_small_buffers_count = num_buffers
                if len_small_buffers_count > (end - at) // 2:
                    return 1, part, row, place
                if offsets_len_small_buffers:
                    len_small_buffers_first = le64(offsets_len_small_buffers, 8 * row)
                    if (
                        len_small_buffers_count
                        > room_len_small_buffers - len_small_buffers_first
                    ):
                        state[3] = disorder
                        return 2, part, row, place
                    put_le64(
                        offsets_len_small_buffers,
                        8 * row + 8,
                        len_small_buffers_first + len_small_buffers_count,
                    )
                    for len_small_buffers_index in range(len_small_buffers_count):
                        len_small_buffers = le16(base, at)
                        at += 2
                        put_le16(
                            out_len_small_buffers,
                            2 * (len_small_buffers_first + len_small_buffers_index),
                            len_small_buffers,
                        )
                else:
                    at += 2 * len_small_buffers_count
            elif offsets_len_small_buffers:
                put_le64(
                    offsets_len_small_buffers,
                    8 * row + 8,
                    le64(offsets_len_small_buffers, 8 * row),
                )
            if is_large:
                len_large_buffers_count = num_buffers
                if len_large_buffers_count > (end - at) // 4:
                    return 1, part, row, place
                if offsets_len_large_buffers:
                    len_large_buffers_first = le64(offsets_len_large_buffers, 8 * row)
                    if (
                        len_large_buffers_count
                        > room_len_large_buffers - len_large_buffers_first
                    ):
                        state[3] = disorder
                        return 2, part, row, place
                    put_le64(
                        offsets_len_large_buffers,
                        8 * row + 8,
                        len_large_buffers_first + len_large_buffers_count,
                    )
                    for len_large_buffers_index in range(len_large_buffers_count):
                        len_large_buffers = le32(base, at)
                        at += 4
                        put_le32(
                            out_len_large_buffers,
                            4 * (len_large_buffers_first + len_large_buffers_index),
                            len_large_buffers,
                        )
                else:
                    at += 4 * len_large_buffers_count
            elif offsets_len_large_buffers:
                put_le64(
                    offsets_len_large_buffers,
                    8 * row + 8,
                    le64(offsets_len_large_buffers, 8 * row),
                )
            parts_size = end - at - 0
            at += parts_size
            if out_len_parts:
                put_le64(out_len_parts, 8 * row, parts_size)
            row += 1
        counts[part, 0], counts[part, 1] = row, place
    state[3] = disorder
    return 0, len(ranges), row, 0


def _take_chunks(
    r: Reader, *, has_rep: int, has_def: int, num_buffers: int, is_large: int
) -> Chunk:
    """Read one record with its class."""
    return r.record(
        "chunks",
        Chunk.read,
        (bool(has_rep), bool(has_def), num_buffers, bool(is_large)),
    )


CHUNKS = Walk(
    name="chunks",
    fill=_walk_chunks,
    parameters=("has_rep", "has_def", "num_buffers", "is_large"),
    columns=(
        Out("num_levels", "u2"),
        Out("len_rep", "u2"),
        Out("len_def", "u2"),
        Out("len_small_buffers", "u2", items=2),
        Out("len_large_buffers", "u4", items=4),
        Out("len_parts", "i8"),
        Out("place", "i8"),
    ),
    remembered=0,
    take=_take_chunks,
)


@kernel(work=bytes_walked)
def _walk_early_chunks(
    data: Any,
    ranges: Any,
    counts: Any,
    state: Any,
    room: int,
    to_len_rep: Any,
    to_len_def: Any,
    to_len_values: Any,
    to_len_parts: Any,
    to_place: Any,
) -> tuple[int, int, int, int]:
    """Fill the columns; return how it ended: code, range, row and place."""
    base = data.ctypes.data
    out_len_rep = to_len_rep.ctypes.data if len(to_len_rep) else 0
    out_len_def = to_len_def.ctypes.data if len(to_len_def) else 0
    out_len_values = to_len_values.ctypes.data if len(to_len_values) else 0
    out_len_parts = to_len_parts.ctypes.data if len(to_len_parts) else 0
    out_place = to_place.ctypes.data if len(to_place) else 0
    first = int(state[0])
    row = int(state[1])
    begin = int(state[2])
    disorder = int(state[3])
    for part in range(first, len(ranges)):
        start, end = int(ranges[part, 0]), int(ranges[part, 1])
        at = place = begin if part == first else start
        while at < end:
            place = at
            if row == room:
                state[3] = disorder
                return 2, part, row, place
            if out_place:
                put_le64(out_place, 8 * row, place)
            if end - at < 6:
                return 1, part, row, place
            len_rep = le16(base, at)
            if out_len_rep:
                put_le16(out_len_rep, 2 * row, len_rep)
            len_def = le16(base, at + 2)
            if out_len_def:
                put_le16(out_len_def, 2 * row, len_def)
            len_values = le16(base, at + 4)
            if out_len_values:
                put_le16(out_len_values, 2 * row, len_values)
            at += 6
            parts_size = end - at - 0
            at += parts_size
            if out_len_parts:
                put_le64(out_len_parts, 8 * row, parts_size)
            row += 1
        counts[part, 0], counts[part, 1] = row, place
    state[3] = disorder
    return 0, len(ranges), row, 0


def _take_early_chunks(r: Reader) -> EarlyChunk:
    """Read one record with its class."""
    return r.record("early_chunks", EarlyChunk.read)


EARLY_CHUNKS = Walk(
    name="early_chunks",
    fill=_walk_early_chunks,
    parameters=(),
    columns=(
        Out("len_rep", "u2"),
        Out("len_def", "u2"),
        Out("len_values", "u2"),
        Out("len_parts", "i8"),
        Out("place", "i8"),
    ),
    remembered=0,
    take=_take_early_chunks,
)


@kernel(work=rows_put)
def _put_chunk_heads(
    data: Any,
    starts: Any,
    shared: Any,
    state: Any,
    first: int,
    end: int,
    has_rep: int,
    has_def: int,
    num_buffers: int,
    is_large: int,
    of_num_levels: Any,
    of_len_rep: Any,
    of_len_def: Any,
    of_len_small_buffers: Any,
    offsets_of_len_small_buffers: Any,
    of_len_large_buffers: Any,
    offsets_of_len_large_buffers: Any,
) -> tuple[int, int, int]:
    """Put records; return how it ended: code, next row, and how many there are."""
    base, room = data.ctypes.data, len(data) - SLACK
    from_num_levels = of_num_levels.ctypes.data
    from_len_rep = of_len_rep.ctypes.data
    from_len_def = of_len_def.ctypes.data
    from_len_small_buffers = of_len_small_buffers.ctypes.data
    offsets_len_small_buffers = offsets_of_len_small_buffers.ctypes.data
    from_len_large_buffers = of_len_large_buffers.ctypes.data
    offsets_len_large_buffers = offsets_of_len_large_buffers.ctypes.data
    row, count, disorder = first, int(state[0]), int(state[1])
    at = int(starts[count])
    code = 0
    while row < end:
        num_levels = le16(from_num_levels, 2 * row)
        len_rep = le16(from_len_rep, 2 * row)
        len_def = le16(from_len_def, 2 * row)
        items_len_small_buffers = le64(offsets_len_small_buffers, 8 * row)
        len_small_buffers_count = (
            le64(offsets_len_small_buffers, 8 * row + 8) - items_len_small_buffers
        )
        items_len_large_buffers = le64(offsets_len_large_buffers, 8 * row)
        len_large_buffers_count = (
            le64(offsets_len_large_buffers, 8 * row + 8) - items_len_large_buffers
        )
        len_rep_part = 2 if has_rep else 0
        len_def_part = 2 if has_def else 0
        len_small_buffers_part = 2 * len_small_buffers_count if not is_large else 0
        len_large_buffers_part = 4 * len_large_buffers_count if is_large else 0
        if not (has_rep) and len_rep != 0:
            return 1, row, count
        if not (has_def) and len_def != 0:
            return 1, row, count
        if not is_large:
            if len_small_buffers_count != num_buffers:
                return 1, row, count
        elif le64(offsets_len_small_buffers, 8 * row + 8) != le64(
            offsets_len_small_buffers, 8 * row
        ):
            return 1, row, count
        if is_large:
            if len_large_buffers_count != num_buffers:
                return 1, row, count
        elif le64(offsets_len_large_buffers, 8 * row + 8) != le64(
            offsets_len_large_buffers, 8 * row
        ):
            return 1, row, count
        need = (
            2
            + len_rep_part
            + len_def_part
            + len_small_buffers_part
            + len_large_buffers_part
        )
        if need > room - at or count + 2 > len(starts):
            code = 2
            break
        put_le16(base, at, num_levels)
        at += 2
        if has_rep:
            put_le16(base, at, len_rep)
            at += 2
        if has_def:
            put_le16(base, at, len_def)
            at += 2
        if not is_large:
            for len_small_buffers_index in range(len_small_buffers_count):
                len_small_buffers = le16(
                    from_len_small_buffers,
                    2 * (items_len_small_buffers + len_small_buffers_index),
                )
                put_le16(base, at, len_small_buffers)
                at += 2
        if is_large:
            for len_large_buffers_index in range(len_large_buffers_count):
                len_large_buffers = (
                    le32(
                        from_len_large_buffers,
                        4 * (items_len_large_buffers + len_large_buffers_index),
                    )
                    & 0xFFFFFFFF
                )
                put_le32(base, at, len_large_buffers)
                at += 4
        rank = 0
        shared[count] = rank
        count += 1
        starts[count] = at
        row += 1
    state[0], state[1] = count, disorder
    return code, row, count


def _make_chunk_heads(
    num_levels: int,
    len_rep: int,
    len_def: int,
    len_small_buffers: list[int],
    len_large_buffers: list[int],
    *,
    has_rep: int,
    has_def: int,
    num_buffers: int,
    is_large: int,
) -> ChunkHead:
    """Make the record of one row."""
    return ChunkHead(
        has_rep=bool(has_rep),
        has_def=bool(has_def),
        num_buffers=num_buffers,
        is_large=bool(is_large),
        num_levels=num_levels,
        len_rep=len_rep if has_rep or len_rep else None,
        len_def=len_def if has_def or len_def else None,
        len_small_buffers=len_small_buffers
        if not is_large or len_small_buffers
        else None,
        len_large_buffers=len_large_buffers if is_large or len_large_buffers else None,
    )


PUT_CHUNK_HEADS = Put(
    name="chunk_heads",
    fill=_put_chunk_heads,
    parameters=("has_rep", "has_def", "num_buffers", "is_large"),
    columns=(
        Out("num_levels", "u2"),
        Out("len_rep", "u2"),
        Out("len_def", "u2"),
        Out("len_small_buffers", "u2", items=2),
        Out("len_large_buffers", "u4", items=4),
    ),
    remembered=0,
    make=_make_chunk_heads,
    ranks=0,
)
