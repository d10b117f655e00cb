"""Decoded values of a leaf, and the Arrow arrays that are made of them.

- Buffers are given to Arrow unchanged; only booleans stored as bytes, structs stored row by row,
  and offsets of another width are converted.
- Validity is a bitmap as in Arrow, or None where nothing is null.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError, LimitExceeded

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = [
    "Fixed",
    "Lists",
    "Nulls",
    "Packed",
    "Structs",
    "Values",
    "Variable",
    "array_of",
    "bitmap",
    "offset_type",
]

_BIT, _BYTE = 1, 8


def offset_type(size: int) -> type[np.signedinteger[Any]]:
    """Return the narrowest type of the offsets of *size* bytes: of 32 bits below 2 GiB."""
    return np.int32 if size < 1 << 31 else np.int64


@dataclass(frozen=True, slots=True)
class Fixed:
    """Consecutive values of fixed width; values of one bit are a bitmap.

    Attributes:
        bits: 1, or a multiple of 8.
        data: Bytes.
    """

    bits: int
    data: np.ndarray
    count: int


@dataclass(frozen=True, slots=True)
class Variable:
    """Values of any length.

    Attributes:
        offsets: The offsets of 32 or 64 bits, one more than values, from 0 on.
        data: The bytes of all values.
    """

    offsets: np.ndarray
    data: np.ndarray

    @classmethod
    def of(cls, offsets: np.ndarray, data: np.ndarray) -> Variable:
        """Return values whose offsets, of 64 bits, get 32 bits where those suffice."""
        return cls(offsets.astype(offset_type(int(offsets[-1])), copy=False), data)

    @property
    def count(self) -> int:
        """How many values there are."""
        return len(self.offsets) - 1


@dataclass(frozen=True, slots=True)
class Lists:
    """Lists of the same number of items.

    Attributes:
        valid: Which items are not null, as a bitmap.
    """

    size: int
    items: Values
    valid: np.ndarray | None
    count: int


@dataclass(frozen=True, slots=True)
class Packed:
    """Structs, each its fields of fixed width one after the other.

    Attributes:
        widths: Bits of each field, multiples of 8.
    """

    widths: tuple[int, ...]
    data: np.ndarray
    count: int

    def fields(self) -> list[Values]:
        """Return the values of each field."""
        row = sum(self.widths) // _BYTE
        rows = self.data[: self.count * row].reshape(self.count, row)
        ends = np.cumsum(self.widths) // _BYTE
        return [
            Fixed(
                bits, np.ascontiguousarray(rows[:, end - bits // _BYTE : end]).ravel(), self.count
            )
            for bits, end in zip(self.widths, ends.tolist(), strict=True)
        ]


@dataclass(frozen=True, slots=True)
class Structs:
    """Structs by their fields."""

    parts: Sequence[Values]
    count: int

    def fields(self) -> list[Values]:
        """Return the values of each field."""
        return list(self.parts)


@dataclass(frozen=True, slots=True)
class Nulls:
    """Values that are all null."""

    count: int


Values: TypeAlias = Fixed | Variable | Lists | Packed | Structs | Nulls


def bitmap(sound: np.ndarray) -> np.ndarray:
    """Return booleans as an Arrow bitmap, the first in the lowest bit."""
    return np.packbits(sound, bitorder="little")


def array_of(
    values: Values, type_: pa.DataType, valid: np.ndarray | None, path: str, at: int
) -> pa.Array:
    """Return an Arrow array of *type_*.

    Args:
        valid: A bitmap of what is not null; None where nothing is.
        path: The name of the values in errors.
        at: Where they are in the file.

    Raises:
        FormatError: For values that do not fit the type.
    """
    if isinstance(values, Nulls):
        return pa.nulls(values.count, type_)
    made = _MAKERS[type(values)]
    array = made(values, type_, valid, path, at)
    if array is None:
        raise FormatError(path, at, _description(values), f"values of {type_}")
    return array


def _fixed(
    values: Fixed, type_: pa.DataType, valid: np.ndarray | None, path: str, at: int
) -> pa.Array | None:
    if pa.types.is_boolean(type_) and values.bits == _BYTE:
        if len(values.data) and values.data.max() > 1 and valid is None:
            raise FormatError(path, at, f"the byte {values.data.max()}", "0 or 1, a boolean")
        bits = bitmap(values.data[: values.count])
        return _made(type_, values.count, [valid, bits])
    if pa.types.is_fixed_size_list(type_):
        return None
    try:
        width = type_.bit_width
    except ValueError:
        return None
    return _made(type_, values.count, [valid, values.data]) if width == values.bits else None


def _variable(
    values: Variable, type_: pa.DataType, valid: np.ndarray | None, path: str, at: int
) -> pa.Array | None:
    if pa.types.is_large_string(type_) or pa.types.is_large_binary(type_):
        offsets = values.offsets.astype(np.int64, copy=False)
    elif pa.types.is_string(type_) or pa.types.is_binary(type_):
        if len(values.data) >= 1 << 31:
            wanted = "less than 2 GiB in an array of strings"
            raise LimitExceeded(path, at, f"{len(values.data)} bytes", wanted)
        offsets = values.offsets.astype(np.int32, copy=False)
    else:
        return None
    array = _made(type_, values.count, [valid, offsets, values.data])
    if not pa.types.is_binary(type_) and not pa.types.is_large_binary(type_):
        _check_text(array, values, path, at)
    return array


def _check_text(array: pa.Array, values: Variable, path: str, at: int) -> None:
    """Refuse bytes that are not UTF-8; pure ASCII is recognised by its highest byte."""
    if len(values.data) and values.data.max() > 127:  # noqa: PLR2004  the last of ASCII
        try:
            array.validate(full=True)
        except pa.ArrowInvalid as error:
            raise FormatError(path, at, "invalid UTF-8", "text in UTF-8") from error


def _lists(
    values: Lists, type_: pa.DataType, valid: np.ndarray | None, path: str, at: int
) -> pa.Array | None:
    if not pa.types.is_fixed_size_list(type_) or type_.list_size != values.size:
        return None
    items = array_of(values.items, type_.value_type, values.valid, path, at)
    return _made(type_, values.count, [valid], [items])


def _structs(
    values: Packed | Structs, type_: pa.DataType, valid: np.ndarray | None, path: str, at: int
) -> pa.Array | None:
    parts = values.fields()
    if not pa.types.is_struct(type_) or type_.num_fields != len(parts):
        return None
    children = []
    for number, each in enumerate(parts):
        field = type_.field(number)
        flat = _listed(each, field.type)
        children.append(array_of(flat, field.type, None, f"{path}.{field.name}", at))
    return _made(type_, values.count, [valid], children)


def _listed(values: Values, type_: pa.DataType) -> Values:
    """A field of a packed struct; its width alone does not show that it is a list."""
    if not (isinstance(values, Fixed) and pa.types.is_fixed_size_list(type_)):
        return values
    size = type_.list_size
    if values.bits % size:
        return values
    items = Fixed(values.bits // size, values.data, values.count * size)
    return Lists(size, _listed(items, type_.value_type), None, values.count)


def _made(
    type_: pa.DataType,
    count: int,
    buffers: list[np.ndarray | None],
    children: list[pa.Array] | None = None,
) -> pa.Array:
    made = [None if each is None else pa.py_buffer(each) for each in buffers]
    nulls = 0 if buffers[0] is None else -1
    return pa.Array.from_buffers(type_, count, made, nulls, children=children)


def _description(values: Values) -> str:
    if isinstance(values, Fixed):
        return f"values of {values.bits} bit{'' if values.bits == _BIT else 's'}"
    if isinstance(values, Lists):
        return f"lists of {values.size} items"
    return "values of any length" if isinstance(values, Variable) else "packed structs"


_MAKERS: Final[dict[type, Callable[..., pa.Array | None]]] = {
    Fixed: _fixed,
    Variable: _variable,
    Lists: _lists,
    Packed: _structs,
    Structs: _structs,
}
