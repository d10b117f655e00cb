"""Iceberg's types in data files, both ways: each row of the tables is what is written and read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import fastavro
import pytest
from hypothesis import given
from hypothesis import strategies as st

from byteloom.errors import ByteloomError, FormatError, LimitExceeded
from byteloom.iceberg.file_types import from_avro, to_avro
from byteloom.iceberg.types import (
    DecimalType,
    ListType,
    MapType,
    NestedField,
    StructType,
    Type,
    parse_primitive,
)
from byteloom_generated.iceberg.file_types import AVRO_TYPES, ORC_TYPES, PARQUET_TYPES
from byteloom_generated.iceberg.types import NESTED_TYPES, PRIMITIVE_TYPES

if TYPE_CHECKING:
    from byteloom_generated.iceberg.file_types import AvroType

TEXT = {
    "decimal": "decimal(9, 2)",
    "fixed": "fixed[5]",
    "geometry": "geometry(EPSG:4326)",
    "geography": "geography(EPSG:4326, karney)",
}
INT, STRING = parse_primitive("int"), parse_primitive("string")
NESTED: dict[str, Type] = {
    "struct": StructType((NestedField(2, "a", INT),)),
    "list": ListType(2, INT),
    "map": MapType(2, INT, 3, INT),
}


def named(name: str) -> Type:
    """A type of that name."""
    return NESTED.get(name) or parse_primitive(TEXT.get(name, name))


def column(of: Type, *, required: bool = True) -> StructType:
    """A struct of one column."""
    return StructType((NestedField(1, "c", of, required),))


def stored(row: AvroType) -> Any:
    """What the row says of a type, as Avro's JSON."""
    told: dict[str, Any] = {"type": row.avro}
    if row.logical:
        told["logicalType"] = row.logical
    if row.adjust_to_utc:
        told["adjust-to-utc"] = row.adjust_to_utc == "true"
    if row.type == "decimal":
        told |= {"precision": 9, "scale": 2}
    if row.size:
        told |= {"name": "n", "size": {"fewest": 4, "L": 5}.get(row.size) or int(row.size)}
    return {**told, "symbols": ["a"], "name": "e"} if row.avro == "enum" else told


def test_every_type_is_written_in_every_format() -> None:
    """And no row is of a type that there is not."""
    names = {each.name for each in (*PRIMITIVE_TYPES, *NESTED_TYPES)}
    for rows in (AVRO_TYPES, PARQUET_TYPES, ORC_TYPES):
        assert {each.type for each in rows if each.written} == names
        assert {each.type for each in rows} == names


SIMPLE = [each for each in AVRO_TYPES if each.type not in {*NESTED, "variant"}]


@pytest.mark.parametrize("row", SIMPLE, ids=lambda row: f"{row.type}-{row.avro}-{row.logical}")
class TestAvro:
    """Each row of the table of Avro types."""

    def test_it_is_written_as_its_row_says(self, row: AvroType) -> None:
        """With its logical type and what belongs to it; names of types are ours to choose."""
        if not row.written:
            return
        (field,) = to_avro(column(named(row.type)))["fields"]
        found = field["type"] if isinstance(field["type"], dict) else {"type": field["type"]}
        wanted = stored(row)
        assert {**found, "name": ""} == {**wanted, "name": ""}
        assert fastavro.parse_schema(to_avro(column(named(row.type))))

    def test_it_is_read_as_its_row_says(self, row: AvroType) -> None:
        """Geometry and geography, of which Avro knows nothing, as the bytes that they are."""
        field = {"name": "c", "type": stored(row), "field-id": 1}
        (found,) = from_avro({"type": "record", "name": "r", "fields": [field]}).fields
        wanted = "binary" if row.type in {"geometry", "geography"} else row.type
        assert str(found.type) == TEXT.get(wanted, wanted)

    def test_it_may_be_null(self, row: AvroType) -> None:
        """As a union with null, whichever stands first."""
        for union in (["null", stored(row)], [stored(row), "null"]):
            field = {"name": "c", "type": union, "field-id": 1}
            (found,) = from_avro({"type": "record", "name": "r", "fields": [field]}).fields
            assert not found.required


def test_an_unknown_logical_type_counts_for_nothing() -> None:
    """As Avro asks."""
    told = {"type": "long", "logicalType": "duration"}
    schema = {"type": "record", "name": "r", "fields": [{"name": "c", "type": told}]}
    assert str(from_avro(schema)) == "struct<1: c: required long>"


def test_fields_without_ids_are_given_those_that_are_free() -> None:
    """Nested ones too; none twice."""
    schema = {
        "type": "record",
        "name": "r",
        "fields": [
            {"name": "a", "type": "int"},
            {"name": "b", "type": {"type": "array", "items": "int"}, "field-id": 2},
            {"name": "m", "type": {"type": "map", "values": "int"}},
        ],
    }
    of = from_avro(schema)
    assert [each.id for each in of.fields] == [1, 2, 4]
    assert [inner.id for each in of.fields[1:] for inner in getattr(each.type, "fields", ())] == [
        3,
        5,
        6,
    ]


WRONG: list[Any] = [
    None,
    "int",
    [],
    {"type": "record", "name": "r"},
    {"type": "record", "name": "r", "fields": [{"type": "int"}]},
    {"type": "record", "name": "r", "fields": [{"name": "c", "type": "r"}]},
    {"type": "record", "name": "r", "fields": [{"name": "c", "type": ["int", "long"]}]},
    {"type": "record", "name": "r", "fields": [{"name": "c", "type": {"type": "fixed"}}]},
    {"type": "record", "name": "r", "fields": [{"name": "c", "type": "colour"}]},
    {"type": "record", "name": "r", "fields": [{"name": "c", "type": {"type": ["int", 3]}}]},
    {"type": "record", "name": "r", "fields": [{"name": "c", "type": "int"}] * 2},
]


@pytest.mark.parametrize("schema", WRONG)
def test_what_is_no_schema_of_records_is_refused(schema: Any) -> None:
    """With the way to what is wrong."""
    with pytest.raises(ByteloomError):
        from_avro(schema)


def test_types_that_name_each_other_again_and_again_are_refused() -> None:
    """A schema of a page can stand for more fields than there is memory."""
    fields: list[Any] = [{"name": "c0", "type": "int"}]
    for number in range(40):
        pair = [{"name": name, "type": f"t{number}"} for name in ("a", "b")]
        inner = {"type": "record", "name": f"t{number + 1}", "fields": pair}
        if number == 0:
            inner["fields"] = [{"name": "a", "type": "int"}]
        fields.append({"name": f"c{number + 1}", "type": inner})
    with pytest.raises(LimitExceeded):
        from_avro({"type": "record", "name": "r", "fields": fields})


def test_objects_inside_objects_are_refused_beyond_the_limit() -> None:
    """Types that are only wrapped, and lists inside lists."""
    wrapped: Any = "int"
    nested: Any = "int"
    for _ in range(5_000):
        wrapped, nested = {"type": wrapped}, {"type": "array", "items": nested}
    for each in (wrapped, nested):
        with pytest.raises((FormatError, LimitExceeded)):
            from_avro({"type": "record", "name": "r", "fields": [{"name": "c", "type": each}]})


names = st.text(min_size=1, max_size=8)
primitives = st.sampled_from([named(each.name) for each in PRIMITIVE_TYPES]) | st.builds(
    DecimalType, st.integers(1, 38), st.integers(0, 9)
)


@st.composite
def structs(draw: Any) -> StructType:
    """Any struct, ids counted from 1."""
    count = iter(range(1, 10_000))

    def of(depth: int) -> Type:
        kind = draw(st.sampled_from(["plain", "plain", "struct", "list", "map"]))
        if kind == "plain" or depth == 0:
            return draw(primitives)  # type: ignore[no-any-return]
        if kind == "struct":
            return struct(depth)
        if kind == "list":
            return ListType(next(count), of(depth - 1), draw(st.booleans()))
        key = draw(primitives.filter(lambda each: each.kind not in {"unknown", "variant"}))
        return MapType(next(count), key, next(count), of(depth - 1), draw(st.booleans()))

    def struct(depth: int) -> StructType:
        labels = draw(st.lists(names, max_size=3, unique_by=lambda each: each))
        return StructType(
            tuple(
                NestedField(next(count), each, of(depth - 1), draw(st.booleans()))
                for each in labels
            )
        )

    return struct(3)


def plain(of: Type) -> Any:
    """A type as Avro can tell it: shapes are bytes, unknown is never required."""
    if isinstance(of, StructType):
        return [
            (each.id, each.name, plain(each.type), each.required and each.type.kind != "unknown")
            for each in of.fields
        ]
    if isinstance(of, ListType | MapType):
        return [
            (each.id, plain(each.type), each.required and each.type.kind != "unknown")
            for each in of.fields
        ]
    return "binary" if of.kind in {"geometry", "geography"} else str(of)


@given(structs())
def test_what_is_written_is_read_again(of: StructType) -> None:
    """Ids, names of any characters, types and what is required."""
    schema = json.loads(json.dumps(to_avro(of)))
    assert plain(from_avro(schema)) == plain(of)
