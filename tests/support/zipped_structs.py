"""Packed structs with fields of any length: rows of bytes, in columns, lists and structs."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from tests.support.outside_pages import PACKED
from tests.support.pylance_files import drawn

__all__ = ["SIZES", "ZIPPED", "column", "zipped"]

SIZES = [0, 1, 1023, 1024, 1025, 4097]
ZIPPED = {
    "number and text": pa.struct([("a", pa.int32()), ("b", pa.string())]),
    "text alone": pa.struct([("a", pa.string())]),
    "bytes": pa.struct([("a", pa.binary()), ("b", pa.int8()), ("c", pa.large_binary())]),
    "large text, decimal": pa.struct([("a", pa.large_string()), ("b", pa.decimal128(9, 3))]),
    "lists of one size": pa.struct([("a", pa.list_(pa.int16(), 3)), ("b", pa.float64())]),
    "lists of such lists": pa.struct([("a", pa.list_(pa.list_(pa.int8(), 2), 5))]),
    "lists of eight truth values": pa.struct([("a", pa.string()), ("b", pa.list_(pa.bool_(), 8))]),
}


def zipped(name: str, rows: int, nulls: float) -> pa.Table:
    """Return a column of one of `ZIPPED`, and it in lists and in a struct, a share being null."""
    field = pa.field("c", ZIPPED[name], metadata=PACKED)
    random = np.random.default_rng(rows)
    items = column(ZIPPED[name], 2 * rows, nulls)
    ends = np.append(0, np.sort(random.integers(0, max(1, 2 * rows), rows))).astype(np.int32)
    mask = random.random(rows) < nulls
    if rows and nulls < 1:  # pylance fails to read a batch of lists that are all empty
        ends[-1], mask[-1] = 2 * rows, False
    mask = pa.array(mask)
    item = field.with_name("item")
    lists = pa.ListArray.from_arrays(pa.array(ends), items, type=pa.list_(item), mask=mask)
    structs = pa.StructArray.from_arrays([items[:rows]], fields=[field], mask=mask)
    fields = [field, pa.field("l", lists.type), pa.field("s", structs.type)]
    parts = [items[rows:], lists, structs]
    return pa.Table.from_arrays(parts, schema=pa.schema(fields))


def column(type_: pa.StructType, rows: int, nulls: float) -> pa.Array:
    """Return structs of which a share is null, and no field but items of fixed-size lists."""
    children = [_field(each.type, rows, nulls) for each in type_]
    mask = pa.array(np.random.default_rng(rows).random(rows) < nulls)
    return pa.StructArray.from_arrays(children, fields=list(type_), mask=mask)


def _field(type_: pa.DataType, rows: int, nulls: float) -> pa.Array:
    if not pa.types.is_fixed_size_list(type_):
        return drawn(type_, rows, 0)
    is_bits = pa.types.is_boolean(type_.value_type)
    items = drawn(type_.value_type, rows * type_.list_size, 0 if is_bits else nulls)
    return pa.FixedSizeListArray.from_arrays(items, type=type_)
