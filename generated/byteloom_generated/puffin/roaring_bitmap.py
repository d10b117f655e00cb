# Written by byteloom-codegen from specs/puffin/roaring_bitmap.ksy; do not edit.
# To change it, edit that file and generate again.
"""Roaring bitmaps in their portable form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from byteloom.wire import FieldRun, Reader, Record, Writer
from byteloom.wire.calc import element, given, pass_to, shifted_right, whole_quotient

__all__ = [
    "Container",
    "ContainerHeader",
    "RoaringBitmap",
    "RoaringMap",
    "RoaringMapEntry",
]


_ROARING_BITMAP_COOKIE = FieldRun("<H", "cookie")


@dataclass(slots=True, kw_only=True)
class RoaringBitmap(Record):
    """A set of 32-bit integers.

    Integers with the same upper 16 bits share a container, which holds their lower
    16 bits in whichever of three ways takes the fewest bytes.

        cookie | run flags | headers | offsets | container 0 | container 1 | ...

    There are two cookies. 12346 says that no container is made of runs, and has a
    word of its own for their number. 12347 has the number, minus 1, in its upper
    half, and a flag for each container.

        at  size  field                   stored as
         0     2  cookie                  u2le
         2     2  last_container          u2le
         4        num_containers_no_runs  u4le, optional
                  run_flags               bytes, optional
                  headers                 container_header, repeated
                  offsets                 u4le, repeated, optional
                  containers              container, repeated

    Source: https://github.com/RoaringBitmap/RoaringFormatSpec
    """

    NAME: ClassVar[str] = "roaring_bitmap"
    MIN_SIZE: ClassVar[int] = 4
    FOLLOWS: ClassVar[bool] = True
    MOST: ClassVar[dict[str, int]] = {"num_containers_no_runs": 65536}

    no_runs: ClassVar[int] = 12346
    """The cookie of a bitmap without containers of runs."""

    with_runs: ClassVar[int] = 12347
    """The cookie of one with such containers."""

    most_without_offsets: ClassVar[int] = 3
    """A bitmap with runs has no offsets up to this number of containers."""

    cookie: int

    last_container: int = 0
    """With cookie 12347 the number of containers, minus 1; otherwise 0."""

    num_containers_no_runs: int | None = None

    run_flags: bytes | None = None
    """A bit for each container, lowest first; set for a container of runs."""

    headers: list[ContainerHeader]

    offsets: list[int] | None = None
    """Where each container starts, in bytes from the cookie. Left out of a small
    bitmap with runs.
    """

    containers: list[Container]

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.cookie = r.u2le("cookie")
        if self.cookie not in (12346, 12347):
            raise r.invalid("cookie", r.offset - 2, self.cookie, "one of 12346, 12347")
        self.last_container = r.u2le("last_container")
        self.num_containers_no_runs = None
        if self.cookie == 12346:
            self.num_containers_no_runs = r.u4le("num_containers_no_runs")
            if self.num_containers_no_runs > 65536:
                raise r.invalid(
                    "num_containers_no_runs",
                    r.offset - 4,
                    self.num_containers_no_runs,
                    "at most 65536",
                )
        self.run_flags = None
        if self.cookie == 12347:
            self.run_flags = r.bytes("run_flags", (self.last_container + 8) // 8)
        self.headers = r.records(
            "headers",
            self.last_container + 1
            if self.cookie == 12347
            else given(self.num_containers_no_runs, "num_containers_no_runs"),
            ContainerHeader.read,
            ContainerHeader.MIN_SIZE,
        )
        self.offsets = None
        if self.cookie == 12346 or self.last_container >= 3:
            self.offsets = r.array("offsets", len(self.headers), "<I")
        self.containers = []
        for index in r.times("containers", len(self.headers), 0):
            it_containers = r.record(
                "containers",
                Container.read,
                (
                    element(self.headers, index).last_value + 1,
                    self.cookie == 12347
                    and shifted_right(
                        element(given(self.run_flags, "run_flags"), index // 8),
                        index % 8,
                    )
                    % 2
                    == 1,
                ),
            )
            self.containers.append(it_containers)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        for index, it_containers in enumerate(self.containers):
            pass_to(
                it_containers,
                num_values=element(self.headers, index).last_value + 1,
                has_runs=self.cookie == self.with_runs
                and shifted_right(
                    element(given(self.run_flags, "run_flags"), index // 8), index % 8
                )
                % 2
                == 1,
            )
        if self.cookie not in (12346, 12347):
            raise w.invalid("cookie", self.cookie, "one of 12346, 12347")
        w.out += _ROARING_BITMAP_COOKIE.pack(self.cookie)
        w.u2le("last_container", self.last_container)
        if self.cookie == 12346:
            num_containers_no_runs = given(
                self.num_containers_no_runs, "num_containers_no_runs"
            )
            if num_containers_no_runs > 65536:
                raise w.invalid(
                    "num_containers_no_runs", num_containers_no_runs, "at most 65536"
                )
            w.u4le("num_containers_no_runs", num_containers_no_runs)
        elif self.num_containers_no_runs is not None:
            raise w.unexpected("num_containers_no_runs", self.num_containers_no_runs)
        if self.cookie == 12347:
            run_flags = given(self.run_flags, "run_flags")
            w.bytes(
                "run_flags",
                run_flags,
                (self.last_container + 8) // 8,
                by="(last_container + 8) / 8",
            )
        elif self.run_flags is not None:
            raise w.unexpected("run_flags", self.run_flags)
        if len(self.headers) != (
            self.last_container + 1
            if self.cookie == 12347
            else given(self.num_containers_no_runs, "num_containers_no_runs")
        ):
            w.check_count(
                "headers",
                self.headers,
                self.last_container + 1
                if self.cookie == 12347
                else given(self.num_containers_no_runs, "num_containers_no_runs"),
                "cookie == with_runs ? last_container + 1 : num_containers_no_runs",
            )
        w.records("headers", self.headers, ContainerHeader)
        if self.cookie == 12346 or self.last_container >= 3:
            offsets = given(self.offsets, "offsets")
            if len(offsets) != len(self.headers):
                w.check_count("offsets", offsets, len(self.headers), "headers.size")
            w.array("offsets", offsets, "<I")
        elif self.offsets is not None:
            raise w.unexpected("offsets", self.offsets)
        if len(self.containers) != len(self.headers):
            w.check_count(
                "containers", self.containers, len(self.headers), "headers.size"
            )
        w.records("containers", self.containers, Container)

    @property
    def _size_of_run_flags(self) -> int:
        """The bytes of `run_flags`: `(last_container + 8) / 8`."""
        return (self.last_container + 8) // 8

    @property
    def _number_of_headers(self) -> int:
        """The elements of `headers`: `cookie == with_runs ? last_container + 1 :
        num_containers_no_runs`.
        """
        return (
            self.last_container + 1
            if self.cookie == self.with_runs
            else given(self.num_containers_no_runs, "num_containers_no_runs")
        )


_CONTAINER_HEADER_KEY = FieldRun("<HH", "key", "last_value")


@dataclass(slots=True, kw_only=True)
class ContainerHeader(Record):
    """What is known of a container before it is read.

    at  size  field       stored as
     0     2  key         u2le
     2     2  last_value  u2le
    """

    NAME: ClassVar[str] = "container_header"
    MIN_SIZE: ClassVar[int] = 4
    SIZE: ClassVar[int] = 4
    PLACES: ClassVar[dict[str, int]] = {"key": 0, "last_value": 2}

    key: int
    """The upper 16 bits of its integers; ascending from header to header."""

    last_value: int
    """The number of its integers, minus 1."""

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.key, self.last_value = r.run(_CONTAINER_HEADER_KEY)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        w.out += _CONTAINER_HEADER_KEY.pack(self.key, self.last_value)


@dataclass(slots=True, kw_only=True)
class Container(Record):
    """The lower 16 bits of integers that share the upper ones.

    They are runs where these are shorter, otherwise an array up to 4096 of them and
    a bit for each of 65536 above.

        at  size  field     stored as
         0        num_runs  u2le, optional
                  runs      bytes, optional
                  array     bytes, optional
                  bits      bytes, optional
    """

    NAME: ClassVar[str] = "container"
    MIN_SIZE: ClassVar[int] = 0

    longest_array: ClassVar[int] = 4096
    """The largest number of integers that is stored as an array."""

    len_bits: ClassVar[int] = 8192
    """A bit for each of 65536 integers."""

    num_values: int
    has_runs: bool

    runs: bytes | None = None
    """Pairs of u2: the first integer of a run, and how many follow it. Runs are
    ascending and do not touch.
    """

    array: bytes | None = None
    """One u2 for each integer, ascending."""

    bits: bytes | None = None
    """Bit n % 8 of byte n / 8 is set for each integer n."""

    @classmethod
    def read(cls, r: Reader, num_values: int, has_runs: bool) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.num_values = num_values
        self.has_runs = has_runs
        num_runs = r.u2le("num_runs") if self.has_runs else None
        self.runs = None
        if self.has_runs:
            self.runs = r.bytes("runs", given(num_runs, "num_runs") * 4)
        self.array = None
        if not self.has_runs and self.num_values <= 4096:
            self.array = r.bytes("array", self.num_values * 2)
        self.bits = None
        if not self.has_runs and self.num_values > 4096:
            self.bits = r.bytes("bits", 8192)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        if self.has_runs:
            w.u2le("num_runs", given(self.num_runs, "runs"))
        if self.has_runs:
            runs = given(self.runs, "runs")
            w.out += runs
        elif self.runs is not None:
            raise w.unexpected("runs", self.runs)
        if not self.has_runs and self.num_values <= 4096:
            array = given(self.array, "array")
            w.bytes("array", array, self.num_values * 2, by="num_values * 2")
        elif self.array is not None:
            raise w.unexpected("array", self.array)
        if not self.has_runs and self.num_values > 4096:
            bits_ = given(self.bits, "bits")
            w.bytes("bits", bits_, 8192)
        elif self.bits is not None:
            raise w.unexpected("bits", self.bits)

    @property
    def num_runs(self) -> int | None:
        """It follows from `runs`."""
        return whole_quotient(len(self.runs), 4) if self.runs is not None else None

    @property
    def _size_of_array(self) -> int:
        """The bytes of `array`: `num_values * 2`."""
        return self.num_values * 2

    @property
    def _size_of_bits(self) -> int:
        """The bytes of `bits`: `len_bits`."""
        return self.len_bits


_ROARING_MAP_NUM_BITMAPS = FieldRun("<Q", "num_bitmaps")


@dataclass(slots=True, kw_only=True)
class RoaringMap(Record):
    """A set of 64-bit integers: a bitmap for each value of their upper 32 bits.

    Iceberg uses no upper half above 2147483646, and Java writes every one from zero
    to the largest, with empty bitmaps between.

        at  size  field        stored as
         0     8  num_bitmaps  u8le
         8        bitmaps      roaring_map_entry, repeated

    Source: https://github.com/RoaringBitmap/RoaringFormatSpec#extension-for-64-bit-implementations
    """

    NAME: ClassVar[str] = "roaring_map"
    MIN_SIZE: ClassVar[int] = 8

    bitmaps: list[RoaringMapEntry]

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        num_bitmaps = r.u8le("num_bitmaps")
        self.bitmaps = r.records(
            "bitmaps", num_bitmaps, RoaringMapEntry.read, RoaringMapEntry.MIN_SIZE
        )
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        w.out += _ROARING_MAP_NUM_BITMAPS.pack(len(self.bitmaps))
        w.records("bitmaps", self.bitmaps, RoaringMapEntry)

    @property
    def num_bitmaps(self) -> int:
        """How many `bitmaps` there are."""
        return len(self.bitmaps)


_ROARING_MAP_ENTRY_KEY = FieldRun("<I", "key")


@dataclass(slots=True, kw_only=True)
class RoaringMapEntry(Record):
    """The integers that share their upper 32 bits.

    at  size  field   stored as
     0     4  key     u4le
     4        bitmap  roaring_bitmap
    """

    NAME: ClassVar[str] = "roaring_map_entry"
    MIN_SIZE: ClassVar[int] = 8

    key: int
    """The upper 32 bits; ascending from entry to entry."""

    bitmap: RoaringBitmap

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.key = r.u4le("key")
        self.bitmap = r.record("bitmap", RoaringBitmap.read)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        w.out += _ROARING_MAP_ENTRY_KEY.pack(self.key)
        w.record("bitmap", self.bitmap, RoaringBitmap)
