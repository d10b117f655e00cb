# Written by byteloom-codegen from specs/hfile/index.ksy; do not edit.
# To change it, edit that file and generate again.
"""Block indexes of an HFile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from byteloom.wire import FieldRun, Reader, Record, Writer
from byteloom.wire.calc import element, pass_to

from .varints import HadoopVlong

__all__ = ["Entry", "Index", "MidKey", "NonRootIndex", "RootEntry"]


@dataclass(slots=True, kw_only=True)
class Index(Record):
    """Where an index is, and how many entries it has, is in the trailer (trailer.ksy).

    An index is a tree: the root comes after the data and is read when a file is
    opened; its entries point at blocks of the level below. There are two layouts,
    one for roots, here, and one for leaf and intermediate blocks, non_root_index.

    Keys are whole cell keys (see cell.ksy), those of a meta index bare names. HBase
    shortens a key to anything between the last cell before a block and its first
    cell. Such a fake key has the type 255; its family and qualifier are empty if
    the rows of the two cells differ. Hudi up to 1.2 writes keys of a length and a
    row alone.

        at  size  field    stored as
         0        entries  root_entry, repeated
                  mid_key  mid_key, optional

    Source: https://hbase.apache.org/book.html#_hfile_format_2
    """

    NAME: ClassVar[str] = "index"
    MIN_SIZE: ClassVar[int] = 0
    REREAD: ClassVar[bool] = True
    FOLLOWS: ClassVar[bool] = True

    num_entries: int
    """The trailer has it, as data_index_count or meta_index_count."""

    entries: list[RootEntry]

    mid_key: MidKey | None = None
    """Only in a data index of two levels or more."""

    @classmethod
    def read(cls, r: Reader, num_entries: int) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.num_entries = num_entries
        self.entries = r.records(
            "entries", self.num_entries, RootEntry.read, RootEntry.MIN_SIZE
        )
        self.mid_key = None
        if r.size - r.pos >= 16:
            self.mid_key = r.record("mid_key", MidKey.read)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        if len(self.entries) != self.num_entries:
            w.check_count("entries", self.entries, self.num_entries, "num_entries")
        w.records("entries", self.entries, RootEntry)
        if self.mid_key is not None:
            w.record("mid_key", self.mid_key, MidKey)

    @property
    def _number_of_entries(self) -> int:
        """The elements of `entries`: `num_entries`."""
        return self.num_entries


_ROOT_ENTRY_OFFSET = FieldRun(">qi", "offset", "len_block")


@dataclass(slots=True, kw_only=True)
class RootEntry(Record):
    """Where a block is, and its first key or one shortly before that; in a meta index,
    its name.

        at  size  field      stored as
         0     8  offset     s8be
         8     4  len_block  s4be
        12        len_key    hadoop_vlong
                  key        bytes
    """

    NAME: ClassVar[str] = "root_entry"
    MIN_SIZE: ClassVar[int] = 13

    offset: int

    len_block: int
    """Bytes of the block with header and checksums."""

    len_key: HadoopVlong
    """Hudi 1.1 writes protobuf's varint, which differs from 128 on. That is the form
    if only it leads from entry to entry to the end of the payload, where a mid_key
    may be, and to blocks that follow one another.
    """

    key: bytes

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.offset, self.len_block = r.run(_ROOT_ENTRY_OFFSET)
        self.len_key = r.record("len_key", HadoopVlong.read)
        self.key = r.bytes("key", self.len_key.value)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        w.out += _ROOT_ENTRY_OFFSET.pack(self.offset, self.len_block)
        w.record("len_key", self.len_key, HadoopVlong)
        w.bytes("key", self.key, self.len_key.value, by="len_key.value")

    @property
    def _size_of_key(self) -> int:
        """The bytes of `key`: `len_key.value`."""
        return self.len_key.value


_MID_KEY_OFS_LEAF = FieldRun(">qii", "ofs_leaf", "len_leaf", "entry")


@dataclass(slots=True, kw_only=True)
class MidKey(Record):
    """Where the middle of the file is, for splitting it in two.

    at  size  field     stored as
     0     8  ofs_leaf  s8be
     8     4  len_leaf  s4be
    12     4  entry     s4be
    """

    NAME: ClassVar[str] = "mid_key"
    MIN_SIZE: ClassVar[int] = 16
    SIZE: ClassVar[int] = 16
    PLACES: ClassVar[dict[str, int]] = {"ofs_leaf": 0, "len_leaf": 8, "entry": 12}

    ofs_leaf: int

    len_leaf: int
    """Bytes of the leaf block with header and checksums."""

    entry: int
    """The number of the entry in that leaf."""

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.ofs_leaf, self.len_leaf, self.entry = r.run(_MID_KEY_OFS_LEAF)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        w.out += _MID_KEY_OFS_LEAF.pack(self.ofs_leaf, self.len_leaf, self.entry)


_NON_ROOT_INDEX_NUM_ENTRIES = FieldRun(">i", "num_entries")


@dataclass(slots=True, kw_only=True)
class NonRootIndex(Record):
    """The payload of a leaf or intermediate block. The length of a key is the distance
    from one offset to the next, less the twelve bytes before it.

        at  size  field        stored as
         0     4  num_entries  s4be
         4        offsets      s4be, repeated
                  entries      entry, repeated
    """

    NAME: ClassVar[str] = "non_root_index"
    MIN_SIZE: ClassVar[int] = 4

    offsets: list[int]
    """Where each entry begins, and where the last one ends, from the end of this
    table.
    """

    entries: list[Entry]

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        num_entries = r.s4be("num_entries")
        if num_entries < 0:
            raise r.invalid("num_entries", r.offset - 4, num_entries, "at least 0")
        self.offsets = r.array("offsets", num_entries + 1, ">i")
        self.entries = []
        for index in r.times("entries", num_entries, 12):
            it_entries = r.record(
                "entries",
                Entry.read,
                (element(self.offsets, index + 1) - element(self.offsets, index) - 12,),
            )
            self.entries.append(it_entries)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        for index, it_entries in enumerate(self.entries):
            pass_to(
                it_entries,
                len_key=element(self.offsets, index + 1)
                - element(self.offsets, index)
                - 12,
            )
        if self.num_entries < 0:
            raise w.invalid("num_entries", self.num_entries, "at least 0")
        w.out += _NON_ROOT_INDEX_NUM_ENTRIES.pack(self.num_entries)
        w.array("offsets", self.offsets, ">i")
        if len(self.entries) != self.num_entries:
            w.check_count("entries", self.entries, self.num_entries, "num_entries")
        w.records("entries", self.entries, Entry)

    @property
    def num_entries(self) -> int:
        """It follows from `offsets`."""
        return len(self.offsets) - 1

    @property
    def _number_of_entries(self) -> int:
        """The elements of `entries`: `num_entries`."""
        return self.num_entries


_ENTRY_OFFSET = FieldRun(">qi", "offset", "len_block")


@dataclass(slots=True, kw_only=True)
class Entry(Record):
    """Where a block is, and its first key or one shortly before that.

    at  size  field      stored as
     0     8  offset     s8be
     8     4  len_block  s4be
    12        key        bytes
    """

    NAME: ClassVar[str] = "entry"
    MIN_SIZE: ClassVar[int] = 12

    len_key: int
    offset: int

    len_block: int
    """Bytes of the block with header and checksums."""

    key: bytes

    @classmethod
    def read(cls, r: Reader, len_key: int) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.len_key = len_key
        self.offset, self.len_block = r.run(_ENTRY_OFFSET)
        self.key = r.bytes("key", self.len_key)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        w.out += _ENTRY_OFFSET.pack(self.offset, self.len_block)
        w.bytes("key", self.key, self.len_key, by="len_key")

    @property
    def _size_of_key(self) -> int:
        """The bytes of `key`: `len_key`."""
        return self.len_key
