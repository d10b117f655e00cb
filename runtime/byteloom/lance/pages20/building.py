"""Build the nodes that decode a page from its encoding.

Source: specs/lance/encodings20.proto
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError, LimitExceeded, Unsupported
from byteloom.lance.pages20.arrays import AllNull, Fixed, FixedLists, Node, Packed, SomeNull
from byteloom.lance.pages20.stored import Derived, InFile, Stored, inflated, unpacked_chunks
from byteloom.lance.pages20.texts import CodedTexts, Dictionary, FixedTexts, TextDictionary, Texts

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom.lance.column_metadata import Page
    from byteloom.limits import Limits
    from byteloom.storage import Source
    from byteloom_generated.lance import encodings20
    from byteloom_generated.lance.encodings20 import ArrayEncoding

__all__ = ["PageNodes"]

_BYTE: Final = 8
_MAX: Final = (1 << 63) - 1
_PIECE: Final = 1 << 16
"""Number of bit-packed integers that are unpacked at a time."""


@dataclass(frozen=True, slots=True)
class PageNodes:
    """Builds nodes from the encodings of a page.

    Attributes:
        is_reversed: Whether buffers are stored in the reverse order, as by releases 0.10.18 and
            0.11.1.
    """

    page: Page
    source: Source
    limits: Limits
    is_reversed: bool = False

    def node(self, encoding: ArrayEncoding, type_: pa.DataType, count: int) -> Node:
        """Return the node that gives *count* values of *type_*.

        Raises:
            FormatError: For damage.
            Unsupported: For an encoding that such values cannot have.
        """
        kind = encoding.WhichOneof("array_encoding")
        if kind not in _MAKERS:
            raise self._unsupported(kind or "no encoding", str(type_))
        return _MAKERS[kind](self, getattr(encoding, kind), type_, count)

    def buffer(self, buffer: encodings20.Buffer) -> InFile:
        """Return a buffer of the page, by its index."""
        number, count = buffer.buffer_index, len(self.page.buffers)
        path = f"{self.page.path}.buffers[{number}]"
        if buffer.buffer_type or number >= count:
            found = f"buffer {number}" + (" of the column or file" if buffer.buffer_type else "")
            raise FormatError(path, self.page.at, found, f"one of the {count} of the page")
        place = count - 1 - number if self.is_reversed else number
        offset, size = self.page.buffers[place]
        return InFile(self.source, offset, size, path)

    # Values of fixed width

    def flat(self, flat: encodings20.Flat, type_: pa.DataType, count: int) -> Node:
        """Return values of fixed width."""
        return Fixed(type_, flat.bits_per_value, self._bytes_of_flat(flat, count))

    def bit_packed(self, packed: encodings20.Bitpacked, type_: pa.DataType, count: int) -> Node:
        """Return bit-packed integers."""
        bits = packed.uncompressed_bits_per_value
        return Fixed(type_, bits, self._unpacked(packed, count))

    def chunked(
        self, packed: encodings20.BitpackedForNonNeg, type_: pa.DataType, count: int
    ) -> Node:
        """Return bit-packed integers, in chunks of 1,024; the last chunk is padded."""
        bits, width = packed.uncompressed_bits_per_value, packed.compressed_bits_per_value
        stored = self.buffer(packed.buffer)
        self._check_bits(stored, width, bits, count)
        made = Derived(
            lambda: unpacked_chunks(stored, count, width, bits),
            count * bits // _BYTE,
            stored.path,
            stored.at,
        )
        return Fixed(type_, bits, made)

    def _bytes_of_flat(self, flat: encodings20.Flat, count: int) -> Stored:
        """The bytes of *count* values."""
        stored = self.buffer(flat.buffer)
        size = -(-count * flat.bits_per_value // _BYTE)
        if not flat.HasField("compression"):
            return stored
        return self._decompressed(stored, flat.compression.scheme, size)

    def _decompressed(self, stored: InFile, scheme: str, size: int) -> Stored:
        if size > self.limits.decompressed_size:
            wanted = f"at most {self.limits.decompressed_size} (limits.decompressed_size)"
            raise LimitExceeded(stored.path, stored.at, f"{size} bytes", wanted)
        return Derived(
            lambda: inflated(scheme, stored, size, self.limits), size, stored.path, stored.at
        )

    def _unpacked(self, packed: encodings20.Bitpacked, count: int) -> Stored:
        """The bytes of bit-packed integers."""
        bits, width = packed.uncompressed_bits_per_value, packed.compressed_bits_per_value
        stored = self.buffer(packed.buffer)
        self._check_bits(stored, width, bits, count)

        def make() -> np.ndarray:
            data = stored.slice(0, -(-count * width // _BYTE))
            return _unpack(np.frombuffer(data, np.uint8), count, width, bits, signed=packed.signed)

        return Derived(make, count * bits // _BYTE, stored.path, stored.at)

    def _check_bits(self, stored: Stored, width: int, bits: int, count: int) -> None:
        """Refuse integers without a width, and more of them than limits allow."""
        if bits not in _INTEGERS or not 0 < width <= bits:
            found = f"{width} bits of {bits}"
            raise FormatError(stored.path, stored.at, found, "some bits of 8, 16, 32 or 64")
        if count * bits // _BYTE > self.limits.decompressed_size:
            found = f"{count} values of {bits} bits"
            wanted = f"at most {self.limits.decompressed_size} bytes (limits.decompressed_size)"
            raise LimitExceeded(stored.path, stored.at, found, wanted)

    # Nulls

    def nullable(self, nullable: encodings20.Nullable, type_: pa.DataType, count: int) -> Node:
        """Return values of which none, some or all are null."""
        kind = nullable.WhichOneof("nullability")
        if kind == "no_nulls":
            return self.node(nullable.no_nulls.values, type_, count)
        if kind == "some_nulls":
            valid = self.node(nullable.some_nulls.validity, pa.bool_(), count)
            return SomeNull(valid, self.node(nullable.some_nulls.values, type_, count))
        if kind == "all_nulls":
            return AllNull(type_, self.limits, self.page.path)
        raise self._unsupported("neither nulls nor values", str(type_))

    # Lists of a fixed size, structs

    def lists(self, lists: encodings20.FixedSizeList, type_: pa.DataType, count: int) -> Node:
        """Return lists of the same number of items."""
        if not pa.types.is_fixed_size_list(type_) or lists.dimension != type_.list_size:
            raise self._unsupported(f"lists of {lists.dimension} items", str(type_))
        items = self.node(lists.items, type_.value_type, count * type_.list_size)
        return FixedLists(type_, items)

    def packed(self, packed: encodings20.PackedStruct, type_: pa.DataType, count: int) -> Node:
        """Return structs that are stored row after row."""
        del count
        if not pa.types.is_struct(type_) or len(packed.inner) != type_.num_fields:
            raise self._unsupported(f"a packed struct of {len(packed.inner)} fields", str(type_))
        widths = [
            self._width(inner, field.type) for inner, field in zip(packed.inner, type_, strict=True)
        ]
        return Packed(type_, widths, self.buffer(packed.buffer))

    def _width(self, encoding: ArrayEncoding, type_: pa.DataType) -> int:
        """The bytes of a field of a packed struct."""
        kind = encoding.WhichOneof("array_encoding")
        if kind == "nullable" and encoding.nullable.WhichOneof("nullability") == "no_nulls":
            return self._width(encoding.nullable.no_nulls.values, type_)
        if kind == "fixed_size_list" and pa.types.is_fixed_size_list(type_):
            lists = encoding.fixed_size_list
            if lists.dimension == type_.list_size:
                return lists.dimension * self._width(lists.items, type_.value_type)
        is_plain = kind == "flat" and not encoding.flat.HasField("compression")
        if is_plain and not pa.types.is_nested(type_):
            bits = encoding.flat.bits_per_value
            if bits % _BYTE == 0 and bits == type_.bit_width:
                return bits // _BYTE
        raise self._unsupported(f"{kind} in a packed struct", str(type_))

    # Text

    def binary(self, binary: encodings20.Binary, type_: pa.DataType, count: int) -> Node:
        """Return text or bytes of any length."""
        self._check_text("binary", type_)
        if binary.null_adjustment > _MAX:
            path = f"{self.page.path}.encoding.binary.null_adjustment"
            raise FormatError(path, self.page.at, binary.null_adjustment, f"at most {_MAX}")
        ends = self.node(binary.indices, pa.uint64(), count)
        data = self._bytes(binary.bytes, max(binary.null_adjustment - 1, 0))
        return Texts(type_, ends, data, binary.null_adjustment)

    def texts(self, fixed: encodings20.FixedSizeBinary, type_: pa.DataType, count: int) -> Node:
        """Return text or bytes of equal length."""
        self._check_text("fixed_size_binary", type_)
        return FixedTexts(
            type_, fixed.byte_width, self._bytes(fixed.bytes, count * fixed.byte_width)
        )

    def fsst(self, fsst: encodings20.Fsst, type_: pa.DataType, count: int) -> Node:
        """Return text that is coded by a table of symbols."""
        self._check_text("fsst", type_)
        coded = self.node(fsst.binary, pa.large_binary(), count)
        place = (f"{self.page.path}.encoding.fsst", self.page.at)
        return CodedTexts(type_, coded, fsst.symbol_table, self.limits.decompressed_size, place)

    def dictionary(self, found: encodings20.Dictionary, type_: pa.DataType, count: int) -> Node:
        """Return indices into items, or the items themselves."""
        size = found.num_dictionary_items
        if size > self.limits.elements:
            wanted = f"at most {self.limits.elements} items (limits.elements)"
            raise LimitExceeded(self.page.path, self.page.at, size, wanted)
        if pa.types.is_dictionary(type_):
            indices = self.node(found.indices, type_.index_type, count)
            return Dictionary(type_, indices, self.node(found.items, type_.value_type, size), size)
        items = self.node(found.items, type_, size)
        indices = self.node(found.indices, self._index_type(found.indices), count)
        return TextDictionary(type_, indices, items, size)

    def _index_type(self, encoding: ArrayEncoding) -> pa.DataType:
        """The unsigned integer type of the indices of a dictionary of text."""
        kind = encoding.WhichOneof("array_encoding")
        if kind == "nullable":
            nulls = encoding.nullable.WhichOneof("nullability")
            if nulls in {"no_nulls", "some_nulls"}:
                return self._index_type(getattr(encoding.nullable, nulls).values)
        if kind == "flat":
            bits = encoding.flat.bits_per_value
        elif kind in {"bitpacked", "bitpacked_for_non_neg"}:
            bits = getattr(encoding, kind).uncompressed_bits_per_value
        else:
            raise self._unsupported(kind or "no encoding", "indices")
        if bits not in _INTEGERS:
            raise self._unsupported(f"{bits} bits", "indices")
        return _INTEGERS[bits]

    def _bytes(self, encoding: ArrayEncoding, size: int) -> Stored:
        """The decoded bytes of an encoding, whatever they mean; *size* of them if coded."""
        kind = encoding.WhichOneof("array_encoding")
        if kind == "nullable" and encoding.nullable.WhichOneof("nullability") == "no_nulls":
            return self._bytes(encoding.nullable.no_nulls.values, size)
        if kind == "flat":
            bits = encoding.flat.bits_per_value
            if bits and bits % _BYTE == 0:
                return self._bytes_of_flat(encoding.flat, size * _BYTE // bits)
        if kind == "bitpacked" and encoding.bitpacked.uncompressed_bits_per_value == _BYTE:
            return self._unpacked(encoding.bitpacked, size)
        raise self._unsupported(kind or "no encoding", "bytes")

    def _check_text(self, kind: str, type_: pa.DataType) -> None:
        if type_ not in _TEXTS:
            raise self._unsupported(kind, str(type_))

    def _unsupported(self, found: str, wanted: str) -> Unsupported:
        path = f"{self.page.path}.encoding"
        return Unsupported(path, self.page.at, found, f"an encoding of {wanted}")


def _unpack(data: np.ndarray, count: int, width: int, bits: int, *, signed: bool) -> np.ndarray:
    """Integers of *width* bits, one after the other, the lowest bit first, as bytes."""
    out = np.zeros((count, bits // _BYTE), np.uint8)
    for first in range(0, count, _PIECE):
        last = min(first + _PIECE, count)
        part = data[first * width // _BYTE : -(-last * width // _BYTE)]
        stream = np.unpackbits(part, bitorder="little")[: (last - first) * width]
        table = stream.reshape(last - first, width)
        wide = np.repeat(table[:, -1:], bits, axis=1) if signed else np.zeros((len(table), bits))
        wide = wide.astype(np.uint8, copy=False)
        wide[:, :width] = table
        out[first:last] = np.packbits(wide, axis=1, bitorder="little")
    return out


_INTEGERS: Final = {8: pa.uint8(), 16: pa.uint16(), 32: pa.uint32(), 64: pa.uint64()}
_TEXTS: Final = (pa.string(), pa.binary(), pa.large_string(), pa.large_binary())

_MAKERS: Final[dict[str, Callable[[PageNodes, Any, pa.DataType, int], Node]]] = {
    "flat": PageNodes.flat,
    "nullable": PageNodes.nullable,
    "fixed_size_list": PageNodes.lists,
    "packed_struct": PageNodes.packed,
    "binary": PageNodes.binary,
    "dictionary": PageNodes.dictionary,
    "bitpacked": PageNodes.bit_packed,
    "bitpacked_for_non_neg": PageNodes.chunked,
    "fsst": PageNodes.fsst,
    "fixed_size_binary": PageNodes.texts,
}
