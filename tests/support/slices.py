"""Arrow columns that are slices of longer ones, as tables of users often are."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

__all__ = ["PADDING", "sliced", "sliced_table"]

PADDING = 13
"""Rows before a slice: no multiple of 8, so that its validity begins amid a byte."""


def sliced(values: Any, *, nulls: bool = True) -> Any:
    """Return the same values as a slice, with other rows before and after them.

    nulls  whether there are nulls among the other rows
    """
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    others = pa.concat_arrays([values] * (PADDING // max(len(values), 1) + 1))[::-1]
    few = pa.nulls(3, values.type) if nulls else others[:3]
    whole = pa.concat_arrays([others[: PADDING - 3], few, values, few, others])
    found = whole.slice(PADDING, len(values))
    assert len(values) == 0 or (found.offset == PADDING and found.equals(values))
    return found


def sliced_table(table: pa.Table) -> pa.Table:
    """Return the same rows, each column a slice."""
    return pa.Table.from_arrays([sliced(each) for each in table.columns], schema=table.schema)
