"""Schemas of Lance files: a flat list of fields becomes an Arrow schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from tests.support.lance_files import lance_field, lance_file

from byteloom import lance
from byteloom.errors import FormatError, Unsupported
from byteloom.limits import Limits

if TYPE_CHECKING:
    from byteloom_generated.lance.file import Field

TYPES = {
    "null": pa.null(),
    "bool": pa.bool_(),
    "int8": pa.int8(),
    "uint64": pa.uint64(),
    "halffloat": pa.float16(),
    "float": pa.float32(),
    "double": pa.float64(),
    "string": pa.string(),
    "large_string": pa.large_string(),
    "binary": pa.binary(),
    "large_binary": pa.large_binary(),
    "date32:day": pa.date32(),
    "date64:ms": pa.date64(),
    "time32:s": pa.time32("s"),
    "time32:ms": pa.time32("ms"),
    "time64:us": pa.time64("us"),
    "time64:ns": pa.time64("ns"),
    "duration:ms": pa.duration("ms"),
    "timestamp:us:-": pa.timestamp("us"),
    "timestamp:us:UTC": pa.timestamp("us", "UTC"),
    "timestamp:s:+02:00": pa.timestamp("s", "+02:00"),
    "decimal:128:38:10": pa.decimal128(38, 10),
    "decimal:256:76:-3": pa.decimal256(76, -3),
    "fixed_size_binary:16": pa.binary(16),
    "fixed_size_binary:0": pa.binary(0),
    "fixed_size_list:float:128": pa.list_(pa.float32(), 128),
    "fixed_size_list:fixed_size_list:float:2:3": pa.list_(pa.list_(pa.float32(), 2), 3),
    "fixed_size_list:timestamp:us:UTC:2": pa.list_(pa.timestamp("us", "UTC"), 2),
    "dict:string:int8:false": pa.dictionary(pa.int8(), pa.string()),
    "dict:string:uint16:true": pa.dictionary(pa.uint16(), pa.string(), ordered=True),
    "dict:decimal:128:5:2:int32:false": pa.dictionary(pa.int32(), pa.decimal128(5, 2)),
}


def schema_of(*fields: Field, **values: Any) -> pa.Schema:
    """The schema of a file of these fields; columns are not looked at."""
    with lance.open(lance_file(fields, [], rows=0), **values) as file:
        return file.schema


@pytest.mark.parametrize("text", TYPES)
def test_a_logical_type_is_an_arrow_type(text: str) -> None:
    """Each logical type, with its parameters, becomes the Arrow type of the same meaning."""
    assert schema_of(lance_field("x", text)).field("x").type == TYPES[text]


@pytest.mark.parametrize(
    "text",
    [
        "list",
        "timestamp:us",
        "timestamp:m:-",
        "time32:us",
        "time64:ns:UTC",
        "duration",
        "date32",
        "decimal:128:39:1",
        "decimal:64:3:1",
        "decimal:128:3",
        "fixed_size_binary:-1",
        "fixed_size_binary:2147483648",
        "fixed_size_list:float:0",
        "fixed_size_list:float:2147483648",
        "fixed_size_list:float:\u0663",
        "fixed_size_list:float:" + "9" * 5000,
        "dict:string",
        "dict:string:double:false",
    ],
)
def test_a_malformed_logical_type_is_refused(text: str) -> None:
    """The error for a malformed logical type names the field and shows the type."""
    with pytest.raises(FormatError, match=r"schema\.x\.logical_type: found "):
        schema_of(lance_field("x", text))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("decimal:128:3", "3 parameters"),
        ("decimal:128:3:1:0", "3 parameters"),
        ("decimal:128:x:1", "a size of 1 to 2147483647"),
        ("decimal:128:1_0:1", "a size of 1 to 2147483647"),
        ("decimal:128:3:--1", "a size of 0 to 2147483647"),
    ],
)
def test_malformed_decimals(text: str, wanted: str) -> None:
    """A decimal has a number of bits, a precision and a scale, both in digits alone."""
    with pytest.raises(FormatError, match=rf"found {text}, wanted {wanted}$"):
        schema_of(lance_field("x", text))


@pytest.mark.parametrize("text", ["", "interval", "union", "fixed_size_list:interval:3", "blob"])
def test_an_unknown_logical_type_is_unsupported(text: str) -> None:
    """The error for an unknown logical type shows the whole type."""
    with pytest.raises(Unsupported, match=r"schema\.x\.logical_type: .*wanted a logical type"):
        schema_of(lance_field("x", text))


def test_children_are_found_by_their_parents() -> None:
    """Fields are children of the parent that they name, wherever they are in the list."""
    fields = [
        lance_field("points", "list.struct", 7),
        lance_field("item", "struct", 3, parent_id=7, nullable=False),
        lance_field("x", "float", 4, parent_id=3),
        lance_field("tags", "map", 9),
        lance_field("entries", "struct", 10, parent_id=9, nullable=False),
        lance_field("key", "string", 11, parent_id=10, nullable=False),
        lance_field("value", "int32", 12, parent_id=10),
        lance_field("y", "float", 5, parent_id=3),
        lance_field("many", "large_list", 20),
        lance_field("element", "int8", 21, parent_id=20),
    ]
    point = pa.struct([("x", pa.float32()), ("y", pa.float32())])
    assert schema_of(*fields) == pa.schema(
        {
            "points": pa.list_(pa.field("item", point, nullable=False)),
            "tags": pa.map_(pa.string(), pa.int32()),
            "many": pa.large_list(pa.field("element", pa.int8())),
        }
    )


def test_fields_keep_names_nullability_and_metadata() -> None:
    """Fields keep names, nullability and metadata, which names an extension type."""
    name = "ARROW:extension:name"
    schema = schema_of(
        lance_field("a", "int32", nullable=False, metadata={"k": b"v"}),
        lance_field("b", "json", 1),
        lance_field("c", "fixed_size_list:lance.bfloat16:4", 2),
    )
    assert schema.field("a") == pa.field("a", pa.int32(), nullable=False)
    assert schema.field("a").metadata == {b"k": b"v"}
    assert schema.field("b").type == pa.large_binary()
    assert schema.field("b").metadata == {name.encode(): b"lance.json"}
    item = schema.field("c").type.value_field
    if isinstance(item.type, pa.BaseExtensionType):  # where a test of the same process has pylance
        assert (item.type.storage_type, item.type.extension_name) == (
            pa.binary(2),
            "lance.bfloat16",
        )
    else:
        assert (item.type, item.metadata) == (pa.binary(2), {name.encode(): b"lance.bfloat16"})


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ([lance_field("x", "int8", parent_id=5)], r"fields\[0\]\.parent_id: found 5, wanted"),
        ([lance_field("x", "int8"), lance_field("y", "int8")], r"fields\[1\]\.id: found 0"),
        ([lance_field("x", "map"), lance_field("y", "int8", 1, parent_id=0)], "a key and a value"),
    ],
)
def test_fields_that_make_no_tree_are_refused(fields: list[Field], message: str) -> None:
    """A late parent, a repeated id, or a map without entries is refused."""
    with pytest.raises(FormatError, match=message):
        schema_of(*fields)


def test_fields_inside_of_fields_are_bounded() -> None:
    """Fields may be nested ``limits.nesting`` levels deep; one more is refused."""
    fields = [lance_field("x", "list", each, parent_id=each - 1) for each in range(9)]
    fields.append(lance_field("x", "int8", 9, parent_id=8))
    assert schema_of(*fields, limits=Limits(nesting=10)).names == ["x"]
    with pytest.raises(FormatError, match=r"limits\.nesting"):
        schema_of(*fields, limits=Limits(nesting=9))


def columns_of(version: str, count: int, *fields: Field) -> dict[int, int]:
    """The first column of each field of a file of a given number of columns."""
    with lance.open(lance_file(fields, [[]] * count, rows=0, version=version)) as file:
        return dict(file.column_map.first)


STRUCT = (
    lance_field("s", "struct"),
    lance_field("a", "int32", 1, parent_id=0),
    lance_field("b", "list", 2, parent_id=0),
    lance_field("item", "string", 3, parent_id=2),
)


@pytest.mark.parametrize(
    ("version", "count", "expected"),
    [
        ("2.0", 4, {0: 0, 1: 1, 2: 2, 3: 3}),
        ("2.0", 5, {0: 0, 1: 1, 2: 2, 3: 3}),  # text of two columns
        ("2.1", 2, {1: 0, 3: 1}),
        ("2.1", 4, {0: 0, 1: 1, 2: 2, 3: 3}),  # releases 0.16 to 0.18
        ("2.2", 2, {1: 0, 3: 1}),
    ],
)
def test_fields_have_columns(version: str, count: int, expected: dict[int, int]) -> None:
    """Each field has a column in 2.0, and each leaf from 2.1 on."""
    assert columns_of(version, count, *STRUCT) == expected


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (4, {"s": [0, 1, 2, 3], "s.a": [1], "s.b": [2, 3], "s.b.item": [3]}),
        (5, {"s": [0, 1, 2, 3, 4], "s.a": [1], "s.b": [2, 3, 4], "s.b.item": [3, 4]}),
    ],
)
def test_a_field_has_the_columns_of_all_inside_of_it(
    count: int, expected: dict[str, list[int]]
) -> None:
    """A field has the columns of all fields inside it; text of early releases has two."""
    with lance.open(lance_file(STRUCT, [[]] * count, rows=0, version="2.0")) as file:
        fields = [each for field in file.tail.schema.fields for each in field.walk()]
        assert {each.path: file.column_map.of(each) for each in fields} == expected


@pytest.mark.parametrize(("version", "count"), [("2.0", 3), ("2.1", 3), ("2.1", 1)])
def test_a_number_of_columns_that_fits_no_release_is_refused(version: str, count: int) -> None:
    """The error for a wrong number of columns says how many the schema needs."""
    wanted = 4 if version == "2.0" else 2
    with pytest.raises(FormatError, match=rf"num_columns: found {count}, wanted {wanted}"):
        columns_of(version, count, *STRUCT)


def test_a_packed_struct_is_one_column() -> None:
    """A packed struct is one column; in releases 0.33 to 0.38.0 its children are columns."""
    fields = (
        lance_field("s", "struct", metadata={"packed": b"true"}),
        lance_field("a", "int32", 1, parent_id=0),
        lance_field("b", "int32", 2, parent_id=0),
    )
    assert columns_of("2.1", 1, *fields) == columns_of("2.0", 1, *fields) == {0: 0}
    assert columns_of("2.1", 2, *fields) == {1: 0, 2: 1}
