"""Which columns of Parquet files are plain, and in what form their values are stored.

Source: https://parquet.apache.org/docs/file-format/types/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow as pa

from byteloom.kernels.parquet_forms import DECIMAL, DECIMALS, FLAGS, INTEGERS, NUMBERS, TEXTS
from byteloom.kernels.parquet_structs import numbers
from byteloom_generated.parquet.footers import TYPES

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["OFFSET", "plain_type", "value_form", "value_size"]

OFFSET: Final = 8
"""Bytes that a text or a list takes besides its content."""

_BOOLEAN, _INT32, _INT64, _FLOAT, _DOUBLE, _BYTE_ARRAY, _FIXED = numbers(
    TYPES, "BOOLEAN", "INT32", "INT64", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"
)
_NUMBERS: Final = (_INT32, _INT64, _FLOAT, _DOUBLE)
_WIDTHS: Final = {each.number: each.size or 0 for each in TYPES if each.number in _NUMBERS}

_EXACT: Final = {_BOOLEAN: pa.bool_(), _FLOAT: pa.float32(), _DOUBLE: pa.float64()}

_LARGE: Final = {
    pa.string(): pa.large_string(),
    pa.large_string(): pa.large_string(),
    pa.binary(): pa.large_binary(),
    pa.large_binary(): pa.large_binary(),
}


def plain_type(of: pa.DataType, leaf: Sequence[int]) -> pa.DataType | None:
    """Return the type of a decoded column, None if pages store its values in another form.

    of    its Arrow type in the file; text, bytes and lists become large ones
    leaf  physical type, bytes of a bound, highest repetition and definition level
    """
    kind, width, repeated, defined = leaf
    if repeated == 1 and (pa.types.is_list(of) or pa.types.is_large_list(of)):
        item = of.value_field
        is_usual = 0 <= defined - 1 - item.nullable <= 1 and _is_plain(item.type, kind, width)
        return pa.large_list(item) if is_usual else None
    if repeated or defined > 1:
        return None
    if kind == _BYTE_ARRAY:
        return _LARGE.get(of)
    return of if _is_plain(of, kind, width) else None


def _is_plain(of: pa.DataType, kind: int, width: int) -> bool:
    """Return whether values of the physical type *kind* are stored as `take_values` expects."""
    if kind in _EXACT:
        return bool(of == _EXACT[kind])
    if pa.types.is_decimal128(of):
        return kind in {_INT32, _INT64} or (kind == _FIXED and 0 < width <= DECIMAL)
    if kind == _FIXED:
        return bool(pa.types.is_fixed_size_binary(of)) and of.byte_width == width > 0
    is_counted = of in {pa.int32(), pa.int64(), pa.date32()} or pa.types.is_timestamp(of)
    is_counted |= pa.types.is_time(of)
    return bool(is_counted and of.bit_width == 8 * _WIDTHS.get(kind, 0))


def value_size(of: pa.DataType) -> int:
    """Return the bytes of a value of a decoded column, without those of a text or of a list."""
    is_long = of in _LARGE.values() or pa.types.is_large_list(of)
    return OFFSET if is_long else (of.bit_width + 7) // 8


def value_form(of: pa.DataType, kind: int) -> int:
    """Return the form of the values of a plain column.

    of    its type when decoded
    kind  its physical type
    """
    if kind == _BYTE_ARRAY:
        return TEXTS
    if kind == _BOOLEAN:
        return FLAGS
    if pa.types.is_decimal128(of):
        return DECIMALS if kind == _FIXED else INTEGERS
    return NUMBERS
