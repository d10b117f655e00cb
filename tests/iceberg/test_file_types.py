"""Iceberg's types are written to and read from files as each row of the tables says.

The page about Iceberg's spec documents these modules, which are internal otherwise.
"""

from __future__ import annotations

import json
from io import BytesIO
from typing import TYPE_CHECKING, Any, ClassVar

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from byteloom.errors import ByteloomError, FormatError, LimitExceeded, Unsupported
from byteloom.iceberg import (
    DecimalType,
    ListType,
    MapType,
    NestedField,
    StructType,
    Type,
    parse_primitive,
)
from byteloom.iceberg.arrow_types import arrow_field
from byteloom.iceberg.file_types import (
    OrcColumn,
    ParquetLeaf,
    from_avro,
    from_orc,
    from_parquet,
    to_avro,
    to_orc,
    to_parquet,
)
from byteloom.iceberg.file_types.avro import avro_name
from byteloom.iceberg.file_types.parquet import leaf_of
from byteloom_generated.iceberg.file_types import AVRO_TYPES, ORC_TYPES, PARQUET_TYPES
from byteloom_generated.iceberg.types import NESTED_TYPES, PRIMITIVE_TYPES

if TYPE_CHECKING:
    from byteloom_generated.iceberg.file_types import AvroType, OrcType

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
    """Return a type of that name."""
    return NESTED.get(name) or parse_primitive(TEXT.get(name, name))


def column(of: Type, *, required: bool = True) -> StructType:
    """Return a struct of one column, which is optional if its type is unknown."""
    return StructType((NestedField(1, "c", of, required and of.kind != "unknown"),))


def stored(row: AvroType) -> Any:
    """Return the Avro type of a row as JSON."""
    stated: dict[str, Any] = {"type": row.avro}
    if row.logical:
        stated["logicalType"] = row.logical
    if row.adjust_to_utc:
        stated["adjust-to-utc"] = row.adjust_to_utc == "true"
    if row.type == "decimal":
        stated |= {"precision": 9, "scale": 2}
    if row.size:
        stated |= {"name": "n", "size": {"fewest": 4, "L": 5}.get(row.size) or int(row.size)}
    return {**stated, "symbols": ["a"], "name": "e"} if row.avro == "enum" else stated


def test_every_type_is_written_in_every_format() -> None:
    """Every type is written in every format, and no table has an unknown type."""
    names = {each.name for each in (*PRIMITIVE_TYPES, *NESTED_TYPES)}
    for rows in (AVRO_TYPES, PARQUET_TYPES, ORC_TYPES):
        assert {each.type for each in rows if each.written} == names
        assert {each.type for each in rows} == names


SIMPLE = [each for each in AVRO_TYPES if each.type not in {*NESTED, "variant"}]


@pytest.mark.parametrize("row", SIMPLE, ids=lambda row: f"{row.type}-{row.avro}-{row.logical}")
class TestAvro:
    """Each row of the table of Avro types is written and read."""

    def test_it_is_written_as_its_row_says(self, row: AvroType) -> None:
        """A type is written as the Avro type of its row, with its logical type and attributes."""
        if not row.written:
            return
        (field,) = to_avro(column(named(row.type)))["fields"]
        found = field["type"] if isinstance(field["type"], dict) else {"type": field["type"]}
        wanted = stored(row)
        assert {**found, "name": ""} == {**wanted, "name": ""}
        assert fastavro.parse_schema(to_avro(column(named(row.type))))

    def test_it_is_read_as_its_row_says(self, row: AvroType) -> None:
        """An Avro type is read as the type of its row, with geometry and geography as bytes."""
        field = {"name": "c", "type": stored(row), "field-id": 1}
        (found,) = from_avro({"type": "record", "name": "r", "fields": [field]}).fields
        wanted = "binary" if row.type in {"geometry", "geography"} else row.type
        assert str(found.type) == TEXT.get(wanted, wanted)

    def test_it_may_be_null(self, row: AvroType) -> None:
        """A union with null, in either order, is read as an optional column."""
        for union in (["null", stored(row)], [stored(row), "null"]):
            field = {"name": "c", "type": union, "field-id": 1}
            (found,) = from_avro({"type": "record", "name": "r", "fields": [field]}).fields
            assert not found.required


def test_an_unknown_logical_type_counts_for_nothing() -> None:
    """An unknown logical type is ignored, as Avro asks."""
    stated = {"type": "long", "logicalType": "duration"}
    schema = {"type": "record", "name": "r", "fields": [{"name": "c", "type": stated}]}
    assert str(from_avro(schema)) == "struct<1: c: required long>"


def test_fields_without_ids_are_given_those_that_are_free() -> None:
    """Fields without ids, nested ones included, get ids that are not in use."""
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


def test_names_that_become_one_are_refused() -> None:
    """Two names with the same spelling in Avro are an error that gives both."""
    of = StructType((NestedField(1, "9", INT), NestedField(2, "_9", INT)))
    with pytest.raises(FormatError, match="_9 for '9' and '_9'"):
        to_avro(of)


def record(type_: Any) -> dict[str, Any]:
    """A schema of records of one field."""
    return {"type": "record", "name": "r", "fields": [{"name": "c", "type": type_}]}


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


LONG = "x" * 70


@pytest.mark.parametrize(
    ("schema", "path", "wanted"),
    [
        ({"type": "record", "name": "r", "fields": LONG}, "", "the fields of a record"),
        ({"type": "record", "name": "r", "fields": [LONG]}, "", "a field with a name"),
        (record(LONG), ".c", "a type of Avro that Iceberg has"),
        (record({"type": "fixed", "name": "f", "size": LONG}), ".c", "the size of a type"),
    ],
)
def test_an_error_shows_the_first_60_letters_of_what_is_wrong(
    schema: Any, path: str, wanted: str
) -> None:
    """The error for a part of a schema has the path to it, and 60 letters of it, marked as cut."""
    found = f"found '{'x' * 60}'…, wanted {wanted}"
    with pytest.raises(FormatError, match=rf"^avro\.schema{path}: {found}$"):
        from_avro(schema)


@pytest.mark.parametrize("schema", WRONG)
def test_what_is_no_schema_of_records_is_refused(schema: Any) -> None:
    """A schema that is not of records is an error with the path to the invalid part."""
    with pytest.raises(ByteloomError, match=r"^(avro\.schema|struct|c|r)\b.*: found .*, wanted "):
        from_avro(schema)


def test_types_that_name_each_other_again_and_again_are_refused() -> None:
    """A small schema that expands to more fields than the limit is refused."""
    fields: list[Any] = [{"name": "c0", "type": "int"}]
    for number in range(40):
        pair = [{"name": name, "type": f"t{number}"} for name in ("a", "b")]
        inner = {"type": "record", "name": f"t{number + 1}", "fields": pair}
        if number == 0:
            inner["fields"] = [{"name": "a", "type": "int"}]
        fields.append({"name": f"c{number + 1}", "type": inner})
    with pytest.raises(
        LimitExceeded, match=r"^avro\.schema: found more, wanted at most 65536 fields"
    ):
        from_avro({"type": "record", "name": "r", "fields": fields})


def test_objects_inside_objects_are_refused_beyond_the_limit() -> None:
    """Wrapped types, and lists in lists, are refused beyond the limit of depth."""
    wrapped: Any = "int"
    nested: Any = "int"
    for _ in range(5_000):
        wrapped, nested = {"type": wrapped}, {"type": "array", "items": nested}
    for each in (wrapped, nested):
        with pytest.raises(
            (FormatError, LimitExceeded),
            match=r"^avro\.schema: found .*, wanted at most 200 \(limits\.nesting\)",
        ):
            from_avro({"type": "record", "name": "r", "fields": [{"name": "c", "type": each}]})


names = st.text(min_size=1, max_size=8)
primitives = st.sampled_from([named(each.name) for each in PRIMITIVE_TYPES]) | st.builds(
    DecimalType, st.integers(1, 38), st.integers(0, 9)
)


@st.composite
def structs(draw: Any) -> StructType:
    """Draw any struct, with ids counted from 1."""
    count = iter(range(1, 10_000))

    def required(of: Type) -> bool:
        return draw(st.booleans()) and of.kind != "unknown"

    def of(depth: int) -> Type:
        kind = draw(st.sampled_from(["plain", "plain", "struct", "list", "map"]))
        if kind == "plain" or depth == 0:
            return draw(primitives)  # type: ignore[no-any-return]
        if kind == "struct":
            return struct(depth)
        if kind == "list":
            element = of(depth - 1)
            return ListType(next(count), element, required(element))
        key = draw(primitives.filter(lambda each: each.kind not in {"unknown", "variant"}))
        value = of(depth - 1)
        return MapType(next(count), key, next(count), value, required(value))

    def struct(depth: int) -> StructType:
        labels = draw(st.lists(names, max_size=3, unique_by=avro_name))
        types = [of(depth - 1) for _ in labels]
        return StructType(
            tuple(
                NestedField(next(count), each, kind, required(kind))
                for each, kind in zip(labels, types, strict=True)
            )
        )

    return struct(3)


def plain(of: Type) -> Any:
    """Return a type as Avro can represent it: shapes as bytes, unknown always optional."""
    if isinstance(of, StructType):
        return [(each.id, each.name, plain(each.type), each.required) for each in of.fields]
    if isinstance(of, ListType | MapType):
        return [(each.id, plain(each.type), each.required) for each in of.fields]
    return "binary" if of.kind in {"geometry", "geography"} else str(of)


@given(structs())
def test_what_is_written_is_read_again(of: StructType) -> None:
    """Ids, names of any characters, types and requiredness survive writing and reading."""
    schema = json.loads(json.dumps(to_avro(of)))
    assert plain(from_avro(schema)) == plain(of)


WRITTEN_PARQUET = [
    (row.type, f"decimal({row.digits}, 2)" if row.digits else TEXT.get(row.type, row.type))
    for row in PARQUET_TYPES
    if row.written and row.physical != "none"
]


def whole_parquet(of: StructType) -> Any:
    """Return a file without rows that pyarrow writes."""
    out = BytesIO()
    nothing = pa.schema([arrow_field(each) for each in of.fields]).empty_table()
    pq.write_table(nothing, out, store_decimal_as_integer=True)
    return pq.ParquetFile(BytesIO(out.getvalue()), arrow_extensions_enabled=False)


class TestParquet:
    """Columns of Parquet files are written and read as the table says."""

    @pytest.mark.parametrize(("kind", "text"), WRITTEN_PARQUET)
    def test_it_is_written_as_its_row_says(self, kind: str, text: str) -> None:
        """A type has the physical type, logical type and width of the first row that fits."""
        of = NESTED.get(kind) or parse_primitive(text)
        digits = of.precision if isinstance(of, DecimalType) else 0
        rows = [each for each in PARQUET_TYPES if each.type == kind and each.written]
        row = next(each for each in rows if digits <= (each.digits or 0))
        made = to_parquet(column(of))
        if row.physical == "group":
            assert all(each.path.startswith("c.") for each in made)
        else:
            size = {None: 0, "fewest": 16, "L": 5, "16": 16}[row.size]
            assert made == [ParquetLeaf("c", row.physical, row.logical, size)]

    @pytest.mark.parametrize(("kind", "text"), WRITTEN_PARQUET)
    def test_a_file_by_another_is_read_as_the_type(self, kind: str, text: str) -> None:
        """A file by pyarrow is read as its types; shapes and UUIDs are read as bytes."""
        of = column(NESTED.get(kind) or parse_primitive(text))
        file = whole_parquet(of)
        plainly = {"geometry": "binary", "geography": "binary", "uuid": "fixed[16]"}
        if kind in plainly:
            of = column(parse_primitive(plainly[kind]))
        assert from_parquet(file.schema, file.schema_arrow) == of
        leaves = [leaf_of(file.schema.column(number)) for number in range(len(file.schema))]
        assert leaves == to_parquet(of)

    @pytest.mark.parametrize(
        ("of", "wanted"),
        [
            (pa.int8(), "int"),
            (pa.uint16(), "int"),
            (pa.uint32(), "long"),
            (pa.time32("ms"), "time"),
            (pa.timestamp("ms"), "timestamp"),
            (pa.timestamp("ms", "UTC"), "timestamptz"),
        ],
    )
    def test_types_of_others_are_read_as_the_table_says(self, of: Any, wanted: str) -> None:
        """Columns without ids are read as the types in the table, and are numbered."""
        out = BytesIO()
        pq.write_table(pa.table({"c": pa.nulls(1, of)}), out)
        file = pq.ParquetFile(out)
        (field,) = from_parquet(file.schema, file.schema_arrow).fields
        assert (field.id, str(field.type)) == (1, wanted)

    @pytest.mark.parametrize(
        ("names", "ids", "kind"),
        [
            (["metadata", "value"], False, "variant"),
            (["value", "metadata"], False, "variant"),
            (["metadata", "value", "typed_value"], False, "variant"),
            (["metadata", "value"], True, "struct"),
            (["metadata", "other"], False, "struct"),
            (["metadata"], False, "struct"),
        ],
    )
    def test_a_struct_of_metadata_and_value_without_ids_is_a_variant(
        self, names: list[str], ids: bool, kind: str
    ) -> None:
        """A struct with the fields of a variant and no ids is read as a variant."""
        fields = [
            pa.field(name, pa.binary(), metadata={"PARQUET:field_id": str(number)} if ids else None)
            for number, name in enumerate(names, 2)
        ]
        out = BytesIO()
        pq.write_table(pa.schema([pa.field("x", pa.struct(fields))]).empty_table(), out)
        file = pq.ParquetFile(out)
        (found,) = from_parquet(file.schema, file.schema_arrow).fields
        assert found.type.kind == kind

    def test_a_type_that_iceberg_has_not_is_refused(self) -> None:
        """A type without an Iceberg type is an error with the name of its column."""
        out = BytesIO()
        pq.write_table(pa.table({"c": pa.nulls(1, pa.uint64())}), out)
        file = pq.ParquetFile(out)
        with pytest.raises(Unsupported, match=r"column c: .*int64, INT\(64, false\)"):
            from_parquet(file.schema, file.schema_arrow)


class TestOrc:
    """Columns of ORC files are written and read as the table says."""

    ARROW: ClassVar[dict[str, Any]] = {
        "boolean": pa.bool_(),
        "tinyint": pa.int8(),
        "smallint": pa.int16(),
        "int": pa.int32(),
        "bigint": pa.int64(),
        "float": pa.float32(),
        "double": pa.float64(),
        "decimal(P, S)": pa.decimal128(9, 2),
        "date": pa.date32(),
        "timestamp": pa.timestamp("ns"),
        "timestamp with local time zone": pa.timestamp("ns", "UTC"),
        "string": pa.string(),
        "varchar": pa.string(),
        "char": pa.string(),
        "binary": pa.binary(),
    }

    @pytest.mark.parametrize(
        "row",
        [each for each in ORC_TYPES if each.type not in {*NESTED, "unknown", "variant"}],
        ids=lambda row: f"{row.type}-{row.orc}",
    )
    def test_it_is_written_and_read_as_its_row_says(self, row: OrcType) -> None:
        """A type has the ORC type and attributes of its row; shapes are read as bytes."""
        of = named(row.type)
        attributes = {"iceberg.id": "1", "iceberg.required": "true"}
        attributes |= dict(each.replace("=L", "=5").split("=") for each in row.attributes)
        if row.written:
            orc = "decimal(9, 2)" if row.type == "decimal" else row.orc
            assert to_orc(column(of)) == [OrcColumn("c", orc, attributes)]
        stored = pa.field("c", self.ARROW[row.orc], metadata=attributes)
        (field,) = from_orc(pa.schema([stored])).fields
        wanted = "binary" if row.type in {"geometry", "geography"} else str(of)
        assert (field.id, field.required, str(field.type)) == (1, True, wanted)

    def test_what_is_inside_has_its_own_attributes(self) -> None:
        """Nested fields have attributes of their own, and unknown columns are left out."""
        inner = StructType((NestedField(6, "a", INT, required=True),))
        of = StructType(
            (
                NestedField(1, "l", NESTED["list"]),
                NestedField(4, "n", parse_primitive("unknown")),
                NestedField(5, "s", inner),
            )
        )
        reported = [(each.path, each.orc, each.attributes["iceberg.id"]) for each in to_orc(of)]
        assert reported == [
            ("l", "array", "1"),
            ("l.element", "int", "2"),
            ("s", "struct", "5"),
            ("s.a", "int", "6"),
        ]

    def test_a_type_that_iceberg_has_not_is_refused(self) -> None:
        """An unsupported type or an invalid length is an error with the name of its column."""
        with pytest.raises(Unsupported, match=r"column c: .*uint8"):
            from_orc(pa.schema([pa.field("c", pa.uint8())]))
        stated = {"iceberg.binary-type": "FIXED", "iceberg.length": "long"}
        with pytest.raises(FormatError, match=r"column c.*long"):
            from_orc(pa.schema([pa.field("c", pa.binary(), metadata=stated)]))
