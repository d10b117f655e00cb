"""Which columns of rows have values that come again, judged by a few of them.

The rules:

- A dictionary is worth its cost only where values repeat. Java's writer finds that out with its
  first page; here some rows at the beginning, and as many from all over, are looked at.
- A column repeats if one value in fifty of these has been there before. Nested columns are taken to
  repeat, as are columns of few rows.

Source: parquet-java's ``FallbackValuesWriter``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from byteloom.arrow.texts import is_text
from byteloom.iceberg.reading.conversion import expanded
from byteloom.late import pc

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray

__all__ = ["repeated", "taken"]

_SAMPLE: Final = 2048
"""Rows at the beginning that are looked at, and rows from all over."""

_SHARE: Final = 50
"""One value in so many was there before."""


def repeated(rows: pa.Table) -> frozenset[str]:
    """Return the names of the columns whose values come again."""
    if rows.num_rows <= 2 * _SAMPLE:
        return frozenset(rows.column_names)
    spread = np.linspace(_SAMPLE, rows.num_rows - 1, _SAMPLE, dtype=np.int64)
    places = pa.array(np.concatenate([np.arange(_SAMPLE), spread]))
    return frozenset(name for name in rows.column_names if _repeats(rows[name].take(places)))


def _repeats(values: pa.ChunkedArray) -> bool:
    """Return whether some of these values come again."""
    if pa.types.is_nested(values.type):
        return True
    present = len(values) - values.null_count
    return bool(present - pc.count_distinct(values).as_py() >= present / _SHARE)


def taken(rows: pa.Table, order: NDArray[np.int64], again: AbstractSet[str]) -> pa.Table:
    """Return rows in another order.

    Text that repeats is taken by its codes: its bytes are then copied from a few places in fast
    memory, which takes half the time.

    Args:
        rows: The rows.
        order: Their numbers in the new order.
        again: What `repeated` returned.
    """
    places = pa.array(order)
    columns = []
    for name, column in zip(rows.column_names, rows.columns, strict=True):
        if name in again and is_text(column.type):
            codes = column.combine_chunks().dictionary_encode().take(places)
            columns.append(expanded(codes))
        else:
            columns.append(column.take(places))
    return pa.Table.from_arrays(columns, schema=rows.schema)
