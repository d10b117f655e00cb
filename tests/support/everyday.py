"""Files of everyday formats, made by the tools that everybody has: the same bytes each time."""

import gzip
import io
import sqlite3
import struct
import tarfile
import tempfile
import wave
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Final

import ttf_opensans

__all__ = ["FILES", "files"]

_LONG_AGO: Final = 1_000_000_000
"""Seconds since 1970: the time of every member that has one."""


def _zip() -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, data, method in (
            ("hello.txt", b"hello, hello, hello", zipfile.ZIP_DEFLATED),
            ("sub/é.bin", bytes(range(16)), zipfile.ZIP_STORED),
        ):
            info = zipfile.ZipInfo(name, (2001, 9, 9, 1, 46, 40))
            info.compress_type, info.create_system = method, 3
            info.external_attr = 0o100644 << 16
            info.extra = struct.pack("<HHBI", 0x5455, 5, 1, _LONG_AGO)
            archive.writestr(info, data)
        archive.comment = b"made by zipfile"
    return made.getvalue()


def _chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def _png(color: int, *chunks: tuple[bytes, bytes], channels: int = 3) -> bytes:
    rows = b"".join(
        b"\0" + bytes((x * 40 + y * 7) % 256 for x in range(4 * channels)) for y in range(3)
    )
    parts = [_chunk(b"IHDR", struct.pack(">IIBBBBB", 4, 3, 8, color, 0, 0, 0))]
    parts += [_chunk(*each) for each in chunks]
    parts += [_chunk(b"IDAT", zlib.compress(rows, 9)), _chunk(b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def _png_true() -> bytes:
    return _png(
        2,
        (b"gAMA", struct.pack(">I", 45455)),
        (b"pHYs", struct.pack(">IIB", 2835, 2835, 1)),
        (b"tEXt", b"Title\0Four by three"),
        (b"zTXt", b"Comment\0\0" + zlib.compress(b"packed " * 9)),
        (b"iTXt", b"Author\0\0\0de\0Autor\0" + "Jörg".encode()),
        (b"iTXt", b"Source\0\1\0\0\0" + zlib.compress("Ölfarbe".encode())),
        (b"tIME", struct.pack(">HBBBBB", 2001, 9, 9, 1, 46, 40)),
        (b"bKGD", struct.pack(">HHH", 1, 2, 3)),
        (b"prVt", b"private"),
    )


def _png_indexed() -> bytes:
    palette = (b"PLTE", bytes(range(12)))
    return _png(3, palette, (b"tRNS", b"\0\x80"), (b"bKGD", b"\2"), channels=1)


def _gif() -> bytes:
    colors = bytes(range(12))
    control = b"\x21\xf9\x04" + struct.pack("<BHB", 0b0000_1001, 50, 2) + b"\0"
    repeats = b"\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0"
    comment = b"\x21\xfe\x05hello\x03 gif\0".replace(b"\x03 gif", b"\x04 gif")
    picture = (
        b"\x2c" + struct.pack("<HHHHB", 0, 0, 2, 2, 0x80) + bytes(6) + b"\x02\x03\x44\x02\x05\0"
    )
    screen = struct.pack("<HHBBB", 2, 2, 0b1001_0001, 1, 49)
    return b"GIF89a" + screen + colors + repeats + control + comment + picture + b"\x3b"


def _wave(width: int, channels: int = 2) -> bytes:
    made = io.BytesIO()
    with wave.open(made, "wb") as sound:
        sound.setnchannels(channels)
        sound.setsampwidth(width)
        sound.setframerate(8000)
        sound.writeframes(bytes((at * 37) % 256 for at in range(5 * channels * width)))
    return made.getvalue()


def _with_info() -> bytes:
    """A sound of 5 bytes, and a list after it: two chunks that need padding."""
    sound = _wave(1, 1)
    entry = b"INAM" + struct.pack("<I", 5) + b"tone\0\0" + b"ISFT" + struct.pack("<I", 4) + b"byt\0"
    tail = b"\0" * (len(sound) % 2) + b"LIST" + struct.pack("<I", len(entry) + 4) + b"INFO" + entry
    body = sound[8:] + tail
    return b"RIFF" + struct.pack("<I", len(body)) + body


def _tar(form: int) -> bytes:
    made, long = io.BytesIO(), "long" * (40 if form == tarfile.PAX_FORMAT else 4)
    with tarfile.open(fileobj=made, mode="w", format=form) as archive:
        for name, kind, data in (
            ("folder", tarfile.DIRTYPE, b""),
            ("folder/hello.txt", tarfile.REGTYPE, b"hello"),
            (f"folder/{long}ü", tarfile.REGTYPE, b"x" * 513),
            ("link", tarfile.SYMTYPE, b""),
        ):
            info = tarfile.TarInfo(name)
            info.type, info.size, info.mtime, info.mode = kind, len(data), _LONG_AGO, 0o644
            info.uname, info.gname = "someone", "users"
            info.linkname = "folder/hello.txt" if kind == tarfile.SYMTYPE else ""
            archive.addfile(info, io.BytesIO(data))
    return made.getvalue()


def _sqlite() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made.db"
        database = sqlite3.connect(path)
        database.execute("PRAGMA page_size = 512")
        database.execute("CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT, size, data BLOB)")
        database.execute("CREATE INDEX by_name ON things (name)")
        sizes = (None, 0, 1, -3, 300, 70_000, 5_000_000_000, 1 << 60, 2.5)
        rows = [(f"thing {at}", sizes[at % len(sizes)], bytes([at] * (at % 5))) for at in range(40)]
        database.executemany("INSERT INTO things (name, size, data) VALUES (?, ?, ?)", rows)
        database.commit()
        database.close()
        return path.read_bytes()


def _elf(order: str, *, wide: bool) -> bytes:
    """An object with names, symbols, a note and a segment that asks for a loader."""
    word = "Q" if wide else "I"
    head = struct.calcsize(f"{order}HHI{word}{word}{word}IHHHHHH") + 16
    segment, section = (56, 64) if wide else (32, 40)
    names = b"\0.shstrtab\0.dynsym\0.note\0.bss\0"
    if wide:
        symbols = bytes(24) + struct.pack(f"{order}IBBHQQ", 1, 0x12, 2, 1, 0x1000, 16)
    else:
        symbols = bytes(16) + struct.pack(f"{order}IIIBBH", 1, 0x1000, 16, 0x12, 2, 1)
    note = struct.pack(f"{order}III", 4, 5, 1) + b"GNU\0" + b"abcde\0\0\0"
    loader = b"/lib/ld.so\0"
    bodies, places, at = [names, symbols, note, loader], [], head + segment
    for each in bodies:
        places.append(at)
        at += len(each)
    ident = b"\x7fELF" + bytes([1 + wide, 1 if order == "<" else 2, 1, 0, 0]) + bytes(7)
    fields = (3, 62 if wide else 8, 1, 0x1000, head, at, 0, head, segment, 1, section, 5, 1)
    header = struct.pack(f"{order}HHI{word}{word}{word}IHHHHHH", *fields)
    asked = (places[3], 0x2000, 0x2000, len(loader), len(loader))
    if wide:
        program = struct.pack(f"{order}IIQQQQQQ", 3, 4, *asked, 1)
    else:
        program = struct.pack(f"{order}IIIIIIII", 3, *asked, 4, 1)
    rows = [
        (0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
        (1, 3, 0, 0, places[0], len(names), 0, 0, 1, 0),
        (11, 11, 2, 0, places[1], len(symbols), 1, 1, 8, 24 if wide else 16),
        (19, 7, 2, 0, places[2], len(note), 0, 0, 4, 0),
        (25, 8, 3, 0x3000, places[3], 4096, 0, 0, 8, 0),
    ]
    form = f"{order}II{word}{word}{word}{word}II{word}{word}"
    table = b"".join(struct.pack(form, *row) for row in rows)
    return ident + header + program + b"".join(bodies) + table


def _packets() -> list[bytes]:
    macs = bytes.fromhex("0180c2000000020000000001")
    udp = struct.pack(">HHHH", 53, 5353, 12, 0) + b"ping"
    tcp = struct.pack(">HHIIBBHHH", 80, 40000, 7, 9, 0x60, 0x12, 512, 0, 0) + b"\1\1\1\0" + b"GET"

    def ipv4(protocol: int, body: bytes) -> bytes:
        head = struct.pack(">BBHHHBBH", 0x45, 2, 20 + len(body), 9, 0x4000, 64, protocol, 0)
        return head + bytes([192, 168, 1, 2]) + bytes([10, 0, 0, 1]) + body

    ipv6 = struct.pack(">IHBB", 0x6001_2345, len(udp), 17, 9) + bytes(range(32)) + udp
    return [
        macs + b"\x08\x00" + ipv4(17, udp),
        macs + b"\x81\x00" + b"\x20\x07\x08\x00" + ipv4(6, tcp),
        macs + b"\x86\xdd" + ipv6,
        macs + b"\x08\x06" + b"who has it?",
    ]


def _pcap(order: str, magic: int) -> bytes:
    parts = [struct.pack(f"{order}IHHiIII", magic, 2, 4, 0, 0, 65535, 1)]
    for at, body in enumerate(_packets()):
        parts += [struct.pack(f"{order}IIII", _LONG_AGO, at, len(body), len(body) + at), body]
    return b"".join(parts)


def _gzip_full() -> bytes:
    plain = b"plain " * 20
    deflate = zlib.compressobj(wbits=-15)
    extra = b"ab\x03\x00xyz" + b"cd\x00\x00"
    head = b"\x1f\x8b\x08\x1f" + struct.pack("<IBB", _LONG_AGO, 4, 11)
    head += struct.pack("<H", len(extra)) + extra + b"name.txt\0" + b"caf\xe9\0"
    head += struct.pack("<H", zlib.crc32(head) & 0xFFFF)
    body = deflate.compress(plain) + deflate.flush()
    return head + body + struct.pack("<II", zlib.crc32(plain), len(plain))


def _bmp(bits: int, height: int) -> bytes:
    width, rows = 3, abs(height)
    row = (width * bits + 31) // 32 * 4
    tones = range(1 << bits) if bits <= 8 else ()
    palette = b"".join(bytes([tone * 16 % 256, tone, 255 - tone, 0]) for tone in tones)
    start = 54 + len(palette)
    pixels = bytes((at * 11) % 256 for at in range(row * rows))
    info = struct.pack("<IiiHHIIiiII", 40, width, height, 1, bits, 0, len(pixels), 2835, 2835, 0, 0)
    return b"BM" + struct.pack("<I4xI", start + len(pixels), start) + info + palette + pixels


def _bmp_core() -> bytes:
    pixels = bytes(range(8))
    head = struct.pack("<IHHHH", 12, 9, 2, 1, 1)
    palette = b"\0\0\0\xff\xff\xff"
    return b"BM" + struct.pack("<I4xI", 32 + len(pixels), 32) + head + palette + pixels


def _ttf() -> bytes:
    return (Path(str(ttf_opensans.__file__)).parent / "ttf/OpenSans-Regular.ttf").read_bytes()


def _track(*events: bytes) -> bytes:
    body = b"".join(events)
    return b"MTrk" + struct.pack(">I", len(body)) + body


def _midi() -> bytes:
    names = _track(
        b"\0\xff\x03\x05Piano",
        b"\0\xff\x51\x03" + (500_000).to_bytes(3, "big"),
        b"\0\xff\x58\x04\x04\x02\x18\x08",
        b"\0\xff\x2f\0",
    )
    notes = _track(
        b"\0\xc0\x05",
        b"\0\x90\x3c\x40",
        b"\x81\x00\x3c\x00",  # the status is that of the event before
        b"\x83\x60\xe0\x00\x40",
        b"\0\xb0\x07\x7f",
        b"\0\xf0\x03\x7e\x09\xf7",
        b"\0\xff\x2f\0",
    )
    return b"MThd" + struct.pack(">IHHh", 6, 1, 2, 480) + names + notes


def _midi_frames() -> bytes:
    return b"MThd" + struct.pack(">IHHh", 6, 0, 1, -25 << 8 | 40) + _track(b"\0\xff\x2f\0")


FILES: Final[dict[str, list[Callable[[], bytes]]]] = {
    "bmp": [lambda: _bmp(24, 2), lambda: _bmp(8, -2), lambda: _bmp(4, 1), _bmp_core],
    "elf": [
        lambda: _elf("<", wide=True),
        lambda: _elf(">", wide=True),
        lambda: _elf("<", wide=False),
        lambda: _elf(">", wide=False),
    ],
    "gif": [_gif],
    "gz": [lambda: gzip.compress(b"hello " * 9, mtime=_LONG_AGO), _gzip_full],
    "internet": [lambda: _packets()[0], lambda: _packets()[1], lambda: _packets()[2]],
    "midi": [_midi, _midi_frames],
    "pcap": [
        lambda: _pcap("<", 0xA1B2C3D4),
        lambda: _pcap(">", 0xA1B2C3D4),
        lambda: _pcap("<", 0xA1B23C4D),
    ],
    "png": [_png_true, _png_indexed],
    "sqlite": [_sqlite],
    "tar": [lambda: _tar(tarfile.PAX_FORMAT), lambda: _tar(tarfile.USTAR_FORMAT)],
    "ttf": [_ttf],
    "wav": [lambda: _wave(2), lambda: _wave(3, 1), _with_info],
    "zip": [_zip],
}
"""The functions that make the files of each spec."""


def files() -> list[tuple[str, int]]:
    """Return every file as its spec and its number."""
    return [(spec, number) for spec, makers in FILES.items() for number in range(len(makers))]
