# Written by byteloom-codegen from specs/puffin/theta_sketch.ksy; do not edit.
# To change it, edit that file and run `make generate`.
"""Compact Theta sketch of Apache DataSketches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from byteloom.wire import Reader, Record, Writer

__all__ = ["CompressedThetaSketch", "ThetaFlags", "ThetaSketch"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ThetaFlags(Record):
    """What kind of sketch this is."""

    NAME: ClassVar = "theta_flags"
    MIN_SIZE: ClassVar = 1

    is_big_endian: bool = False
    is_read_only: bool = True
    is_empty: bool
    is_compact: bool = True
    is_ordered: bool = True
    is_single: bool
    reserved: int = 0

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        names = ("is_big_endian", "is_read_only", "is_empty", "is_compact", "is_ordered", "is_single")
        flags = {name: r.bits_le(name, 1) != 0 for name in names}
        reserved = r.bits_le("reserved", 2)
        r.align()
        return cls(reserved=reserved, **flags)

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        w.bits_le("is_big_endian", self.is_big_endian, 1)
        w.bits_le("is_read_only", self.is_read_only, 1)
        w.bits_le("is_empty", self.is_empty, 1)
        w.bits_le("is_compact", self.is_compact, 1)
        w.bits_le("is_ordered", self.is_ordered, 1)
        w.bits_le("is_single", self.is_single, 1)
        w.bits_le("reserved", self.reserved, 2)
        w.align()


@dataclass(frozen=True, slots=True, kw_only=True)
class ThetaSketch(Record):
    """A Theta sketch estimates how many distinct values it has seen."""

    NAME: ClassVar = "theta_sketch"
    MIN_SIZE: ClassVar = 8

    num_preamble_words: int
    lg_resize_factor: int = 0
    serial_version: int = 3
    family: int = 3
    lg_nominal_hashes: int = 0
    lg_table_size: int = 0
    flags: ThetaFlags
    seed_hash: int
    num_hashes: int | None = None
    sampling_probability: float | None = None
    theta: int | None = None
    hashes: bytes

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        at = r.offset
        num_preamble_words = r.bits_le("num_preamble_words", 6)
        if not 1 <= num_preamble_words <= 3:
            raise r.invalid("num_preamble_words", at, num_preamble_words, "1 to 3")
        lg_resize_factor = r.bits_le("lg_resize_factor", 2)
        r.align()
        at = r.offset
        serial_version = r.u1("serial_version")
        if serial_version not in (1, 2, 3):
            raise r.invalid("serial_version", at, serial_version, "one of 1, 2, 3")
        at = r.offset
        family = r.u1("family")
        if family != 3:
            raise r.invalid("family", at, family, "3")
        lg_nominal_hashes = r.u1("lg_nominal_hashes")
        lg_table_size = r.u1("lg_table_size")
        flags = r.record("flags", ThetaFlags.read)
        seed_hash = r.u2le("seed_hash")
        num_hashes = sampling_probability = theta = None
        if num_preamble_words > 1:
            num_hashes = r.u4le("num_hashes")
            sampling_probability = r.f4le("sampling_probability")
        if num_preamble_words > 2:
            theta = r.u8le("theta")
        size = 8 * num_hashes if num_hashes is not None else 8 * (serial_version == 3 and not flags.is_empty)
        hashes = r.bytes("hashes", size)
        return cls(
            num_preamble_words=num_preamble_words,
            lg_resize_factor=lg_resize_factor,
            serial_version=serial_version,
            family=family,
            lg_nominal_hashes=lg_nominal_hashes,
            lg_table_size=lg_table_size,
            flags=flags,
            seed_hash=seed_hash,
            num_hashes=num_hashes,
            sampling_probability=sampling_probability,
            theta=theta,
            hashes=hashes,
        )

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        w.bits_le("num_preamble_words", self.num_preamble_words, 6)
        w.bits_le("lg_resize_factor", self.lg_resize_factor, 2)
        w.u1("serial_version", self.serial_version)
        w.u1("family", self.family)
        w.u1("lg_nominal_hashes", self.lg_nominal_hashes)
        w.u1("lg_table_size", self.lg_table_size)
        w.record("flags", self.flags)
        w.u2le("seed_hash", self.seed_hash)
        if self.num_hashes is not None and self.sampling_probability is not None:
            w.u4le("num_hashes", self.num_hashes)
            w.f4le("sampling_probability", self.sampling_probability)
        if self.theta is not None:
            w.u8le("theta", self.theta)
        w.bytes("hashes", self.hashes)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompressedThetaSketch(Record):
    """Serial version 4: an ordered sketch with the differences between its hashes."""

    NAME: ClassVar = "compressed_theta_sketch"
    MIN_SIZE: ClassVar = 9

    num_preamble_words: int
    lg_resize_factor: int = 0
    serial_version: int = 4
    family: int = 3
    width_bits: int
    len_num_hashes: int
    flags: ThetaFlags
    seed_hash: int
    theta: int | None = None
    num_hashes: bytes
    differences: bytes

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        num_preamble_words = r.bits_le("num_preamble_words", 6)
        lg_resize_factor = r.bits_le("lg_resize_factor", 2)
        r.align()
        serial_version = r.u1("serial_version")
        family = r.u1("family")
        at = r.offset
        width_bits = r.u1("width_bits")
        len_num_hashes = r.u1("len_num_hashes")
        if not (1 <= num_preamble_words <= 2 and family == 3 and serial_version == 4):
            raise r.invalid("family", at, family, "3")
        if not (1 <= width_bits <= 63 and 1 <= len_num_hashes <= 4):
            raise r.invalid("width_bits", at, width_bits, "1 to 63")
        flags = r.record("flags", ThetaFlags.read)
        seed_hash = r.u2le("seed_hash")
        theta = r.u8le("theta") if num_preamble_words > 1 else None
        num_hashes = r.bytes("num_hashes", len_num_hashes)
        differences = r.rest("differences")
        return cls(
            num_preamble_words=num_preamble_words,
            lg_resize_factor=lg_resize_factor,
            width_bits=width_bits,
            len_num_hashes=len_num_hashes,
            flags=flags,
            seed_hash=seed_hash,
            theta=theta,
            num_hashes=num_hashes,
            differences=differences,
        )
