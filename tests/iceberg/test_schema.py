"""Schemas, specs, sort orders and name mappings round-trip, and find fields by id and name."""

from __future__ import annotations

import pytest

from byteloom.errors import FormatError, LimitExceeded, Unsupported
from byteloom.iceberg.name_mapping import NameMapping
from byteloom.iceberg.partition_spec import PartitionSpec
from byteloom.iceberg.schema import Schema
from byteloom.iceberg.sort_order import SortOrder
from byteloom.iceberg.transforms import UnknownTransform
from byteloom.iceberg.types import DecimalType, StructType, parse_primitive

SCHEMA = {
    "type": "struct",
    "schema-id": 3,
    "identifier-field-ids": [1],
    "fields": [
        {"id": 1, "name": "id", "required": True, "type": "long", "doc": "key", "colour": "red"},
        {
            "id": 2,
            "name": "points",
            "required": False,
            "type": {
                "type": "list",
                "element-id": 3,
                "element": {
                    "type": "struct",
                    "fields": [
                        {"id": 4, "name": "X", "required": True, "type": "double"},
                        {
                            "id": 5,
                            "name": "price",
                            "required": False,
                            "type": "decimal(9, 2)",
                            "initial-default": "1.50",
                        },
                    ],
                },
                "element-required": False,
            },
        },
        {
            "id": 6,
            "name": "props",
            "required": False,
            "type": {
                "type": "map",
                "key-id": 7,
                "key": "string",
                "value-id": 8,
                "value": "binary",
                "value-required": True,
            },
        },
    ],
    "unheard-of": {"a": 1},
}


def test_schema_comes_back_as_it_was() -> None:
    """A schema round-trips through JSON, with unknown keys."""
    assert Schema.from_json(SCHEMA).to_json() == SCHEMA


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
    found = Schema.from_json(SCHEMA).find(name)
    assert (found.id if found else None) == field_id


def test_case_can_be_ignored() -> None:
    """A name in another case is found if case is ignored; two candidates are an error."""
    schema = Schema.from_json(SCHEMA)
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
    bad = {
        "type": "struct",
        "fields": [{"id": 1, "name": "a", "required": False, "type": {"type": "list"}}],
    }
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


SPEC = {
    "spec-id": 2,
    "fields": [
        {"source-id": 1, "field-id": 1000, "name": "b", "transform": "bucket[16]"},
        {
            "source-ids": [1, 6],
            "field-id": 1001,
            "name": "z",
            "transform": "zorder[2]",
            "note": "x",
        },
    ],
}


def test_partition_spec_comes_back_as_it_was() -> None:
    """A partition spec round-trips, with several source ids and unknown transforms."""
    spec = PartitionSpec.from_json(SPEC)
    assert spec.to_json() == SPEC
    assert spec.fields[1].transform == UnknownTransform("zorder[2]")


def test_version_1_fields_count_from_1000() -> None:
    """Partition fields without ids get them in order, from 1000."""
    fields = [{"source-id": 1, "name": name, "transform": "identity"} for name in "ab"]
    assert [each.field_id for each in PartitionSpec.from_fields(fields).fields] == [1000, 1001]


def test_partition_type_follows_the_source_columns() -> None:
    """A partition type has the results of its transforms, even for a dropped source."""
    schema = Schema.from_json(SCHEMA)
    fields = [
        {"source-id": 5, "field-id": 1000, "name": "p", "transform": "truncate[10]"},
        {"source-id": 99, "field-id": 1001, "name": "gone", "transform": "year"},
    ]
    made = PartitionSpec.from_fields(fields).partition_type(schema)
    assert isinstance(made, StructType)
    assert [each.type for each in made.fields] == [DecimalType(9, 2), parse_primitive("int")]


def test_sort_order_comes_back_as_it_was() -> None:
    """Sort orders round-trip, with words in any case, and unknown words are refused."""
    order = {
        "order-id": 1,
        "fields": [
            {
                "transform": "identity",
                "source-id": 1,
                "direction": "desc",
                "null-order": "nulls-last",
            }
        ],
    }
    assert SortOrder.from_json(order).to_json() == order
    with pytest.raises(FormatError, match=r"fields\[0\].direction: found 'up', wanted asc or desc"):
        SortOrder.from_json({"order-id": 1, "fields": [order["fields"][0] | {"direction": "up"}]})  # type: ignore[index]


def test_name_mapping_of_a_schema_finds_each_field() -> None:
    """A name mapping round-trips, and one with a name for two ids is refused."""
    mapping = NameMapping.of(Schema.from_json(SCHEMA))
    assert NameMapping.from_json(mapping.to_json()) == mapping
    points = mapping.find("points")
    assert points is not None
    assert points.fields is not None
    with pytest.raises(FormatError, match="'a' twice"):
        NameMapping.parse('[{"field-id": 1, "names": ["a"]}, {"field-id": 2, "names": ["a", "b"]}]')
