# Written by byteloom-codegen from specs/hfile/protobuf.ksy; do not edit.
# To change it, edit that file and generate again.
"""How protobuf stores a message."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar, Self

from byteloom.wire import Reader, Record, Writer
from byteloom.wire.calc import labels, named, narrowed

from .delimited import Delimited
from .varints import ProtobufVarint

__all__ = ["Field", "Message", "Protobuf", "WireTypes"]


@labels
class WireTypes(IntEnum):
    """The values of `wire_types`."""

    VARINT = 0
    EIGHT_BYTES = 1
    LENGTH = 2
    """A length, then that many bytes."""
    FOUR_BYTES = 5


@dataclass(slots=True, kw_only=True)
class Protobuf(Record):
    """A message is its fields one after another, in any order, up to the end of its
    bytes. Something outside it says where that is: here it is a length before it,
    as in a trailer and in a file info. Each field is a tag and a value. What the
    number in a tag means is in the table of the message, such as those of
    messages.proto.

        08           1 << 3 | 0: field 1, whose value is a varint
        96 01        0x16 + (0x01 << 7): 150

    How a value is stored follows from its type:

    - int32, int64, uint32, uint64, enums: a varint. Negative numbers are stored as 2^64 more than
      they are, in ten bytes: -1 as 2^64 - 1.
    - bool: a varint, 0 or 1. Any other than 0 is true.
    - sint32, sint64: a varint in zigzag form, in which small negative numbers are short: 0, -1, 1, -2
      are stored as 0, 1, 2, 3. The number is n >> 1 if n is even, else -1 - (n >> 1).
    - fixed64, sfixed64, double: eight bytes, little-endian.
    - fixed32, sfixed32, float: four bytes, little-endian.
    - string (in UTF-8), bytes, a message: a length as a varint, then that many bytes.
    - repeated: the field occurs once for each element, in order. Numbers may be packed: one field of
      wire type 2 whose bytes are the values without tags. Readers take both, and mixtures.
    - map: a repeated message, whose field 1 is the key and whose field 2 is the value.

    A field that is absent has its default: what the table says after "else", or 0,
    false, or no bytes. Where a field that is not repeated occurs several times, the
    last one counts. A field whose number the table lacks is skipped, as its wire
    type says.

        at  size  field        stored as
         0        len_message  protobuf_varint
                  message      message

    Source: https://protobuf.dev/programming-guides/encoding/
    """

    NAME: ClassVar[str] = "protobuf"
    MIN_SIZE: ClassVar[int] = 1
    FOLLOWS: ClassVar[bool] = True

    len_message: ProtobufVarint
    message: Message

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.len_message = r.record("len_message", ProtobufVarint.read)
        self.message = r.within("message", self.len_message.value, Message.read)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        w.record("len_message", self.len_message, ProtobufVarint)
        w.within(
            "message",
            self.message,
            Message,
            size=self.len_message.value,
            by="len_message.value",
        )

    @property
    def _size_of_message(self) -> int:
        """The bytes of `message`: `len_message.value`."""
        return self.len_message.value


@dataclass(slots=True, kw_only=True)
class Message(Record):
    """The record `message`.

    at  size  field   stored as
     0        fields  field, repeated to the end
    """

    NAME: ClassVar[str] = "message"
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
        w.records("fields", self.fields, Field)
        w.ends("fields")


@dataclass(slots=True, kw_only=True)
class Field(Record):
    """The record `field`.

    at  size  field  stored as
     0        tag    protobuf_varint
              value  one of protobuf_varint, u8le, delimited, u4le
    """

    NAME: ClassVar[str] = "field"
    MIN_SIZE: ClassVar[int] = 1

    tag: ProtobufVarint
    """The number of the field, and how its value is stored."""

    value: ProtobufVarint | int | Delimited | None = None

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        at = r.offset
        self.tag = r.record("tag", ProtobufVarint.read)
        if not (
            self.number >= 1
            and self.number <= 536870911
            and (int(self.wire_type) <= 2 or int(self.wire_type) == 5)
        ):
            raise r.invalid(
                "tag",
                at,
                self.tag,
                "a value _ for which number >= 1 and number <= 536870911 and (wire_type.to_i <= 2 or wire_type.to_i == 5)",
            )
        kind = self.wire_type
        if kind == WireTypes.VARINT:
            self.value = r.record("value", ProtobufVarint.read)
        elif kind == WireTypes.EIGHT_BYTES:
            self.value = r.u8le("value")
        elif kind == WireTypes.LENGTH:
            self.value = r.record("value", Delimited.read)
        elif kind == WireTypes.FOUR_BYTES:
            self.value = r.u4le("value")
        else:
            self.value = None
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        if not (
            self.number >= 1
            and self.number <= 536870911
            and (int(self.wire_type) <= 2 or int(self.wire_type) == 5)
        ):
            raise w.invalid(
                "tag",
                self.tag,
                "a value _ for which number >= 1 and number <= 536870911 and (wire_type.to_i <= 2 or wire_type.to_i == 5)",
            )
        w.record("tag", self.tag, ProtobufVarint)
        kind = self.wire_type
        if kind == WireTypes.VARINT:
            w.record("value", self.value, ProtobufVarint)
        elif kind == WireTypes.EIGHT_BYTES:
            w.u8le("value", narrowed(self.value, int, "value"))
        elif kind == WireTypes.LENGTH:
            w.record("value", self.value, Delimited)
        elif kind == WireTypes.FOUR_BYTES:
            w.u4le("value", narrowed(self.value, int, "value"))
        elif self.value is not None:
            raise w.unexpected("value", self.value)

    @property
    def number(self) -> int:
        """Calculated: `number`."""
        return self.tag.value >> 3

    @property
    def wire_type(self) -> WireTypes | int:
        """Calculated: `wire_type`."""
        return named(WireTypes, self.tag.value & 7)
