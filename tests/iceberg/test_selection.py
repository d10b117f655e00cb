"""Columns that are asked for by the names of fields inside them keep only what leads to these."""

from __future__ import annotations

import pytest

from byteloom.errors import ArgumentError
from byteloom.iceberg.metadata import TableMetadata
from byteloom.iceberg.planning.selection import selected
from byteloom.iceberg.schema import Schema
from byteloom.iceberg.types import (
    IntegerType,
    ListType,
    MapType,
    NestedField,
    StringType,
    StructType,
)


def _pair(first: int) -> StructType:
    """A struct of two integers, *a* and *b*, with the ids *first* and the next one."""
    return StructType(
        tuple(NestedField(first + at, name, IntegerType()) for at, name in enumerate("ab"))
    )


SCHEMA = Schema(
    [
        NestedField(1, "s", _pair(10)),
        NestedField(2, "l", ListType(20, _pair(21))),
        NestedField(3, "m", MapType(30, StringType(), 31, _pair(32))),
        NestedField(4, "k", MapType(40, _pair(42), 41, _pair(44))),
    ]
)
METADATA = TableMetadata.from_json(
    {
        "format-version": 1,
        "location": "x",
        "last-updated-ms": 0,
        "last-column-id": 45,
        "schema": SCHEMA.to_json(),
        "partition-spec": [],
    }
)


@pytest.mark.parametrize(
    ("names", "ids"),
    [
        (["s"], [1, 10, 11]),
        (["s.b"], [1, 11]),
        (["l.element.a"], [2, 20, 21]),
        (["l.element"], [2, 20, 21, 22]),
        (["m.value.b"], [3, 30, 31, 33]),
        (["m.key"], [3, 30, 31, 32, 33]),
        (["m.value"], [3, 30, 31, 32, 33]),
        (["k.key.a"], [4, 40, 41, 42, 43, 44, 45]),
        (["k.value.a"], [4, 40, 41, 42, 43, 44]),
        (["k.value.a", "s.a", "k.value.b"], [4, 40, 41, 42, 43, 44, 45, 1, 10]),
    ],
)
def test_what_is_asked_for_is_left(names: list[str], ids: list[int]) -> None:
    """A column has the fields asked for, those around them, and the whole keys of a map."""
    found = Schema(selected(SCHEMA, names, METADATA))
    assert sorted(found.field_by_id) == sorted(ids)
    assert [each.id for each in found.fields] == [each for each in ids if each < 10]


def test_a_name_that_is_not_there_is_refused() -> None:
    """A name of no field is refused, and so is one that leads past a field without fields."""
    for name in ("x", "s.c", "m.key.a"):
        with pytest.raises(ArgumentError, match=rf"columns: found '{name}', wanted"):
            selected(SCHEMA, [name], METADATA)
