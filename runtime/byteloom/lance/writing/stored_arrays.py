"""Arrays as the types that Lance stores, and the refusal of arrays that are not valid.

- Extension types and views become plain types.
- Each level is copied with the items of its own rows alone: a small slice of lists costs what
  its own items cost, not all those that it shares with other slices.
- Only values without levels inside are cast: Arrow's cast of a struct makes lists of nulls inside
  it too short.
- Text in a column of 16 bytes is that of UUIDs: engines without a type for them give text.
- What is not valid Arrow data is refused before anything of it is written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.arrow.texts import is_ascii
from byteloom.errors import ArgumentError, found_by
from byteloom.late import pc

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["as_stored", "check_array"]

_UUID: Final = pa.binary(16)
_NONE: Final = "00000000-0000-0000-0000-000000000000"
_DASHES: Final = np.frombuffer(_NONE.encode(), np.uint8) == ord("-")
_DIGITS: Final = np.full(256, 255, np.uint8)
"""The value of each hexadecimal digit; 255 for other bytes."""

_DIGITS[list(b"0123456789abcdef")] = range(16)
_DIGITS[list(b"ABCDEF")] = range(10, 16)


def as_stored(array: pa.Array, type_: pa.DataType) -> pa.Array:
    """Return the rows of *array* as a type that has the same levels.

    raises  `pyarrow.ArrowException` for values that cannot be of that type
    """
    if isinstance(array.type, pa.BaseExtensionType):
        return as_stored(array.storage, type_)
    for is_kind, make in _KINDS:
        if is_kind(array.type) and is_kind(type_):
            return make(array, type_, array.is_null() if array.null_count else None)
    return _cast(array, type_)


def _cast(array: pa.Array, type_: pa.DataType) -> pa.Array:
    if type_ == _UUID and (pa.types.is_string(array.type) or pa.types.is_large_string(array.type)):
        return _uuids(array)
    return array if array.type == type_ else array.cast(type_)


def _uuids(array: pa.Array) -> pa.Array:
    """Return the bytes of UUIDs, each given as 8-4-4-4-12 hexadecimal digits.

    raises  `pyarrow.ArrowInvalid` for other text
    """
    texts = array.cast(pa.large_string()).fill_null(_NONE)
    is_long = pc.equal(pc.binary_length(texts), len(_NONE))
    if pc.all(is_long, min_count=0).as_py():
        _, ends, data = texts.buffers()
        first = np.frombuffer(ends or bytes(8), np.int64)[texts.offset] if len(texts) else 0
        used = np.frombuffer(data or b"", np.uint8)[first : first + len(texts) * len(_NONE)]
        found = used.reshape(-1, len(_NONE))
        digits = _DIGITS[found[:, ~_DASHES]]
        if (found[:, _DASHES] == ord("-")).all() and (digits < 16).all():  # noqa: PLR2004  hexadecimal
            values = pa.py_buffer(np.ascontiguousarray(digits[:, ::2] << 4 | digits[:, 1::2]))
            made = pa.Array.from_buffers(_UUID, len(array), [None, values])
            return pc.if_else(array.is_valid(), made, None) if array.null_count else made
    raise pa.ArrowInvalid("text that is not a UUID, for 16 bytes")


def _struct(array: pa.Array, type_: pa.DataType, mask: pa.Array | None) -> pa.Array:
    names = [each.name for each in type_]
    if not names or names != [each.name for each in array.type]:
        return _cast(array, type_)
    children = [as_stored(array.field(number), each.type) for number, each in enumerate(type_)]
    return pa.StructArray.from_arrays(children, fields=list(type_), mask=mask)


def _list(array: pa.Array, type_: pa.DataType, mask: pa.Array | None) -> pa.Array:
    offsets, (values,) = _items(array, array.values)
    made = as_stored(values, type_.value_type)
    return type(array).from_arrays(offsets, made, type=type_, mask=mask)


def _map(array: pa.Array, type_: pa.DataType, mask: pa.Array | None) -> pa.Array:
    offsets, (keys, values) = _items(array, array.keys, array.items)
    keys, values = as_stored(keys, type_.key_type), as_stored(values, type_.item_type)
    return pa.MapArray.from_arrays(offsets, keys, values, type=type_, mask=mask)


def _vectors(array: pa.Array, type_: pa.DataType, mask: pa.Array | None) -> pa.Array:
    size = array.type.list_size
    if size != type_.list_size or not size:
        return _cast(array, type_)
    values = array.values.slice(array.offset * size, len(array) * size)
    made = as_stored(values, type_.value_type)
    return pa.FixedSizeListArray.from_arrays(made, type=type_, mask=mask)


def _items(array: pa.Array, *items: pa.Array) -> tuple[pa.Array, list[pa.Array]]:
    """Return offsets from 0 on, and those *items* that the lists of *array* have."""
    offsets = array.offsets.to_numpy()
    first, last = int(offsets[0]), int(offsets[-1])
    return pa.array(offsets - first), [each.slice(first, last - first) for each in items]


_KINDS: list[tuple[Callable[[Any], bool], Callable[[Any, Any, Any], pa.Array]]] = [
    (pa.types.is_struct, _struct),
    (pa.types.is_list, _list),
    (pa.types.is_large_list, _list),
    (pa.types.is_map, _map),
    (pa.types.is_fixed_size_list, _vectors),
]


_BYTES = {pa.string(): pa.binary(), pa.large_string(): pa.large_binary()}


def check_array(array: pa.Array, path: str, *, in_full: bool) -> None:
    """Refuse an array that is not valid.

    Args:
        in_full: Whether each value is looked at: text is UTF-8, indices are in their dictionary.
    """
    try:
        if not (in_full and _is_sound_text(array)):
            array.validate(full=in_full)
    except pa.ArrowException as error:
        raise ArgumentError(
            path, None, found_by("other bytes", error), "valid Arrow data"
        ) from error


def _is_sound_text(array: pa.Array) -> bool:
    """Whether an array is valid text in ASCII, or valid structs that have such text.

    Arrow decodes each value of text to check it, at four times the cost of looking for bytes that
    are not ASCII in all of them.

    raises  `pyarrow.ArrowException` for damage
    """
    if pa.types.is_struct(array.type):
        array.validate()
        children = [array.field(number) for number in range(array.type.num_fields)]
        found = [_is_sound_text(each) for each in children]
        for each, is_sound in zip(children, found, strict=True):
            if any(found) and not is_sound:
                each.validate(full=True)
        return any(found)
    if array.type not in _BYTES:
        return False
    array.view(_BYTES[array.type]).validate(full=True)
    return is_ascii(array)
