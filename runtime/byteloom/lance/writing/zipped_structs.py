"""Packed structs with text, bytes or fixed-size lists: the fields of each row, one after the other.

- A field of fixed width is stored as its bytes, any other as its length and its bytes; a null
  struct has neither.
- Values of a field are encoded like those of a column: text by a table of symbols if that is
  smaller, or as metadata of the field says.

Source: https://lance.org/format/file/encoding/#packed-struct
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError, Unsupported
from byteloom.lance.writing.encoding_choice import choose_large
from byteloom.lance.writing.options import options_of
from byteloom.lance.writing.packed import check_fields_are_there
from byteloom.lance.writing.pieces import Pieces
from byteloom.lance.writing.values import FixedValues, VariableValues, values_of
from byteloom_generated.lance import encodings21 as e

if TYPE_CHECKING:
    from byteloom.lance.writing.values import Values

__all__ = ["zipped_structs"]

_BYTE = 8
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
