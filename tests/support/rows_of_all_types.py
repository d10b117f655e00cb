"""Rows with a column of each type that all versions have, and what a table of them has."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from math import isnan
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pyarrow as pa

if TYPE_CHECKING:
    from byteloom.iceberg import Table

__all__ = ["COLUMNS", "START", "content", "expected", "row", "rows"]

START = dt.datetime(2024, 6, 1)  # noqa: DTZ001  of a column without a zone

COLUMNS = pa.schema(
    {
        "id": pa.int64(),
        "flag": pa.bool_(),
        "small": pa.int32(),
        "ratio": pa.float64(),
        "half": pa.float32(),
        "price": pa.decimal128(9, 2),
        "large": pa.decimal128(38, 4),
        "day": pa.date32(),
        "time": pa.time64("us"),
        "at": pa.timestamp("us"),
        "seen": pa.timestamp("us", "UTC"),
        "city": pa.string(),
        "key": pa.uuid(),
        "code": pa.binary(4),
        "data": pa.binary(),
        "tags": pa.list_(pa.string()),
        "counts": pa.map_(pa.string(), pa.int64()),
        "point": pa.struct({"x": pa.int32(), "y": pa.list_(pa.float64())}),
    }
)


def row(number: int) -> dict[str, Any]:
    """Return a row; each seventh has nothing but its id."""
    if number % 7 == 6:
        return {"id": number}
    moment = START + dt.timedelta(hours=number)
    return {
        "id": number,
        "flag": number % 2 == 0,
        "small": -number,
        "ratio": float("nan") if number % 5 == 0 else number / 3,
        "half": number / 4,
        "price": Decimal(number) / 100,
        "large": Decimal(number) / 10000,
        "day": moment.date(),
        "time": moment.time(),
        "at": moment,
        "seen": moment.replace(tzinfo=dt.UTC),
        "city": "a/b=c ü+" if number % 3 else "Oslo",
        "key": UUID(int=number),
        "code": number.to_bytes(4, "big"),
        "data": bytes(range(number % 9)),
        "tags": ["x", None] * (number % 3),
        "counts": [("n", number), ("none", None)][: number % 3],
        "point": None if number % 4 == 0 else {"x": number, "y": [number / 2]},
    }


def rows(first: int, end: int) -> pa.Table:
    """Return the rows with these numbers."""
    return pa.Table.from_pylist([row(each) for each in range(first, end)], schema=COLUMNS)


def content(table: Table, ref: str | None = None) -> list[dict[str, Any]]:
    """Return the rows of a table in the order of their ids, with NaN as text."""
    found = table.scan(ref=ref).to_table().sort_by("id").to_pylist()
    return [comparable(each) for each in found]


def comparable(found: dict[str, Any]) -> dict[str, Any]:
    """Return a row with NaN as text, and UUIDs as bytes."""
    return {name: _plain(value) for name, value in found.items()}


def _plain(value: Any) -> Any:
    """Return a value that equals itself."""
    if isinstance(value, float) and isnan(value):
        return "NaN"
    return value.bytes if isinstance(value, UUID) else value


def expected(table: pa.Table) -> list[dict[str, Any]]:
    """Return rows as `content` has them."""
    return [comparable(each) for each in table.sort_by("id").to_pylist()]
