# Written by byteloom-codegen from specs/lance/chunks.ksy; do not edit.
# To change it, edit that file and generate again.
"""Chunks of a Lance page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from byteloom.wire import Bits, FieldRun, Reader, Record, Writer
from byteloom.wire.calc import given, pass_to, shifted_left

__all__ = [
    "Chunk",
    "ChunkHead",
    "Chunks",
    "EarlyChunk",
    "LargeWord",
    "Level",
    "SmallWord",
    "Unit",
]


@dataclass(slots=True, kw_only=True)
class Chunks(Record):
    """Buffer 0 of a page of the layout MiniBlock has a word for each chunk of buffer
    1, where the chunks are one after the other. Buffer 2 is the dictionary, if the
    layout (encodings21.proto) has one; the last buffer is the repetition index, if
    its depth is above 0. A chunk is padded to a multiple of eight bytes, and so is
    each of its parts:

        sizes | repetition levels | definition levels | value buffer 0 | ...

    To read a page without nulls and lists whose layout has one buffer of values:
    take the words, and for each of them len_chunk bytes of buffer 1. These begin
    with a chunk_head; at byte 8 are the values, num_values of them, in the last
    chunk as many as the layout's num_items has left. Their encoding is the layout's
    value_compression.

        at  size  field  stored as
         0        words  small_word, repeated to the end

    Source: https://lance.org/format/file/encoding/#mini-block-page-layout
    """

    NAME: ClassVar[str] = "chunks"
    MIN_SIZE: ClassVar[int] = 0

    words: list[SmallWord]

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.words = r.records_to_end("words", SmallWord.read)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        w.records("words", self.words, SmallWord)
        w.ends("words")


_SMALL_WORD_LOG_NUM_VALUES = Bits("little", 4, 12)


@dataclass(slots=True, kw_only=True)
class SmallWord(Record):
    """A chunk's word of 16 bits, up to version 2.1.

    at  size  field            stored as
     0        log_num_values   4 bits le from bit 0
     0        len_chunk_words  12 bits le from bit 4
    """

    NAME: ClassVar[str] = "small_word"
    MIN_SIZE: ClassVar[int] = 2
    SIZE: ClassVar[int] = 2

    log_num_values: int
    """Values are 2 to this power. Of the last chunk, which has what is left, it says
    nothing.
    """

    len_chunk_words: int
    """Units of the chunk, minus 1."""

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        bits = r.bit_run(
            ("log_num_values", "len_chunk_words"), _SMALL_WORD_LOG_NUM_VALUES
        )
        self.log_num_values = bits & 15
        self.len_chunk_words = bits >> 4
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        if self.log_num_values >> 4 or self.len_chunk_words >> 12:
            raise w.too_wide(
                ("log_num_values", "len_chunk_words"),
                _SMALL_WORD_LOG_NUM_VALUES,
                self.log_num_values,
                self.len_chunk_words,
            )
        w.out += (self.log_num_values | self.len_chunk_words << 4).to_bytes(
            2, _SMALL_WORD_LOG_NUM_VALUES.order
        )

    @property
    def num_values(self) -> int:
        """Calculated: `num_values`."""
        return shifted_left(1, self.log_num_values)

    @property
    def len_chunk(self) -> int:
        """Calculated: `len_chunk`."""
        return 8 * (self.len_chunk_words + 1)


_LARGE_WORD_LOG_NUM_VALUES = Bits("little", 4, 28)


@dataclass(slots=True, kw_only=True)
class LargeWord(Record):
    """A chunk's word of 32 bits, from version 2.2 on.

    at  size  field            stored as
     0        log_num_values   4 bits le from bit 0
     0        len_chunk_words  28 bits le from bit 4
    """

    NAME: ClassVar[str] = "large_word"
    MIN_SIZE: ClassVar[int] = 4
    SIZE: ClassVar[int] = 4

    log_num_values: int
    """Values are 2 to this power. Of the last chunk, which has what is left, it says
    nothing.
    """

    len_chunk_words: int
    """Units of the chunk, minus 1."""

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        bits = r.bit_run(
            ("log_num_values", "len_chunk_words"), _LARGE_WORD_LOG_NUM_VALUES
        )
        self.log_num_values = bits & 15
        self.len_chunk_words = bits >> 4
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        if self.log_num_values >> 4 or self.len_chunk_words >> 28:
            raise w.too_wide(
                ("log_num_values", "len_chunk_words"),
                _LARGE_WORD_LOG_NUM_VALUES,
                self.log_num_values,
                self.len_chunk_words,
            )
        w.out += (self.log_num_values | self.len_chunk_words << 4).to_bytes(
            4, _LARGE_WORD_LOG_NUM_VALUES.order
        )

    @property
    def num_values(self) -> int:
        """Calculated: `num_values`."""
        return shifted_left(1, self.log_num_values)

    @property
    def len_chunk(self) -> int:
        """Calculated: `len_chunk`."""
        return 8 * (self.len_chunk_words + 1)


@dataclass(slots=True, kw_only=True)
class Chunk(Record):
    """The record `chunk`.

    at  size  field  stored as
     0        sizes  chunk_head
              parts  bytes
    """

    NAME: ClassVar[str] = "chunk"
    MIN_SIZE: ClassVar[int] = 2

    has_rep: bool
    """The layout has rep_compression."""

    has_def: bool
    """The layout has def_compression."""

    num_buffers: int
    """The layout has it."""

    is_large: bool
    """The value of `has_large_chunk` in the page's layout."""

    sizes: ChunkHead

    parts: bytes
    """Repetition levels, definition levels and value buffers, each at the next
    multiple of eight from the beginning of the chunk.
    """

    @classmethod
    def read(
        cls, r: Reader, has_rep: bool, has_def: bool, num_buffers: int, is_large: bool
    ) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.has_rep = has_rep
        self.has_def = has_def
        self.num_buffers = num_buffers
        self.is_large = is_large
        self.sizes = r.record(
            "sizes",
            ChunkHead.read,
            (self.has_rep, self.has_def, self.num_buffers, self.is_large),
        )
        self.parts = r.rest("parts")
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        pass_to(
            self.sizes,
            has_rep=self.has_rep,
            has_def=self.has_def,
            num_buffers=self.num_buffers,
            is_large=self.is_large,
        )
        w.record("sizes", self.sizes, ChunkHead)
        w.rest("parts", self.parts)

    @property
    def len_parts(self) -> int:
        """Calculated: `len_parts`."""
        return len(self.parts)


_EARLY_CHUNK_LEN_REP = FieldRun("<HHH", "len_rep", "len_def", "len_values")


@dataclass(slots=True, kw_only=True)
class EarlyChunk(Record):
    """A chunk by releases 0.19 to 0.25, which has one value buffer.

    at  size  field       stored as
     0     2  len_rep     u2le
     2     2  len_def     u2le
     4     2  len_values  u2le
     6        parts       bytes
    """

    NAME: ClassVar[str] = "early_chunk"
    MIN_SIZE: ClassVar[int] = 6

    len_rep: int
    """Bytes of repetition levels; 0 if there are none."""

    len_def: int
    """Bytes of definition levels; 0 if there are none."""

    len_values: int

    parts: bytes
    """Repetition levels and definition levels, one after the other, and values at the
    next multiple of eight from the beginning of the chunk.
    """

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.len_rep, self.len_def, self.len_values = r.run(_EARLY_CHUNK_LEN_REP)
        self.parts = r.rest("parts")
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        w.out += _EARLY_CHUNK_LEN_REP.pack(self.len_rep, self.len_def, self.len_values)
        w.rest("parts", self.parts)

    @property
    def len_parts(self) -> int:
        """Calculated: `len_parts`."""
        return len(self.parts)


@dataclass(slots=True, kw_only=True)
class Unit(Record):
    """Chunks are a multiple of these, and each of their parts begins at one.

    at  size  field  stored as
     0     8  bytes  bytes
    """

    NAME: ClassVar[str] = "unit"
    MIN_SIZE: ClassVar[int] = 8
    SIZE: ClassVar[int] = 8

    bytes_: bytes

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.bytes_ = r.bytes("bytes", 8)
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        w.bytes("bytes", self.bytes_, 8)


_LEVEL_VALUE = FieldRun("<H", "value")


@dataclass(slots=True, kw_only=True)
class Level(Record):
    """A repetition or definition level, where levels are stored as they are.

    at  size  field  stored as
     0     2  value  u2le
    """

    NAME: ClassVar[str] = "level"
    MIN_SIZE: ClassVar[int] = 2
    SIZE: ClassVar[int] = 2

    value: int

    @classmethod
    def read(cls, r: Reader) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.value = r.u2le("value")
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        w.out += _LEVEL_VALUE.pack(self.value)


_CHUNK_HEAD_NUM_LEVELS = FieldRun("<H", "num_levels")


@dataclass(slots=True, kw_only=True)
class ChunkHead(Record):
    """The beginning of a chunk.

    at  size  field              stored as
     0     2  num_levels         u2le
     2        len_rep            u2le, optional
              len_def            u2le, optional
              len_small_buffers  u2le, repeated, optional
              len_large_buffers  u4le, repeated, optional
    """

    NAME: ClassVar[str] = "chunk_head"
    MIN_SIZE: ClassVar[int] = 2

    has_rep: bool
    """The layout has rep_compression."""

    has_def: bool
    """The layout has def_compression."""

    num_buffers: int
    """The layout has it."""

    is_large: bool
    """The value of `has_large_chunk` in the page's layout."""

    num_levels: int
    """Repetition and definition levels of the chunk; 0 if there are none."""

    len_rep: int | None = None
    len_def: int | None = None

    len_small_buffers: list[int] | None = None
    """Bytes of each value buffer."""

    len_large_buffers: list[int] | None = None
    """Bytes of each value buffer, from version 2.2 on."""

    @classmethod
    def read(
        cls, r: Reader, has_rep: bool, has_def: bool, num_buffers: int, is_large: bool
    ) -> Self:
        """Take one from *r*."""
        self = cls.__new__(cls)
        self.has_rep = has_rep
        self.has_def = has_def
        self.num_buffers = num_buffers
        self.is_large = is_large
        self.num_levels = r.u2le("num_levels")
        self.len_rep = r.u2le("len_rep") if self.has_rep else None
        self.len_def = r.u2le("len_def") if self.has_def else None
        self.len_small_buffers = None
        if not self.is_large:
            self.len_small_buffers = r.array(
                "len_small_buffers", self.num_buffers, "<H"
            )
        self.len_large_buffers = None
        if self.is_large:
            self.len_large_buffers = r.array(
                "len_large_buffers", self.num_buffers, "<I"
            )
        return self

    def write(self, w: Writer) -> None:
        """Put this one into *w*; undoes `read`."""
        w.out += _CHUNK_HEAD_NUM_LEVELS.pack(self.num_levels)
        if self.has_rep:
            len_rep = given(self.len_rep, "len_rep")
            w.u2le("len_rep", len_rep)
        elif self.len_rep is not None:
            raise w.unexpected("len_rep", self.len_rep)
        if self.has_def:
            len_def = given(self.len_def, "len_def")
            w.u2le("len_def", len_def)
        elif self.len_def is not None:
            raise w.unexpected("len_def", self.len_def)
        if not self.is_large:
            len_small_buffers = given(self.len_small_buffers, "len_small_buffers")
            if len(len_small_buffers) != self.num_buffers:
                w.check_count(
                    "len_small_buffers",
                    len_small_buffers,
                    self.num_buffers,
                    "num_buffers",
                )
            w.array("len_small_buffers", len_small_buffers, "<H")
        elif self.len_small_buffers is not None:
            raise w.unexpected("len_small_buffers", self.len_small_buffers)
        if self.is_large:
            len_large_buffers = given(self.len_large_buffers, "len_large_buffers")
            if len(len_large_buffers) != self.num_buffers:
                w.check_count(
                    "len_large_buffers",
                    len_large_buffers,
                    self.num_buffers,
                    "num_buffers",
                )
            w.array("len_large_buffers", len_large_buffers, "<I")
        elif self.len_large_buffers is not None:
            raise w.unexpected("len_large_buffers", self.len_large_buffers)

    @property
    def _number_of_len_small_buffers(self) -> int:
        """The elements of `len_small_buffers`: `num_buffers`."""
        return self.num_buffers

    @property
    def _number_of_len_large_buffers(self) -> int:
        """The elements of `len_large_buffers`: `num_buffers`."""
        return self.num_buffers
