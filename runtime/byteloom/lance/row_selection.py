"""The rows that a caller asks for, by their numbers or as a range."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import ArgumentError

__all__ = ["BATCH_ROWS", "ascending_once", "row_numbers", "row_range", "without_columns"]

BATCH_ROWS: Final = 1 << 16
"""Rows of a batch by default."""


def row_range(rows: Any, count: int) -> range:
    """Return the selected range of *count* rows; all rows for None."""
    if rows is None:
        return range(count)
    if not isinstance(rows, range) or rows.step != 1:
        raise ArgumentError("rows", None, repr(rows), "a range of rows, one after the other")
    if len(rows) and not 0 <= rows.start < rows.stop <= count:
        raise ArgumentError("rows", None, repr(rows), f"rows 0 to {count}")
    return rows if len(rows) else range(0)


def row_numbers(rows: Any, count: int) -> np.ndarray:
    """Return numbers of rows, each below *count*."""
    given = rows.to_numpy(zero_copy_only=False) if isinstance(rows, pa.Array) else rows
    try:
        numbers = np.asarray(given)
    except ValueError:  # lists of different lengths
        numbers = np.empty((0, 0))
    if numbers.ndim != 1:
        raise ArgumentError("rows", None, type(rows).__name__, "a list of integers")
    if len(numbers) and numbers.dtype.kind not in "iu":
        _check_integers(rows)
    if len(numbers) and not (numbers.min() >= 0 and numbers.max() < count):
        found = numbers.min() if numbers.min() < 0 else numbers.max()
        raise ArgumentError("rows", None, int(found), f"0 to {count - 1}")
    return numbers.astype(np.int64)


def ascending_once(numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
    """Return numbers in order, each once, and the place of each; None if it is its own."""
    if (numbers[1:] > numbers[:-1]).all():
        return numbers, None
    return np.unique(numbers, return_inverse=True)


def without_columns(count: int) -> pa.Table:
    """Return a table of *count* rows that has no column: pyarrow loses their number elsewhere."""
    return pa.table({"": pa.nulls(count)}).select([])


def _check_integers(rows: Any) -> None:
    """Refuse the first of *rows* that is not an integer, however large."""
    values = rows.to_pylist() if isinstance(rows, pa.Array) else np.asarray(rows, object).tolist()
    for each in values:
        if isinstance(each, bool) or not isinstance(each, int | np.integer):
            raise ArgumentError("rows", None, f"{each!r}", "integers")
