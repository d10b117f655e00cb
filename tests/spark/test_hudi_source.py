"""``byteloom.hudi``: indexes of a metadata table as DataFrames, and lookups of many keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.support.hudi_indexed import KEYS, made
from tests.support.spark_sources import elsewhere, partitions_of, planned, registered, rows_of

pytest.importorskip("pyspark")

from byteloom.errors import FormatError
from byteloom.hudi import MetadataTable
from byteloom.spark import record_locations

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table all of whose indexes are true."""
    return made().write(tmp_path_factory.mktemp("hudi"))


def test_rows_are_those_of_the_index(place: Path) -> None:
    """The rows of an index are those that a query for all of it gives."""
    table = MetadataTable.open(place)
    for index, expected in (
        ("record_index", table.record_index()),
        ("secondary_index_idx_rider", table.secondary_index("idx_rider")),
    ):
        reader, _ = planned("byteloom.hudi", path=str(place), partition=index)
        assert rows_of(reader).to_pylist() == expected.to_pylist()


def test_an_index_is_a_dataframe(spark: Any, place: Path) -> None:
    """An index is a DataFrame with the requested columns."""
    found = spark.read.format("byteloom.hudi").options(partition="record_index", columns="key")
    assert sorted(row.key for row in found.load(str(place)).collect()) == KEYS


def test_file_groups_are_divided_among_tasks(tmp_path: Path) -> None:
    """Partitions follow the files that the table had when its schema was read."""
    place = made().write(tmp_path)
    source = registered("byteloom.hudi")(
        {"path": str(place), "partition": "record_index", "split_size": "1"}
    )
    schema = source.schema()
    reader = elsewhere(source).reader(schema)
    (base,) = (place / ".hoodie/metadata/record_index").glob("*.hfile")
    base.with_name(base.name.replace("-0_", "-1_")).write_bytes(base.read_bytes())
    assert len(partitions_of(reader)) == 1


def test_a_partition_that_is_not_there_is_an_error(place: Path) -> None:
    """The error for an unknown partition lists the known ones."""
    with pytest.raises(
        FormatError, match=r"metadata\.partition: found no column_stat, wanted .*fi"
    ):
        planned("byteloom.hudi", path=str(place), partition="column_stat")


def test_the_places_of_many_keys_are_looked_up(spark: Any, place: Path) -> None:
    """Each key is looked up once; unknown and null keys are left out."""
    asked = spark.createDataFrame(
        [(key,) for key in ["key-3", "none", None, "key-0", "key-3"]], ["k"]
    )
    found = record_locations(asked, str(place), "k")
    expected = MetadataTable.open(place).record_index(["key-0", "key-3"]).to_pylist()
    assert [row.asDict() for row in found.orderBy("key").collect()] == expected
    assert found.columns == MetadataTable.open(place).record_index(["key-0"]).column_names
    assert record_locations(asked, str(place), "k", partition="elsewhere").count() == 0


def test_keys_of_a_table_without_a_record_index_are_an_error(spark: Any, tmp_path: Path) -> None:
    """A lookup without a record index is refused before any task."""
    table = made()
    del table.rows["record_index"]
    place = table.write(tmp_path)
    with pytest.raises(FormatError, match=r"found no record_index, wanted one of"):
        record_locations(spark.range(3), str(place))
