# Written by byteloom-codegen from specs/hfile/encoded.ksy; do not edit.
# To change it, edit that file and generate again.
"""The frames of encoded data blocks of an HFile."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import ClassVar, Self

from byteloom.wire import FieldRun, Reader, Record, Stream, Writer
from byteloom.wire.calc import given, labels, named, replaced, stream_of

__all__ = ["Encoded", "Encoding", "RowIndex"]


@labels
class Encoding(IntEnum):
    """The values of `encoding`."""

    PREFIX = 2
    DIFF = 3
    FAST_DIFF = 4
    ROW_INDEX_V1 = 7


_ENCODED_ENCODING = FieldRun(">H", "encoding")


@dataclass(slots=True, kw_only=True)
class Encoded(Record):
    """The payload of a DATABLKE block says first how its cells are encoded: 2 PREFIX,
    3 DIFF, 4 FAST_DIFF, 7 ROW_INDEX_V1. What follows for the first three is a size
    and cells as differences, which this language cannot say.

        at  size  field        stored as
         0     2  encoding     u2be, enum encoding
         2        len_decoded  s4be, optional
                  body         bytes

    Source: https://hbase.apache.org/book.html#data.block.encoding.types
    """

    NAME: ClassVar[str] = "encoded"
    MIN_SIZE: ClassVar[int] = 2

    encoding: Encoding | int

    len_decoded: int | None = None
    """Bytes of the cells once decoded, tags and sequence numbers with them."""

    body: bytes

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.encoding = named(Encoding, r.u2be("encoding"))
        if type(self.encoding) is int:
            raise r.invalid(
                "encoding", r.offset - 2, self.encoding, "a value that the enum names"
            )
        self.len_decoded = None
        if self.encoding != Encoding.ROW_INDEX_V1:
            self.len_decoded = r.s4be("len_decoded")
            if self.len_decoded < 0:
                raise r.invalid(
                    "len_decoded", r.offset - 4, self.len_decoded, "at least 0"
                )
        self.body = r.rest("body")
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        if type(named(Encoding, self.encoding)) is int:
            raise w.invalid("encoding", self.encoding, "a value that the enum names")
        w.out += _ENCODED_ENCODING.pack(self.encoding)
        if self.encoding != Encoding.ROW_INDEX_V1:
            len_decoded = given(self.len_decoded, "len_decoded")
            if len_decoded < 0:
                raise w.invalid("len_decoded", len_decoded, "at least 0")
            w.s4be("len_decoded", len_decoded)
        elif self.len_decoded is not None:
            raise w.unexpected("len_decoded", self.len_decoded)
        w.rest("body", self.body)


_ROW_INDEX_NUM_ROWS = FieldRun(">i", "num_rows")
_ROW_INDEX_LEN_CELLS_END = FieldRun(">i", "len_cells_end")


@dataclass(slots=True, kw_only=True)
class RowIndex(Record):
    """The body of a ROW_INDEX_V1 block, which ends with the offset of each row.

    at  size  field          stored as
     0        cells          bytes
           4  num_rows       s4be
              row_offsets    s4be, repeated
           4  len_cells_end  s4be
    """

    NAME: ClassVar[str] = "row_index"
    MIN_SIZE: ClassVar[int] = 8
    LAZY: ClassVar[dict[str, str]] = {"len_cells": "_len_cells"}

    cells: bytes
    """Cells as in a plain data block."""

    row_offsets: list[int]
    """Where the first cell of each row begins, from the first cell of all."""

    len_cells_end: int
    _io: Stream | None = field(default=None, init=False, repr=False, compare=False)
    _len_cells: int | None = field(default=None, init=False, repr=False, compare=False)

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self._io = r
        self._len_cells = None
        self.cells = r.bytes("cells", self.len_cells)
        num_rows = r.s4be("num_rows")
        if num_rows < 0:
            raise r.invalid("num_rows", r.offset - 4, num_rows, "at least 0")
        self.row_offsets = r.array("row_offsets", num_rows, ">i")
        self.len_cells_end = r.s4be("len_cells_end")
        if self.len_cells_end != self.len_cells:
            raise r.invalid(
                "len_cells_end", r.offset - 4, self.len_cells_end, f"{self.len_cells!r}"
            )
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        out = w.out
        w.here(self, "len_cells")
        w.bytes("cells", self.cells, self.len_cells, by="len_cells")
        if len(self.row_offsets) < 0:
            raise w.invalid("num_rows", len(self.row_offsets), "at least 0")
        out += _ROW_INDEX_NUM_ROWS.pack(len(self.row_offsets))
        w.array("row_offsets", self.row_offsets, ">i")
        if self.len_cells_end != self.len_cells:
            raise w.invalid("len_cells_end", self.len_cells_end, f"{self.len_cells!r}")
        out += _ROW_INDEX_LEN_CELLS_END.pack(self.len_cells_end)
        io = w
        if self._len_cells is not None:
            w = io.at("len_cells", lambda: io.size - 4, self)
            if self._len_cells < 0:
                raise w.invalid("len_cells", self._len_cells, "at least 0")
            w.s4be("len_cells", self._len_cells)

    @property
    def num_rows(self) -> int:
        """How many `row_offsets` there are."""
        return len(self.row_offsets)

    @property
    def len_cells(self) -> int:
        """Read when asked for: `len_cells`."""
        if self._len_cells is None:
            io = stream_of(self._io)
            r = io.view("len_cells", io.size - 4, self)
            value: int
            value = r.s4be("len_cells")
            if value < 0:
                raise r.invalid("len_cells", r.offset - 4, value, "at least 0")
            self._len_cells = value
        return self._len_cells

    @len_cells.setter
    def len_cells(self, value: int) -> None:
        replaced(self, "len_cells")
        self._len_cells = value

    @property
    def _size_of_cells(self) -> int:
        """The bytes of `cells`: `len_cells`."""
        return self.len_cells
