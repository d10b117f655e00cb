"""Readers that know nothing of byteloom find the rows that it appends, and its metrics right."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.table import StaticTable
from tests.support.iceberg_readers import NAMES, Readers, named

from byteloom.iceberg import create_table

if TYPE_CHECKING:
    from pathlib import Path

    from byteloom.iceberg import Table

COLUMNS = pa.schema(
    {
        "id": pa.int64(),
        "small": pa.int32(),
        "ratio": pa.float64(),
        "price": pa.decimal128(9, 2),
        "day": pa.date32(),
        "at": pa.timestamp("us"),
        "city": pa.string(),
        "tags": pa.list_(pa.string()),
        "point": pa.struct({"x": pa.int32(), "y": pa.float64()}),
    }
)
START = dt.datetime(2024, 2, 27)  # noqa: DTZ001  of a column without a zone


def rows(first: int, end: int) -> pa.Table:
    """Return the rows with these numbers; each fifth has only its id."""
    full = [
        {
            "id": number,
            "small": -number,
            "ratio": number / 4,
            "price": number,
            "day": (START + dt.timedelta(days=number)).date(),
            "at": START + dt.timedelta(hours=number),
            "city": "a/b=c ü+" if number % 3 else "Oslo",
            "tags": ["x"] * (number % 3),
            "point": {"x": number, "y": None},
        }
        if number % 5
        else {"id": number, "tags": [], "point": {"x": None, "y": None}}
        for number in range(first, end)
    ]
    return pa.Table.from_pylist(full, schema=COLUMNS)


def appended(folder: Path, version: int, partition_by: list[str]) -> Table:
    """Return a table of fifty rows in three snapshots."""
    table = create_table(folder, COLUMNS, partition_by=partition_by, format_version=version)
    return table.append(rows(0, 20)).append(rows(20, 21)).append(rows(21, 50))


def ordered(found: list[dict[str, Any]]) -> list[str]:
    """Return rows as texts, in the order of their ids; ClickHouse has no times without a zone."""
    plain = [
        each | {"at": each["at"] and each["at"].replace(tzinfo=None)}
        for each in sorted(found, key=lambda each: each["id"])
    ]
    return list(map(repr, plain))


PARTITIONS = [[], ["month(at)", "city"], ["bucket(4, id)", "truncate(10, small)"], ["day(day)"]]


@pytest.mark.parametrize("partition_by", PARTITIONS, ids="-".join)
@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("reader", NAMES, ids=named)
def test_peers_find_the_rows_that_were_appended(
    tmp_path: Path, readers: Readers, reader: str, version: int, partition_by: list[str]
) -> None:
    """Each peer reads the same rows from the metadata file."""
    table = appended(tmp_path / "t", version, partition_by)
    found = readers.rows(reader, table.metadata_location)
    assert ordered(found) == ordered(rows(0, 50).to_pylist())


@pytest.mark.parametrize(
    ("reader", "form"),
    [
        (reader, form)
        for reader, forms in (("chdb", ["orc", "avro"]), ("pyiceberg", ["orc"]))
        for form in forms
    ],
)
@pytest.mark.parametrize("version", [1, 2])
def test_peers_find_the_rows_of_other_formats(
    tmp_path: Path, readers: Readers, reader: str, version: int, form: str
) -> None:
    """Peers that read ORC and Avro files of tables find their rows."""
    properties = {"write.format.default": form}
    table = create_table(
        tmp_path / "t",
        COLUMNS,
        partition_by=["month(at)", "city"],
        format_version=version,
        properties=properties,
    )
    table = table.append(rows(0, 20)).append(rows(20, 50))
    found = readers.rows(reader, table.metadata_location)
    assert ordered(found) == ordered(rows(0, 50).to_pylist())


FILTERS = [
    "id < 3",
    "small = -7",
    "city = 'Oslo'",
    "price > 40",
    "day >= '2024-03-20'",
    "ratio = 2",
]


@pytest.mark.parametrize("partition_by", PARTITIONS, ids="-".join)
@pytest.mark.parametrize("version", [1, 2])
def test_pyiceberg_finds_the_metrics_right(
    tmp_path: Path, version: int, partition_by: list[str]
) -> None:
    """What pyiceberg leaves out by our bounds and partitions has no row that a filter wants."""
    table = appended(tmp_path / "t", version, partition_by)
    theirs = StaticTable.from_metadata(table.metadata_location)
    for each in FILTERS:
        found = theirs.scan(row_filter=each).to_arrow().to_pylist()
        assert ordered(found) == ordered(table.scan(each).to_table().to_pylist()), each


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("reader", NAMES, ids=named)
def test_peers_find_the_rows_of_files_that_were_added(
    tmp_path: Path, readers: Readers, reader: str, version: int
) -> None:
    """Each peer reads files of pyarrow, without ids, by the name mapping."""
    paths = [tmp_path / "one.parquet", tmp_path / "two.parquet"]
    pq.write_table(rows(0, 20), paths[0])
    pq.write_table(rows(20, 50), paths[1])
    table = create_table(tmp_path / "t", COLUMNS, format_version=version).add_files(paths)
    found = readers.rows(reader, table.metadata_location)
    assert ordered(found) == ordered(rows(0, 50).to_pylist())


@pytest.mark.parametrize("version", [1, 2])
def test_pyiceberg_reads_orc_files(tmp_path: Path, version: int) -> None:
    """The peer that reads ORC finds columns by the ids in their attributes."""
    properties = {"write.format.default": "orc"}
    table = create_table(tmp_path / "t", COLUMNS, format_version=version, properties=properties)
    table = table.append(rows(0, 20)).evolve().rename_column("city", "town").commit()
    found = StaticTable.from_metadata(table.metadata_location).scan().to_arrow()
    assert "town" in found.column_names
    renamed = found.rename_columns(["city" if n == "town" else n for n in found.column_names])
    assert ordered(renamed.to_pylist()) == ordered(rows(0, 20).to_pylist())
