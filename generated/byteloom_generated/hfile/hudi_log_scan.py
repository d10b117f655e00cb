# Written by byteloom-codegen from specs/hfile/hudi_log.ksy; do not edit.
# To change it, edit that file and generate again.
"""Scanners of `hudi_log`: repeated records as Arrow columns."""

from __future__ import annotations

from typing import Any

from byteloom.columns.byte_runs import put_view
from byteloom.columns.walks import Out, Walk, bytes_walked
from byteloom.native.kernel import kernel
from byteloom.native.loads import be32, le64, put_le64
from byteloom.wire import Reader

from .hudi_log import AvroData

__all__ = ["AVRO_DATAS"]


@kernel(work=bytes_walked)
def _walk_avro_datas(
    data: Any,
    ranges: Any,
    counts: Any,
    state: Any,
    room: int,
    to_content: Any,
    offsets_of_content: Any,
    to_place: Any,
) -> tuple[int, int, int, int]:
    """Fill the columns; return how it ended: code, range, row and place."""
    base, total = data.ctypes.data, len(data)
    out_content = to_content.ctypes.data
    room_content = len(to_content) // 16
    offsets_content = offsets_of_content.ctypes.data if len(offsets_of_content) else 0
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
            if end - at < 8:
                return 1, part, row, place
            num_records = be32(base, at + 4)
            if num_records < 0:
                return 1, part, row, place
            at += 8
            records_count = num_records
            if records_count > (end - at) // 4:
                return 1, part, row, place
            items_content = 0
            if offsets_content:
                items_content = le64(offsets_content, 8 * row)
                if records_count > room_content - items_content:
                    state[3] = disorder
                    return 2, part, row, place
                put_le64(offsets_content, 8 * row + 8, items_content + records_count)
            for records_index in range(records_count):
                if end - at < 4:
                    return 1, part, row, place
                len_content = be32(base, at)
                if len_content < 0:
                    return 1, part, row, place
                at += 4
                content_size = len_content
                if content_size > end - at:
                    return 1, part, row, place
                content_at = at
                if offsets_content:
                    put_view(
                        out_content,
                        items_content + records_index,
                        base,
                        total,
                        content_at,
                        content_size,
                    )
                at += content_size
            row += 1
        counts[part, 0], counts[part, 1] = row, place
    state[3] = disorder
    return 0, len(ranges), row, 0


def _take_avro_datas(r: Reader) -> AvroData:
    """Read one record with its class."""
    return r.record("avro_datas", AvroData.read)


AVRO_DATAS = Walk(
    name="avro_datas",
    fill=_walk_avro_datas,
    parameters=(),
    columns=(Out("content", "view", items=4), Out("place", "i8")),
    remembered=0,
    take=_take_avro_datas,
)
