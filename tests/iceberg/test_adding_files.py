"""Files that exist already become a table's as they are."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import fastavro
import pyarrow as pa
import pyarrow.orc as po
import pyarrow.parquet as pq
import pytest

from byteloom.errors import ArgumentError, CommitConflict, FormatError, MissingFile
from byteloom.iceberg import create_table, open_table

if TYPE_CHECKING:
    from byteloom.iceberg import Table

DAY = dt.date(2024, 6, 1)

COLUMNS = pa.schema(
    {
        "id": pa.int64(),
        "city": pa.string(),
        "day": pa.date32(),
        "ratio": pa.float64(),
        "point": pa.struct({"x": pa.int32()}),
        "tags": pa.list_(pa.string()),
    }
)


def rows(first: int, end: int) -> pa.Table:
    """Return the rows with these numbers."""
    made = [
        {
            "id": each,
            "city": f"c{each % 3}",
            "day": DAY,
            "ratio": each / 2 + 1,
            "point": {"x": each} if each % 2 else None,
            "tags": ["t"] * (each % 3),
        }
        for each in range(first, end)
    ]
    return pa.Table.from_pylist(made, schema=COLUMNS)


def content(table: Table) -> list[dict[str, Any]]:
    """Return the rows of a table in the order of their ids."""
    found: list[dict[str, Any]] = table.scan().to_table().sort_by("id").to_pylist()
    return found


def files(table: Table) -> list[dict[str, Any]]:
    """Return what the manifests say of the files, in the order of their paths."""
    found: list[dict[str, Any]] = table.metadata_table("files").sort_by("file_path").to_pylist()
    return found


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("write", [pq.write_table, po.write_table], ids=["parquet", "orc"])
def test_files_of_others_are_added_by_their_names(tmp_path: Path, version: int, write: Any) -> None:
    """Files without ids, outside of the table, keep their bytes; the table gets a name mapping."""
    paths = [tmp_path / "one", tmp_path / "two"]
    for number, each in enumerate(paths):
        write(rows(5 * number, 5 * number + 5), each)
    before = [each.read_bytes() for each in paths]
    table = create_table(tmp_path / "t", COLUMNS, format_version=version).add_files(paths)
    assert content(table) == rows(0, 10).to_pylist()
    assert [each["file_path"] for each in files(table)] == [str(each) for each in paths]
    assert [each.read_bytes() for each in paths] == before
    mapping = json.loads(table.metadata.properties["schema.name-mapping.default"])
    assert [each["names"] for each in mapping] == [[each] for each in COLUMNS.names]
    assert table.current_snapshot is not None
    assert table.current_snapshot.summary["added-records"] == "10"
    assert len(table.snapshots) == 1
    assert table.verify() == []


def test_metrics_are_those_of_the_footer(tmp_path: Path) -> None:
    """Counts, bounds, sizes and offsets are those that an append writes; NaNs are unknown."""
    table = create_table(tmp_path / "t", COLUMNS).append(rows(0, 9))
    (appended,) = files(table)
    other = create_table(tmp_path / "other", COLUMNS).add_files([appended["file_path"]])
    (added,) = files(other)
    nans = appended.pop("nan_value_counts")
    assert added.pop("nan_value_counts") == []
    assert nans == [(4, 0)]
    for each in (added, appended):
        each.pop("readable_metrics", None)
        each.pop("sort_order_id", None)
    assert added == appended
    assert "schema.name-mapping.default" not in other.metadata.properties


def test_partitions_follow_from_bounds_and_from_folders(tmp_path: Path) -> None:
    """A value is that of the bounds or of nulls alone; of a folder without the column."""
    partition_by = ["day", "city", "truncate(100, id)"]
    table = create_table(tmp_path / "t", COLUMNS, partition_by=partition_by)
    held = rows(0, 4).drop_columns(["city"])
    for name in ("city=a%2Fb", "city=__HIVE_DEFAULT_PARTITION__"):
        (tmp_path / name).mkdir()
        pq.write_table(held, tmp_path / name / "f.parquet")
    nothing = rows(0, 4).set_column(1, "city", pa.nulls(4, pa.string()))
    pq.write_table(nothing, tmp_path / "nulls.parquet")
    table = table.add_files(
        [*(tmp_path / "city=a%2Fb").iterdir(), tmp_path / "nulls.parquet"]
    ).add_files((tmp_path / "city=__HIVE_DEFAULT_PARTITION__").iterdir())
    found = [each["partition"] for each in files(table)]
    cities = [each.pop("city") for each in found]
    assert sorted(map(str, cities)) == ["None", "None", "a/b"]
    assert found == [{"day": DAY, "id_trunc_100": 0}] * 3
    assert table.scan("city = 'a/b'").count() == 4
    assert table.scan("city is null").count() == 8
    assert table.verify() == []


@pytest.mark.parametrize(
    ("partition_by", "found"),
    [
        ("truncate(2, id)", "partition.id_trunc_2: found values from 0 to 2"),
        ("bucket(4, id)", "partition.id_bucket_4: found values from 0 to 3"),
        ("city", "partition.city: found values from c0 to c2"),
        ("ratio", "partition.ratio: found a column ratio without exact bounds"),
    ],
)
def test_files_of_several_partitions_are_refused(
    tmp_path: Path, partition_by: str, found: str
) -> None:
    """The error names the file, the partition field and the values, and nothing is committed."""
    pq.write_table(rows(0, 4), tmp_path / "f.parquet")
    table = create_table(tmp_path / "t", COLUMNS, partition_by=[partition_by])
    with pytest.raises(FormatError) as caught:
        table.add_files([tmp_path / "f.parquet"])
    assert f"{tmp_path}/f.parquet" in str(caught.value)
    assert found in str(caught.value)
    assert open_table(tmp_path / "t").current_snapshot is None


NEEDED = pa.schema([pa.field("id", pa.int64(), nullable=False), pa.field("n", pa.int32())])


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"id": [1], "n": ["x"]}, "column n: found values of type string"),
        ({"id": [1], "n": pa.array([1], pa.int64())}, "column n: found values of type int64"),
        ({"id": [1], "more": [1]}, "column more: found not in the table"),
        ({"n": pa.array([1], pa.int32())}, "column id: found no such column"),
        ({"id": [1, None]}, "column id: found 1 nulls"),
    ],
)
def test_files_that_do_not_fit_are_refused(tmp_path: Path, given: Any, found: str) -> None:
    """The error names the file and the column, and nothing is committed or removed."""
    pq.write_table(pa.table(given), tmp_path / "f.parquet")
    table = create_table(tmp_path / "t", NEEDED)
    with pytest.raises(FormatError) as caught:
        table.add_files([tmp_path / "f.parquet"])
    assert f"{tmp_path}/f.parquet" in str(caught.value)
    assert found in str(caught.value)
    assert (tmp_path / "f.parquet").exists()
    assert open_table(tmp_path / "t").current_snapshot is None


def test_files_are_added_once(tmp_path: Path) -> None:
    """A file given twice, or that the table has, is refused."""
    path = tmp_path / "f.parquet"
    pq.write_table(rows(0, 3), path)
    table = create_table(tmp_path / "t", COLUMNS)
    with pytest.raises(ArgumentError, match=r"f\.parquet twice"):
        table.add_files([path, path])
    added = table.add_files([path])
    with pytest.raises(ArgumentError, match="wanted files that the table lacks"):
        added.add_files([path])
    with pytest.raises(CommitConflict, match=r"f\.parquet: another writer has added it"):
        table.add_files([path])
    pq.write_table(rows(3, 6), tmp_path / "g.parquet")
    added = added.add_files([tmp_path / "g.parquet"], check_duplicate_files=False)
    assert added.scan().count() == 6
    with pytest.raises(ArgumentError, match="wanted a list of paths"):
        table.add_files(str(path))


def test_files_of_no_rows_or_of_no_format_are_refused(tmp_path: Path) -> None:
    """Damaged, missing and foreign files are errors that name the file."""
    table = create_table(tmp_path / "t", COLUMNS)
    (tmp_path / "text").write_text("hello")
    with pytest.raises(FormatError, match=r"text: .*wanted a Parquet, ORC or Avro file"):
        table.add_files([tmp_path / "text"])
    with pytest.raises(MissingFile):
        table.add_files([tmp_path / "nothing"])
    pq.write_table(rows(0, 3), tmp_path / "cut")
    data = (tmp_path / "cut").read_bytes()
    (tmp_path / "cut").write_bytes(data[:-20] + data[-8:])
    with pytest.raises(FormatError, match="cut"):
        table.add_files([tmp_path / "cut"])
    assert open_table(tmp_path / "t").current_snapshot is None


def avro(path: Path, number: str) -> None:
    """Write a file of Avro, without ids: two rows, with a number of a type."""
    fields = [{"name": "id", "type": number}, {"name": "n", "type": ["null", "int"]}]
    schema = {"type": "record", "name": "row", "fields": fields}
    with path.open("wb") as file:
        made = str if number == "string" else int
        fastavro.writer(file, schema, [{"id": made(1), "n": 1}, {"id": made(2), "n": None}])


def test_files_of_avro_are_added_without_metrics(tmp_path: Path) -> None:
    """Their blocks state the number of rows, and their schemas that a column has no nulls."""
    avro(tmp_path / "f.avro", "int")
    table = create_table(tmp_path / "t", NEEDED).add_files([tmp_path / "f.avro"])
    assert content(table) == [{"id": 1, "n": 1}, {"id": 2, "n": None}]
    (found,) = files(table)
    assert (found["file_format"], found["record_count"], found["value_counts"]) == ("AVRO", 2, [])
    assert table.verify() == []
    avro(tmp_path / "g.avro", "string")
    with pytest.raises(FormatError, match=r"g\.avro: .*id: found values of type large_string"):
        table.add_files([tmp_path / "g.avro"])
