# Written by byteloom-codegen from specs/hfile/bloom.ksy; do not edit.
# To change it, edit that file and generate again.
"""Bloom filters of HBase, in chunks."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar, Self

from byteloom.wire import FieldRun, Reader, Record, Writer
from byteloom.wire.calc import labels, named

from .index import RootEntry
from .varints import HadoopVlong

__all__ = ["Bloom", "HashType"]


@labels
class HashType(IntEnum):
    """The values of `hash_type`."""

    JENKINS = 0
    """Bob Jenkins' hashlittle of lookup3.c, the seed as initval."""
    MURMUR = 1
    """MurmurHash2 of 32 bits, with one difference: the bytes after the last whole word
    of four are signed, so that one above 127 also sets all bits above its own.
    """
    MURMUR3 = 2
    """MurmurHash3_x86_32."""


_BLOOM_LEN_CHUNKS = FieldRun(
    ">qiiqqi",
    "len_chunks",
    "num_hashes",
    "hash_type",
    "num_keys",
    "max_keys",
    "num_chunks",
)


@dataclass(slots=True, kw_only=True)
class Bloom(Record):
    """The metadata of a filter, in a BLMFMET2 or DFBLMET2 block. The filter itself is
    among the data, in chunks: BLMFBLK2 blocks that hold bare bits, bit i being bit
    i % 8 of byte i / 8. A key belongs to the last chunk whose first key is not
    after it.

    With h1 the hash of the key from seed 0 and h2 that from seed h1, the key's bits
    are abs(h1 + i * h2) % n for i below num_hashes, where n is the number of bits
    of the chunk, eight times the bytes of its payload. The hashes and the sum are
    signed integers of 32 bits, and wrap.

    What is hashed follows from the entry BLOOM_FILTER_TYPE of the file info
    (info_entries.yaml): the row (ROW), its first bytes (ROWPREFIX_FIXED_LENGTH), or
    a whole cell key (ROWCOL, see cell.ksy) with the row, no family, the qualifier,
    the timestamp 2^63 - 1 and the type 255. A DFBLMET2 block is about rows.

        at  size  field           stored as
         0     4  version         s4be
         4     8  len_chunks      s8be
        12     4  num_hashes      s4be
        16     4  hash_type       s4be, enum hash_type
        20     8  num_keys        s8be
        28     8  max_keys        s8be
        36     4  num_chunks      s4be
        40        len_comparator  hadoop_vlong
                  comparator      bytes
                  chunks          root_entry, repeated

    Source: https://hbase.apache.org/book.html#_bloom_filters
    """

    NAME: ClassVar[str] = "bloom"
    MIN_SIZE: ClassVar[int] = 41
    FOLLOWS: ClassVar[bool] = True
    MOST: ClassVar[dict[str, int]] = {"num_hashes": 255}

    version: int = 3

    len_chunks: int
    """Bytes of the bits of all chunks."""

    num_hashes: int
    hash_type: HashType | int
    num_keys: int
    max_keys: int
    len_comparator: HadoopVlong

    comparator: bytes
    """Class that orders the chunks' keys; empty where they are rows."""

    chunks: list[RootEntry]

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.version = r.s4be("version")
        if self.version != 3:
            raise r.invalid("version", r.offset - 4, self.version, "3")
        self.len_chunks = r.s8be("len_chunks")
        if self.len_chunks < 0:
            raise r.invalid("len_chunks", r.offset - 8, self.len_chunks, "at least 0")
        self.num_hashes = r.s4be("num_hashes")
        if self.num_hashes < 1:
            raise r.invalid("num_hashes", r.offset - 4, self.num_hashes, "at least 1")
        if self.num_hashes > 255:
            raise r.invalid("num_hashes", r.offset - 4, self.num_hashes, "at most 255")
        self.hash_type = named(HashType, r.s4be("hash_type"))
        if type(self.hash_type) is int:
            raise r.invalid(
                "hash_type", r.offset - 4, self.hash_type, "a value that the enum names"
            )
        self.num_keys = r.s8be("num_keys")
        if self.num_keys < 0:
            raise r.invalid("num_keys", r.offset - 8, self.num_keys, "at least 0")
        self.max_keys = r.s8be("max_keys")
        if self.max_keys < 0:
            raise r.invalid("max_keys", r.offset - 8, self.max_keys, "at least 0")
        num_chunks = r.s4be("num_chunks")
        if num_chunks < 0:
            raise r.invalid("num_chunks", r.offset - 4, num_chunks, "at least 0")
        self.len_comparator = r.record("len_comparator", HadoopVlong.read)
        self.comparator = r.bytes("comparator", self.len_comparator.value)
        self.chunks = r.records(
            "chunks", num_chunks, RootEntry.read, RootEntry.MIN_SIZE
        )
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        if self.version != 3:
            raise w.invalid("version", self.version, "3")
        w.s4be("version", self.version)
        if self.len_chunks < 0:
            raise w.invalid("len_chunks", self.len_chunks, "at least 0")
        if self.num_hashes < 1:
            raise w.invalid("num_hashes", self.num_hashes, "at least 1")
        if self.num_hashes > 255:
            raise w.invalid("num_hashes", self.num_hashes, "at most 255")
        if type(named(HashType, self.hash_type)) is int:
            raise w.invalid("hash_type", self.hash_type, "a value that the enum names")
        if self.num_keys < 0:
            raise w.invalid("num_keys", self.num_keys, "at least 0")
        if self.max_keys < 0:
            raise w.invalid("max_keys", self.max_keys, "at least 0")
        if len(self.chunks) < 0:
            raise w.invalid("num_chunks", len(self.chunks), "at least 0")
        w.out += _BLOOM_LEN_CHUNKS.pack(
            self.len_chunks,
            self.num_hashes,
            self.hash_type,
            self.num_keys,
            self.max_keys,
            len(self.chunks),
        )
        w.record("len_comparator", self.len_comparator, HadoopVlong)
        w.bytes(
            "comparator",
            self.comparator,
            self.len_comparator.value,
            by="len_comparator.value",
        )
        w.records("chunks", self.chunks, RootEntry)

    @property
    def num_chunks(self) -> int:
        """How many `chunks` there are."""
        return len(self.chunks)

    @property
    def _size_of_comparator(self) -> int:
        """The bytes of `comparator`: `len_comparator.value`."""
        return self.len_comparator.value
