# Written by byteloom-codegen from specs/hfile/messages.proto; do not edit.
# To change it, edit that file and generate again.
"""The protobuf messages inside an HFile. Field numbers are the format; names are
HBase's own, which Hudi shares.

The trailer holds one TrailerProto after its length as a varint; the file info
block holds the four bytes "PBUF" and one InfoProto after its length.

How a message is stored, byte by byte, is in protobuf.ksy.

Source: https://hudi.apache.org/docs/hfile_format#trailer
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Final

from byteloom.documents.messages import File, Message

if TYPE_CHECKING:
    from collections.abc import Iterable, MutableSequence

__all__ = [
    "FILE",
    "BytesBytesPair",
    "Codec",
    "InfoProto",
    "TimeRangeTracker",
    "TrailerProto",
    "WrappedKey",
]

FILE: Final = File("hfile/messages.proto", __name__)
"""What these classes are declared in; the end of this module has its descriptor."""


class Codec(IntEnum):
    """How payloads of blocks are compressed. Most codecs have chunks around their
    output, which framing.ksy describes.
    """

    LZO = 0
    """LZO1X in chunks."""

    GZ = 1
    """A gzip stream, RFC 1952, without chunks."""

    NONE = 2
    """The payload as it is."""

    SNAPPY = 3
    """Raw Snappy, without its own framing, in chunks."""

    LZ4 = 4
    """LZ4 blocks, without LZ4's frames, in chunks."""

    BZIP2 = 5
    """A bzip2 stream, without chunks."""

    ZSTD = 6
    """Zstandard frames in chunks, or one frame without them, which the magic 28 b5 2f
    fd shows.
    """

    LZMA = 7
    """Never seen: no module of HBase for it was published."""

    BROTLI = 8
    """Brotli streams in chunks."""


class TrailerProto(Message, file=FILE, name="byteloom.hfile.TrailerProto"):
    """The facts about the file that its trailer states. Offsets count from the start
    of the file.

        no  field                         stored as
         1  file_info_offset              uint64
         2  load_on_open_data_offset      uint64
         3  uncompressed_data_index_size  uint64
         4  total_uncompressed_bytes      uint64
         5  data_index_count              uint32
         6  meta_index_count              uint32
         7  entry_count                   uint64
         8  num_data_index_levels         uint32
         9  first_data_block_offset       uint64
        10  last_data_block_offset        uint64
        11  comparator_class_name         string
        12  compression_codec             Codec, else NONE
        13  encryption_key                bytes
    """

    file_info_offset: int
    """Start of the FILE_INFO block."""

    load_on_open_data_offset: int
    """Start of the data ROOT_INDEX block, the first of those that are read when the
    file is opened.
    """

    uncompressed_data_index_size: int
    """HBase: payloads of all data index blocks, uncompressed. Hudi: bytes of keys and
    values.
    """

    total_uncompressed_bytes: int
    """HBase: all blocks with their headers, and the trailer, less INTERMEDIATE blocks
    and the data root.
    """

    data_index_count: int
    """Entries of the data *root* index, however many data blocks there are."""

    meta_index_count: int
    """Entries of the meta root index."""

    entry_count: int
    """Cells."""

    num_data_index_levels: int
    """1: the root points at data blocks. 2: at leaf blocks. More: at intermediate
    blocks.
    """

    first_data_block_offset: int
    """Start of the first data block; all ones (-1) in a file without cells."""

    last_data_block_offset: int
    """Start of the last data block; all ones (-1), or in Hudi's files 0, in a file
    without cells.
    """

    comparator_class_name: str
    """The Java class that orders the keys."""

    compression_codec: int
    """How payloads of blocks are compressed."""

    encryption_key: bytes
    """A length as a varint and a WrappedKey. Hudi before 1.1 writes it empty."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            file_info_offset: int | None = None,
            load_on_open_data_offset: int | None = None,
            uncompressed_data_index_size: int | None = None,
            total_uncompressed_bytes: int | None = None,
            data_index_count: int | None = None,
            meta_index_count: int | None = None,
            entry_count: int | None = None,
            num_data_index_levels: int | None = None,
            first_data_block_offset: int | None = None,
            last_data_block_offset: int | None = None,
            comparator_class_name: str | None = None,
            compression_codec: int | None = None,
            encryption_key: bytes | None = None,
        ) -> None: ...


class BytesBytesPair(Message, file=FILE, name="byteloom.hfile.BytesBytesPair"):
    """A pair of the file info.

    no  field   stored as
     1  first   bytes
     2  second  bytes
    """

    first: bytes
    """The name."""

    second: bytes
    """The value."""

    if TYPE_CHECKING:

        def __init__(
            self, *, first: bytes | None = None, second: bytes | None = None
        ) -> None: ...


class InfoProto(Message, file=FILE, name="byteloom.hfile.InfoProto"):
    """The file info. Keys may repeat, the last one counts. HBase sorts them, Hudi does
    not.

        no  field      stored as
         1  map_entry  repeated BytesBytesPair
    """

    map_entry: MutableSequence[BytesBytesPair]
    """The pairs."""

    if TYPE_CHECKING:

        def __init__(
            self, *, map_entry: Iterable[BytesBytesPair] | None = None
        ) -> None: ...


class TimeRangeTracker(Message, file=FILE, name="byteloom.hfile.TimeRangeTracker"):
    """Between which times the cells of a file are: the value of the entry TIMERANGE,
    after the four bytes "PBUF". Most files have two numbers instead, which
    file_info.ksy describes.

        no  field  stored as
         1  first  int64
         2  last   int64, else 9223372036854775807
    """

    first: int
    """The earliest timestamp."""

    last: int
    """The latest timestamp."""

    if TYPE_CHECKING:

        def __init__(
            self, *, first: int | None = None, last: int | None = None
        ) -> None: ...


class WrappedKey(Message, file=FILE, name="byteloom.hfile.WrappedKey"):
    """The key that encrypts the blocks, itself encrypted by a key of the cluster.

    no  field           stored as
     1  algorithm       string
     2  length          uint32
     3  data            bytes
     4  iv              bytes
     5  hash            bytes
     6  hash_algorithm  string, else MD5
    """

    algorithm: str
    """AES."""

    length: int
    """Bytes of the key."""

    data: bytes
    """The encrypted key."""

    iv: bytes
    """The 16 bytes that counter mode begins with."""

    hash: bytes
    """A hash of the key, by which a wrong master key is recognised; old files have
    none.
    """

    hash_algorithm: str
    """The hash's algorithm."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            algorithm: str | None = None,
            length: int | None = None,
            data: bytes | None = None,
            iv: bytes | None = None,
            hash: bytes | None = None,
            hash_algorithm: str | None = None,
        ) -> None: ...


FILE.descriptor = (
    b"\n\x14hfile/messages.proto\x12\x0ebyteloom.hfile\x22\xaa\x03\n\x0cTrailerProto"
    b"\x12\x18\n\x10file_info_offset\x18\x01 \x01(\x04\x12 \n\x18load_on_open_data_off"
    b"set\x18\x02 \x01(\x04\x12$\n\x1cuncompressed_data_index_size\x18\x03 \x01(\x04"
    b"\x12 \n\x18total_uncompressed_bytes\x18\x04 \x01(\x04\x12\x18\n\x10data_index_co"
    b"unt\x18\x05 \x01(\r\x12\x18\n\x10meta_index_count\x18\x06 \x01(\r\x12\x13\n\x0be"
    b"ntry_count\x18\x07 \x01(\x04\x12\x1d\n\x15num_data_index_levels\x18\x08 \x01(\r"
    b"\x12\x1f\n\x17first_data_block_offset\x18\t \x01(\x04\x12\x1e\n\x16last_data_blo"
    b"ck_offset\x18\n \x01(\x04\x12\x1d\n\x15comparator_class_name\x18\x0b \x01(\t\x12"
    b"6\n\x11compression_codec\x18\x0c \x01(\x0e2\x15.byteloom.hfile.Codec:\x04NONE"
    b"\x12\x16\n\x0eencryption_key\x18\r \x01(\x0c\x22=\n\x0eBytesBytesPair\x12\x14\n"
    b"\x05first\x18\x01 \x01(\x0cB\x05\xaa\x01\x02\x08\x03\x12\x15\n\x06second\x18\x02"
    b" \x01(\x0cB\x05\xaa\x01\x02\x08\x03\x22>\n\tInfoProto\x121\n\tmap_entry\x18\x01 "
    b"\x03(\x0b2\x1e.byteloom.hfile.BytesBytesPair\x22D\n\x10TimeRangeTracker\x12\r\n"
    b"\x05first\x18\x01 \x01(\x03\x12!\n\x04last\x18\x02 \x01(\x03:\x13922337203685477"
    b"5807\x22\x89\x01\n\nWrappedKey\x12\x18\n\talgorithm\x18\x01 \x01(\tB\x05\xaa\x01"
    b"\x02\x08\x03\x12\x15\n\x06length\x18\x02 \x01(\rB\x05\xaa\x01\x02\x08\x03\x12"
    b"\x13\n\x04data\x18\x03 \x01(\x0cB\x05\xaa\x01\x02\x08\x03\x12\n\n\x02iv\x18\x04 "
    b"\x01(\x0c\x12\x0c\n\x04hash\x18\x05 \x01(\x0c\x12\x1b\n\x0ehash_algorithm\x18"
    b"\x06 \x01(\t:\x03MD5*b\n\x05Codec\x12\x07\n\x03LZO\x10\x00\x12\x06\n\x02GZ\x10"
    b"\x01\x12\x08\n\x04NONE\x10\x02\x12\n\n\x06SNAPPY\x10\x03\x12\x07\n\x03LZ4\x10"
    b"\x04\x12\t\n\x05BZIP2\x10\x05\x12\x08\n\x04ZSTD\x10\x06\x12\x08\n\x04LZMA\x10"
    b"\x07\x12\n\n\x06BROTLI\x10\x08b\x08editionsp\xe8\x07"
)
