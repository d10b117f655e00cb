# Written by byteloom-codegen from specs/puffin/puffin.ksy; do not edit.
# To change it, edit that file and run `make generate`.
"""A Puffin file is a run of opaque blobs and, after them, a footer saying what
each blob is. Only the last twelve bytes are at a known place, so a reader
starts there and works backwards:

    PFA1 | blob 1 | ... | blob n | PFA1 | payload | footer_tail
                                        `- len_payload bytes -'
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from byteloom.wire import Reader, Record, Writer

__all__ = ["Footer", "FooterTail"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Footer(Record):
    """What the blobs are, in JSON, framed so that it is found from the end of the file.

    Source: https://iceberg.apache.org/puffin-spec/#footer-structure
    """

    NAME: ClassVar = "footer"
    MIN_SIZE: ClassVar = 16

    payload: bytes
    payload_is_compressed: bool = False
    reserved: int = 0

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        r.magic("magic", b"PFA1")
        payload = r.bytes("payload", r.size - 16)
        at = r.offset
        len_payload = r.s4le("len_payload")
        if len_payload != len(payload):
            raise r.invalid("len_payload", at, len_payload, f"{len(payload)}")
        payload_is_compressed = r.bits_le("payload_is_compressed", 1) != 0
        reserved = r.bits_le("reserved", 31)
        r.align()
        r.magic("magic_end", b"PFA1")
        return cls(payload=payload, payload_is_compressed=payload_is_compressed, reserved=reserved)

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        w.magic("magic", b"PFA1")
        w.bytes("payload", self.payload)
        w.s4le("len_payload", len(self.payload))
        w.bits_le("payload_is_compressed", self.payload_is_compressed, 1)
        w.bits_le("reserved", self.reserved, 31)
        w.align()
        w.magic("magic_end", b"PFA1")


@dataclass(frozen=True, slots=True, kw_only=True)
class FooterTail(Record):
    """The twelve bytes that end every Puffin file.

        at  size  field                  stored as
         0     4  len_payload            s4le
         4     4  payload_is_compressed  bit 0 of bits4le
         4     4  reserved               bits 1..31 of bits4le
         8     4  magic                  b"PFA1"

    Source: https://iceberg.apache.org/puffin-spec/#footer-structure
    """

    NAME: ClassVar = "footer_tail"
    MIN_SIZE: ClassVar = 12
    SIZE: ClassVar = 12

    len_payload: int
    """Bytes of footer payload as stored, that is after compression. Signed
    in the format, so a reader must refuse a negative length by itself."""

    payload_is_compressed: bool
    """Set when the payload is one LZ4 frame; clear when it is plain JSON."""

    reserved: int = 0
    """Kept as read, so that a newer writer's flags survive a rewrite."""

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        at = r.offset
        len_payload = r.s4le("len_payload")
        if len_payload < 0:
            raise r.invalid("len_payload", at, len_payload, "at least 0")
        payload_is_compressed = r.bits_le("payload_is_compressed", 1) != 0
        reserved = r.bits_le("reserved", 31)
        r.align()
        r.magic("magic", b"PFA1")
        return cls(
            len_payload=len_payload, payload_is_compressed=payload_is_compressed, reserved=reserved
        )

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        if self.len_payload < 0:
            raise w.invalid("len_payload", self.len_payload, "at least 0")
        w.s4le("len_payload", self.len_payload)
        w.bits_le("payload_is_compressed", self.payload_is_compressed, 1)
        w.bits_le("reserved", self.reserved, 31)
        w.align()
        w.magic("magic", b"PFA1")
