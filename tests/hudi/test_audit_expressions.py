"""Expressions of indexes have the values that Spark gives them, in UTC.

Functions are called by themselves, without an index for each of them.
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pyarrow as pa
import pytest

from byteloom.hudi.audit_expressions import Indexed
from byteloom.hudi.properties import IndexDefinition

MOMENT = datetime(2024, 1, 5, 7, 8, 9, 500_000, tzinfo=UTC)
BEFORE = datetime(1969, 12, 31, 23, 59, 58, 500_000, tzinfo=UTC)
TIMES = pa.chunked_array([pa.array([MOMENT, None, BEFORE], pa.timestamp("us", "UTC"))])
DAYS = pa.chunked_array([pa.array([date(2024, 2, 28), None])])
TEXTS = pa.chunked_array([["Ünder", " xa ", None, ""]])
NUMBERS = pa.chunked_array([pa.array([86_399, None, -1], pa.int64())])


def indexed(function: str, **options: str) -> Indexed:
    """Return an index of a function with options."""
    given = IndexDefinition(
        "expr_index_i", "column_stats", function, options={"expr": function, **options}
    )
    return Indexed(given.name, given)


@pytest.mark.parametrize(
    ("function", "options", "column", "wanted"),
    [
        ("year", {}, TIMES, [2024, None, 1969]),
        ("month", {}, DAYS, [2, None]),
        ("day", {}, DAYS, [28, None]),
        ("hour", {}, TIMES, [7, None, 23]),
        ("date_format", {"format": "yyyy-MM-dd"}, TIMES, ["2024-01-05", None, "1969-12-31"]),
        ("date_format", {"format": "HH:mm:ss"}, TIMES, ["07:08:09", None, "23:59:58"]),
        ("date_format", {"format": "yyyy'%Y'/dd''MM"}, DAYS, ["2024%Y/28'02", None]),
        ("from_unixtime", {}, NUMBERS, ["1970-01-01 23:59:59", None, "1969-12-31 23:59:59"]),
        ("from_unixtime", {"format": "yyyy"}, NUMBERS, ["1970", None, "1969"]),
        ("unix_timestamp", {}, TIMES, [1_704_438_489, None, -2]),
        ("to_date", {}, TIMES, [date(2024, 1, 5), None, date(1969, 12, 31)]),
        ("to_date", {}, DAYS, [date(2024, 2, 28), None]),
        ("date_add", {"days": "2"}, DAYS, [date(2024, 3, 1), None]),
        ("date_sub", {"days": "28"}, DAYS, [date(2024, 1, 31), None]),
        ("lower", {}, TEXTS, ["ünder", " xa ", None, ""]),
        ("upper", {}, TEXTS, ["ÜNDER", " XA ", None, ""]),
        ("trim", {}, TEXTS, ["Ünder", "xa", None, ""]),
        ("ltrim", {}, TEXTS, ["Ünder", "xa ", None, ""]),
        ("rtrim", {"trimString": "r "}, TEXTS, ["Ünde", " xa", None, ""]),
        ("length", {}, TEXTS, [5, 4, None, 0]),
        ("substring", {"pos": "2", "len": "3"}, TEXTS, ["nde", "xa ", None, ""]),
        ("substring", {"pos": "0", "len": "1"}, TEXTS, ["Ü", " ", None, ""]),
        ("substring", {"pos": "-2", "len": "1"}, TEXTS, ["e", "a", None, ""]),
        ("substring", {"pos": "-5", "len": "9"}, TEXTS, ["Ünder", " xa ", None, ""]),
        ("substring", {"pos": "-5", "len": "1"}, TEXTS, ["Ü", "", None, ""]),
        ("substring", {"pos": "1", "len": "-1"}, TEXTS, ["", "", None, ""]),
    ],
)  # fmt: skip
def test_values_of_expressions(
    function: str, options: dict[str, str], column: pa.ChunkedArray, wanted: list[Any]
) -> None:
    """Each function has Spark's values; null stays null."""
    index = indexed(function, **options)
    assert index.is_known
    assert index.values(column).to_pylist() == wanted


@pytest.mark.parametrize(
    ("function", "options", "column"),
    [
        ("lower", {}, NUMBERS),
        ("year", {}, TEXTS),
        ("to_date", {}, TEXTS),
        ("date_format", {"format": "yyyy"}, TEXTS),
        ("date_format", {"format": "EEE"}, TIMES),
        ("unix_timestamp", {"format": "yyyy"}, TEXTS),
        ("substring", {"pos": "1"}, TEXTS),
        ("substring", {"pos": "x", "len": "1"}, TEXTS),
        ("date_add", {}, DAYS),
    ],
)
def test_expressions_that_have_no_values(
    function: str, options: dict[str, str], column: pa.ChunkedArray
) -> None:
    """A column or options that a function does not take are an error of Arrow."""
    with pytest.raises(pa.ArrowException):
        indexed(function, **options).values(column)


def test_values_that_depend_on_a_time_zone() -> None:
    """Values made of times depend on a session's time zone, those of dates and text do not."""
    assert indexed("year").depends_on_zone(TIMES)
    assert indexed("from_unixtime").depends_on_zone(NUMBERS)
    assert not indexed("identity").depends_on_zone(TIMES)
    assert not indexed("year").depends_on_zone(DAYS)
    assert not indexed("regexp_replace").is_known
