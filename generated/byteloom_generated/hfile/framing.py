# Written by byteloom-codegen from specs/hfile/framing.ksy; do not edit.
# To change it, edit that file and generate again.
"""Hadoop's framing of compressed blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from byteloom.wire import FieldRun, Reader, Record, Writer
from byteloom.wire.calc import given

__all__ = ["Chunk", "Framing"]


_FRAMING_LEN_GROUP = FieldRun(">I", "len_group")


@dataclass(slots=True, kw_only=True)
class Framing(Record):
    """What SNAPPY, LZ4, LZO, BROTLI and two of HBase's three ZSTD codecs put around
    their output: groups of chunks. A group says how many bytes it decompresses to,
    and has as many chunks as it takes to give them. How many bytes a chunk gives is
    known by its codec alone, so one chunk is what can be described here.

        len_group | len_chunk | chunk | len_chunk | chunk | len_group = 0

    The group of length zero ends a block of more than one chunk; a block of no
    bytes is that group alone.

        at  size  field      stored as
         0     4  len_group  u4be
         4        first      chunk, optional
    """

    NAME: ClassVar[str] = "framing"
    MIN_SIZE: ClassVar[int] = 4

    len_group: int
    """Bytes of this group when decompressed."""

    first: Chunk | None = None

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.len_group = r.u4be("len_group")
        self.first = r.record("first", Chunk.read) if self.len_group > 0 else None
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        w.out += _FRAMING_LEN_GROUP.pack(self.len_group)
        if self.len_group > 0:
            first_ = given(self.first, "first")
            w.record("first", first_, Chunk)
        elif self.first is not None:
            raise w.unexpected("first", self.first)


_CHUNK_LEN_CHUNK = FieldRun(">I", "len_chunk")


@dataclass(slots=True, kw_only=True)
class Chunk(Record):
    """The output of one call of the codec, after its length.

    at  size  field      stored as
     0     4  len_chunk  u4be
     4        data       bytes
    """

    NAME: ClassVar[str] = "chunk"
    MIN_SIZE: ClassVar[int] = 4

    data: bytes

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        len_chunk = r.u4be("len_chunk")
        if len_chunk < 1:
            raise r.invalid("len_chunk", r.offset - 4, len_chunk, "at least 1")
        self.data = r.bytes("data", len_chunk)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        out = w.out
        if len(self.data) < 1:
            raise w.invalid("len_chunk", len(self.data), "at least 1")
        out += _CHUNK_LEN_CHUNK.pack(len(self.data))
        out += self.data

    @property
    def len_chunk(self) -> int:
        """Bytes of `data`."""
        return len(self.data)
