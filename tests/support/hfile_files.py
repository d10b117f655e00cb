"""HFiles put together by hand, good or bad, without byteloom's reader."""

from __future__ import annotations

import gzip
from dataclasses import dataclass, field

from tests.support.varints import varint

from byteloom.codecs.checksums import crc32c

LATEST = (1 << 63) - 1
CRC32C = 2
NONE, GZ = 2, 1


@dataclass(frozen=True, kw_only=True)
class Given:
    """One cell to store."""

    row: bytes
    value: bytes = b""
    family: bytes = b"f"
    qualifier: bytes = b""
    timestamp: int = 1
    type: int = 4
    mvcc: int = 0

    @property
    def key(self) -> bytes:
        """The key as it is stored."""
        start = len(self.row).to_bytes(2, "big") + self.row
        names = len(self.family).to_bytes(1, "big") + self.family + self.qualifier
        time = self.timestamp.to_bytes(8, "big", signed=True)
        return start + names + time + bytes([self.type])

    @property
    def stored(self) -> bytes:
        """The whole cell, whose sequence number takes one byte."""
        sizes = len(self.key).to_bytes(4, "big") + len(self.value).to_bytes(4, "big")
        return sizes + self.key + self.value + self.mvcc.to_bytes(1, "big", signed=True)


def checksums(data: bytes, step: int = 1 << 20) -> bytes:
    """The checksums of every *step* bytes."""
    parts = (data[start : start + step] for start in range(0, len(data), step))
    return b"".join(crc32c(part).to_bytes(4, "big") for part in parts)


def framed(magic: bytes, stored: bytes, size: int, previous: int = -1) -> bytes:
    """A block with its header, of a payload of *size* bytes, and its checksum."""
    head = (
        magic + (len(stored) + 4).to_bytes(4, "big") + size.to_bytes(4, "big")
        + previous.to_bytes(8, "big", signed=True) + bytes([CRC32C])
        + (1 << 20).to_bytes(4, "big") + (33 + len(stored)).to_bytes(4, "big")
    )  # fmt: skip
    return head + stored + checksums(head + stored)


def number(field_number: int, value: int) -> bytes:
    """A field of a message that is a number."""
    return varint(field_number << 3) + varint(value)


def text(field_number: int, value: bytes) -> bytes:
    """A field of a message that is bytes."""
    return varint(field_number << 3 | 2) + varint(len(value)) + value


def sized(key: bytes) -> bytes:
    """A key after its length, as Hadoop writes a number in as few bytes as it takes."""
    if len(key) < 128:
        return bytes([len(key)]) + key
    width = (len(key).bit_length() + 7) // 8
    return bytes([0x90 - width]) + len(key).to_bytes(width, "big") + key


@dataclass(kw_only=True)
class Built:
    """A file of one level of index; set an attribute to something wrong before `data` is asked for.

    said  fields of the trailer that are not the truth, by number
    info  file info beside what is always there
    """

    blocks: list[list[Given]]
    codec: int = NONE
    said: dict[int, int | bytes | None] = field(default_factory=dict)
    info: dict[bytes, bytes] = field(default_factory=dict)
    keys: list[bytes] | None = None

    def block(self, magic: bytes, payload: bytes, previous: int = -1) -> bytes:
        """A block with its header and checksum."""
        stored = gzip.compress(payload, mtime=0) if self.codec == GZ else payload
        return framed(magic, stored, len(payload), previous)

    def data(self) -> bytes:
        """The bytes of the file."""
        out, entries, previous = b"", [], -1
        for index, cells in enumerate(self.blocks):
            made = self.block(b"DATABLK*", b"".join(cell.stored for cell in cells), previous)
            key = self.keys[index] if self.keys else cells[0].key
            entries.append(len(out).to_bytes(8, "big") + len(made).to_bytes(4, "big") + sized(key))
            previous, out = len(out), out + made
        load = len(out)
        root = b"".join(entries)
        out += self.block(b"IDXROOT2", root)
        out += self.block(b"IDXROOT2", b"", load)
        info_at, info = len(out), self._file_info()
        out += self.block(b"FILEINF2", info)
        payloads = [sum(len(cell.stored) for cell in cells) for cells in self.blocks]
        total = sum(33 + size for size in [*payloads, 0, len(info)]) + 4096
        count = sum(map(len, self.blocks))
        there = previous >= 0
        true: dict[int, int | bytes | None] = {
            1: info_at, 2: load, 3: len(root), 4: total, 5: len(entries), 6: 0, 7: count, 8: 1,
            9: 0 if there else (1 << 64) - 1, 10: previous if there else (1 << 64) - 1,
            11: b"org.apache.hadoop.hbase.KeyValue$KVComparator", 12: self.codec,
        }  # fmt: skip
        message = b"".join(
            text(name, value) if isinstance(value, bytes) else number(name, value)
            for name, value in (true | self.said).items()
            if value is not None
        )
        start = b'TRABLK"$' + varint(len(message)) + message
        return out + start.ljust(4092, b"\0") + bytes([3, 0, 0, 3])

    def _file_info(self) -> bytes:
        last = self.blocks[-1][-1].key if self.blocks else None
        cells = [cell for block in self.blocks for cell in block]
        count = max(len(cells), 1)
        keys, values = sum(len(cell.key) for cell in cells), sum(len(cell.value) for cell in cells)
        info = (
            {
                b"hfile.AVG_KEY_LEN": (keys // count).to_bytes(4, "big"),
                b"hfile.AVG_VALUE_LEN": (values // count).to_bytes(4, "big"),
                b"KEY_VALUE_VERSION": b"\0\0\0\1",
                b"MAX_MEMSTORE_TS_KEY": max((cell.mvcc for cell in cells), default=0).to_bytes(8),
            }
            | ({b"hfile.LASTKEY": last} if last else {})
            | self.info
        )
        message = b"".join(text(1, text(1, key) + text(2, each)) for key, each in info.items())
        return b"PBUF" + varint(len(message)) + message
