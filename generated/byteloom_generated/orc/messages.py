# Written by byteloom-codegen from specs/orc/messages.proto; do not edit.
# To change it, edit that file and generate again.
"""The protobuf messages of an ORC file: everything in it that is not the data of a
column.

A file is read from its end: its last byte is the length of the PostScript
before it, which gives the length of the Footer before that, and of the Metadata
before the footer. A stripe ends with a StripeFooter. All but the PostScript are
compressed as the PostScript says.

Names are the specification's own. Text that writers do not check to be UTF-8 is
declared as bytes here, which is the same on the wire. Of encryption only the
lengths that move other things are named; whatever is not named is kept as
unknown fields.

How a message is stored, byte by byte, is in hfile/protobuf.ksy.

Source: https://orc.apache.org/specification/ORCv1/
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Final

from byteloom.documents.messages import File, Message

if TYPE_CHECKING:
    from collections.abc import Iterable, MutableSequence

__all__ = [
    "FILE",
    "BinaryStatistics",
    "BucketStatistics",
    "CollectionStatistics",
    "ColumnEncoding",
    "ColumnStatistics",
    "CompressionKind",
    "DateStatistics",
    "DecimalStatistics",
    "DoubleStatistics",
    "Footer",
    "IntegerStatistics",
    "Metadata",
    "PostScript",
    "Stream",
    "StringPair",
    "StringStatistics",
    "StripeFooter",
    "StripeInformation",
    "StripeStatistics",
    "TimestampStatistics",
    "Type",
    "UserMetadataItem",
]

FILE: Final = File("orc/messages.proto", __name__)
"""What these classes are declared in; the end of this module has its descriptor."""


class CompressionKind(IntEnum):
    """How chunks of the file are compressed."""

    NONE = 0
    """Not at all: there are no chunks then."""

    ZLIB = 1
    """Raw deflate."""

    SNAPPY = 2
    """Raw Snappy."""

    LZO = 3
    """LZO."""

    LZ4 = 4
    """An LZ4 block."""

    ZSTD = 5
    """A Zstandard frame."""

    BROTLI = 6
    """Brotli."""


class PostScript(Message, file=FILE, name="orc.proto.PostScript"):
    """The end of the file, never compressed, at most 255 bytes.

      no  field                   stored as
       1  footerLength            uint64
       2  compression             CompressionKind
       3  compressionBlockSize    uint64, else 262144
       4  version                 repeated uint32
       5  metadataLength          uint64
       6  writerVersion           uint32
       7  stripeStatisticsLength  uint64
    8000  magic                   string
    """

    footerLength: int
    """Bytes of the footer as stored."""

    compression: int
    """How all but this message is compressed."""

    compressionBlockSize: int
    """Bytes that a chunk may decompress to."""

    version: MutableSequence[int]
    """Major and minor version of the format: 0.11 or 0.12."""

    metadataLength: int
    """Bytes of the metadata as stored."""

    writerVersion: int
    """The faults of older writers that this one does not have: 0 wrote wrong bounds of
    text (HIVE-8732).
    """

    stripeStatisticsLength: int
    """Bytes of the encrypted stripe statistics."""

    magic: str
    """ORC."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            footerLength: int | None = None,
            compression: int | None = None,
            compressionBlockSize: int | None = None,
            version: Iterable[int] | None = None,
            metadataLength: int | None = None,
            writerVersion: int | None = None,
            stripeStatisticsLength: int | None = None,
            magic: str | None = None,
        ) -> None: ...


class Footer(Message, file=FILE, name="orc.proto.Footer"):
    """The content of the file.

    no  field            stored as
     1  headerLength     uint64
     2  contentLength    uint64
     3  stripes          repeated StripeInformation
     4  types            repeated Type
     5  metadata         repeated UserMetadataItem
     6  numberOfRows     uint64
     7  statistics       repeated ColumnStatistics
     8  rowIndexStride   uint32
     9  writer           uint32
    10  encryption       bytes
    11  calendar         uint32
    12  softwareVersion  string
    """

    headerLength: int
    """Bytes of the header: 3, the magic."""

    contentLength: int
    """Bytes of header and stripes."""

    stripes: MutableSequence[StripeInformation]
    """The stripes, in the order of their rows."""

    types: MutableSequence[Type]
    """The schema as a tree in pre-order; the first is the row."""

    metadata: MutableSequence[UserMetadataItem]
    """Facts about the file that its user added."""

    numberOfRows: int
    """Rows of all stripes."""

    statistics: MutableSequence[ColumnStatistics]
    """Statistics of each type over the whole file."""

    rowIndexStride: int
    """Rows between two entries of a row index; 0 without indexes."""

    writer: int
    """0 Java, 1 C++, 2 Presto, 3 Go, 4 Trino, 5 Rust (cudf)."""

    encryption: bytes
    """Columns that are encrypted."""

    calendar: int
    """0 unknown, 1 Julian and Gregorian, 2 proleptic Gregorian."""

    softwareVersion: str
    """The writer's version, as it calls itself."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            headerLength: int | None = None,
            contentLength: int | None = None,
            stripes: Iterable[StripeInformation] | None = None,
            types: Iterable[Type] | None = None,
            metadata: Iterable[UserMetadataItem] | None = None,
            numberOfRows: int | None = None,
            statistics: Iterable[ColumnStatistics] | None = None,
            rowIndexStride: int | None = None,
            writer: int | None = None,
            encryption: bytes | None = None,
            calendar: int | None = None,
            softwareVersion: str | None = None,
        ) -> None: ...


class StripeInformation(Message, file=FILE, name="orc.proto.StripeInformation"):
    """Where a stripe is: its index, its data, its footer, one after another.

    no  field               stored as
     1  offset              uint64
     2  indexLength         uint64
     3  dataLength          uint64
     4  footerLength        uint64
     5  numberOfRows        uint64
     6  encryptStripeId     uint64
     7  encryptedLocalKeys  repeated bytes
    """

    offset: int
    """Its first byte, from the start of the file."""

    indexLength: int
    """Bytes of its indexes."""

    dataLength: int
    """Bytes of its data."""

    footerLength: int
    """Bytes of its footer as stored."""

    numberOfRows: int
    """Its rows."""

    encryptStripeId: int
    """The number that its keys are derived from."""

    encryptedLocalKeys: MutableSequence[bytes]
    """The keys of its encrypted columns."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            offset: int | None = None,
            indexLength: int | None = None,
            dataLength: int | None = None,
            footerLength: int | None = None,
            numberOfRows: int | None = None,
            encryptStripeId: int | None = None,
            encryptedLocalKeys: Iterable[bytes] | None = None,
        ) -> None: ...


class Type(Message, file=FILE, name="orc.proto.Type"):
    """A type of the schema.

    no  field          stored as
     1  kind           Type.Kind
     2  subtypes       repeated uint32
     3  fieldNames     repeated string
     4  maximumLength  uint32
     5  precision      uint32
     6  scale          uint32
     7  attributes     repeated StringPair
    """

    class Kind(IntEnum):
        """The kind of the type."""

        BOOLEAN = 0
        BYTE = 1
        SHORT = 2
        INT = 3
        LONG = 4
        FLOAT = 5
        DOUBLE = 6
        STRING = 7
        BINARY = 8
        TIMESTAMP = 9
        """Without a zone: moments of the writer's wall clock."""

        LIST = 10
        MAP = 11
        STRUCT = 12
        UNION = 13
        DECIMAL = 14
        DATE = 15
        VARCHAR = 16
        CHAR = 17
        TIMESTAMP_INSTANT = 18
        """Moments in UTC."""

    kind: int
    """The kind of the type."""

    subtypes: MutableSequence[int]
    """Numbers of the types inside."""

    fieldNames: MutableSequence[str]
    """Names of the types inside a STRUCT."""

    maximumLength: int
    """Characters of VARCHAR and CHAR."""

    precision: int
    """Digits of DECIMAL."""

    scale: int
    """Digits after the point of DECIMAL."""

    attributes: MutableSequence[StringPair]
    """Other facts about the type, such as Iceberg's ids."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            kind: int | None = None,
            subtypes: Iterable[int] | None = None,
            fieldNames: Iterable[str] | None = None,
            maximumLength: int | None = None,
            precision: int | None = None,
            scale: int | None = None,
            attributes: Iterable[StringPair] | None = None,
        ) -> None: ...


class StringPair(Message, file=FILE, name="orc.proto.StringPair"):
    """An attribute of a type.

    no  field  stored as
     1  key    string
     2  value  string
    """

    key: str
    """Its name."""

    value: str
    """Its value."""

    if TYPE_CHECKING:

        def __init__(
            self, *, key: str | None = None, value: str | None = None
        ) -> None: ...


class UserMetadataItem(Message, file=FILE, name="orc.proto.UserMetadataItem"):
    """A fact about the file that its user added.

    no  field  stored as
     1  name   string
     2  value  bytes
    """

    name: str
    """Its name."""

    value: bytes
    """Its value."""

    if TYPE_CHECKING:

        def __init__(
            self, *, name: str | None = None, value: bytes | None = None
        ) -> None: ...


class ColumnStatistics(Message, file=FILE, name="orc.proto.ColumnStatistics"):
    """Facts about the values of a type in a file, in a stripe, or in some rows.

    no  field                 stored as
     1  numberOfValues        uint64
     2  intStatistics         IntegerStatistics
     3  doubleStatistics      DoubleStatistics
     4  stringStatistics      StringStatistics
     5  bucketStatistics      BucketStatistics
     6  decimalStatistics     DecimalStatistics
     7  dateStatistics        DateStatistics
     8  binaryStatistics      BinaryStatistics
     9  timestampStatistics   TimestampStatistics
    10  hasNull               bool
    11  bytesOnDisk           uint64
    12  collectionStatistics  CollectionStatistics
    """

    numberOfValues: int
    """Values that are not null, nor inside a parent that is null."""

    intStatistics: IntegerStatistics
    """Statistics of the types BYTE to LONG."""

    doubleStatistics: DoubleStatistics
    """Statistics of the types FLOAT and DOUBLE."""

    stringStatistics: StringStatistics
    """Statistics of the types STRING, VARCHAR and CHAR."""

    bucketStatistics: BucketStatistics
    """Statistics of the type BOOLEAN."""

    decimalStatistics: DecimalStatistics
    """Statistics of the type DECIMAL."""

    dateStatistics: DateStatistics
    """Statistics of the type DATE."""

    binaryStatistics: BinaryStatistics
    """Statistics of the type BINARY."""

    timestampStatistics: TimestampStatistics
    """Statistics of the types TIMESTAMP and TIMESTAMP_INSTANT."""

    hasNull: bool
    """Whether there are nulls."""

    bytesOnDisk: int
    """Bytes that the values take."""

    collectionStatistics: CollectionStatistics
    """Statistics of the types LIST and MAP."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            numberOfValues: int | None = None,
            intStatistics: IntegerStatistics | None = None,
            doubleStatistics: DoubleStatistics | None = None,
            stringStatistics: StringStatistics | None = None,
            bucketStatistics: BucketStatistics | None = None,
            decimalStatistics: DecimalStatistics | None = None,
            dateStatistics: DateStatistics | None = None,
            binaryStatistics: BinaryStatistics | None = None,
            timestampStatistics: TimestampStatistics | None = None,
            hasNull: bool | None = None,
            bytesOnDisk: int | None = None,
            collectionStatistics: CollectionStatistics | None = None,
        ) -> None: ...


class IntegerStatistics(Message, file=FILE, name="orc.proto.IntegerStatistics"):
    """Statistics of integers.

    no  field    stored as
     1  minimum  sint64
     2  maximum  sint64
     3  sum      sint64
    """

    minimum: int

    maximum: int

    sum: int
    """Absent where it does not fit."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            minimum: int | None = None,
            maximum: int | None = None,
            sum: int | None = None,
        ) -> None: ...


class DoubleStatistics(Message, file=FILE, name="orc.proto.DoubleStatistics"):
    """Statistics of floating-point numbers.

    no  field    stored as
     1  minimum  double
     2  maximum  double
     3  sum      double
    """

    minimum: float

    maximum: float

    sum: float

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            minimum: float | None = None,
            maximum: float | None = None,
            sum: float | None = None,
        ) -> None: ...


class StringStatistics(Message, file=FILE, name="orc.proto.StringStatistics"):
    """Of text. A bound of more than 1,024 bytes is cut off, and is in the last two
    fields.

        no  field       stored as
         1  minimum     bytes
         2  maximum     bytes
         3  sum         sint64
         4  lowerBound  bytes
         5  upperBound  bytes
    """

    minimum: bytes
    """Text, unchecked."""

    maximum: bytes
    """Text, unchecked."""

    sum: int
    """Bytes of all values."""

    lowerBound: bytes
    """Not above any value."""

    upperBound: bytes
    """Not below any value."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            minimum: bytes | None = None,
            maximum: bytes | None = None,
            sum: int | None = None,
            lowerBound: bytes | None = None,
            upperBound: bytes | None = None,
        ) -> None: ...


class BucketStatistics(Message, file=FILE, name="orc.proto.BucketStatistics"):
    """Statistics of booleans.

    no  field  stored as
     1  count  repeated uint64
    """

    count: MutableSequence[int]
    """How many values are true."""

    if TYPE_CHECKING:

        def __init__(self, *, count: Iterable[int] | None = None) -> None: ...


class DecimalStatistics(Message, file=FILE, name="orc.proto.DecimalStatistics"):
    """Statistics of decimals; bounds are text.

    no  field    stored as
     1  minimum  bytes
     2  maximum  bytes
     3  sum      bytes
    """

    minimum: bytes
    """Digits as text, unchecked."""

    maximum: bytes
    """Digits as text, unchecked."""

    sum: bytes
    """Digits as text, unchecked."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            minimum: bytes | None = None,
            maximum: bytes | None = None,
            sum: bytes | None = None,
        ) -> None: ...


class DateStatistics(Message, file=FILE, name="orc.proto.DateStatistics"):
    """Statistics of dates, in days from 1970.

    no  field    stored as
     1  minimum  sint32
     2  maximum  sint32
    """

    minimum: int

    maximum: int

    if TYPE_CHECKING:

        def __init__(
            self, *, minimum: int | None = None, maximum: int | None = None
        ) -> None: ...


class TimestampStatistics(Message, file=FILE, name="orc.proto.TimestampStatistics"):
    """Statistics of timestamps, in milliseconds from 1970.

    no  field         stored as
     1  minimum       sint64
     2  maximum       sint64
     3  minimumUtc    sint64
     4  maximumUtc    sint64
     5  minimumNanos  int32
     6  maximumNanos  int32
    """

    minimum: int
    """In the writer's zone."""

    maximum: int
    """In the writer's zone."""

    minimumUtc: int

    maximumUtc: int

    minimumNanos: int
    """Nanoseconds below the millisecond, plus 1."""

    maximumNanos: int
    """Nanoseconds below the millisecond, plus 1."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            minimum: int | None = None,
            maximum: int | None = None,
            minimumUtc: int | None = None,
            maximumUtc: int | None = None,
            minimumNanos: int | None = None,
            maximumNanos: int | None = None,
        ) -> None: ...


class BinaryStatistics(Message, file=FILE, name="orc.proto.BinaryStatistics"):
    """Statistics of byte strings.

    no  field  stored as
     1  sum    sint64
    """

    sum: int
    """Bytes of all values."""

    if TYPE_CHECKING:

        def __init__(self, *, sum: int | None = None) -> None: ...


class CollectionStatistics(Message, file=FILE, name="orc.proto.CollectionStatistics"):
    """Statistics of lists and maps.

    no  field          stored as
     1  minChildren    uint64
     2  maxChildren    uint64
     3  totalChildren  uint64
    """

    minChildren: int

    maxChildren: int

    totalChildren: int

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            minChildren: int | None = None,
            maxChildren: int | None = None,
            totalChildren: int | None = None,
        ) -> None: ...


class Metadata(Message, file=FILE, name="orc.proto.Metadata"):
    """Statistics of all stripes.

    no  field        stored as
     1  stripeStats  repeated StripeStatistics
    """

    stripeStats: MutableSequence[StripeStatistics]
    """In the order of the stripes."""

    if TYPE_CHECKING:

        def __init__(
            self, *, stripeStats: Iterable[StripeStatistics] | None = None
        ) -> None: ...


class StripeStatistics(Message, file=FILE, name="orc.proto.StripeStatistics"):
    """Statistics of a stripe.

    no  field     stored as
     1  colStats  repeated ColumnStatistics
    """

    colStats: MutableSequence[ColumnStatistics]
    """One entry for each type, in the order of the types."""

    if TYPE_CHECKING:

        def __init__(
            self, *, colStats: Iterable[ColumnStatistics] | None = None
        ) -> None: ...


class StripeFooter(Message, file=FILE, name="orc.proto.StripeFooter"):
    """The content of a stripe.

    no  field           stored as
     1  streams         repeated Stream
     2  columns         repeated ColumnEncoding
     3  writerTimezone  string
    """

    streams: MutableSequence[Stream]
    """Its streams, in the order of their bytes: all of them follow the stripe's
    offset.
    """

    columns: MutableSequence[ColumnEncoding]
    """How each type is encoded."""

    writerTimezone: str
    """The zone that TIMESTAMP was written in."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            streams: Iterable[Stream] | None = None,
            columns: Iterable[ColumnEncoding] | None = None,
            writerTimezone: str | None = None,
        ) -> None: ...


class Stream(Message, file=FILE, name="orc.proto.Stream"):
    """A run of bytes of one column.

    no  field   stored as
     1  kind    Stream.Kind
     2  column  uint32
     3  length  uint64
    """

    class Kind(IntEnum):
        """What they are."""

        PRESENT = 0
        """Which values are not null."""

        DATA = 1
        LENGTH = 2
        DICTIONARY_DATA = 3
        DICTIONARY_COUNT = 4
        SECONDARY = 5
        """Nanoseconds of moments, scales of decimals."""

        ROW_INDEX = 6
        BLOOM_FILTER = 7
        BLOOM_FILTER_UTF8 = 8
        ENCRYPTED_INDEX = 9
        ENCRYPTED_DATA = 10
        STRIPE_STATISTICS = 100
        FILE_STATISTICS = 101

    kind: int
    """What they are."""

    column: int
    """The number of the type."""

    length: int
    """The number of bytes, as stored."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            kind: int | None = None,
            column: int | None = None,
            length: int | None = None,
        ) -> None: ...


class ColumnEncoding(Message, file=FILE, name="orc.proto.ColumnEncoding"):
    """How the values of a type are encoded.

    no  field           stored as
     1  kind            ColumnEncoding.Kind
     2  dictionarySize  uint32
     3  bloomEncoding   uint32
    """

    class Kind(IntEnum):
        """The encoding; V2 has the second form of runs of integers."""

        DIRECT = 0
        DICTIONARY = 1
        DIRECT_V2 = 2
        DICTIONARY_V2 = 3

    kind: int
    """The encoding."""

    dictionarySize: int
    """Entries of the dictionary."""

    bloomEncoding: int
    """How Bloom filters were made: 1 from UTF-8."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            kind: int | None = None,
            dictionarySize: int | None = None,
            bloomEncoding: int | None = None,
        ) -> None: ...


FILE.descriptor = (
    b"\n\x12orc/messages.proto\x12\torc.proto\x22\xe9\x01\n\nPostScript\x12\x14\n\x0cf"
    b"ooterLength\x18\x01 \x01(\x04\x12/\n\x0bcompression\x18\x02 \x01(\x0e2\x1a.orc.p"
    b"roto.CompressionKind\x12$\n\x14compressionBlockSize\x18\x03 \x01(\x04:\x06262144"
    b"\x12\x0f\n\x07version\x18\x04 \x03(\r\x12\x16\n\x0emetadataLength\x18\x05 \x01("
    b"\x04\x12\x15\n\rwriterVersion\x18\x06 \x01(\r\x12\x1e\n\x16stripeStatisticsLengt"
    b"h\x18\x07 \x01(\x04\x12\x0e\n\x05magic\x18\xc0> \x01(\t\x22\xe1\x02\n\x06Footer"
    b"\x12\x14\n\x0cheaderLength\x18\x01 \x01(\x04\x12\x15\n\rcontentLength\x18\x02 "
    b"\x01(\x04\x12-\n\x07stripes\x18\x03 \x03(\x0b2\x1c.orc.proto.StripeInformation"
    b"\x12\x1e\n\x05types\x18\x04 \x03(\x0b2\x0f.orc.proto.Type\x12-\n\x08metadata\x18"
    b"\x05 \x03(\x0b2\x1b.orc.proto.UserMetadataItem\x12\x14\n\x0cnumberOfRows\x18\x06"
    b" \x01(\x04\x12/\n\nstatistics\x18\x07 \x03(\x0b2\x1b.orc.proto.ColumnStatistics"
    b"\x12\x16\n\x0erowIndexStride\x18\x08 \x01(\r\x12\x0e\n\x06writer\x18\t \x01(\r"
    b"\x12\x12\n\nencryption\x18\n \x01(\x0c\x12\x10\n\x08calendar\x18\x0b \x01(\r\x12"
    b"\x17\n\x0fsoftwareVersion\x18\x0c \x01(\t\x22\xad\x01\n\x11StripeInformation\x12"
    b"\x0e\n\x06offset\x18\x01 \x01(\x04\x12\x13\n\x0bindexLength\x18\x02 \x01(\x04"
    b"\x12\x12\n\ndataLength\x18\x03 \x01(\x04\x12\x14\n\x0cfooterLength\x18\x04 \x01("
    b"\x04\x12\x14\n\x0cnumberOfRows\x18\x05 \x01(\x04\x12\x17\n\x0fencryptStripeId"
    b"\x18\x06 \x01(\x04\x12\x1a\n\x12encryptedLocalKeys\x18\x07 \x03(\x0c\x22\x9f\x03"
    b"\n\x04Type\x12\x22\n\x04kind\x18\x01 \x01(\x0e2\x14.orc.proto.Type.Kind\x12\x10"
    b"\n\x08subtypes\x18\x02 \x03(\r\x12\x12\n\nfieldNames\x18\x03 \x03(\t\x12\x15\n\r"
    b"maximumLength\x18\x04 \x01(\r\x12\x11\n\tprecision\x18\x05 \x01(\r\x12\r\n\x05sc"
    b"ale\x18\x06 \x01(\r\x12)\n\nattributes\x18\x07 \x03(\x0b2\x15.orc.proto.StringPa"
    b"ir\x22\xe8\x01\n\x04Kind\x12\x0b\n\x07BOOLEAN\x10\x00\x12\x08\n\x04BYTE\x10\x01"
    b"\x12\t\n\x05SHORT\x10\x02\x12\x07\n\x03INT\x10\x03\x12\x08\n\x04LONG\x10\x04\x12"
    b"\t\n\x05FLOAT\x10\x05\x12\n\n\x06DOUBLE\x10\x06\x12\n\n\x06STRING\x10\x07\x12\n"
    b"\n\x06BINARY\x10\x08\x12\r\n\tTIMESTAMP\x10\t\x12\x08\n\x04LIST\x10\n\x12\x07\n"
    b"\x03MAP\x10\x0b\x12\n\n\x06STRUCT\x10\x0c\x12\t\n\x05UNION\x10\r\x12\x0b\n\x07DE"
    b"CIMAL\x10\x0e\x12\x08\n\x04DATE\x10\x0f\x12\x0b\n\x07VARCHAR\x10\x10\x12\x08\n"
    b"\x04CHAR\x10\x11\x12\x15\n\x11TIMESTAMP_INSTANT\x10\x12\x22(\n\nStringPair\x12"
    b"\x0b\n\x03key\x18\x01 \x01(\t\x12\r\n\x05value\x18\x02 \x01(\t\x22/\n\x10UserMet"
    b"adataItem\x12\x0c\n\x04name\x18\x01 \x01(\t\x12\r\n\x05value\x18\x02 \x01(\x0c"
    b"\x22\xc9\x04\n\x10ColumnStatistics\x12\x16\n\x0enumberOfValues\x18\x01 \x01(\x04"
    b"\x123\n\rintStatistics\x18\x02 \x01(\x0b2\x1c.orc.proto.IntegerStatistics\x125\n"
    b"\x10doubleStatistics\x18\x03 \x01(\x0b2\x1b.orc.proto.DoubleStatistics\x125\n"
    b"\x10stringStatistics\x18\x04 \x01(\x0b2\x1b.orc.proto.StringStatistics\x125\n"
    b"\x10bucketStatistics\x18\x05 \x01(\x0b2\x1b.orc.proto.BucketStatistics\x127\n"
    b"\x11decimalStatistics\x18\x06 \x01(\x0b2\x1c.orc.proto.DecimalStatistics\x121\n"
    b"\x0edateStatistics\x18\x07 \x01(\x0b2\x19.orc.proto.DateStatistics\x125\n\x10bin"
    b"aryStatistics\x18\x08 \x01(\x0b2\x1b.orc.proto.BinaryStatistics\x12;\n\x13timest"
    b"ampStatistics\x18\t \x01(\x0b2\x1e.orc.proto.TimestampStatistics\x12\x0f\n\x07ha"
    b"sNull\x18\n \x01(\x08\x12\x13\n\x0bbytesOnDisk\x18\x0b \x01(\x04\x12=\n\x14colle"
    b"ctionStatistics\x18\x0c \x01(\x0b2\x1f.orc.proto.CollectionStatistics\x22B\n\x11"
    b"IntegerStatistics\x12\x0f\n\x07minimum\x18\x01 \x01(\x12\x12\x0f\n\x07maximum"
    b"\x18\x02 \x01(\x12\x12\x0b\n\x03sum\x18\x03 \x01(\x12\x22A\n\x10DoubleStatistics"
    b"\x12\x0f\n\x07minimum\x18\x01 \x01(\x01\x12\x0f\n\x07maximum\x18\x02 \x01(\x01"
    b"\x12\x0b\n\x03sum\x18\x03 \x01(\x01\x22i\n\x10StringStatistics\x12\x0f\n\x07mini"
    b"mum\x18\x01 \x01(\x0c\x12\x0f\n\x07maximum\x18\x02 \x01(\x0c\x12\x0b\n\x03sum"
    b"\x18\x03 \x01(\x12\x12\x12\n\nlowerBound\x18\x04 \x01(\x0c\x12\x12\n\nupperBound"
    b"\x18\x05 \x01(\x0c\x22!\n\x10BucketStatistics\x12\r\n\x05count\x18\x01 \x03(\x04"
    b"\x22B\n\x11DecimalStatistics\x12\x0f\n\x07minimum\x18\x01 \x01(\x0c\x12\x0f\n"
    b"\x07maximum\x18\x02 \x01(\x0c\x12\x0b\n\x03sum\x18\x03 \x01(\x0c\x222\n\x0eDateS"
    b"tatistics\x12\x0f\n\x07minimum\x18\x01 \x01(\x11\x12\x0f\n\x07maximum\x18\x02 "
    b"\x01(\x11\x22\x8b\x01\n\x13TimestampStatistics\x12\x0f\n\x07minimum\x18\x01 \x01"
    b"(\x12\x12\x0f\n\x07maximum\x18\x02 \x01(\x12\x12\x12\n\nminimumUtc\x18\x03 \x01("
    b"\x12\x12\x12\n\nmaximumUtc\x18\x04 \x01(\x12\x12\x14\n\x0cminimumNanos\x18\x05 "
    b"\x01(\x05\x12\x14\n\x0cmaximumNanos\x18\x06 \x01(\x05\x22\x1f\n\x10BinaryStatist"
    b"ics\x12\x0b\n\x03sum\x18\x01 \x01(\x12\x22W\n\x14CollectionStatistics\x12\x13\n"
    b"\x0bminChildren\x18\x01 \x01(\x04\x12\x13\n\x0bmaxChildren\x18\x02 \x01(\x04\x12"
    b"\x15\n\rtotalChildren\x18\x03 \x01(\x04\x22<\n\x08Metadata\x120\n\x0bstripeStats"
    b"\x18\x01 \x03(\x0b2\x1b.orc.proto.StripeStatistics\x22A\n\x10StripeStatistics"
    b"\x12-\n\x08colStats\x18\x01 \x03(\x0b2\x1b.orc.proto.ColumnStatistics\x22v\n\x0c"
    b"StripeFooter\x12\x22\n\x07streams\x18\x01 \x03(\x0b2\x11.orc.proto.Stream\x12*\n"
    b"\x07columns\x18\x02 \x03(\x0b2\x19.orc.proto.ColumnEncoding\x12\x16\n\x0ewriterT"
    b"imezone\x18\x03 \x01(\t\x22\xc1\x02\n\x06Stream\x12$\n\x04kind\x18\x01 \x01(\x0e"
    b"2\x16.orc.proto.Stream.Kind\x12\x0e\n\x06column\x18\x02 \x01(\r\x12\x0e\n\x06len"
    b"gth\x18\x03 \x01(\x04\x22\xf0\x01\n\x04Kind\x12\x0b\n\x07PRESENT\x10\x00\x12\x08"
    b"\n\x04DATA\x10\x01\x12\n\n\x06LENGTH\x10\x02\x12\x13\n\x0fDICTIONARY_DATA\x10"
    b"\x03\x12\x14\n\x10DICTIONARY_COUNT\x10\x04\x12\r\n\tSECONDARY\x10\x05\x12\r\n\tR"
    b"OW_INDEX\x10\x06\x12\x10\n\x0cBLOOM_FILTER\x10\x07\x12\x15\n\x11BLOOM_FILTER_UTF"
    b"8\x10\x08\x12\x13\n\x0fENCRYPTED_INDEX\x10\t\x12\x12\n\x0eENCRYPTED_DATA\x10\n"
    b"\x12\x15\n\x11STRIPE_STATISTICS\x10d\x12\x13\n\x0fFILE_STATISTICS\x10e\x22\xb3"
    b"\x01\n\x0eColumnEncoding\x12,\n\x04kind\x18\x01 \x01(\x0e2\x1e.orc.proto.ColumnE"
    b"ncoding.Kind\x12\x16\n\x0edictionarySize\x18\x02 \x01(\r\x12\x15\n\rbloomEncodin"
    b"g\x18\x03 \x01(\r\x22D\n\x04Kind\x12\n\n\x06DIRECT\x10\x00\x12\x0e\n\nDICTIONARY"
    b"\x10\x01\x12\r\n\tDIRECT_V2\x10\x02\x12\x11\n\rDICTIONARY_V2\x10\x03*Y\n\x0fComp"
    b"ressionKind\x12\x08\n\x04NONE\x10\x00\x12\x08\n\x04ZLIB\x10\x01\x12\n\n\x06SNAPP"
    b"Y\x10\x02\x12\x07\n\x03LZO\x10\x03\x12\x07\n\x03LZ4\x10\x04\x12\x08\n\x04ZSTD"
    b"\x10\x05\x12\n\n\x06BROTLI\x10\x06b\x08editionsp\xe8\x07"
)
