# Written by byteloom-codegen from specs/hfile/hudi_bloom.ksy; do not edit.
# To change it, edit that file and generate again.
"""Bloom filters of Hudi."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from byteloom.wire import FieldRun, Reader, Record, Writer

__all__ = ["Dynamic", "Head", "HudiBloom"]


@dataclass(slots=True, kw_only=True)
class HudiBloom(Record):
    """The filter of a file's keys that Hudi keeps in a meta block, in base64, and in
    the bloom_filters partition of its metadata table. Hadoop's own form: bit i is
    bit i % 8 of byte i / 8. The hashes of a key are a chain: each is seeded with
    the one before, the first with 0, and sets bit abs(hash % num_bits).

    This is the form named SIMPLE; DYNAMIC_V0 is the type dynamic, rows of which
    each is a filter of its own.

        at  size  field  stored as
         0    13  head   head
        13        bits   bytes
    """

    NAME: ClassVar[str] = "hudi_bloom"
    MIN_SIZE: ClassVar[int] = 13
    FOLLOWS: ClassVar[bool] = True

    head: Head
    bits: bytes

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.head = r.record("head", Head.read)
        self.bits = r.bytes("bits", (self.head.num_bits + 7) // 8)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        w.record("head", self.head, Head)
        w.bytes(
            "bits",
            self.bits,
            (self.head.num_bits + 7) // 8,
            by="(head.num_bits + 7) / 8",
        )

    @property
    def _size_of_bits(self) -> int:
        """The bytes of `bits`: `(head.num_bits + 7) / 8`."""
        return (self.head.num_bits + 7) // 8


_HEAD_VERSION = FieldRun(">iiBi", "version", "num_hashes", "hash_type", "num_bits")


@dataclass(slots=True, kw_only=True)
class Head(Record):
    """How a filter was made, and its size.

    at  size  field       stored as
     0     4  version     s4be
     4     4  num_hashes  s4be
     8     1  hash_type   u1
     9     4  num_bits    s4be
    """

    NAME: ClassVar[str] = "head"
    MIN_SIZE: ClassVar[int] = 13
    SIZE: ClassVar[int] = 13
    MOST: ClassVar[dict[str, int]] = {"num_hashes": 255}
    PLACES: ClassVar[dict[str, int]] = {
        "version": 0,
        "num_hashes": 4,
        "hash_type": 8,
        "num_bits": 9,
    }

    version: int
    num_hashes: int

    hash_type: int
    """Murmur2."""

    num_bits: int

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.version = r.s4be("version")
        if self.version != -1:
            raise r.invalid("version", r.offset - 4, self.version, "-1")
        self.num_hashes = r.s4be("num_hashes")
        if self.num_hashes < 1:
            raise r.invalid("num_hashes", r.offset - 4, self.num_hashes, "at least 1")
        if self.num_hashes > 255:
            raise r.invalid("num_hashes", r.offset - 4, self.num_hashes, "at most 255")
        self.hash_type = r.u1("hash_type")
        if self.hash_type != 1:
            raise r.invalid("hash_type", r.offset - 1, self.hash_type, "1")
        self.num_bits = r.s4be("num_bits")
        if self.num_bits < 1:
            raise r.invalid("num_bits", r.offset - 4, self.num_bits, "at least 1")
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        if self.version != -1:
            raise w.invalid("version", self.version, "-1")
        if self.num_hashes < 1:
            raise w.invalid("num_hashes", self.num_hashes, "at least 1")
        if self.num_hashes > 255:
            raise w.invalid("num_hashes", self.num_hashes, "at most 255")
        if self.hash_type != 1:
            raise w.invalid("hash_type", self.hash_type, "1")
        if self.num_bits < 1:
            raise w.invalid("num_bits", self.num_bits, "at least 1")
        w.out += _HEAD_VERSION.pack(
            self.version, self.num_hashes, self.hash_type, self.num_bits
        )


_DYNAMIC_KEYS_PER_ROW = FieldRun(">iii", "keys_per_row", "keys_in_last_row", "num_rows")


@dataclass(slots=True, kw_only=True)
class Dynamic(Record):
    """A filter that grows by a row whenever its last row is full.

    at  size  field             stored as
     0    13  head              head
    13     4  keys_per_row      s4be
    17     4  keys_in_last_row  s4be
    21     4  num_rows          s4be
    25        rows              hudi_bloom, repeated
    """

    NAME: ClassVar[str] = "dynamic"
    MIN_SIZE: ClassVar[int] = 25

    head: Head
    keys_per_row: int
    keys_in_last_row: int
    rows: list[HudiBloom]

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.head = r.record("head", Head.read)
        self.keys_per_row, self.keys_in_last_row, num_rows = r.run(
            _DYNAMIC_KEYS_PER_ROW
        )
        if num_rows < 1:
            raise r.invalid("num_rows", r.offset - 4, num_rows, "at least 1")
        self.rows = r.records("rows", num_rows, HudiBloom.read, HudiBloom.MIN_SIZE)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        w.record("head", self.head, Head)
        if len(self.rows) < 1:
            raise w.invalid("num_rows", len(self.rows), "at least 1")
        w.out += _DYNAMIC_KEYS_PER_ROW.pack(
            self.keys_per_row, self.keys_in_last_row, len(self.rows)
        )
        w.records("rows", self.rows, HudiBloom)

    @property
    def num_rows(self) -> int:
        """How many `rows` there are."""
        return len(self.rows)
