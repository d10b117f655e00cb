"""Fixed-size lists of structs, null at every level, and structs without fields."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from tests.support.outside_pages import BLOB, PACKED
from tests.support.pylance_files import drawn

__all__ = ["BARE", "BLOB_LISTS", "PAIR", "STRUCT_LISTS", "blob_lists", "with_nulls"]

PAIR = pa.struct([("a", pa.int32()), ("b", pa.string())])
STRUCT_LISTS = {
    "numbers and texts": pa.list_(PAIR, 3),
    "one item": pa.list_(PAIR, 1),
    "truth values": pa.list_(pa.struct([("a", pa.bool_())]), 2),
    "structs in structs": pa.list_(pa.struct([("a", pa.int64()), ("b", PAIR)]), 2),
    "lists of numbers": pa.list_(pa.struct([("a", pa.list_(pa.int32(), 3))]), 2),
    "lists in lists": pa.list_(pa.struct([("a", pa.int32()), ("b", pa.list_(PAIR, 3))]), 2),
    "in a struct": pa.struct([("a", pa.list_(PAIR, 3))]),
    "two in a struct": pa.struct([("a", pa.list_(PAIR, 3)), ("b", pa.list_(PAIR, 3))]),
    "packed": pa.list_(
        pa.field("item", pa.struct([("a", pa.int32()), ("b", pa.int8())]), metadata=PACKED), 2
    ),
    "packed, with texts": pa.list_(pa.field("item", PAIR, metadata=PACKED), 2),
    "few texts": pa.list_(pa.struct([("a", pa.dictionary(pa.int16(), pa.string()))]), 2),
}
NONE = pa.struct([])
BARE = {
    "no fields": NONE,
    "beside a number": pa.struct([("a", pa.int32()), ("b", NONE)]),
    "after two others": pa.struct([("a", pa.string()), ("b", PAIR), ("c", NONE), ("d", NONE)]),
    "alone in structs": pa.struct([("a", pa.struct([("b", NONE)]))]),
}
BLOB_LISTS = {
    "blobs in lists": pa.list_(pa.field("item", pa.large_binary(), metadata=BLOB)),
    "blobs in structs in lists": pa.large_list(
        pa.struct([pa.field("x", pa.large_binary(), metadata=BLOB), pa.field("y", pa.int8())])
    ),
}


def with_nulls(type_: pa.DataType, rows: int, nulls: float, *, seed: int = 0) -> pa.Array:
    """Return an array of which a share is null at every level but fields of packed structs."""
    mask = pa.array(np.random.default_rng(seed).random(rows) < nulls)
    if pa.types.is_struct(type_):
        if not type_.num_fields:
            return pa.array([{}] * rows, type_)
        children = [
            with_nulls(each.type, rows, nulls, seed=seed + 1 + number)
            for number, each in enumerate(type_)
        ]
        return pa.StructArray.from_arrays(children, fields=list(type_), mask=mask)
    if pa.types.is_fixed_size_list(type_):
        items, count = type_.value_field, rows * type_.list_size
        is_packed = items.metadata is not None
        if is_packed:
            children = [drawn(each.type, count, 0) for each in items.type]
            array = pa.StructArray.from_arrays(children, fields=list(items.type))
        else:
            array = with_nulls(items.type, count, nulls, seed=seed + 7)
        return pa.FixedSizeListArray.from_arrays(array, type=type_, mask=mask)
    return drawn(type_, rows, nulls)


def blob_lists(name: str, rows: int, nulls: float) -> pa.Table:
    """Return a column of one of `BLOB_LISTS`, with empty blobs and lists."""
    type_, random = BLOB_LISTS[name], np.random.default_rng(rows)
    blobs = [
        None if random.random() < nulls else b"blob %d" % n * (n % 3 * 9) for n in range(2 * rows)
    ]
    items = pa.array(blobs, pa.large_binary())
    if pa.types.is_struct(type_.value_type):
        parts = [items, drawn(pa.int8(), 2 * rows, nulls)]
        items = pa.StructArray.from_arrays(parts, fields=list(type_.value_type))
    ends = np.append(0, np.sort(random.integers(0, 2 * rows + 1, rows)))
    if rows:
        ends[-1] = 2 * rows  # pylance fails to write a page of no blobs
    mask = pa.array(random.random(rows) < nulls)
    if pa.types.is_large_list(type_):
        lists = pa.LargeListArray.from_arrays(pa.array(ends), items, type=type_, mask=mask)
    else:
        offsets = pa.array(ends.astype(np.int32))
        lists = pa.ListArray.from_arrays(offsets, items, type=type_, mask=mask)
    return pa.table({"c": lists})
