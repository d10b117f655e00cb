"""The metadata table of position deletes lists deleted positions and stored rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from tests.support.iceberg_rows import File, TableMaker, arrow, deletion_vectors, parquet
from tests.support.iceberg_rows import position_deletes as written

from byteloom.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path

    from byteloom.iceberg import Table

COLUMNS = [(1, "id", "long"), (2, "name", "string")]
PARTITIONS = {0: [(2, 1000, "name", "identity", "string")]}
NAMES = ["file_path", "pos", "row", "partition", "spec_id", "delete_file_path"]


def _data(path: Path, rows: int = 5, name: str = "a") -> File:
    columns = {
        (1, "id"): pa.array(range(rows), pa.int64()),
        (2, "name"): pa.array([name] * rows),
    }
    return parquet(path, arrow(columns))


def _with_rows(path: Path, data: Path) -> File:
    """Return a delete file that keeps the row that it deletes, as old writers made them."""
    inner = [pa.field("name", pa.string(), metadata={"PARQUET:field_id": "2"})]
    held = {
        (2_147_483_546, "file_path"): pa.array([str(data)]),
        (2_147_483_545, "pos"): pa.array([2], pa.int64()),
        (2_147_483_544, "row"): pa.array([{"name": "gone"}], pa.struct(inner)),
    }
    return File(parquet(path, arrow(held)).path, 1, content=1)


def test_deleted_rows_are_given_where_they_were_kept(tmp_path: Path) -> None:
    """Deleted rows are returned if a delete file stores them, by the table's columns."""
    data = _data(tmp_path / "a.parquet")
    plain = written(tmp_path / "b.parquet", [(data.path, 1)])
    kept = _with_rows(tmp_path / "c.parquet", data.path)
    table = TableMaker(tmp_path, COLUMNS).commit(data).commit(plain, kept).open()
    found = table.metadata_table("position_deletes")
    assert found.column_names == [each for each in NAMES if each != "partition"]
    assert found.select(["pos", "row"]).to_pylist() == [
        {"pos": 1, "row": None},
        {"pos": 2, "row": {"id": None, "name": "gone"}},
    ]


def _with_vectors(folder: Path) -> Table:
    """Return a partitioned table of version 3 with two deletion vectors in one Puffin file."""
    files = [_data(folder / f"{name}.parquet", 200_000, name) for name in ("a", "b")]
    vectors = deletion_vectors(
        folder / "d.puffin", {files[0].path: range(150_000), files[1].path: [7, 9]}
    )
    maker = TableMaker(folder, COLUMNS, version=3, partitions=PARTITIONS)
    placed = [File(each.path, each.records, partition={"name": each.path.stem}) for each in files]
    maker.commit(*placed)
    for vector in vectors:
        name = str(vector.referenced).rsplit("/", 1)[1][0]
        fields = {key: getattr(vector, key) for key in ("content", "referenced", "offset", "size")}
        maker.commit(File(vector.path, vector.records, partition={"name": name}, **fields))
    return maker.open()


def test_positions_of_deletion_vectors_have_their_place(tmp_path: Path) -> None:
    """Positions of deletion vectors have the vector's offset and size, and the partition."""
    found = _with_vectors(tmp_path).metadata_table("position_deletes")
    assert found.column_names == [*NAMES, "content_offset", "content_size_in_bytes"]
    assert found.num_rows == 150_002
    rows = found.slice(150_000).to_pylist()
    assert [each["pos"] for each in rows] == [7, 9]
    assert {each["partition"]["name"] for each in rows} == {"b"}
    assert {each["file_path"] for each in rows} == {str(tmp_path / "b.parquet")}
    assert len(set(found["content_offset"].to_pylist())) == 2


def test_positions_come_as_they_are_read(tmp_path: Path) -> None:
    """Positions are returned in batches, the first before the next file is opened."""
    table = _with_vectors(tmp_path)
    reader = table.metadata_batches("position_deletes")
    first = reader.read_next_batch()
    (tmp_path / "d.puffin").unlink()
    assert 0 < first.num_rows <= 150_000
    assert first.schema == table.metadata_batches("position_deletes", snapshot=1).schema
    assert table.metadata_batches("position_deletes", snapshot=1).read_all().num_rows == 0


def test_other_metadata_tables_come_in_batches_too(tmp_path: Path) -> None:
    """Batches of another metadata table have the rows of the whole table."""
    table = TableMaker(tmp_path, COLUMNS).commit(_data(tmp_path / "a.parquet")).open()
    whole = table.metadata_table("files", snapshot=1)
    assert table.metadata_batches("files", snapshot=1).read_all() == whole


def test_a_delete_file_of_other_rows_is_refused(tmp_path: Path) -> None:
    """A delete file of another size, with fewer rows than its manifest says, is an error."""
    data = _data(tmp_path / "a.parquet")
    made = written(tmp_path / "b.parquet", [(data.path, 1)])
    wrong = File(made.path, 2, content=1, length=9)
    table = TableMaker(tmp_path, COLUMNS).commit(data).commit(wrong).open()
    with pytest.raises(FormatError, match=r"b\.parquet: found [0-9]+ bytes, wanted 9"):
        table.metadata_table("position_deletes")
