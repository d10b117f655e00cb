"""Damage that keeps the outside of a file intact: lengths and checksums are recalculated.

Readers refuse most random bytes at the first check; the damage made here passes it.
"""

from __future__ import annotations

import json
import re
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.fuzz.mutations import damaged_bytes, damaged_json
from tests.support import hfile_damage
from tests.support.varints import folded, varint, zigzag_at

if TYPE_CHECKING:
    from random import Random

__all__ = [
    "damaged_avro",
    "damaged_hfile",
    "damaged_log",
    "damaged_puffin",
    "damaged_tail",
    "damaged_text",
    "has_wrong_sum",
    "record_count",
]


@dataclass
class _Avro:
    """An Avro container file in its parts, as stored."""

    metadata: list[tuple[bytes, bytes]]
    sync: bytes
    blocks: list[tuple[int, bytes]] = field(default_factory=list)

    @classmethod
    def of(cls, data: bytes) -> _Avro:
        at, metadata = 4, []
        while True:
            count, at = zigzag_at(data, at)
            if count < 0:  # a negative count is followed by the size of the block
                count, (_, at) = -count, zigzag_at(data, at)
            if not count:
                break
            for _ in range(count):
                key, at = _text(data, at)
                value, at = _text(data, at)
                metadata.append((key, value))
        out = cls(metadata, data[at : at + 16])
        at += 16
        while at < len(data):
            count, at = zigzag_at(data, at)
            block, at = _text(data, at)
            out.blocks.append((count, block))
            at += 16
        return out

    def data(self) -> bytes:
        pairs = b"".join(_stored(len(x)) + x for pair in self.metadata for x in pair)
        head = b"Obj\1" + _stored(len(self.metadata)) + pairs + b"\0" + self.sync
        return head + b"".join(
            _stored(count) + _stored(len(block)) + block + self.sync for count, block in self.blocks
        )


def record_count(data: bytes) -> int | None:
    """Return how many records the blocks of an Avro container say they have; None if none does."""
    try:
        return sum(count for count, _ in _Avro.of(data).blocks)
    except IndexError:
        return None


def damaged_avro(chance: Random, data: bytes) -> bytes:
    """Return an Avro container whose schema, metadata, counts or records are changed."""
    file = _Avro.of(data)
    kind = chance.randrange(6)
    at = chance.randrange(len(file.metadata))
    if kind == 0:
        at = next(n for n, (key, _) in enumerate(file.metadata) if key == b"avro.schema")
    if kind <= 1 or not file.blocks:
        key, value = file.metadata[at]
        change = damaged_json if _is_json(value) else damaged_bytes
        file.metadata[at] = key, change(chance, value)
        return file.data()
    at = chance.randrange(len(file.blocks))
    count, block = file.blocks[at]
    if kind == 2:
        more = chance.choice((-count, -1, 1, 2, 7, 1 << 31, 1 << 62, -2 * count))
        file.blocks[at] = count + more, block
    elif kind == 3:
        chance.choice((file.blocks.append, lambda _: file.blocks.pop(at)))((count, block))
    elif (b"avro.codec", b"deflate") in file.metadata:
        inner = damaged_bytes(chance, zlib.decompress(block, wbits=-15))
        file.blocks[at] = count, zlib.compress(inner, wbits=-15)
    else:
        file.blocks[at] = count, damaged_bytes(chance, block)
    return file.data()


def damaged_text(chance: Random, data: bytes) -> bytes:
    """Return an uncompressed Avro container with an invalid byte in one word of each block."""
    file = _Avro.of(data)
    for number, (count, block) in enumerate(file.blocks):
        at = chance.choice([each.start() for each in _WORDS.finditer(block)])
        file.blocks[number] = count, block[:at] + b"\xff" + block[at + 1 :]
    return file.data()


_WORDS = re.compile(rb"[A-Za-z]{3,}")


def _is_json(value: bytes) -> bool:
    try:
        json.loads(value)
    except ValueError:
        return False
    return True


def _text(data: bytes, at: int) -> tuple[bytes, int]:
    size, at = zigzag_at(data, at)
    return data[at : at + size], at + size


def _stored(value: int) -> bytes:
    return varint(folded(value))


def damaged_hfile(chance: Random, data: bytes) -> bytes:
    """Return an HFile with bytes of a block or a field of the trailer changed, checksums right."""
    kind = chance.randrange(4)
    if kind == 0:
        fields = hfile_damage.said(data)
        name = chance.choice([*fields, 13, 14])
        value = fields.get(name, 0)
        new: int | bytes | None
        if isinstance(value, bytes):
            new = chance.choice((None, b"", damaged_bytes(chance, value) if value else b"x"))
        else:
            new = chance.choice((None, 0, 1, value + 1, max(0, value - 1), 1 << 31, 1 << 62))
        return hfile_damage.with_trailer(data, {name: new})
    place = chance.choice(hfile_damage.places(data))
    if kind == 1:
        at, most = chance.randrange(8, hfile_damage.HEADER), 8
    else:
        at = chance.randrange(hfile_damage.HEADER, max(place.len_data, hfile_damage.HEADER + 1))
        most = max(1, place.len_data - at)
    size = min(chance.choice((1, 1, 2, 4, 8)), most)
    old = data[place.start + at : place.start + at + size]
    new_bytes = damaged_bytes(chance, old)[: len(old)].ljust(len(old), b"\0")
    return hfile_damage.patched(data, place, at, new_bytes)


def damaged_puffin(chance: Random, data: bytes) -> bytes:
    """Return a Puffin file with changed JSON in its footer, or with changed blobs before it."""
    size = int.from_bytes(data[-12:-8], "little")
    start = len(data) - 12 - size
    payload, blobs = data[start:-12], data[:start]
    if chance.random() < 0.6:
        payload = damaged_json(chance, payload)
    else:
        blobs = _with_sums(damaged_bytes(chance, blobs[:-4])[: start - 4].ljust(start - 4, b"\0"))
        blobs += data[start - 4 : start]
    return blobs + payload + len(payload).to_bytes(4, "little") + data[-8:]


def _with_sums(data: bytes) -> bytes:
    """Return bytes in which deletion vectors have the checksum that they need."""
    at = data.find(_VECTOR)
    while at >= 4:
        size = int.from_bytes(data[at - 4 : at], "big")
        if at + size + 4 <= len(data):
            crc = zlib.crc32(data[at : at + size]).to_bytes(4, "big")
            data = data[: at + size] + crc + data[at + size + 4 :]
        at = data.find(_VECTOR, at + 4)
    return data


def has_wrong_sum(data: bytes) -> bool:
    """Whether the first deletion vector of a file has another checksum than its bytes."""
    at = data.find(_VECTOR)
    size = int.from_bytes(data[at - 4 : at], "big")
    if at < 0 or at + size + 4 > len(data):
        return False
    return zlib.crc32(data[at : at + size]) != int.from_bytes(
        data[at + size : at + size + 4], "big"
    )


_VECTOR = bytes.fromhex("d1d33964")


def damaged_vector(chance: Random, data: bytes) -> bytes:
    """Return a deletion vector whose bitmaps are changed, length and checksum right."""
    body = damaged_bytes(chance, data[8:-4])
    inner = _VECTOR + body
    return len(inner).to_bytes(4, "big") + inner + zlib.crc32(inner).to_bytes(4, "big")


def damaged_tail(chance: Random, data: bytes) -> bytes:
    """Return a file with changes near its end, where Parquet and ORC have their footers."""
    start = max(0, len(data) - chance.choice((50, 300, 1000)))
    return data[:start] + damaged_bytes(chance, data[start:])


def damaged_log(chance: Random, data: bytes) -> bytes:
    """Return a Hudi log file of one block with its content changed and its lengths right."""
    at = data.find(b"DATABLK*")
    if at < 0:
        return damaged_bytes(chance, data)
    end = data.find(hfile_damage.TRAILER, at) + 4096
    inner = damaged_hfile(chance, data[at:end])
    return data[:at] + inner + data[end:] if len(inner) == end - at else data[:at] + inner
