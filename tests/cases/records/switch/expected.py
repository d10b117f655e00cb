# Written by byteloom-codegen from spec.ksy; do not edit.
# To change it, edit that file and generate again.
"""The format `switch`."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar, Self

from byteloom.wire import FieldRun, Reader, Record, Writer
from byteloom.wire.calc import length_of, narrowed, pass_to

__all__ = ["Chunk", "Switch", "Text"]


_SWITCH_ORDER = FieldRun("<B", "order")


@dataclass(slots=True, kw_only=True)
class Switch(Record):
    """One of several types by a tag, in a byte order that the file decides; names that
    Python keeps.

        at  size  field   stored as
         0     1  order   u1
         1        chunks  chunk, repeated to the end
    """

    NAME: ClassVar[str] = "switch"
    MIN_SIZE: ClassVar[int] = 1
    FOLLOWS: ClassVar[bool] = True

    order: int
    chunks: list[Chunk]
    _is_le: bool = field(default=True, init=False, repr=False, compare=False)

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        if self.order == 73:
            self._is_le = True
        else:
            self._is_le = False
        self.order = r.u1("order")
        self.chunks = []
        r.records_to_end(
            "chunks",
            partial(Chunk.read, order=self.order, _is_le=self._is_le),
            self.chunks,
        )
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        if self.order == 73:
            self._is_le = True
        else:
            self._is_le = False
        for it in self.chunks:
            it._is_le = self._is_le
            pass_to(it, order=self.order)
        w.out += _SWITCH_ORDER.pack(self.order)
        w.records("chunks", self.chunks, Chunk)
        w.ends("chunks")


_CHUNK_TAG_LE = FieldRun("<BH", "tag", "len")
_CHUNK_TAG_BE = FieldRun(">BH", "tag", "len")


@dataclass(slots=True, kw_only=True)
class Chunk(Record):
    """The record `chunk`.

    at  size  field  stored as
     0     1  tag    u1
     1     2  len    u2
     3        class  one of text, chunk, bytes
              self   one of u4, f4
    """

    NAME: ClassVar[str] = "chunk"
    MIN_SIZE: ClassVar[int] = 3

    order: int
    tag: int
    class_: Text | Chunk | bytes
    self_: int | float | None = None
    _is_le: bool = field(default=True, init=False, repr=False, compare=False)

    @classmethod
    def read(cls, r: Reader, order: int, _is_le: bool = True) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self._is_le = _is_le
        self.order = order
        self.tag, len_ = r.run(_CHUNK_TAG_LE if self._is_le else _CHUNK_TAG_BE)
        if self.tag == 1:
            self.class_ = r.within("class", len_, Text.read, (self._is_le,))
        elif self.tag == 2:
            self.class_ = r.within("class", len_, Chunk.read, (self.order, self._is_le))
        else:
            self.class_ = r.bytes("class", len_)
        if self.tag == 3:
            self.self_ = r.u4le("self") if self._is_le else r.u4be("self")
        elif self.tag == 4:
            self.self_ = r.f4le("self") if self._is_le else r.f4be("self")
        else:
            self.self_ = None
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        out = w.out
        if isinstance(self.class_, Text):
            self.class_._is_le = self._is_le
        if isinstance(self.class_, Chunk):
            self.class_._is_le = self._is_le
            pass_to(self.class_, order=self.order)
        out += (_CHUNK_TAG_LE if self._is_le else _CHUNK_TAG_BE).pack(
            self.tag, w.size_of("class", self.class_)
        )
        if self.tag == 1:
            w.within("class", self.class_, Text)
        elif self.tag == 2:
            w.within("class", self.class_, Chunk)
        else:
            out += narrowed(self.class_, bytes, "class")
        if self.tag == 3:
            if self._is_le:
                w.u4le("self", narrowed(self.self_, int, "self"))
            else:
                w.u4be("self", narrowed(self.self_, int, "self"))
        elif self.tag == 4:
            if self._is_le:
                w.f4le("self", narrowed(self.self_, float, "self"))
            else:
                w.f4be("self", narrowed(self.self_, float, "self"))
        elif self.self_ is not None:
            raise w.unexpected("self", self.self_)

    @property
    def len(self) -> int:
        """It follows from `class`."""
        return length_of("class", self.class_)


@dataclass(slots=True, kw_only=True)
class Text(Record):
    """The record `text`.

    at  size  field  stored as
     0        bytes  text in ASCII
    """

    NAME: ClassVar[str] = "text"
    MIN_SIZE: ClassVar[int] = 0

    bytes_: str
    _is_le: bool = field(default=True, init=False, repr=False, compare=False)

    @classmethod
    def read(cls, r: Reader, _is_le: bool = True) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self._is_le = _is_le
        self.bytes_ = r.text("bytes", r.rest("bytes"), "ASCII")
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        w.rest("bytes", w.encoded("bytes", self.bytes_, "ASCII"))

    def __str__(self) -> str:
        """Return its text, by the spec's `to-string`."""
        return self.bytes_
