"""``byteloom.puffin``: a row for each blob of Puffin files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from tests.support.spark_sources import planned, rows_of

pytest.importorskip("pyspark")

from byteloom import puffin
from byteloom.errors import FormatError
from byteloom.spark import error_of

if TYPE_CHECKING:
    from pathlib import Path

SKETCH = puffin.ThetaSketch.from_arrow(pa.array(["a", "b", "b"]))
VECTOR = puffin.DeletionVector.from_positions([1, 5, 1 << 40])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of two files: one of a sketch and other bytes, one of a deletion vector."""
    with puffin.PuffinWriter(tmp_path / "a.stats") as writer:
        sketch = writer.add_theta_sketch(SKETCH, fields=[3], snapshot_id=7, sequence_number=2)
        assert sketch.properties == {"ndv": "2"}
        writer.add(
            type="other", data=b"x" * 99, fields=[1, 2], snapshot_id=8, sequence_number=3,
            compression="zstd",
        )  # fmt: skip
    with puffin.PuffinWriter(tmp_path / "b.puffin") as writer:
        writer.add_deletion_vector(VECTOR, "data.parquet")
    return tmp_path


def test_each_blob_is_a_row(spark: Any, folder: Path) -> None:
    """A blob is a row with its footer fields, a sketch's estimate or a vector's cardinality."""
    found = spark.read.format("byteloom.puffin").load(str(folder)).orderBy("file", "offset")
    sketch, other, vector = (row.asDict() for row in found.collect())
    with puffin.open(folder / "a.stats") as file:
        first, second = file.blobs
    assert sketch == {
        "file": f"{folder}/a.stats",
        "type": "apache-datasketches-theta-v1",
        "fields": [3],
        "snapshot_id": 7,
        "sequence_number": 2,
        "offset": 4,
        "length": first.length,
        "compression_codec": first.compression_codec,
        "properties": {"ndv": "2"},
        "ndv": 2.0,
        "cardinality": None,
    }
    assert (other["ndv"], other["cardinality"], other["fields"]) == (None, None, [1, 2])
    assert (other["compression_codec"], other["length"]) == ("zstd", second.length)
    assert (vector["ndv"], vector["cardinality"], vector["snapshot_id"]) == (None, 3, -1)
    assert vector["properties"]["referenced-data-file"] == "data.parquet"


def test_blobs_are_read_for_their_content_alone(folder: Path) -> None:
    """A damaged blob is an error only where a column needs its content."""
    path = folder / "b.puffin"
    data = bytearray(path.read_bytes())
    data[9] ^= 255
    path.write_bytes(data)
    reader, _ = planned("byteloom.puffin", path=str(folder), columns="type,offset")
    assert rows_of(reader)["offset"].to_pylist()[0] == 4
    reader, _ = planned("byteloom.puffin", path=str(folder), columns="cardinality")
    with pytest.raises(FormatError, match=rf"^{path}: blobs\[0\]"):
        rows_of(reader)


def test_a_damaged_file_is_named_by_the_driver(spark: Any, folder: Path) -> None:
    """The driver raises the local reader's error for a damaged file."""
    path = folder / "a.stats"
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    with pytest.raises(Exception, match=r"byteloom\.errors") as caught:
        spark.read.format("byteloom.puffin").load(str(folder)).count()
    with pytest.raises(FormatError) as expected:
        puffin.open(path)
    assert str(error_of(caught.value)) == str(expected.value)


def test_small_files_are_read_by_few_tasks(tmp_path: Path) -> None:
    """Fifty small files make two tasks, since each counts as what opening it costs."""
    for number in range(50):
        with puffin.PuffinWriter(tmp_path / f"{number}.puffin"):
            pass
    reader, _ = planned("byteloom.puffin", path=str(tmp_path), split_size="25m")
    assert [len(each) for each in reader.values()] == [25, 25]
    assert len(rows_of(reader)) == 0
