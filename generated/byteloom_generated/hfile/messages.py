# Written by byteloom-codegen from specs/hfile/messages.ksy; do not edit.
# To change it, edit that file and generate again.
"""A protobuf message on the wire: fields in any order, each with its number. What
the numbers mean stands in messages.proto. Of a number that is met twice the
last one counts, unless the field is repeated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from byteloom.wire import Reader, Record, Writer
from byteloom.wire.calc import given

from .varints import ProtobufVarint

__all__ = ["Delimited", "Field", "Messages"]


@dataclass(slots=True, kw_only=True)
class Messages(Record):
    """A protobuf message on the wire: fields in any order, each with its number. What
    the numbers mean stands in messages.proto. Of a number that is met twice the
    last one counts, unless the field is repeated.

        at  size  field   stored as
         0        fields  field, repeated to the end

    Source: https://protobuf.dev/programming-guides/encoding/
    """

    NAME: ClassVar[str] = "messages"
    MIN_SIZE: ClassVar[int] = 0

    fields: list[Field]

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.fields = r.records_to_end("fields", Field.read)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        w.records("fields", self.fields)
        w.ends("fields")


@dataclass(slots=True, kw_only=True)
class Field(Record):
    """The record `field`.

    at  size  field      stored as
     0        key        protobuf_varint
              varint     protobuf_varint, optional
              fixed64    u8le, optional
              len_bytes  protobuf_varint, optional
              bytes      bytes, optional
              fixed32    u4le, optional
    """

    NAME: ClassVar[str] = "field"
    MIN_SIZE: ClassVar[int] = 0

    key: ProtobufVarint
    """The field's number, and below it three bits that say how it is stored."""

    varint: ProtobufVarint | None = None
    fixed64: int | None = None
    len_bytes: ProtobufVarint | None = None
    bytes_: bytes | None = None
    fixed32: int | None = None

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.key = r.record("key", ProtobufVarint.read)
        self.varint = None
        if self.wire_type == 0:
            self.varint = r.record("varint", ProtobufVarint.read)
        self.fixed64 = r.u8le("fixed64") if self.wire_type == 1 else None
        self.len_bytes = None
        if self.wire_type == 2:
            self.len_bytes = r.record("len_bytes", ProtobufVarint.read)
        self.bytes_ = None
        if self.wire_type == 2:
            self.bytes_ = r.bytes("bytes", given(self.len_bytes, "len_bytes").value)
        self.fixed32 = r.u4le("fixed32") if self.wire_type == 5 else None
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        w.record("key", self.key)
        if self.wire_type == 0:
            self.varint = given(self.varint, "varint")
            w.record("varint", self.varint)
        elif self.varint is not None:
            raise w.unexpected("varint", self.varint)
        if self.wire_type == 1:
            self.fixed64 = given(self.fixed64, "fixed64")
            w.u8le("fixed64", self.fixed64)
        elif self.fixed64 is not None:
            raise w.unexpected("fixed64", self.fixed64)
        if self.wire_type == 2:
            self.len_bytes = given(self.len_bytes, "len_bytes")
            w.record("len_bytes", self.len_bytes)
        elif self.len_bytes is not None:
            raise w.unexpected("len_bytes", self.len_bytes)
        if self.wire_type == 2:
            self.bytes_ = given(self.bytes_, "bytes")
            w.bytes(
                "bytes",
                self.bytes_,
                given(self.len_bytes, "len_bytes").value,
                by="len_bytes.value",
            )
        elif self.bytes_ is not None:
            raise w.unexpected("bytes", self.bytes_)
        if self.wire_type == 5:
            self.fixed32 = given(self.fixed32, "fixed32")
            w.u4le("fixed32", self.fixed32)
        elif self.fixed32 is not None:
            raise w.unexpected("fixed32", self.fixed32)

    @property
    def wire_type(self) -> int:
        """Calculated: `wire_type`."""
        return self.key.value & 7

    @property
    def number(self) -> int:
        """Calculated: `number`."""
        return self.key.value >> 3


@dataclass(slots=True, kw_only=True)
class Delimited(Record):
    """A message behind its length.

    at  size  field        stored as
     0        len_message  protobuf_varint
              message      bytes
    """

    NAME: ClassVar[str] = "delimited"
    MIN_SIZE: ClassVar[int] = 0

    len_message: ProtobufVarint

    message: bytes
    """The fields of messages."""

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.len_message = r.record("len_message", ProtobufVarint.read)
        self.message = r.bytes("message", self.len_message.value)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        w.record("len_message", self.len_message)
        w.bytes("message", self.message, self.len_message.value, by="len_message.value")
