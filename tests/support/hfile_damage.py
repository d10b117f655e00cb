"""Damage to HFiles, made on purpose: one thing changed, and the checksums right again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.support.hfile_files import number, text
from tests.support.varints import varint, varint_at

from byteloom.codecs.checksums import crc32, crc32c

if TYPE_CHECKING:
    from collections.abc import Iterator

HEADER = 33
TRAILER = b'TRABLK"$'
TYPES = {
    b"DATABLK*", b"DATABLKE", b"IDXLEAF2", b"BLMFBLK2", b"METABLKc", b"IDXINTE2", b"IDXROOT2",
    b"FILEINF2", b"BLMFMET2", b"DFBLMET2",
}  # fmt: skip


@dataclass(frozen=True)
class Place:
    """Where a block is."""

    magic: bytes
    start: int
    size: int
    len_data: int


def trailer_at(data: bytes) -> int:
    """Where the trailer begins."""
    return data.rindex(TRAILER)


def places(data: bytes) -> list[Place]:
    """The places of all blocks of a file."""
    at, found = 0, []
    while at < trailer_at(data):
        size = HEADER + int.from_bytes(data[at + 8 : at + 12], "big")
        len_data = int.from_bytes(data[at + 29 : at + 33], "big")
        found.append(Place(data[at : at + 8], at, size, len_data))
        at += size
    return found


def first_and_last(data: bytes) -> list[Place]:
    """The first and the last block of each type."""
    every = places(data)
    ends = {each.magic: each for each in reversed(every)} | {}
    lasts = {each.magic: each for each in every}
    return sorted({*ends.values(), *lasts.values()}, key=lambda each: each.start)


def patched(data: bytes, place: Place, at: int, new: bytes) -> bytes:
    """The file with *new* at *at* of a block, whose checksums are made for what it is now."""
    out = bytearray(data)
    out[place.start + at : place.start + at + len(new)] = new
    kind = data[place.start + 24]
    step = int.from_bytes(data[place.start + 25 : place.start + 29], "big")
    checksum = {1: crc32, 2: crc32c}.get(kind)
    if checksum is None:
        return bytes(out)
    whole = bytes(out[place.start : place.start + place.len_data])
    sums = b"".join(
        checksum(whole[start : start + step]).to_bytes(4, "big")
        for start in range(0, place.len_data, step)
    )
    out[place.start + place.len_data : place.start + place.size] = sums
    return bytes(out)


def headers(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield files of which one field of a block header is wrong."""
    for place in first_and_last(data):
        head = data[place.start : place.start + HEADER]

        def field(at: int, size: int, head: bytes = head) -> int:
            return int.from_bytes(head[at : at + size], "big", signed=True)

        other = b"METABLKc" if place.magic != b"METABLKc" else b"BLMFBLK2"
        name = place.magic.decode()
        changes = {
            "magic unknown": (0, b"DATABLKX"),
            "magic of another type": (0, other),
            "on-disk size + 1": (8, (field(8, 4) + 1).to_bytes(4, "big", signed=True)),
            "on-disk size huge": (8, b"\x7f\xff\xff\x00"),
            "on-disk size negative": (8, b"\xff\xff\xff\xf0"),
            "uncompressed size + 3": (12, (field(12, 4) + 3).to_bytes(4, "big", signed=True)),
            "uncompressed size negative": (12, b"\xff\xff\xff\xf0"),
            "previous offset + 1": (16, (field(16, 8) + 1).to_bytes(8, "big", signed=True)),
            "checksum type 7": (24, b"\7"),
            "checksum type none": (24, b"\0"),
            "bytes per checksum 0": (25, bytes(4)),
            "bytes per checksum negative": (25, b"\xff\xff\xff\xff"),
            "data size - 1": (29, (field(29, 4) - 1).to_bytes(4, "big", signed=True)),
            "data size negative": (29, b"\xff\xff\xff\xf0"),
        }
        for stated, (at, new) in changes.items():
            if data[place.start + at : place.start + at + len(new)] != new:
                yield f"{name} at {place.start}: {stated}", patched(data, place, at, new)


def said(data: bytes) -> dict[int, int | bytes]:
    """The fields of the trailer by number."""
    at = trailer_at(data) + len(TRAILER)
    size, at = varint_at(data, at)
    end = at + size
    found: dict[int, int | bytes] = {}
    while at < end:
        key, at = varint_at(data, at)
        value, at = varint_at(data, at)
        if key & 7:
            found[key >> 3], at = data[at : at + value], at + value
        else:
            found[key >> 3] = value
    return found


def with_trailer(data: bytes, changes: dict[int, int | bytes | None]) -> bytes:
    """The file with another trailer."""
    at = trailer_at(data)
    message = b"".join(
        text(key, value) if isinstance(value, bytes) else number(key, value)
        for key, value in (said(data) | changes).items()
        if value is not None
    )
    size = len(data) - at - 4
    return data[:at] + (TRAILER + varint(len(message)) + message).ljust(size, b"\0") + data[-4:]


def trailers(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield files of which one field, the padding or the version of the trailer is wrong."""
    for key, value in said(data).items():
        others: list[int | bytes | None] = [None]
        if isinstance(value, bytes):
            others += [b"", b"com.example.NoSuchClass", value + b"x"]
        else:
            others += [0, value + 1, value - 1, 1 << 33, 1 << 62]
        for other in others:
            if other != value and not (isinstance(other, int) and other < 0):
                yield f"trailer field {key} = {other!r}", with_trailer(data, {key: other})
    yield "trailer field 20", with_trailer(data, {20: 1})
    yield "padding", data[:-20] + b"\1" + data[-19:]
    for minor in (0, 1, 9):
        yield f"minor {minor}", data[:-4] + bytes([minor]) + data[-3:]
    for major in (0, 1, 2, 4):
        yield f"major {major}", data[:-1] + bytes([major])


def cuts(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield files with bytes missing, added, or zeroed."""
    at = trailer_at(data)
    block = places(data)[len(places(data)) // 2]
    yield "last byte removed", data[:-1]
    yield "trailer removed", data[:at]
    yield "half removed", data[: len(data) // 2]
    yield "one byte appended", data + b"\0"
    yield "first byte removed", data[1:]
    yield "a byte removed inside", data[: block.start + 40] + data[block.start + 41 :]
    yield "a byte added inside", data[: block.start + 40] + b"\0" + data[block.start + 40 :]
    yield "a block removed", data[: block.start] + data[block.start + block.size :]
    again = data[block.start : block.start + block.size]
    yield "a block twice", data[: block.start] + again + data[block.start :]
    yield (
        "a block of zeros",
        data[: block.start] + bytes(block.size) + data[block.start + block.size :],
    )
    yield "a gap before the trailer", data[:at] + bytes(50) + data[at:]
