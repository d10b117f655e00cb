"""Expressions are evaluated on Arrow data without a schema of Iceberg.

Filters of Lance use this internal module; its files do not have all of Arrow's types.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from byteloom.errors import FormatError, Unsupported
from byteloom.iceberg import parse
from byteloom.iceberg.expressions.on_arrow import ArrowCondition

MOMENT = datetime(2024, 5, 6, 7, 8, 9)  # noqa: DTZ001  of columns without a zone
COLUMNS: dict[str, tuple[pa.DataType, Any, str]] = {
    "bool": (pa.bool_(), True, "c = true"),
    "int8": (pa.int8(), -3, "c < -2"),
    "uint16": (pa.uint16(), 65_535, "c = 65535"),
    "uint32": (pa.uint32(), (1 << 32) - 1, "c = 4294967295"),
    "uint64": (pa.uint64(), (1 << 64) - 1, "c = 18446744073709551615"),
    "half": (pa.float16(), 0.5, "c = 0.5"),
    "large text": (pa.large_string(), "\xe4", "c starts with '\xe4'"),
    "view": (pa.string_view(), "abc", "c = 'abc'"),
    "dictionary": (pa.dictionary(pa.int8(), pa.string()), "abc", "c in ('abc', 'd')"),
    "bytes": (pa.binary(), b"\xff", "c = X'ff'"),
    "fixed": (pa.binary(2), b"\1\2", "c = X'0102'"),
    "date": (pa.date32(), date(2024, 5, 6), "c = '2024-05-06'"),
    "time": (pa.time32("s"), time(7, 8, 9), "c > '07:08:08'"),
    "seconds": (pa.timestamp("s"), MOMENT, "c = '2024-05-06T07:08:09'"),
    "nanoseconds": (pa.timestamp("ns"), MOMENT, "c = '2024-05-06T07:08:09'"),
    "zoned": (
        pa.timestamp("ms", "Europe/Berlin"),
        MOMENT.replace(tzinfo=UTC),
        "c = '2024-05-06T07:08:09+00:00'",
    ),
    "decimal": (pa.decimal128(5, 2), Decimal("1.25"), "c = 1.25"),
    "wide decimal": (pa.decimal256(38, 2), Decimal("1.25"), "c = 1.25"),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_is_compared_as_the_type_that_has_its_values(name: str) -> None:
    """A column of Arrow compares as the Iceberg type with its values, and null is null."""
    type_, value, text = COLUMNS[name]
    batch = pa.record_batch({"c": pa.array([value, None], type_)})
    for asked, wanted in ((text, [True, False]), ("c is null", [False, True])):
        condition = ArrowCondition(parse(asked), batch.schema)
        assert condition.columns == ["c"]
        assert condition.matches(batch).to_pylist() == wanted


@pytest.mark.parametrize(
    "type_",
    [
        pa.duration("s"),
        pa.time64("ns"),
        pa.list_(pa.int8()),
        pa.decimal256(39, 2),
        pa.decimal128(5, -2),
        pa.null(),
    ],
)
def test_columns_of_other_types_cannot_be_asked(type_: pa.DataType) -> None:
    """A filter on a column without an Iceberg type is an error with its path and type."""
    schema = pa.schema([("c", type_), ("s", pa.struct([("c", type_), ("d", pa.int8())]))])
    for name in ("c", "s.c"):
        with pytest.raises(Unsupported, match=rf"filter: found {name}, a column of \w+"):
            ArrowCondition(parse(f"{name} = 1 or s.d = 1"), schema)


@pytest.mark.parametrize(
    "values",
    [
        pa.array([[1], None, []]),
        pa.array([{}, None, {}], pa.map_(pa.string(), pa.int8())),
        pa.array([1, None, 2], pa.decimal256(50, 2)),
        pa.array([1, None, 2], pa.duration("s")),
        pa.array([{"x": [1]}, None, {"x": None}]),
    ],
)
def test_nulls_of_any_type_can_be_asked_for(values: pa.Array) -> None:
    """Whether a value is null can be asked of each column, even inside a struct."""
    inner = pa.StructArray.from_arrays([values], ["c"])
    batch = pa.record_batch([values, inner], ["c", "s"])
    for name in ("c", "s.c"):
        asked = ArrowCondition(parse(f"{name} is null"), batch.schema)
        assert asked.columns == [name]
        assert asked.matches(batch).to_pylist() == [False, True, False]
        other = ArrowCondition(parse(f"not {name} is null and s is not null"), batch.schema)
        assert other.matches(batch).to_pylist() == [True, False, True]


def test_names_of_both_sides_and_of_transforms_are_asked_once() -> None:
    """A filter needs each of its columns once, in the order of its text."""
    schema = pa.schema([("b", pa.int8()), ("a", pa.timestamp("us"))])
    condition = ArrowCondition(parse("not day(a) = '2024-05-06' and (b = 1 or b = 2)"), schema)
    assert condition.columns == ["a", "b"]
    batch = pa.record_batch(
        [pa.array([2, 2, 3], pa.int8()), pa.array([None, MOMENT, MOMENT])], ["b", "a"]
    )
    assert condition.matches(batch).to_pylist() == [True, False, False]


def test_moments_that_microseconds_do_not_have_are_refused() -> None:
    """Timestamps in seconds that overflow microseconds are refused."""
    batch = pa.record_batch({"c": pa.array([1 << 60], pa.timestamp("s"))})
    with pytest.raises(FormatError, match="c: found a value outside of its type"):
        ArrowCondition(parse("c is not null"), batch.schema).matches(batch)
