"""Packed structs: rows one after the other, each as the bytes of its fields.

Source: https://lance.org/format/file/encoding/#packed-struct
"""

from __future__ import annotations

from typing import Final

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError, Unsupported
from byteloom.lance.fields import PACKED, is_true
from byteloom.lance.writing.values import TEXTS

__all__ = [
    "check_fields_are_there",
    "check_packed",
    "is_packed",
    "is_zipped",
    "packed_rows",
    "packed_widths",
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
