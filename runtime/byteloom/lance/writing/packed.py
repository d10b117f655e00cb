"""Structs that are stored row after row, each as the bytes of its fields.

Source: https://lance.org/format/file/encoding/#packed-struct
"""

from __future__ import annotations

from typing import Final

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError, Unsupported
from byteloom.lance.fields import PACKED, is_true

__all__ = ["is_packed", "packed_rows", "packed_widths"]

_BYTE: Final = 8
_MOST: Final = 1023
"""Bytes of a struct at most, of which chunks have eight and more."""


def is_packed(field: pa.Field) -> bool:
    """Return whether a field is a struct that is stored row after row."""
    return bool(pa.types.is_struct(field.type)) and any(
        is_true(field.metadata or {}, each.encode()) for each in PACKED
    )


def packed_widths(type_: pa.StructType, path: str) -> list[int]:
    """Return the bytes of each field.

    path    what errors call the struct
    raises  `Unsupported` for fields that have no width in bytes
    """
    found = []
    for field in type_:
        bits = 0 if pa.types.is_dictionary(field.type) else _bits(field.type)
        if not bits or bits % _BYTE:
            wanted = "numbers and other values of some bytes each, in a packed struct"
            raise Unsupported(f"{path}.{field.name}", None, str(field.type), wanted)
        found.append(bits // _BYTE)
    if not 0 < sum(found) <= _MOST:
        wanted = f"1 to {_MOST}, in a packed struct"
        raise Unsupported(path, None, f"{sum(found)} bytes", wanted)
    return found


def packed_rows(array: pa.StructArray, path: str) -> np.ndarray:
    """Return structs as a matrix of bytes, a row each.

    raises  `FormatError` for fields that are null where the struct is not
    """
    widths = packed_widths(array.type, path)
    rows = np.zeros((len(array), sum(widths)), np.uint8)
    valid, at = array.is_valid().to_numpy(zero_copy_only=False), 0
    for number, width in enumerate(widths):
        child = array.field(number)
        if child.null_count and (child.is_null().to_numpy(zero_copy_only=False) & valid).any():
            name = f"rows.{path}.{array.type.field(number).name}"
            raise FormatError(name, None, "nulls", "values, in a packed struct")
        stored = child.buffers()[1]
        if stored is not None:
            data = np.frombuffer(stored, np.uint8)[child.offset * width :]
            rows[:, at : at + width] = data[: len(child) * width].reshape(-1, width)
        at += width
    return rows


def _bits(type_: pa.DataType) -> int:
    try:
        return int(type_.bit_width)
    except ValueError:  # of any length
        return 0
