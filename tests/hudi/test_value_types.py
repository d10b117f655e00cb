"""The types of minimum and maximum values, and the common type where files disagree.

Types are unified by themselves, without files for each pair of them.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from tests.support.hudi_records import SCHEMA_TEXT, value_of

from byteloom.errors import FormatError, Unsupported
from byteloom.hudi.avro_values import decode
from byteloom.hudi.value_types import common_type, native

DECIMAL = pa.decimal128(30, 15)
ONE = (10**15).to_bytes(7)
"""1 in a `DECIMAL`, as it is stored."""
SECOND = datetime(1970, 1, 1, 0, 0, 1)  # noqa: DTZ001  Arrow has times without a zone too


def statistics(*rows: tuple[str, Any, int | None, str | None]) -> pa.Array:
    """Return statistics of one column from the wrapper, value and type of its minimum."""
    values = []
    for wrapper, value, ordinal, detail in rows:
        kind = None if ordinal is None else {"typeOrdinal": ordinal, "additionalInfo": detail}
        stated = {
            "minValue": (wrapper, {"value": value}),
            "isDeleted": False,
            "isTightBound": True,
            "valueType": kind,
        }
        values.append(value_of(type=3, ColumnStatsMetadata=stated))
    return decode(pa.array(values), SCHEMA_TEXT, ("ColumnStatsMetadata",)).field(0)


@pytest.mark.parametrize(
    ("wrapper", "stored", "ordinal", "detail", "kind", "value"),
    [
        ("BooleanWrapper", True, 2, None, pa.bool_(), True),
        ("IntWrapper", -1, 3, None, pa.int32(), -1),
        ("LongWrapper", 1 << 40, 4, None, pa.int64(), 1 << 40),
        ("FloatWrapper", 0.5, 5, None, pa.float32(), 0.5),
        ("DoubleWrapper", 0.1, 6, None, pa.float64(), 0.1),
        ("StringWrapper", "é", 7, None, pa.string(), "é"),
        ("BytesWrapper", b"\0", 8, None, pa.binary(), b"\0"),
        ("BytesWrapper", b"\xff\x7f", 10, "5,2", pa.decimal128(5, 2), Decimal("-1.29")),
        ("IntWrapper", -1, 12, None, pa.date32(), date(1969, 12, 31)),
        ("IntWrapper", 1, 13, None, pa.time32("ms"), time(0, 0, 0, 1000)),
        ("LongWrapper", 1, 14, None, pa.time64("us"), time(0, 0, 0, 1)),
        ("LongWrapper", 1000, 15, None, pa.timestamp("ms", "UTC"), SECOND),
        ("LongWrapper", 10**6, 16, None, pa.timestamp("us", "UTC"), SECOND),
        ("LongWrapper", 10**6, 19, None, pa.timestamp("us"), SECOND),
        ("IntWrapper", 5, None, None, pa.int32(), 5),
        ("IntWrapper", 5, 0, None, pa.int32(), 5),
        ("DateWrapper", 1, None, None, pa.date32(), date(1970, 1, 2)),
        ("LocalDateWrapper", 1, None, None, pa.date32(), date(1970, 1, 2)),
        ("DecimalWrapper", b"\x01", None, None, DECIMAL, Decimal("1e-15")),
        ("TimeMicrosWrapper", 1, None, None, pa.time64("us"), time(0, 0, 0, 1)),
    ],
)
def test_values_have_their_own_type(  # noqa: PLR0917  the columns of the table above
    wrapper: str, stored: Any, ordinal: int | None, detail: str | None, kind: Any, value: Any
) -> None:
    """A bound has the type stored beside it, or else that of its wrapper."""
    low, high = native(statistics((wrapper, stored, ordinal, detail)))
    assert low.type == kind
    assert high.type == kind
    if pa.types.is_timestamp(kind) and kind.tz:
        value = value.replace(tzinfo=UTC)
    assert low.to_pylist() == [value]
    assert high.to_pylist() == [None]


@pytest.mark.parametrize(
    ("kinds", "wanted"),
    [
        ([], pa.null()),
        ([pa.null(), pa.int32()], pa.int32()),
        ([pa.int32(), pa.int64()], pa.int64()),
        ([pa.float32(), pa.float64()], pa.float64()),
        ([pa.int32(), pa.date32()], pa.date32()),
        ([pa.int64(), pa.timestamp("us", "UTC")], pa.timestamp("us", "UTC")),
        ([pa.decimal128(5, 2), DECIMAL], DECIMAL),
        ([pa.int64(), pa.float64()], pa.float64()),
        ([pa.int64(), pa.float32()], pa.float32()),
        ([pa.int32(), pa.decimal128(12, 2)], pa.decimal128(12, 2)),
        ([pa.int64(), pa.decimal128(12, 2)], pa.decimal128(21, 2)),
        ([pa.float64(), pa.decimal128(12, 2)], pa.string()),
        ([pa.int32(), pa.string()], pa.string()),
        ([pa.date32(), pa.timestamp("us", "UTC")], pa.string()),
        ([pa.binary(), pa.string()], pa.string()),
    ],
)
def test_types_have_something_in_common(kinds: list[Any], wanted: Any) -> None:
    """Two types combine to the wider one that holds both, or else to text."""
    assert common_type(set(kinds)) == wanted


@pytest.mark.parametrize(
    ("rows", "wanted"),
    [
        ([("IntWrapper", 1, 3, None), ("LongWrapper", 1 << 40, 4, None)], [1, 1 << 40]),
        ([("IntWrapper", 9, 3, None), ("DoubleWrapper", 2.5, 6, None)], [9.0, 2.5]),
        ([("LongWrapper", 2**63 - 1, 4, None), ("FloatWrapper", 0.5, 5, None)], [2.0**63, 0.5]),
        (
            [("LongWrapper", 2**63 - 1, 4, None), ("BytesWrapper", b"\x96", 10, "5,2")],
            [Decimal(2**63 - 1), Decimal("-1.06")],
        ),
    ],
    ids=str,
)
def test_bounds_of_a_widened_column(rows: list[Any], wanted: list[Any]) -> None:
    """Bounds of a column whose type was widened are numbers of the widest type."""
    low, _ = native(statistics(*rows))
    assert low.to_pylist() == wanted


@pytest.mark.parametrize(
    "other",
    [("IntWrapper", 9, 3, None), ("BytesWrapper", b"\1", 8, None), ("IntWrapper", 9, 12, None)],
    ids=["number", "bytes", "date"],
)
def test_bounds_of_a_column_that_became_text(other: Any) -> None:
    """Bounds of another type are null in a column of text, in which their order is another one."""
    low, _ = native(statistics(("StringWrapper", "z", 7, None), other))
    assert low.to_pylist() == ["z", None]


@pytest.mark.parametrize(
    ("row", "error"),
    [
        (("StringWrapper", "a", 3, None), FormatError),
        (("BytesWrapper", b"\1", 10, "many"), FormatError),
        (("BytesWrapper", b"\1" * 20, 10, "5,2"), FormatError),
        (("IntWrapper", 1, 99, None), Unsupported),
        (("IntWrapper", 1, -7, None), Unsupported),
    ],
    ids=str,
)
def test_types_that_do_not_fit_are_refused(row: Any, error: type[Exception]) -> None:
    """Text that is not a number, over-long decimals and unknown types are refused."""
    with pytest.raises(error, match="valueType"):
        native(statistics(row))


@pytest.mark.parametrize(
    ("rows", "kind"),
    [
        (
            [("TimestampMicrosWrapper", 10**6, None, None), ("LongWrapper", 1000, 15, None)],
            pa.timestamp("us", "UTC"),
        ),
        (
            [("TimeMicrosWrapper", 10**6, None, None), ("IntWrapper", 1000, 13, None)],
            pa.time64("us"),
        ),
        (
            [
                ("DecimalWrapper", (10**15).to_bytes(7), None, None),
                ("BytesWrapper", b"\1", 10, "38,0"),
            ],
            pa.decimal256(53, 15),
        ),
        (
            [
                ("DecimalWrapper", (10**15).to_bytes(7), None, None),
                ("BytesWrapper", b"\1", 10, "23,0"),
            ],
            pa.decimal128(38, 15),
        ),
    ],
)
def test_bounds_of_a_table_upgraded_from_version_6_have_one_type(rows: Any, kind: Any) -> None:
    """Bounds from before and after an upgrade from version 6 have one type."""
    low, _ = native(statistics(*rows))
    assert low.type == kind
    first, second = low.to_pylist()
    assert first == second
