# Written by byteloom-codegen from specs/puffin/theta_sketch.ksy; do not edit.
# To change it, edit that file and generate again.
"""Compact Theta sketch of Apache DataSketches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from byteloom.wire import FieldRun, Reader, Record, Writer
from byteloom.wire.calc import given, narrowed

__all__ = ["CompressedThetaSketch", "ThetaFlags", "ThetaSketch"]


_THETA_SKETCH_SEED_HASH = FieldRun("<H", "seed_hash")


@dataclass(slots=True, kw_only=True)
class ThetaSketch(Record):
    """An estimate of how many distinct values there are, ready to be merged.

    Each value is hashed to 63 bits. The sketch keeps the hashes below a threshold,
    theta, and the estimate is their number divided by theta as a part of 2 to the
    63.

        preamble, 1 to 3 words of 8 bytes | hashes

    The preamble grows with what there is to say: one word for no value or one, two
    where theta is still whole, three where it is not. This describes the serial
    versions 1 to 3, which differ only in what their fields may hold.

        at  size  field                 stored as
         0        num_preamble_words    6 bits le from bit 0
         0        lg_resize_factor      2 bits le from bit 6
         1     1  serial_version        u1
         2     1  family                u1
         3     1  lg_nominal_hashes     u1
         4     1  lg_table_size         u1
         5     1  flags                 theta_flags
         6     2  seed_hash             u2le
         8        num_hashes            u4le, optional
                  sampling_probability  f4le, optional
                  theta                 u8le, optional
                  hashes                bytes

    Source: https://datasketches.apache.org/docs/Theta/ThetaSketches.html
    """

    NAME: ClassVar[str] = "theta_sketch"
    MIN_SIZE: ClassVar[int] = 8
    FOLLOWS: ClassVar[bool] = True
    MOST: ClassVar[dict[str, int]] = {"num_preamble_words": 3}

    num_preamble_words: int

    lg_resize_factor: int = 0
    """Of no use in a compact sketch."""

    serial_version: int = 3

    family: int = 3
    """3 for a compact sketch, whichever algorithm built it."""

    lg_nominal_hashes: int = 0
    """Of no use in a compact sketch."""

    lg_table_size: int = 0
    """Of no use in a compact sketch."""

    flags: ThetaFlags

    seed_hash: int
    """Sixteen bits that say which seed the values were hashed with; 37836 for the
    default seed, 9001. Not stored by version 1, and zero in an empty sketch by
    Java.
    """

    num_hashes: int | None = None

    sampling_probability: float | None = None
    """Of no use in a compact sketch. Java writes 1.0, C++ zero."""

    theta: int | None = None
    """In units of 2 to the minus 63; if absent, theta is 2 to the 63 minus 1."""

    hashes: bytes
    """One u8 for each hash: above zero, below theta, no two alike, and ascending if
    the sketch is ordered. A preamble of one word has no hash or exactly one after
    it.
    """

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        at = r.offset
        self.num_preamble_words = r.bits_le("num_preamble_words", 6)
        if self.num_preamble_words < 1:
            raise r.invalid(
                "num_preamble_words", at, self.num_preamble_words, "at least 1"
            )
        if self.num_preamble_words > 3:
            raise r.invalid(
                "num_preamble_words", at, self.num_preamble_words, "at most 3"
            )
        self.lg_resize_factor = r.bits_le("lg_resize_factor", 2)
        self.serial_version = r.u1("serial_version")
        if self.serial_version not in (1, 2, 3):
            raise r.invalid(
                "serial_version", r.offset - 1, self.serial_version, "one of 1, 2, 3"
            )
        self.family = r.u1("family")
        if self.family != 3:
            raise r.invalid("family", r.offset - 1, self.family, "3")
        self.lg_nominal_hashes = r.u1("lg_nominal_hashes")
        self.lg_table_size = r.u1("lg_table_size")
        self.flags = r.record("flags", ThetaFlags.read)
        self.seed_hash = r.u2le("seed_hash")
        self.num_hashes = r.u4le("num_hashes") if self.num_preamble_words > 1 else None
        self.sampling_probability = None
        if self.num_preamble_words > 1:
            self.sampling_probability = r.f4le("sampling_probability")
        self.theta = r.u8le("theta") if self.num_preamble_words > 2 else None
        self.hashes = r.bytes(
            "hashes",
            given(self.num_hashes, "num_hashes") * 8
            if self.num_preamble_words > 1
            else 8
            if self.serial_version == 3 and not self.flags.is_empty
            else 0,
        )
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        if self.num_preamble_words < 1:
            raise w.invalid("num_preamble_words", self.num_preamble_words, "at least 1")
        if self.num_preamble_words > 3:
            raise w.invalid("num_preamble_words", self.num_preamble_words, "at most 3")
        w.bits_le("num_preamble_words", self.num_preamble_words, 6)
        w.bits_le("lg_resize_factor", self.lg_resize_factor, 2)
        if self.serial_version not in (1, 2, 3):
            raise w.invalid("serial_version", self.serial_version, "one of 1, 2, 3")
        w.u1("serial_version", self.serial_version)
        if self.family != 3:
            raise w.invalid("family", self.family, "3")
        w.u1("family", self.family)
        w.u1("lg_nominal_hashes", self.lg_nominal_hashes)
        w.u1("lg_table_size", self.lg_table_size)
        w.record("flags", self.flags, ThetaFlags)
        w.out += _THETA_SKETCH_SEED_HASH.pack(self.seed_hash)
        if self.num_preamble_words > 1:
            num_hashes = given(self.num_hashes, "num_hashes")
            w.u4le("num_hashes", num_hashes)
        elif self.num_hashes is not None:
            raise w.unexpected("num_hashes", self.num_hashes)
        if self.num_preamble_words > 1:
            sampling_probability = given(
                self.sampling_probability, "sampling_probability"
            )
            w.f4le("sampling_probability", sampling_probability)
        elif self.sampling_probability is not None:
            raise w.unexpected("sampling_probability", self.sampling_probability)
        if self.num_preamble_words > 2:
            theta = given(self.theta, "theta")
            w.u8le("theta", theta)
        elif self.theta is not None:
            raise w.unexpected("theta", self.theta)
        w.bytes(
            "hashes",
            self.hashes,
            given(self.num_hashes, "num_hashes") * 8
            if self.num_preamble_words > 1
            else 8
            if self.serial_version == 3 and not self.flags.is_empty
            else 0,
            by="num_preamble_words > 1 ? num_hashes * 8 : serial_version == 3 and not flags.is_empty ? 8 : 0",
        )

    @property
    def _size_of_hashes(self) -> int:
        """The bytes of `hashes`: `num_preamble_words > 1 ? num_hashes * 8 : serial_version
        == 3 and not flags.is_empty ? 8 : 0`.
        """
        return (
            given(self.num_hashes, "num_hashes") * 8
            if self.num_preamble_words > 1
            else 8
            if self.serial_version == 3 and not self.flags.is_empty
            else 0
        )


@dataclass(slots=True, kw_only=True)
class ThetaFlags(Record):
    """What kind of sketch this is.

    at  size  field          stored as
     0        is_big_endian  1 bit le from bit 0
     0        is_read_only   1 bit le from bit 1
     0        is_empty       1 bit le from bit 2
     0        is_compact     1 bit le from bit 3
     0        is_ordered     1 bit le from bit 4
     0        is_single      1 bit le from bit 5
     0        reserved       2 bits le from bit 6
    """

    NAME: ClassVar[str] = "theta_flags"
    MIN_SIZE: ClassVar[int] = 1
    SIZE: ClassVar[int] = 1

    is_big_endian: bool = False

    is_read_only: bool = True
    """Set, as no value can be added to a compact sketch."""

    is_empty: bool
    """No value was ever seen; a sketch without hashes may have seen some."""

    is_compact: bool = True
    is_ordered: bool = True

    is_single: bool
    """Java's mark of a sketch of one hash and one word of preamble."""

    reserved: int = 0
    """Kept as read."""

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.is_big_endian = r.bits_le("is_big_endian", 1) != 0
        self.is_read_only = r.bits_le("is_read_only", 1) != 0
        self.is_empty = r.bits_le("is_empty", 1) != 0
        self.is_compact = r.bits_le("is_compact", 1) != 0
        self.is_ordered = r.bits_le("is_ordered", 1) != 0
        self.is_single = r.bits_le("is_single", 1) != 0
        self.reserved = r.bits_le("reserved", 2)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        w.bits_le("is_big_endian", self.is_big_endian, 1)
        w.bits_le("is_read_only", self.is_read_only, 1)
        w.bits_le("is_empty", self.is_empty, 1)
        w.bits_le("is_compact", self.is_compact, 1)
        w.bits_le("is_ordered", self.is_ordered, 1)
        w.bits_le("is_single", self.is_single, 1)
        w.bits_le("reserved", self.reserved, 2)


_COMPRESSED_THETA_SKETCH_WIDTH_BITS = FieldRun("<BB", "width_bits", "len_num_hashes")
_COMPRESSED_THETA_SKETCH_SEED_HASH = FieldRun("<H", "seed_hash")


@dataclass(slots=True, kw_only=True)
class CompressedThetaSketch(Record):
    """A Theta sketch of serial version 4, ordered and packed.

    It holds the differences between its hashes, in as many bits each as the largest
    of them needs.

        at  size  field               stored as
         0        num_preamble_words  6 bits le from bit 0
         0        lg_resize_factor    2 bits le from bit 6
         1     1  serial_version      u1
         2     1  family              u1
         3     1  width_bits          u1
         4     1  len_num_hashes      u1
         5     1  flags               theta_flags
         6     2  seed_hash           u2le
         8        theta               u8le, optional
                  num_hashes          one of u1, u2le, 24 bits le, u4le
                  differences         bytes
    """

    NAME: ClassVar[str] = "compressed_theta_sketch"
    MIN_SIZE: ClassVar[int] = 8
    MOST: ClassVar[dict[str, int]] = {
        "num_preamble_words": 2,
        "width_bits": 63,
        "len_num_hashes": 4,
    }

    num_preamble_words: int
    lg_resize_factor: int = 0
    serial_version: int = 4
    family: int = 3

    width_bits: int
    """Bits of each difference."""

    len_num_hashes: int
    flags: ThetaFlags
    seed_hash: int
    theta: int | None = None
    num_hashes: int | None = None

    differences: bytes
    """Each hash less the one before it, width_bits bits of each, the highest bit first
    and without gaps; the last byte is filled with zeros.
    """

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        at = r.offset
        self.num_preamble_words = r.bits_le("num_preamble_words", 6)
        if self.num_preamble_words < 1:
            raise r.invalid(
                "num_preamble_words", at, self.num_preamble_words, "at least 1"
            )
        if self.num_preamble_words > 2:
            raise r.invalid(
                "num_preamble_words", at, self.num_preamble_words, "at most 2"
            )
        self.lg_resize_factor = r.bits_le("lg_resize_factor", 2)
        self.serial_version = r.u1("serial_version")
        if self.serial_version != 4:
            raise r.invalid("serial_version", r.offset - 1, self.serial_version, "4")
        self.family = r.u1("family")
        if self.family != 3:
            raise r.invalid("family", r.offset - 1, self.family, "3")
        self.width_bits = r.u1("width_bits")
        if self.width_bits < 1:
            raise r.invalid("width_bits", r.offset - 1, self.width_bits, "at least 1")
        if self.width_bits > 63:
            raise r.invalid("width_bits", r.offset - 1, self.width_bits, "at most 63")
        self.len_num_hashes = r.u1("len_num_hashes")
        if self.len_num_hashes < 1:
            raise r.invalid(
                "len_num_hashes", r.offset - 1, self.len_num_hashes, "at least 1"
            )
        if self.len_num_hashes > 4:
            raise r.invalid(
                "len_num_hashes", r.offset - 1, self.len_num_hashes, "at most 4"
            )
        self.flags = r.record("flags", ThetaFlags.read)
        self.seed_hash = r.u2le("seed_hash")
        self.theta = r.u8le("theta") if self.num_preamble_words > 1 else None
        if self.len_num_hashes == 1:
            self.num_hashes = r.u1("num_hashes")
        elif self.len_num_hashes == 2:
            self.num_hashes = r.u2le("num_hashes")
        elif self.len_num_hashes == 3:
            self.num_hashes = r.bits_le("num_hashes", 24)
        elif self.len_num_hashes == 4:
            self.num_hashes = r.u4le("num_hashes")
        else:
            self.num_hashes = None
        self.differences = r.bytes(
            "differences",
            (given(self.num_hashes, "num_hashes") * self.width_bits + 7) // 8,
        )
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        out = w.out
        if self.num_preamble_words < 1:
            raise w.invalid("num_preamble_words", self.num_preamble_words, "at least 1")
        if self.num_preamble_words > 2:
            raise w.invalid("num_preamble_words", self.num_preamble_words, "at most 2")
        w.bits_le("num_preamble_words", self.num_preamble_words, 6)
        w.bits_le("lg_resize_factor", self.lg_resize_factor, 2)
        if self.serial_version != 4:
            raise w.invalid("serial_version", self.serial_version, "4")
        w.u1("serial_version", self.serial_version)
        if self.family != 3:
            raise w.invalid("family", self.family, "3")
        w.u1("family", self.family)
        if self.width_bits < 1:
            raise w.invalid("width_bits", self.width_bits, "at least 1")
        if self.width_bits > 63:
            raise w.invalid("width_bits", self.width_bits, "at most 63")
        if self.len_num_hashes < 1:
            raise w.invalid("len_num_hashes", self.len_num_hashes, "at least 1")
        if self.len_num_hashes > 4:
            raise w.invalid("len_num_hashes", self.len_num_hashes, "at most 4")
        out += _COMPRESSED_THETA_SKETCH_WIDTH_BITS.pack(
            self.width_bits, self.len_num_hashes
        )
        w.record("flags", self.flags, ThetaFlags)
        out += _COMPRESSED_THETA_SKETCH_SEED_HASH.pack(self.seed_hash)
        if self.num_preamble_words > 1:
            theta = given(self.theta, "theta")
            w.u8le("theta", theta)
        elif self.theta is not None:
            raise w.unexpected("theta", self.theta)
        if self.len_num_hashes == 1:
            w.u1("num_hashes", narrowed(self.num_hashes, int, "num_hashes"))
        elif self.len_num_hashes == 2:
            w.u2le("num_hashes", narrowed(self.num_hashes, int, "num_hashes"))
        elif self.len_num_hashes == 3:
            w.bits_le("num_hashes", narrowed(self.num_hashes, int, "num_hashes"), 24)
        elif self.len_num_hashes == 4:
            w.u4le("num_hashes", narrowed(self.num_hashes, int, "num_hashes"))
        elif self.num_hashes is not None:
            raise w.unexpected("num_hashes", self.num_hashes)
        w.bytes(
            "differences",
            self.differences,
            (given(self.num_hashes, "num_hashes") * self.width_bits + 7) // 8,
            by="(num_hashes * width_bits + 7) / 8",
        )

    @property
    def _size_of_differences(self) -> int:
        """The bytes of `differences`: `(num_hashes * width_bits + 7) / 8`."""
        return (given(self.num_hashes, "num_hashes") * self.width_bits + 7) // 8
