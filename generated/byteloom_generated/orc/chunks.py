# Written by byteloom-codegen from specs/orc/chunks.ksy; do not edit.
# To change it, edit that file and generate again.
"""Compressed streams of an ORC file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from byteloom.wire import Bits, Reader, Record, Writer

__all__ = ["Chunk", "Chunks"]


@dataclass(slots=True, kw_only=True)
class Chunks(Record):
    """Where the postscript names a codec, footers and streams are chunks, each with at
    most as many bytes as the postscript's block size once it is decompressed:

        header | data | header | data | ...

        at  size  field   stored as
         0        chunks  chunk, repeated to the end

    Source: https://orc.apache.org/specification/ORCv1/#compression
    """

    NAME: ClassVar[str] = "chunks"
    MIN_SIZE: ClassVar[int] = 0

    chunks: list[Chunk]

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.chunks = r.records_to_end("chunks", Chunk.read)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        w.records("chunks", self.chunks, Chunk)
        w.ends("chunks")


_CHUNK_IS_ORIGINAL = Bits("little", 1, 23)


@dataclass(slots=True, kw_only=True)
class Chunk(Record):
    """The output of one call of the codec, or bytes that are stored uncompressed.

    at  size  field        stored as
     0        is_original  1 bit le from bit 0
     0        len_data     23 bits le from bit 1
     3        data         bytes
    """

    NAME: ClassVar[str] = "chunk"
    MIN_SIZE: ClassVar[int] = 3

    is_original: bool
    """Whether the data is not compressed, since that would not have made it smaller."""

    data: bytes

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        bits = r.bit_run(("is_original", "len_data"), _CHUNK_IS_ORIGINAL)
        self.is_original = bits & 1 != 0
        len_data = bits >> 1
        self.data = r.bytes("data", len_data)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        out = w.out
        if self.is_original >> 1 or len(self.data) >> 23:
            raise w.too_wide(
                ("is_original", "len_data"),
                _CHUNK_IS_ORIGINAL,
                self.is_original,
                len(self.data),
            )
        out += (self.is_original | len(self.data) << 1).to_bytes(
            3, _CHUNK_IS_ORIGINAL.order
        )
        out += self.data

    @property
    def len_data(self) -> int:
        """Bytes of `data`."""
        return len(self.data)
