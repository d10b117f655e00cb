"""Errors of types, expressions and schema changes have a place, and what was found and wanted."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import pytest

from byteloom.errors import ByteloomError
from byteloom.iceberg import col
from byteloom.iceberg.datetimes import parse_date, parse_time, parse_timestamp
from byteloom.iceberg.evolution import PartitionUpdate, SchemaUpdate, SortKey, sort_order
from byteloom.iceberg.expressions import bind, json_form
from byteloom.iceberg.expressions.ast import Operation, Predicate, Reference
from byteloom.iceberg.metadata import TableMetadata
from byteloom.iceberg.schema import Schema
from byteloom.iceberg.types import IntegerType, LongType, parse_primitive

if TYPE_CHECKING:
    from collections.abc import Callable

FIELDS: Final[list[dict[str, Any]]] = [
    {"id": 1, "name": "id", "required": True, "type": "long"},
    {"id": 2, "name": "ratio", "required": False, "type": "float"},
    {"id": 3, "name": "name", "required": False, "type": "string"},
    {
        "id": 4,
        "name": "point",
        "required": False,
        "type": {
            "type": "struct",
            "fields": [{"id": 5, "name": "x", "required": True, "type": "int"}],
        },
    },
]
SCHEMA: Final = Schema.from_json({"type": "struct", "schema-id": 0, "fields": FIELDS})


def metadata(*fields: dict[str, Any]) -> TableMetadata:
    """Return a table of the schema above, partitioned by some fields."""
    return TableMetadata.from_json(
        {
            "format-version": 2,
            "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1",
            "location": "file:/t",
            "last-sequence-number": 0,
            "last-updated-ms": 1,
            "last-column-id": 5,
            "schemas": [SCHEMA.to_json()],
            "current-schema-id": 0,
            "partition-specs": [{"spec-id": 0, "fields": list(fields)}],
            "default-spec-id": 0,
            "last-partition-id": 1000,
            "sort-orders": [{"order-id": 0, "fields": []}],
            "default-sort-order-id": 0,
        }
    )


def update(version: int = 2) -> SchemaUpdate:
    """Return a change of the schema."""
    return SchemaUpdate(SCHEMA, version, 5, ())


def expression(**more: Any) -> Any:
    """Return a predicate from its JSON."""
    return json_form.from_json({"type": "eq", "term": "id", "value": 1, **more})


BUCKET: Final = {"source-id": 1, "field-id": 1000, "name": "b", "transform": "bucket[4]"}
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
    "name: found an optional identifier field, wanted a required field": (
        lambda: update().identify_by("name").apply()
    ),
    "point.x: found an identifier inside 4: point: optional struct<5: x: required int>, "
    "wanted a column, or a field of required structs": (
        lambda: update().identify_by("point.x").apply()
    ),
    "ratio: found an identifier of type float, wanted a type with exact values": (
        lambda: update().identify_by("ratio").apply()
    ),
    "ratio: found bucket[4] of float, wanted a type it is defined for": (
        lambda: PartitionUpdate.of(metadata()).add("ratio", "bucket[4]")
    ),
    "point: found identity of struct<5: x: required int>, wanted a type it is defined for": (
        lambda: PartitionUpdate.of(metadata()).add("point")
    ),
    "ratio: found bucket[2] of float, wanted a type it is defined for ": (
        lambda: sort_order([SortKey("ratio", "bucket[2]")], SCHEMA, {})
    ),
    "id: found 'frob[2]', wanted a transform of the spec": (
        lambda: sort_order([SortKey("id", "frob[2]")], SCHEMA, {})
    ),
    "id: found long to int, wanted a promotion of version 2": (
        lambda: update().promote("id", IntegerType())
    ),
    "n: found type timestamp_ns, wanted a type of version 2": (
        lambda: update().add("n", parse_primitive("timestamp_ns"))
    ),
    "n: found a default in version 2, wanted version 3, or none": (
        lambda: update().add("n", LongType(), default=1)
    ),
    "n: found a default of type variant, wanted null": (
        lambda: update(3).add("n", parse_primitive("variant"), default=b"")
    ),
    "n: found a new required column, wanted a default, or an optional column": (
        lambda: update(3).add("n", LongType(), required=True)
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
    "partition-specs[0]: found a field id twice, wanted once": (
        lambda: metadata(BUCKET, {**BUCKET, "name": "c"})
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
