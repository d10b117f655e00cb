# Written by byteloom-codegen from specs/puffin/deletion_vector.ksy; do not edit.
# To change it, edit that file and run `make generate`.
"""Iceberg deletion vector (Puffin blob deletion-vector-v1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from byteloom.wire import Reader, Record, Writer

__all__ = ["DeletionVector"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletionVector(Record):
    """A deletion vector says which rows of one data file are deleted."""

    NAME: ClassVar = "deletion_vector"
    MIN_SIZE: ClassVar = 12

    vector: bytes

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        at = r.offset
        len_content = r.u4be("len_content")
        if len_content < 12:
            raise r.invalid("len_content", at, len_content, "at least 12")
        start = r.pos
        r.magic("magic", b"\xd1\xd3\x39\x64")
        vector = r.bytes("vector", len_content - 4)
        wanted = r.crc32(start, r.pos)
        at = r.offset
        crc = r.u4be("crc")
        if crc != wanted:
            raise r.damaged("crc", at, crc, wanted)
        return cls(vector=vector)

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        w.u4be("len_content", len(self.vector) + 4)
        start = w.pos
        w.magic("magic", b"\xd1\xd3\x39\x64")
        w.bytes("vector", self.vector)
        w.u4be("crc", w.crc32(start, w.pos))
