"""JSON of schemas, specs, orders and mappings: kept whole, found by id and name, or refused.

Schemas that create columns when they are used equal schemas that create all at once.  These
classes are internal: a table for each case would say no more about them.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.support.iceberg_schemas import a_field, a_list, a_map, a_struct

from byteloom.errors import FormatError, LimitExceeded, Unsupported
from byteloom.iceberg import (
    DecimalType,
    NameMapping,
    PartitionSpec,
    Schema,
    SortOrder,
    StructType,
    parse_primitive,
    type_json,
)
from byteloom.iceberg.evolution import SchemaUpdate
from byteloom.iceberg.transforms import UnknownTransform
from byteloom.iceberg.type_json import field_from_json
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


# ---------------------------------------------------------------------- by id and name

POINTS = {
    "type": "struct",
    "schema-id": 3,
    "identifier-field-ids": [1],
    "fields": [
        {"id": 1, "name": "id", "required": True, "type": "long", "doc": "key", "colour": "red"},
        a_field(
            2,
            "points",
            a_list(
                3,
                a_struct(
                    a_field(4, "X", "double", required=True),
                    a_field(5, "price", "decimal(9, 2)", initial_default="1.50"),
                ),
            ),
        ),
        a_field(6, "props", a_map(7, "string", 8, "binary", required=True)),
    ],
    "unheard-of": {"a": 1},
}


@pytest.mark.parametrize(
    ("name", "field_id"),
    [
        ("id", 1),
        ("points.element", 3),
        ("points.element.X", 4),
        ("points.X", 4),
        ("props.key", 7),
        ("props.value", 8),
        ("X", None),
    ],
)
def test_field_is_found_by_its_path_and_by_the_short_one(name: str, field_id: int | None) -> None:
    """``element`` and ``value`` may be left out before a struct's field, as Java allows."""
    found = Schema.from_json(POINTS).find(name)
    assert (found.id if found else None) == field_id


def test_case_can_be_ignored() -> None:
    """A name in another case is found if case is ignored; two candidates are an error."""
    schema = Schema.from_json(POINTS)
    assert schema.find("POINTS.x") is None
    assert schema.find("POINTS.x", case_sensitive=False) == schema.find(4)
    fields = [
        {"id": n, "name": name, "required": False, "type": "int"} for n, name in enumerate("aA")
    ]
    twins = Schema.from_json({"type": "struct", "fields": fields})
    with pytest.raises(FormatError, match="exactly one field, ignoring case"):
        twins.find("a", case_sensitive=False)


def test_two_fields_of_one_id_are_refused() -> None:
    """Two fields with one id in a schema are refused."""
    fields = [{"id": 1, "name": name, "required": False, "type": "int"} for name in "ab"]
    with pytest.raises(FormatError, match="two fields with id 1"):
        Schema.from_json({"type": "struct", "fields": fields})


def test_errors_name_the_way_to_the_mistake() -> None:
    """A missing key deep inside is reported with its path."""
    bad = a_struct(a_field(1, "a", {"type": "list"}))
    with pytest.raises(FormatError, match=r"a\.element-id: found nothing, wanted an integer"):
        Schema.from_json(bad)


def test_types_without_end_are_refused() -> None:
    """Types nested beyond the limit are refused."""
    of: object = "int"
    for number in range(300):
        of = {"type": "list", "element-id": number, "element": of, "element-required": False}
    with pytest.raises(LimitExceeded, match=": found 101 levels, wanted at most 100") as refused:
        Schema.from_json(
            {"type": "struct", "fields": [{"id": 0, "name": "a", "required": False, "type": of}]}
        )
    assert refused.value.path.startswith("a" + 50 * ".element")


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("decimal( 9,2 )", "decimal(9, 2)"),
        ("fixed[ 16 ]", "fixed[16]"),
        ("geometry(OGC:CRS84)", "geometry"),
        ("geometry (srid:4326)", "geometry(srid:4326)"),
        ("geography(OGC:CRS84, Karney)", "geography(OGC:CRS84, karney)"),
        ("timestamptz_ns", "timestamptz_ns"),
    ],
)
def test_type_text_may_have_space(text: str, printed: str) -> None:
    """Spaces in the text of a type are ignored, and default parameters are not written."""
    assert str(parse_primitive(text)) == printed


@pytest.mark.parametrize(
    "text", ["int128", "decimal(39, 0)", "decimal(9)", "geography(A, great)", ""]
)
def test_other_types_are_refused(text: str) -> None:
    """Unknown names and parameters out of range are errors."""
    with pytest.raises((FormatError, Unsupported), match=r"^type: found .*, wanted "):
        parse_primitive(text)


def test_unknown_transforms_keep_their_text() -> None:
    """A transform that the spec does not know is kept as it is written."""
    spec = PartitionSpec.from_json(SPEC)
    assert spec.fields[1].transform == UnknownTransform("zorder[2]")


def test_version_1_fields_count_from_1000() -> None:
    """Partition fields without ids get them in order, from 1000."""
    fields = [{"source-id": 1, "name": name, "transform": "identity"} for name in "ab"]
    assert [each.field_id for each in PartitionSpec.from_fields(fields).fields] == [1000, 1001]


def test_partition_type_follows_the_source_columns() -> None:
    """A partition type has the results of its transforms, even for a dropped source."""
    schema = Schema.from_json(POINTS)
    fields = [
        {"source-id": 5, "field-id": 1000, "name": "p", "transform": "truncate[10]"},
        {"source-id": 99, "field-id": 1001, "name": "gone", "transform": "year"},
    ]
    made = PartitionSpec.from_fields(fields).partition_type(schema)
    assert isinstance(made, StructType)
    assert [each.type for each in made.fields] == [DecimalType(9, 2), parse_primitive("int")]


def test_name_mapping_of_a_schema_finds_each_field() -> None:
    """A name mapping round-trips, and one with a name for two ids is refused."""
    mapping = NameMapping.of(Schema.from_json(POINTS))
    assert NameMapping.from_json(mapping.to_json()) == mapping
    points = mapping.find("points")
    assert points is not None
    assert points.fields is not None
    with pytest.raises(FormatError, match="'a' twice"):
        NameMapping.parse('[{"field-id": 1, "names": ["a"]}, {"field-id": 2, "names": ["a", "b"]}]')


# ---------------------------------------------------------------------- columns on demand

LAST = 2_147_483_647
PLAIN = {"id": 1, "name": "a", "required": False, "type": "int"}
POINT = {"type": "struct", "fields": [{"id": 7, "name": "x", "required": True, "type": "int"}]}
LISTED = {"type": "list", "element-id": 8, "element": POINT, "element-required": False}

IDS = st.sampled_from([0, 1, 2, 3, 4, 5, 6, 7, LAST, LAST + 1, -1, True, 1.5, "1", None])
NAMES = st.sampled_from(["a", "A", "b", "c", "a.x", "p.x", "d", "e", "f", 1, None])
TYPES = st.sampled_from(["int", "long", "unknown", " int ", "int9", 3, POINT, LISTED])
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
    [[], *([{**PLAIN, "name": "p", "type": each}] for each in (POINT, LISTED))]
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
@example([{**PLAIN, "name": "A"}, {**PLAIN, "id": 2, "type": LISTED}])
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
    schema = _read([{**PLAIN, "id": 2, "name": "p", "type": LISTED}, PLAIN])
    assert [each.name for each in schema.columns_around([1, 7, 8, 99])] == ["p", "a"]


@pytest.mark.parametrize(
    ("of", "text", "wanted"),
    [
        ("date", "2017-13", "a day as 2017-11-16"),
        ("date", "2017-02-29", "a day of the calendar"),
        ("time", "noon", "a time of day as 22:31:08.000001"),
        *(
            ("time", text, "a time from 00:00:00 to 23:59:59")
            for text in ("24:00:00", "23:60:00", "23:59:60")
        ),
        ("time", "00:00:00.0000001", "at most 6 digits of a second"),
        ("timestamp", "2017-11-16T00:00Z", "a moment as 2017-11-16T22:31:08"),
        ("timestamptz", "2017-11-16T00:00", "a moment as 2017-11-16T22:31:08+00:00"),
    ],
)
def test_days_and_times_of_defaults_are_checked(of: str, text: str, wanted: str) -> None:
    """A default that is no day or time of its type is refused with what would be one."""
    said = re.escape(f"{of.removesuffix('tz')}: found {text!r}, wanted {wanted}")
    with pytest.raises(FormatError, match=f"{said}$"):
        Schema.from_json(_schema_of({**PLAIN, "type": of, "initial-default": text}))


@pytest.mark.parametrize(
    ("text", "micros"),
    [("00:00:00", 0), ("23:59:59", 86_399_000_000), ("23:59:59.999999", 86_399_999_999)],
)
def test_times_of_defaults_have_the_whole_day(text: str, micros: int) -> None:
    """Times are parsed from the first to the last second of a day, with fractions."""
    schema = Schema.from_json(_schema_of({**PLAIN, "type": "time", "initial-default": text}))
    assert schema.fields[0].initial_default == micros
