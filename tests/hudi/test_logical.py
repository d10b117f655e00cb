"""Columns of base files and of logs are converted to one type.

Types are unified by themselves, without files for each pair of them.
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from byteloom.hudi.value_types import logical_types, typed


def test_decimals_of_logs_are_big_endian_integers() -> None:
    """Big-endian integers of logs become the decimals of base files, with their sign."""
    base = pa.table({"n": pa.array([Decimal("-1.50")], pa.decimal128(5, 2))})
    raw = [(-150).to_bytes(3, "big", signed=True), None, (7).to_bytes(3, "big")]
    for of in (pa.binary(3), pa.binary()):
        made = typed(pa.table({"n": pa.array(raw, of)}), logical_types([base]))
        assert made["n"].type == pa.decimal128(5, 2)
        assert made["n"].to_pylist() == [Decimal("-1.50"), None, Decimal("0.07")]


def test_nanoseconds_of_base_files_are_compared_as_microseconds() -> None:
    """Nanoseconds of base files and microseconds of logs become equal timestamps."""
    moment = datetime(2020, 1, 1, 0, 0, 0, 5, tzinfo=UTC)
    base = pa.table({"t": pa.array([moment], pa.timestamp("ns", "UTC"))})
    log = pa.table({"t": pa.array([1_577_836_800_000_005], pa.int64())})
    types = logical_types([log, base])
    assert typed(base, types)["t"].to_pylist() == [moment] == typed(log, types)["t"].to_pylist()


def test_days_are_integers_of_32_bits() -> None:
    """Days that a log stores as 32-bit integers, as Avro does, become dates."""
    types = logical_types([pa.table({"d": pa.array([1], pa.date32())})])
    log = pa.table({"d": pa.array([18_262], pa.int32())})
    assert typed(log, types)["d"].to_pylist() == [date(2020, 1, 1)]


@pytest.mark.parametrize(
    ("kinds", "wanted"),
    [
        ((pa.int32(), pa.int64()), pa.int64()),
        ((pa.int64(), pa.float32()), pa.float32()),
        ((pa.int32(), pa.decimal128(5, 2)), pa.decimal128(12, 2)),
        ((pa.decimal128(5, 1), pa.decimal128(5, 3)), pa.decimal128(7, 3)),
    ],
)
def test_numbers_of_a_widened_column(kinds: tuple[pa.DataType, pa.DataType], wanted: Any) -> None:
    """Numbers of a column whose type was changed get the widest type."""
    tables = [pa.table({"n": pa.array([7, None], kind)}) for kind in kinds]
    made = [typed(each, logical_types(tables))["n"] for each in tables]
    assert [each.type for each in made] == [wanted, wanted]
    assert [each.to_pylist() for each in made] == [[7, None], [7, None]]


def test_columns_of_nulls_and_without_logical_types_stay() -> None:
    """Columns of nulls, or without a logical type, are not converted."""
    types = logical_types([pa.table({"t": pa.array([1], pa.date32())})])
    table = pa.table({"t": pa.nulls(1), "s": ["a"]})
    assert typed(table, types).equals(table)


def test_a_column_of_another_kind_is_an_error() -> None:
    """A log whose field is text does not fit a base file whose field is a date."""
    types = logical_types([pa.table({"t": pa.array([1], pa.date32())})])
    with pytest.raises(pa.ArrowInvalid, match="Failed to parse string"):
        typed(pa.table({"t": ["x"]}), types)
