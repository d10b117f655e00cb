# Written by byteloom-codegen from specs/lance/encodings19.proto; do not edit.
# To change it, edit that file and generate again.
"""How pages of files of version 2.1 are laid out by releases 0.19 to 0.25.

The type of the layout is `/lance.encodings.PageLayout`, as by releases 0.26 to
0.32, whose numbers differ. Three spans of releases share these messages: 0.19
and 0.20 have no layers and no counts of values, 0.21 and 0.22 describe text by
15 without bits and dictionaries of text by 17, 0.23 to 0.25 have bits in 15 and
structs as 16. Layouts FullZip of 0.25 are those of `encodings26.proto`.

How a message is stored, byte by byte, is in hfile/protobuf.ksy.

Source: files by these releases
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.documents.messages import File, Message

if TYPE_CHECKING:
    from collections.abc import Iterable, MutableSequence

__all__ = [
    "FILE",
    "AllNullLayout",
    "ArrayEncoding",
    "Constant",
    "FixedSizeList",
    "Flat",
    "FullZipLayout",
    "InlineBitpacking",
    "MiniBlockLayout",
    "PackedStruct",
    "PageLayout",
    "TextBlock",
    "Variable",
]

FILE: Final = File("lance/encodings19.proto", __name__)
"""What these classes are declared in; the end of this module has its descriptor."""


class PageLayout(Message, file=FILE, name="lance.encodings19.PageLayout"):
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


class MiniBlockLayout(Message, file=FILE, name="lance.encodings19.MiniBlockLayout"):
    """Chunks of values. Layers are those of `encodings21.proto`, from the leaf
    outwards; a fixed-size list is one of them, whose items are the values.

        no  field                   stored as
         1  rep_compression         ArrayEncoding
         2  def_compression         ArrayEncoding
         3  value_compression       ArrayEncoding
         4  dictionary              ArrayEncoding
         5  layers                  repeated uint32
         6  repetition_index_depth  uint32
         7  num_items               uint64
    """

    rep_compression: ArrayEncoding
    """Repetition levels: one value for all without lists, or 16 bits each."""

    def_compression: ArrayEncoding
    """Definition levels: one value for all without nulls, or 16 bits each."""

    value_compression: ArrayEncoding
    """How values, or indices into the dictionary, are encoded."""

    dictionary: ArrayEncoding
    """How the dictionary is encoded; absent without one. It begins with the number of
    its items.
    """

    layers: MutableSequence[int]
    """Absent by 0.19 and 0.20."""

    repetition_index_depth: int
    """Levels of lists that the repetition index covers: 0 or 1."""

    num_items: int
    """Values of the page; absent by 0.19 and 0.20, where it has one for each row."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            rep_compression: ArrayEncoding | None = None,
            def_compression: ArrayEncoding | None = None,
            value_compression: ArrayEncoding | None = None,
            dictionary: ArrayEncoding | None = None,
            layers: Iterable[int] | None = None,
            repetition_index_depth: int | None = None,
            num_items: int | None = None,
        ) -> None: ...


class AllNullLayout(Message, file=FILE, name="lance.encodings19.AllNullLayout"):
    """Null in all rows.

    no  field   stored as
     5  layers  repeated uint32
    """

    layers: MutableSequence[int]
    """Absent by 0.19 and 0.20."""

    if TYPE_CHECKING:

        def __init__(self, *, layers: Iterable[int] | None = None) -> None: ...


class FullZipLayout(Message, file=FILE, name="lance.encodings19.FullZipLayout"):
    """Entries one after the other, all of one size: a control word of the levels, and
    bytes.

        no  field              stored as
         1  bits_rep           uint32
         2  bits_def           uint32
         3  value_compression  ArrayEncoding
         4  layers             repeated uint32
    """

    bits_rep: int

    bits_def: int

    value_compression: ArrayEncoding
    """How each value is compressed."""

    layers: MutableSequence[int]
    """Absent by 0.19 and 0.20."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            bits_rep: int | None = None,
            bits_def: int | None = None,
            value_compression: ArrayEncoding | None = None,
            layers: Iterable[int] | None = None,
        ) -> None: ...


class ArrayEncoding(Message, file=FILE, name="lance.encodings19.ArrayEncoding"):
    """How values, levels or a dictionary are encoded.

    no  field                stored as
     1  flat                 Flat, one of array_encoding
     3  fixed_size_list      FixedSizeList, one of array_encoding
    13  constant             Constant, one of array_encoding
    14  inline_bitpacking    InlineBitpacking, one of array_encoding
    15  variable             Variable, one of array_encoding
    16  packed_struct        PackedStruct, one of array_encoding
    17  text_block           TextBlock, one of array_encoding
    18  early_packed_struct  PackedStruct, one of array_encoding
    """

    flat: Flat

    fixed_size_list: FixedSizeList

    constant: Constant

    inline_bitpacking: InlineBitpacking

    variable: Variable

    packed_struct: PackedStruct
    """By releases 0.23 to 0.25."""

    text_block: TextBlock
    """A dictionary of text, by releases 0.19 to 0.22."""

    early_packed_struct: PackedStruct
    """By releases 0.21 and 0.22."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            flat: Flat | None = None,
            fixed_size_list: FixedSizeList | None = None,
            constant: Constant | None = None,
            inline_bitpacking: InlineBitpacking | None = None,
            variable: Variable | None = None,
            packed_struct: PackedStruct | None = None,
            text_block: TextBlock | None = None,
            early_packed_struct: PackedStruct | None = None,
        ) -> None: ...


class Flat(Message, file=FILE, name="lance.encodings19.Flat"):
    """Values of fixed width.

    no  field           stored as
     1  bits_per_value  uint64
    """

    bits_per_value: int

    if TYPE_CHECKING:

        def __init__(self, *, bits_per_value: int | None = None) -> None: ...


class FixedSizeList(Message, file=FILE, name="lance.encodings19.FixedSizeList"):
    """Lists of the same number of items.

    no  field      stored as
     1  dimension  uint32
     2  items      ArrayEncoding
    """

    dimension: int

    items: ArrayEncoding
    """Flat, with the bits of a whole list."""

    if TYPE_CHECKING:

        def __init__(
            self, *, dimension: int | None = None, items: ArrayEncoding | None = None
        ) -> None: ...


class Constant(Message, file=FILE, name="lance.encodings19.Constant"):
    """One value for all.

    no  field       stored as
     1  value       bytes
     2  num_values  uint64
    """

    value: bytes

    num_values: int
    """The number of values."""

    if TYPE_CHECKING:

        def __init__(
            self, *, value: bytes | None = None, num_values: int | None = None
        ) -> None: ...


class InlineBitpacking(Message, file=FILE, name="lance.encodings19.InlineBitpacking"):
    """Chunks that begin with how many bits of each integer are stored.

    no  field                        stored as
     2  uncompressed_bits_per_value  uint64
    """

    uncompressed_bits_per_value: int

    if TYPE_CHECKING:

        def __init__(
            self, *, uncompressed_bits_per_value: int | None = None
        ) -> None: ...


class Variable(Message, file=FILE, name="lance.encodings19.Variable"):
    """Values of any length, after their offsets.

    no  field            stored as
     1  bits_per_offset  uint32
    """

    bits_per_offset: int
    """Bits of an offset; absent by releases through 0.22, where it has 32."""

    if TYPE_CHECKING:

        def __init__(self, *, bits_per_offset: int | None = None) -> None: ...


class TextBlock(Message, file=FILE, name="lance.encodings19.TextBlock"):
    """Values of any length with offsets of 32 bits."""

    if TYPE_CHECKING:

        def __init__(self) -> None: ...


class PackedStruct(Message, file=FILE, name="lance.encodings19.PackedStruct"):
    """Structs, each its fields one after the other.

    no  field            stored as
     1  flat             ArrayEncoding
     2  bits_per_values  repeated uint32
    """

    flat: ArrayEncoding

    bits_per_values: MutableSequence[int]
    """Bits of each field."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            flat: ArrayEncoding | None = None,
            bits_per_values: Iterable[int] | None = None,
        ) -> None: ...


FILE.descriptor = (
    b"\n\x17lance/encodings19.proto\x12\x11lance.encodings19\x22\xd1\x01\n\nPageLayout"
    b"\x12?\n\x11mini_block_layout\x18\x01 \x01(\x0b2\x22.lance.encodings19.MiniBlockL"
    b"ayoutH\x00\x12;\n\x0fall_null_layout\x18\x02 \x01(\x0b2 .lance.encodings19.AllNu"
    b"llLayoutH\x00\x12;\n\x0ffull_zip_layout\x18\x03 \x01(\x0b2 .lance.encodings19.Fu"
    b"llZipLayoutH\x00B\x08\n\x06layout\x22\xbd\x02\n\x0fMiniBlockLayout\x129\n\x0frep"
    b"_compression\x18\x01 \x01(\x0b2 .lance.encodings19.ArrayEncoding\x129\n\x0fdef_c"
    b"ompression\x18\x02 \x01(\x0b2 .lance.encodings19.ArrayEncoding\x12;\n\x11value_c"
    b"ompression\x18\x03 \x01(\x0b2 .lance.encodings19.ArrayEncoding\x124\n\ndictionar"
    b"y\x18\x04 \x01(\x0b2 .lance.encodings19.ArrayEncoding\x12\x0e\n\x06layers\x18"
    b"\x05 \x03(\r\x12\x1e\n\x16repetition_index_depth\x18\x06 \x01(\r\x12\x11\n\tnum_"
    b"items\x18\x07 \x01(\x04\x22\x1f\n\rAllNullLayout\x12\x0e\n\x06layers\x18\x05 "
    b"\x03(\r\x22\x80\x01\n\rFullZipLayout\x12\x10\n\x08bits_rep\x18\x01 \x01(\r\x12"
    b"\x10\n\x08bits_def\x18\x02 \x01(\r\x12;\n\x11value_compression\x18\x03 \x01(\x0b"
    b"2 .lance.encodings19.ArrayEncoding\x12\x0e\n\x06layers\x18\x04 \x03(\r\x22\xd9"
    b"\x03\n\rArrayEncoding\x12'\n\x04flat\x18\x01 \x01(\x0b2\x17.lance.encodings19.Fl"
    b"atH\x00\x12;\n\x0ffixed_size_list\x18\x03 \x01(\x0b2 .lance.encodings19.FixedSiz"
    b"eListH\x00\x12/\n\x08constant\x18\r \x01(\x0b2\x1b.lance.encodings19.ConstantH"
    b"\x00\x12@\n\x11inline_bitpacking\x18\x0e \x01(\x0b2#.lance.encodings19.InlineBit"
    b"packingH\x00\x12/\n\x08variable\x18\x0f \x01(\x0b2\x1b.lance.encodings19.Variabl"
    b"eH\x00\x128\n\rpacked_struct\x18\x10 \x01(\x0b2\x1f.lance.encodings19.PackedStru"
    b"ctH\x00\x122\n\ntext_block\x18\x11 \x01(\x0b2\x1c.lance.encodings19.TextBlockH"
    b"\x00\x12>\n\x13early_packed_struct\x18\x12 \x01(\x0b2\x1f.lance.encodings19.Pack"
    b"edStructH\x00B\x10\n\x0earray_encoding\x22\x1e\n\x04Flat\x12\x16\n\x0ebits_per_v"
    b"alue\x18\x01 \x01(\x04\x22S\n\rFixedSizeList\x12\x11\n\tdimension\x18\x01 \x01("
    b"\r\x12/\n\x05items\x18\x02 \x01(\x0b2 .lance.encodings19.ArrayEncoding\x22-\n"
    b"\x08Constant\x12\r\n\x05value\x18\x01 \x01(\x0c\x12\x12\n\nnum_values\x18\x02 "
    b"\x01(\x04\x227\n\x10InlineBitpacking\x12#\n\x1buncompressed_bits_per_value\x18"
    b"\x02 \x01(\x04\x22#\n\x08Variable\x12\x17\n\x0fbits_per_offset\x18\x01 \x01(\r"
    b"\x22\x0b\n\tTextBlock\x22W\n\x0cPackedStruct\x12.\n\x04flat\x18\x01 \x01(\x0b2 ."
    b"lance.encodings19.ArrayEncoding\x12\x17\n\x0fbits_per_values\x18\x02 \x03(\rb"
    b"\x08editionsp\xe8\x07"
)
