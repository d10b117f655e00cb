"""Files of everyday formats that are large enough to be measured: the same bytes each time."""

import io
import random
import struct
import zipfile
import zlib
from collections.abc import Callable
from typing import Final

from byteloom.wire.varints import uleb128_bytes

__all__ = ["BULK"]

_WORDS: Final = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "zeta",
    "eta",
    "theta",
    "iota",
    "kappa",
]


def _pcap(share: int = 1) -> bytes:
    chance = random.Random(1)
    parts = [struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101)]
    for at in range(8_000 // share):
        body = chance.randbytes(chance.randrange(40, 200))
        parts += [struct.pack("<IIII", 10**9 + at, at, len(body), len(body)), body]
    return b"".join(parts)


def _zip(share: int = 1) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for at in range(1_000 // share):
            info = zipfile.ZipInfo(f"folder/{_WORDS[at % 10]}-{at}.txt", (2001, 9, 9, 1, 46, 40))
            info.create_system, info.external_attr = 3, 0o100644 << 16
            info.extra = struct.pack("<HHBI", 0x5455, 5, 1, 10**9)
            archive.writestr(info, bytes(at % 90))
    return made.getvalue()


def _protobuf(share: int = 1) -> bytes:
    chance, parts = random.Random(2), list[bytes]()
    for at in range(4_000 // share):
        parts += [b"\x08", uleb128_bytes(at * 37), b"\x11", struct.pack("<Q", at << 20)]
        text = chance.choice(_WORDS).encode() * chance.randrange(1, 8)
        parts += [b"\x1a", uleb128_bytes(len(text)), text, b"\xa5\x06", struct.pack("<I", at)]
    return b"".join(parts)


def _png(share: int = 1) -> bytes:
    def chunk(name: bytes, body: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(name + body))
        return struct.pack(">I", len(body)) + name + body + check

    parts = [b"\x89PNG\r\n\x1a\n", chunk(b"IHDR", struct.pack(">IIBBBBB", 64, 64, 8, 3, 0, 0, 0))]
    parts.append(chunk(b"PLTE", bytes(range(256)) * 3))
    for at in range(1_500 // share):
        parts.append(chunk(b"tEXt", b"Title\0" + f"{_WORDS[at % 10]} {at}".encode()))
        parts.append(chunk(b"IDAT", bytes(at % 256)))
        parts.append(chunk(b"tIME", struct.pack(">HBBBBB", 2001, 9, 9, 1, 46, 40)))
    return b"".join([*parts, chunk(b"IEND", b"")])


def _midi(share: int = 1) -> bytes:
    chance, tracks = random.Random(3), list[bytes]()
    for _ in range(4):
        events = [b"\0\xff\x51\x03\x07\xa1\x20", b"\0\xff\x03\x05track"]
        for _ in range(1_500 // share):
            note = chance.randrange(128)
            events.append(b"\x83\x60" + bytes((0x90, note, 64)) + b"\x10" + bytes((0x80, note, 0)))
        body = b"".join([*events, b"\0\xff\x2f\0"])
        tracks.append(b"MTrk" + struct.pack(">I", len(body)) + body)
    return b"MThd" + struct.pack(">IHHh", 6, 1, len(tracks), 480) + b"".join(tracks)


def _bson(share: int = 1) -> bytes:
    def document(body: bytes) -> bytes:
        return struct.pack("<i", len(body) + 5) + body + b"\0"

    def text(value: str) -> bytes:
        return struct.pack("<i", len(value) + 1) + value.encode() + b"\0"

    parts = []
    for at in range(1_200 // share):
        inner = b"\x10x\0" + struct.pack("<i", at) + b"\x12y\0" + struct.pack("<q", at << 33)
        row = b"\x07_id\0" + struct.pack(">III", at, at * 3, at * 5)
        row += b"\x02name\0" + text(_WORDS[at % 10]) + b"\x01value\0" + struct.pack("<d", at / 7)
        row += b"\x08ok\0\x01" + b"\x09at\0" + struct.pack("<q", 10**12 + at)
        parts.append(b"\x03%d\0" % at + document(row + b"\x03place\0" + document(inner)))
    return document(b"".join(parts))


def _msgpack(share: int = 1) -> bytes:
    def text(value: str) -> bytes:
        return bytes((0xA0 | len(value),)) + value.encode()

    rows = []
    for at in range(1_500 // share):
        row = text("id") + b"\xce" + struct.pack(">I", at) + text("name") + text(_WORDS[at % 10])
        row += text("value") + b"\xcb" + struct.pack(">d", at / 7)
        rows.append(b"\x84" + row + text("tags") + b"\x93\x01\x02" + text("x"))
    return b"\xdc" + struct.pack(">H", len(rows)) + b"".join(rows)


def _stl(share: int = 1) -> bytes:
    chance, count = random.Random(4), 8_000 // share
    floats = [struct.pack("<12fH", *(chance.random() for _ in range(12)), 0) for _ in range(count)]
    return bytes(80) + struct.pack("<I", count) + b"".join(floats)


def _java_class(share: int = 1) -> bytes:
    pool: list[bytes] = []

    def utf8(value: str) -> int:
        pool.append(b"\1" + struct.pack(">H", len(value)) + value.encode())
        return len(pool)

    def attribute(name: int, body: bytes) -> bytes:
        return struct.pack(">HI", name, len(body)) + body

    code, lines, kind = utf8("Code"), utf8("LineNumberTable"), utf8("()V")
    pool += [b"\x03" + struct.pack(">i", 7), b"\x07" + struct.pack(">H", kind)]
    this = len(pool)
    methods = []
    for at in range(800 // share):
        name = utf8(f"{_WORDS[at % 10]}{at}")
        pool.append(b"\x0c" + struct.pack(">HH", name, kind))
        pool.append(b"\x0a" + struct.pack(">HH", this, len(pool)))
        table = struct.pack(">H", 3) + struct.pack(">6H", 0, at, 4, at + 1, 9, at + 2)
        body = struct.pack(">HHI", 2, 1, 12) + bytes(12) + struct.pack(">HH", 0, 1)
        body += attribute(lines, table)
        methods.append(struct.pack(">HHHH", 1, name, kind, 1) + attribute(code, body))
    head = b"\xca\xfe\xba\xbe" + struct.pack(">HHH", 0, 52, len(pool) + 1) + b"".join(pool)
    head += struct.pack(">HHHHHH", 33, this, this, 0, 0, len(methods))
    return head + b"".join(methods) + struct.pack(">H", 0)


def _utmp(share: int = 1) -> bytes:
    parts = []
    for at in range(4_000 // share):
        texts = b"pts/%d" % (at % 30), b"ts%d" % (at % 10), b"user", b"host-%d.example" % at
        fields = 7, at, *texts, 0, at, 10**9 + at, at, bytes(16), bytes(20)
        parts.append(struct.pack("<ii32s4s32s256sIiii16s20s", *fields))
    return b"".join(parts)


def _shapefile(share: int = 1) -> bytes:
    chance, records = random.Random(5), list[bytes]()
    for at in range(600 // share):
        if at % 3:
            body = struct.pack("<idd", 1, chance.random(), chance.random())
        else:
            count = chance.randrange(5, 40)
            points = struct.pack(f"<{2 * count}d", *(chance.random() for _ in range(2 * count)))
            body = struct.pack("<i4diii", 5, 0, 1, 0, 1, 1, count, 0) + points
        records.append(struct.pack(">ii", at + 1, len(body) // 2) + body)
    size = 100 + sum(map(len, records))
    head = struct.pack(">i20xi", 9994, size // 2) + struct.pack("<ii8d", 1000, 5, *range(8))
    return head + b"".join(records)


BULK: Final[dict[str, Callable[..., bytes]]] = {
    "pcap": _pcap,
    "zip": _zip,
    "protobuf": _protobuf,
    "png": _png,
    "midi": _midi,
    "bson": _bson,
    "msgpack": _msgpack,
    "stl": _stl,
    "java_class": _java_class,
    "utmp": _utmp,
    "shapefile": _shapefile,
}
"""The function that makes a file, by format: one with all records, or with one of every *share*."""
