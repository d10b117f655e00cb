# Written by byteloom-codegen from specs/hfile/block.ksy; do not edit.
# To change it, edit that file and generate again.
"""Scanners of `block`: repeated records as Arrow columns."""

from __future__ import annotations

from typing import Any

from byteloom.columns.walks import Out, Walk, bytes_walked
from byteloom.native.kernel import kernel
from byteloom.native.loads import be32, be64, byte, put_byte, put_le32, put_le64
from byteloom.wire import Reader

from .block import Frame

__all__ = ["FRAMES"]


@kernel(work=bytes_walked)
def _walk_frames(
    data: Any,
    ranges: Any,
    counts: Any,
    state: Any,
    room: int,
    to_magic: Any,
    to_len_on_disk: Any,
    to_len_uncompressed: Any,
    to_ofs_previous: Any,
    to_checksum_type: Any,
    to_bytes_per_checksum: Any,
    to_len_data: Any,
    to_num_checksums: Any,
    to_place: Any,
) -> tuple[int, int, int, int]:
    """Fill the columns; return how it ended: code, range, row and place."""
    base = data.ctypes.data
    out_magic = to_magic.ctypes.data if len(to_magic) else 0
    out_len_on_disk = to_len_on_disk.ctypes.data if len(to_len_on_disk) else 0
    out_len_uncompressed = (
        to_len_uncompressed.ctypes.data if len(to_len_uncompressed) else 0
    )
    out_ofs_previous = to_ofs_previous.ctypes.data if len(to_ofs_previous) else 0
    out_checksum_type = to_checksum_type.ctypes.data if len(to_checksum_type) else 0
    out_bytes_per_checksum = (
        to_bytes_per_checksum.ctypes.data if len(to_bytes_per_checksum) else 0
    )
    out_len_data = to_len_data.ctypes.data if len(to_len_data) else 0
    out_num_checksums = to_num_checksums.ctypes.data if len(to_num_checksums) else 0
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
            if end - at < 33:
                return 1, part, row, place
            magic = be64(base, at)
            if magic < 0:
                return 1, part, row, place
            if (
                magic != 0x44415441424C4B2A
                and magic != 0x44415441424C4B45
                and magic != 0x4944584C45414632
                and magic != 0x424C4D46424C4B32
                and magic != 0x4D455441424C4B63
                and magic != 0x494458494E544532
                and magic != 0x494458524F4F5432
                and magic != 0x46494C45494E4632
                and magic != 0x424C4D464D455432
                and magic != 0x4446424C4D455432
            ):
                return 1, part, row, place
            if out_magic:
                put_le64(out_magic, 8 * row, magic)
            len_on_disk = be32(base, at + 8)
            if len_on_disk < 0:
                return 1, part, row, place
            if out_len_on_disk:
                put_le32(out_len_on_disk, 4 * row, len_on_disk)
            len_uncompressed = be32(base, at + 12)
            if len_uncompressed < 0:
                return 1, part, row, place
            if out_len_uncompressed:
                put_le32(out_len_uncompressed, 4 * row, len_uncompressed)
            ofs_previous = be64(base, at + 16)
            if out_ofs_previous:
                put_le64(out_ofs_previous, 8 * row, ofs_previous)
            checksum_type = byte(base, at + 24)
            if checksum_type != 0 and checksum_type != 1 and checksum_type != 2:
                return 1, part, row, place
            if out_checksum_type:
                put_byte(out_checksum_type, row, checksum_type)
            bytes_per_checksum = be32(base, at + 25)
            if bytes_per_checksum < 1:
                return 1, part, row, place
            if out_bytes_per_checksum:
                put_le32(out_bytes_per_checksum, 4 * row, bytes_per_checksum)
            len_data = be32(base, at + 29)
            if len_data < 33:
                return 1, part, row, place
            if out_len_data:
                put_le32(out_len_data, 4 * row, len_data)
            at += 33
            if out_num_checksums:
                put_le64(
                    out_num_checksums,
                    8 * row,
                    (len_data + bytes_per_checksum - 1) // bytes_per_checksum,
                )
            rest_size = len_on_disk
            if rest_size > end - at:
                return 1, part, row, place
            at += rest_size
            row += 1
        counts[part, 0], counts[part, 1] = row, place
    state[3] = disorder
    return 0, len(ranges), row, 0


def _take_frames(r: Reader) -> Frame:
    """Read one record with its class."""
    return r.record("frames", Frame.read)


FRAMES = Walk(
    name="frames",
    fill=_walk_frames,
    parameters=(),
    columns=(
        Out("magic", "u8"),
        Out("len_on_disk", "i4"),
        Out("len_uncompressed", "i4"),
        Out("ofs_previous", "i8"),
        Out("checksum_type", "u1"),
        Out("bytes_per_checksum", "i4"),
        Out("len_data", "i4"),
        Out("num_checksums", "i8"),
        Out("place", "i8"),
    ),
    remembered=0,
    take=_take_frames,
)
