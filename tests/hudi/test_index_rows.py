"""Rows of each index, one file group at a time, with the columns of its kind.

Rows of an index have no public name: Spark's source reads them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from tests.support import hudi_indexed as parts
from tests.support.hudi_indexed import COLUMNS, FILE, KEYS, PARTITION, made

from byteloom import hudi
from byteloom.errors import Unsupported
from byteloom.hudi import MetadataTable
from byteloom.hudi.index_rows import index_rows, index_schema

if TYPE_CHECKING:
    from pathlib import Path


def rows(table: MetadataTable, index: str) -> pa.Table:
    """Return all rows of an index."""
    found = [
        part for each in table.slices(index) for part in index_rows(table, index, each.file_id)
    ]
    assert all(each.schema == index_schema(table, index) for each in found)
    return pa.concat_tables(found)


@pytest.fixture
def table(tmp_path: Path) -> MetadataTable:
    """Return a table with one data file."""
    return MetadataTable.open(made().write(tmp_path))


def test_files_are_listed_with_their_sizes(tmp_path: Path) -> None:
    """Files are listed with sizes, deleted ones not; an unpartitioned table has an empty path."""
    table = made()
    files = table.rows["files"]
    by_others = f"ext file_1.parquet_{parts.TIME}_hudiext"
    files["more"] = parts.listing({"a": 5, "b": 6, "c": 7, by_others: 9}, 2, deleted=["b"])
    files[hudi.keys.NON_PARTITIONED] = parts.listing({"d": 8}, 2)
    found = rows(MetadataTable.open(table.write(tmp_path)), "files").to_pylist()
    by_file = {each["file"]: (each["partition"], each["size"]) for each in found}
    assert set(by_file) == {FILE, "a", "c", "d", "ext file_1.parquet"}
    assert by_file["a"] == ("more", 5)
    assert by_file["d"] == ("", 8)


def test_bounds_of_statistics_are_text(table: MetadataTable) -> None:
    """Column statistics have one row for each column and file, with bounds as text."""
    found = {each["column"]: each for each in rows(table, "column_stats").to_pylist()}
    assert found.keys() == COLUMNS.keys()
    fare = found["fare"]
    assert (fare["min"], fare["max"]) == ("1.5", "6.5")
    assert (fare["partition"], fare["file"], fare["null_count"]) == (PARTITION, FILE, 1)


def test_bounds_that_are_bytes_are_digits(tmp_path: Path) -> None:
    """Bounds that are bytes are shown in hex; a null bound stays null."""
    table = made()
    stats = table.rows["column_stats"]
    bounds = {
        "minValue": ("BytesWrapper", {"value": b"\x00\xff"}),
        "maxValue": None,
        "valueType": {"typeOrdinal": 8, "additionalInfo": None},
    }
    stats[hudi.keys.column_stats_key("fare", PARTITION, FILE)] = parts.statistics("fare", **bounds)
    found = rows(MetadataTable.open(table.write(tmp_path)), "column_stats").to_pylist()
    (fare,) = (each for each in found if each["column"] == "fare")
    assert (fare["min"], fare["max"]) == ("00ff", None)


def test_record_keys_and_their_places_are_those_of_the_index(table: MetadataTable) -> None:
    """Rows of a record index equal what a lookup without keys returns."""
    assert rows(table, "record_index") == table.record_index()


def test_secondary_keys_are_values_and_record_keys(table: MetadataTable) -> None:
    """Rows of a secondary index equal what a query for all values returns."""
    found = rows(table, "secondary_index_idx_rider")
    assert found == table.secondary_index("idx_rider")
    assert sorted(found["key"].to_pylist()) == KEYS


def test_bloom_filters_have_their_bytes(table: MetadataTable) -> None:
    """A Bloom filter's row has its key, its bytes and its type."""
    (found,) = rows(table, "bloom_filters").to_pylist()
    assert (found["key"], found["type"]) == (hudi.keys.bloom_filter_key(PARTITION, FILE), "SIMPLE")
    assert len(found["bloom_filter"]) > 10


def test_an_unknown_kind_of_index_is_refused(table: MetadataTable) -> None:
    """An unknown kind of index is refused; the error lists the known ones."""
    with pytest.raises(Unsupported, match=r"^partition: found files_index, wanted .*secondary_ind"):
        index_schema(table, "files_index")


def test_keys_to_look_up_may_be_arrow(table: MetadataTable) -> None:
    """Keys may be an Arrow array, and repeated keys are looked up once."""
    asked = pa.array(["key-3", "none", "key-0", "key-3"])
    assert table.record_index(asked) == table.record_index(["key-3", "none", "key-0"])
