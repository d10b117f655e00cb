"""Make Arrow arrays from the buffers of pages: values, offsets and bitmaps.

Arrays have no offset of their own, so that a validity bitmap can be put before their buffers.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError, LimitExceeded, found_by

__all__ = [
    "bits_of",
    "fixed_array",
    "numbers_of",
    "packed",
    "text_array",
    "with_validity",
]

_BYTE = 8
_LAST_OF_ASCII = 127


def fixed_array(type_: pa.DataType, count: int, data: pa.Buffer) -> pa.Array:
    """Return values of fixed width, or fixed-size lists of them."""
    if not pa.types.is_fixed_size_list(type_):
        return pa.Array.from_buffers(type_, count, [None, data])
    items = fixed_array(type_.value_type, count * type_.list_size, data)
    return pa.Array.from_buffers(type_, count, [None], children=[items])


def text_array(
    type_: pa.DataType,
    offsets: np.ndarray,
    data: pa.Buffer,
    valid: np.ndarray | None,
    place: tuple[str, int],
) -> pa.Array:
    """Return text or bytes; *offsets* begin with 0.

    Args:
        place: Their name in errors, and their offset.

    Raises:
        FormatError: For invalid UTF-8.
        LimitExceeded: For more than the type's offsets reach.
    """
    is_large = pa.types.is_large_string(type_) or pa.types.is_large_binary(type_)
    if not is_large and len(offsets) and int(offsets[-1]) >= 1 << 31:
        found = f"{offsets[-1]} bytes of {type_}"
        raise LimitExceeded(*place, found, "at most 2147483647")
    plain = pa.large_binary() if is_large else pa.binary()
    stored = offsets.astype(np.int64 if is_large else np.int32)
    bitmap = None if valid is None else packed(valid)
    buffers = [bitmap, pa.py_buffer(stored), data]
    if plain == type_ or _is_ascii(data):
        return pa.Array.from_buffers(type_, len(offsets) - 1, buffers)
    array = pa.Array.from_buffers(plain, len(offsets) - 1, buffers)
    try:
        return array.cast(type_)
    except pa.ArrowInvalid as error:
        raise FormatError(*place, found_by("invalid UTF-8", error), "text in UTF-8") from error


def _is_ascii(data: pa.Buffer) -> bool:
    """Whether all bytes are ASCII, which needs no other check of UTF-8."""
    return not data.size or bool(np.frombuffer(data, np.uint8).max() <= _LAST_OF_ASCII)


def with_validity(array: pa.Array, bitmap: pa.Buffer) -> pa.Array:
    """Return an array without an offset whose values are null where a bit is 0."""
    if pa.types.is_dictionary(array.type):
        indices = with_validity(array.indices, bitmap)
        return pa.DictionaryArray.from_arrays(indices, array.dictionary)
    own = array.buffers()[0]
    if own is not None:
        size = -(-len(array) // _BYTE)
        both = np.frombuffer(own, np.uint8, size) & np.frombuffer(bitmap, np.uint8, size)
        bitmap = pa.py_buffer(both)
    type_ = array.type
    if pa.types.is_fixed_size_list(type_):
        return pa.Array.from_buffers(type_, len(array), [bitmap], children=[array.values])
    if pa.types.is_struct(type_):
        children = [array.field(each) for each in range(type_.num_fields)]
        return pa.Array.from_buffers(type_, len(array), [bitmap], children=children)
    return pa.Array.from_buffers(type_, len(array), [bitmap, *array.buffers()[1:]])


def bits_of(bitmap: pa.Buffer) -> np.ndarray:
    """Return the bits of a bitmap, the lowest of a byte first, as booleans."""
    return np.unpackbits(np.frombuffer(bitmap, np.uint8), bitorder="little").view(np.bool_)


def packed(bits: np.ndarray) -> pa.Buffer:
    """Return a bitmap of booleans, the lowest bit of a byte first."""
    return pa.py_buffer(np.packbits(bits, bitorder="little"))


def numbers_of(array: pa.Array, path: str, at: int | None) -> np.ndarray:
    """Return unsigned integers as signed ones of 64 bits.

    Args:
        path: Their name in errors.
        at: Their place in errors.

    Raises:
        FormatError: Any of them is null.
    """
    if array.null_count:
        raise FormatError(path, at, "null", "the number of a byte or item")
    found: np.ndarray = array.to_numpy(zero_copy_only=False)
    return found.view(np.int64) if found.dtype == np.uint64 else found.astype(np.int64)
