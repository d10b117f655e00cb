"""Sketches that executors make together are those that one process makes."""

from __future__ import annotations

from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import datasketches
import pyarrow as pa
import pytest
from tests.support.iceberg_rows import TableMaker, arrow, parquet
from tests.support.spark_tables import deleted_table, new_table

from byteloom import puffin
from byteloom.errors import FormatError, Unsupported
from byteloom.iceberg import open_table
from byteloom.puffin import ThetaSketch
from byteloom.spark.jobs import ndv
from byteloom.spark.jobs.scanning import SentScan, groups_of
from byteloom.spark.jobs.sketching import merged, sketch_group

if TYPE_CHECKING:
    from byteloom.iceberg import Table


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    """A table with deletes of several kinds; its sketches are in estimation mode."""
    return deleted_table(tmp_path_factory.mktemp("ndv"), files=12, rows=2_000)


def whole(table: Table, name: str) -> ThetaSketch:
    """The sketch of one column over all rows, made at once."""
    column = table.scan(columns=[name]).to_table()[name]
    (field,) = (each for each in table.schema.fields if each.name == name)
    return ThetaSketch.from_arrow(column, iceberg_type=str(field.type))


def test_groups_together_have_the_sketch_of_all_rows(table: Table) -> None:
    """Merged sketches of groups, in any order, equal one sketch of all live rows."""
    scan = table.scan()
    sent, groups = SentScan.of(scan), groups_of(scan, 2)
    found = [sketch_group(each, sent) for each in groups]
    both = [reduce(merged, each) for each in (found, found[::-1])]
    for field in table.schema.fields:
        wanted = whole(table, field.name).to_bytes()
        assert [each[field.id] for each in both] == [wanted, wanted]


def test_the_file_is_as_java_writes_it(spark: Any, table: Table, tmp_path: Path) -> None:
    """The file has a blob for each column with its estimate; the metadata repeats its footer."""
    place = str(tmp_path / "table.stats")
    made = ndv(spark, table, output=place)
    snapshot = table.current_snapshot
    assert snapshot is not None
    with puffin.open(place) as file:
        for blob, field in zip(file.blobs, table.schema.fields, strict=True):
            sketch = whole(table, field.name)
            assert file.theta_sketch(blob) == sketch
            assert blob.fields == [field.id]
            assert (blob.type, blob.compression_codec) == ("apache-datasketches-theta-v1", "zstd")
            assert blob.snapshot_id == snapshot.snapshot_id
            assert blob.sequence_number == snapshot.sequence_number
            assert blob.properties == {"ndv": str(int(sketch.estimate))}
            theirs = datasketches.compact_theta_sketch.deserialize(file.read(blob))
            assert theirs.get_estimate() == sketch.estimate
        footer = file.footer_size
        blobs = [(each.type, list(each.fields), dict(each.properties)) for each in file.blobs]
    entry = made.document()
    assert entry["statistics-path"] == place
    assert entry["file-size-in-bytes"] == Path(place).stat().st_size
    assert entry["file-footer-size-in-bytes"] == footer
    reported = [
        (each["type"], each["fields"], each["properties"]) for each in entry["blob-metadata"]
    ]
    assert reported == blobs
    assert [each.name for each in made.columns] == ["id", "city", "day"]


def test_named_columns_of_an_older_snapshot(spark: Any, table: Table, tmp_path: Path) -> None:
    """The file has blobs of the named columns only, over the rows of the given snapshot."""
    made = ndv(spark, table, ["city"], output=str(tmp_path / "o"), snapshot=1)
    assert [(each.name, each.sketch.estimate) for each in made.columns] == [("city", 3.0)]
    assert made.entry.snapshot_id == 1
    assert made.entry.blob_metadata[0].sequence_number == 1


def test_without_a_name_the_file_is_beside_the_metadata(spark: Any, tmp_path: Path) -> None:
    """A file without a given name is placed beside the metadata, named after the snapshot's id."""
    table = deleted_table(tmp_path, files=4, rows=10)
    paths = {ndv(spark, table, ["id"]).entry.statistics_path for _ in range(2)}
    assert {Path(each).parent for each in paths} == {tmp_path / "metadata"}
    assert len(paths) == 2
    assert all(Path(each).name.startswith("3-") for each in paths)


def test_columns_that_are_not_hashed_are_left_out(spark: Any, tmp_path: Path) -> None:
    """A list column has no sketch: it is reported as left out, and refused if requested."""
    inside = {"type": "list", "element-id": 3, "element": "int", "element-required": False}
    maker = TableMaker(tmp_path, [(1, "id", "long"), (2, "list", inside)])
    rows = arrow({(1, "id"): pa.array([1, 2, 2], pa.int64())})
    table = maker.commit(parquet(tmp_path / "0.parquet", rows)).open()
    made = ndv(spark, table, output=str(tmp_path / "o"))
    assert ([each.name for each in made.columns], made.left_out) == (["id"], ["list"])
    with pytest.raises(Unsupported, match="column list: found list"):
        ndv(spark, table, ["list"], output=str(tmp_path / "o"))


def test_a_table_of_no_rows_has_empty_sketches(spark: Any, tmp_path: Path) -> None:
    """Each column of a table whose files are all removed has an empty sketch."""
    maker = TableMaker(tmp_path, [(1, "id", "long")])
    file = parquet(tmp_path / "0.parquet", arrow({(1, "id"): pa.array([1], pa.int64())}))
    table = maker.commit(file).commit(removed=[file], operation="delete").open()
    made = ndv(spark, table, output=str(tmp_path / "o"))
    assert [each.sketch.is_empty for each in made.columns] == [True]


def test_a_table_without_a_snapshot_is_refused(spark: Any, tmp_path: Path) -> None:
    """A table without a snapshot is refused, since statistics belong to one."""
    table = new_table(tmp_path)
    with pytest.raises(FormatError, match="found a table without a snapshot"):
        ndv(spark, table)


def test_a_damaged_file_leaves_no_statistics(spark: Any, tmp_path: Path) -> None:
    """The error names the damaged data file, and no statistics file is left."""
    deleted_table(tmp_path, files=4, rows=50)
    damaged = tmp_path / "data" / "2.parquet"
    damaged.write_bytes(damaged.read_bytes()[:-20] + bytes(20))
    table = open_table(tmp_path)
    with pytest.raises(FormatError, match=r"data/2\.parquet"):
        ndv(spark, table, output=str(tmp_path / "o"))
    assert not (tmp_path / "o").exists()
