"""Records from Arrow columns, without a Python object for any.

The rules:

- Each field becomes a column of bytes; kernels of Arrow join the columns of a row.
- Fields of records and columns of structs belong together by their places, not by their names,
  which Avro may have escaped.
- Lists and maps are one block of items, or none. Null needs a union.

Source: https://avro.apache.org/docs/1.12.0/specification/#binary-encoding
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.arrow.flags import flags_of
from byteloom.avro.nodes import Lists, Plain, Record, Union
from byteloom.avro.program import compile_values
from byteloom.errors import FormatError
from byteloom.late import pc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from byteloom.avro.nodes import Node

    Numbers = NDArray[np.int64]
    Flags = NDArray[np.bool_]

__all__ = [
    "ColumnWriter",
    "blocks",
    "bytes_array",
    "decimal_bytes",
    "fixed_bytes",
    "joined",
    "sized",
    "varint_rows",
    "varints",
]

_BYTES: Final = pa.large_binary()
_EMPTY: Final = pa.scalar(b"", _BYTES)
_END: Final = pa.scalar(b"\x00", _BYTES)
"""The end of a list: a block of no items."""

_GROUP: Final = 7
"""Bits of a number in each byte."""
_LOW: Final = np.uint64((1 << _GROUP) - 1)

_WORD: Final = 16
"""Bytes of a decimal in Arrow."""


class ColumnWriter:
    """Writes records of one schema."""

    def __init__(self, schema: Any) -> None:
        """Take the schema of a record, parsed from JSON; errors as for `compile_values`."""
        root = compile_values(schema).root
        if not isinstance(root, Record):
            raise FormatError("schema", None, repr(schema)[:60], "the schema of a record")
        self._fields = root.fields

    def write(self, columns: Sequence[pa.Array]) -> pa.LargeBinaryArray:
        """Return the bytes of each record.

        columns      the values of each field, in order
        FormatError  null where the schema has no union with null
        """
        parts = [_values(of.node, held) for of, held in zip(self._fields, columns, strict=True)]
        for field, part in zip(self._fields, parts, strict=True):
            if part.null_count:
                raise FormatError(field.name, None, "null", "a value")
        return joined(*parts)


def _values(node: Node, array: pa.Array) -> pa.LargeBinaryArray:
    """Return the bytes of each value; null for null where *node* is no union."""
    match node:
        case Union(null=null, branches=branches):
            return _optional(null, branches, array)
        case Record(fields) if len(fields):
            columns = zip(fields, array.flatten(), strict=True)
            made = joined(*[_values(of.node, held) for of, held in columns])
            return pc.if_else(array.is_valid(), made, None) if array.null_count else made
        case Lists():
            return _lists(node, array)
        case Plain():
            return _plain(node, array)
    raise TypeError(node)  # no other node has columns of its own


def _optional(null: int, branches: Any, array: pa.Array) -> pa.LargeBinaryArray:
    """Return values with the number of their branch before them."""
    others = [at for at in range(len(branches)) if at != null]
    (some,) = others or [null]
    marks = [pa.scalar(bytes([2 * each]), _BYTES) for each in (some, max(null, 0))]
    if array.null_count == len(array):
        return pa.repeat(marks[1], len(array))
    return joined(marks[0], _values(branches[some][1], array)).fill_null(marks[1])


def _plain(node: Plain, array: pa.Array) -> pa.LargeBinaryArray:
    """Return values without inner ones."""
    if node.type == "null":
        return pa.repeat(_EMPTY, len(array))
    if node.type in {"bytes", "string"}:
        return sized(array.cast(_BYTES))
    valid = flags_of(array.is_valid())
    if node.type in {"int", "long"}:
        return varints(_words(array).astype(np.int64), valid)
    if node.type == "boolean":
        return fixed_bytes(
            flags_of(array.fill_null(fill_value=False)).view(np.uint8)[:, None], valid
        )
    if pa.types.is_decimal(array.type):
        return fixed_bytes(decimal_bytes(array, node.size), valid)
    words = _words(array).view(np.uint8)
    return fixed_bytes(words.reshape(len(array), array.type.byte_width), valid)


def _words(array: pa.Array) -> NDArray[Any]:
    """Return values of fixed width as numbers of that width, or as rows of bytes."""
    width = array.type.byte_width
    kind: Any = {4: "<i4", 8: "<i8"}.get(width, np.uint8)
    held = array.buffers()[1]
    each = width // np.dtype(kind).itemsize
    if held is None:
        return np.zeros(len(array) * each, kind)
    return np.frombuffer(held, kind)[array.offset * each : (array.offset + len(array)) * each]


def decimal_bytes(array: pa.Array, size: int) -> NDArray[np.uint8]:
    """Return decimals of 128 bits as rows of *size* bytes, the highest first."""
    held = array.buffers()[1]
    if held is None:
        return np.zeros((len(array), size), np.uint8)
    rows = np.frombuffer(held, np.uint8).reshape(-1, _WORD)[array.offset :][: len(array)]
    return rows[:, size - 1 :: -1] if size < _WORD else rows[:, ::-1]


def _lists(node: Lists, array: pa.Array) -> pa.LargeBinaryArray:
    """Return lists, or maps as pairs of key and value."""
    if pa.types.is_map(array.type):
        entry = pa.struct([array.type.key_field, array.type.item_field])
        array = array.cast(pa.list_(pa.field("entries", entry, nullable=False)))
    held = array.flatten()
    if node.keys is None:
        items = _values(node.items, held)
    else:
        items = joined(_values(node.keys, held.field(0)), _values(node.items, held.field(1)))
    counts = pc.list_value_length(array).fill_null(0).to_numpy().astype(np.int64)
    return blocks(counts, items, flags_of(array.is_valid()))


def blocks(counts: Numbers, items: pa.LargeBinaryArray, valid: Flags) -> pa.LargeBinaryArray:
    """Return lists as blocks; null where not *valid*.

    counts  the number of items of each list
    items   the bytes of all items, one after the other
    """
    if items.null_count:
        raise FormatError("items", None, "null", "a value")
    _, ends, data = items.buffers()
    places = np.frombuffer(ends, np.int64, len(items) + 1) if len(items) else np.zeros(1, np.int64)
    firsts = np.concatenate([[0], np.cumsum(counts)])
    content = bytes_array(
        np.frombuffer(b"" if data is None else data, np.uint8), places[firsts], valid
    )
    heads = varint_rows(counts)
    heads = pc.if_else(pa.array(counts > 0), heads, _EMPTY)
    return joined(heads, content, _END)


def sized(values: pa.LargeBinaryArray) -> pa.LargeBinaryArray:
    """Return bytes with their length before them; null for null."""
    lengths = pc.binary_length(values).fill_null(0).to_numpy()
    return joined(varint_rows(lengths), values)


def varints(numbers: Numbers, valid: Flags) -> pa.LargeBinaryArray:
    """Return numbers as zigzag varints; null where not *valid*."""
    return bytes_array(*_zigzag(numbers), valid)


def varint_rows(*columns: Numbers) -> pa.LargeBinaryArray:
    """Return the zigzag varints of some columns, joined row by row."""
    data, offsets = _zigzag(np.stack(columns, axis=1).reshape(-1))
    return bytes_array(data, offsets[:: len(columns)], np.ones(len(columns[0]), np.bool_))


def _zigzag(numbers: Numbers) -> tuple[NDArray[np.uint8], Numbers]:
    """Return numbers as zigzag varints, and where each begins and the last one ends."""
    signed = np.ascontiguousarray(numbers, np.int64)
    left = ((signed << 1) ^ (signed >> 63)).view(np.uint64)
    sizes = np.ones(len(left), np.int64)
    most = int(left.max(initial=0))
    for width in range(1, -(-most.bit_length() // _GROUP)):
        sizes += left >= np.uint64(1 << (_GROUP * width))
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    data = np.empty(int(offsets[-1]), np.uint8)
    at = offsets[:-1]
    while len(left):
        is_more = left > _LOW
        data[at] = (left & _LOW).astype(np.uint8) | (is_more.view(np.uint8) << _GROUP)
        left, at = left[is_more] >> np.uint64(_GROUP), at[is_more] + 1
    return data, offsets


def fixed_bytes(rows: NDArray[np.uint8], valid: Flags) -> pa.LargeBinaryArray:
    """Return values of one width, each a row of bytes; null where not *valid*."""
    offsets = np.arange(len(valid) + 1, dtype=np.int64) * rows.shape[1]
    return bytes_array(np.ascontiguousarray(rows).reshape(-1), offsets, valid)


def joined(*columns: Any) -> pa.LargeBinaryArray:
    """Return the bytes of some columns, joined row by row; null where one is null."""
    return pc.binary_join_element_wise(*columns, _EMPTY)


def bytes_array(data: NDArray[np.uint8], offsets: Numbers, valid: Flags) -> pa.LargeBinaryArray:
    """Return bytes by their offsets; null where not *valid*."""
    mask = None if valid.all() else pa.py_buffer(np.packbits(valid, bitorder="little"))
    held = [mask, pa.py_buffer(np.ascontiguousarray(offsets, np.int64))]
    return pa.Array.from_buffers(
        _BYTES, len(valid), [*held, pa.py_buffer(np.ascontiguousarray(data))]
    )
