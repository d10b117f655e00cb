# Written by byteloom-codegen from specs/puffin/deletion_vector.ksy; do not edit.
# To change it, edit that file and generate again.
"""Iceberg deletion vector (Puffin blob deletion-vector-v1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from byteloom.wire import FieldRun, Reader, Record, Writer

__all__ = ["DeletionVector"]


_DELETION_VECTOR_LEN_CONTENT = FieldRun(">I", "len_content")


@dataclass(slots=True, kw_only=True)
class DeletionVector(Record):
    """A deletion vector says which rows of one data file are deleted.

    It is the only blob of Puffin that frames itself, and the frame is that of Delta
    Lake: its length and its checksum are big-endian, everything inside is
    little-endian.

        len_content | magic | vector          | crc
                    `- len_content bytes -----'

    The file that it is about, and how many rows are deleted, are in the properties
    of the blob: referenced-data-file and cardinality.

        at  size  field        stored as
         0     4  len_content  u4be
         4     4  magic        b"\\xd1\\xd39d"
         8        vector       bytes
               4  crc          u4be

    Source: https://iceberg.apache.org/puffin-spec/#deletion-vector-v1-blob-type
    """

    NAME: ClassVar[str] = "deletion_vector"
    MIN_SIZE: ClassVar[int] = 12
    magic: ClassVar[bytes] = b"\xd1\xd39d"

    vector: bytes
    """The positions of deleted rows as one roaring_map (see roaring_bitmap.ksy), which
    ends where the vector ends.
    """

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        len_content = r.u4be("len_content")
        if len_content < 12:
            raise r.invalid("len_content", r.offset - 4, len_content, "at least 12")
        magic_at = r.pos
        r.magic("magic", b"\xd1\xd39d")
        self.vector = r.bytes("vector", len_content - 4)
        at = r.offset
        computed = r.crc32(magic_at, r.pos)
        crc = r.u4be("crc")
        if crc != computed:
            raise r.damaged("crc", at, crc, computed)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        out = w.out
        if self.len_content < 12:
            raise w.invalid("len_content", self.len_content, "at least 12")
        out += _DELETION_VECTOR_LEN_CONTENT.pack(self.len_content)
        magic_at = w.pos
        out += b"\xd1\xd39d"
        out += self.vector
        w.u4be("crc", w.crc32(magic_at, w.pos))

    @property
    def len_content(self) -> int:
        """Bytes of magic and vector together; the blob is eight bytes longer."""
        return len(self.vector) + 4
