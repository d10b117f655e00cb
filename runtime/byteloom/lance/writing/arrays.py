"""Array encodings of version 2.0: an Arrow array without inner fields, and its buffers.

- Values of fixed width are stored as they are, after a bitmap where some are null.
- Text is a buffer of ends and a buffer of all bytes, or numbers of dictionary items.

Source: https://lance.org/format/file/encoding/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import Unsupported
from byteloom.lance.writing.symbols import coded
from byteloom.lance.writing.values import TEXTS, values_of
from byteloom_generated.lance import encodings20 as e

if TYPE_CHECKING:
    from byteloom.lance.writing.options import Options
    from byteloom.lance.writing.values import VariableValues

__all__ = ["ArrayBuffers"]

_BYTE: Final = 8
_END: Final = 64
_FEW: Final = 100
"""Upper bound of the items of a dictionary of text, and the least values to make one for."""

_SAMPLE: Final = 1 << 12
_ITEM: Final = 8


class ArrayBuffers:
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
