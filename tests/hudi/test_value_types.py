"""The types of minimum and maximum values, and the common type where files or logs disagree.

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
from byteloom.hudi.value_types import common_type, logical_types, native, typed

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
