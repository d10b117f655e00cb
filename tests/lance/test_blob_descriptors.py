"""Blobs of version 2 (`lance.blob.v2`, releases from 2.0.1 on): data files have descriptors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from tests.support.lance_datasets import fragment, put_manifest
from tests.support.lance_files import lance_field
from tests.support.written_lance import written

from byteloom import lance
from byteloom.errors import FormatError, Unsupported
from byteloom.lance.fields import tree_of
from byteloom.lance.pages21.nesting import Nesting
from byteloom.limits import DEFAULT_LIMITS
from byteloom_generated.lance.encodings import BLOB_DESCRIPTOR
from byteloom_generated.lance.encodings21 import RepDefLayer
from byteloom_generated.lance.table import Manifest

if TYPE_CHECKING:
    from pathlib import Path

PACKED = {"lance-encoding:packed": b"true", "lance-encoding:blob": b"true"}
HEAD = lance_field("b", "struct", 1, metadata=PACKED)
PARTS = [lance_field(each.name, each.logical_type, -1) for each in BLOB_DESCRIPTOR]
V2 = {"ARROW:extension:name": b"lance.blob.v2", "ARROW:extension:metadata": b""}
X = lance_field("x", "int64")
GIVEN = [
    lance_field("b", "struct", 1, metadata=V2, extension_name="lance.blob.v2"),
    lance_field("data", "large_binary", 2, parent_id=1),
    lance_field("uri", "string", 3, parent_id=1),
]
TYPE = pa.struct(
    [
        pa.field(name, type_, nullable=False)
        for name, type_ in [
            ("kind", pa.uint8()),
            ("position", pa.uint64()),
            ("size", pa.uint64()),
            ("blob_id", pa.uint32()),
            ("blob_uri", pa.string()),
        ]
    ]
)
ROWS: list[Any] = [
    {"kind": 0, "position": 64, "size": 3, "blob_id": 0, "blob_uri": ""},
    None,
    {"kind": 3, "position": 5, "size": 9, "blob_id": 0, "blob_uri": "s3://a/b"},
]


@pytest.fixture
def dataset(tmp_path: Path) -> lance.Dataset:
    """A dataset of a number and a blob, of which the file has the descriptor."""
    field = pa.field("b", TYPE, metadata=PACKED)
    table = pa.table(
        [pa.array([1, 2, 3]), pa.array(ROWS, TYPE)], schema=pa.schema([("x", pa.int64()), field])
    )
    rows = fragment(tmp_path, 0, 3, ([0, 1], written(table, "2.2")))
    manifest = Manifest(version=1, fields=[X, *GIVEN], fragments=[rows])
    manifest.data_format.file_format, manifest.data_format.version = "lance", "2.2"
    put_manifest(tmp_path, manifest)
    return lance.open_dataset(tmp_path)


def test_fields_without_ids_belong_to_the_descriptor_before_them() -> None:
    """Files store the fields of a descriptor without ids and parents; those follow it."""
    after = lance_field("y", "int64", 6)
    top = tree_of([X, HEAD, *PARTS, after], DEFAULT_LIMITS)
    assert [each.name for each in top] == ["x", "b", "y"]
    names = ["b.kind", "b.position", "b.size", "b.blob_id", "b.blob_uri"]
    assert [each.path for each in top[1].children] == names


@pytest.mark.parametrize(
    "fields",
    [
        [X, *PARTS],
        [lance_field("b", "struct", 1), *PARTS],
        [HEAD, X, PARTS[0]],
        [HEAD, lance_field("kind", "uint8", -1, parent_id=1)],
    ],
)
def test_other_fields_without_ids_are_refused(fields: list[Any]) -> None:
    """A field without an id that follows no descriptor of blobs is refused."""
    with pytest.raises(FormatError, match=r"\.id: found -1, wanted an id that no field before it"):
        tree_of(fields, DEFAULT_LIMITS)


def test_a_scan_has_the_descriptors(dataset: lance.Dataset) -> None:
    """As in pylance, rows have descriptors of blobs: which file has each, and where."""
    assert dataset.schema.field("b").type == TYPE
    assert dataset.to_table().to_pydict() == {"x": [1, 2, 3], "b": ROWS}
    assert dataset.take([2, 0], ["b"]).to_pydict() == {"b": [ROWS[2], ROWS[0]]}
    assert dataset.to_table(["x"], filter="b.kind = 3").to_pydict() == {"x": [3]}


def test_rows_and_columns_beside_blobs_change(dataset: lance.Dataset) -> None:
    """Rows are deleted, columns added and dropped, the blobs' among them."""
    found = dataset.delete([0]).add_columns(pa.table({"y": [8, 9]}))
    assert found.to_table().to_pydict() == {"x": [2, 3], "b": ROWS[1:], "y": [8, 9]}
    left = found.drop_columns(["b"])
    assert [each.name for each in left.manifest.fields] == ["x", "y"]
    assert left.to_table().to_pydict() == {"x": [2, 3], "y": [8, 9]}


def test_blobs_are_not_written(dataset: lance.Dataset, tmp_path: Path) -> None:
    """Rows are not appended to blobs of version 2, nor is a column of them made."""
    table = dataset.to_table()
    with pytest.raises(Unsupported, match=r"manifest\.b: found blobs of lance\.blob\.v2, wanted"):
        lance.write_dataset(tmp_path, table, mode="append")
    given = pa.struct([("data", pa.large_binary()), ("uri", pa.string())])
    schema = pa.schema([pa.field("b", given, metadata=V2)])
    with pytest.raises(Unsupported, match=r"schema\.b: found blobs of lance\.blob\.v2, wanted la"):
        lance.LanceWriter(tmp_path / "x.lance", schema)


@pytest.mark.parametrize("kinds", [[3], [1, 3]])
def test_a_layer_for_the_fields_of_a_descriptor_changes_nothing(kinds: list[int]) -> None:
    """Releases 2.0.1 to 6.1 note a layer for the fields of a descriptor, which are never null."""
    nesting = Nesting(TYPE, [RepDefLayer(each) for each in kinds], "page")
    assert (len(nesting.layers), nesting.max_level, nesting.layers[0].null) == (1, 1, 1)


@pytest.mark.parametrize("kinds", [[3, 3], [1, 1, 3]])
def test_other_layers_for_the_fields_of_a_descriptor_are_refused(kinds: list[int]) -> None:
    """A layer more that could be null is refused, and so are two of them."""
    with pytest.raises(FormatError, match=r"page\.layers: found [23], wanted at most 1"):
        Nesting(TYPE, kinds, "page")
