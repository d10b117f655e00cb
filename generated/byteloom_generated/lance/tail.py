# Written by byteloom-codegen from specs/lance/tail.ksy; do not edit.
# To change it, edit that file and generate again.
"""The end of a Lance file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from byteloom.wire import FieldRun, Reader, Record, Writer

__all__ = [
    "EarlyFooter",
    "Extent",
    "Extents",
    "Footer",
    "FramedMessage",
    "LegacyPage",
    "LegacyTail",
    "Tail",
    "Version",
]


@dataclass(slots=True, kw_only=True)
class Tail(Record):
    """A Lance file is read from its end. All have a version and a magic there; before
    them a file of 2.x has the places of its parts, and files of version 0.1 and
    manifests the place of one message.

        pages | global buffers | columns | column extents | buffer extents | footer
        pages | page table | message | legacy_tail

    A file of 2.x is read in these steps:

    - The last 40 bytes are a footer. At ofs_buffer_extents are num_buffers extents, at
      ofs_column_extents num_columns extents. Offsets count from the start of the file.
    - The first of the buffer extents is where global buffer 0 is, a FileDescriptor
      (file.proto): the schema, and the number of rows.
    - Each column extent is where a ColumnMetadata (file2.proto) is: the pages of the
      column, each with the places of its buffers and its encoding.
    - The encoding of a page is a DirectEncoding, whose bytes are a Described. From 2.1
      on the value of that is a PageLayout (encodings21.proto); chunks.ksy has the bytes
      of the most common one, MiniBlockLayout. In 2.0 it is an ArrayEncoding
      (encodings20.proto).

        at  size  field    stored as
         0        body     bytes
               8  version  version

    Source: https://lance.org/format/file/#file-layout
    """

    NAME: ClassVar[str] = "tail"
    MIN_SIZE: ClassVar[int] = 8
    REREAD: ClassVar[bool] = True
    FOLLOWS: ClassVar[bool] = True

    body: bytes
    version: Version

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.body = r.bytes("body", r.size - 8)
        self.version = r.record("version", Version.read)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        w.out += self.body
        w.record("version", self.version, Version)


_VERSION_MAJOR = FieldRun("<HH", "major", "minor")


@dataclass(slots=True, kw_only=True)
class Version(Record):
    """0/0 to 0/2 is version 0.1, as is the pair of manifests; 0/3, and 2/0 of no known
    writer, is 2.0; 2/1 is 2.1, 2/2 is 2.2, 2/3 is 2.3, which still changes.

        at  size  field  stored as
         0     2  major  u2le
         2     2  minor  u2le
         4     4  magic  b"LANC"
    """

    NAME: ClassVar[str] = "version"
    MIN_SIZE: ClassVar[int] = 8
    SIZE: ClassVar[int] = 8
    PLACES: ClassVar[dict[str, int]] = {"major": 0, "minor": 2, "magic": 4}
    magic: ClassVar[bytes] = b"LANC"

    major: int
    minor: int

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.major, self.minor = r.run(_VERSION_MAJOR)
        r.magic("magic", b"LANC")
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        out = w.out
        out += _VERSION_MAJOR.pack(self.major, self.minor)
        out += b"LANC"

    @property
    def early(self) -> str:
        """The version by the minor of files whose major is 0."""
        return "0.1" if self.minor < 3 else "2.0" if self.minor == 3 else ""

    @property
    def format(self) -> str:
        """The version in its usual form, such as 2.1; empty if it is unknown."""
        return (
            self.early
            if self.major == 0
            else "2." + str(self.minor)
            if self.major == 2 and self.minor < 4
            else ""
        )


_LEGACY_TAIL_OFS_MESSAGE = FieldRun("<q", "ofs_message")


@dataclass(slots=True, kw_only=True)
class LegacyTail(Record):
    """The last 16 bytes of a file of version 0.1, and of a manifest.

    at  size  field        stored as
     0     8  ofs_message  s8le
     8     8  version      version
    """

    NAME: ClassVar[str] = "legacy_tail"
    MIN_SIZE: ClassVar[int] = 16
    SIZE: ClassVar[int] = 16
    PLACES: ClassVar[dict[str, int]] = {"ofs_message": 0, "version": 8}

    ofs_message: int
    """Where `framed_message` begins, a `Metadata` in files, a `Manifest` in manifests."""

    version: Version

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.ofs_message = r.s8le("ofs_message")
        if self.ofs_message < 0:
            raise r.invalid("ofs_message", r.offset - 8, self.ofs_message, "at least 0")
        self.version = r.record("version", Version.read)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        if self.ofs_message < 0:
            raise w.invalid("ofs_message", self.ofs_message, "at least 0")
        w.out += _LEGACY_TAIL_OFS_MESSAGE.pack(self.ofs_message)
        w.record("version", self.version, Version)


_LEGACY_PAGE_OFS_PAGE = FieldRun("<qq", "ofs_page", "num_values")


@dataclass(slots=True, kw_only=True)
class LegacyPage(Record):
    """Where the page of a field in a batch is, in a file of version 0.1. The page
    table has one for each batch, for each id from the least to the largest of the
    file's fields in turn.

        at  size  field       stored as
         0     8  ofs_page    s8le
         8     8  num_values  s8le
    """

    NAME: ClassVar[str] = "legacy_page"
    MIN_SIZE: ClassVar[int] = 16
    SIZE: ClassVar[int] = 16
    PLACES: ClassVar[dict[str, int]] = {"ofs_page": 0, "num_values": 8}

    ofs_page: int

    num_values: int
    """Values of the page; of a list one more, its offsets."""

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.ofs_page = r.s8le("ofs_page")
        if self.ofs_page < 0:
            raise r.invalid("ofs_page", r.offset - 8, self.ofs_page, "at least 0")
        self.num_values = r.s8le("num_values")
        if self.num_values < 0:
            raise r.invalid("num_values", r.offset - 8, self.num_values, "at least 0")
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        if self.ofs_page < 0:
            raise w.invalid("ofs_page", self.ofs_page, "at least 0")
        if self.num_values < 0:
            raise w.invalid("num_values", self.num_values, "at least 0")
        w.out += _LEGACY_PAGE_OFS_PAGE.pack(self.ofs_page, self.num_values)


_FRAMED_MESSAGE_LEN_MESSAGE = FieldRun("<I", "len_message")


@dataclass(slots=True, kw_only=True)
class FramedMessage(Record):
    """A message of protobuf after its length.

    at  size  field        stored as
     0     4  len_message  u4le
     4        message      bytes
    """

    NAME: ClassVar[str] = "framed_message"
    MIN_SIZE: ClassVar[int] = 4

    message: bytes

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        len_message = r.u4le("len_message")
        self.message = r.bytes("message", len_message)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        out = w.out
        out += _FRAMED_MESSAGE_LEN_MESSAGE.pack(len(self.message))
        out += self.message

    @property
    def len_message(self) -> int:
        """Bytes of `message`."""
        return len(self.message)


_FOOTER_OFS_COLUMNS = FieldRun(
    "<QQQI", "ofs_columns", "ofs_column_extents", "ofs_buffer_extents", "num_buffers"
)
_FOOTER_OFS_COLUMNS_2 = FieldRun(
    "<QQQII",
    "ofs_columns",
    "ofs_column_extents",
    "ofs_buffer_extents",
    "num_buffers",
    "num_columns",
)


@dataclass(slots=True, kw_only=True)
class Footer(Record):
    """The last 40 bytes of a file of 2.x.

    at  size  field               stored as
     0     8  ofs_columns         u8le
     8     8  ofs_column_extents  u8le
    16     8  ofs_buffer_extents  u8le
    24     4  num_buffers         u4le
    28     4  num_columns         u4le
    32     8  version             version
    """

    NAME: ClassVar[str] = "footer"
    MIN_SIZE: ClassVar[int] = 40
    SIZE: ClassVar[int] = 40
    PLACES: ClassVar[dict[str, int]] = {
        "ofs_columns": 0,
        "ofs_column_extents": 8,
        "ofs_buffer_extents": 16,
        "num_buffers": 24,
        "num_columns": 28,
        "version": 32,
    }

    ofs_columns: int
    """Where the first column's `ColumnMetadata` begins."""

    ofs_column_extents: int
    """Where the `extent` of each column begins."""

    ofs_buffer_extents: int
    """Where the `extent` of each global buffer begins."""

    num_buffers: int
    """Global buffers."""

    num_columns: int
    """Columns, in 2.0 one for each field, from 2.1 on one for each leaf."""

    version: Version

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        (
            self.ofs_columns,
            self.ofs_column_extents,
            self.ofs_buffer_extents,
            self.num_buffers,
        ) = r.run(_FOOTER_OFS_COLUMNS)
        if self.num_buffers < 1:
            raise r.invalid("num_buffers", r.offset - 4, self.num_buffers, "at least 1")
        self.num_columns = r.u4le("num_columns")
        self.version = r.record("version", Version.read)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        if self.num_buffers < 1:
            raise w.invalid("num_buffers", self.num_buffers, "at least 1")
        w.out += _FOOTER_OFS_COLUMNS_2.pack(
            self.ofs_columns,
            self.ofs_column_extents,
            self.ofs_buffer_extents,
            self.num_buffers,
            self.num_columns,
        )
        w.record("version", self.version, Version)


_EARLY_FOOTER_OFS_COLUMNS = FieldRun(
    "<QQQQI",
    "ofs_columns",
    "ofs_column_extents",
    "ofs_descriptor",
    "ofs_buffer_extents",
    "num_buffers",
)
_EARLY_FOOTER_OFS_COLUMNS_2 = FieldRun(
    "<QQQQII",
    "ofs_columns",
    "ofs_column_extents",
    "ofs_descriptor",
    "ofs_buffer_extents",
    "num_buffers",
    "num_columns",
)


@dataclass(slots=True, kw_only=True)
class EarlyFooter(Record):
    """The last 48 bytes of a file by release 0.10.18, which has the version of 2.0. It
    is recognised by its buffer extents, which end where it begins.

        at  size  field               stored as
         0     8  ofs_columns         u8le
         8     8  ofs_column_extents  u8le
        16     8  ofs_descriptor      u8le
        24     8  ofs_buffer_extents  u8le
        32     4  num_buffers         u4le
        36     4  num_columns         u4le
        40     8  version             version
    """

    NAME: ClassVar[str] = "early_footer"
    MIN_SIZE: ClassVar[int] = 48
    SIZE: ClassVar[int] = 48
    PLACES: ClassVar[dict[str, int]] = {
        "ofs_columns": 0,
        "ofs_column_extents": 8,
        "ofs_descriptor": 16,
        "ofs_buffer_extents": 24,
        "num_buffers": 32,
        "num_columns": 36,
        "version": 40,
    }

    ofs_columns: int
    ofs_column_extents: int

    ofs_descriptor: int
    """Where global buffer 0 begins."""

    ofs_buffer_extents: int
    num_buffers: int
    num_columns: int
    version: Version

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        (
            self.ofs_columns,
            self.ofs_column_extents,
            self.ofs_descriptor,
            self.ofs_buffer_extents,
            self.num_buffers,
        ) = r.run(_EARLY_FOOTER_OFS_COLUMNS)
        if self.num_buffers < 1:
            raise r.invalid("num_buffers", r.offset - 4, self.num_buffers, "at least 1")
        self.num_columns = r.u4le("num_columns")
        self.version = r.record("version", Version.read)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        if self.num_buffers < 1:
            raise w.invalid("num_buffers", self.num_buffers, "at least 1")
        w.out += _EARLY_FOOTER_OFS_COLUMNS_2.pack(
            self.ofs_columns,
            self.ofs_column_extents,
            self.ofs_descriptor,
            self.ofs_buffer_extents,
            self.num_buffers,
            self.num_columns,
        )
        w.record("version", self.version, Version)


_EXTENT_OFFSET = FieldRun("<QQ", "offset", "size")


@dataclass(slots=True, kw_only=True)
class Extent(Record):
    """Where a message or a buffer is.

    at  size  field   stored as
     0     8  offset  u8le
     8     8  size    u8le
    """

    NAME: ClassVar[str] = "extent"
    MIN_SIZE: ClassVar[int] = 16
    SIZE: ClassVar[int] = 16
    PLACES: ClassVar[dict[str, int]] = {"offset": 0, "size": 8}

    offset: int
    size: int

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.offset, self.size = r.run(_EXTENT_OFFSET)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        w.out += _EXTENT_OFFSET.pack(self.offset, self.size)


@dataclass(slots=True, kw_only=True)
class Extents(Record):
    """Where each of several messages or buffers is.

    at  size  field  stored as
     0        items  extent, repeated
    """

    NAME: ClassVar[str] = "extents"
    MIN_SIZE: ClassVar[int] = 0

    count: int
    items: list[Extent]

    @classmethod
    def read(cls, r: Reader, count: int) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.count = count
        self.items = r.records("items", self.count, Extent.read, Extent.MIN_SIZE)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        if len(self.items) != self.count:
            w.check_count("items", self.items, self.count, "count")
        w.records("items", self.items, Extent)

    @property
    def _number_of_items(self) -> int:
        """The elements of `items`: `count`."""
        return self.count
