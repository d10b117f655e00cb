# Written by byteloom-codegen from specs/lance/encodings21.proto; do not edit.
# To change it, edit that file and generate again.
"""How pages of Lance files from version 2.1 on are laid out, and how values in
them are compressed.

A page has a structural layout, which says where lists and nulls are, and inside
of it compressive encodings, which say how bytes become values.

How a message is stored, byte by byte, is in hfile/protobuf.ksy.

Source:
https://github.com/lance-format/lance/blob/main/protos/encodings_v2_1.proto
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Final

from byteloom.documents.messages import File, Message

if TYPE_CHECKING:
    from collections.abc import Iterable, MutableSequence

__all__ = [
    "FILE",
    "BlobLayout",
    "BufferCompression",
    "ByteStreamSplit",
    "CompressionScheme",
    "CompressiveEncoding",
    "Constant",
    "ConstantLayout",
    "Delta",
    "Dictionary",
    "FixedSizeList",
    "Flat",
    "Fsst",
    "FullZipLayout",
    "General",
    "InlineBitpacking",
    "MiniBlockLayout",
    "OutOfLineBitpacking",
    "PackedStruct",
    "PageLayout",
    "Range",
    "RepDefLayer",
    "Rle",
    "Variable",
    "VariablePackedStruct",
]

FILE: Final = File("lance/encodings21.proto", __name__)
"""What these classes are declared in; the end of this module has its descriptor."""


class RepDefLayer(IntEnum):
    """What the levels of one layer of a column mean, from the leaf outwards."""

    REPDEF_UNSPECIFIED = 0
    """Unspecified."""

    REPDEF_ALL_VALID_ITEM = 1
    """Values or structs, none null."""

    REPDEF_ALL_VALID_LIST = 2
    """Lists, none null and none empty."""

    REPDEF_NULLABLE_ITEM = 3
    """Values or structs, some null."""

    REPDEF_NULLABLE_LIST = 4
    """Lists, some null, none empty."""

    REPDEF_EMPTYABLE_LIST = 5
    """Lists, some empty, none null."""

    REPDEF_NULL_AND_EMPTY_LIST = 6
    """Lists, some null and some empty."""


class CompressionScheme(IntEnum):
    """How bytes are compressed."""

    COMPRESSION_ALGORITHM_UNSPECIFIED = 0
    """Unspecified."""

    COMPRESSION_ALGORITHM_LZ4 = 1
    """32 bits of size, then an LZ4 block."""

    COMPRESSION_ALGORITHM_ZSTD = 2
    """64 bits of size, then a Zstandard frame; releases through 0.29 wrote the frame
    alone.
    """


class PageLayout(Message, file=FILE, name="lance.encodings21.PageLayout"):
    """How a page is laid out.

    no  field              stored as
     1  mini_block_layout  MiniBlockLayout, one of layout
     2  constant_layout    ConstantLayout, one of layout
     3  full_zip_layout    FullZipLayout, one of layout
     4  blob_layout        BlobLayout, one of layout
    """

    mini_block_layout: MiniBlockLayout
    """Small values in chunks of some kilobytes."""

    constant_layout: ConstantLayout
    """One value for all rows, mostly null."""

    full_zip_layout: FullZipLayout
    """Large values one after the other, each after its levels."""

    blob_layout: BlobLayout
    """Where values are in the file."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            mini_block_layout: MiniBlockLayout | None = None,
            constant_layout: ConstantLayout | None = None,
            full_zip_layout: FullZipLayout | None = None,
            blob_layout: BlobLayout | None = None,
        ) -> None: ...


class MiniBlockLayout(Message, file=FILE, name="lance.encodings21.MiniBlockLayout"):
    """Chunks of values, whose parts are compressed on their own.

    no  field                   stored as
     1  rep_compression         CompressiveEncoding
     2  def_compression         CompressiveEncoding
     3  value_compression       CompressiveEncoding
     4  dictionary              CompressiveEncoding
     5  num_dictionary_items    uint64
     6  layers                  repeated RepDefLayer
     7  num_buffers             uint64
     8  repetition_index_depth  uint32
     9  num_items               uint64
    10  has_large_chunk         bool
    """

    rep_compression: CompressiveEncoding
    """How repetition levels are compressed; absent without lists."""

    def_compression: CompressiveEncoding
    """How definition levels are compressed; absent without nulls."""

    value_compression: CompressiveEncoding
    """How values, or indices into the dictionary, are compressed."""

    dictionary: CompressiveEncoding
    """How the dictionary is compressed; absent without a dictionary."""

    num_dictionary_items: int
    """Items of the dictionary."""

    layers: MutableSequence[int]
    """From the leaf outwards."""

    num_buffers: int
    """Buffers of values in a chunk."""

    repetition_index_depth: int
    """Levels of lists that the repetition index covers: 0 or 1."""

    num_items: int
    """Number of values in the page, not counting null and empty lists."""

    has_large_chunk: bool
    """Whether words of chunks and sizes of buffers have 32 bits, as from 2.2 on."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            rep_compression: CompressiveEncoding | None = None,
            def_compression: CompressiveEncoding | None = None,
            value_compression: CompressiveEncoding | None = None,
            dictionary: CompressiveEncoding | None = None,
            num_dictionary_items: int | None = None,
            layers: Iterable[int] | None = None,
            num_buffers: int | None = None,
            repetition_index_depth: int | None = None,
            num_items: int | None = None,
            has_large_chunk: bool | None = None,
        ) -> None: ...


class FullZipLayout(Message, file=FILE, name="lance.encodings21.FullZipLayout"):
    """Entries one after the other: a control word of the levels, a length, bytes.

    no  field              stored as
     1  bits_rep           uint32
     2  bits_def           uint32
     3  bits_per_value     uint32, one of details
     4  bits_per_offset    uint32, one of details
     5  num_items          uint32
     6  num_visible_items  uint32
     7  value_compression  CompressiveEncoding
     8  layers             repeated RepDefLayer
    """

    bits_rep: int
    """Bits of a repetition level in a control word."""

    bits_def: int
    """Bits of a definition level."""

    bits_per_value: int
    """Bits of a value, if all are as long."""

    bits_per_offset: int
    """Bits of the length before a value."""

    num_items: int
    """Entries, those of null and empty lists counted."""

    num_visible_items: int
    """Values."""

    value_compression: CompressiveEncoding
    """How each value is compressed."""

    layers: MutableSequence[int]
    """From the leaf outwards."""

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
            value_compression: CompressiveEncoding | None = None,
            layers: Iterable[int] | None = None,
        ) -> None: ...


class ConstantLayout(Message, file=FILE, name="lance.encodings21.ConstantLayout"):
    """One value for all rows; in 2.1, where this is AllNullLayout, null.

    no  field            stored as
     5  layers           repeated RepDefLayer
     6  inline_value     bytes
     7  rep_compression  CompressiveEncoding
     8  def_compression  CompressiveEncoding
     9  num_rep_values   uint64
    10  num_def_values   uint64
    """

    layers: MutableSequence[int]
    """From the leaf outwards."""

    inline_value: bytes
    """The value, of at most 32 bytes; absent for null, and for one that has a buffer."""

    rep_compression: CompressiveEncoding
    """How repetition levels are compressed; absent if they are plain."""

    def_compression: CompressiveEncoding
    """How definition levels are."""

    num_rep_values: int

    num_def_values: int

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            layers: Iterable[int] | None = None,
            inline_value: bytes | None = None,
            rep_compression: CompressiveEncoding | None = None,
            def_compression: CompressiveEncoding | None = None,
            num_rep_values: int | None = None,
            num_def_values: int | None = None,
        ) -> None: ...


class BlobLayout(Message, file=FILE, name="lance.encodings21.BlobLayout"):
    """Values outside of pages.

    no  field         stored as
     1  inner_layout  PageLayout
     2  layers        repeated RepDefLayer
    """

    inner_layout: PageLayout
    """How their positions and sizes are laid out."""

    layers: MutableSequence[int]
    """From the leaf outwards."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            inner_layout: PageLayout | None = None,
            layers: Iterable[int] | None = None,
        ) -> None: ...


class BufferCompression(Message, file=FILE, name="lance.encodings21.BufferCompression"):
    """How a buffer is compressed.

    no  field   stored as
     1  scheme  CompressionScheme
     2  level   int32
    """

    scheme: int

    level: int
    """The level that the writer chose."""

    if TYPE_CHECKING:

        def __init__(
            self, *, scheme: int | None = None, level: int | None = None
        ) -> None: ...


class CompressiveEncoding(
    Message, file=FILE, name="lance.encodings21.CompressiveEncoding"
):
    """How bytes become values.

    no  field                   stored as
     1  flat                    Flat, one of compression
     2  variable                Variable, one of compression
     3  constant                Constant, one of compression
     4  out_of_line_bitpacking  OutOfLineBitpacking, one of compression
     5  inline_bitpacking       InlineBitpacking, one of compression
     6  fsst                    Fsst, one of compression
     7  dictionary              Dictionary, one of compression
     8  rle                     Rle, one of compression
     9  byte_stream_split       ByteStreamSplit, one of compression
    10  general                 General, one of compression
    11  fixed_size_list         FixedSizeList, one of compression
    12  packed_struct           PackedStruct, one of compression
    13  variable_packed_struct  VariablePackedStruct, one of compression
    14  range                   Range, one of compression
    15  delta                   Delta, one of compression
    """

    flat: Flat

    variable: Variable

    constant: Constant

    out_of_line_bitpacking: OutOfLineBitpacking

    inline_bitpacking: InlineBitpacking

    fsst: Fsst

    dictionary: Dictionary

    rle: Rle

    byte_stream_split: ByteStreamSplit

    general: General

    fixed_size_list: FixedSizeList

    packed_struct: PackedStruct

    variable_packed_struct: VariablePackedStruct

    range: Range

    delta: Delta

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            flat: Flat | None = None,
            variable: Variable | None = None,
            constant: Constant | None = None,
            out_of_line_bitpacking: OutOfLineBitpacking | None = None,
            inline_bitpacking: InlineBitpacking | None = None,
            fsst: Fsst | None = None,
            dictionary: Dictionary | None = None,
            rle: Rle | None = None,
            byte_stream_split: ByteStreamSplit | None = None,
            general: General | None = None,
            fixed_size_list: FixedSizeList | None = None,
            packed_struct: PackedStruct | None = None,
            variable_packed_struct: VariablePackedStruct | None = None,
            range: Range | None = None,
            delta: Delta | None = None,
        ) -> None: ...


class Flat(Message, file=FILE, name="lance.encodings21.Flat"):
    """Values of fixed width, one after the other, in one buffer.

    no  field           stored as
     1  bits_per_value  uint64
     2  data            BufferCompression
    """

    bits_per_value: int
    """1, or a multiple of 8. Numbers are little-endian; of single bits the lowest of a
    byte comes first.
    """

    data: BufferCompression
    """How the buffer is compressed; absent if it is not."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            bits_per_value: int | None = None,
            data: BufferCompression | None = None,
        ) -> None: ...


class Variable(Message, file=FILE, name="lance.encodings21.Variable"):
    """Values of any length. In a chunk the buffer has offsets, one more than values,
    then the bytes; offsets count from the start of the buffer.

        no  field    stored as
         1  offsets  CompressiveEncoding
         2  values   BufferCompression
    """

    offsets: CompressiveEncoding
    """How offsets are stored: Flat, of 32 or 64 bits."""

    values: BufferCompression

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            offsets: CompressiveEncoding | None = None,
            values: BufferCompression | None = None,
        ) -> None: ...


class Constant(Message, file=FILE, name="lance.encodings21.Constant"):
    """One value for all.

    no  field  stored as
     1  value  bytes
    """

    value: bytes

    if TYPE_CHECKING:

        def __init__(self, *, value: bytes | None = None) -> None: ...


class OutOfLineBitpacking(
    Message, file=FILE, name="lance.encodings21.OutOfLineBitpacking"
):
    """Integers of a number of bits, in chunks of 1,024 as in bit_packing.yaml. What is
    left over is a chunk that is filled up, or not packed; the size of the buffer
    shows which.

        no  field                        stored as
         1  uncompressed_bits_per_value  uint64
         3  values                       CompressiveEncoding
    """

    uncompressed_bits_per_value: int
    """Bits of a value."""

    values: CompressiveEncoding
    """Flat, as wide as a packed integer."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            uncompressed_bits_per_value: int | None = None,
            values: CompressiveEncoding | None = None,
        ) -> None: ...


class InlineBitpacking(Message, file=FILE, name="lance.encodings21.InlineBitpacking"):
    """Integers of a number of bits, at most 1,024 in a chunk. The buffer begins with
    that number, stored as wide as a value; after it are 1,024 integers as in
    bit_packing.yaml, 128 bytes for each bit. The values of a chunk that has fewer
    are the first of them.

        no  field                        stored as
         1  uncompressed_bits_per_value  uint64
         2  values                       BufferCompression
    """

    uncompressed_bits_per_value: int
    """Bits of a value: 8, 16, 32 or 64."""

    values: BufferCompression

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            uncompressed_bits_per_value: int | None = None,
            values: BufferCompression | None = None,
        ) -> None: ...


class Fsst(Message, file=FILE, name="lance.encodings21.Fsst"):
    """Text coded by a table of frequent pieces.

    no  field         stored as
     1  symbol_table  bytes
     2  values        CompressiveEncoding
    """

    symbol_table: bytes
    """The symbol table."""

    values: CompressiveEncoding
    """The coded bytes."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            symbol_table: bytes | None = None,
            values: CompressiveEncoding | None = None,
        ) -> None: ...


class Dictionary(Message, file=FILE, name="lance.encodings21.Dictionary"):
    """Indices into a list of items.

    no  field                 stored as
     1  indices               CompressiveEncoding
     2  items                 CompressiveEncoding
     3  num_dictionary_items  uint32
    """

    indices: CompressiveEncoding

    items: CompressiveEncoding

    num_dictionary_items: int

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            indices: CompressiveEncoding | None = None,
            items: CompressiveEncoding | None = None,
            num_dictionary_items: int | None = None,
        ) -> None: ...


class Rle(Message, file=FILE, name="lance.encodings21.Rle"):
    """Runs: a buffer of values, and one of their lengths, a byte each.

    no  field        stored as
     1  values       CompressiveEncoding
     2  run_lengths  CompressiveEncoding
    """

    values: CompressiveEncoding

    run_lengths: CompressiveEncoding

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            values: CompressiveEncoding | None = None,
            run_lengths: CompressiveEncoding | None = None,
        ) -> None: ...


class ByteStreamSplit(Message, file=FILE, name="lance.encodings21.ByteStreamSplit"):
    """The bytes of values by their significance, the lowest first.

    no  field   stored as
     1  values  CompressiveEncoding
    """

    values: CompressiveEncoding

    if TYPE_CHECKING:

        def __init__(self, *, values: CompressiveEncoding | None = None) -> None: ...


class General(Message, file=FILE, name="lance.encodings21.General"):
    """Bytes compressed by a general codec.

    no  field        stored as
     1  compression  BufferCompression
     3  values       CompressiveEncoding
    """

    compression: BufferCompression

    values: CompressiveEncoding

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            compression: BufferCompression | None = None,
            values: CompressiveEncoding | None = None,
        ) -> None: ...


class FixedSizeList(Message, file=FILE, name="lance.encodings21.FixedSizeList"):
    """Lists of the same number of items.

    no  field            stored as
     1  items_per_value  uint64
     2  values           CompressiveEncoding
     3  has_validity     bool
    """

    items_per_value: int
    """Items of each."""

    values: CompressiveEncoding

    has_validity: bool
    """Whether items may be null."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            items_per_value: int | None = None,
            values: CompressiveEncoding | None = None,
            has_validity: bool | None = None,
        ) -> None: ...


class PackedStruct(Message, file=FILE, name="lance.encodings21.PackedStruct"):
    """Structs, row after row.

    no  field           stored as
     1  bits_per_value  repeated uint64
     2  values          CompressiveEncoding
    """

    bits_per_value: MutableSequence[int]
    """The width of each field."""

    values: CompressiveEncoding
    """Flat, as wide as all of them."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            bits_per_value: Iterable[int] | None = None,
            values: CompressiveEncoding | None = None,
        ) -> None: ...


class VariablePackedStruct(
    Message, file=FILE, name="lance.encodings21.VariablePackedStruct"
):
    """Structs with fields of variable length, row after row.

    no  field   stored as
     1  fields  repeated VariablePackedStruct.FieldEncoding
    """

    class FieldEncoding(
        Message, file=FILE, name="lance.encodings21.VariablePackedStruct.FieldEncoding"
    ):
        """A field of the struct.

        no  field            stored as
         1  value            CompressiveEncoding
         2  bits_per_value   uint64, one of layout
         3  bits_per_length  uint64, one of layout
        """

        value: CompressiveEncoding
        """How its values are compressed."""

        bits_per_value: int
        """Bits of a value."""

        bits_per_length: int
        """Bits of the length before a value."""

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                value: CompressiveEncoding | None = None,
                bits_per_value: int | None = None,
                bits_per_length: int | None = None,
            ) -> None: ...

    fields: MutableSequence[VariablePackedStruct.FieldEncoding]

    if TYPE_CHECKING:

        def __init__(
            self, *, fields: Iterable[VariablePackedStruct.FieldEncoding] | None = None
        ) -> None: ...


class Range(Message, file=FILE, name="lance.encodings21.Range"):
    """Numbers that grow by the same step; only drafts of 2.3 have them.

    no  field           stored as
     1  bits_per_value  uint64
     2  start           bytes
     3  step            bytes
    """

    bits_per_value: int

    start: bytes

    step: bytes

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            bits_per_value: int | None = None,
            start: bytes | None = None,
            step: bytes | None = None,
        ) -> None: ...


class Delta(Message, file=FILE, name="lance.encodings21.Delta"):
    """Differences from the number before; only drafts of 2.3 have them.

    no  field           stored as
     1  bits_per_value  uint64
     2  base            bytes
     3  deltas          CompressiveEncoding
    """

    bits_per_value: int

    base: bytes

    deltas: CompressiveEncoding

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            bits_per_value: int | None = None,
            base: bytes | None = None,
            deltas: CompressiveEncoding | None = None,
        ) -> None: ...


FILE.descriptor = (
    b"\n\x17lance/encodings21.proto\x12\x11lance.encodings21\x22\x88\x02\n\nPageLayout"
    b"\x12?\n\x11mini_block_layout\x18\x01 \x01(\x0b2\x22.lance.encodings21.MiniBlockL"
    b"ayoutH\x00\x12<\n\x0fconstant_layout\x18\x02 \x01(\x0b2!.lance.encodings21.Const"
    b"antLayoutH\x00\x12;\n\x0ffull_zip_layout\x18\x03 \x01(\x0b2 .lance.encodings21.F"
    b"ullZipLayoutH\x00\x124\n\x0bblob_layout\x18\x04 \x01(\x0b2\x1d.lance.encodings21"
    b".BlobLayoutH\x00B\x08\n\x06layout\x22\xc1\x03\n\x0fMiniBlockLayout\x12?\n\x0frep"
    b"_compression\x18\x01 \x01(\x0b2&.lance.encodings21.CompressiveEncoding\x12?\n"
    b"\x0fdef_compression\x18\x02 \x01(\x0b2&.lance.encodings21.CompressiveEncoding"
    b"\x12A\n\x11value_compression\x18\x03 \x01(\x0b2&.lance.encodings21.CompressiveEn"
    b"coding\x12:\n\ndictionary\x18\x04 \x01(\x0b2&.lance.encodings21.CompressiveEncod"
    b"ing\x12\x1c\n\x14num_dictionary_items\x18\x05 \x01(\x04\x12.\n\x06layers\x18\x06"
    b" \x03(\x0e2\x1e.lance.encodings21.RepDefLayer\x12\x13\n\x0bnum_buffers\x18\x07 "
    b"\x01(\x04\x12\x1e\n\x16repetition_index_depth\x18\x08 \x01(\r\x12\x11\n\tnum_ite"
    b"ms\x18\t \x01(\x04\x12\x17\n\x0fhas_large_chunk\x18\n \x01(\x08\x22\x94\x02\n\rF"
    b"ullZipLayout\x12\x10\n\x08bits_rep\x18\x01 \x01(\r\x12\x10\n\x08bits_def\x18\x02"
    b" \x01(\r\x12\x18\n\x0ebits_per_value\x18\x03 \x01(\rH\x00\x12\x19\n\x0fbits_per_"
    b"offset\x18\x04 \x01(\rH\x00\x12\x11\n\tnum_items\x18\x05 \x01(\r\x12\x19\n\x11nu"
    b"m_visible_items\x18\x06 \x01(\r\x12A\n\x11value_compression\x18\x07 \x01(\x0b2&."
    b"lance.encodings21.CompressiveEncoding\x12.\n\x06layers\x18\x08 \x03(\x0e2\x1e.la"
    b"nce.encodings21.RepDefLayerB\t\n\x07details\x22\x88\x02\n\x0eConstantLayout\x12."
    b"\n\x06layers\x18\x05 \x03(\x0e2\x1e.lance.encodings21.RepDefLayer\x12\x14\n\x0ci"
    b"nline_value\x18\x06 \x01(\x0c\x12?\n\x0frep_compression\x18\x07 \x01(\x0b2&.lanc"
    b"e.encodings21.CompressiveEncoding\x12?\n\x0fdef_compression\x18\x08 \x01(\x0b2&."
    b"lance.encodings21.CompressiveEncoding\x12\x16\n\x0enum_rep_values\x18\t \x01("
    b"\x04\x12\x16\n\x0enum_def_values\x18\n \x01(\x04\x22q\n\nBlobLayout\x123\n\x0cin"
    b"ner_layout\x18\x01 \x01(\x0b2\x1d.lance.encodings21.PageLayout\x12.\n\x06layers"
    b"\x18\x02 \x03(\x0e2\x1e.lance.encodings21.RepDefLayer\x22X\n\x11BufferCompressio"
    b"n\x124\n\x06scheme\x18\x01 \x01(\x0e2$.lance.encodings21.CompressionScheme\x12\r"
    b"\n\x05level\x18\x02 \x01(\x05\x22\xc8\x06\n\x13CompressiveEncoding\x12'\n\x04fla"
    b"t\x18\x01 \x01(\x0b2\x17.lance.encodings21.FlatH\x00\x12/\n\x08variable\x18\x02 "
    b"\x01(\x0b2\x1b.lance.encodings21.VariableH\x00\x12/\n\x08constant\x18\x03 \x01("
    b"\x0b2\x1b.lance.encodings21.ConstantH\x00\x12H\n\x16out_of_line_bitpacking\x18"
    b"\x04 \x01(\x0b2&.lance.encodings21.OutOfLineBitpackingH\x00\x12@\n\x11inline_bit"
    b"packing\x18\x05 \x01(\x0b2#.lance.encodings21.InlineBitpackingH\x00\x12'\n\x04fs"
    b"st\x18\x06 \x01(\x0b2\x17.lance.encodings21.FsstH\x00\x123\n\ndictionary\x18\x07"
    b" \x01(\x0b2\x1d.lance.encodings21.DictionaryH\x00\x12%\n\x03rle\x18\x08 \x01("
    b"\x0b2\x16.lance.encodings21.RleH\x00\x12?\n\x11byte_stream_split\x18\t \x01(\x0b"
    b"2\x22.lance.encodings21.ByteStreamSplitH\x00\x12-\n\x07general\x18\n \x01(\x0b2"
    b"\x1a.lance.encodings21.GeneralH\x00\x12;\n\x0ffixed_size_list\x18\x0b \x01(\x0b2"
    b" .lance.encodings21.FixedSizeListH\x00\x128\n\rpacked_struct\x18\x0c \x01(\x0b2"
    b"\x1f.lance.encodings21.PackedStructH\x00\x12I\n\x16variable_packed_struct\x18\r "
    b"\x01(\x0b2'.lance.encodings21.VariablePackedStructH\x00\x12)\n\x05range\x18\x0e "
    b"\x01(\x0b2\x18.lance.encodings21.RangeH\x00\x12)\n\x05delta\x18\x0f \x01(\x0b2"
    b"\x18.lance.encodings21.DeltaH\x00B\r\n\x0bcompression\x22R\n\x04Flat\x12\x16\n"
    b"\x0ebits_per_value\x18\x01 \x01(\x04\x122\n\x04data\x18\x02 \x01(\x0b2$.lance.en"
    b"codings21.BufferCompression\x22y\n\x08Variable\x127\n\x07offsets\x18\x01 \x01("
    b"\x0b2&.lance.encodings21.CompressiveEncoding\x124\n\x06values\x18\x02 \x01(\x0b2"
    b"$.lance.encodings21.BufferCompression\x22\x19\n\x08Constant\x12\r\n\x05value\x18"
    b"\x01 \x01(\x0c\x22r\n\x13OutOfLineBitpacking\x12#\n\x1buncompressed_bits_per_val"
    b"ue\x18\x01 \x01(\x04\x126\n\x06values\x18\x03 \x01(\x0b2&.lance.encodings21.Comp"
    b"ressiveEncoding\x22m\n\x10InlineBitpacking\x12#\n\x1buncompressed_bits_per_value"
    b"\x18\x01 \x01(\x04\x124\n\x06values\x18\x02 \x01(\x0b2$.lance.encodings21.Buffer"
    b"Compression\x22T\n\x04Fsst\x12\x14\n\x0csymbol_table\x18\x01 \x01(\x0c\x126\n"
    b"\x06values\x18\x02 \x01(\x0b2&.lance.encodings21.CompressiveEncoding\x22\x9a\x01"
    b"\n\nDictionary\x127\n\x07indices\x18\x01 \x01(\x0b2&.lance.encodings21.Compressi"
    b"veEncoding\x125\n\x05items\x18\x02 \x01(\x0b2&.lance.encodings21.CompressiveEnco"
    b"ding\x12\x1c\n\x14num_dictionary_items\x18\x03 \x01(\r\x22z\n\x03Rle\x126\n\x06v"
    b"alues\x18\x01 \x01(\x0b2&.lance.encodings21.CompressiveEncoding\x12;\n\x0brun_le"
    b"ngths\x18\x02 \x01(\x0b2&.lance.encodings21.CompressiveEncoding\x22I\n\x0fByteSt"
    b"reamSplit\x126\n\x06values\x18\x01 \x01(\x0b2&.lance.encodings21.CompressiveEnco"
    b"ding\x22|\n\x07General\x129\n\x0bcompression\x18\x01 \x01(\x0b2$.lance.encodings"
    b"21.BufferCompression\x126\n\x06values\x18\x03 \x01(\x0b2&.lance.encodings21.Comp"
    b"ressiveEncoding\x22v\n\rFixedSizeList\x12\x17\n\x0fitems_per_value\x18\x01 \x01("
    b"\x04\x126\n\x06values\x18\x02 \x01(\x0b2&.lance.encodings21.CompressiveEncoding"
    b"\x12\x14\n\x0chas_validity\x18\x03 \x01(\x08\x22^\n\x0cPackedStruct\x12\x16\n"
    b"\x0ebits_per_value\x18\x01 \x03(\x04\x126\n\x06values\x18\x02 \x01(\x0b2&.lance."
    b"encodings21.CompressiveEncoding\x22\xe5\x01\n\x14VariablePackedStruct\x12E\n\x06"
    b"fields\x18\x01 \x03(\x0b25.lance.encodings21.VariablePackedStruct.FieldEncoding"
    b"\x1a\x85\x01\n\rFieldEncoding\x125\n\x05value\x18\x01 \x01(\x0b2&.lance.encoding"
    b"s21.CompressiveEncoding\x12\x18\n\x0ebits_per_value\x18\x02 \x01(\x04H\x00\x12"
    b"\x19\n\x0fbits_per_length\x18\x03 \x01(\x04H\x00B\x08\n\x06layout\x22<\n\x05Rang"
    b"e\x12\x16\n\x0ebits_per_value\x18\x01 \x01(\x04\x12\r\n\x05start\x18\x02 \x01("
    b"\x0c\x12\x0c\n\x04step\x18\x03 \x01(\x0c\x22e\n\x05Delta\x12\x16\n\x0ebits_per_v"
    b"alue\x18\x01 \x01(\x04\x12\x0c\n\x04base\x18\x02 \x01(\x0c\x126\n\x06deltas\x18"
    b"\x03 \x01(\x0b2&.lance.encodings21.CompressiveEncoding*\xca\x01\n\x0bRepDefLayer"
    b"\x12\x16\n\x12REPDEF_UNSPECIFIED\x10\x00\x12\x19\n\x15REPDEF_ALL_VALID_ITEM\x10"
    b"\x01\x12\x19\n\x15REPDEF_ALL_VALID_LIST\x10\x02\x12\x18\n\x14REPDEF_NULLABLE_ITE"
    b"M\x10\x03\x12\x18\n\x14REPDEF_NULLABLE_LIST\x10\x04\x12\x19\n\x15REPDEF_EMPTYABL"
    b"E_LIST\x10\x05\x12\x1e\n\x1aREPDEF_NULL_AND_EMPTY_LIST\x10\x06*y\n\x11Compressio"
    b"nScheme\x12%\n!COMPRESSION_ALGORITHM_UNSPECIFIED\x10\x00\x12\x1d\n\x19COMPRESSIO"
    b"N_ALGORITHM_LZ4\x10\x01\x12\x1e\n\x1aCOMPRESSION_ALGORITHM_ZSTD\x10\x02b\x08edit"
    b"ionsp\xe8\x07"
)
