"""Columns as ordinary tables have them: numbers, texts of few or many values, moments, lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["MAKERS"]

_TOWNS = pa.array([f"town {each}" for each in range(500)])


def _orders(random: np.random.Generator, rows: int) -> pa.Array:
    """Texts that differ."""
    return pa.array(np.char.mod("order-%012d", random.integers(0, 1 << 40, rows)).tolist())


def _moments(random: np.random.Generator, rows: int) -> pa.Array:
    """Moments that rise."""
    steps = np.cumsum(random.integers(0, 1 << 20, rows))
    return pa.array(1_600_000_000_000_000 + steps).cast(pa.timestamp("us", "UTC"))


def _lists(random: np.random.Generator, rows: int) -> pa.Array:
    """Lists of up to three numbers."""
    ends = np.concatenate([[0], np.cumsum(random.integers(0, 4, rows))]).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(ends), _ints(random, int(ends[-1])))


def _ints(random: np.random.Generator, rows: int) -> pa.Array:
    """Numbers below 1,000."""
    return pa.array(random.integers(0, 1000, rows).astype(np.int32))


MAKERS: dict[str, Callable[[np.random.Generator, int], pa.Array]] = {
    "long": lambda random, rows: pa.array(np.sort(random.integers(0, 1 << 40, rows))),
    "int": _ints,
    "double": lambda random, rows: pa.array(random.random(rows), mask=random.random(rows) < 0.1),
    "string": lambda random, rows: _TOWNS.take(pa.array(random.integers(0, len(_TOWNS), rows))),
    "string of an order": _orders,
    "timestamptz": _moments,
    "date": lambda random, rows: _ints(random, rows).cast(pa.date32()),
    "decimal(12, 0)": lambda random, rows: _ints(random, rows).cast(pa.decimal128(12)),
    "boolean": lambda random, rows: pa.array(random.random(rows) < 0.5),
    "list": _lists,
}
"""How the values of a column are made, by its type in Iceberg's words."""
