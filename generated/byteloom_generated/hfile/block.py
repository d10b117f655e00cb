# Written by byteloom-codegen from specs/hfile/block.ksy; do not edit.
# To change it, edit that file and generate again.
"""The frame around each block of an HFile."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import ClassVar, Self

from byteloom.wire import FieldRun, Reader, Record, Writer
from byteloom.wire.calc import labels, named, pass_to, quotient

__all__ = ["Block", "BlockType", "ChecksumType", "ChecksumWord", "Frame"]


@labels
class BlockType(IntEnum):
    """The values of `block_type`."""

    DATA = 0x44415441424C4B2A
    """Cells."""
    ENCODED_DATA = 0x44415441424C4B45
    """Cells in an encoding, see encoded.ksy."""
    LEAF_INDEX = 0x4944584C45414632
    BLOOM_CHUNK = 0x424C4D46424C4B32
    """Bits of a Bloom filter."""
    META = 0x4D455441424C4B63
    INTERMEDIATE_INDEX = 0x494458494E544532
    ROOT_INDEX = 0x494458524F4F5432
    FILE_INFO = 0x46494C45494E4632
    BLOOM_META = 0x424C4D464D455432
    """Metadata of the general Bloom filter."""
    DELETE_FAMILY_BLOOM_META = 0x4446424C4D455432
    """Metadata of the delete-family Bloom filter."""


@labels
class ChecksumType(IntEnum):
    """The values of `checksum_type`."""

    NULL = 0
    """No checksums; zeros are in their place, except in files of Hudi before 1.1."""
    CRC32 = 1
    """The CRC of gzip and PNG, polynomial 0x04c11db7."""
    CRC32C = 2
    """Castagnoli's CRC, polynomial 0x1edc6f41."""


_BLOCK_OFS_PREVIOUS = FieldRun(">qB", "ofs_previous", "checksum_type")
_BLOCK_MAGIC = FieldRun(
    ">QiiqBii",
    "magic",
    "len_on_disk",
    "len_uncompressed",
    "ofs_previous",
    "checksum_type",
    "bytes_per_checksum",
    "len_data",
)


@dataclass(slots=True, kw_only=True)
class Block(Record):
    """An HFile is a run of blocks and a trailer. Whatever a block holds, it begins
    with these 33 bytes and ends with the checksums of what is before them:

        header | payload             | checksums
        `- len_data bytes in all -'
                 `- len_on_disk bytes in all ---'

    The payload is compressed as the trailer says, whatever the type of the block.
    Readers begin at the trailer; trailer.ksy has the steps.

    Dialects: Hudi before 1.1 writes no checksums, and checksum type 0. Others write
    as many zeros in their place for type 0.

        at  size  field               stored as
         0     8  magic               u8be, enum block_type
         8     4  len_on_disk         s4be
        12     4  len_uncompressed    s4be
        16     8  ofs_previous        s8be
        24     1  checksum_type       u1, enum checksum_type
        25     4  bytes_per_checksum  s4be
        29     4  len_data            s4be

    Source: https://hudi.apache.org/docs/hfile_format#block
    """

    NAME: ClassVar[str] = "block"
    MIN_SIZE: ClassVar[int] = 33
    SIZE: ClassVar[int] = 33
    PLACES: ClassVar[dict[str, int]] = {
        "magic": 0,
        "len_on_disk": 8,
        "len_uncompressed": 12,
        "ofs_previous": 16,
        "checksum_type": 24,
        "bytes_per_checksum": 25,
        "len_data": 29,
    }

    magic: BlockType | int
    """Eight letters of ASCII, which say what kind of block it is."""

    len_on_disk: int
    """Bytes of payload and checksums. The next block begins after them."""

    len_uncompressed: int
    """Bytes of the payload decompressed; an encoded block is then still encoded."""

    ofs_previous: int
    """Start of the previous block of this type, -1 in the first. Hudi up to 1.2 writes
    the block's own start from the second on.
    """

    checksum_type: ChecksumType | int

    bytes_per_checksum: int
    """Bytes that share a checksum, counted from the first byte of the header. The last
    checksum is that of the bytes that are left, which may be fewer.
    """

    len_data: int
    """Bytes of header and payload. Only this field says where the payload ends."""

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.magic = named(BlockType, r.u8be("magic"))
        if type(self.magic) is int:
            raise r.invalid(
                "magic", r.offset - 8, self.magic, "a value that the enum names"
            )
        self.len_on_disk = r.s4be("len_on_disk")
        if self.len_on_disk < 0:
            raise r.invalid("len_on_disk", r.offset - 4, self.len_on_disk, "at least 0")
        self.len_uncompressed = r.s4be("len_uncompressed")
        if self.len_uncompressed < 0:
            raise r.invalid(
                "len_uncompressed", r.offset - 4, self.len_uncompressed, "at least 0"
            )
        self.ofs_previous, self.checksum_type = r.run(_BLOCK_OFS_PREVIOUS)
        self.checksum_type = named(ChecksumType, self.checksum_type)
        if type(self.checksum_type) is int:
            raise r.invalid(
                "checksum_type",
                r.offset - 1,
                self.checksum_type,
                "a value that the enum names",
            )
        self.bytes_per_checksum = r.s4be("bytes_per_checksum")
        if self.bytes_per_checksum < 1:
            raise r.invalid(
                "bytes_per_checksum",
                r.offset - 4,
                self.bytes_per_checksum,
                "at least 1",
            )
        self.len_data = r.s4be("len_data")
        if self.len_data < 33:
            raise r.invalid("len_data", r.offset - 4, self.len_data, "at least 33")
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        if type(named(BlockType, self.magic)) is int:
            raise w.invalid("magic", self.magic, "a value that the enum names")
        if self.len_on_disk < 0:
            raise w.invalid("len_on_disk", self.len_on_disk, "at least 0")
        if self.len_uncompressed < 0:
            raise w.invalid("len_uncompressed", self.len_uncompressed, "at least 0")
        if type(named(ChecksumType, self.checksum_type)) is int:
            raise w.invalid(
                "checksum_type", self.checksum_type, "a value that the enum names"
            )
        if self.bytes_per_checksum < 1:
            raise w.invalid("bytes_per_checksum", self.bytes_per_checksum, "at least 1")
        if self.len_data < 33:
            raise w.invalid("len_data", self.len_data, "at least 33")
        w.out += _BLOCK_MAGIC.pack(
            self.magic,
            self.len_on_disk,
            self.len_uncompressed,
            self.ofs_previous,
            self.checksum_type,
            self.bytes_per_checksum,
            self.len_data,
        )

    @property
    def num_checksums(self) -> int:
        """Words of four bytes each."""
        return quotient(
            self.len_data + self.bytes_per_checksum - 1, self.bytes_per_checksum
        )


_CHECKSUM_WORD_VALUE = FieldRun(">I", "value")


@dataclass(slots=True, kw_only=True)
class ChecksumWord(Record):
    """The sum of as many bytes as share one.

    at  size  field  stored as
     0     4  value  u4be
    """

    NAME: ClassVar[str] = "checksum_word"
    MIN_SIZE: ClassVar[int] = 4
    SIZE: ClassVar[int] = 4

    value: int

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.value = r.u4be("value")
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        w.out += _CHECKSUM_WORD_VALUE.pack(self.value)


@dataclass(slots=True, kw_only=True)
class Frame(Record):
    """A block, and the bytes up to the next one.

    at  size  field   stored as
     0    33  header  block
    33        rest    bytes
    """

    NAME: ClassVar[str] = "frame"
    MIN_SIZE: ClassVar[int] = 33

    header: Block

    rest: bytes
    """Payload and checksums."""

    _header_len_on_disk: int | None = field(
        default=None, init=False, repr=False, compare=False
    )

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.header = r.record("header", Block.read)
        self.rest = r.bytes("rest", self.header.len_on_disk)
        self._header_len_on_disk = self.header.len_on_disk
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        pass_to(
            self.header,
            len_on_disk=w.settled(
                "header.len_on_disk",
                self.header.len_on_disk,
                self._header_len_on_disk,
                len(self.rest),
                "rest",
            ),
        )
        self._header_len_on_disk = self.header.len_on_disk
        w.record("header", self.header, Block)
        w.out += self.rest

    @property
    def _size_of_rest(self) -> int:
        """The bytes of `rest`: `header.len_on_disk`."""
        return self.header.len_on_disk
