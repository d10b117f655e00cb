"""Logical types that are put into a footer are those that a library puts there, or finds."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from byteloom.errors import FormatError
from byteloom.iceberg.shapes import ShapeType
from byteloom.iceberg.types import GeographyType, GeometryType
from byteloom.parquet.annotations import annotated, geography, geometry, variant

SHAPE = b"\x01\x01\x00\x00\x00" + bytes(16)


def file_of(of: pa.DataType, values: list[Any]) -> bytes:
    """Return a file with a column, called c, between two others."""
    storage = of.storage_type if isinstance(of, pa.BaseExtensionType) else of
    held = pa.array(values, storage)
    column = held if of == storage else pa.ExtensionArray.from_storage(of, held)
    out = BytesIO()
    table = pa.table({"a": pa.array([{"c": 1}]), "c": column, "z": ["x"]})
    pq.write_table(table, out, store_schema=False)
    return out.getvalue()


def schema_of(data: bytes) -> str:
    """Return a file's schema as text."""
    return str(pq.ParquetFile(BytesIO(data)).schema).partition("\n")[2]


@pytest.mark.parametrize(
    ("kind", "stated"),
    [
        (GeometryType("EPSG:3857"), geometry("EPSG:3857")),
        (GeographyType(), geography(None, "spherical")),
        (GeographyType("EPSG:3857"), geography("EPSG:3857", "spherical")),
        (GeographyType("x" * 300), geography("x" * 300, "spherical")),
    ],
)
def test_shapes(kind: GeometryType | GeographyType, stated: bytes) -> None:
    """A column of bytes becomes the column of shapes that pyarrow writes."""
    plain = file_of(pa.large_binary(), [SHAPE])
    made = annotated(plain, {("c",): stated})
    assert schema_of(made) == schema_of(file_of(ShapeType.of(kind), [SHAPE]))
    assert schema_of(made) != schema_of(plain)
    assert pq.read_table(BytesIO(made)).to_pylist() == pq.read_table(BytesIO(plain)).to_pylist()


def test_groups_at_any_depth() -> None:
    """Nodes inside lists and structs are found by their names, and all rows stay."""
    of = pa.struct([pa.field("metadata", pa.binary()), pa.field("value", pa.binary())])
    value = {"metadata": b"\x01\x00\x00", "value": b"\x00"}
    plain = file_of(pa.struct({"v": of, "l": pa.list_(of)}), [{"v": value, "l": [value]}])
    names = [("c", "v"), ("c", "l", "list", "element")]
    made = annotated(plain, dict.fromkeys(names, variant()))
    assert schema_of(made).count("(Variant(1))") == 2
    assert pq.read_table(BytesIO(made)).to_pylist() == pq.read_table(BytesIO(plain)).to_pylist()


def test_a_column_that_is_not_there() -> None:
    """A name that leads to no node is refused."""
    with pytest.raises(FormatError, match=r"found no such column, wanted a\.d"):
        annotated(file_of(pa.binary(), [SHAPE]), {("a", "d"): variant()})
