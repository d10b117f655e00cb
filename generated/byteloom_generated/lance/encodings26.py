# Written by byteloom-codegen from specs/lance/encodings26.proto; do not edit.
# To change it, edit that file and generate again.
"""How pages of files of version 2.1 are laid out by releases 0.26 to 0.32.

Their values are described by array encodings, as in 2.0, numbers 14 to 21 among
them; the type of the layout is `/lance.encodings.PageLayout`. Releases 0.19 to
0.25 used other numbers.

How a message is stored, byte by byte, is in hfile/protobuf.ksy.

Source: https://github.com/lancedb/lance/blob/v0.27.2/protos/encodings.proto
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from byteloom.documents.messages import File, Message

from . import encodings20

if TYPE_CHECKING:
    from collections.abc import Iterable, MutableSequence

__all__ = ["FILE", "AllNullLayout", "FullZipLayout", "MiniBlockLayout", "PageLayout"]

FILE: Final = File("lance/encodings26.proto", __name__, encodings20.FILE)
"""What these classes are declared in; the end of this module has its descriptor."""


class PageLayout(Message, file=FILE, name="lance.encodings26.PageLayout"):
    """How a page is laid out.

    no  field              stored as
     1  mini_block_layout  MiniBlockLayout, one of layout
     2  all_null_layout    AllNullLayout, one of layout
     3  full_zip_layout    FullZipLayout, one of layout
    """

    mini_block_layout: MiniBlockLayout
    """Small values in chunks of some kilobytes."""

    all_null_layout: AllNullLayout
    """Null in all rows."""

    full_zip_layout: FullZipLayout
    """Large values one after the other, each after its levels."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            mini_block_layout: MiniBlockLayout | None = None,
            all_null_layout: AllNullLayout | None = None,
            full_zip_layout: FullZipLayout | None = None,
        ) -> None: ...


class MiniBlockLayout(Message, file=FILE, name="lance.encodings26.MiniBlockLayout"):
    """Chunks of values. Layers are those of `encodings21.proto`, from the leaf
    outwards.

        no  field                   stored as
         1  rep_compression         lance.encodings.ArrayEncoding
         2  def_compression         lance.encodings.ArrayEncoding
         3  value_compression       lance.encodings.ArrayEncoding
         4  dictionary              lance.encodings.ArrayEncoding
         5  num_dictionary_items    uint64
         6  layers                  repeated uint32
         7  num_buffers             uint64
         8  repetition_index_depth  uint32
         9  num_items               uint64
    """

    rep_compression: Any
    """How repetition levels are compressed; absent without lists."""

    def_compression: Any
    """How definition levels are compressed; absent without nulls."""

    value_compression: Any
    """How values, or indices into the dictionary, are encoded."""

    dictionary: Any
    """How the dictionary is encoded; absent without one."""

    num_dictionary_items: int

    layers: MutableSequence[int]

    num_buffers: int
    """Buffers of values in a chunk."""

    repetition_index_depth: int
    """Levels of lists that the repetition index covers: 0 or 1."""

    num_items: int
    """Values of the page; never absent, which earlier releases are known by."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            rep_compression: Any | None = None,
            def_compression: Any | None = None,
            value_compression: Any | None = None,
            dictionary: Any | None = None,
            num_dictionary_items: int | None = None,
            layers: Iterable[int] | None = None,
            num_buffers: int | None = None,
            repetition_index_depth: int | None = None,
            num_items: int | None = None,
        ) -> None: ...


class AllNullLayout(Message, file=FILE, name="lance.encodings26.AllNullLayout"):
    """Null in all rows.

    no  field   stored as
     5  layers  repeated uint32
    """

    layers: MutableSequence[int]

    if TYPE_CHECKING:

        def __init__(self, *, layers: Iterable[int] | None = None) -> None: ...


class FullZipLayout(Message, file=FILE, name="lance.encodings26.FullZipLayout"):
    """Entries one after the other: a control word of the levels, a length, bytes.

    no  field              stored as
     1  bits_rep           uint32
     2  bits_def           uint32
     3  bits_per_value     uint32, one of details
     4  bits_per_offset    uint32, one of details
     5  num_items          uint32
     6  num_visible_items  uint32
     7  value_compression  lance.encodings.ArrayEncoding
     8  layers             repeated uint32
    """

    bits_rep: int

    bits_def: int

    bits_per_value: int
    """Bits of a value; each is as long as the others."""

    bits_per_offset: int
    """Bits of the length before a value."""

    num_items: int
    """Entries, those of null and empty lists counted."""

    num_visible_items: int
    """Values."""

    value_compression: Any
    """How each value is compressed; never absent, which earlier releases are known by."""

    layers: MutableSequence[int]

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            bits_rep: int | None = None,
            bits_def: int | None = None,
            bits_per_value: int | None = None,
            bits_per_offset: int | None = None,
            num_items: int | None = None,
            num_visible_items: int | None = None,
            value_compression: Any | None = None,
            layers: Iterable[int] | None = None,
        ) -> None: ...


FILE.descriptor = (
    b"\n\x17lance/encodings26.proto\x12\x11lance.encodings26\x1a\x17lance/encodings20."
    b"proto\x22\xd1\x01\n\nPageLayout\x12?\n\x11mini_block_layout\x18\x01 \x01(\x0b2"
    b"\x22.lance.encodings26.MiniBlockLayoutH\x00\x12;\n\x0fall_null_layout\x18\x02 "
    b"\x01(\x0b2 .lance.encodings26.AllNullLayoutH\x00\x12;\n\x0ffull_zip_layout\x18"
    b"\x03 \x01(\x0b2 .lance.encodings26.FullZipLayoutH\x00B\x08\n\x06layout\x22\xe8"
    b"\x02\n\x0fMiniBlockLayout\x127\n\x0frep_compression\x18\x01 \x01(\x0b2\x1e.lance"
    b".encodings.ArrayEncoding\x127\n\x0fdef_compression\x18\x02 \x01(\x0b2\x1e.lance."
    b"encodings.ArrayEncoding\x129\n\x11value_compression\x18\x03 \x01(\x0b2\x1e.lance"
    b".encodings.ArrayEncoding\x122\n\ndictionary\x18\x04 \x01(\x0b2\x1e.lance.encodin"
    b"gs.ArrayEncoding\x12\x1c\n\x14num_dictionary_items\x18\x05 \x01(\x04\x12\x0e\n"
    b"\x06layers\x18\x06 \x03(\r\x12\x13\n\x0bnum_buffers\x18\x07 \x01(\x04\x12\x1e\n"
    b"\x16repetition_index_depth\x18\x08 \x01(\r\x12\x11\n\tnum_items\x18\t \x01(\x04"
    b"\x22\x1f\n\rAllNullLayout\x12\x0e\n\x06layers\x18\x05 \x03(\r\x22\xec\x01\n\rFul"
    b"lZipLayout\x12\x10\n\x08bits_rep\x18\x01 \x01(\r\x12\x10\n\x08bits_def\x18\x02 "
    b"\x01(\r\x12\x18\n\x0ebits_per_value\x18\x03 \x01(\rH\x00\x12\x19\n\x0fbits_per_o"
    b"ffset\x18\x04 \x01(\rH\x00\x12\x11\n\tnum_items\x18\x05 \x01(\r\x12\x19\n\x11num"
    b"_visible_items\x18\x06 \x01(\r\x129\n\x11value_compression\x18\x07 \x01(\x0b2"
    b"\x1e.lance.encodings.ArrayEncoding\x12\x0e\n\x06layers\x18\x08 \x03(\rB\t\n\x07d"
    b"etailsb\x08editionsp\xe8\x07"
)
