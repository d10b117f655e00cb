# Written by byteloom-codegen from specs/hfile/file_info.ksy; do not edit.
# To change it, edit that file and generate again.
"""The file info block of an HFile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from byteloom.wire import FieldRun, Reader, Record, Writer

from .delimited import Delimited

__all__ = ["FileInfo", "TimeRange"]


@dataclass(slots=True, kw_only=True)
class FileInfo(Record):
    """Facts about the file from its writer, as pairs of bytes: a name, and a value
    whose numbers are big-endian and signed (info_entries.yaml). Some decide how
    cells are read: hfile.MAX_TAGS_LEN (cells have tags), KEY_VALUE_VERSION 1 (cells
    end in a sequence number), MAX_MEMSTORE_TS_KEY (the largest of these; where it
    is 0 each is the one byte 0), DATA_BLOCK_ENCODING, hfile.TAGS_COMPRESSED.

        at  size  field  stored as
         0     4  magic  b"PBUF"
         4        body   delimited

    Source: https://hudi.apache.org/docs/hfile_format#file-info-block
    """

    NAME: ClassVar[str] = "file_info"
    MIN_SIZE: ClassVar[int] = 5
    FOLLOWS: ClassVar[bool] = True
    magic: ClassVar[bytes] = b"PBUF"

    body: Delimited

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        r.magic("magic", b"PBUF")
        self.body = r.record("body", Delimited.read)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        w.out += b"PBUF"
        w.record("body", self.body, Delimited)


_TIME_RANGE_FIRST = FieldRun(">qq", "first", "last")


@dataclass(slots=True, kw_only=True)
class TimeRange(Record):
    """The value of the entry TIMERANGE: between which times the cells are. HBase
    passes over the file where a reader asks for others. Since HBase 2 it may be a
    message after the bytes PBUF (messages.proto).

        at  size  field  stored as
         0     8  first  s8be
         8     8  last   s8be
    """

    NAME: ClassVar[str] = "time_range"
    MIN_SIZE: ClassVar[int] = 16
    SIZE: ClassVar[int] = 16
    PLACES: ClassVar[dict[str, int]] = {"first": 0, "last": 8}

    first: int
    """The earliest timestamp; 0 where a cell deletes a column or a family up to its
    time.
    """

    last: int
    """The latest timestamp."""

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.first, self.last = r.run(_TIME_RANGE_FIRST)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        w.out += _TIME_RANGE_FIRST.pack(self.first, self.last)
