"""Partition values of truncated integers that wrapped below the least one.

``truncate[10]`` of the least long has no multiple of ten to give: all writers store 2^64 more, a
value above zero, which would sort last.  Before partition values are compared, that one becomes the
least long itself, which nothing else is truncated to.

Source: Iceberg table spec, "Partition Transforms", which does not say what happens there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from byteloom.iceberg.arrow_types import FIELD_ID
from byteloom.iceberg.transforms import Truncate

if TYPE_CHECKING:
    from byteloom.iceberg.partition_spec import PartitionSpec
    from byteloom.iceberg.transforms import Transform

__all__ = ["LEAST", "unwrapped", "unwrapped_value", "wrapped_value"]

LEAST: Final = {"int": -(1 << 31), "long": -(1 << 63)}
"""The least value of each type that wraps."""

_KINDS: Final = {pa.int32(): "int", pa.int64(): "long"}


def wrapped_value(transform: Transform | None, kind: str) -> int | None:
    """Return what the least values of a type are truncated to; None where nothing wraps."""
    if not isinstance(transform, Truncate) or kind not in LEAST:
        return None
    rest = LEAST[kind] % transform.width
    return -LEAST[kind] - rest if rest else None


def unwrapped_value(transform: Transform, kind: str, value: Any) -> Any:
    """Return a transformed value as it compares."""
    return LEAST[kind] if value is not None and value == wrapped_value(transform, kind) else value


def unwrapped(spec: PartitionSpec, partitions: pa.StructArray) -> pa.StructArray:
    """Return partition tuples as they compare.

    partitions  structs whose fields carry their ids
    """
    transforms = {str(each.field_id).encode(): each.transform for each in spec.fields}
    columns, is_changed = partitions.flatten(), False
    for number, field in enumerate(partitions.type):
        kind = _KINDS.get(field.type, "")
        wrapped = wrapped_value(transforms.get((field.metadata or {}).get(FIELD_ID, b"")), kind)
        if wrapped is not None:
            least = pa.scalar(LEAST[kind], field.type)
            is_wrapped = pc.equal(columns[number], pa.scalar(wrapped, field.type))
            columns[number] = pc.if_else(is_wrapped, least, columns[number])
            is_changed = True
    if not is_changed:
        return partitions
    return pa.StructArray.from_arrays(columns, fields=list(partitions.type))
