# Written by byteloom-codegen from specs/lance/encodings20.proto; do not edit.
# To change it, edit that file and generate again.
"""How pages and columns of Lance files of version 2.0 are encoded: a tree of array
encodings.

A buffer is named by its index among those of its page. Numbers 14 to 21 are
those of unreleased and early files of 2.1.

How a message is stored, byte by byte, is in hfile/protobuf.ksy.

Source:
https://github.com/lance-format/lance/blob/main/protos/encodings_v2_0.proto
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Final

from byteloom.documents.messages import File, Message

if TYPE_CHECKING:
    from collections.abc import Iterable, MutableSequence

__all__ = [
    "FILE",
    "ArrayEncoding",
    "Binary",
    "Bitpacked",
    "BitpackedForNonNeg",
    "Blob",
    "Block",
    "Buffer",
    "ByteStreamSplit",
    "ColumnEncoding",
    "Compression",
    "Constant",
    "Dictionary",
    "FixedSizeBinary",
    "FixedSizeList",
    "Flat",
    "Fsst",
    "GeneralMiniBlock",
    "InlineBitpacking",
    "List",
    "Nullable",
    "OutOfLineBitpacking",
    "PackedStruct",
    "PackedStructFixedWidthMiniBlock",
    "Rle",
    "SimpleStruct",
    "Values",
    "Variable",
    "ZoneIndex",
]

FILE: Final = File("lance/encodings20.proto", __name__)
"""What these classes are declared in; the end of this module has its descriptor."""


class Buffer(Message, file=FILE, name="lance.encodings.Buffer"):
    """A buffer of a page, column or file.

    no  field         stored as
     1  buffer_index  uint32
     2  buffer_type   Buffer.BufferType
    """

    class BufferType(IntEnum):
        """What the buffer belongs to."""

        PAGE = 0
        """The page."""

        COLUMN = 1
        """The column."""

        FILE = 2
        """The file."""

    buffer_index: int
    """The index of the buffer among these, from 0."""

    buffer_type: int

    if TYPE_CHECKING:

        def __init__(
            self, *, buffer_index: int | None = None, buffer_type: int | None = None
        ) -> None: ...


class Compression(Message, file=FILE, name="lance.encodings.Compression"):
    """How the bytes of a buffer are compressed.

    no  field   stored as
     1  scheme  string
     2  level   int32
    """

    scheme: str
    """`zstd`, `lz4`, `fsst` or `none`."""

    level: int
    """The level that the writer chose."""

    if TYPE_CHECKING:

        def __init__(
            self, *, scheme: str | None = None, level: int | None = None
        ) -> None: ...


class ArrayEncoding(Message, file=FILE, name="lance.encodings.ArrayEncoding"):
    """How an array is encoded.

    no  field                                 stored as
     1  flat                                  Flat, one of array_encoding
     2  nullable                              Nullable, one of array_encoding
     3  fixed_size_list                       FixedSizeList, one of array_encoding
     4  list                                  List, one of array_encoding
     5  struct                                SimpleStruct, one of array_encoding
     6  binary                                Binary, one of array_encoding
     7  dictionary                            Dictionary, one of array_encoding
     8  fsst                                  Fsst, one of array_encoding
     9  packed_struct                         PackedStruct, one of array_encoding
    10  bitpacked                             Bitpacked, one of array_encoding
    11  fixed_size_binary                     FixedSizeBinary, one of array_encoding
    12  bitpacked_for_non_neg                 BitpackedForNonNeg, one of array_encoding
    13  constant                              Constant, one of array_encoding
    14  inline_bitpacking                     InlineBitpacking, one of array_encoding
    15  out_of_line_bitpacking                OutOfLineBitpacking, one of array_encoding
    16  variable                              Variable, one of array_encoding
    17  packed_struct_fixed_width_mini_block  PackedStructFixedWidthMiniBlock, one of array_encoding
    18  block                                 Block, one of array_encoding
    19  rle                                   Rle, one of array_encoding
    20  general_mini_block                    GeneralMiniBlock, one of array_encoding
    21  byte_stream_split                     ByteStreamSplit, one of array_encoding
    """

    flat: Flat

    nullable: Nullable

    fixed_size_list: FixedSizeList

    list: List

    struct: SimpleStruct

    binary: Binary

    dictionary: Dictionary

    fsst: Fsst

    packed_struct: PackedStruct

    bitpacked: Bitpacked

    fixed_size_binary: FixedSizeBinary

    bitpacked_for_non_neg: BitpackedForNonNeg

    constant: Constant

    inline_bitpacking: InlineBitpacking

    out_of_line_bitpacking: OutOfLineBitpacking

    variable: Variable

    packed_struct_fixed_width_mini_block: PackedStructFixedWidthMiniBlock

    block: Block

    rle: Rle

    general_mini_block: GeneralMiniBlock

    byte_stream_split: ByteStreamSplit

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            flat: Flat | None = None,
            nullable: Nullable | None = None,
            fixed_size_list: FixedSizeList | None = None,
            list: List | None = None,
            struct: SimpleStruct | None = None,
            binary: Binary | None = None,
            dictionary: Dictionary | None = None,
            fsst: Fsst | None = None,
            packed_struct: PackedStruct | None = None,
            bitpacked: Bitpacked | None = None,
            fixed_size_binary: FixedSizeBinary | None = None,
            bitpacked_for_non_neg: BitpackedForNonNeg | None = None,
            constant: Constant | None = None,
            inline_bitpacking: InlineBitpacking | None = None,
            out_of_line_bitpacking: OutOfLineBitpacking | None = None,
            variable: Variable | None = None,
            packed_struct_fixed_width_mini_block: PackedStructFixedWidthMiniBlock
            | None = None,
            block: Block | None = None,
            rle: Rle | None = None,
            general_mini_block: GeneralMiniBlock | None = None,
            byte_stream_split: ByteStreamSplit | None = None,
        ) -> None: ...


class Flat(Message, file=FILE, name="lance.encodings.Flat"):
    """Values of fixed width, one after the other.

    no  field           stored as
     1  bits_per_value  uint64
     2  buffer          Buffer
     3  compression     Compression
    """

    bits_per_value: int
    """Bits of a value: 1, or a multiple of 8."""

    buffer: Buffer
    """The buffer with the values."""

    compression: Compression
    """How the buffer is compressed; absent if it is not."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            bits_per_value: int | None = None,
            buffer: Buffer | None = None,
            compression: Compression | None = None,
        ) -> None: ...


class Nullable(Message, file=FILE, name="lance.encodings.Nullable"):
    """Values of which some may be null.

    no  field       stored as
     1  no_nulls    Nullable.NoNull, one of nullability
     2  some_nulls  Nullable.SomeNull, one of nullability
     3  all_nulls   Nullable.AllNull, one of nullability
    """

    class NoNull(Message, file=FILE, name="lance.encodings.Nullable.NoNull"):
        """No value is null.

        no  field   stored as
         1  values  ArrayEncoding
        """

        values: ArrayEncoding

        if TYPE_CHECKING:

            def __init__(self, *, values: ArrayEncoding | None = None) -> None: ...

    class SomeNull(Message, file=FILE, name="lance.encodings.Nullable.SomeNull"):
        """A bit for each says whether it is there; values are dense.

        no  field     stored as
         1  validity  ArrayEncoding
         2  values    ArrayEncoding
        """

        validity: ArrayEncoding
        """Flat, one bit each, 1 for a value that is there."""

        values: ArrayEncoding

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                validity: ArrayEncoding | None = None,
                values: ArrayEncoding | None = None,
            ) -> None: ...

    class AllNull(Message, file=FILE, name="lance.encodings.Nullable.AllNull"):
        """All are null."""

        if TYPE_CHECKING:

            def __init__(self) -> None: ...

    no_nulls: Nullable.NoNull

    some_nulls: Nullable.SomeNull

    all_nulls: Nullable.AllNull

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            no_nulls: Nullable.NoNull | None = None,
            some_nulls: Nullable.SomeNull | None = None,
            all_nulls: Nullable.AllNull | None = None,
        ) -> None: ...


class FixedSizeList(Message, file=FILE, name="lance.encodings.FixedSizeList"):
    """Lists of the same number of items.

    no  field         stored as
     1  dimension     uint32
     2  items         ArrayEncoding
     3  has_validity  bool
    """

    dimension: int
    """Items of each."""

    items: ArrayEncoding
    """All items, one list after the other."""

    has_validity: bool
    """Whether the lists have a validity of their own."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            dimension: int | None = None,
            items: ArrayEncoding | None = None,
            has_validity: bool | None = None,
        ) -> None: ...


class List(Message, file=FILE, name="lance.encodings.List"):
    """Lists; their items are in the next column.

    no  field                   stored as
     1  offsets                 ArrayEncoding
     2  null_offset_adjustment  uint64
     3  num_items               uint64
    """

    offsets: ArrayEncoding
    """The end of each list, plus `null_offset_adjustment` if the list is null."""

    null_offset_adjustment: int
    """One more than the number of items."""

    num_items: int
    """Items of all lists of the page."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            offsets: ArrayEncoding | None = None,
            null_offset_adjustment: int | None = None,
            num_items: int | None = None,
        ) -> None: ...


class SimpleStruct(Message, file=FILE, name="lance.encodings.SimpleStruct"):
    """A struct, whose fields are the next columns. It has no validity."""

    if TYPE_CHECKING:

        def __init__(self) -> None: ...


class Binary(Message, file=FILE, name="lance.encodings.Binary"):
    """Bytes or text.

    no  field            stored as
     1  indices          ArrayEncoding
     2  bytes            ArrayEncoding
     3  null_adjustment  uint64
    """

    indices: ArrayEncoding
    """The end of each value, plus `null_adjustment` if the value is null."""

    bytes: ArrayEncoding
    """The bytes of all values."""

    null_adjustment: int
    """One more than the number of bytes."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            indices: ArrayEncoding | None = None,
            bytes: ArrayEncoding | None = None,
            null_adjustment: int | None = None,
        ) -> None: ...


class Dictionary(Message, file=FILE, name="lance.encodings.Dictionary"):
    """Indices into a list of items.

    no  field                 stored as
     1  indices               ArrayEncoding
     2  items                 ArrayEncoding
     3  num_dictionary_items  uint32
    """

    indices: ArrayEncoding
    """For text, indices from 1, and 0 for null; for Arrow dictionaries, indices from
    0.
    """

    items: ArrayEncoding

    num_dictionary_items: int

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            indices: ArrayEncoding | None = None,
            items: ArrayEncoding | None = None,
            num_dictionary_items: int | None = None,
        ) -> None: ...


class Fsst(Message, file=FILE, name="lance.encodings.Fsst"):
    """Text coded by a table of frequent pieces.

    no  field         stored as
     1  binary        ArrayEncoding
     2  symbol_table  bytes
    """

    binary: ArrayEncoding
    """The coded bytes."""

    symbol_table: bytes
    """The table."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            binary: ArrayEncoding | None = None,
            symbol_table: bytes | None = None,
        ) -> None: ...


class PackedStruct(Message, file=FILE, name="lance.encodings.PackedStruct"):
    """Structs in one buffer, row after row.

    no  field   stored as
     1  inner   repeated ArrayEncoding
     2  buffer  Buffer
    """

    inner: MutableSequence[ArrayEncoding]
    """The encoding of each field; only its width is used."""

    buffer: Buffer

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            inner: Iterable[ArrayEncoding] | None = None,
            buffer: Buffer | None = None,
        ) -> None: ...


class Bitpacked(Message, file=FILE, name="lance.encodings.Bitpacked"):
    """Integers of some bits each, one after the other, the lowest bit first.

    no  field                        stored as
     1  compressed_bits_per_value    uint64
     2  uncompressed_bits_per_value  uint64
     3  buffer                       Buffer
     4  signed                       bool
    """

    compressed_bits_per_value: int
    """Bits of a stored integer."""

    uncompressed_bits_per_value: int
    """Bits of a value."""

    buffer: Buffer

    signed: bool
    """Whether the highest stored bit is the sign."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            compressed_bits_per_value: int | None = None,
            uncompressed_bits_per_value: int | None = None,
            buffer: Buffer | None = None,
            signed: bool | None = None,
        ) -> None: ...


class BitpackedForNonNeg(Message, file=FILE, name="lance.encodings.BitpackedForNonNeg"):
    """Integers that are not negative, in FastLanes chunks of 1,024.

    no  field                        stored as
     1  compressed_bits_per_value    uint64
     2  uncompressed_bits_per_value  uint64
     3  buffer                       Buffer
    """

    compressed_bits_per_value: int

    uncompressed_bits_per_value: int

    buffer: Buffer

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            compressed_bits_per_value: int | None = None,
            uncompressed_bits_per_value: int | None = None,
            buffer: Buffer | None = None,
        ) -> None: ...


class FixedSizeBinary(Message, file=FILE, name="lance.encodings.FixedSizeBinary"):
    """Bytes or text, all values as long as each other.

    no  field       stored as
     1  bytes       ArrayEncoding
     2  byte_width  uint32
    """

    bytes: ArrayEncoding

    byte_width: int
    """Bytes of a value."""

    if TYPE_CHECKING:

        def __init__(
            self, *, bytes: ArrayEncoding | None = None, byte_width: int | None = None
        ) -> None: ...


class Constant(Message, file=FILE, name="lance.encodings.Constant"):
    """One value for all.

    no  field  stored as
     1  value  bytes
    """

    value: bytes

    if TYPE_CHECKING:

        def __init__(self, *, value: bytes | None = None) -> None: ...


class InlineBitpacking(Message, file=FILE, name="lance.encodings.InlineBitpacking"):
    """Chunks of integers, each with the number of bits before it.

    no  field                        stored as
     2  uncompressed_bits_per_value  uint64
    """

    uncompressed_bits_per_value: int

    if TYPE_CHECKING:

        def __init__(
            self, *, uncompressed_bits_per_value: int | None = None
        ) -> None: ...


class OutOfLineBitpacking(
    Message, file=FILE, name="lance.encodings.OutOfLineBitpacking"
):
    """Chunks of integers of a number of bits.

    no  field                        stored as
     2  uncompressed_bits_per_value  uint64
     3  compressed_bits_per_value    uint64
    """

    uncompressed_bits_per_value: int

    compressed_bits_per_value: int

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            uncompressed_bits_per_value: int | None = None,
            compressed_bits_per_value: int | None = None,
        ) -> None: ...


class Variable(Message, file=FILE, name="lance.encodings.Variable"):
    """Values of any length, after their offsets.

    no  field            stored as
     1  bits_per_offset  uint32
    """

    bits_per_offset: int

    if TYPE_CHECKING:

        def __init__(self, *, bits_per_offset: int | None = None) -> None: ...


class PackedStructFixedWidthMiniBlock(
    Message, file=FILE, name="lance.encodings.PackedStructFixedWidthMiniBlock"
):
    """Structs in chunks.

    no  field            stored as
     1  flat             ArrayEncoding
     2  bits_per_values  repeated uint32
    """

    flat: ArrayEncoding

    bits_per_values: MutableSequence[int]
    """The width of each field."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            flat: ArrayEncoding | None = None,
            bits_per_values: Iterable[int] | None = None,
        ) -> None: ...


class Block(Message, file=FILE, name="lance.encodings.Block"):
    """A block of bytes, compressed as a whole.

    no  field   stored as
     1  scheme  string
    """

    scheme: str

    if TYPE_CHECKING:

        def __init__(self, *, scheme: str | None = None) -> None: ...


class Rle(Message, file=FILE, name="lance.encodings.Rle"):
    """Runs.

    no  field           stored as
     1  bits_per_value  uint64
    """

    bits_per_value: int

    if TYPE_CHECKING:

        def __init__(self, *, bits_per_value: int | None = None) -> None: ...


class GeneralMiniBlock(Message, file=FILE, name="lance.encodings.GeneralMiniBlock"):
    """Chunks compressed on their own.

    no  field        stored as
     1  inner        ArrayEncoding
     2  compression  Compression
    """

    inner: ArrayEncoding

    compression: Compression

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            inner: ArrayEncoding | None = None,
            compression: Compression | None = None,
        ) -> None: ...


class ByteStreamSplit(Message, file=FILE, name="lance.encodings.ByteStreamSplit"):
    """The bytes of values by their significance.

    no  field           stored as
     1  bits_per_value  uint64
    """

    bits_per_value: int

    if TYPE_CHECKING:

        def __init__(self, *, bits_per_value: int | None = None) -> None: ...


class ColumnEncoding(Message, file=FILE, name="lance.encodings.ColumnEncoding"):
    """How a column as a whole is encoded.

    no  field       stored as
     1  values      Values, one of column_encoding
     2  zone_index  ZoneIndex, one of column_encoding
     3  blob        Blob, one of column_encoding
    """

    values: Values
    """Its pages hold its values."""

    zone_index: ZoneIndex
    """Its pages hold values, and a buffer of the column statistics; no writer uses
    this.
    """

    blob: Blob
    """Its pages hold where values are in the file."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            values: Values | None = None,
            zone_index: ZoneIndex | None = None,
            blob: Blob | None = None,
        ) -> None: ...


class Values(Message, file=FILE, name="lance.encodings.Values"):
    """It has no parameters."""

    if TYPE_CHECKING:

        def __init__(self) -> None: ...


class ZoneIndex(Message, file=FILE, name="lance.encodings.ZoneIndex"):
    """Statistics of every so many rows.

    no  field            stored as
     1  rows_per_zone    uint32
     2  zone_map_buffer  Buffer
     3  inner            ColumnEncoding
    """

    rows_per_zone: int

    zone_map_buffer: Buffer

    inner: ColumnEncoding

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            rows_per_zone: int | None = None,
            zone_map_buffer: Buffer | None = None,
            inner: ColumnEncoding | None = None,
        ) -> None: ...


class Blob(Message, file=FILE, name="lance.encodings.Blob"):
    """Values that are outside of pages.

    no  field  stored as
     1  inner  ColumnEncoding
    """

    inner: ColumnEncoding
    """How their positions and sizes are stored."""

    if TYPE_CHECKING:

        def __init__(self, *, inner: ColumnEncoding | None = None) -> None: ...


FILE.descriptor = (
    b"\n\x17lance/encodings20.proto\x12\x0flance.encodings\x22\x85\x01\n\x06Buffer\x12"
    b"\x14\n\x0cbuffer_index\x18\x01 \x01(\r\x127\n\x0bbuffer_type\x18\x02 \x01(\x0e2"
    b"\x22.lance.encodings.Buffer.BufferType\x22,\n\nBufferType\x12\x08\n\x04PAGE\x10"
    b"\x00\x12\n\n\x06COLUMN\x10\x01\x12\x08\n\x04FILE\x10\x02\x22,\n\x0bCompression"
    b"\x12\x0e\n\x06scheme\x18\x01 \x01(\t\x12\r\n\x05level\x18\x02 \x01(\x05\x22\x93"
    b"\t\n\rArrayEncoding\x12%\n\x04flat\x18\x01 \x01(\x0b2\x15.lance.encodings.FlatH"
    b"\x00\x12-\n\x08nullable\x18\x02 \x01(\x0b2\x19.lance.encodings.NullableH\x00\x12"
    b"9\n\x0ffixed_size_list\x18\x03 \x01(\x0b2\x1e.lance.encodings.FixedSizeListH\x00"
    b"\x12%\n\x04list\x18\x04 \x01(\x0b2\x15.lance.encodings.ListH\x00\x12/\n\x06struc"
    b"t\x18\x05 \x01(\x0b2\x1d.lance.encodings.SimpleStructH\x00\x12)\n\x06binary\x18"
    b"\x06 \x01(\x0b2\x17.lance.encodings.BinaryH\x00\x121\n\ndictionary\x18\x07 \x01("
    b"\x0b2\x1b.lance.encodings.DictionaryH\x00\x12%\n\x04fsst\x18\x08 \x01(\x0b2\x15."
    b"lance.encodings.FsstH\x00\x126\n\rpacked_struct\x18\t \x01(\x0b2\x1d.lance.encod"
    b"ings.PackedStructH\x00\x12/\n\tbitpacked\x18\n \x01(\x0b2\x1a.lance.encodings.Bi"
    b"tpackedH\x00\x12=\n\x11fixed_size_binary\x18\x0b \x01(\x0b2 .lance.encodings.Fix"
    b"edSizeBinaryH\x00\x12D\n\x15bitpacked_for_non_neg\x18\x0c \x01(\x0b2#.lance.enco"
    b"dings.BitpackedForNonNegH\x00\x12-\n\x08constant\x18\r \x01(\x0b2\x19.lance.enco"
    b"dings.ConstantH\x00\x12>\n\x11inline_bitpacking\x18\x0e \x01(\x0b2!.lance.encodi"
    b"ngs.InlineBitpackingH\x00\x12F\n\x16out_of_line_bitpacking\x18\x0f \x01(\x0b2$.l"
    b"ance.encodings.OutOfLineBitpackingH\x00\x12-\n\x08variable\x18\x10 \x01(\x0b2"
    b"\x19.lance.encodings.VariableH\x00\x12`\n$packed_struct_fixed_width_mini_block"
    b"\x18\x11 \x01(\x0b20.lance.encodings.PackedStructFixedWidthMiniBlockH\x00\x12'\n"
    b"\x05block\x18\x12 \x01(\x0b2\x16.lance.encodings.BlockH\x00\x12#\n\x03rle\x18"
    b"\x13 \x01(\x0b2\x14.lance.encodings.RleH\x00\x12?\n\x12general_mini_block\x18"
    b"\x14 \x01(\x0b2!.lance.encodings.GeneralMiniBlockH\x00\x12=\n\x11byte_stream_spl"
    b"it\x18\x15 \x01(\x0b2 .lance.encodings.ByteStreamSplitH\x00B\x10\n\x0earray_enco"
    b"ding\x22z\n\x04Flat\x12\x16\n\x0ebits_per_value\x18\x01 \x01(\x04\x12'\n\x06buff"
    b"er\x18\x02 \x01(\x0b2\x17.lance.encodings.Buffer\x121\n\x0bcompression\x18\x03 "
    b"\x01(\x0b2\x1c.lance.encodings.Compression\x22\xf4\x02\n\x08Nullable\x124\n\x08n"
    b"o_nulls\x18\x01 \x01(\x0b2 .lance.encodings.Nullable.NoNullH\x00\x128\n\nsome_nu"
    b"lls\x18\x02 \x01(\x0b2\x22.lance.encodings.Nullable.SomeNullH\x00\x126\n\tall_nu"
    b"lls\x18\x03 \x01(\x0b2!.lance.encodings.Nullable.AllNullH\x00\x1a8\n\x06NoNull"
    b"\x12.\n\x06values\x18\x01 \x01(\x0b2\x1e.lance.encodings.ArrayEncoding\x1al\n"
    b"\x08SomeNull\x120\n\x08validity\x18\x01 \x01(\x0b2\x1e.lance.encodings.ArrayEnco"
    b"ding\x12.\n\x06values\x18\x02 \x01(\x0b2\x1e.lance.encodings.ArrayEncoding\x1a\t"
    b"\n\x07AllNullB\r\n\x0bnullability\x22g\n\rFixedSizeList\x12\x11\n\tdimension\x18"
    b"\x01 \x01(\r\x12-\n\x05items\x18\x02 \x01(\x0b2\x1e.lance.encodings.ArrayEncodin"
    b"g\x12\x14\n\x0chas_validity\x18\x03 \x01(\x08\x22j\n\x04List\x12/\n\x07offsets"
    b"\x18\x01 \x01(\x0b2\x1e.lance.encodings.ArrayEncoding\x12\x1e\n\x16null_offset_a"
    b"djustment\x18\x02 \x01(\x04\x12\x11\n\tnum_items\x18\x03 \x01(\x04\x22\x0e\n\x0c"
    b"SimpleStruct\x22\x81\x01\n\x06Binary\x12/\n\x07indices\x18\x01 \x01(\x0b2\x1e.la"
    b"nce.encodings.ArrayEncoding\x12-\n\x05bytes\x18\x02 \x01(\x0b2\x1e.lance.encodin"
    b"gs.ArrayEncoding\x12\x17\n\x0fnull_adjustment\x18\x03 \x01(\x04\x22\x8a\x01\n\nD"
    b"ictionary\x12/\n\x07indices\x18\x01 \x01(\x0b2\x1e.lance.encodings.ArrayEncoding"
    b"\x12-\n\x05items\x18\x02 \x01(\x0b2\x1e.lance.encodings.ArrayEncoding\x12\x1c\n"
    b"\x14num_dictionary_items\x18\x03 \x01(\r\x22L\n\x04Fsst\x12.\n\x06binary\x18\x01"
    b" \x01(\x0b2\x1e.lance.encodings.ArrayEncoding\x12\x14\n\x0csymbol_table\x18\x02 "
    b"\x01(\x0c\x22f\n\x0cPackedStruct\x12-\n\x05inner\x18\x01 \x03(\x0b2\x1e.lance.en"
    b"codings.ArrayEncoding\x12'\n\x06buffer\x18\x02 \x01(\x0b2\x17.lance.encodings.Bu"
    b"ffer\x22\x8c\x01\n\tBitpacked\x12!\n\x19compressed_bits_per_value\x18\x01 \x01("
    b"\x04\x12#\n\x1buncompressed_bits_per_value\x18\x02 \x01(\x04\x12'\n\x06buffer"
    b"\x18\x03 \x01(\x0b2\x17.lance.encodings.Buffer\x12\x0e\n\x06signed\x18\x04 \x01("
    b"\x08\x22\x85\x01\n\x12BitpackedForNonNeg\x12!\n\x19compressed_bits_per_value\x18"
    b"\x01 \x01(\x04\x12#\n\x1buncompressed_bits_per_value\x18\x02 \x01(\x04\x12'\n"
    b"\x06buffer\x18\x03 \x01(\x0b2\x17.lance.encodings.Buffer\x22T\n\x0fFixedSizeBina"
    b"ry\x12-\n\x05bytes\x18\x01 \x01(\x0b2\x1e.lance.encodings.ArrayEncoding\x12\x12"
    b"\n\nbyte_width\x18\x02 \x01(\r\x22\x19\n\x08Constant\x12\r\n\x05value\x18\x01 "
    b"\x01(\x0c\x227\n\x10InlineBitpacking\x12#\n\x1buncompressed_bits_per_value\x18"
    b"\x02 \x01(\x04\x22]\n\x13OutOfLineBitpacking\x12#\n\x1buncompressed_bits_per_val"
    b"ue\x18\x02 \x01(\x04\x12!\n\x19compressed_bits_per_value\x18\x03 \x01(\x04\x22#"
    b"\n\x08Variable\x12\x17\n\x0fbits_per_offset\x18\x01 \x01(\r\x22h\n\x1fPackedStru"
    b"ctFixedWidthMiniBlock\x12,\n\x04flat\x18\x01 \x01(\x0b2\x1e.lance.encodings.Arra"
    b"yEncoding\x12\x17\n\x0fbits_per_values\x18\x02 \x03(\r\x22\x17\n\x05Block\x12"
    b"\x0e\n\x06scheme\x18\x01 \x01(\t\x22\x1d\n\x03Rle\x12\x16\n\x0ebits_per_value"
    b"\x18\x01 \x01(\x04\x22t\n\x10GeneralMiniBlock\x12-\n\x05inner\x18\x01 \x01(\x0b2"
    b"\x1e.lance.encodings.ArrayEncoding\x121\n\x0bcompression\x18\x02 \x01(\x0b2\x1c."
    b"lance.encodings.Compression\x22)\n\x0fByteStreamSplit\x12\x16\n\x0ebits_per_valu"
    b"e\x18\x01 \x01(\x04\x22\xa7\x01\n\x0eColumnEncoding\x12)\n\x06values\x18\x01 "
    b"\x01(\x0b2\x17.lance.encodings.ValuesH\x00\x120\n\nzone_index\x18\x02 \x01(\x0b2"
    b"\x1a.lance.encodings.ZoneIndexH\x00\x12%\n\x04blob\x18\x03 \x01(\x0b2\x15.lance."
    b"encodings.BlobH\x00B\x11\n\x0fcolumn_encoding\x22\x08\n\x06Values\x22\x84\x01\n"
    b"\tZoneIndex\x12\x15\n\rrows_per_zone\x18\x01 \x01(\r\x120\n\x0fzone_map_buffer"
    b"\x18\x02 \x01(\x0b2\x17.lance.encodings.Buffer\x12.\n\x05inner\x18\x03 \x01(\x0b"
    b"2\x1f.lance.encodings.ColumnEncoding\x226\n\x04Blob\x12.\n\x05inner\x18\x01 \x01"
    b"(\x0b2\x1f.lance.encodings.ColumnEncodingb\x08editionsp\xe8\x07"
)
