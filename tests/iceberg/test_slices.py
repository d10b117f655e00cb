"""Slices of columns give the results that their values give by themselves.

Slices do not come from files: the functions that meet them are internal.
"""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any
from uuid import UUID

import numpy as np
import pyarrow as pa
import pytest
from tests.support.slices import sliced

from byteloom.arrow.texts import is_ascii, with_large_offsets
from byteloom.datafiles.choosing import kept
from byteloom.errors import FormatError
from byteloom.iceberg.arrow_types import arrow_type
from byteloom.iceberg.expressions import bind, parse
from byteloom.iceberg.expressions.rows import evaluate
from byteloom.iceberg.reading.conversion import converted, expanded
from byteloom.iceberg.schema import Schema
from byteloom.iceberg.transforms import apply_array, parse_transform
from byteloom.iceberg.transforms.arrays import storage_array
from byteloom.iceberg.types import parse_primitive

VALUES: dict[str, list[Any]] = {
    "int": [3, None, -(1 << 31), (1 << 31) - 1, None, 0, 7],
    "long": [None, 1 << 62, -1, None, 5, -(1 << 63), 9],
    "date": [0, None, -1, 20_000, None],
    "time": [None, 1, 86_399_999_999, None],
    "timestamp": [None, -1, 0, None, 1 << 50],
    "timestamptz_ns": [None, -1, 0, None, 1 << 61],
    "string": ["a", None, "", "é😀 and more", None, "text"],
    "binary": [None, b"", b"\xff\0", None, b"bytes of a row"],
    "uuid": [None, UUID(int=1), None, UUID(int=1 << 127)],
    "fixed[3]": [b"abc", None, b"\0\0\0", None],
    "decimal(20, 3)": [None, Decimal("-0.001"), None, Decimal("12345678901234567.123")],
}
TRANSFORMS = ("identity", "bucket[7]", "truncate[2]", "year", "month", "day", "hour", "void")


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("name", VALUES)
def test_transforms(name: str, transform: str) -> None:
    """A transform of a slice has its values and nulls, for every type."""
    of, how = parse_primitive(name), parse_transform(transform)
    if not how.can_transform(of):
        return
    column = storage_array(of, VALUES[name])
    wanted = apply_array(how, of, column)
    found = apply_array(how, of, sliced(column))
    found.validate(full=True)
    assert found.equals(wanted)
    assert apply_array(how, of, column[2:]).equals(wanted[2:])


@pytest.mark.parametrize("transform", ["identity", "bucket[7]", "truncate[2]"])
def test_transforms_of_dictionaries(transform: str) -> None:
    """A transform of a slice of dictionary codes has its values and nulls."""
    of, how = parse_primitive("string"), parse_transform(transform)
    plain = storage_array(of, VALUES["string"])
    found = apply_array(how, of, sliced(plain.dictionary_encode()))
    assert found.to_pylist() == apply_array(how, of, plain).to_pylist()


@pytest.mark.parametrize("name", VALUES)
def test_rows_that_are_kept(name: str) -> None:
    """Keeping rows of a slice uses the flags of its own rows."""
    column = storage_array(parse_primitive(name), VALUES[name])
    keep = np.arange(len(column)) % 3 != 1
    (found,) = kept([sliced(column)], keep)
    found.validate(full=True)
    assert found.to_pylist() == column.filter(pa.array(keep)).to_pylist()


def test_rows_of_a_dictionary_that_are_kept() -> None:
    """Keeping rows of a slice of a dictionary uses the codes of its own rows."""
    column = pa.array(VALUES["string"]).dictionary_encode()
    (found,) = kept([sliced(column)], np.arange(len(column)) % 2 == 1)
    assert found.to_pylist() == VALUES["string"][1::2]


@pytest.mark.parametrize(
    ("column", "of"),
    [
        (pa.array([1, None, -1], pa.int32()), "long"),
        (pa.array([1.5, None], pa.float32()), "double"),
        (pa.array([None, 1999, -1, -1001], pa.timestamp("ns")), "timestamp"),
        (pa.array([5, None, -5], pa.timestamp("ms")), "timestamp"),
        (pa.array([5, None, -5], pa.int64()), "timestamptz"),
        (pa.array([5, None, 7], pa.int64()), "time"),
        (pa.array(["é", None, "b"]), "string"),
        (pa.array(["é", None, "b"]).dictionary_encode(), "string"),
        (pa.array([Decimal("1.50"), None]), "decimal(20, 2)"),
    ],
    ids=str,
)
def test_conversions(column: pa.Array, of: str) -> None:
    """Converting a slice to the type of a schema gives the values of its own rows."""
    wanted = converted(column, parse_primitive(of), "c")
    found = converted(sliced(column), parse_primitive(of), "c")
    found.validate(full=True)
    assert found.to_pylist() == wanted.to_pylist()
    assert found.type == wanted.type == arrow_type(parse_primitive(of))


@pytest.mark.parametrize("texts", [["b", "", "éé", "b"], ["b", None, "a"]])
def test_dictionaries_that_are_expanded(texts: list[str | None]) -> None:
    """Expanding a slice of a dictionary gives its texts, with nulls and without."""
    coded = pa.array(texts).dictionary_encode()
    assert expanded(sliced(coded, nulls=None in texts)).to_pylist() == texts


@pytest.mark.parametrize("of", [pa.string(), pa.binary(), pa.large_string(), pa.large_binary()])
@pytest.mark.parametrize("texts", [["b", "", "éé", "b"], ["b", None, "a"], [None], []])
def test_texts_with_large_offsets(of: pa.DataType, texts: list[str | None]) -> None:
    """Texts with large offsets equal those of Arrow's cast, for slices too."""
    column = pa.array(texts, pa.string()).cast(of)
    wanted = pa.large_string() if "string" in str(of) else pa.large_binary()
    for each in (column, sliced(column), column[1:]):
        found = with_large_offsets(each)
        found.validate(full=True)
        assert found.equals(each.cast(wanted))


def test_text_around_a_slice_is_not_asked_for_ascii() -> None:
    """Only the rows of a slice decide whether it is ASCII."""
    column = pa.array(["é", "plain", "text", "é"])
    assert [is_ascii(column[at : at + 2]) for at in range(3)] == [False, True, False]


@pytest.mark.parametrize(
    "text",
    ["a > 1", "a is null", "not a in (2, 3)", "s starts with 'te'", "s != 'b'", "t < '1970-01-01'"],
)
def test_filters(text: str) -> None:
    """A filter on slices gives the answers of their own rows."""
    schema = Schema.from_json({
        "type": "struct",
        "fields": [
            {"id": 1, "name": "a", "required": False, "type": "int"},
            {"id": 2, "name": "s", "required": False, "type": "string"},
            {"id": 3, "name": "t", "required": False, "type": "date"},
        ],
    })  # fmt: skip
    columns = [
        pa.array([1, None, 2, 3, None], pa.int32()),
        pa.array([None, "text", "b", None, "te"]),
        pa.array([dt.date(1969, 12, 31), None, dt.date(1970, 1, 1), None, None]),
    ]
    bound = bind(parse(text), schema)
    fields = [
        pa.field(name, each.type, metadata={"PARQUET:field_id": str(number)})
        for number, (name, each) in enumerate(zip("ast", columns, strict=True), 1)
    ]
    plain = pa.RecordBatch.from_arrays(columns, schema=pa.schema(fields))
    parts = pa.RecordBatch.from_arrays([sliced(each) for each in columns], schema=plain.schema)
    whole = pa.StructArray.from_arrays(columns, fields=fields)
    wanted = evaluate(bound, plain).to_pylist()
    assert evaluate(bound, parts).to_pylist() == wanted
    assert evaluate(bound, sliced(whole)).to_pylist() == wanted
    assert evaluate(bound, plain.slice(1, 3)).to_pylist() == wanted[1:4]


@pytest.mark.parametrize("of", [pa.int64(), pa.int32(), pa.string(), pa.bool_()], ids=str)
@pytest.mark.parametrize("size", [2, 4])
def test_rows_are_kept_of_columns_with_a_value_for_each(size: int, of: pa.DataType) -> None:
    """A column with one value fewer or more than there are rows is refused, whatever its type."""
    keep = np.array([True, False, True])
    with pytest.raises(FormatError, match=rf"found a column of {size} values, wanted 3$"):
        kept([pa.nulls(3, pa.int8()), pa.nulls(size, of)], keep)
