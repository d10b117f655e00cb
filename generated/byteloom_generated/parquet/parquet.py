# Written by byteloom-codegen from specs/parquet/parquet.ksy; do not edit.
# To change it, edit that file and generate again.
"""The frame of a Parquet file, and of levels in its pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from byteloom.wire import FieldRun, Reader, Record, Writer

__all__ = ["EncryptedTail", "Levels", "Parquet", "Tail"]


@dataclass(slots=True, kw_only=True)
class Parquet(Record):
    """A Parquet file begins with a magic and ends with eight bytes, from which readers
    find the footer, a struct of Thrift in its compact form (footers.yaml):

        magic | pages | footer | tail
                        `- len_footer bytes

        at  size  field  stored as
         0     4  magic  b"PAR1"
         4        body   bytes
               8  tail   tail

    Source: https://parquet.apache.org/docs/file-format/
    """

    NAME: ClassVar[str] = "parquet"
    MIN_SIZE: ClassVar[int] = 12
    REREAD: ClassVar[bool] = True
    FOLLOWS: ClassVar[bool] = True
    magic: ClassVar[bytes] = b"PAR1"

    body: bytes
    """Pages, indexes of pages, Bloom filters, and the footer at the end."""

    tail: Tail

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        r.magic("magic", b"PAR1")
        self.body = r.bytes("body", r.size - 12)
        self.tail = r.record("tail", Tail.read)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        out = w.out
        out += b"PAR1"
        out += self.body
        w.record("tail", self.tail, Tail)


_TAIL_LEN_FOOTER = FieldRun("<I", "len_footer")


@dataclass(slots=True, kw_only=True)
class Tail(Record):
    """The last eight bytes of a file.

    at  size  field       stored as
     0     4  len_footer  u4le
     4     4  magic       b"PAR1"
    """

    NAME: ClassVar[str] = "tail"
    MIN_SIZE: ClassVar[int] = 8
    SIZE: ClassVar[int] = 8
    PLACES: ClassVar[dict[str, int]] = {"len_footer": 0, "magic": 4}
    magic: ClassVar[bytes] = b"PAR1"

    len_footer: int
    """Bytes of the footer, which ends where these eight begin."""

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.len_footer = r.u4le("len_footer")
        r.magic("magic", b"PAR1")
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        out = w.out
        out += _TAIL_LEN_FOOTER.pack(self.len_footer)
        out += b"PAR1"


_ENCRYPTED_TAIL_LEN_FOOTER = FieldRun("<I", "len_footer")


@dataclass(slots=True, kw_only=True)
class EncryptedTail(Record):
    """The last eight bytes of a file whose footer is encrypted.

    at  size  field       stored as
     0     4  len_footer  u4le
     4     4  magic       b"PARE"
    """

    NAME: ClassVar[str] = "encrypted_tail"
    MIN_SIZE: ClassVar[int] = 8
    SIZE: ClassVar[int] = 8
    PLACES: ClassVar[dict[str, int]] = {"len_footer": 0, "magic": 4}
    magic: ClassVar[bytes] = b"PARE"

    len_footer: int

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.len_footer = r.u4le("len_footer")
        r.magic("magic", b"PARE")
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        out = w.out
        out += _ENCRYPTED_TAIL_LEN_FOOTER.pack(self.len_footer)
        out += b"PARE"


_LEVELS_LEN_LEVELS = FieldRun("<I", "len_levels")


@dataclass(slots=True, kw_only=True)
class Levels(Record):
    """Repetition or definition levels of a data page of the first version, before its
    values. Those of the second version have their sizes in the page's header.

        at  size  field       stored as
         0     4  len_levels  u4le
         4        levels      bytes

    Source: https://parquet.apache.org/docs/file-format/data-pages/
    """

    NAME: ClassVar[str] = "levels"
    MIN_SIZE: ClassVar[int] = 4

    levels: bytes
    """Runs, and groups of eight levels."""

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        len_levels = r.u4le("len_levels")
        self.levels = r.bytes("levels", len_levels)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        out = w.out
        out += _LEVELS_LEN_LEVELS.pack(len(self.levels))
        out += self.levels

    @property
    def len_levels(self) -> int:
        """Bytes of `levels`."""
        return len(self.levels)
