# Written by byteloom-codegen from specs/hfile/cell.ksy; do not edit.
# To change it, edit that file and generate again.
"""Cells, keys and tags of an HFile."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar, Self

from byteloom.wire import FieldRun, Reader, Record, Writer
from byteloom.wire.calc import given, labels, named, pass_to, size_of

__all__ = ["Cell", "Columns", "Key", "KeyType", "Tag", "Tags"]


@labels
class KeyType(IntEnum):
    """The values of `key_type`."""

    MINIMUM = 0
    PUT = 4
    DELETE = 8
    DELETE_FAMILY_VERSION = 10
    DELETE_COLUMN = 12
    DELETE_FAMILY = 14
    MAXIMUM = 255


_CELL_LEN_KEY = FieldRun(">ii", "len_key", "len_value")


@dataclass(slots=True, kw_only=True)
class Cell(Record):
    """A data block is cells one after the other, up to its end. The file info says
    what every cell of a file has or lacks: tags and sequence numbers. Cells of Hudi
    before 1.1 have keys without columns.

    The encodings PREFIX, DIFF and FAST_DIFF store cells as differences from the one
    before. This language cannot say that; encoded.ksy describes the frame, and the
    cells become these by hand-written code.

        at  size  field      stored as
         0     4  len_key    s4be
         4     4  len_value  s4be
         8        key        key
                  value      bytes
                  len_tags   u2be, optional
                  tags       tags, optional
                  mvcc       hadoop_vlong, optional
                  no_mvcc    u1, optional

    Source: https://hbase.apache.org/book.html#_keyvalue
    """

    NAME: ClassVar[str] = "cell"
    MIN_SIZE: ClassVar[int] = 8
    REREAD: ClassVar[bool] = True
    FOLLOWS: ClassVar[bool] = True

    has_columns: bool
    """Keys continue after the row. True except in files of Hudi before 1.1, whose
    blocks have no checksums (block.ksy).
    """

    has_tags: bool
    """The file info has the entry hfile.MAX_TAGS_LEN."""

    has_mvcc: bool
    """True if the entry KEY_VALUE_VERSION of the file info is 1, and in all files of
    Hudi before 1.1, which lack the entry: their cells have the byte no_mvcc.
    """

    is_mvcc_wide: bool
    """Sequence numbers may be other than 0: the entry MAX_MEMSTORE_TS_KEY of the file
    info is there, and above 0.
    """

    key: Key
    """An index has the same form for each block."""

    value: bytes
    tags: Tags | None = None

    mvcc: int | None = None
    """The sequence number of the write, 0 once no reader needs to compare it with
    others. Of cells with equal keys, the one with the greatest number comes first.
    """

    no_mvcc: int | None = None
    """The sequence number where all of a file are 0."""

    @classmethod
    def read(
        cls,
        r: Reader,
        has_columns: bool,
        has_tags: bool,
        has_mvcc: bool,
        is_mvcc_wide: bool,
    ) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.has_columns = has_columns
        self.has_tags = has_tags
        self.has_mvcc = has_mvcc
        self.is_mvcc_wide = is_mvcc_wide
        len_key = r.s4be("len_key")
        if len_key < 2:
            raise r.invalid("len_key", r.offset - 4, len_key, "at least 2")
        len_value = r.s4be("len_value")
        if len_value < 0:
            raise r.invalid("len_value", r.offset - 4, len_value, "at least 0")
        self.key = r.within("key", len_key, Key.read, (self.has_columns,))
        self.value = r.bytes("value", len_value)
        len_tags = r.u2be("len_tags") if self.has_tags else None
        self.tags = None
        if self.has_tags:
            self.tags = r.within("tags", given(len_tags, "len_tags"), Tags.read)
        self.mvcc = r.hadoop("mvcc") if self.has_mvcc and self.is_mvcc_wide else None
        self.no_mvcc = None
        if self.has_mvcc and not self.is_mvcc_wide:
            self.no_mvcc = r.u1("no_mvcc")
            if self.no_mvcc != 0:
                raise r.invalid("no_mvcc", r.offset - 1, self.no_mvcc, "0")
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        out = w.out
        pass_to(self.key, has_columns=self.has_columns)
        if self.len_key < 2:
            raise w.invalid("len_key", self.len_key, "at least 2")
        if len(self.value) < 0:
            raise w.invalid("len_value", len(self.value), "at least 0")
        out += _CELL_LEN_KEY.pack(self.len_key, len(self.value))
        w.window("key", self.key, Key)
        out += self.value
        if self.has_tags:
            w.u2be("len_tags", given(self.len_tags, "tags"))
        if self.has_tags:
            tags = given(self.tags, "tags")
            w.within("tags", tags, Tags)
        elif self.tags is not None:
            raise w.unexpected("tags", self.tags)
        if self.has_mvcc and self.is_mvcc_wide:
            mvcc = given(self.mvcc, "mvcc")
            w.hadoop("mvcc", mvcc)
        elif self.mvcc is not None:
            raise w.unexpected("mvcc", self.mvcc)
        if self.has_mvcc and not self.is_mvcc_wide:
            no_mvcc = given(self.no_mvcc, "no_mvcc")
            if no_mvcc != 0:
                raise w.invalid("no_mvcc", no_mvcc, "0")
            w.u1("no_mvcc", no_mvcc)
        elif self.no_mvcc is not None:
            raise w.unexpected("no_mvcc", self.no_mvcc)

    @property
    def len_key(self) -> int:
        """Bytes of `key`."""
        return size_of("key", self.key)

    @property
    def len_value(self) -> int:
        """Bytes of `value`."""
        return len(self.value)

    @property
    def len_tags(self) -> int | None:
        """Bytes of `tags`."""
        return size_of("tags", self.tags) if self.tags is not None else None


_KEY_LEN_ROW = FieldRun(">H", "len_row")


@dataclass(slots=True, kw_only=True)
class Key(Record):
    """What cells are ordered by: row, family and qualifier ascending as unsigned
    bytes, then timestamp and type descending. A key with type 0 and neither family
    nor qualifier comes after its whole row.

    Hudi before 1.1 writes the row alone; Hudi since always the same ten bytes after
    it.

        at  size  field    stored as
         0     2  len_row  u2be
         2        row      bytes
                  columns  columns, optional
    """

    NAME: ClassVar[str] = "key"
    MIN_SIZE: ClassVar[int] = 2
    MOST: ClassVar[dict[str, int]] = {"len_row": 32767}

    has_columns: bool
    row: bytes
    columns: Columns | None = None

    @classmethod
    def read(cls, r: Reader, has_columns: bool) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.has_columns = has_columns
        len_row = r.u2be("len_row")
        if len_row < (0 if self.has_columns else r.size - 2):
            raise r.invalid(
                "len_row",
                r.offset - 2,
                len_row,
                f"at least {0 if self.has_columns else r.size - 2!r}",
            )
        if len_row > 32767:
            raise r.invalid("len_row", r.offset - 2, len_row, "at most 32767")
        self.row = r.bytes("row", len_row)
        self.columns = r.record("columns", Columns.read) if self.has_columns else None
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        out = w.out
        if len(self.row) < (0 if self.has_columns else w.size - 2):
            raise w.invalid(
                "len_row",
                len(self.row),
                f"at least {0 if self.has_columns else w.size - 2!r}",
            )
        if len(self.row) > 32767:
            raise w.invalid("len_row", len(self.row), "at most 32767")
        out += _KEY_LEN_ROW.pack(len(self.row))
        out += self.row
        if self.has_columns:
            columns = given(self.columns, "columns")
            w.record("columns", columns, Columns)
        elif self.columns is not None:
            raise w.unexpected("columns", self.columns)

    @property
    def len_row(self) -> int:
        """Bytes of `row`."""
        return len(self.row)


_COLUMNS_LEN_FAMILY = FieldRun("<B", "len_family")


@dataclass(slots=True, kw_only=True)
class Columns(Record):
    """What follows the row in a key.

    at  size  field       stored as
     0     1  len_family  u1
     1        family      bytes
              qualifier   bytes
           8  timestamp   s8be
           1  type        u1, enum key_type
    """

    NAME: ClassVar[str] = "columns"
    MIN_SIZE: ClassVar[int] = 10
    MOST: ClassVar[dict[str, int]] = {"len_family": 127}

    family: bytes
    qualifier: bytes

    timestamp: int = 9223372036854775807
    """Milliseconds since 1970; 2^63 - 1 in keys that come before all times."""

    type: KeyType | int = 4

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        len_family = r.u1("len_family")
        if len_family > 127:
            raise r.invalid("len_family", r.offset - 1, len_family, "at most 127")
        self.family = r.bytes("family", len_family)
        self.qualifier = r.bytes("qualifier", r.size - r.pos - 9)
        self.timestamp = r.s8be("timestamp")
        self.type = named(KeyType, r.u1("type"))
        if type(self.type) is int:
            raise r.invalid(
                "type", r.offset - 1, self.type, "a value that the enum names"
            )
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        out = w.out
        if len(self.family) > 127:
            raise w.invalid("len_family", len(self.family), "at most 127")
        out += _COLUMNS_LEN_FAMILY.pack(len(self.family))
        out += self.family
        out += self.qualifier
        w.s8be("timestamp", self.timestamp)
        if type(named(KeyType, self.type)) is int:
            raise w.invalid("type", self.type, "a value that the enum names")
        w.u1("type", self.type)

    @property
    def len_family(self) -> int:
        """Bytes of `family`."""
        return len(self.family)

    @property
    def is_last(self) -> bool:
        """Whether the key comes after its whole row."""
        return len(self.family) + len(self.qualifier) + int(self.type) == 0


@dataclass(slots=True, kw_only=True)
class Tags(Record):
    """The tags of a cell, one after another.

    at  size  field  stored as
     0        tags   tag, repeated to the end
    """

    NAME: ClassVar[str] = "tags"
    MIN_SIZE: ClassVar[int] = 0

    tags: list[Tag]

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.tags = r.records_to_end("tags", Tag.read)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        w.records("tags", self.tags, Tag)
        w.ends("tags")


_TAG_LEN_TAG = FieldRun(">HB", "len_tag", "type")


@dataclass(slots=True, kw_only=True)
class Tag(Record):
    """Facts about a cell besides its value, such as when it expires.

    at  size  field    stored as
     0     2  len_tag  u2be
     2     1  type     u1
     3        value    bytes
    """

    NAME: ClassVar[str] = "tag"
    MIN_SIZE: ClassVar[int] = 3

    type: int
    value: bytes

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        len_tag = r.u2be("len_tag")
        if len_tag < 1:
            raise r.invalid("len_tag", r.offset - 2, len_tag, "at least 1")
        self.type = r.u1("type")
        self.value = r.bytes("value", len_tag - 1)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        out = w.out
        if self.len_tag < 1:
            raise w.invalid("len_tag", self.len_tag, "at least 1")
        out += _TAG_LEN_TAG.pack(self.len_tag, self.type)
        out += self.value

    @property
    def len_tag(self) -> int:
        """Bytes of type and value."""
        return len(self.value) + 1
