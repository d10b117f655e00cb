# Written by byteloom-codegen from spec.ksy; do not edit.
# To change it, edit that file and generate again.
"""The format `lazy`."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from functools import partial
from typing import ClassVar, Self

from byteloom.wire import FieldRun, Reader, Record, Stream, Writer
from byteloom.wire.calc import given, labels, named, replaced, stream_of, touch

__all__ = ["Entry", "Kind", "Lazy"]


@labels
class Kind(IntEnum):
    """The values of `kind`."""

    HOLE = 0
    PLAIN = 1


_LAZY_NUM_ENTRIES = FieldRun(">H", "num_entries")


@dataclass(slots=True, kw_only=True)
class Lazy(Record):
    """A directory, whose bodies lie elsewhere, and a tail found from the end of the
    file.

        at  size  field        stored as
         0     2  num_entries  u2be
         2        entries      entry, repeated
    """

    NAME: ClassVar[str] = "lazy"
    MIN_SIZE: ClassVar[int] = 2
    REREAD: ClassVar[bool] = True
    FOLLOWS: ClassVar[bool] = True
    LAZY: ClassVar[dict[str, str]] = {"tail": "_tail"}

    entries: list[Entry]
    _io: Stream | None = field(default=None, init=False, repr=False, compare=False)
    _tail: int | None = field(default=None, init=False, repr=False, compare=False)

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self._io = r
        self._tail = None
        num_entries = r.u2be("num_entries")
        self.entries = []
        r.records(
            "entries",
            num_entries,
            partial(Entry.read, _root=self),
            Entry.MIN_SIZE,
            self.entries,
        )
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        w.here(self, "tail")
        for it in self.entries:
            if it._root is not self:
                touch(it, "body")
            it._root = self
        w.out += _LAZY_NUM_ENTRIES.pack(len(self.entries))
        w.records("entries", self.entries, Entry)
        io = w
        if self._tail is not None:
            w = io.at("tail", lambda: io.size - 4, self)
            w.u4be("tail", self._tail)

    def __str__(self) -> str:
        """Return its text, by the spec's `to-string`."""
        return "lazy " + str(self.num_entries)

    @property
    def num_entries(self) -> int:
        """How many `entries` there are."""
        return len(self.entries)

    @property
    def tail(self) -> int:
        """Read when asked for: `tail`."""
        if self._tail is None:
            io = stream_of(self._io)
            r = io.view("tail", io.size - 4, self)
            self._tail = r.u4be("tail")
        return self._tail

    @tail.setter
    def tail(self, value: int) -> None:
        replaced(self, "tail")
        self._tail = value

    @property
    def size(self) -> int:
        """Calculated: `size`."""
        return given(self._io, "_io").size


_ENTRY_OFS_BODY = FieldRun(">IIB", "ofs_body", "len_body", "kind")


@dataclass(slots=True, kw_only=True)
class Entry(Record):
    """The record `entry`.

    at  size  field     stored as
     0     4  ofs_body  u4be
     4     4  len_body  u4be
     8     1  kind      u1, enum kind
    """

    NAME: ClassVar[str] = "entry"
    MIN_SIZE: ClassVar[int] = 9
    SIZE: ClassVar[int] = 9
    LAZY: ClassVar[dict[str, str]] = {"body": "_body"}
    PLACES: ClassVar[dict[str, int]] = {"ofs_body": 0, "len_body": 4, "kind": 8}

    kind: Kind | int
    _root: Lazy | None = field(default=None, init=False, repr=False, compare=False)
    _io: Stream | None = field(default=None, init=False, repr=False, compare=False)
    _ofs_body: int | None = field(default=None, init=False, repr=False, compare=False)
    _len_body: int | None = field(default=None, init=False, repr=False, compare=False)
    _body: bytes | None = field(default=None, init=False, repr=False, compare=False)

    @classmethod
    def read(cls, r: Reader, _root: Lazy | None = None) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self._root = _root
        self._io = r
        self._body = None
        self._ofs_body, self._len_body, self.kind = r.run(_ENTRY_OFS_BODY)
        self.kind = named(Kind, self.kind)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        w.here(self, "body")
        if self._body is not None:
            w.moves(self, "body", "_ofs_body")
        w.out += _ENTRY_OFS_BODY.pack(self.ofs_body, self.len_body, self.kind)
        io = w
        if self._body is not None:
            w = io.of(given(self._root, "_root")).at(
                "body", lambda: self.ofs_body, self
            )
            w.out += self._body

    @property
    def ofs_body(self) -> int:
        """The place of `body`."""
        return given(self._ofs_body, "ofs_body")

    @ofs_body.setter
    def ofs_body(self, value: int) -> None:
        self._ofs_body = value

    @property
    def len_body(self) -> int:
        """Bytes of `body`."""
        if self._body is not None:
            return len(self._body)
        return given(self._len_body, "len_body")

    @len_body.setter
    def len_body(self, value: int) -> None:
        self._len_body = value

    @property
    def body(self) -> bytes | None:
        """Read when asked for: `body`."""
        if self._body is None:
            if self.kind != Kind.HOLE:
                r = stream_of(given(given(self._root, "_root")._io, "_io")).view(
                    "body", self.ofs_body, self
                )
                self._body = r.bytes("body", self.len_body)
        return self._body

    @body.setter
    def body(self, value: bytes | None) -> None:
        replaced(self, "body")
        self._body = value

    @property
    def _size_of_body(self) -> int:
        """The bytes of `body`: `len_body`."""
        return self.len_body

    @property
    def _position_of_body(self) -> int:
        """The position of `body`: `ofs_body`."""
        return self.ofs_body
