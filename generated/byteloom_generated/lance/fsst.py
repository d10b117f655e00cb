# Written by byteloom-codegen from specs/lance/fsst.ksy; do not edit.
# To change it, edit that file and generate again.
"""FSST symbol table of Lance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from byteloom.wire import FieldRun, Reader, Record, Writer

__all__ = ["Fsst"]


_FSST_NUM_SYMBOLS = FieldRun(
    "<BBBB", "num_symbols", "terminator", "suffix_limit", "is_coded"
)


@dataclass(slots=True, kw_only=True)
class Fsst(Record):
    """The pieces of text that codes of a page represent. The table has a fixed size in
    the page's description, whatever follows the lengths being unused.

        at  size  field         stored as
         0     1  num_symbols   u1
         1     1  terminator    u1
         2     1  suffix_limit  u1
         3     1  is_coded      u1
         4     4  magic         b"TSSF"
         8        symbols       bytes, repeated
                  lengths       u1, repeated
                  unused        bytes

    Source: https://www.vldb.org/pvldb/vol13/p2649-boncz.pdf
    """

    NAME: ClassVar[str] = "fsst"
    MIN_SIZE: ClassVar[int] = 8
    FOLLOWS: ClassVar[bool] = True
    MOST: ClassVar[dict[str, int]] = {"is_coded": 1, "lengths": 8}
    magic: ClassVar[bytes] = b"TSSF"

    terminator: int
    """A byte that writers put at the end of text; readers do not need it."""

    suffix_limit: int
    """The first code whose symbol is a part of no longer one; readers do not need it."""

    is_coded: int
    """0 if the values are not coded."""

    symbols: list[bytes]
    """The bytes of each symbol, padded with zeros."""

    lengths: list[int]
    """Bytes of each symbol."""

    unused: bytes

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        num_symbols, self.terminator, self.suffix_limit, self.is_coded = r.run(
            _FSST_NUM_SYMBOLS
        )
        if self.is_coded > 1:
            raise r.invalid("is_coded", r.offset - 1, self.is_coded, "at most 1")
        r.magic("magic", b"TSSF")
        self.symbols = []
        for _ in r.times("symbols", num_symbols, 8):
            it = r.bytes("symbols", 8)
            self.symbols.append(it)
        self.lengths = []
        for _ in r.times("lengths", num_symbols, 1):
            it_lengths = r.u1("lengths")
            if it_lengths < 1:
                raise r.invalid("lengths", r.offset - 1, it_lengths, "at least 1")
            if it_lengths > 8:
                raise r.invalid("lengths", r.offset - 1, it_lengths, "at most 8")
            self.lengths.append(it_lengths)
        self.unused = r.rest("unused")
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        out = w.out
        if self.is_coded > 1:
            raise w.invalid("is_coded", self.is_coded, "at most 1")
        out += _FSST_NUM_SYMBOLS.pack(
            len(self.symbols), self.terminator, self.suffix_limit, self.is_coded
        )
        out += b"TSSF"
        for it in self.symbols:
            w.bytes("symbols", it, 8)
        if len(self.lengths) != self.num_symbols:
            w.check_count("lengths", self.lengths, self.num_symbols, "num_symbols")
        for it_lengths in self.lengths:
            if it_lengths < 1:
                raise w.invalid("lengths", it_lengths, "at least 1")
            if it_lengths > 8:
                raise w.invalid("lengths", it_lengths, "at most 8")
            w.u1("lengths", it_lengths)
        w.rest("unused", self.unused)

    @property
    def num_symbols(self) -> int:
        """Codes that represent a symbol. 255 escapes the byte after it."""
        return len(self.symbols)

    @property
    def _number_of_lengths(self) -> int:
        """The elements of `lengths`: `num_symbols`."""
        return self.num_symbols
