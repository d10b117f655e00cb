"""The types that a schema expands to are counted and limited before it is compiled."""

from __future__ import annotations

from typing import Any

import pytest

from byteloom.avro.nodes import expanded_types
from byteloom.avro.program import compile_values
from byteloom.errors import LimitExceeded

MOST = 1 << 18


def record(name: str, *types: Any, **more: Any) -> dict[str, Any]:
    """Return the schema of a record."""
    fields = [{"name": f"f{at}", "type": each} for at, each in enumerate(types)]
    return {"type": "record", "name": name, "fields": fields, **more}


@pytest.mark.parametrize(
    ("schema", "count"),
    [
        ("int", 1),
        ({"type": "int"}, 1),
        ({"type": {"type": "int"}}, 2),
        (["null", "int"], 3),
        ({"type": "array", "items": "int"}, 2),
        ({"type": "map", "values": ["null", "int"]}, 4),
        (record("a"), 1),
        (record("a", "int", "null"), 3),
        (record("a", record("b", "int"), "b"), 6),
        (record("a", record("b", "int"), "n.b", namespace="n"), 6),
        (record("a", record("n.b", record("c")), "n.c"), 5),
        (record("a", {**record("b", "int"), "type": "error"}, "b"), 6),
        (record("a", {"type": "fixed", "name": "b", "size": 1}, "b"), 4),
        (record("a", {"type": "enum", "name": "b", "symbols": []}, "b"), 4),
        (record("a", "a"), 2),
        (record("a", "unknown"), 2),
        ({"type": "record", "fields": None}, 1),
        ({"type": "record", "name": 1, "fields": [1, {"name": "b"}]}, 3),
        (None, 1),
    ],
    ids=str,
)
def test_types_are_counted(schema: Any, count: int) -> None:
    """A type used by its name counts as much as at its definition, and one for the name."""
    assert expanded_types(schema) == count


def test_types_in_each_other_are_counted_to_the_depth_that_is_read() -> None:
    """Nested types are counted only to the depth that is read, and do not exhaust the stack."""
    schema: Any = "int"
    for _ in range(100_000):
        schema = [schema]
    assert expanded_types(schema) == 202


def doubled(times: int, inner: dict[str, Any]) -> dict[str, Any]:
    """Return a record of two fields of a record of two fields, and so on, of *inner*."""
    for at in range(times):
        inner = record(f"T{at}", inner, inner["name"])
    return inner


def test_a_schema_may_have_as_many_types_as_the_limit() -> None:
    """A schema that expands to one type more than the limit is refused."""
    twice = doubled(16, record("E"))  # 3 * 65536 - 2
    assert compile_values(record("a", twice, *["null"] * 65_537)).least == 0
    with pytest.raises(LimitExceeded, match=f"found {MOST + 1} types, wanted at most {MOST} types"):
        compile_values(record("a", twice, *["null"] * 65_537, 1))


def test_names_that_are_given_twice_do_not_hide_how_many_types_there_are() -> None:
    """A name that is redefined as a larger type does not get around the limit on types."""
    small, large = record("B"), record("B", doubled(16, record("E")))
    users = record("C", *["B"] * 16)
    schema = record("a", small, users, large, "C")
    assert expanded_types(schema) < MOST
    with pytest.raises(LimitExceeded, match=f"found more, wanted at most {MOST} types"):
        compile_values(schema)
