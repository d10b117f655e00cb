# Written by byteloom-codegen from specs/hfile/hudi_log.ksy; do not edit.
# To change it, edit that file and generate again.
"""The framing of Hudi's log files."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar, Self

from byteloom.wire import FieldRun, Reader, Record, Writer
from byteloom.wire.calc import labels, named, size_of

__all__ = [
    "AvroData",
    "AvroRecord",
    "BlockType",
    "Deletes",
    "DeletesVersion",
    "HeaderKey",
    "HudiLog",
    "LogBlock",
    "LogBody",
    "Metadata",
    "MetadataEntry",
]


@labels
class BlockType(IntEnum):
    """The values of `block_type`."""

    COMMAND = 0
    DELETE = 1
    CORRUPT = 2
    AVRO_DATA = 3
    HFILE_DATA = 4
    PARQUET_DATA = 5
    CDC_DATA = 6


@labels
class DeletesVersion(IntEnum):
    """The values of `deletes_version`."""

    JAVA_OBJECTS = 1
    JAVA_OBJECTS_WITH_ORDERING = 2
    AVRO = 3


@labels
class HeaderKey(IntEnum):
    """The values of `header_key`."""

    INSTANT_TIME = 0
    TARGET_INSTANT_TIME = 1
    SCHEMA = 2
    COMMAND_BLOCK_TYPE = 3
    COMPACTED_BLOCK_TIMES = 4
    RECORD_POSITIONS = 5
    BLOCK_IDENTIFIER = 6
    IS_PARTIAL = 7
    BASE_FILE_INSTANT_TIME_OF_RECORD_POSITIONS = 8


@dataclass(slots=True, kw_only=True)
class HudiLog(Record):
    """A log file is blocks one after another, each written in one go. A writer that
    dies leaves a torn block; the next one appends after it, so a reader that finds
    a block damaged continues at the next magic.

        magic | len_block | version | type | headers | content | footers | len_total
                          `- len_block bytes ------------------------------------'

    In a metadata table the content of a block of type hfile is a whole HFile, whose
    offsets count from its own first byte.

        at  size  field   stored as
         0        blocks  log_block, repeated to the end

    Source: https://hudi.apache.org/docs/1.0.2/storage_layouts
    """

    NAME: ClassVar[str] = "hudi_log"
    MIN_SIZE: ClassVar[int] = 0

    blocks: list[LogBlock]

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.blocks = r.records_to_end("blocks", LogBlock.read)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        w.records("blocks", self.blocks, LogBlock)
        w.ends("blocks")


_LOG_BLOCK_LEN_BLOCK = FieldRun(">q", "len_block")
_LOG_BLOCK_LEN_TOTAL = FieldRun(">q", "len_total")


@dataclass(slots=True, kw_only=True)
class LogBlock(Record):
    """A block in the frame that says where it begins and ends.

    at  size  field      stored as
     0     6  magic      b"#HUDI#"
     6     8  len_block  s8be
    14        body       log_body
           8  len_total  s8be
    """

    NAME: ClassVar[str] = "log_block"
    MIN_SIZE: ClassVar[int] = 22
    magic: ClassVar[bytes] = b"#HUDI#"

    body: LogBody

    len_total: int
    """Bytes from the magic up to here, for readers that begin at the end."""

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        r.magic("magic", b"#HUDI#")
        len_block = r.s8be("len_block")
        if len_block < 32:
            raise r.invalid("len_block", r.offset - 8, len_block, "at least 32")
        self.body = r.within("body", len_block - 8, LogBody.read)
        self.len_total = r.s8be("len_total")
        if self.len_total != len_block + 6:
            raise r.invalid(
                "len_total", r.offset - 8, self.len_total, f"{len_block + 6!r}"
            )
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        out = w.out
        out += b"#HUDI#"
        if w.size_of("body", self.body) + 8 < 32:
            raise w.invalid(
                "len_block", w.size_of("body", self.body) + 8, "at least 32"
            )
        out += _LOG_BLOCK_LEN_BLOCK.pack(w.size_of("body", self.body) + 8)
        w.within("body", self.body, LogBody)
        if self.len_total != self.len_block + 6:
            raise w.invalid("len_total", self.len_total, f"{self.len_block + 6!r}")
        out += _LOG_BLOCK_LEN_TOTAL.pack(self.len_total)

    @property
    def len_block(self) -> int:
        """Bytes from the version to the end of the block."""
        return size_of("body", self.body) + 8


_LOG_BODY_VERSION = FieldRun(">ii", "version", "type")
_LOG_BODY_LEN_CONTENT = FieldRun(">q", "len_content")


@dataclass(slots=True, kw_only=True)
class LogBody(Record):
    """A block without its frame.

    at  size  field        stored as
     0     4  version      s4be
     4     4  type         s4be, enum block_type
     8        headers      metadata
           8  len_content  s8be
              content      bytes
              footers      metadata
    """

    NAME: ClassVar[str] = "log_body"
    MIN_SIZE: ClassVar[int] = 24

    version: int
    """Version 0 had neither headers nor footers; no release since 2018 writes it."""

    type: BlockType | int
    headers: Metadata
    content: bytes

    footers: Metadata
    """Always empty so far."""

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.version = r.s4be("version")
        if self.version != 1:
            raise r.invalid("version", r.offset - 4, self.version, "1")
        self.type = named(BlockType, r.s4be("type"))
        if type(self.type) is int:
            raise r.invalid(
                "type", r.offset - 4, self.type, "a value that the enum names"
            )
        self.headers = r.record("headers", Metadata.read)
        len_content = r.s8be("len_content")
        if len_content < 0:
            raise r.invalid("len_content", r.offset - 8, len_content, "at least 0")
        self.content = r.bytes("content", len_content)
        self.footers = r.record("footers", Metadata.read)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        out = w.out
        if self.version != 1:
            raise w.invalid("version", self.version, "1")
        if type(named(BlockType, self.type)) is int:
            raise w.invalid("type", self.type, "a value that the enum names")
        out += _LOG_BODY_VERSION.pack(self.version, self.type)
        w.record("headers", self.headers, Metadata)
        if len(self.content) < 0:
            raise w.invalid("len_content", len(self.content), "at least 0")
        out += _LOG_BODY_LEN_CONTENT.pack(len(self.content))
        out += self.content
        w.record("footers", self.footers, Metadata)

    @property
    def len_content(self) -> int:
        """Bytes of `content`."""
        return len(self.content)


_METADATA_NUM_ENTRIES = FieldRun(">i", "num_entries")


@dataclass(slots=True, kw_only=True)
class Metadata(Record):
    """The headers or the footers of a block.

    at  size  field        stored as
     0     4  num_entries  s4be
     4        entries      metadata_entry, repeated
    """

    NAME: ClassVar[str] = "metadata"
    MIN_SIZE: ClassVar[int] = 4

    entries: list[MetadataEntry]

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        num_entries = r.s4be("num_entries")
        if num_entries < 0:
            raise r.invalid("num_entries", r.offset - 4, num_entries, "at least 0")
        self.entries = r.records(
            "entries", num_entries, MetadataEntry.read, MetadataEntry.MIN_SIZE
        )
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        if len(self.entries) < 0:
            raise w.invalid("num_entries", len(self.entries), "at least 0")
        w.out += _METADATA_NUM_ENTRIES.pack(len(self.entries))
        w.records("entries", self.entries, MetadataEntry)

    @property
    def num_entries(self) -> int:
        """How many `entries` there are."""
        return len(self.entries)


_METADATA_ENTRY_KEY = FieldRun(">ii", "key", "len_value")


@dataclass(slots=True, kw_only=True)
class MetadataEntry(Record):
    """A header or a footer of a block.

    at  size  field      stored as
     0     4  key        s4be, enum header_key
     4     4  len_value  s4be
     8        value      bytes
    """

    NAME: ClassVar[str] = "metadata_entry"
    MIN_SIZE: ClassVar[int] = 8

    key: HeaderKey | int

    value: bytes
    """Text in UTF-8, whatever the key."""

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.key, len_value = r.run(_METADATA_ENTRY_KEY)
        self.key = named(HeaderKey, self.key)
        if len_value < 0:
            raise r.invalid("len_value", r.offset - 4, len_value, "at least 0")
        self.value = r.bytes("value", len_value)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        out = w.out
        if len(self.value) < 0:
            raise w.invalid("len_value", len(self.value), "at least 0")
        out += _METADATA_ENTRY_KEY.pack(self.key, len(self.value))
        out += self.value

    @property
    def len_value(self) -> int:
        """Bytes of `value`."""
        return len(self.value)


_AVRO_DATA_VERSION = FieldRun(">ii", "version", "num_records")


@dataclass(slots=True, kw_only=True)
class AvroData(Record):
    """The content of a block of type avro_data. Their schema is a header of the block.

    at  size  field        stored as
     0     4  version      s4be
     4     4  num_records  s4be
     8        records      avro_record, repeated
    """

    NAME: ClassVar[str] = "avro_data"
    MIN_SIZE: ClassVar[int] = 8

    version: int
    records: list[AvroRecord]

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.version, num_records = r.run(_AVRO_DATA_VERSION)
        if num_records < 0:
            raise r.invalid("num_records", r.offset - 4, num_records, "at least 0")
        self.records = r.records(
            "records", num_records, AvroRecord.read, AvroRecord.MIN_SIZE
        )
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        if len(self.records) < 0:
            raise w.invalid("num_records", len(self.records), "at least 0")
        w.out += _AVRO_DATA_VERSION.pack(self.version, len(self.records))
        w.records("records", self.records, AvroRecord)

    @property
    def num_records(self) -> int:
        """How many `records` there are."""
        return len(self.records)


_AVRO_RECORD_LEN_CONTENT = FieldRun(">i", "len_content")


@dataclass(slots=True, kw_only=True)
class AvroRecord(Record):
    """A record in Avro's binary form, after its length.

    at  size  field        stored as
     0     4  len_content  s4be
     4        content      bytes
    """

    NAME: ClassVar[str] = "avro_record"
    MIN_SIZE: ClassVar[int] = 4

    content: bytes

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        len_content = r.s4be("len_content")
        if len_content < 0:
            raise r.invalid("len_content", r.offset - 4, len_content, "at least 0")
        self.content = r.bytes("content", len_content)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        out = w.out
        if len(self.content) < 0:
            raise w.invalid("len_content", len(self.content), "at least 0")
        out += _AVRO_RECORD_LEN_CONTENT.pack(len(self.content))
        out += self.content

    @property
    def len_content(self) -> int:
        """Bytes of `content`."""
        return len(self.content)


_DELETES_VERSION = FieldRun(">ii", "version", "len_list")


@dataclass(slots=True, kw_only=True)
class Deletes(Record):
    """The content of a block of type delete. Versions 1 and 2 hold serialised Java
    objects in place of Avro.

        at  size  field     stored as
         0     4  version   s4be, enum deletes_version
         4     4  len_list  s4be
         8        list      bytes
    """

    NAME: ClassVar[str] = "deletes"
    MIN_SIZE: ClassVar[int] = 8

    version: DeletesVersion | int

    list_: bytes
    """A HoodieDeleteRecordList in Avro's binary form."""

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.version = named(DeletesVersion, r.s4be("version"))
        if type(self.version) is int:
            raise r.invalid(
                "version", r.offset - 4, self.version, "a value that the enum names"
            )
        len_list = r.s4be("len_list")
        if len_list < 0:
            raise r.invalid("len_list", r.offset - 4, len_list, "at least 0")
        self.list_ = r.bytes("list", len_list)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        out = w.out
        if type(named(DeletesVersion, self.version)) is int:
            raise w.invalid("version", self.version, "a value that the enum names")
        if len(self.list_) < 0:
            raise w.invalid("len_list", len(self.list_), "at least 0")
        out += _DELETES_VERSION.pack(self.version, len(self.list_))
        out += self.list_

    @property
    def len_list(self) -> int:
        """Bytes of `list`."""
        return len(self.list_)
