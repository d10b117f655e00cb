# Written by byteloom-codegen from specs/iceberg/gcm_stream.ksy; do not edit.
# To change it, edit that file and generate again.
"""Files encrypted as Iceberg's AES-GCM stream."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from byteloom.wire import FieldRun, Reader, Record, Writer

__all__ = ["GcmStream"]


_GCM_STREAM_LEN_BLOCK = FieldRun("<I", "len_block")


@dataclass(slots=True, kw_only=True)
class GcmStream(Record):
    """A metadata file, a manifest or an Avro file that is encrypted as a whole, in
    blocks that each have a nonce and a tag of their own:

        magic | len_block | block | block | ...

    Only what shows that a file is encrypted is read here, and not the blocks.

        at  size  field      stored as
         0     4  magic      b"AGS1"
         4     4  len_block  u4le
         8        blocks     bytes

    Source: https://iceberg.apache.org/gcm-stream-spec/#file-structure
    """

    NAME: ClassVar[str] = "gcm_stream"
    MIN_SIZE: ClassVar[int] = 8
    magic: ClassVar[bytes] = b"AGS1"

    len_block: int
    """Bytes of each block before it was encrypted; the last one may have fewer."""

    blocks: bytes
    """For each block a nonce of 12 bytes, the encrypted bytes, and a tag of 16 bytes."""

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        r.magic("magic", b"AGS1")
        self.len_block = r.u4le("len_block")
        self.blocks = r.rest("blocks")
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        out = w.out
        out += b"AGS1"
        out += _GCM_STREAM_LEN_BLOCK.pack(self.len_block)
        w.rest("blocks", self.blocks)
