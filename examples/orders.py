"""Made-up orders, the same ones each time, with columns of many types."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["orders"]


def orders(count: int) -> pa.Table:
    """Return *count* orders, sorted by id."""
    random = np.random.default_rng(7)
    day = random.integers(19_000, 19_730, count)
    second = day * 86_400 + random.integers(0, 86_400, count)
    cents = pa.array(random.integers(1, 80_000, count)).cast(pa.decimal128(19, 0))
    countries = pa.array([f"country {number:03}" for number in range(200)])
    names = pa.array(random.integers(0, 300_000, count)).cast(pa.string())
    token = pa.py_buffer(random.bytes(16 * count))
    return pa.table(
        {
            "order_id": pa.array(np.arange(count) * 7),
            "customer": pa.array(random.zipf(1.3, count) % 60_000, pa.int32()),
            "country": countries.take(pa.array(random.integers(0, 200, count))),
            "email": pc.binary_join_element_wise(names, "example.org", "@"),
            "amount": pc.multiply(cents, pa.scalar(Decimal("0.01"))).cast(pa.decimal128(12, 2)),
            "weight": pa.array(np.round(random.gamma(2, 40, count), 2)),
            "day": pa.array(day.astype(np.int32)).cast(pa.date32()),
            "placed_at": pa.array(second * 1_000_000).cast(pa.timestamp("us", tz="UTC")),
            "express": pa.array(random.random(count) < 0.1),  # noqa: PLR2004  one in ten
            "voucher": pa.array(random.integers(0, 900, count), mask=random.random(count) < 0.9),  # noqa: PLR2004
            "token": pa.FixedSizeBinaryArray.from_buffers(pa.binary(16), count, [None, token]),
        }
    )
