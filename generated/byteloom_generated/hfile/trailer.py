# Written by byteloom-codegen from specs/hfile/trailer.ksy; do not edit.
# To change it, edit that file and generate again.
"""The end of an HFile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from byteloom.wire import FieldRun, Reader, Record, Writer

from .delimited import Delimited

__all__ = ["Trailer", "Version"]


@dataclass(slots=True, kw_only=True)
class Trailer(Record):
    """The last bytes of a file, as many as the version says (len_trailer). Readers
    begin here:

        magic | len_message | message | zeros | version

    The version is one integer, minor << 24 | major, so its bytes are the minor, two
    zeros, and the major. No checksum protects a trailer.

    A file is read in these steps:

    - The last byte is the major version; the two before it are zeros. The trailer is the last 4,096 bytes of a file of version 3,
      the last 212 of version 2. Its message is a TrailerProto (messages.proto), whose offsets count
      from the start of the file.
    - At file_info_offset is a block (block.ksy). Its payload, the bytes between its header and its
      checksums, is a file_info (file_info.ksy); the message of that is an InfoProto, pairs of a name
      and a value. info_entries.yaml lists the names.
    - At load_on_open_data_offset blocks follow one another: the root of the data index (index.ksy)
      with data_index_count entries, the root of the meta index (index.ksy) with meta_index_count
      entries, the file info, and the heads of Bloom filters (bloom.ksy).
    - If num_data_index_levels is 1, the entries of the data index point at the data blocks, in the
      order of keys; if it is 2, at leaf_index blocks, whose entries do; if it is more, at
      intermediate_index blocks.
    - The entries of the meta index point at blocks of the type meta, by name. There may be none.
    - Without an index: blocks follow one another from first_data_block_offset to the one at
      last_data_block_offset. The next one begins 33 + len_on_disk bytes after the start of a block.
      Those with cells have the type data, or encoded_data; others among them can be skipped.
    - Payloads of blocks are compressed with compression_codec, those of the root index and of the file
      info as well. With NONE the payload is as it is stored.
    - The payload of a block of type data is cells up to its end (cell.ksy, which says where the
      parameters of a cell come from).

        at  size  field    stored as
         0     8  magic    b'TRABLK"$'
         8        body     delimited
                  padding  bytes
               4  version  version

    Source: https://hudi.apache.org/docs/hfile_format#trailer
    """

    NAME: ClassVar[str] = "trailer"
    MIN_SIZE: ClassVar[int] = 13
    REREAD: ClassVar[bool] = True
    FOLLOWS: ClassVar[bool] = True
    magic: ClassVar[bytes] = b'TRABLK"$'

    body: Delimited

    padding: bytes
    """Zeros."""

    version: Version

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        r.magic("magic", b'TRABLK"$')
        self.body = r.record("body", Delimited.read)
        self.padding = r.bytes("padding", r.size - r.pos - 4)
        self.version = r.record("version", Version.read)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        out = w.out
        out += b'TRABLK"$'
        w.record("body", self.body, Delimited)
        out += self.padding
        w.record("version", self.version, Version)


_VERSION_MINOR = FieldRun("<B", "minor")


@dataclass(slots=True, kw_only=True)
class Version(Record):
    """Version 3 is written by HBase (minor 3; minor 0 by HBase 1) and Hudi (minor 0),
    version 2 of minor 3 by some settings of HBase 2. The rest is refused: version 1
    lost its readers long ago, version 4 is a container of files of version 3.

        at  size  field  stored as
         0     1  minor  u1
         1        major  24 bits be from bit 0
    """

    NAME: ClassVar[str] = "version"
    MIN_SIZE: ClassVar[int] = 4
    SIZE: ClassVar[int] = 4
    PLACES: ClassVar[dict[str, int]] = {"minor": 0, "major": 1}

    minor: int
    major: int

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.minor = r.u1("minor")
        self.major = r.bits_be("major", 24)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        w.out += _VERSION_MINOR.pack(self.minor)
        w.bits_be("major", self.major, 24)

    @property
    def len_trailer(self) -> int:
        """Bytes of the whole trailer."""
        return 4096 if self.major == 3 else 212
