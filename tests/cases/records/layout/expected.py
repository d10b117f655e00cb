# Written by byteloom-codegen from spec.ksy; do not edit.
# To change it, edit that file and generate again.
"""The format `layout`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Self

from byteloom.wire import FieldRun, Reader, Record, Writer
from byteloom.wire.calc import deflated, given

__all__ = ["Layout", "Row"]


_LAYOUT_NUM_ROWS = FieldRun("<HI", "num_rows", "len_payload")


@dataclass(slots=True, kw_only=True)
class Layout(Record):
    """Sizes, counts, padding, bits and a checksum, as one record has them.

    at  size  field        stored as
     0     4  magic        b"LAY1"
     4        version      4 bits be from bit 0
     4        compressed   1 bit be from bit 4
     4        reserved     9 bits be from bit 5
           2  num_rows     u2le
           4  len_payload  u4le
              rows         row, repeated
              payload      bytes
          16  title        text in UTF-8
              note         text in UTF-8, optional
              ends         u1, repeated
           8  body         row
    """

    NAME: ClassVar[str] = "layout"
    MIN_SIZE: ClassVar[int] = 37
    magic: ClassVar[bytes] = b"LAY1"

    version: int
    compressed: bool
    reserved: int
    rows: list[Row]
    payload: bytes
    title: str
    note: str | None = None
    ends: list[int]
    body: Row
    _reserved_spare: int = field(default=0, init=False, repr=False, compare=False)

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        r.magic("magic", b"LAY1")
        self.version = r.bits_be("version", 4)
        self.compressed = r.bits_be("compressed", 1) != 0
        self.reserved = r.bits_be("reserved", 9)
        self._reserved_spare = r.align()
        num_rows, len_payload = r.run(_LAYOUT_NUM_ROWS)
        self.rows = r.records("rows", num_rows, Row.read, Row.MIN_SIZE)
        self.payload = r.inflated("payload", r.bytes("payload", len_payload))
        self.title = r.text(
            "title", r.cut("title", 16, terminator=b"\x00", pad=32), "UTF-8"
        )
        self.note = None
        if self.compressed:
            self.note = r.text("note", r.until("note", b"\x00"), "UTF-8")
        self.ends = []
        for _ in r.repeatedly("ends"):
            it_ends = r.u1("ends")
            self.ends.append(it_ends)
            if it_ends == 0:
                break
        self.body = r.within("body", 8, Row.read)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        out = w.out
        out += b"LAY1"
        w.bits_be("version", self.version, 4)
        w.bits_be("compressed", self.compressed, 1)
        w.bits_be("reserved", self.reserved, 9)
        w.align(self._reserved_spare)
        out += _LAYOUT_NUM_ROWS.pack(len(self.rows), self.len_payload)
        w.records("rows", self.rows, Row)
        out += w.deflated("payload", self.payload)
        w.sized(
            "title",
            w.encoded("title", self.title, "UTF-8"),
            16,
            terminator=b"\x00",
            pad=32,
        )
        if self.compressed:
            note = given(self.note, "note")
            w.until("note", w.encoded("note", note, "UTF-8"), b"\x00")
        elif self.note is not None:
            raise w.unexpected("note", self.note)
        if not self.ends:
            raise w.invalid("ends", "no elements", "at least one")
        for index, it_ends in enumerate(self.ends):
            w.u1("ends", it_ends)
            if (it_ends == 0) != (index == len(self.ends) - 1):
                raise w.unended(
                    "ends",
                    it_ends,
                    "an element of which _ == 0, at the end and only there",
                )
        w.within("body", self.body, Row, size=8)

    @property
    def num_rows(self) -> int:
        """How many `rows` there are."""
        return len(self.rows)

    @property
    def len_payload(self) -> int:
        """It follows from `payload`."""
        return len(deflated(self.payload))


_ROW_LEN_KEY = FieldRun("<B", "len_key")


@dataclass(slots=True, kw_only=True)
class Row(Record):
    """The record `row`.

    at  size  field    stored as
     0     1  len_key  u1
     1        key      bytes
           8  at       f8le
    """

    NAME: ClassVar[str] = "row"
    MIN_SIZE: ClassVar[int] = 9

    key: bytes
    at: float

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        len_key = r.u1("len_key")
        self.key = r.bytes("key", len_key)
        self.at = r.f8le("at")
        if self.at < 0.0:
            raise r.invalid("at", r.offset - 8, self.at, "at least 0.0")
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        out = w.out
        out += _ROW_LEN_KEY.pack(len(self.key))
        out += self.key
        if self.at < 0.0:
            raise w.invalid("at", self.at, "at least 0.0")
        w.f8le("at", self.at)

    @property
    def len_key(self) -> int:
        """Bytes of `key`."""
        return len(self.key)
