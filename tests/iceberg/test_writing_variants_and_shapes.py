"""Variants and shapes are written, in every format, and Parquet files say what they are."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.support.variants import Number, Shape, encode, metadata_of, shredded

from byteloom.errors import ByteloomError, FormatError
from byteloom.iceberg import Table, create_table
from byteloom.iceberg.schema import Schema

if TYPE_CHECKING:
    from pathlib import Path

FORMATS = ("parquet", "orc", "avro")
NAMES = ["a", "b"]
VALUES = [{"a": Number(5, 70_000), "b": ["x", None]}, "text", Number(3, 5), None, True, 1.5]
VARIANT = pa.struct(
    [
        pa.field("metadata", pa.binary(), nullable=False),
        pa.field("value", pa.binary(), nullable=False),
    ]
)
SHAPES = ("geometry", "geography", "geography(OGC:CRS84, karney)", "geometry(EPSG:3857)")


def variants(values: list[Any]) -> pa.Array:
    """Return values as metadata and value; None is null."""
    metadata = metadata_of(NAMES)
    rows = [
        None if each is None else {"metadata": metadata, "value": encode(each, NAMES)}
        for each in values
    ]
    return pa.array(rows, VARIANT)


def point(x: float, y: float) -> bytes:
    """Return a point as WKB."""
    return struct.pack("<BIdd", 1, 1, x, y)


def table_of(folder: Path, *types: Any) -> Table:
    """Return a table of version 3 with columns of these types, called c1 and so on."""
    fields = [
        {"id": 100 + number, "name": f"c{number}", "type": each, "required": False}
        for number, each in enumerate(types, 1)
    ]
    schema = Schema.from_json({"type": "struct", "schema-id": 0, "fields": fields})
    return create_table(folder, schema, format_version=3)


@pytest.mark.parametrize("form", FORMATS)
def test_variants_come_back(tmp_path: Path, form: str) -> None:
    """Variants have the bytes that were given, in structs and lists too, and null is null."""
    inner = {
        "type": "struct",
        "fields": [
            {"id": 10, "name": "v", "type": "variant", "required": True},
            {
                "id": 11,
                "name": "l",
                "required": False,
                "type": {
                    "type": "list",
                    "element-id": 12,
                    "element": "variant",
                    "element-required": False,
                },
            },
        ],
    }
    held = variants(VALUES)
    lists = pa.ListArray.from_arrays([0, 1, 2, 2, 3, 5, 6], held)
    parts = [held.take(pa.array([0, 1, 2, 0, 4, 5])), lists]
    mask = pa.array([False, False, True, False, False, False])
    structs = pa.StructArray.from_arrays(parts, ["v", "l"], mask=mask)
    table = table_of(tmp_path / "t", "variant", inner)
    table = table.append(pa.table({"c1": held, "c2": structs}), file_format=form)
    found = table.scan().to_table()
    assert found["c1"].to_pylist() == held.to_pylist()
    assert found["c2"].to_pylist() == structs.to_pylist()
    (entry,) = table.metadata_table("files").to_pylist()
    assert dict(entry["null_value_counts"])[101] == 1
    assert 101 not in dict(entry["lower_bounds"])
    assert table.verify() == []


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_come_back(tmp_path: Path, shape: str, form: str) -> None:
    """Shapes are the WKB that was given, and null is null."""
    given = [point(1, 2), None, point(-3, 4.5)]
    table = table_of(tmp_path / "t", shape)
    table = table.append(pa.table({"c1": pa.array(given, pa.binary())}), file_format=form)
    assert table.scan().to_table()["c1"].to_pylist() == given
    assert table.verify() == []


@pytest.mark.parametrize("form", FORMATS)
def test_rows_that_lack_variants_and_shapes(tmp_path: Path, form: str) -> None:
    """A column that rows lack is null."""
    table = table_of(tmp_path / "t", "long", "variant", "geometry")
    table = table.append(pa.table({"c1": [7]}), file_format=form)
    assert table.scan().to_table().to_pylist() == [{"c1": 7, "c2": None, "c3": None}]


@pytest.mark.parametrize(
    ("of", "wanted"),
    [
        ("variant", {"Type": "Variant", "SpecVersion": 1}),
        ("geometry", {"Type": "Geometry"}),
        ("geometry(EPSG:3857)", {"Type": "Geometry", "crs": "EPSG:3857"}),
        ("geometry(EPSG:4326)", {"Type": "Geometry", "crs": "EPSG:4326"}),
        ("geography", {"Type": "Geography"}),
        ("geography(EPSG:4326)", {"Type": "Geography", "crs": "EPSG:4326"}),
        (
            "geography(EPSG:4326, vincenty)",
            {"Type": "Geography", "crs": "EPSG:4326", "algorithm": "vincenty"},
        ),
        ("geography(OGC:CRS84, karney)", {"Type": "Geography", "algorithm": "karney"}),
    ],
)
def test_parquet_files_say_what_columns_are(
    tmp_path: Path, of: str, wanted: dict[str, Any]
) -> None:
    """Columns have the logical type of Parquet, which another library finds in the file."""
    values = variants(VALUES) if of == "variant" else pa.array([point(1, 2)] * 6, pa.binary())
    table = table_of(tmp_path / "t", "long", of, "string")
    table = table.append(pa.table({"c1": range(6), "c2": values, "c3": ["x"] * 6}))
    (path,) = table.metadata_table("files")["file_path"].to_pylist()
    schema = pq.ParquetFile(path).schema
    text = str(schema)
    if of == "variant":
        assert "optional group field_id=102 c2 (Variant(1))" in text
    else:
        found = schema.column(1).logical_type.to_json()
        assert all(f'"{key}":"{value}"' in found for key, value in wanted.items()), found
    assert pq.read_table(path, columns=["c3"])["c3"].to_pylist() == ["x"] * 6


def test_parquet_has_the_box_around_shapes(tmp_path: Path) -> None:
    """Row groups have the corners of the box around a geometry's shapes."""
    given = [point(1, 2), point(-3, 4.5)]
    table = table_of(tmp_path / "t", "geometry").append(pa.table({"c1": given}))
    (path,) = table.metadata_table("files")["file_path"].to_pylist()
    box = pq.ParquetFile(path).metadata.row_group(0).column(0).geo_statistics
    assert (box.xmin, box.xmax, box.ymin, box.ymax) == (-3, 1, 2, 4.5)


class Extension(pa.ExtensionType):  # type: ignore[misc]  # pyarrow has no types
    """An extension type of another library."""

    def __init__(self, storage: pa.DataType, name: str, said: bytes = b"") -> None:
        """Keep what it says."""
        self._said = said
        super().__init__(storage, name)

    def __arrow_ext_serialize__(self) -> bytes:
        """Return what it says."""
        return self._said


@pytest.mark.parametrize(
    ("storage", "name", "said", "wanted"),
    [
        (VARIANT, "arrow.parquet.variant", b"", "variant"),
        (pa.binary(), "geoarrow.wkb", b"{}", "geometry"),
        (pa.large_binary(), "geoarrow.wkb", b'{"crs": "EPSG:3857"}', "geometry(EPSG:3857)"),
        (pa.binary(), "geoarrow.wkb", b'{"edges": "spherical"}', "geography"),
        (pa.binary(), "geoarrow.wkb", b'{"edges": "planar"}', "geometry"),
        (
            pa.binary(),
            "geoarrow.wkb",
            b'{"crs": {"id": {"authority": "EPSG", "code": 4326}}, "edges": "karney"}',
            "geography(EPSG:4326, karney)",
        ),
    ],
)
def test_extensions_are_types_of_new_tables(
    tmp_path: Path, storage: pa.DataType, name: str, said: bytes, wanted: str
) -> None:
    """A table made for columns of extension types has their types, and takes their values."""
    of = Extension(storage, name, said)
    plain = variants(["x", None]) if wanted == "variant" else pa.array([point(1, 2), None], storage)
    values = pa.ExtensionArray.from_storage(of, plain)
    table = create_table(tmp_path / "t", pa.schema({"c": of}), format_version=3)
    assert str(table.schema.fields[0].type) == wanted
    table = table.append(pa.table({"c": values}))
    assert table.scan().to_table()["c"].to_pylist() == plain.to_pylist()
    unregistered = pa.field(
        "c", storage, metadata={"ARROW:extension:name": name, "ARROW:extension:metadata": said}
    )
    other = create_table(tmp_path / "u", pa.schema([unregistered]), format_version=3)
    assert other.schema.fields[0].type == table.schema.fields[0].type


def test_a_reference_system_is_compared(tmp_path: Path) -> None:
    """Shapes of another reference system than the column's are refused."""
    of = Extension(pa.binary(), "geoarrow.wkb", b'{"crs": "EPSG:3857"}')
    values = pa.ExtensionArray.from_storage(of, pa.array([point(1, 2)], pa.binary()))
    table = table_of(tmp_path / "t", "geometry")
    with pytest.raises(FormatError, match=r"found values of type geometry\(EPSG:3857\), wanted"):
        table.append(pa.table({"c1": values}))


def test_shredded_variants_are_put_together(tmp_path: Path) -> None:
    """Variants whose values are in columns of their own are written as the values they are."""
    shape = Shape(pa.int64(), 6)
    values = [Number(6, 7), "text"]
    given = shredded(values, NAMES, shape)
    table = table_of(tmp_path / "t", "variant").append(pa.table({"c1": given}))
    found = table.scan().to_table()["c1"].to_pylist()
    assert [each["value"] for each in found] == [encode(each, NAMES) for each in values]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (pa.array([b"x"]), "found values of type binary, wanted variants"),
        (pa.array([{"metadata": b"\x01"}]), "wanted variants: structs of metadata and value"),
        (pa.array([{"metadata": b"\x01\x00\x00", "value": b""}]), "c1.value: found nothing"),
        (
            pa.array([{"metadata": None, "value": b"\x00"}]),
            "metadata: found nothing",
        ),
        (
            pa.array([{"metadata": b"\x02\x00\x00", "value": b"\x00"}]),
            "found version 2, wanted",
        ),
    ],
)
def test_what_is_no_variant_is_refused(tmp_path: Path, values: pa.Array, message: str) -> None:
    """The error names the column and what it lacks."""
    table = table_of(tmp_path / "t", "variant")
    with pytest.raises(ByteloomError, match=message):
        table.append(pa.table({"c1": values}))


@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
def test_rows_with_variants_and_shapes_are_changed(tmp_path: Path, mode: str) -> None:
    """Rows are deleted, updated and replaced, and the others keep their variants and shapes."""
    table = table_of(tmp_path / "t", "long", "variant", "geometry")
    modes = {f"write.{verb}.mode": mode for verb in ("delete", "update", "merge")}
    held, shapes = variants(VALUES), pa.array([point(each, each) for each in range(6)], pa.binary())
    table = table.set_properties(modes).append(pa.table({"c1": range(6), "c2": held, "c3": shapes}))
    table = table.delete("c1 = 0").update({"c1": 40}, "c1 = 4")
    new = pa.table({"c1": [5], "c2": variants(["new"]), "c3": pa.array([None], pa.binary())})
    table = table.upsert(new, on="c1")
    found = {each["c1"]: each for each in table.scan().to_table().to_pylist()}
    assert found.keys() == {1, 2, 3, 40, 5}
    assert found[40] == {"c1": 40, "c2": held[4].as_py(), "c3": point(4, 4)}
    assert found[5] == {"c1": 5, "c2": variants(["new"])[0].as_py(), "c3": None}
    assert table.verify() == []


@pytest.mark.parametrize("form", FORMATS)
def test_manifests_have_the_corners_of_the_box(tmp_path: Path, form: str) -> None:
    """Bounds of shapes are points: of a geometry, and of a geography across the antimeridian."""
    table = table_of(tmp_path / "t", "geometry", "geography")
    given = pa.array([point(179, 10), None, point(-178, -5)], pa.binary())
    table = table.append(pa.table({"c1": given, "c2": given}), file_format=form)
    (found,) = table.metadata_table("files").to_pylist()
    low, high = dict(found["lower_bounds"]), dict(found["upper_bounds"])
    assert (low[101], high[101]) == (struct.pack("<2d", -178, -5), struct.pack("<2d", 179, 10))
    assert (low[102], high[102]) == (struct.pack("<2d", 179, -5), struct.pack("<2d", -178, 10))
    assert table.verify() == []


def test_shapes_without_a_box(tmp_path: Path) -> None:
    """Empty shapes have no bounds, and lines on a globe none, since they leave the box."""
    line = struct.pack("<BIIdddd", 1, 2, 2, 0, 50, 90, 50)
    empty = struct.pack("<BII", 1, 2, 0)
    table = table_of(tmp_path / "t", "geometry", "geography")
    given = pa.table({"c1": pa.array([empty]), "c2": pa.array([line])})
    (found,) = table.append(given).metadata_table("files").to_pylist()
    assert found["lower_bounds"] == []


@pytest.mark.parametrize(
    "wrong", [b"", b"POINT (1 2)", point(1, 2) + b"x", b"\x01\x01\x00\x00\xa0"]
)
def test_what_is_no_shape_is_refused(tmp_path: Path, wrong: bytes) -> None:
    """The error names the column, and shows the bytes."""
    table = table_of(tmp_path / "t", "geometry")
    given = pa.table({"c1": pa.array([point(1, 2), wrong], pa.binary())})
    with pytest.raises(FormatError, match=f"column c1: found '{wrong.hex()[:20]}"):
        table.append(given)
