# Written by byteloom-codegen from specs/hfile/delimited.ksy; do not edit.
# To change it, edit that file and generate again.
"""A protobuf message after its length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from byteloom.wire import Reader, Record, Writer

from .varints import ProtobufVarint

__all__ = ["Delimited"]


@dataclass(slots=True, kw_only=True)
class Delimited(Record):
    """A protobuf message after its length. The message is described in messages.proto.

        at  size  field        stored as
         0        len_message  protobuf_varint
                  message      bytes

    Source: https://protobuf.dev/programming-guides/encoding/
    """

    NAME: ClassVar[str] = "delimited"
    MIN_SIZE: ClassVar[int] = 1
    FOLLOWS: ClassVar[bool] = True

    len_message: ProtobufVarint
    message: bytes

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.len_message = r.record("len_message", ProtobufVarint.read)
        self.message = r.bytes("message", self.len_message.value)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        w.record("len_message", self.len_message, ProtobufVarint)
        w.bytes("message", self.message, self.len_message.value, by="len_message.value")

    @property
    def _size_of_message(self) -> int:
        """The bytes of `message`: `len_message.value`."""
        return self.len_message.value
