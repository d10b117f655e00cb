"""Slices of columns give the results that their values give by themselves.

Slices do not come from files: the functions that meet them are internal.
"""

from __future__ import annotations

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
from byteloom.iceberg import (
    ListType,
    MapType,
    NestedField,
    parse_primitive,
)
from byteloom.iceberg.arrow_types import arrow_type
from byteloom.iceberg.reading.column_projection import Columns, project
from byteloom.iceberg.reading.conversion import converted, expanded
from byteloom.iceberg.transforms.arrays import storage_array

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


@pytest.mark.parametrize("of", [pa.int64(), pa.int32(), pa.string(), pa.bool_()], ids=str)
@pytest.mark.parametrize("size", [2, 4])
def test_rows_are_kept_of_columns_with_a_value_for_each(size: int, of: pa.DataType) -> None:
    """A column with one value fewer or more than there are rows is refused, whatever its type."""
    keep = np.array([True, False, True])
    with pytest.raises(FormatError, match=rf"found a column of {size} values, wanted 3$"):
        kept([pa.nulls(3, pa.int8()), pa.nulls(size, of)], keep)


LONG = parse_primitive("long")
LISTS = [[1, 2], None, [3, 4], [5, 6]]
MAPS = [[(1, 2)], None, [(3, 4), (5, None)], []]
NUMBERS = {b"PARQUET:field_id": b"1"}
KEY, VALUE = pa.field("key", pa.int64(), nullable=False), pa.field("value", pa.int64())
PAIR = pa.struct([KEY, VALUE])


def pairs(of: pa.DataType) -> pa.Array:
    """The maps as lists of pairs."""
    return pa.array(
        [each and [{"key": key, "value": value} for key, value in each] for each in MAPS], of
    )


@pytest.mark.parametrize("start", range(4))
@pytest.mark.parametrize(
    "stored",
    [
        pa.array(LISTS, pa.list_(pa.int64())),
        pa.array(LISTS, pa.large_list(pa.int64())),
        pa.array(LISTS, pa.list_(pa.int64(), 2)),
        pa.array(MAPS, pa.map_(KEY, VALUE)),
        pairs(pa.list_(PAIR)),
        pairs(pa.large_list(PAIR)),
    ],
    ids=lambda each: str(each.type),
)
def test_rows_from_any_on_are_those_rows(stored: pa.Array, start: int) -> None:
    """A list or map, whatever its form, is projected from any of its rows on without the rest."""
    is_list = stored.to_pylist()[0] == LISTS[0]
    of = ListType(2, LONG, False) if is_list else MapType(2, LONG, 3, LONG, False)
    rows = stored.slice(start)
    field = pa.field("c", stored.type, metadata=NUMBERS)
    found = project(NestedField(1, "c", of, False), Columns([field], [rows], len(rows)))
    found.validate(full=True)
    assert found.to_pylist() == (LISTS if is_list else MAPS)[start:]
    items = found.values if is_list else found.keys
    ends = found.offsets.to_pylist()
    assert (ends[0], ends[-1]) == (0, len(items))
