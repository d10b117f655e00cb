"""Bounds of row groups are bytes of Appendix D, for types that compare as in Iceberg."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from io import BytesIO
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from byteloom.datafiles.data_file import UNKNOWN as UNSTATED
from byteloom.datafiles.row_groups import RowGroupStats
from byteloom.iceberg import parse_primitive
from byteloom.iceberg.values import to_binary

DAY: Final = dt.date(2024, 2, 3)
NOON: Final = dt.datetime.combine(DAY, dt.time(12))
KNOWN: Final[list[tuple[pa.DataType, str, list[Any], Any, Any]]] = [
    (pa.bool_(), "boolean", [False, True], False, True),
    (pa.int32(), "int", [-5, 300], -5, 300),
    (pa.int64(), "long", [-5, 1 << 40], -5, 1 << 40),
    (pa.float32(), "float", [-0.5, 1.5], -0.5, 1.5),
    (pa.float64(), "double", [-0.5, 1e300], -0.5, 1e300),
    (pa.date32(), "date", [DAY, DAY + dt.timedelta(3)], 19756, 19759),
    (pa.time64("us"), "time", [dt.time(1), dt.time(2)], 3_600_000_000, 7_200_000_000),
    (pa.timestamp("us"), "timestamp", [NOON, NOON], 1_706_961_600_000_000, None),
    (pa.string(), "string", ["b", "ü"], "b", "ü"),
    (pa.binary(), "binary", [b"\0", b"\xff\1"], b"\0", b"\xff\1"),
]
UNKNOWN: Final[list[tuple[pa.DataType, list[Any]]]] = [
    (pa.int8(), [1, 2]),
    (pa.uint32(), [1, 2]),
    (pa.time32("ms"), [dt.time(1), dt.time(2)]),
    (pa.timestamp("ms"), [NOON, NOON]),
    (pa.decimal128(30, 2), [Decimal("1.00"), Decimal("2.00")]),
    (pa.binary(2), [b"ab", b"cd"]),
]


def stats_of(array: pa.Array, field_id: int = 1, **options: Any) -> RowGroupStats:
    """Return the statistics of a file of one column, in row groups of two rows."""
    field = pa.field("c", array.type, metadata={"PARQUET:field_id": str(field_id)})
    out = BytesIO()
    pq.write_table(pa.table([array], pa.schema([field])), out, row_group_size=2, **options)
    file = pq.ParquetFile(out)
    return RowGroupStats(file.metadata, list(file.schema_arrow))


@pytest.mark.parametrize(("of", "kind", "values", "least", "most"), KNOWN, ids=str)
def test_bounds_are_written_as_iceberg_writes_them(
    of: pa.DataType, kind: str, values: list[Any], least: Any, most: Any
) -> None:
    """A row group has bounds in Iceberg's bytes, and none if it has no values."""
    found = stats_of(pa.array([*values, None, None], of)).stated(1)
    written = parse_primitive(kind)
    lowest = to_binary(written, least)
    highest = lowest if most is None else to_binary(written, most)
    assert found == [(2, 0, lowest, highest), (2, 2, None, None)]


@pytest.mark.parametrize("precision", [9, 18])
def test_decimals_that_are_integers_have_bounds(precision: int) -> None:
    """Decimals stored as integers of 32 or 64 bits have bounds."""
    values = pa.array([Decimal("-1.00"), Decimal("3.00")], pa.decimal128(precision, 2))
    (found,) = stats_of(values, store_decimal_as_integer=True).stated(1)
    numbers = [int.from_bytes(each or b"", "big", signed=True) for each in found[2:]]
    assert numbers == [-100, 300]


@pytest.mark.parametrize(("of", "values"), UNKNOWN, ids=str)
def test_bounds_that_compare_otherwise_are_unknown(of: pa.DataType, values: list[Any]) -> None:
    """Types that compare differently have no bounds, but counts of rows and nulls."""
    found = stats_of(pa.array([values[0], None, *values], of)).stated(1)
    assert found == [(2, 1, None, None), (2, 0, None, None)]


@pytest.mark.parametrize("field_id", [0, 1, (1 << 31) - 1])
def test_columns_of_every_id_are_known(field_id: int) -> None:
    """A column of any id, from 0 up, has statistics, and an unknown id has none."""
    stats = stats_of(pa.array([3, 4], pa.int64()), field_id)
    assert stats.stated(field_id)[0].lower == (3).to_bytes(8, "little")
    assert stats.record_count.tolist() == [2]
    for other in (field_id + 1, -1):
        assert stats.stated(other) == [UNSTATED]


def test_columns_in_lists_have_no_bounds() -> None:
    """A column in a list has no statistics, and one in a struct has."""
    names = {"PARQUET:field_id": "5"}
    inner = pa.field("x", pa.int64(), metadata=names)
    for of, value, wanted in (
        (pa.struct([inner]), {"x": 3}, [2]),
        (pa.list_(inner), [3], [-1]),
        (pa.list_(pa.struct([inner])), [{"x": 3}], [-1]),
    ):
        stats = stats_of(pa.array([value, value], of))
        assert [each.value_count for each in stats.stated(5)] == wanted


def test_statistics_that_are_missing_are_unknown() -> None:
    """A file without statistics has no bounds and no counts."""
    stats = stats_of(pa.array([3, 4], pa.int64()), write_statistics=False)
    assert stats.stated(1) == [UNSTATED]
