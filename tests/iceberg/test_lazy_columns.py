"""Schemas that create columns when they are used equal schemas that create all at once."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.support.iceberg_columns import COLUMNS, LAST, LIST, PLAIN, POINT, WITH_NESTED

from byteloom.errors import FormatError
from byteloom.iceberg import type_json
from byteloom.iceberg.schema import Schema
from byteloom.iceberg.type_json import field_from_json
from byteloom.iceberg.types import StructType


def _at_once(columns: list[Any]) -> Schema:
    """Return the schema of columns that are created one after the other."""
    return Schema(StructType(tuple(map(field_from_json, columns))).fields, 5)


def _read(columns: list[Any]) -> Schema:
    """Return the schema as it is read."""
    return Schema.from_json({"type": "struct", "schema-id": 5, "fields": columns})


def _refusal(make: Any, columns: list[Any]) -> str | None:
    """Return the error that making a schema raises, if any."""
    try:
        make(columns)
    except FormatError as error:
        return str(error)
    return None


@given(st.lists(COLUMNS, max_size=4) | WITH_NESTED)
@example([PLAIN, {**PLAIN, "id": 2}])
@example([PLAIN, {**PLAIN, "name": "b"}])
@example([{**PLAIN, "id": LAST}])
@example([{**PLAIN, "id": LAST + 1}])
@example([{**PLAIN, "id": -1}])
@example([{**PLAIN, "id": True}])
@example([{**PLAIN, "id": 1.0}])
@example([{**PLAIN, "type": "unknown", "required": True}])
@example([{**PLAIN, "type": "unknown", "initial-default": 5}])
@example([{**PLAIN, "initial-default": "x"}])
@example([{**PLAIN, "write-default": "x"}])
@example([{**PLAIN, "doc": 5}])
@example([{**PLAIN, "required": 0}])
@example([PLAIN, {"id": 2, "name": "b", "type": "int"}])
@example([{"id": 1, "name": "a", "type": "int"}, {"id": 2, "name": "b", "type": "int"}])
@example([PLAIN, 5])
@example([PLAIN, {**PLAIN, "id": 7, "name": "b"}, {**PLAIN, "id": 2, "name": "p", "type": POINT}])
def test_what_is_refused_does_not_depend_on_when_columns_are_made(columns: list[Any]) -> None:
    """An invalid schema is refused with the same error as if all columns were created at once."""
    assert _refusal(_read, columns) == _refusal(_at_once, columns)


@given(WITH_NESTED)
@example([{**PLAIN, "name": "a.x"}, {**PLAIN, "id": 2, "type": POINT}])
@example([{**PLAIN, "id": 2, "type": POINT}, {**PLAIN, "name": "a.x"}])
@example([{**PLAIN, "name": "A"}, {**PLAIN, "id": 2, "type": LIST}])
def test_columns_are_the_same_whenever_they_are_made(columns: list[Any]) -> None:
    """Ids, names and paths lead to the same fields, whichever is asked for first."""
    eager = _at_once(columns)
    names = {name for each in eager.field_by_id for name in (eager.name(each), "p.x", "a.x")}
    for name in sorted(names):
        assert _read(columns).find(name) == eager.find(name)
    lazy = _read(columns)
    assert lazy.field_ids == eager.field_by_id.keys()
    assert lazy.highest_field_id == max(eager.field_by_id, default=0)
    for each, field in reversed(list(eager.field_by_id.items())):
        assert lazy.find(each) == field
        assert (lazy.path(each), lazy.parents(each)) == (eager.path(each), eager.parents(each))
        assert lazy.columns_around([each]) == eager.columns_around([each])
    assert lazy.find(LAST) is None
    assert lazy == eager == _read(columns)
    assert hash(lazy) == hash(eager)
    assert lazy.field_by_id == eager.field_by_id
    assert repr(lazy) == repr(eager)
    assert lazy.to_json()["fields"] == eager.to_json()["fields"]


@pytest.mark.parametrize("which", [3, "c3"])
def test_only_columns_that_are_asked_for_are_made(
    which: int | str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Finding one of a thousand columns, by id or by name, creates only that column."""
    made: list[Any] = []

    def counted(document: Any) -> Any:
        made.append(document)
        return field_from_json(document)

    monkeypatch.setattr(type_json, "field_from_json", counted)
    schema = _read([{**PLAIN, "id": each, "name": f"c{each}"} for each in range(1000)])
    found = schema.find(which)
    assert found is schema.find(3)
    assert [each["id"] for each in made] == [3]


def test_columns_around_fields_are_given_in_order() -> None:
    """Columns around some fields are given once, in the schema's order; unknown ids are ignored."""
    schema = _read([{**PLAIN, "id": 2, "name": "p", "type": LIST}, PLAIN])
    assert [each.name for each in schema.columns_around([1, 7, 8, 99])] == ["p", "a"]
