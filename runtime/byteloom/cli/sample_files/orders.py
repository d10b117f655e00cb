"""The thousand orders that every sample is about; the same ones each time."""

from __future__ import annotations

from typing import Final

import pyarrow as pa

__all__ = ["NUM_ORDERS", "orders"]

NUM_ORDERS: Final = 1000

_COUNTRIES: Final = ("CA", "DE", "FR", "IN", "JP", "NO", "ZA")

_FIRST_MOMENT: Final = 1_700_000_000_000_000
"""Microseconds since 1970: 2023-11-14 22:13:20."""

_BETWEEN: Final = 97_000_000
"""Microseconds from one order to the next."""


def orders() -> pa.Table:
    """Return the orders: a number, a country, an amount in cents, and when each was placed."""
    numbers = range(NUM_ORDERS)
    placed = [_FIRST_MOMENT + _BETWEEN * number for number in numbers]
    return pa.table(
        {
            "id": pa.array(numbers, pa.int64()),
            "country": [_COUNTRIES[number % len(_COUNTRIES)] for number in numbers],
            "cents": pa.array([1 + number * 7919 % 50_000 for number in numbers], pa.int64()),
            "placed_at": pa.array(placed, pa.timestamp("us", tz="UTC")),
        }
    )
