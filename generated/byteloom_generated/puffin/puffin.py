# Written by byteloom-codegen from specs/puffin/puffin.ksy; do not edit.
# To change it, edit that file and generate again.
"""Puffin, statistics and indexes of Iceberg tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Self

from byteloom.wire import FieldRun, Reader, Record, Stream, Writer
from byteloom.wire.calc import given, replaced, stream_of

__all__ = ["Footer", "FooterTail", "Puffin"]


@dataclass(slots=True, kw_only=True)
class Puffin(Record):
    """A Puffin file is a run of opaque blobs and, after them, a footer saying what
    each blob is. Only the last twelve bytes are at a known place, so a reader
    starts there and works backwards:

        PFA1 | blob 1 | ... | blob n | PFA1 | payload | footer_tail
                                            `- len_payload bytes -'

        at  size  field   stored as
         0     4  magic   b"PFA1"
         4        blobs   bytes
                  footer  footer

    Source: https://iceberg.apache.org/puffin-spec/#file-structure
    """

    NAME: ClassVar[str] = "puffin"
    MIN_SIZE: ClassVar[int] = 4
    REREAD: ClassVar[bool] = True
    FOLLOWS: ClassVar[bool] = True
    LAZY: ClassVar[dict[str, str]] = {"tail": "_tail"}
    magic: ClassVar[bytes] = b"PFA1"

    blobs: bytes
    """Only the footer says where one blob ends and the next begins. There may be bytes
    that belong to no blob.
    """

    footer: Footer
    _io: Stream | None = field(default=None, init=False, repr=False, compare=False)
    _tail: FooterTail | None = field(
        default=None, init=False, repr=False, compare=False
    )

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self._io = r
        self._tail = None
        r.magic("magic", b"PFA1")
        self.blobs = r.bytes("blobs", self.ofs_footer - 4)
        self.footer = r.within("footer", r.left, Footer.read)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        out = w.out
        w.here(self, "tail")
        out += b"PFA1"
        out += self.blobs
        w.window("footer", self.footer, Footer)
        w.ends("footer")
        io = w
        if self._tail is not None:
            w = io.at("tail", lambda: io.size - 12, self)
            w.record("tail", self._tail, FooterTail)

    @property
    def tail(self) -> FooterTail:
        """Read when asked for: `tail`."""
        if self._tail is None:
            io = stream_of(self._io)
            r = io.view("tail", io.size - 12, self)
            self._tail = r.record("tail", FooterTail.read)
        return self._tail

    @tail.setter
    def tail(self, value: FooterTail) -> None:
        replaced(self, "tail")
        self._tail = value

    @property
    def ofs_footer(self) -> int:
        """Calculated: `ofs_footer`."""
        return given(self._io, "_io").size - self.tail.len_payload - 16

    @property
    def _size_of_blobs(self) -> int:
        """The bytes of `blobs`: `ofs_footer - 4`."""
        return self.ofs_footer - 4


@dataclass(slots=True, kw_only=True)
class Footer(Record):
    """What the blobs are, in JSON, framed so that it is found from the end of the
    file. Its size in bytes is what Iceberg's table metadata calls
    file-footer-size-in-bytes.

    The payload is an object with the key `blobs`, a list, and `properties`, texts
    by name, which may be absent. Each blob is an object with these keys:

    - `type`: a text, such as `deletion-vector-v1` (deletion_vector.ksy) or
      `apache-datasketches-theta-v1` (theta_sketch.ksy)
    - `fields`: a list of integers, the ids of the columns that it is about
    - `snapshot-id` and `sequence-number`: integers of 64 bits, those of the
      snapshot that it was calculated from; -1 for deletion vectors
    - `offset`: where the blob begins, from the start of the file
    - `length`: its bytes, as stored
    - `compression-codec`: `lz4` (one LZ4 frame), `zstd` (one Zstandard frame), or
      absent for a blob that is not compressed
    - `properties`: texts by name, which may be absent

        at  size  field                  stored as
         0     4  magic                  b"PFA1"
         4        payload                bytes
               4  len_payload            s4le
                  payload_is_compressed  1 bit le
                  reserved               31 bits le
               4  magic_end              b"PFA1"

    Source: https://iceberg.apache.org/puffin-spec/#footer-structure
    """

    NAME: ClassVar[str] = "footer"
    MIN_SIZE: ClassVar[int] = 16
    magic: ClassVar[bytes] = b"PFA1"
    magic_end: ClassVar[bytes] = b"PFA1"

    payload: bytes
    """One FileMetadata object in UTF-8 JSON, as stored: one LZ4 frame where
    payload_is_compressed says so.
    """

    payload_is_compressed: bool = False
    reserved: int = 0

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        r.magic("magic", b"PFA1")
        self.payload = r.bytes("payload", r.size - 16)
        len_payload = r.s4le("len_payload")
        if len_payload != len(self.payload):
            raise r.invalid(
                "len_payload", r.offset - 4, len_payload, f"{len(self.payload)!r}"
            )
        self.payload_is_compressed = r.bits_le("payload_is_compressed", 1) != 0
        self.reserved = r.bits_le("reserved", 31)
        r.magic("magic_end", b"PFA1")
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        out = w.out
        out += b"PFA1"
        out += self.payload
        w.s4le("len_payload", self.len_payload)
        w.bits_le("payload_is_compressed", self.payload_is_compressed, 1)
        w.bits_le("reserved", self.reserved, 31)
        out += b"PFA1"

    @property
    def len_payload(self) -> int:
        """Derived as `payload.length`."""
        return len(self.payload)


_FOOTER_TAIL_LEN_PAYLOAD = FieldRun("<i", "len_payload")


@dataclass(slots=True, kw_only=True)
class FooterTail(Record):
    """The twelve bytes that end every Puffin file.

        at  size  field                  stored as
         0     4  len_payload            s4le
         4        payload_is_compressed  1 bit le from bit 0
         4        reserved               31 bits le from bit 1
         8     4  magic                  b"PFA1"

    Source: https://iceberg.apache.org/puffin-spec/#footer-structure
    """

    NAME: ClassVar[str] = "footer_tail"
    MIN_SIZE: ClassVar[int] = 12
    SIZE: ClassVar[int] = 12
    magic: ClassVar[bytes] = b"PFA1"

    len_payload: int
    """Bytes of footer payload as stored, that is after compression. Signed in the
    format, so a reader must refuse a negative length by itself.
    """

    payload_is_compressed: bool
    """Set when the payload is one LZ4 frame; clear when it is plain JSON."""

    reserved: int = 0
    """Kept as read, so that a newer writer's flags survive a rewrite."""

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.len_payload = r.s4le("len_payload")
        if self.len_payload < 0:
            raise r.invalid("len_payload", r.offset - 4, self.len_payload, "at least 0")
        self.payload_is_compressed = r.bits_le("payload_is_compressed", 1) != 0
        self.reserved = r.bits_le("reserved", 31)
        r.magic("magic", b"PFA1")
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        out = w.out
        if self.len_payload < 0:
            raise w.invalid("len_payload", self.len_payload, "at least 0")
        out += _FOOTER_TAIL_LEN_PAYLOAD.pack(self.len_payload)
        w.bits_le("payload_is_compressed", self.payload_is_compressed, 1)
        w.bits_le("reserved", self.reserved, 31)
        out += b"PFA1"
