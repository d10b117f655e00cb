# Written by byteloom-codegen from specs/hfile/varints.ksy; do not edit.
# To change it, edit that file and generate again.
"""Integers of variable length, as HFiles store them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from byteloom.wire import FieldRun, Reader, Record, Writer
from byteloom.wire.calc import element

__all__ = ["HadoopVlong", "ProtobufVarint", "Varints"]


@dataclass(slots=True, kw_only=True)
class Varints(Record):
    """HFiles know two integers of variable length. From 0 to 127 both are one byte,
    and the same one; beyond that they have nothing in common. Hadoop's is in root
    indexes, Bloom metadata and after every cell; that of protobuf is in the trailer
    and the file info, and inside encoded data blocks.

        at  size  field     stored as
         0        hadoop    hadoop_vlong
                  protobuf  protobuf_varint
    """

    NAME: ClassVar[str] = "varints"
    MIN_SIZE: ClassVar[int] = 2
    FOLLOWS: ClassVar[bool] = True

    hadoop: HadoopVlong
    protobuf: ProtobufVarint

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.hadoop = r.record("hadoop", HadoopVlong.read)
        self.protobuf = r.record("protobuf", ProtobufVarint.read)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        w.record("hadoop", self.hadoop, HadoopVlong)
        w.record("protobuf", self.protobuf, ProtobufVarint)


_HADOOP_VLONG_FIRST = FieldRun("<b", "first")


@dataclass(slots=True, kw_only=True)
class HadoopVlong(Record):
    """An integer from -2^63 to 2^63 - 1 in one to nine bytes.

    A first byte of -112 or more is the integer itself. Below, it says how many
    bytes follow, highest first: -113 to -120 one to eight bytes of a positive
    integer, -121 to -128 those of the complement of a negative one.

        at  size  field  stored as
         0     1  first  s1
         1        rest   u1, repeated

    Source: https://hadoop.apache.org/docs/r3.4.2/api/org/apache/hadoop/io/WritableUtils.html
    """

    NAME: ClassVar[str] = "hadoop_vlong"
    MIN_SIZE: ClassVar[int] = 1

    first: int
    rest: list[int]

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.first = r.s1("first")
        self.rest = r.array(
            "rest",
            0
            if self.first >= -112
            else -112 - self.first
            if self.first >= -120
            else -120 - self.first,
            "<B",
        )
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        w.out += _HADOOP_VLONG_FIRST.pack(self.first)
        if len(self.rest) != (
            0
            if self.first >= -112
            else -112 - self.first
            if self.first >= -120
            else -120 - self.first
        ):
            w.check_count(
                "rest",
                self.rest,
                0
                if self.first >= -112
                else -112 - self.first
                if self.first >= -120
                else -120 - self.first,
                "first >= -112 ? 0 : first >= -120 ? -112 - first : -120 - first",
            )
        w.array("rest", self.rest, "<B")

    @property
    def n(self) -> int:
        """Calculated: `n`."""
        return len(self.rest)

    @property
    def magnitude(self) -> int:
        """Calculated: `magnitude`."""
        return (
            (element(self.rest, self.n - 1) if self.n >= 1 else 0)
            + (element(self.rest, self.n - 2) << 8 if self.n >= 2 else 0)
            + (element(self.rest, self.n - 3) << 16 if self.n >= 3 else 0)
            + (element(self.rest, self.n - 4) << 24 if self.n >= 4 else 0)
            + (element(self.rest, self.n - 5) << 32 if self.n >= 5 else 0)
            + (element(self.rest, self.n - 6) << 40 if self.n >= 6 else 0)
            + (element(self.rest, self.n - 7) << 48 if self.n >= 7 else 0)
            + (element(self.rest, self.n - 8) << 56 if self.n >= 8 else 0)
        )

    @property
    def value(self) -> int:
        """Calculated: `value`."""
        return (
            self.first
            if self.first >= -112
            else self.magnitude
            if self.first >= -120
            else -1 - self.magnitude
        )

    @property
    def _number_of_rest(self) -> int:
        """The elements of `rest`: `first >= -112 ? 0 : first >= -120 ? -112 - first : -120
        - first`.
        """
        return (
            0
            if self.first >= -112
            else -112 - self.first
            if self.first >= -120
            else -120 - self.first
        )


@dataclass(slots=True, kw_only=True)
class ProtobufVarint(Record):
    """An unsigned integer below 2^64 in one to ten bytes, seven bits in each, lowest
    first; the eighth bit says that another byte follows. The tenth byte is the
    last, whatever its eighth bit says, and of its other bits only the lowest is a
    part of the number, bit 63. Within a message a tenth byte other than 0 and 1 is
    damage.

        at  size  field   stored as
         0        groups  u1, repeated

    Source: https://protobuf.dev/programming-guides/encoding/#varints
    """

    NAME: ClassVar[str] = "protobuf_varint"
    MIN_SIZE: ClassVar[int] = 1

    groups: list[int]

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.groups = []
        for index in r.repeatedly("groups"):
            it = r.u1("groups")
            self.groups.append(it)
            if it < 128 or index == 9:
                break
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        if not self.groups:
            raise w.invalid("groups", "no elements", "at least one")
        for index, it in enumerate(self.groups):
            w.u1("groups", it)
            if (it < 128 or index == 9) != (index == len(self.groups) - 1):
                raise w.unended(
                    "groups",
                    it,
                    "an element of which _ < 128 or _index == 9, at the end and only there",
                )

    @property
    def n(self) -> int:
        """Calculated: `n`."""
        return len(self.groups)

    @property
    def value(self) -> int:
        """Calculated: `value`."""
        return (
            (element(self.groups, 0) & 127)
            + ((element(self.groups, 1) & 127) << 7 if self.n >= 2 else 0)
            + ((element(self.groups, 2) & 127) << 14 if self.n >= 3 else 0)
            + ((element(self.groups, 3) & 127) << 21 if self.n >= 4 else 0)
            + ((element(self.groups, 4) & 127) << 28 if self.n >= 5 else 0)
            + ((element(self.groups, 5) & 127) << 35 if self.n >= 6 else 0)
            + ((element(self.groups, 6) & 127) << 42 if self.n >= 7 else 0)
            + ((element(self.groups, 7) & 127) << 49 if self.n >= 8 else 0)
            + ((element(self.groups, 8) & 127) << 56 if self.n >= 9 else 0)
            + ((element(self.groups, 9) & 1) << 63 if self.n >= 10 else 0)
        )
