"""Literals at the limits of the types that they are compared with are exact."""

from __future__ import annotations

import datetime as dt
import math
import re
from decimal import Decimal
from typing import Any, Final

import numpy as np
import pytest

from byteloom.errors import FormatError
from byteloom.iceberg import NestedField, Schema, bind, col, parse_primitive, to_json

INT: Final = 1 << 31
LONG: Final = 1 << 63
FLOAT: Final = float(np.finfo(np.float32).max)
ABOVE, BELOW = "false", "c is not null"
"""What ``c >= literal`` becomes where no value is as large, and where each one is larger."""


def schema_of(of: str) -> Schema:
    """Return a schema of one column, `c`."""
    return Schema((NestedField(1, "c", parse_primitive(of)),))


def fitted(of: str, literal: Any) -> Any:
    """Return what ``c >= literal`` becomes: its operation and literal, or its text without one."""
    bound: Any = bind(col("c") >= literal, schema_of(of))
    text = str(bound).strip("(").partition(" and ")[0]  # a float is no NaN, either
    if text in {ABOVE, BELOW}:
        return text
    return bound.operation.value, *bound.literals


def between(value: Any) -> tuple[str, Any]:
    """Return a literal just above a value, and below the next one."""
    return "gt", value


def equal(value: Any) -> tuple[str, Any]:
    """Return a literal that is a value."""
    return "gt-eq", value


@pytest.mark.parametrize(
    ("of", "literal", "found"),
    [
        *((of, INT - 1, equal(INT - 1)) for of in ("int", "date")),
        *((of, INT, ABOVE) for of in ("int", "date")),
        *((of, -INT, equal(-INT)) for of in ("int", "date")),
        *((of, -INT - 1, BELOW) for of in ("int", "date")),
        *((of, LONG - 1, equal(LONG - 1)) for of in ("long", "time", "timestamp")),
        *((of, LONG, ABOVE) for of in ("long", "time", "timestamp")),
        *((of, -LONG, equal(-LONG)) for of in ("long", "time", "timestamp")),
        *((of, -LONG - 1, BELOW) for of in ("long", "time", "timestamp")),
        ("int", INT - 0.5, between(INT - 1)),
        ("int", -0.5, between(-1)),
        ("int", math.inf, ABOVE),
        ("int", -math.inf, BELOW),
        ("float", FLOAT, equal(FLOAT)),
        ("float", -FLOAT, equal(-FLOAT)),
        ("float", math.nextafter(FLOAT, math.inf), ABOVE),
        ("float", -math.nextafter(FLOAT, math.inf), BELOW),
        ("float", math.inf, equal(math.inf)),
        ("double", 10**400, ABOVE),
        ("double", -(10**400), BELOW),
        ("decimal(5, 2)", "999.99", equal(Decimal("999.99"))),
        ("decimal(5, 2)", "999.991", ABOVE),
        ("decimal(5, 2)", "-999.99", equal(Decimal("-999.99"))),
        ("decimal(5, 2)", "-999.991", BELOW),
        ("decimal(5, 2)", -1.005, between(Decimal("-1.01"))),
        ("decimal(38, 0)", 10**38 - 1, equal(Decimal(10**38 - 1))),
        ("decimal(38, 0)", 10**38, ABOVE),
        ("date", dt.datetime(1969, 12, 31), equal(-1)),  # noqa: DTZ001  in no zone
        ("date", dt.datetime(1969, 12, 31, 23), between(-1)),  # noqa: DTZ001  in no zone
        ("timestamp", "1969-12-31T23:59:59.999999999", between(-1)),
        ("timestamp_ns", "2262-04-11T23:47:16.854775807", equal(LONG - 1)),
        ("timestamp_ns", "2262-04-11T23:47:16.854775808", ABOVE),
        ("timestamp_ns", "1677-09-21T00:12:43.145224192", equal(-LONG)),
        ("timestamp_ns", "1677-09-21T00:12:43.145224191", BELOW),
        ("timestamp_ns", "2262-04-12", ABOVE),
        ("timestamp_ns", "1677-09-21", BELOW),
    ],
)
def test_a_literal_is_a_value_up_to_the_last_one_of_its_type(
    of: str, literal: Any, found: Any
) -> None:
    """A literal fits its type up to the last value, and is only a side beyond it.

    A literal between two values becomes the lower one.
    """
    assert fitted(of, literal) == found


NAIVE: Final = dt.datetime(2024, 1, 2)  # noqa: DTZ001  in no zone
ZONED: Final = NAIVE.replace(tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("of", "literal"),
    [
        ("timestamp", ZONED),
        ("date", ZONED),
        ("date", True),
        ("int", "1"),
        ("boolean", 1),
        ("decimal(5, 2)", "nan"),
        ("uuid", "x"),
        ("fixed[2]", b"a"),
        ("binary", "0g"),
    ],
)
def test_a_literal_of_another_kind_is_refused(of: str, literal: Any) -> None:
    """A literal of another kind is refused, as is a timestamp with a zone for one without."""
    wanted = f"literal: found {literal!r}, wanted a value to compare with {of}"
    with pytest.raises(FormatError, match=re.escape(wanted)):
        bind(col("c") == literal, schema_of(of))


@pytest.mark.parametrize(
    ("literal", "value"),
    [(True, True), (3, 3), (0.5, 0.5), ("a", "a"), (Decimal("1.50"), "1.50")],
)
def test_an_unbound_literal_is_written_as_json_or_as_text(literal: Any, value: Any) -> None:
    """An unbound literal is JSON or text, and a bound one is a JSON single value."""
    assert to_json(col("c") == literal) == {"type": "eq", "term": "c", "value": value}
    bound = to_json(bind(col("c") == b"\x01", schema_of("binary")))
    assert bound == {"type": "eq", "term": "c", "value": "01"}


@pytest.mark.parametrize(
    ("literals", "wanted"),
    [
        ([1.5, 2], col("c") == 2),
        ([1e30, 2, 7], col("c").isin([2, 7])),
        ([-1e30, 7.5, 2.0, 7], col("c").isin([2, 7])),
        ([2, 2.0], col("c") == 2),
    ],
)
def test_members_that_a_column_cannot_have_are_left_out(literals: list[Any], wanted: Any) -> None:
    """Members of a set that the column's type cannot have are dropped."""
    schema = schema_of("int")
    assert bind(col("c").isin(literals), schema) == bind(wanted, schema)
    assert bind(~col("c").isin(literals), schema) == bind(~wanted, schema)


MOMENT: Final = 1_700_000_000_123_456
"""Microseconds from 1970 to 2023-11-14T22:13:20.123456Z."""


@pytest.mark.parametrize("of", ["timestamptz", "timestamptz_ns"])
@pytest.mark.parametrize(
    ("text", "micros"),
    [
        ("2023-11-14", 1_699_920_000_000_000),
        ("2023-11-14T22:13", 1_699_999_980_000_000),
        ("2023-11-14T22:13:20", 1_700_000_000_000_000),
        ("2023-11-14 22:13:20", 1_700_000_000_000_000),
        ("2023-11-14T22:13:20.123", 1_700_000_000_123_000),
        ("2023-11-14T22:13:20.123456", MOMENT),
        ("2023-11-14T22:13:20.123456Z", MOMENT),
        ("2023-11-14T23:13:20.123456+01:00", MOMENT),
        (dt.datetime(2023, 11, 14, 22, 13, 20, 123456), MOMENT),  # noqa: DTZ001  in no zone
        (dt.datetime(2023, 11, 14, 22, 13, 20, 123456, dt.UTC), MOMENT),
    ],
)
def test_a_moment_without_a_zone_is_in_utc(of: str, text: Any, micros: int) -> None:
    """Columns with a zone are compared with moments without one as if those were in UTC."""
    scale = 1000 if of.endswith("_ns") else 1
    assert fitted(of, text) == equal(micros * scale)
