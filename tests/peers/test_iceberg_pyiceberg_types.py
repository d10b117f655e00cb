"""Values of every type of pyiceberg, written by it, come back."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pyarrow as pa
import pytest
from pyiceberg.schema import Schema
from pyiceberg.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    IntegerType,
    ListType,
    LongType,
    MapType,
    NestedField,
    StringType,
    StructType,
    TimestampType,
    TimestamptzType,
    TimeType,
    UUIDType,
)
from tests.support.iceberg_plain import plain
from tests.support.iceberg_readers import named
from tests.support.iceberg_writer import FolderCatalog

from byteloom.iceberg import open_table

if TYPE_CHECKING:
    from pathlib import Path

MOMENT = dt.datetime(1969, 12, 31, 23, 59, 59, 999_999)  # noqa: DTZ001  in no zone
POINT = StructType(
    NestedField(20, "x", IntegerType(), required=True),
    NestedField(21, "tags", ListType(22, StringType(), element_required=False), required=False),
)
VALUES: list[tuple[Any, list[Any]]] = [
    (BooleanType(), [True, None]),
    (IntegerType(), [-(2**31), None]),
    (LongType(), [2**63 - 1, None]),
    (FloatType(), [-0.5, None]),
    (DoubleType(), [1e300, None]),
    (DecimalType(9, 2), [Decimal("-1234567.89"), None]),
    (DecimalType(18, 0), [Decimal(10**18 - 1), None]),
    (DecimalType(38, 10), [Decimal("-1.0000000001"), None]),
    (DateType(), [dt.date(1, 1, 1), None]),
    (TimeType(), [dt.time(23, 59, 59, 999_999), None]),
    (TimestampType(), [MOMENT, None]),
    (TimestamptzType(), [MOMENT.replace(tzinfo=dt.UTC), None]),
    (StringType(), ["\N{LATIN SMALL LETTER U WITH DIAERESIS}n\N{SNOWMAN}", "", None]),
    (UUIDType(), [UUID(int=1 << 127).bytes, None]),
    (FixedType(3), [b"abc", None]),
    (BinaryType(), [b"", b"\xff", None]),
    (ListType(10, IntegerType(), element_required=False), [[1, None], [], None]),
    (ListType(10, LongType(), element_required=True), [[1, 2], [], None]),
    # No null lists and maps of structs: pyiceberg writes empty ones for them.
    (ListType(10, POINT, element_required=False), [[{"x": 1, "tags": ["a", None]}, None], []]),
    (
        ListType(10, ListType(11, DateType(), element_required=False), element_required=False),
        [[[dt.date(2000, 1, 1)], None, []], None],
    ),
    (MapType(10, StringType(), 11, LongType(), value_required=False), [[("k", None)], [], None]),
    (
        MapType(10, IntegerType(), 11, POINT, value_required=True),
        [[(1, {"x": 2, "tags": None})], []],
    ),
    (StructType(NestedField(10, "i", StringType(), required=False)), [{"i": "x"}, None]),
    (
        StructType(NestedField(10, "p", POINT, required=False)),
        [{"p": {"x": 3, "tags": []}}, {"p": None}, None],
    ),
]


@pytest.mark.parametrize("version", [1, 2], ids=lambda each: f"{named('pyiceberg')}-v{each}")
@pytest.mark.parametrize(("of", "values"), VALUES, ids=lambda each: str(each)[:40])
def test_every_type_of_pyiceberg_comes_back(
    tmp_path: Path, of: Any, values: list[Any], version: int
) -> None:
    """Values of every type that pyiceberg writes, nulls included, are read as they were given."""
    schema = Schema(NestedField(1, "c", of, required=False))
    properties = {"format-version": str(version)}
    written = FolderCatalog(tmp_path).create("t", schema, properties=properties)
    arrow_schema = written.schema().as_arrow()  # with the ids that it gave
    held = pa.array(values, arrow_schema.field(0).type)
    written.append(pa.Table.from_arrays([held], schema=arrow_schema))
    rows = open_table(written.metadata_location).scan().to_table()
    assert rows["c"].to_pylist() == values
    assert plain(rows.to_pylist()) == plain(written.scan().to_arrow().to_pylist())
