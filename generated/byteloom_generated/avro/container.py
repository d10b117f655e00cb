# Written by byteloom-codegen from specs/avro/container.ksy; do not edit.
# To change it, edit that file and generate again.
"""Avro's object container files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from byteloom.wire import Reader, Record, Writer
from byteloom.wire.calc import element, encoded, given, pass_to

__all__ = [
    "Block",
    "BlockHead",
    "Container",
    "Header",
    "Long",
    "MetadataBlock",
    "MetadataEntry",
]


@dataclass(slots=True, kw_only=True)
class Container(Record):
    """A file of records in Avro's binary form: a header with their schema, and blocks,
    each of some records, compressed as the header says.

        magic | metadata | sync | block | block | ...

        block: num_objects | len_objects | objects | sync

    What a record is follows from the schema, which this language cannot say.

        at  size  field   stored as
         0        header  header
                  blocks  block, repeated to the end

    Source: https://avro.apache.org/docs/1.12.0/specification/#object-container-files
    """

    NAME: ClassVar[str] = "container"
    MIN_SIZE: ClassVar[int] = 21
    FOLLOWS: ClassVar[bool] = True

    header: Header
    blocks: list[Block]

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.header = r.record("header", Header.read)
        self.blocks = []
        for _ in r.to_end("blocks"):
            it = r.record("blocks", Block.read, (self.header.sync,))
            self.blocks.append(it)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        for it in self.blocks:
            pass_to(it, marker=self.header.sync)
        w.record("header", self.header, Header)
        w.records("blocks", self.blocks, Block)
        w.ends("blocks")


@dataclass(slots=True, kw_only=True)
class Header(Record):
    """The beginning of a file.

    at  size  field     stored as
     0     4  magic     b"Obj\\x01"
     4        metadata  metadata_block, repeated
          16  sync      bytes
    """

    NAME: ClassVar[str] = "header"
    MIN_SIZE: ClassVar[int] = 21
    magic: ClassVar[bytes] = b"Obj\x01"

    metadata: list[MetadataBlock]
    """A map of text to bytes, in blocks. The last block is the one without entries."""

    sync: bytes
    """Drawn at random for each file. Every block ends with the same bytes."""

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        r.magic("magic", b"Obj\x01")
        self.metadata = []
        for _ in r.endless("metadata"):
            it = r.another("metadata", self.metadata, MetadataBlock.read)
            if it.num_entries == 0:
                break
        self.sync = r.bytes("sync", 16)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        w.out += b"Obj\x01"
        if not self.metadata:
            raise w.invalid("metadata", "no elements", "at least one")
        for index, it in enumerate(self.metadata):
            w.record("metadata", it, MetadataBlock)
            if (it.num_entries == 0) != (index == len(self.metadata) - 1):
                raise w.unended(
                    "metadata",
                    it,
                    "an element of which _.num_entries.value == 0, at the end and only there",
                )
        w.bytes("sync", self.sync, 16)


@dataclass(slots=True, kw_only=True)
class MetadataBlock(Record):
    """Some entries of the map.

        at  size  field        stored as
         0        num_entries  long
                  len_entries  long, optional
                  entries      metadata_entry, repeated

    Source: https://avro.apache.org/docs/1.12.0/specification/#maps-1
    """

    NAME: ClassVar[str] = "metadata_block"
    MIN_SIZE: ClassVar[int] = 1

    num_entries: int
    """Negative where the size of the entries follows; there are as many without the
    sign.
    """

    len_entries: int | None = None
    """Number of bytes of the entries, for readers that skip them. Other readers ignore
    it.
    """

    entries: list[MetadataEntry]

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.num_entries = r.zigzag("num_entries")
        self.len_entries = None
        if self.num_entries < 0:
            at = r.offset
            self.len_entries = r.zigzag("len_entries")
            if not self.len_entries >= 0:
                raise r.invalid("len_entries", at, self.len_entries, "at least 0")
        self.entries = r.records(
            "entries",
            -self.num_entries if self.num_entries < 0 else self.num_entries,
            MetadataEntry.read,
            MetadataEntry.MIN_SIZE,
        )
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        w.zigzag("num_entries", self.num_entries)
        if self.num_entries < 0:
            len_entries = given(self.len_entries, "len_entries")
            if not len_entries >= 0:
                raise w.invalid("len_entries", len_entries, "at least 0")
            w.zigzag("len_entries", len_entries)
        elif self.len_entries is not None:
            raise w.unexpected("len_entries", self.len_entries)
        if len(self.entries) != (
            -self.num_entries if self.num_entries < 0 else self.num_entries
        ):
            w.check_count(
                "entries",
                self.entries,
                -self.num_entries if self.num_entries < 0 else self.num_entries,
                "num_entries.value < 0 ? -num_entries.value : num_entries.value",
            )
        w.records("entries", self.entries, MetadataEntry)

    @property
    def _number_of_entries(self) -> int:
        """The elements of `entries`: `num_entries.value < 0 ? -num_entries.value :
        num_entries.value`.
        """
        return -self.num_entries if self.num_entries < 0 else self.num_entries


@dataclass(slots=True, kw_only=True)
class MetadataEntry(Record):
    """A property of the file. `avro.schema` is the schema of its records as JSON, and
    `avro.codec` what compresses the objects of a block: `null` or nothing,
    `deflate`, or an optional one. Other names that begin with `avro.` are reserved.

        at  size  field      stored as
         0        len_key    long
                  key        text in UTF-8
                  len_value  long
                  value      bytes
    """

    NAME: ClassVar[str] = "metadata_entry"
    MIN_SIZE: ClassVar[int] = 2

    key: str
    value: bytes

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        at = r.offset
        len_key = r.zigzag("len_key")
        if not len_key >= 0:
            raise r.invalid("len_key", at, len_key, "at least 0")
        self.key = r.text("key", r.bytes("key", len_key), "UTF-8")
        at = r.offset
        len_value = r.zigzag("len_value")
        if not len_value >= 0:
            raise r.invalid("len_value", at, len_value, "at least 0")
        self.value = r.bytes("value", len_value)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        out = w.out
        if not self.len_key >= 0:
            raise w.invalid("len_key", self.len_key, "at least 0")
        w.zigzag("len_key", self.len_key)
        out += w.encoded("key", self.key, "UTF-8")
        if not len(self.value) >= 0:
            raise w.invalid("len_value", len(self.value), "at least 0")
        w.zigzag("len_value", len(self.value))
        out += self.value

    @property
    def len_key(self) -> int:
        """It follows from `key`."""
        return len(encoded(self.key, "UTF-8"))

    @property
    def len_value(self) -> int:
        """Bytes of `value`."""
        return len(self.value)


@dataclass(slots=True, kw_only=True)
class Block(Record):
    """Some records, and the marker by which readers find the next block after damage.

    at  size  field    stored as
     0        head     block_head
              objects  bytes
          16  sync     bytes
    """

    NAME: ClassVar[str] = "block"
    MIN_SIZE: ClassVar[int] = 18

    marker: bytes
    """The sync marker of the file's header."""

    head: BlockHead

    objects: bytes
    """Records one after another, after the codec."""

    sync: bytes

    @classmethod
    def read(cls, r: Reader, marker: bytes) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.marker = marker
        self.head = r.record("head", BlockHead.read)
        self.objects = r.bytes("objects", self.head.len_objects)
        self.sync = r.bytes("sync", 16)
        if self.sync != self.marker:
            raise r.invalid("sync", r.offset - 16, self.sync, f"{self.marker!r}")
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        w.record("head", self.head, BlockHead)
        w.bytes(
            "objects", self.objects, self.head.len_objects, by="head.len_objects.value"
        )
        if self.sync != self.marker:
            raise w.invalid("sync", self.sync, f"{self.marker!r}")
        w.bytes("sync", self.sync, 16)

    @property
    def _size_of_objects(self) -> int:
        """The bytes of `objects`: `head.len_objects.value`."""
        return self.head.len_objects


@dataclass(slots=True, kw_only=True)
class BlockHead(Record):
    """The beginning of a block, before its records.

    at  size  field        stored as
     0        num_objects  long
              len_objects  long
    """

    NAME: ClassVar[str] = "block_head"
    MIN_SIZE: ClassVar[int] = 2

    num_objects: int
    """Records of the block."""

    len_objects: int
    """Bytes of the records, as the codec has compressed them."""

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        at = r.offset
        self.num_objects = r.zigzag("num_objects")
        if not self.num_objects >= 0:
            raise r.invalid("num_objects", at, self.num_objects, "at least 0")
        at = r.offset
        self.len_objects = r.zigzag("len_objects")
        if not self.len_objects >= 0:
            raise r.invalid("len_objects", at, self.len_objects, "at least 0")
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        if not self.num_objects >= 0:
            raise w.invalid("num_objects", self.num_objects, "at least 0")
        w.zigzag("num_objects", self.num_objects)
        if not self.len_objects >= 0:
            raise w.invalid("len_objects", self.len_objects, "at least 0")
        w.zigzag("len_objects", self.len_objects)


@dataclass(slots=True, kw_only=True)
class Long(Record):
    """An integer from -2^63 to 2^63 - 1 in one to ten bytes, seven bits in each,
    lowest first; the eighth bit says that another byte follows. Its sign is the
    lowest bit.

        at  size  field   stored as
         0        groups  u1, repeated

    Source: https://avro.apache.org/docs/1.12.0/specification/#primitive-types-1
    """

    NAME: ClassVar[str] = "long"
    MIN_SIZE: ClassVar[int] = 1

    groups: list[int]

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.groups = []
        for index in r.repeatedly("groups"):
            it = r.u1("groups")
            self.groups.append(it)
            if it < 128 or index == 9:
                break
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        if not self.groups:
            raise w.invalid("groups", "no elements", "at least one")
        for index, it in enumerate(self.groups):
            w.u1("groups", it)
            if (it < 128 or index == 9) != (index == len(self.groups) - 1):
                raise w.unended(
                    "groups",
                    it,
                    "an element of which _ < 128 or _index == 9, at the end and only there",
                )

    @property
    def n(self) -> int:
        """Calculated: `n`."""
        return len(self.groups)

    @property
    def word(self) -> int:
        """Calculated: `word`."""
        return (
            (element(self.groups, 0) & 127)
            + ((element(self.groups, 1) & 127) << 7 if self.n >= 2 else 0)
            + ((element(self.groups, 2) & 127) << 14 if self.n >= 3 else 0)
            + ((element(self.groups, 3) & 127) << 21 if self.n >= 4 else 0)
            + ((element(self.groups, 4) & 127) << 28 if self.n >= 5 else 0)
            + ((element(self.groups, 5) & 127) << 35 if self.n >= 6 else 0)
            + ((element(self.groups, 6) & 127) << 42 if self.n >= 7 else 0)
            + ((element(self.groups, 7) & 127) << 49 if self.n >= 8 else 0)
            + ((element(self.groups, 8) & 127) << 56 if self.n >= 9 else 0)
            + ((element(self.groups, 9) & 1) << 63 if self.n >= 10 else 0)
        )

    @property
    def value(self) -> int:
        """Calculated: `value`."""
        return self.word // 2 if self.word % 2 == 0 else -(self.word // 2) - 1
