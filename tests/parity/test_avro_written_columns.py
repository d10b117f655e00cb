"""Columns become the same records as values that are written one by one."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from byteloom.avro.column_writer import ColumnWriter
from byteloom.avro.value_writer import ValueWriter
from byteloom.errors import FormatError

SCHEMA = {
    "type": "record",
    "name": "row",
    "fields": [
        {"name": "flag", "type": "boolean"},
        {"name": "small", "type": ["null", "int"]},
        {"name": "large", "type": "long"},
        {"name": "half", "type": ["float", "null"]},
        {"name": "ratio", "type": "double"},
        {"name": "text", "type": ["null", "string"]},
        {"name": "raw", "type": "bytes"},
        {"name": "code", "type": {"type": "fixed", "name": "code", "size": 3}},
        {
            "name": "price",
            "type": [
                "null",
                {
                    "type": "fixed",
                    "name": "price",
                    "size": 4,
                    "logicalType": "decimal",
                    "precision": 9,
                    "scale": 2,
                },
            ],
        },
        {"name": "tags", "type": ["null", {"type": "array", "items": ["null", "long"]}]},
        {"name": "counts", "type": {"type": "map", "values": "int"}},
        {
            "name": "point",
            "type": [
                "null",
                {
                    "type": "record",
                    "name": "point",
                    "fields": [
                        {"name": "x", "type": "int"},
                        {"name": "y", "type": ["null", {"type": "array", "items": "string"}]},
                    ],
                },
            ],
        },
        {"name": "none", "type": "null"},
    ],
}
COLUMNS = pa.schema(
    {
        "flag": pa.bool_(),
        "small": pa.int32(),
        "large": pa.int64(),
        "half": pa.float32(),
        "ratio": pa.float64(),
        "text": pa.large_string(),
        "raw": pa.large_binary(),
        "code": pa.binary(3),
        "price": pa.decimal128(9, 2),
        "tags": pa.large_list(pa.int64()),
        "counts": pa.map_(pa.large_string(), pa.int32()),
        "point": pa.struct({"x": pa.int32(), "y": pa.large_list(pa.large_string())}),
        "none": pa.null(),
    }
)


def numbers(bits: int) -> st.SearchStrategy[int]:
    """Return integers of a width."""
    return st.integers(-(1 << bits - 1), (1 << bits - 1) - 1)


ROWS = st.fixed_dictionaries(
    {
        "flag": st.booleans(),
        "small": st.none() | numbers(32),
        "large": numbers(64),
        "half": st.none() | st.floats(width=32, allow_nan=False),
        "ratio": st.floats(allow_nan=False),
        "text": st.none() | st.text(max_size=80),
        "raw": st.binary(max_size=80),
        "code": st.binary(min_size=3, max_size=3),
        "price": st.none() | st.decimals(-9_999_999, 9_999_999, places=2),
        "tags": st.none() | st.lists(st.none() | numbers(64), max_size=3),
        "counts": st.dictionaries(st.text(max_size=3), numbers(32), max_size=3),
        "point": st.none()
        | st.fixed_dictionaries(
            {"x": numbers(32), "y": st.none() | st.lists(st.text(max_size=3), max_size=2)}
        ),
        "none": st.none(),
    }
)


@given(st.lists(ROWS, max_size=5), st.integers(0, 2))
def test_the_same_bytes(rows: list[dict[str, Any]], first: int) -> None:
    """Any rows, in slices too, are encoded as one by one."""
    given = [{**each, "counts": list(each["counts"].items())} for each in rows]
    table = pa.Table.from_pylist(given, schema=COLUMNS).combine_chunks()
    batch = pa.RecordBatch.from_struct_array(table.to_struct_array().combine_chunks())
    made = ColumnWriter(SCHEMA).write(batch.slice(first).columns)
    writer = ValueWriter(SCHEMA)
    assert made.to_pylist() == [writer.write(each) for each in rows[first:]]


def test_null_where_none_may_be() -> None:
    """A null in a field without null is refused by its name."""
    schema = {"type": "record", "name": "r", "fields": [{"name": "price", "type": "long"}]}
    writer = ColumnWriter(schema)
    with pytest.raises(FormatError, match="price: found null, wanted a value"):
        writer.write([pa.array([1, None], pa.int64())])


def test_a_decimal_of_few_bytes() -> None:
    """A decimal is stored in the bytes of its type, the highest first."""
    of: dict[str, Any] = {"type": "fixed", "name": "d", "size": 2, "logicalType": "decimal"}
    fields = [{"name": "d", "type": {**of, "precision": 4, "scale": 1}}]
    writer = ColumnWriter({"type": "record", "name": "r", "fields": fields})
    made = writer.write([pa.array([Decimal("-0.2"), Decimal("25.8")], pa.decimal128(4, 1))])
    assert made.to_pylist() == [b"\xff\xfe", b"\x01\x02"]
