"""JSON of schemas, specs, orders and mappings keeps unknown keys, and is refused if invalid."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from byteloom.errors import FormatError
from byteloom.iceberg.evolution import SchemaUpdate
from byteloom.iceberg.name_mapping import NameMapping
from byteloom.iceberg.partition_spec import PartitionSpec
from byteloom.iceberg.schema import Schema
from byteloom.iceberg.sort_order import SortOrder
from byteloom_generated.iceberg import partition_specs, schemas

MORE: dict[str, Any] = {"x-maker": {"a": [1, None]}, "x-flag": False}
STRUCT: dict[str, Any] = {
    "type": "struct",
    "fields": [{"id": 5, "name": "x", "required": False, "type": "int", **MORE}],
    **MORE,
}
LIST: dict[str, Any] = {
    "type": "list",
    "element-id": 4,
    "element": STRUCT,
    "element-required": False,
    **MORE,
}
MAP: dict[str, Any] = {
    "type": "map",
    "key-id": 2,
    "key": "string",
    "value-id": 3,
    "value": LIST,
    "value-required": True,
    **MORE,
}
SCHEMA: dict[str, Any] = {
    "type": "struct",
    "schema-id": 3,
    "identifier-field-ids": [6],
    "fields": [
        {"id": 1, "name": "m", "required": False, "type": MAP, "doc": "A map.", **MORE},
        {"id": 6, "name": "i", "required": True, "type": "int", "initial-default": 3, **MORE},
    ],
    **MORE,
}
SPEC: dict[str, Any] = {
    "spec-id": 1,
    "fields": [
        {"source-id": 6, "field-id": 1000, "name": "b", "transform": "bucket[4]", **MORE},
        {"source-ids": [1, 6], "field-id": 1001, "name": "z", "transform": "zorder[2]", **MORE},
    ],
    **MORE,
}
ORDER: dict[str, Any] = {
    "order-id": 1,
    "fields": [
        {
            "transform": "identity",
            "source-id": 6,
            "direction": "desc",
            "null-order": "nulls-last",
            **MORE,
        }
    ],
    **MORE,
}
MAPPING: list[dict[str, Any]] = [
    {"field-id": 1, "names": ["m", "old"], "fields": [{"names": [], **MORE}], **MORE},
    {"field-id": 6, "names": ["i"], "fields": []},
]


@pytest.mark.parametrize(
    ("kind", "document"),
    [(Schema, SCHEMA), (PartitionSpec, SPEC), (SortOrder, ORDER), (NameMapping, MAPPING)],
    ids=lambda each: each.__name__ if isinstance(each, type) else "",
)
def test_what_a_reader_does_not_know_survives(kind: Any, document: Any) -> None:
    """Unknown keys of every object, at every level, are written back with their values."""
    assert kind.from_json(document).to_json() == document


@pytest.mark.parametrize("more", [{"doc": None}, {"initial-default": None}, MORE])
def test_keys_without_a_meaning_make_no_difference(more: dict[str, Any]) -> None:
    """Records are equal if all their fields are, whichever other keys they were read with."""
    document = {"id": 1, "name": "a", "required": True, "type": "int"}
    read = partial(schemas.StructField.from_json, version=3)
    assert read(document | more) == read(document)
    assert read(document | more | {"id": 2}) != read(document)


@pytest.mark.parametrize("size", [58, 59])
def test_errors_show_a_line_of_a_value(size: int) -> None:
    """An error shows up to 60 characters of a value of another kind."""
    found = "x" * size
    shown = f"'{found}'" if size == 58 else f"'{found[:56]}..."
    with pytest.raises(FormatError) as caught:
        Schema.from_json({**SCHEMA, "schema-id": found})
    assert str(caught.value) == f"schema-id: found {shown}, wanted an integer of 32 bits"


def test_what_a_reader_does_not_know_survives_evolution() -> None:
    """Unknown keys survive a change of a field in the objects around it."""
    update = SchemaUpdate(Schema.from_json(SCHEMA)).rename("m.value.element.x", "y")
    made = update.apply().to_json()
    inner = made["fields"][0]["type"]["value"]["element"]
    assert inner["fields"][0]["name"] == "y"
    inner["fields"][0]["name"] = "x"
    assert {**made, "schema-id": 3} == SCHEMA


def _objects() -> list[Any]:
    """Yield each key that writers of version 3 must write, with an object and its reader."""
    mapped = {"names": ["a"]}
    wrap: dict[type[Any], tuple[Any, Any]] = {
        schemas.Schema: (SCHEMA, Schema.from_json),
        schemas.StructType: (STRUCT, _as_column),
        schemas.StructField: (SCHEMA["fields"][1], lambda x: Schema.from_json(_schema_of(x))),
        schemas.ListType: (LIST, _as_column),
        schemas.MapType: (MAP, _as_column),
        schemas.MappedField: (mapped, lambda x: NameMapping.from_json([x])),
        partition_specs.PartitionSpec: (SPEC, PartitionSpec.from_json),
        partition_specs.PartitionField: (
            SPEC["fields"][0],
            lambda x: PartitionSpec.from_fields([x]),
        ),
        partition_specs.SortOrder: (ORDER, SortOrder.from_json),
        partition_specs.SortField: (
            ORDER["fields"][0],
            lambda x: SortOrder.from_json({"order-id": 1, "fields": [x]}),
        ),
    }
    return [
        pytest.param(field, document, read, id=f"{kind.NAME}.{field.key}")
        for kind, (document, read) in wrap.items()
        for field in kind.FIELDS
        if 3 in field.required
    ]


def _schema_of(field: Any) -> Any:
    """Return a schema of one column."""
    return {"type": "struct", "schema-id": 0, "fields": [field]}


def _as_column(of: Any) -> Schema:
    """Return a schema whose column has a type."""
    return Schema.from_json(_schema_of({"id": 9, "name": "c", "required": False, "type": of}))


@pytest.mark.parametrize(("field", "document", "read"), _objects())
def test_what_writers_must_write_is_asked_for(field: Any, document: Any, read: Any) -> None:
    """A missing key is an error with its name unless it is optional, and so is a wrong value."""
    read(document)
    without = {key: value for key, value in document.items() if key != field.key}
    if field.is_relaxed and field.key != "source-id":
        read(without)
    else:
        with pytest.raises(FormatError, match=field.key):
            read(without)
    with pytest.raises(FormatError, match=field.key):
        read({**document, field.key: 1.5})


def test_words_of_sort_orders_may_be_in_any_case() -> None:
    """Directions and null orders are read in any case, and written in lower case."""
    shouted = {**ORDER["fields"][0], "direction": "DESC", "null-order": "Nulls-Last"}
    order = SortOrder.from_json({**ORDER, "fields": [shouted]})
    assert order.to_json() == ORDER
    with pytest.raises(FormatError, match=r"direction.*asc or desc"):
        SortOrder.from_json({**ORDER, "fields": [{**shouted, "direction": "up"}]})
