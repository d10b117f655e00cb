"""Packed structs: rows one after the other, each as the bytes of its fields.

- A struct of fields of fixed width is a value of fixed width.
- In a struct with text, bytes or fixed-size lists, a field of fixed width is stored as its bytes,
  any other as its length and its bytes; a null struct has neither.  Values of a field are encoded
  like those of a column: text by a table of symbols if that is smaller, or as metadata of the field
  says.

Source: https://lance.org/format/file/encoding/#packed-struct
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError, Unsupported
from byteloom.lance.fields import PACKED, is_true
from byteloom.lance.writing.encoding_choice import choose_large
from byteloom.lance.writing.options import options_of
from byteloom.lance.writing.pieces import Pieces
from byteloom.lance.writing.values import TEXTS, FixedValues, VariableValues, values_of
from byteloom_generated.lance import encodings21 as e

if TYPE_CHECKING:
    from byteloom.lance.writing.values import Values

__all__ = [
    "check_fields_are_there",
    "check_packed",
    "is_packed",
    "is_zipped",
    "packed_rows",
    "packed_widths",
    "zipped_structs",
]

_BYTE: Final = 8
_MOST: Final = 1023
"""Most bytes of a struct, since chunks have at least eight."""

_ZIPPED: Final = "2.2"
"""The first version in which packed structs may have text."""


def is_packed(field: pa.Field) -> bool:
    """Return whether a field is a struct that is stored row after row."""
    return bool(pa.types.is_struct(field.type)) and any(
        is_true(field.metadata or {}, each.encode()) for each in PACKED
    )


def is_zipped(type_: pa.StructType) -> bool:
    """Return whether a packed struct has fields of any length, or fixed-size lists."""
    return any(each.type in TEXTS or pa.types.is_fixed_size_list(each.type) for each in type_)


def check_packed(type_: pa.StructType, path: str, version: str) -> None:
    """Refuse a packed struct that files of *version* cannot have.

    Args:
        path: The struct's name in errors.

    Raises:
        Unsupported: For fields that are not whole bytes, text before version 2.2, and lists.
    """
    if version < _ZIPPED or not is_zipped(type_):
        packed_widths(type_, path)
        return
    for field in type_:
        if field.type not in TEXTS and not _is_whole(field.type):
            wanted = "text, bytes, and values of some bytes each, in a packed struct"
            raise Unsupported(f"{path}.{field.name}", None, str(field.type), wanted)


def packed_widths(type_: pa.StructType, path: str) -> list[int]:
    """Return the bytes of each field.

    Args:
        path: The struct's name in errors.

    Raises:
        Unsupported: For fields that are not a whole number of bytes.
    """
    found = []
    for field in type_:
        bits = _bits(field.type)
        if not bits or bits % _BYTE:
            wanted = "numbers and other values of some bytes each, in a packed struct"
            raise Unsupported(f"{path}.{field.name}", None, str(field.type), wanted)
        found.append(bits // _BYTE)
    if not 0 < sum(found) <= _MOST:
        wanted = f"1 to {_MOST}, in a packed struct"
        raise Unsupported(path, None, f"{sum(found)} bytes", wanted)
    return found


def packed_rows(array: pa.StructArray, path: str) -> np.ndarray:
    """Return structs as a matrix of bytes, with a row for each.

    Raises:
        FormatError: For fields that are null where the struct is not.
    """
    widths = packed_widths(array.type, path)
    check_fields_are_there(array, path)
    rows, at = np.zeros((len(array), sum(widths)), np.uint8), 0
    for number, width in enumerate(widths):
        child = array.field(number)
        stored = child.buffers()[1]
        if stored is not None:
            data = np.frombuffer(stored, np.uint8)[child.offset * width :]
            rows[:, at : at + width] = data[: len(child) * width].reshape(-1, width)
        at += width
    return rows


def check_fields_are_there(array: pa.StructArray, path: str) -> None:
    """Refuse fields that are null where the struct is not.

    Args:
        path: The struct's name in errors.

    Raises:
        FormatError: There is damage.
    """
    valid = array.is_valid().to_numpy(zero_copy_only=False)
    for number, field in enumerate(array.type):
        child = array.field(number)
        if child.null_count and (child.is_null().to_numpy(zero_copy_only=False) & valid).any():
            name = f"rows.{path}.{field.name}"
            raise FormatError(name, None, "nulls", "values, in a packed struct")


def _is_whole(type_: pa.DataType) -> bool:
    """Whether values, or the items of fixed-size lists, are whole bytes."""
    count = 1
    while pa.types.is_fixed_size_list(type_):
        type_, count = type_.value_type, count * type_.list_size
    bits = count * _bits(type_)
    return bits > 0 and bits % _BYTE == 0


def _bits(type_: pa.DataType) -> int:
    """The bits of a value; 0 for types without a width."""
    if pa.types.is_dictionary(type_):
        return 0
    try:
        return int(type_.bit_width)
    except ValueError:  # of any length
        return 0


_WIDTH = 4
"""Bytes of the length of a struct."""


def zipped_structs(array: pa.StructArray, path: str, version: str) -> VariableValues:
    """Return the bytes of each struct.

    Args:
        path: The struct's name in errors.

    Raises:
        FormatError: For fields that are null where the struct is not.
        Unsupported: For a struct of 4 GiB or more.
    """
    check_fields_are_there(array, path)
    pieces, fields = Pieces(len(array)), []
    for number, field in enumerate(array.type):
        values = _values(array.field(number), field, f"{path}.{field.name}", version)
        add = _add_fixed if isinstance(values, FixedValues) else _add_variable
        fields.append(add(pieces, values))  # type: ignore[arg-type]
    sizes = pieces.sizes
    largest = int(sizes.max(initial=0))
    if largest >> _WIDTH * _BYTE:
        wanted = "less than 4 GiB, in a packed struct"
        raise Unsupported(f"rows.{path}", None, f"{largest} bytes", wanted)
    message = e.VariablePackedStruct(fields=fields)
    encoding = e.CompressiveEncoding(variable_packed_struct=message)
    offsets = np.append(0, np.cumsum(sizes))
    return VariableValues(offsets, pieces.joined(), _WIDTH, structs=encoding)


def _values(array: pa.Array, field: pa.Field, path: str, version: str) -> Values:
    """The values of a field, encoded."""
    values = values_of(array)
    if isinstance(values, FixedValues):
        if _are_bits(field.type) and len(values.buffers) > 1:
            wanted = "truth values, in a packed struct"
            raise FormatError(f"rows.{path}", None, "null items", wanted)
        return values
    return choose_large(array, values, options_of(field, path, version))[1]


def _are_bits(type_: pa.DataType) -> bool:
    """Whether the items of fixed-size lists are booleans, whose nulls pylance does not support."""
    while pa.types.is_fixed_size_list(type_):
        type_ = type_.value_type
    return bool(pa.types.is_boolean(type_))


def _add_fixed(pieces: Pieces, values: FixedValues) -> e.VariablePackedStruct.FieldEncoding:
    """The bytes of a field of fixed width."""
    for rows in values.zipped():
        pieces.add_rows(rows)
    bits = values.zipped_size * _BYTE
    return e.VariablePackedStruct.FieldEncoding(value=values.encoding, bits_per_value=bits)


def _add_variable(pieces: Pieces, values: VariableValues) -> e.VariablePackedStruct.FieldEncoding:
    """The length and the bytes of a field of any length."""
    sizes = np.diff(values.offsets)
    pieces.add_rows(sizes.astype(f"<u{values.width}")[:, None])
    pieces.add(values.data, values.offsets[:-1], sizes)
    bits = values.width * _BYTE
    return e.VariablePackedStruct.FieldEncoding(value=values.encoding, bits_per_length=bits)
