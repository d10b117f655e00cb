"""Where a file or a table describes one thing twice, one of both decides what is read.

The page `docs/two-descriptions.md` says which; the tests of each format have the other lines of it.
"""

from __future__ import annotations

import io
import json
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from tests.support import hfile_damage as damage
from tests.support.hfile_files import Built, Given
from tests.support.iceberg_rows import TableMaker, arrow, deletion_vectors, parquet

from byteloom import hfile, puffin
from byteloom.errors import FormatError
from byteloom.iceberg import open_table
from byteloom.iceberg.metadata import TableMetadata

if TYPE_CHECKING:
    from collections.abc import Callable

LONGS = pa.array([1, 2], pa.int64())


def _edited(maker: TableMaker, change: Callable[[dict[str, Any]], None]) -> str:
    """Return the metadata file of a table after a change."""
    path = Path(maker.open().metadata_location)
    document = json.loads(path.read_bytes())
    change(document)
    path.write_text(json.dumps(document))
    return str(path)


@pytest.mark.parametrize("mapping", [None, [{"field-id": 1, "names": ["b"]}]])
def test_iceberg_ids_win_over_names_and_mappings(tmp_path: Path, mapping: Any) -> None:
    """A column of a data file is the field of its id, whatever its name and a name mapping say."""
    rows = arrow({(2, "a"): pa.array([3, 4], pa.int64()), (1, "b"): LONGS})
    names = {} if mapping is None else {"schema.name-mapping.default": json.dumps(mapping)}
    maker = TableMaker(tmp_path, [(1, "a", "long"), (2, "b", "long")], properties=names)
    table = maker.commit(parquet(tmp_path / "a.parquet", rows)).open()
    assert table.scan().to_table().to_pydict() == {"a": [1, 2], "b": [3, 4]}


def test_iceberg_values_of_a_file_win_over_its_partition(tmp_path: Path) -> None:
    """A partition gives values only to files that lack the column."""
    maker = TableMaker(
        tmp_path,
        [(1, "a", "long"), (2, "p", "long")],
        partitions={0: [(2, 1000, "p", "identity", "long")]},
    )
    both = arrow({(1, "a"): LONGS, (2, "p"): pa.array([7, 7], pa.int64())})
    files = [
        parquet(tmp_path / f"{name}.parquet", rows)
        for name, rows in (("both", both), ("one", arrow({(1, "a"): LONGS})))
    ]
    stated = [type(each)(each.path, each.records, partition={"p": 8}) for each in files]
    found = maker.commit(*stated).open().scan(columns=["p"]).to_table()
    assert found["p"].to_pylist() == [7, 7, 8, 8]


def test_iceberg_row_ids_in_a_file_win_over_those_of_its_entry(tmp_path: Path) -> None:
    """A stored row id counts; where it is null, the id follows from the entry."""
    rows = arrow({(1, "a"): LONGS, (2147483540, "_row_id"): pa.array([50, None], pa.int64())})
    maker = TableMaker(tmp_path, [(1, "a", "long")], version=3)
    table = maker.commit(parquet(tmp_path / "a.parquet", rows)).open()
    assert table.scan(columns=["_row_id"]).to_table()["_row_id"].to_pylist() == [50, 1]


def test_iceberg_statistics_decide_which_files_are_read(tmp_path: Path) -> None:
    """A filter does not read files that bounds exclude, even if a row of them would pass."""
    made = parquet(tmp_path / "a.parquet", arrow({(1, "a"): LONGS}))
    stated = type(made)(made.path, made.records, bounds={1: struct.pack("<q", 1)})
    table = TableMaker(tmp_path, [(1, "a", "long")]).commit(stated).open()
    assert table.scan("a = 2").count() == 0
    assert table.scan().count() == 2


def test_iceberg_lists_of_schemas_and_specs_win_over_those_beside_them() -> None:
    """Version 1 repeats the current schema and spec, which count only where there are no lists."""
    field = {"id": 1, "name": "a", "required": False, "type": "long"}
    document = {
        "format-version": 1,
        "location": "/nowhere",
        "last-updated-ms": 1,
        "last-column-id": 1,
        "schema": {"type": "struct", "schema-id": 0, "fields": [{**field, "name": "old"}]},
        "schemas": [{"type": "struct", "schema-id": 0, "fields": [field]}],
        "current-schema-id": 0,
        "partition-spec": [
            {"source-id": 1, "field-id": 1000, "name": "a", "transform": "identity"}
        ],
        "partition-specs": [{"spec-id": 0, "fields": []}],
        "default-spec-id": 0,
    }
    metadata = TableMetadata.from_json(document)
    assert [each.name for each in metadata.schema().fields] == ["a"]
    assert metadata.spec().fields == ()


def test_iceberg_specs_of_the_metadata_win_over_those_of_manifests(tmp_path: Path) -> None:
    """Files are excluded by the spec of the metadata file, whatever the manifest repeats."""
    maker = TableMaker(
        tmp_path, [(1, "a", "long")], partitions={0: [(1, 1000, "p", "truncate[10]", "long")]}
    )
    made = parquet(tmp_path / "a.parquet", arrow({(1, "a"): LONGS}))
    maker.commit(type(made)(made.path, made.records, partition={"p": 0}))

    def change(document: dict[str, Any]) -> None:
        document["partition-specs"][0]["fields"][0]["transform"] = "void"

    table = open_table(_edited(maker, change))
    assert table.scan("a = 2").count() == 1


def test_iceberg_entries_say_where_a_deletion_vector_is(tmp_path: Path) -> None:
    """The place of a vector is that of its entry; a footer that contradicts it is refused."""
    data = parquet(tmp_path / "a.parquet", arrow({(1, "a"): LONGS}))
    (vector,) = deletion_vectors(tmp_path / "d.puffin", {data.path: [0]})
    maker = TableMaker(tmp_path, [(1, "a", "long")], version=3).commit(data)
    table = maker.commit(type(vector)(**{**vars(vector), "offset": 5}), operation="delete").open()
    with pytest.raises(FormatError, match=r"d\.puffin"):
        table.scan().to_table()


def test_puffin_blobs_win_over_properties_of_the_footer() -> None:
    """A vector has the positions in its blob, whatever cardinality the footer states."""
    pieces = puffin.DeletionVector.from_positions([1, 3]).blob("a.parquet")
    file = io.BytesIO()
    with puffin.PuffinWriter(file) as writer:
        writer.add(
            type=pieces.type,
            data=pieces.data,
            fields=[1],
            snapshot_id=-1,
            sequence_number=-1,
            properties={**pieces.properties, "cardinality": "7"},
        )
    with puffin.open(file.getvalue()) as opened:
        assert opened.deletion_vector(0).positions().tolist() == [1, 3]


def test_hfile_cells_win_over_the_file_info_and_the_trailer() -> None:
    """The cells are those in the blocks, whatever averages, times and sums are stated."""
    cells = [Given(row=b"a", timestamp=9), Given(row=b"b", timestamp=7)]
    info = {b"TIMERANGE": struct.pack(">qq", 0, 1), b"hfile.AVG_KEY_LEN": struct.pack(">i", 1)}
    data = damage.with_trailer(Built(blocks=[cells], info=info).data(), {4: 1})
    with hfile.open(data) as file:
        assert file.read(["row"])["row"].to_pylist() == [b"a", b"b"]
