# Written by byteloom-codegen from specs/avro/container.ksy; do not edit.
# To change it, edit that file and generate again.
"""Scanners of `container`: repeated records as Arrow columns."""

from __future__ import annotations

from typing import Any

from byteloom.columns.walks import Out, Walk, bytes_walked
from byteloom.native.integers import zigzag_at
from byteloom.native.kernel import kernel
from byteloom.native.loads import le64, put_le64
from byteloom.wire import Reader

from .container import Block

__all__ = ["BLOCKS"]


@kernel(work=bytes_walked)
def _walk_blocks(
    data: Any,
    ranges: Any,
    counts: Any,
    state: Any,
    room: int,
    marker: Any,
    to_num_objects: Any,
    to_len_objects: Any,
    to_place: Any,
) -> tuple[int, int, int, int]:
    """Fill the columns; return how it ended: code, range, row and place."""
    base = data.ctypes.data
    out_num_objects = to_num_objects.ctypes.data if len(to_num_objects) else 0
    out_len_objects = to_len_objects.ctypes.data if len(to_len_objects) else 0
    out_place = to_place.ctypes.data if len(to_place) else 0
    marker_base, marker_size = marker.ctypes.data, len(marker)
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
            num_objects, at = zigzag_at(base, at, end)
            if at < 0:
                return 1, part, row, place
            if not num_objects >= 0:
                return 1, part, row, place
            if out_num_objects:
                put_le64(out_num_objects, 8 * row, num_objects)
            len_objects, at = zigzag_at(base, at, end)
            if at < 0:
                return 1, part, row, place
            if not len_objects >= 0:
                return 1, part, row, place
            if out_len_objects:
                put_le64(out_len_objects, 8 * row, len_objects)
            objects_size = len_objects
            if objects_size < 0 or objects_size > end - at:
                return 1, part, row, place
            at += objects_size
            if end - at < 16:
                return 1, part, row, place
            if marker_size != 16:
                return 1, part, row, place
            if le64(base, at) != le64(marker_base, 0):
                return 1, part, row, place
            if le64(base, at + 8) != le64(marker_base, 8):
                return 1, part, row, place
            at += 16
            row += 1
        counts[part, 0], counts[part, 1] = row, place
    state[3] = disorder
    return 0, len(ranges), row, 0


def _take_blocks(r: Reader, *, marker: bytes) -> Block:
    """Read one record with its class."""
    return r.record("blocks", Block.read, (marker,))


BLOCKS = Walk(
    name="blocks",
    fill=_walk_blocks,
    parameters=("marker",),
    columns=(Out("num_objects", "i8"), Out("len_objects", "i8"), Out("place", "i8")),
    remembered=0,
    take=_take_blocks,
)
