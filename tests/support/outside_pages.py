"""Tables of blobs and packed structs, which Lance stores in ways of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["BLOB", "OWN_WAYS", "PACKED", "own_way"]

BLOB = {"lance-encoding:blob": "true"}
PACKED = {"lance-encoding:packed": "true"}
POINT = pa.struct([("a", pa.int8()), ("b", pa.float64()), ("c", pa.binary(3))])


def _blobs(nulls: int) -> pa.Table:
    """Large bytes, small and empty ones, with a null at regular distances."""
    values = [None if n % nulls == 1 else b"blob %d" % n * (n % 3 * 50) for n in range(600)]
    field = pa.field("c", pa.large_binary(), metadata=BLOB)
    return pa.Table.from_arrays([pa.array(values, field.type)], schema=pa.schema([field]))


def _points(nulls: int) -> pa.Array:
    rows = [
        None if n % nulls == 1 else {"a": n % 99, "b": n / 4, "c": b"%03d" % (n % 999)}
        for n in range(3000)
    ]
    return pa.array(rows, POINT)


def _packed(nulls: int) -> pa.Table:
    field = pa.field("c", POINT, metadata=PACKED)
    return pa.Table.from_arrays([_points(nulls).slice(5)], schema=pa.schema([field]))


def _inside() -> pa.Table:
    """Blobs and packed structs as fields of a struct, and packed structs in lists."""
    blob, point = (
        pa.field("x", pa.large_binary(), metadata=BLOB),
        pa.field("p", POINT, metadata=PACKED),
    )
    points = _points(5000)[2:602]
    blobs = _blobs(7)["c"].chunk(0)
    structs = pa.StructArray.from_arrays([blobs, points], fields=[blob, point])
    offsets = pa.array([n if n % 7 != 3 else None for n in range(601)], pa.int32())
    lists = pa.ListArray.from_arrays(offsets, points, type=pa.list_(point.with_name("item")))
    return pa.table({"s": structs, "l": lists})


OWN_WAYS: dict[str, Callable[[], pa.Table]] = {
    "blobs": lambda: _blobs(7),
    "blobs that are all there": lambda: _blobs(5000)[2:],
    "null blobs": lambda: _blobs(5000)[1:2],
    "packed": lambda: _packed(7),
    "packed that are all there": lambda: _packed(5000),
    "both inside of others": _inside,
}


def own_way(name: str) -> pa.Table:
    """Return a table of one of `OWN_WAYS`."""
    return OWN_WAYS[name]()
