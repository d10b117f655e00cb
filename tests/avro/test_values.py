"""Single values of Avro are read and written as another implementation reads and writes them."""

from __future__ import annotations

import io
import json
import math
from decimal import Decimal
from typing import Any, Final

import fastavro
import pytest
from hypothesis import given
from hypothesis import strategies as st

from byteloom.avro.file_writer import write_avro
from byteloom.avro.value_reader import ValueReader
from byteloom.avro.value_writer import ValueWriter
from byteloom.errors import ArgumentError, FormatError, Unsupported


def record(*fields: tuple[str, Any], name: str = "Row", **more: Any) -> dict[str, Any]:
    """Return the schema of a record."""
    listed = [{"name": each, "type": kind, **more} for each, kind in fields]
    return {"type": "record", "name": name, "namespace": "space", "fields": listed}


DECIMAL: Final = {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}
FIXED: Final = {"type": "fixed", "name": "F", "size": 5, "logicalType": "decimal", "precision": 11}
TREE: Final = record(
    ("text", "string"),
    ("maybe", ["null", "long"]),
    ("late", ["double", "null"]),
    ("list", {"type": "array", "items": record(("n", "int"), name="Item")}),
    ("map", {"type": "map", "values": ["null", "string"]}),
    ("again", {"type": "array", "items": "Item"}),
)
BRANCHES: Final = [
    "null",
    record(("value", "int"), name="Int"),
    record(("a", "string"), name="Text"),
]
ENUM: Final = {"type": "enum", "name": "E", "symbols": ["A", "B"]}

VALUES: Final[list[tuple[Any, Any]]] = [
    ("null", None),
    ("boolean", True),
    ("int", -(1 << 31)),
    ("long", (1 << 63) - 1),
    ("long", -(1 << 63)),
    ("long", 300),
    ("float", 0.5),
    ("double", -math.inf),
    ("bytes", b"\0\xff"),
    ("string", "ü€\U0001f600"),
    ({"type": "fixed", "name": "F", "size": 3}, b"abc"),
    (ENUM, "B"),
    (DECIMAL, Decimal("-1234567.89")),
    (DECIMAL, Decimal("1.28")),
    (DECIMAL, Decimal("0.00")),
    ({**FIXED, "scale": 0}, Decimal(-(10**11) + 1)),
    ({"type": "int", "logicalType": "date"}, 19_000),
    ({"type": "array", "items": "string"}, []),
    ({"type": "array", "items": "string"}, ["", "a"]),
    ({"type": "map", "values": "long"}, {"a": 1, "": -1}),
    (
        TREE,
        {
            "text": "t",
            "maybe": None,
            "late": 1.5,
            "list": [{"n": 1}, {"n": -64}],
            "map": {"k": None, "l": "v"},
            "again": [{"n": 3}],
        },
    ),
]


def theirs(schema: Any, value: Any) -> bytes:
    """Return the bytes that another implementation writes."""
    out = io.BytesIO()
    fastavro.schemaless_writer(out, fastavro.parse_schema(schema), value)
    return out.getvalue()


@pytest.mark.parametrize(("schema", "value"), VALUES)
def test_a_value_is_read_and_written_as_by_others(schema: Any, value: Any) -> None:
    """Each value has the bytes that another implementation writes, and is read back from them."""
    data = theirs(schema, value)
    assert ValueWriter(schema).write(value) == data
    assert ValueReader(schema).read(data) == value


@pytest.mark.parametrize(("schema", "value"), VALUES)
def test_every_shorter_prefix_is_refused(schema: Any, value: Any) -> None:
    """Bytes that end inside a value are refused, and so are bytes after it."""
    data = theirs(schema, value)
    for size in range(len(data)):
        with pytest.raises(FormatError):
            ValueReader(schema).read(data[:size])
    with pytest.raises(FormatError, match="found 1 byte after the value, wanted none"):
        ValueReader(schema).read(data + b"\0")


@given(st.binary(max_size=60))
def test_bytes_are_read_or_refused(data: bytes) -> None:
    """Whatever the bytes are, they are a value or a `FormatError`."""
    try:
        value = ValueReader(TREE).read(data)
    except FormatError:
        return
    written = ValueWriter(TREE).write(value)
    assert ValueWriter(TREE).write(ValueReader(TREE).read(written)) == written


@pytest.mark.parametrize(
    ("value", "data"),
    [(None, b"\0"), (("Int", {"value": 3}), b"\2\6"), (("Text", {"a": "x"}), b"\4\2x")],
)
def test_a_union_of_records_names_the_type(value: Any, data: bytes) -> None:
    """A value of a union of several records is a pair of the record's name and its fields."""
    assert ValueReader(BRANCHES).read(data) == value
    assert ValueWriter(BRANCHES).write(value) == data
    if value is not None:
        assert ValueWriter(BRANCHES).write((f"space.{value[0]}", value[1])) == data


def test_blocks_of_a_list_may_have_a_size() -> None:
    """A list in several blocks, with the size of one, is read as one list."""
    schema = {"type": "array", "items": "int"}
    assert ValueReader(schema).read(b"\3\4\2\4\2\6\0") == [1, 2, 3]


DAMAGED: Final = [
    ("boolean", b"\2", "found 02, wanted 0 or 1"),
    ("int", b"\x80\x80\x80\x80\x10", "wanted a number of 32 bits"),
    ("long", b"\xff" * 10, "wanted a whole number of at most 10 bytes inside the value"),
    ("long", b"\xff" * 9 + b"\2", "wanted a whole number of at most 10 bytes"),
    ("bytes", b"\1", "wanted a length of bytes that are inside the value"),
    ("string", b"\2\xff", "at byte 1 (0x1): found invalid UTF-8"),
    (ENUM, b"\4", "wanted a number of a symbol that the schema has"),
    (BRANCHES, b"\6", "wanted a number of a branch that the schema has"),
    ({"type": "array", "items": "int"}, b"\x80\x80\x80\x80\x08", "a count of items"),
    ({"type": "array", "items": "int"}, b"\3\x10\2", "a count of items"),
    (TREE, b"\2t\0\2\4\2\x80", "list[1].n at byte 6 (0x6)"),
    ({"type": "map", "values": "int"}, b"\2\2k\xff", "[0] at byte 3"),
]


@pytest.mark.parametrize(("schema", "data", "error"), DAMAGED)
def test_an_error_says_where(schema: Any, data: bytes, error: str) -> None:
    """An error about damaged bytes names the field and the place, and says what is wrong."""
    with pytest.raises(FormatError) as refused:
        ValueReader(schema).read(data)
    assert error in str(refused.value)


REFUSED: Final = [
    ("int", 1 << 31, "found 2147483648, wanted a whole number of 32 bits"),
    ("int", True, "wanted a whole number"),
    ("long", "1", "wanted a whole number of 64 bits"),
    ("long", 1.0, "wanted a whole number of 64 bits"),
    ("float", 1e39, "wanted a number of 32 bits"),
    ("double", "x", "wanted a number of 64 bits"),
    ("boolean", 1, "wanted True or False"),
    ("null", 0, "wanted None"),
    ("bytes", "x", "wanted bytes"),
    ("string", b"x", "wanted text"),
    ("string", "\ud800", "wanted text"),
    ({"type": "fixed", "name": "F", "size": 3}, b"ab", "wanted 3 bytes"),
    (ENUM, "C", "wanted one of A, B"),
    (DECIMAL, Decimal("1.234"), "wanted a decimal of 9 digits, 2 after the point"),
    (DECIMAL, Decimal(10**7), "wanted a decimal of 9 digits"),
    (DECIMAL, Decimal("NaN"), "wanted a decimal of 9 digits"),
    (FIXED, Decimal(10**12), "wanted a decimal of 11 digits"),
    (BRANCHES, {"value": 3}, "wanted a pair of one of null, Int, Text and a value"),
    (["null", "long"], "x", "wanted a whole number"),
    ({"type": "array", "items": "int"}, {"a": 1}, "wanted a list"),
    ({"type": "array", "items": "int"}, [1, "x"], "[1]: found 'x', wanted a whole number"),
    ({"type": "map", "values": "int"}, [1], "wanted a dict"),
    ({"type": "map", "values": "int"}, {1: 1}, "[0]: found 1, wanted text"),
    (record(("a", "int")), {}, "a: found None, wanted a whole number of 32 bits"),
    (record(("a", "int")), 3, "wanted a dict of the fields of a record"),
]


@pytest.mark.parametrize(("schema", "value", "error"), REFUSED)
def test_a_value_that_does_not_fit_is_refused(schema: Any, value: Any, error: str) -> None:
    """A value of another type, or out of range, is an error that says what is wanted."""
    with pytest.raises(FormatError) as refused:
        ValueWriter(schema).write(value)
    assert error in str(refused.value)


def test_a_field_that_a_record_lacks_has_its_default() -> None:
    """A missing field is written as its default."""
    schema = record(("a", "int"), ("b", "int"), default=7)
    assert ValueWriter(schema).write({"a": 1}) == ValueWriter(schema).write({"a": 1, "b": 7})


@pytest.mark.parametrize("of", [ValueReader, ValueWriter])
def test_a_schema_that_contains_itself_is_not_supported(of: Any) -> None:
    """Recursive schemas, and lists of items without bytes, are refused before any value."""
    for kind in ("Row", "null"):
        with pytest.raises(Unsupported):
            of(record(("next", {"type": "array", "items": kind})))


@pytest.mark.parametrize("codec", ["null", "deflate", "snappy"])
def test_a_file_is_read_by_others(codec: str) -> None:
    """A file has all values and properties, in blocks that end at the size that is asked for."""
    schema = record(("n", "long"), ("t", "string"))
    rows = [{"n": number, "t": "x" * 9} for number in range(100)]
    data = write_avro(schema, iter(rows), metadata={"k": "ü"}, codec=codec, block_size=110)
    reader = fastavro.reader(io.BytesIO(data))
    assert list(reader) == rows
    assert (reader.metadata["k"], reader.codec) == ("ü", codec)
    assert json.loads(reader.metadata["avro.schema"]) == schema
    blocks = [each.num_records for each in fastavro.block_reader(io.BytesIO(data))]
    assert blocks[:2] == [10, 10]
    assert sum(blocks) == 100


def test_a_file_of_no_values_has_no_blocks() -> None:
    """A file without values has only a header."""
    data = write_avro("long", [])
    assert list(fastavro.block_reader(io.BytesIO(data))) == []


def test_errors_of_a_file_name_the_value() -> None:
    """A value that does not fit is an error with its number, and so is an unknown codec."""
    with pytest.raises(FormatError, match=r"^rows\[1\]\.a: found 'x', wanted a whole number"):
        write_avro(record(("a", "int")), [{"a": 1}, {"a": "x"}], name="rows")
    with pytest.raises(ArgumentError, match=r"codec: found xz, wanted one of null, deflate"):
        write_avro("long", [], codec="xz")
