"""Errors of values, types and expressions have a place, and what was found and wanted.

Their parsers are internal: documents and filters show the same messages with more around them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import pytest

from byteloom.errors import ByteloomError
from byteloom.iceberg import col
from byteloom.iceberg.datetimes import parse_date, parse_time, parse_timestamp
from byteloom.iceberg.expressions import bind, json_form
from byteloom.iceberg.expressions.ast import Operation, Predicate, Reference
from byteloom.iceberg.schema import Schema
from byteloom.iceberg.types import parse_primitive

if TYPE_CHECKING:
    from collections.abc import Callable

SCHEMA: Final = Schema.from_json(
    {
        "type": "struct",
        "schema-id": 0,
        "fields": [
            {"id": 1, "name": "id", "required": True, "type": "long"},
            {"id": 3, "name": "name", "required": False, "type": "string"},
        ],
    }
)


def expression(**more: Any) -> Any:
    """Return a predicate from its JSON."""
    return json_form.from_json({"type": "eq", "term": "id", "value": 1, **more})


REFUSED: Final[dict[str, Callable[[], object]]] = {
    "date: found '2017-13', wanted a day as 2017-11-16": lambda: parse_date("2017-13"),
    "date: found '2017-02-29', wanted a day of the calendar": lambda: parse_date("2017-02-29"),
    "time: found 'noon', wanted a time of day as 22:31:08.000001": lambda: parse_time("noon"),
    "time: found '24:00:00', wanted a time from 00:00:00 to 23:59:59": (
        lambda: parse_time("24:00:00")
    ),
    "time: found '23:60:00', wanted a time from 00:00:00 to 23:59:59": (
        lambda: parse_time("23:60:00")
    ),
    "time: found '23:59:60', wanted a time from 00:00:00 to 23:59:59": (
        lambda: parse_time("23:59:60")
    ),
    "time: found '00:00:00.0000001', wanted at most 6 digits of a second": (
        lambda: parse_time("00:00:00.0000001")
    ),
    "timestamp: found '2017-11-16T00:00Z', wanted a moment as 2017-11-16T22:31:08": (
        lambda: parse_timestamp("2017-11-16T00:00Z")
    ),
    "timestamp: found '2017-11-16T00:00', wanted a moment as 2017-11-16T22:31:08+00:00": (
        lambda: parse_timestamp("2017-11-16T00:00", zoned=True)
    ),
    "filter.id: found type long, wanted a string, which can start with text": (
        lambda: bind(Predicate(Operation.STARTS_WITH, Reference("id"), (1,)), SCHEMA)
    ),
    "filter.name: found type string, wanted float or double, which can be NaN": (
        lambda: bind(col("name").is_nan(), SCHEMA)
    ),
    "type: found 'like', wanted an operation of expressions": lambda: expression(type="like"),
    "term.type: found 'apply', wanted reference or transform": (
        lambda: expression(term={"type": "apply", "term": "id"})
    ),
    "term: found nothing, wanted a name, a reference or a transform": (
        lambda: expression(term=None)
    ),
    "value: found [1], wanted true, false, a number or text": lambda: expression(value=[1]),
    "value: found None, wanted true, false, a number or text": (
        lambda: expression(value={"type": "literal", "value": None})
    ),
    "type: found edge algorithm 'straight', "
    "wanted spherical | vincenty | thomas | andoyer | karney": (
        lambda: parse_primitive("geography(OGC:CRS84, straight)")
    ),
}


@pytest.mark.parametrize("message", REFUSED)
def test_an_error_has_its_place_and_says_what_was_found_and_wanted(message: str) -> None:
    """An error has exactly the expected message."""
    with pytest.raises(ByteloomError, match=f"^{re.escape(message.rstrip())}$"):
        REFUSED[message]()


@pytest.mark.parametrize("text", ["00:00:00", "23:59:59", "23:59:59.999999"])
def test_times_have_the_whole_day(text: str) -> None:
    """Times are parsed from the first to the last second of a day, with fractions."""
    hours, minutes, seconds = text.split(":")
    wanted = (int(hours) * 3600 + int(minutes) * 60) * 1_000_000 + round(float(seconds) * 1e6)
    assert parse_time(text) == wanted
