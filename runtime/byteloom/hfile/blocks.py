"""Blocks: their types, where each begins and ends, and whether its bytes match its checksums.

- A header is checked against the bytes around it: sizes must add up, and the block must not reach
  beyond the section that it is in.
- Checksums cover header and payload.  Type 0 has none: in their place are zeros, or nothing in
  files by Hudi before 1.1.
- A payload stays compressed until `payload_into` is called.

Source: specs/hfile/block.ksy
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from byteloom.codecs.checksums import crc32, crc32c
from byteloom.errors import ChecksumMismatch, FormatError, LimitExceeded, Truncated
from byteloom.hfile.codecs import fill
from byteloom.hfile.encryption import Cipher
from byteloom.limits import Limits
from byteloom.storage import Source
from byteloom_generated.hfile.block import Block as Header
from byteloom_generated.hfile.block import BlockType, ChecksumType, ChecksumWord

__all__ = [
    "FILE_TYPES",
    "HEADER_SIZE",
    "MAGICS",
    "PLACES",
    "TYPE_NAMES",
    "Block",
    "Blocks",
    "mismatches",
]

TYPE_NAMES: Final[dict[int, str]] = {each: each.name.lower() for each in BlockType}
"""Names of block types by their numbers in headers."""

MAGICS: Final = {name: each.to_bytes(8, "big") for each, name in TYPE_NAMES.items()}
"""The bytes that begin a block of each type, by the type's name."""

FILE_TYPES: Final = {magic: name for name, magic in MAGICS.items()}
"""Names of block types by the bytes that begin the block."""

HEADER_SIZE: Final = Header.SIZE
"""Bytes of a block's header."""

PLACES: Final = Header.PLACES
"""Offsets of a header's fields, from its first byte."""

FETCH: Final = 8 << 20
"""Most bytes of one request of a scan."""


@dataclass(frozen=True, slots=True)
class Block:
    """One block, checked.

    Attributes:
        offset: Its first byte, from the start of the file.
        type: A value of `TYPE_NAMES`.
        stored: The payload on disk, still compressed.
        start: Where the payload begins in *buffer*.
        buffer: The bytes that the block was fetched with, or the payload decrypted.
        sealing: Number of bytes by which encryption made the payload longer.
    """

    offset: int
    type: str
    header: Header
    buffer: bytes
    start: int
    sealing: int = 0

    @property
    def size(self) -> int:
        """Bytes of the block, header and checksums included."""
        return HEADER_SIZE + self.header.len_on_disk

    @property
    def end(self) -> int:
        """Where the next block begins in the file."""
        return self.offset + self.size

    @property
    def len_stored(self) -> int:
        """Bytes of the payload on disk, after decryption."""
        return self.header.len_data - HEADER_SIZE - self.sealing

    @property
    def stored(self) -> memoryview:
        """The payload on disk, still compressed."""
        return memoryview(self.buffer)[self.start : self.start + self.len_stored]


class Blocks:
    """The blocks of one file, each read when it is requested."""

    def __init__(
        self,
        source: Source,
        codec: str,
        limits: Limits,
        *,
        verify: bool = True,
        cipher: Cipher | None = None,
    ) -> None:
        """Read blocks of *source*.

        Args:
            verify: Whether to compare every checksum.
            cipher: Decrypts the payloads of an encrypted file.
        """
        self.source, self.codec, self.limits, self.verify = source, codec, limits, verify
        self.room = source.size // HEADER_SIZE
        self.cipher = cipher

    def at(self, offset: int, size: int, end: int) -> Block:
        """Return the block of *size* bytes at *offset* of a section that ends at *end*."""
        if not (offset >= 0 and HEADER_SIZE <= size <= end - offset):
            raise FormatError("block", offset, f"{size} bytes", f"a block before {end}")
        block = self.parse(self.source.read(offset, size), offset, 0, end)
        if block.size != size:
            raise FormatError("block.len_on_disk", offset, block.size, f"{size} bytes in all")
        return block

    def between(self, start: int, end: int, known: bytes = b"", base: int = 0) -> Iterator[Block]:
        """Yield the blocks that fill *start* to *end*.

        Args:
            known: Bytes that were fetched already; the first is at offset *base* of the file.
        """
        buffer, first = known, base
        at = start
        while at < end:
            wanted = HEADER_SIZE
            for _ in range(2):
                if not first <= at <= at + wanted <= first + len(buffer):
                    length = min(max(FETCH, wanted), end - at)
                    buffer, first = self.source.read(at, length), at
                if wanted != HEADER_SIZE:
                    break
                wanted = self._size(buffer, at, at - first, end)
            block = self.parse(buffer, at, at - first, end)
            yield block
            at = block.end

    def _size(self, buffer: bytes, offset: int, at: int, end: int) -> int:
        header = self.header(buffer, offset, at)
        size: int = HEADER_SIZE + header.len_on_disk
        if size > end - offset:
            wanted = f"at most {end - offset - HEADER_SIZE}, where the section ends"
            raise Truncated(
                "block.len_on_disk", offset + PLACES["len_on_disk"], header.len_on_disk, wanted
            )
        return size

    def header(self, buffer: bytes, offset: int, at: int = 0) -> Header:
        """Return the header at index *at* of *buffer*, which is at *offset* of the file."""
        raw = buffer[at : at + HEADER_SIZE]
        if len(raw) == HEADER_SIZE and raw[:8] not in FILE_TYPES:
            names = ", ".join(name.decode() for name in FILE_TYPES)
            raise FormatError("block.magic", offset, raw[:8], f"one of {names}")
        return Header.from_bytes(raw, origin=offset)

    def check_header(self, raw: bytes, offset: int, end: int) -> None:
        """Raise an error for a wrong header *raw* at *offset*, in a section that ends at *end*."""
        self._size(raw, offset, 0, end)
        _check_room(self.header(raw, offset), offset)

    def parse(self, buffer: bytes, offset: int, at: int, end: int) -> Block:
        """Return the block at index *at* of *buffer* and at *offset* of the file, checked."""
        size = self._size(buffer, offset, at, end)
        header = self.header(buffer, offset, at)
        block = Block(offset, TYPE_NAMES[header.magic], header, buffer, at + HEADER_SIZE)
        if at + size > len(buffer):
            raise Truncated("block", offset, f"{len(buffer) - at} bytes", f"{size} bytes")
        _check_room(header, offset)
        if self.verify:
            for error in mismatches(block, memoryview(buffer)[at : at + size]):
                raise error
        if self.cipher is not None:
            payload = self.cipher.opened(block.stored, offset)
            block = replace(block, buffer=payload, start=0, sealing=block.len_stored - len(payload))
        place = offset + PLACES["len_uncompressed"]
        if header.len_uncompressed > self.limits.decompressed_size:
            wanted = f"at most {self.limits.decompressed_size} (limits.decompressed_size)"
            raise LimitExceeded("block.len_uncompressed", place, header.len_uncompressed, wanted)
        if self.codec == "NONE" and header.len_uncompressed != block.len_stored:
            found = f"{header.len_uncompressed} of {block.len_stored}"
            raise FormatError("block.len_uncompressed", place, found, "all, without a codec")
        return block

    def payload(self, block: Block) -> bytes:
        """Return the payload of *block*, decompressed."""
        if self.codec == "NONE":
            return bytes(block.stored)
        out = bytearray(block.header.len_uncompressed)
        self.payload_into(block, memoryview(out))
        return bytes(out)

    def payload_into(self, block: Block, out: memoryview) -> None:
        """Decompress the payload into *out*, which has exactly the size that the header says."""
        self.decompress(block.stored, out, block.offset, block.type)

    def decompress(self, stored: memoryview, out: memoryview, offset: int, name: str) -> None:
        """Decompress *stored*, the payload of a block at *offset*, into *out*."""
        try:
            fill(self.codec, stored, out)
        except FormatError as error:
            error.offset = offset
            raise error.inside(name) from error.__cause__


def _check_room(header: Header, offset: int) -> None:
    """Check that the checksums fill the rest of a block after its payload."""
    room = HEADER_SIZE + header.len_on_disk - header.len_data
    null = header.checksum_type == ChecksumType.NULL
    sums = ChecksumWord.SIZE * header.num_checksums
    if room != sums and not (null and room == 0):
        found = f"{room} bytes after {header.len_data}"
        raise FormatError("block.len_data", offset + PLACES["len_data"], found, f"{sums}")


def mismatches(block: Block, raw: memoryview) -> Iterator[FormatError]:
    """Yield an error for each run of bytes of *raw*, a whole block, that fails its checksum."""
    header = block.header
    data, sums = raw[: header.len_data], raw[header.len_data :]
    if header.checksum_type == ChecksumType.NULL:
        if any(sums):
            wanted = "1 or 2: there are checksums"
            at = block.offset + PLACES["checksum_type"]
            yield FormatError("block.checksum_type", at, 0, wanted)
        return
    checksum = crc32 if header.checksum_type == ChecksumType.CRC32 else crc32c
    step = header.bytes_per_checksum
    for index, stored in enumerate(np.frombuffer(sums, ">u4").tolist()):
        computed = checksum(data[index * step : (index + 1) * step])
        if computed != stored:
            path = f"{block.type}.checksums[{index}]"
            at = block.offset + header.len_data + ChecksumWord.SIZE * index
            covered = data[index * step : (index + 1) * step]
            begin = block.offset + index * step
            of = f"bytes {begin} to {begin + len(covered) - 1} of the file"
            wanted = f"0x{computed:08x}, the checksum of {of}"
            yield ChecksumMismatch(path, at, f"0x{stored:08x}", wanted)
