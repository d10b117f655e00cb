"""Results of transforms that overflow: truncated integers below the least one, and hours far off.

The rules:

- ``truncate[10]`` of the least long would be below all longs: all writers store that multiple
  of ten plus 2^64, a positive number, which would sort last. Before partition values are compared,
  it is replaced by the least long itself, to which no other value is truncated.
- A filter on ``truncate(10, x)`` itself means the value that is stored.
- Bounds of a column are bounds of the results only if no result between them wraps.

Source: Iceberg table spec, "Partition Transforms", which does not say what happens there.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from byteloom.datafiles.fields import FIELD_ID
from byteloom.iceberg.expressions.ast import And, Operation, Or
from byteloom.iceberg.transforms import Hour, Truncate
from byteloom.late import pc

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from byteloom.iceberg.expressions.ast import BoundPredicate, Expression
    from byteloom.iceberg.partition_spec import PartitionSpec
    from byteloom.iceberg.transforms import Transform

__all__ = ["LEAST", "laps", "of_results", "unwrapped", "unwrapped_value", "wrapped_value"]

LEAST: Final = {"int": -(1 << 31), "long": -(1 << 63)}
"""The least value of each type that wraps."""

_MICROS: Final = frozenset({"timestamp", "timestamptz"})
_MICROS_PER_HOUR: Final = 3_600_000_000
_HALF_LAP: Final = 1 << 31
_COMPARED: Final[dict[Operation, Callable[[int, tuple[Any, ...]], bool]]] = {
    Operation.LT: lambda value, literals: value < literals[0],
    Operation.LT_EQ: lambda value, literals: value <= literals[0],
    Operation.GT: lambda value, literals: value > literals[0],
    Operation.GT_EQ: lambda value, literals: value >= literals[0],
    Operation.EQ: lambda value, literals: value in literals,
    Operation.IN: lambda value, literals: value in literals,
    Operation.NOT_EQ: lambda value, literals: value not in literals,
    Operation.NOT_IN: lambda value, literals: value not in literals,
}
_KINDS: Final = {pa.int32(): "int", pa.int64(): "long"}


def wrapped_value(transform: Transform | None, kind: str) -> int | None:
    """Return the result for the least values of a type, which wraps; None if no result does."""
    if not isinstance(transform, Truncate) or kind not in LEAST:
        return None
    rest = LEAST[kind] % transform.width
    return -LEAST[kind] - rest if rest else None


def laps(transform: Transform, kind: str, numbers: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """Return how often the results for values of a type have wrapped; None if none can."""
    if isinstance(transform, Hour) and kind in _MICROS:
        return (numbers // _MICROS_PER_HOUR + _HALF_LAP) >> 32
    if wrapped_value(transform, kind) is None:
        return None
    width = getattr(transform, "width", 1)
    return -(numbers < LEAST[kind] + -LEAST[kind] % width).astype("i8")


def unwrapped_value(transform: Transform, kind: str, value: Any) -> Any:
    """Return a transformed value in comparable form."""
    return LEAST[kind] if value is not None and value == wrapped_value(transform, kind) else value


def of_results(asked: BoundPredicate, transform: Transform, kind: str) -> Expression:
    """Return an expression for partition values of a transform after `unwrapped`.

    Args:
        kind: Type of the column that is transformed.
    """
    wrapped = wrapped_value(transform, kind)
    if wrapped is None or asked.operation.is_unary:
        return asked
    least = (LEAST[kind],)  # the literal stands for the value that wrapped around
    if _COMPARED[asked.operation](wrapped, asked.literals):
        return Or.of(asked, replace(asked, operation=Operation.EQ, literals=least))
    return And.of(asked, replace(asked, operation=Operation.NOT_EQ, literals=least))


def unwrapped(spec: PartitionSpec, partitions: pa.StructArray) -> pa.StructArray:
    """Return partition tuples in comparable form.

    Args:
        partitions: Structs whose fields carry their ids.
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
