"""Schemas that create columns when they are used equal schemas that create all at once."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from byteloom.errors import FormatError
from byteloom.iceberg import lazy_columns
from byteloom.iceberg.schema import Schema
from byteloom.iceberg.type_json import field_from_json
from byteloom.iceberg.types import StructType

LAST = 2_147_483_647
PLAIN = {"id": 1, "name": "a", "required": False, "type": "int"}
POINT = {"type": "struct", "fields": [{"id": 7, "name": "x", "required": True, "type": "int"}]}
LIST = {"type": "list", "element-id": 8, "element": POINT, "element-required": False}

IDS = st.sampled_from([0, 1, 2, 3, 4, 5, 6, 7, LAST, LAST + 1, -1, True, 1.5, "1", None])
NAMES = st.sampled_from(["a", "A", "b", "c", "a.x", "p.x", "d", "e", "f", 1, None])
TYPES = st.sampled_from(["int", "long", "unknown", " int ", "int9", 3, POINT, LIST])
COLUMNS = st.fixed_dictionaries(
    {"id": IDS, "name": NAMES, "required": st.sampled_from([False, True, 0]), "type": TYPES},
    optional={
        "doc": st.sampled_from(["what it is", None, 5]),
        "initial-default": st.sampled_from([5, "x", None]),
        "write-default": st.sampled_from([5, "x", None]),
        "colour": st.just("red"),
    },
)
SOUND = st.lists(
    st.fixed_dictionaries(
        {
            "id": st.integers(10, 99),
            "name": st.text("abcX.", min_size=1, max_size=3),
            "required": st.booleans(),
            "type": st.sampled_from(["int", "string", "date"]),
        },
        optional={"doc": st.text(max_size=2), "initial-default": st.none()},
    ),
    max_size=6,
    unique_by=(lambda each: each["id"], lambda each: each["name"]),
)
NESTED: st.SearchStrategy[list[dict[str, Any]]] = st.sampled_from(
    [[], *([{**PLAIN, "name": "p", "type": each}] for each in (POINT, LIST))]
)
WITH_NESTED: st.SearchStrategy[list[dict[str, Any]]] = st.tuples(SOUND, NESTED).flatmap(
    lambda drawn: st.permutations([*drawn[0], *drawn[1]])
)


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

    monkeypatch.setattr(lazy_columns, "field_from_json", counted)
    schema = _read([{**PLAIN, "id": each, "name": f"c{each}"} for each in range(1000)])
    found = schema.find(which)
    assert found is schema.find(3)
    assert [each["id"] for each in made] == [3]


def test_columns_around_fields_are_given_in_order() -> None:
    """Columns around some fields are given once, in the schema's order; unknown ids are ignored."""
    schema = _read([{**PLAIN, "id": 2, "name": "p", "type": LIST}, PLAIN])
    assert [each.name for each in schema.columns_around([1, 7, 8, 99])] == ["p", "a"]
