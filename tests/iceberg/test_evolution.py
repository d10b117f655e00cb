"""Schemas, partition specs and sort orders change as the spec allows, and not otherwise.

What `Table.evolve` shows of this is tested in `test_evolving`.
"""

from __future__ import annotations

import json
import re
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest

from byteloom.errors import FormatError
from byteloom.iceberg import (
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    ListType,
    LongType,
    MapType,
    NameMapping,
    NestedField,
    PartitionSpec,
    Schema,
    StringType,
    StructType,
    TableMetadata,
    parse_primitive,
)
from byteloom.iceberg.evolution import (
    PartitionUpdate,
    SchemaUpdate,
    SortKey,
    sort_order,
    with_order,
    with_schema,
    with_spec,
)

if TYPE_CHECKING:
    from collections.abc import Callable

_SCHEMA = Schema(
    (
        NestedField(1, "id", IntegerType(), required=True),
        NestedField(2, "price", DecimalType(9, 2)),
        NestedField(3, "ratio", FloatType()),
        NestedField(4, "day", DateType()),
        NestedField(
            5,
            "point",
            StructType(
                (
                    NestedField(6, "x", IntegerType(), required=True),
                    NestedField(7, "y", IntegerType(), required=True),
                )
            ),
        ),
        NestedField(8, "tags", ListType(9, StructType((NestedField(10, "k", StringType()),)))),
        NestedField(11, "props", MapType(12, IntegerType(), 13, IntegerType())),
    ),
    identifier_field_ids=(1,),
)
POINT = "struct<6: x: required int, 7: y: required int>"


def _update(version: int = 2, fields: tuple[dict[str, Any], ...] = (), **more: Any) -> SchemaUpdate:
    """Return an update of the schema above, in a table that is partitioned by *fields*."""
    specs = (PartitionSpec.from_fields(list(fields)),)
    return SchemaUpdate(_SCHEMA, version, 20, specs, **more)


def _names(schema: Schema, inside: str | None = None) -> list[str]:
    """Return the names of the columns, or of the fields of a struct, in order."""
    if inside is None:
        return [each.name for each in schema.fields]
    found = schema.find(inside)
    assert found is not None
    assert isinstance(found.type, StructType)
    return [each.name for each in found.type.fields]


def test_new_fields_get_ids_that_never_were() -> None:
    """New ids go on after the highest ever used: the field's, then its parts', by level."""
    made = _update()
    of = StructType(
        (
            NestedField(1, "a", IntegerType()),
            NestedField(2, "b", ListType(3, IntegerType(), element_required=True)),
        )
    )
    schema = made.add("c", of).add("d", StringType()).apply()
    ids = {schema.name(each): each for each in schema.field_by_id if each > 20}
    assert ids == {"c": 21, "c.a": 22, "c.b": 23, "c.b.element": 24, "d": 25}
    assert made.last_column_id == 25


def test_fields_are_added_inside_structs_lists_and_maps() -> None:
    """A field is added to the struct itself, or to the struct that a list or map holds."""
    schema = _update().add("z", IntegerType(), parent="point").apply()
    assert _names(schema, "point") == ["x", "y", "z"]
    schema = _update().add("v", IntegerType(), parent="tags").apply()
    assert _names(schema, "tags.element") == ["k", "v"]


@pytest.mark.parametrize(
    ("change", "order"),
    [
        (lambda update: update.move_first("day"), ["day", "id", "price", "ratio"]),
        (lambda update: update.move_before("day", "price"), ["id", "day", "price", "ratio"]),
        (lambda update: update.move_after("id", "ratio"), ["price", "ratio", "id", "day"]),
        (
            lambda update: update.move_first("ratio").move_first("day"),
            ["day", "ratio", "id", "price"],
        ),
    ],
)
def test_moves_reorder_columns(
    change: Callable[[SchemaUpdate], SchemaUpdate], order: list[str]
) -> None:
    """Moves of columns are applied one after the other."""
    assert _names(change(_update()).apply())[:4] == order


def test_new_and_nested_fields_move_too() -> None:
    """A new field moves like any other, and a nested one moves inside its struct."""
    update = _update().add("first", IntegerType()).move_first("first").move_first("point.y")
    schema = update.apply()
    assert _names(schema)[0] == "first"
    assert _names(schema, "point") == ["y", "x"]


@pytest.mark.parametrize(
    ("name", "to", "version"),
    [
        ("id", LongType(), 1),
        ("ratio", DoubleType(), 1),
        ("price", DecimalType(18, 2), 2),
        ("props.value", LongType(), 2),
        ("point.x", LongType(), 2),
        ("day", parse_primitive("timestamp"), 3),
        ("day", parse_primitive("timestamp_ns"), 3),
    ],
)
def test_promotions_of_the_spec_are_made(name: str, to: Any, version: int) -> None:
    """Columns, elements and values are widened as their version allows."""
    found = _update(version).promote(name, to).apply().find(name)
    assert found is not None
    assert found.type == to


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda u: u.promote("price", DecimalType(8, 2)), "decimal"),
        (lambda u: u.promote("day", parse_primitive("timestamp")), "date to timestamp"),
        (lambda u: u.promote("props.key", LongType()), "map's key"),
        (lambda u: u.add("a.b", IntegerType()), "dot"),
        (
            lambda u: u.add("n", parse_primitive("timestamp_ns")),
            "n: found type timestamp_ns, wanted a type of version 2",
        ),
        (lambda u: u.drop("tags.element"), "element"),
        (lambda u: u.rename("ratio", "rate").drop("ratio"), "either to change or to drop it"),
        (
            lambda u: u.add("n", IntegerType(), parent="point").drop("point"),
            "either to change or to drop it",
        ),
        (lambda u: u.drop("point").add("n", IntegerType(), parent="point"), "dropped"),
        (lambda u: u.optional("id").apply(), "optional identifier"),
        (lambda u: u.identify_by("nowhere").apply(), "no such column"),
        (
            lambda u: u.identify_by("ratio").apply(),
            "ratio: found an identifier of type float, wanted a type with exact values",
        ),
        (
            lambda u: u.identify_by("price").apply(),
            "price: found an optional identifier field, wanted a required field",
        ),
        (
            lambda u: u.identify_by("point.x").apply(),
            f"point.x: found an identifier inside 5: point: optional {POINT}, wanted a column, or",
        ),
        (lambda u: u.identify_by("point").apply(), "exact"),
    ],
)
def test_what_the_spec_refuses_is_an_error(
    change: Callable[[SchemaUpdate], object], says: str
) -> None:
    """Changes that data or readers could not follow are refused, and the error says why."""
    with pytest.raises(FormatError, match=re.escape(says)):
        change(_update())


@pytest.mark.parametrize("transform", ["identity", "bucket[4]"])
def test_dates_of_partitions_stay_dates(transform: str) -> None:
    """A date does not become a timestamp under a transform that would give another value."""
    field = {"source-id": 4, "field-id": 1000, "name": "p", "transform": transform}
    with pytest.raises(FormatError, match="partition field p"):
        _update(3, (field,)).promote("day", parse_primitive("timestamp"))
    kept = {**field, "transform": "month"}
    found = _update(3, (kept,)).promote("day", parse_primitive("timestamp")).apply().find("day")
    assert found is not None
    assert found.type == parse_primitive("timestamp")


def test_source_columns_of_partitions_stay() -> None:
    """A source column of the newest spec cannot be dropped, unless its field is void."""
    field = {"source-id": 4, "field-id": 1000, "name": "p", "transform": "identity"}
    with pytest.raises(FormatError, match="partition field p"):
        _update(2, (field,)).drop("day").apply()
    schema = _update(2, ({**field, "transform": "void"},)).drop("day").apply()
    assert schema.find("day") is None


@pytest.mark.parametrize(
    ("of", "default", "wanted"),
    [
        (DateType(), date(2024, 1, 1), "a value of type date"),
        (IntegerType(), "1", ""),
        (IntegerType(), True, ""),
        (IntegerType(), 1 << 40, ""),
        (parse_primitive("variant"), b"", "null"),
        (StructType(()), {"a": 1}, "null"),
    ],
)
def test_defaults_fit_their_type(of: Any, default: object, wanted: str) -> None:
    """A default is a storage value of its column's type."""
    with pytest.raises(FormatError, match=rf"^n(.value)?: found .*, wanted {wanted}"):
        _update(3).add("n", of, default=default)


def test_docs_and_identifiers_change() -> None:
    """Docs are set and removed, and identifiers are named as the columns are called afterwards."""
    schema = _update().doc("id", "key").rename("id", "key").identify_by("key").apply()
    assert schema.field_by_id[1].doc == "key"
    assert schema.identifier_field_ids == (1,)
    assert _update().identify_by().drop("id").apply().identifier_field_ids == ()


def _metadata(version: int, fields: list[dict[str, Any]]) -> TableMetadata:
    """Return the metadata of a table of the schema above."""
    document: dict[str, Any] = {
        "format-version": version,
        "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1",
        "location": "file:/t",
        "last-sequence-number": 0,
        "last-updated-ms": 1,
        "last-column-id": 20,
        "schemas": [_SCHEMA.to_json()],
        "current-schema-id": 0,
        "partition-specs": [{"spec-id": 0, "fields": fields}],
        "default-spec-id": 0,
        "last-partition-id": 999 + len(fields),
        "sort-orders": [{"order-id": 0, "fields": []}],
        "default-sort-order-id": 0,
    }
    if version == 1:
        document |= {"schema": _SCHEMA.to_json(), "partition-spec": fields}
        del document["last-sequence-number"]
    return TableMetadata.from_json(document)


_BUCKET = {"source-id": 1, "field-id": 1000, "name": "id_bucket_4", "transform": "bucket[4]"}
_DAY = {"source-id": 4, "field-id": 1001, "name": "day", "transform": "identity"}


def _texts(spec: PartitionSpec) -> list[tuple[int, str, str]]:
    """Return ids, names and transforms of a spec."""
    return [(each.field_id, each.name, str(each.transform)) for each in spec.fields]


def test_equal_partition_fields_keep_their_ids() -> None:
    """A partition field that is added again has its old id; a new one has a new id."""
    table = _metadata(2, [_BUCKET])
    table = with_spec(table, PartitionUpdate.of(table).remove("id_bucket_4").add("day"))
    assert _texts(table.spec()) == [(1001, "day", "identity")]
    table = with_spec(
        table, PartitionUpdate.of(table).add("id", "bucket[4]").add("id", "bucket[8]")
    )
    assert _texts(table.spec()) == [
        (1001, "day", "identity"),
        (1000, "id_bucket_4", "bucket[4]"),
        (1002, "id_bucket_8", "bucket[8]"),
    ]
    assert table.document.last_partition_id == 1002


def test_a_field_removed_and_added_in_one_change_stays() -> None:
    """Removing a partition field and adding it again in one change keeps the spec."""
    table = _metadata(2, [_BUCKET])
    same = PartitionUpdate.of(table).remove("id_bucket_4").add("id", "bucket[4]").apply()
    assert same.spec_id == 0


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda u: u.add("id", "frobnicate"), "a transform of the spec"),
        (
            lambda u: u.add("point"),
            f"point: found identity of {POINT}, wanted a type it is defined for",
        ),
        (lambda u: u.add("day", "day").add("day", "month"), "only one of them"),
        (lambda u: u.add("day", name="id_bucket_4"), "taken"),
        (lambda u: u.add("day").remove("day"), "just now"),
        (lambda u: u.rename("id_bucket_4", "b").remove("id_bucket_4"), "renamed"),
        (lambda u: u.remove("id_bucket_4").rename("id_bucket_4", "b"), "removed"),
    ],
)
def test_partition_changes_that_contradict_are_refused(
    change: Callable[[PartitionUpdate], object], says: str
) -> None:
    """A partition change that is invalid or contradicts another one is refused."""
    with pytest.raises(FormatError, match=re.escape(says)):
        change(PartitionUpdate.of(_metadata(2, [_BUCKET])))


def test_void_fields_make_room_for_their_names() -> None:
    """In version 1, adding a field renames the void field that had its name."""
    table = _metadata(1, [_DAY | {"field-id": 1000}])
    table = with_spec(table, PartitionUpdate.of(table).remove("day"))
    table = with_spec(table, PartitionUpdate.of(table).add("day"))
    assert _texts(table.spec()) == [(1000, "day_1000", "void"), (1001, "day", "identity")]


def test_sort_orders_that_are_equal_are_one() -> None:
    """Equal sort orders share an id, and the unsorted order is order 0."""
    table = _metadata(2, [])
    keys = [SortKey("day", "month"), SortKey("id", descending=True)]
    made = sort_order(keys, table.schema(), table.sort_orders)
    table = with_order(table, made)
    assert (made.order_id, table.default_sort_order_id) == (1, 1)
    assert [each.null_order for each in made.fields] == ["nulls-first", "nulls-last"]
    assert sort_order(keys, table.schema(), table.sort_orders).order_id == 1
    assert sort_order([], table.schema(), table.sort_orders).order_id == 0
    for key, found, wanted in (
        (SortKey("ratio", "bucket[2]"), "bucket[2] of float", "a type it is defined for"),
        (SortKey("id", "frob[2]"), "'frob[2]'", "a transform of the spec"),
    ):
        said = re.escape(f"{key.column}: found {found}, wanted {wanted}")
        with pytest.raises(FormatError, match=f"^{said}$"):
            sort_order([key], table.schema(), table.sort_orders)


def test_a_name_mapping_follows_its_schema() -> None:
    """Renaming a column adds a name to the mapping, and a new column takes over an old name."""
    mapping = NameMapping.of(_SCHEMA).to_json()
    document = _metadata(2, []).to_json()
    document["properties"] = {"schema.name-mapping.default": json.dumps(mapping)}
    table = TableMetadata.from_json(document)
    table = with_schema(table, SchemaUpdate.of(table).rename("ratio", "rate"))
    assert _mapped(table) == {"ratio": 3, "rate": 3}
    table = with_schema(table, SchemaUpdate.of(table).add("ratio", StringType()))
    assert _mapped(table) == {"ratio": 21, "rate": 3}


def _mapped(table: TableMetadata) -> dict[str, int | None]:
    """Return what two names are mapped to."""
    mapping = NameMapping.parse(table.properties["schema.name-mapping.default"])
    found = {name: mapping.find(name) for name in ("ratio", "rate")}
    return {name: each.field_id for name, each in found.items() if each is not None}
