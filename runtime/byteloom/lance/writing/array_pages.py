"""Pages of version 2.0: a column for each field, whose pages have array encodings.

- A list has a column with the ends of lists, followed by the columns of its items; a struct has a
  column of one page without buffers, followed by the columns of its fields.  Structs are never
  null.
- Values of fixed width are stored as they are, after a bitmap where some are null.
- Text is a buffer of ends and a buffer of all bytes, or numbers of dictionary items.

Source: https://lance.org/format/file/encoding/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import Unsupported
from byteloom.lance.arrays import empty
from byteloom.lance.writing.levels import is_blob
from byteloom.lance.writing.options import MadePage, PlannedPage, options_of
from byteloom.lance.writing.packed import is_packed, packed_rows, packed_widths
from byteloom.lance.writing.symbols import coded
from byteloom.lance.writing.values import TEXTS, values_of, written_blobs
from byteloom_generated.lance import encodings20 as e

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from byteloom.lance.writing.options import Options
    from byteloom.lance.writing.values import VariableValues
    from byteloom_generated.lance.tail import Extent

__all__ = ["ArrayColumns"]

_VERSION: Final = "2.0"
_REASON: Final = "version 2.0 has nothing smaller for its type"


class ArrayColumns:
    """The columns of a top-level field, in pre-order, and their pages.

    Attributes:
        count: How many there are.
    """

    def __init__(self, field: pa.Field, put: Callable[[Any], Extent]) -> None:
        """Number the columns of *field*.

        Args:
            put: Writes the bytes of a blob, and returns their place.

        Raises:
            FormatError: For invalid values of the format's own metadata.
        """
        self._top = _ArrayColumn(field, "", 0, put)
        self.count = self._top.count

    def pages(self, array: pa.Array, first: int) -> Iterator[tuple[int, MadePage]]:
        """Yield pages of some rows with the numbers of their columns.

        Args:
            first: The number of the first row.

        Raises:
            Unsupported: For structs that are null.
        """
        return self._top.pages(array, first)

    def last(self) -> Iterator[tuple[int, MadePage]]:
        """Yield the pages of structs; each struct has one page for all rows."""
        return self._top.last()

    def encoding(self, number: int) -> e.ColumnEncoding:
        """Return the encoding of a column as a whole."""
        plain = e.ColumnEncoding(values=e.Values())
        is_blob = any(each.number == number and each.is_blob for each in self._top.walk())
        return e.ColumnEncoding(blob=e.Blob(inner=plain)) if is_blob else plain


class _ArrayColumn:
    """A field: its column, and the columns of its inner fields."""

    def __init__(
        self, field: pa.Field, above: str, number: int, put: Callable[[Any], Extent]
    ) -> None:
        self.path = f"{above}.{field.name}" if above else field.name
        self.options: Options = options_of(field, self.path, _VERSION)
        self.number = number
        self.is_blob = is_blob(field)
        self.is_struct = bool(pa.types.is_struct(field.type)) and not is_packed(field)
        self._put = put
        self._structs: int | None = None
        self.children: list[_ArrayColumn] = []
        at = number + 1
        for each in _children(field):
            self.children.append(_ArrayColumn(each, self.path, at, put))
            at += self.children[-1].count
        self.count: int = at - number

    def pages(self, array: pa.Array, first: int) -> Iterator[tuple[int, MadePage]]:
        """Yield the page of the column, and those inside it."""
        if pa.types.is_struct(array.type) and array.null_count:
            wanted = "structs that are not null: version 2.0 has no others"
            raise Unsupported(f"rows.{self.path}", None, f"{array.null_count} nulls", wanted)
        if self.is_struct:
            self._structs = (self._structs or 0) + len(array)
            inner = [array.field(number) for number in range(array.type.num_fields)]
        elif self.children:
            items = array.flatten()
            yield self._lists(array, len(items), first)
            inner = [items]
        else:
            page = _ArrayBuffers(self.options, f"rows.{self.path}")
            encoding = self._leaf(array, page)
            yield self._made(encoding, page.buffers, page.encoding, first, len(array))
            return
        for child, each in zip(self.children, inner, strict=True):
            yield from child.pages(each, first)

    def walk(self) -> Iterator[_ArrayColumn]:
        """Yield the column and all inside it."""
        yield self
        for each in self.children:
            yield from each.walk()

    def _leaf(self, array: pa.Array, page: _ArrayBuffers) -> e.ArrayEncoding:
        if self.is_blob:
            nulls = array.is_null().to_numpy(zero_copy_only=False).astype(np.uint64)
            return page.packed([8, 8], written_blobs(array, nulls, self._put).view(np.uint8))
        if pa.types.is_struct(array.type):
            return page.packed(packed_widths(array.type, self.path), packed_rows(array, self.path))
        return page.add(array)

    def last(self) -> Iterator[tuple[int, MadePage]]:
        """Yield the page of structs, if there were any rows, and those inside it."""
        if self._structs is not None:
            encoding = e.ArrayEncoding(struct=e.SimpleStruct())
            yield self._made(encoding, [], "struct", 0, self._structs)
        for each in self.children:
            yield from each.last()

    def _lists(self, array: pa.Array, items: int, first: int) -> tuple[int, MadePage]:
        """The end of each list among the items of the lists that are not null."""
        offsets = array.offsets.to_numpy(zero_copy_only=False)
        if array.null_count:
            nulls = array.is_null().to_numpy(zero_copy_only=False)
            sizes = np.diff(offsets.astype(np.int64))
            ends = np.cumsum(np.where(nulls, 0, sizes)) + nulls * (items + 1)
        else:
            ends = np.subtract(offsets[1:], offsets[0], out=empty(len(array), np.int64))
        page = _ArrayBuffers(self.options, f"rows.{self.path}")
        lists = e.List(offsets=page.ends(ends), null_offset_adjustment=items + 1, num_items=items)
        encoding = e.ArrayEncoding(list=lists)
        return self._made(encoding, page.buffers, "list", first, len(array))

    def _made(
        self, encoding: e.ArrayEncoding, buffers: list[np.ndarray], name: str, first: int, rows: int
    ) -> tuple[int, MadePage]:
        size = sum(each.nbytes for each in buffers)
        plan = PlannedPage(self.path, first, rows, "array", name, size, _REASON)
        return self.number, MadePage(encoding, buffers, plan)


def _children(field: pa.Field) -> list[pa.Field]:
    """The fields that have columns of their own."""
    type_ = field.type
    if pa.types.is_struct(type_):
        return [] if is_packed(field) else list(type_)
    if pa.types.is_list(type_) or pa.types.is_large_list(type_):
        return [type_.value_field]
    return []


_BYTE: Final = 8
_END: Final = 64
_FEW: Final = 100
"""Upper bound of the items of a dictionary of text, and the least values to make one for."""

_SAMPLE: Final = 1 << 12


class _ArrayBuffers:
    """The buffers of a page, in the order in which its encodings name them.

    Attributes:
        buffers: Their bytes.
        encoding: What the values of the leaf were encoded as: ``flat``, ``binary``, ``dictionary``,
            ...
    """

    def __init__(self, options: Options, path: str) -> None:
        """Begin a page of the leaf whose name in errors is *path*."""
        self.buffers: list[np.ndarray] = []
        self.encoding = "flat"
        self._options, self._path = options, path

    def add(self, array: pa.Array) -> e.ArrayEncoding:
        """Add the buffers of an array; return its encoding."""
        if pa.types.is_dictionary(array.type):
            return self._dictionary(array)
        if array.type in TEXTS:
            return self._text(array)
        if array.null_count == len(array) and (len(array) or pa.types.is_null(array.type)):
            return e.ArrayEncoding(nullable=e.Nullable(all_nulls=e.Nullable.AllNull()))
        if not array.null_count:
            return _present(self._plain(array))
        valid = self.flat(1, _bits(array.is_valid()))
        some = e.Nullable.SomeNull(validity=valid, values=self._plain(array))
        return e.ArrayEncoding(nullable=e.Nullable(some_nulls=some))

    def ends(self, ends: np.ndarray) -> e.ArrayEncoding:
        """Return the encoding of the ends of values."""
        stored = ends.view("<u8") if ends.dtype == np.int64 else ends.astype("<u8")
        return _present(self.flat(_END, stored))

    def flat(
        self, bits: int, data: np.ndarray, compression: e.Compression | None = None
    ) -> e.ArrayEncoding:
        """Return the encoding of values of some bits each."""
        flat = e.Flat(bits_per_value=bits, buffer=e.Buffer(buffer_index=len(self.buffers)))
        if compression is not None:
            flat.compression.CopyFrom(compression)
        self.buffers.append(data)
        return e.ArrayEncoding(flat=flat)

    def packed(self, widths: list[int], rows: np.ndarray) -> e.ArrayEncoding:
        """Return the encoding of structs of fields of these *widths*, a row of bytes each."""
        self.encoding = "packed"
        buffer = e.Buffer(buffer_index=len(self.buffers))
        inner = [_present(_flat(_BYTE * each, buffer)) for each in widths]
        self.buffers.append(rows.ravel())
        return e.ArrayEncoding(packed_struct=e.PackedStruct(inner=inner, buffer=buffer))

    def _plain(self, array: pa.Array) -> e.ArrayEncoding:
        """Values of fixed width; nulls have any value."""
        type_ = array.type
        if pa.types.is_fixed_size_list(type_):
            size = type_.list_size
            items = self.add(array.values.slice(array.offset * size, len(array) * size))
            return e.ArrayEncoding(fixed_size_list=e.FixedSizeList(dimension=size, items=items))
        if pa.types.is_boolean(type_):
            return self.flat(1, _bits(array.fill_null(pa.scalar(value=False))))
        ((bits, data),) = values_of(array).buffers  # type: ignore[union-attr]
        return self.flat(bits, data)

    # Text

    def _text(self, array: pa.Array) -> e.ArrayEncoding:
        """Text or bytes; few of them as numbers from 1 on, 0 being null."""
        compression = self._options.compression
        if not compression and array.type == pa.string() and (few := _few(array)) is not None:
            self.encoding = "dictionary"
            numbers = few.indices.fill_null(-1).to_numpy(zero_copy_only=False) + 1
            indices = _present(self.flat(_BYTE, numbers.astype(np.uint8)))
            items = self._binary(few.dictionary, None)
            return _dictionary(indices, items, len(few.dictionary))
        self.encoding = "binary"
        return self._binary(array, compression)

    def _binary(self, array: pa.Array, compression: str | None) -> e.ArrayEncoding:
        values: Any = values_of(array.fill_null(b"") if array.null_count else array)
        table = b""
        if compression == "fsst" and len(values.data):
            self.encoding, values = "fsst", coded(values)
            table = values.symbols
        size = len(values.data)
        ends = values.offsets[1:]
        if array.null_count:
            nulls = array.is_null().to_numpy(zero_copy_only=False)
            ends = ends + nulls * (size + 1)
        binary = e.Binary(null_adjustment=size + 1)
        binary.indices.CopyFrom(self.ends(ends))
        binary.bytes.CopyFrom(self._bytes(values))
        if not table:
            return e.ArrayEncoding(binary=binary)
        inner = e.ArrayEncoding(binary=binary)
        return e.ArrayEncoding(fsst=e.Fsst(binary=inner, symbol_table=table))

    def _bytes(self, values: VariableValues) -> e.ArrayEncoding:
        codec = self._options.codec
        if codec is None or not len(values.data):
            return self.flat(_BYTE, values.data)
        self.encoding = codec.name
        compression = e.Compression(scheme=codec.name)
        if codec.level is not None:
            compression.level = codec.level
        data = np.frombuffer(codec.compressed(values.data), np.uint8)
        return self.flat(_BYTE, data, compression)

    # Dictionaries

    def _dictionary(self, array: pa.DictionaryArray) -> e.ArrayEncoding:
        """Numbers of items; null is the number of an item that is null, after all others."""
        self.encoding = "dictionary"
        array = self._with_room(array)
        items, indices = array.dictionary, array.indices
        if array.null_count:
            indices = indices.fill_null(pa.scalar(len(items), indices.type))
            items = pa.concat_arrays([items, pa.nulls(1, items.type)])
        numbers = e.ArrayEncoding()
        numbers.CopyFrom(_present(self._plain(indices)))
        encoded = self._binary(items, None) if items.type in TEXTS else self.add(items)
        return _dictionary(numbers, encoded, len(items))

    def _with_room(self, array: pa.DictionaryArray) -> pa.DictionaryArray:
        """A dictionary array without null items, with room for another item if it has nulls."""
        type_ = array.type.index_type
        most = 1 << (type_.bit_width - pa.types.is_signed_integer(type_))
        if array.dictionary.null_count or _items(array) > most:
            made = array.dictionary_decode().dictionary_encode()
            if _items(made) > most:
                wanted = f"at most {most}, null among them, for {type_}"
                raise Unsupported(self._path, None, f"{_items(made)} items", wanted)
            indices = made.indices.cast(type_)
            array = pa.DictionaryArray.from_arrays(indices, made.dictionary)
        return array


def _items(array: pa.DictionaryArray) -> int:
    """The number of items, counting one for null."""
    return len(array.dictionary) + bool(array.null_count)


def _few(array: pa.Array) -> pa.DictionaryArray | None:
    """Text as a dictionary of some items; None where there are too many, or too few values."""
    if len(array) < _FEW or len(array[:_SAMPLE].unique()) > _FEW:
        return None
    found = array.dictionary_encode()
    return found if 0 < len(found.dictionary) < _FEW else None


def _dictionary(indices: e.ArrayEncoding, items: e.ArrayEncoding, count: int) -> e.ArrayEncoding:
    message = e.Dictionary(indices=indices, items=items, num_dictionary_items=count)
    return e.ArrayEncoding(dictionary=message)


def _flat(bits: int, buffer: e.Buffer) -> e.ArrayEncoding:
    return e.ArrayEncoding(flat=e.Flat(bits_per_value=bits, buffer=buffer))


def _present(values: e.ArrayEncoding) -> e.ArrayEncoding:
    """The values that are not null."""
    return e.ArrayEncoding(nullable=e.Nullable(no_nulls=e.Nullable.NoNull(values=values)))


def _bits(truths: pa.Array) -> np.ndarray:
    """Booleans that a function of Arrow returned, none of them null, as bits, the lowest first.

    The functions begin with a new byte, and the bits after the last are 0.
    """
    stored = np.frombuffer(truths.buffers()[1] or b"", np.uint8)
    return stored[: (len(truths) + _BYTE - 1) // _BYTE]
