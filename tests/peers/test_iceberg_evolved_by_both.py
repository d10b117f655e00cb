"""Tables that byteloom evolves: others read them, and pyiceberg evolves them further, and back."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.transforms import BucketTransform
from pyiceberg.types import DoubleType, StringType
from tests.support.iceberg_plain import ordered
from tests.support.iceberg_readers import Readers, named

from byteloom.iceberg import create_table, open_table

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from byteloom.iceberg import Table

COLUMNS = pa.schema(
    {
        "id": pa.int32(),
        "ratio": pa.float32(),
        "price": pa.decimal128(9, 2),
        "city": pa.string(),
        "day": pa.date32(),
        "point": pa.struct({"x": pa.int32(), "y": pa.int32()}),
    }
)
STEPS: dict[str, Callable[[Any], Any]] = {
    "add": lambda to: to.add_column("d", "double").add_column("point.z", "long"),
    "drop": lambda to: to.drop_column("ratio").drop_column("point.y"),
    "drop and add again": lambda to: to.drop_column("city").add_column("city", "string"),
    "rename": lambda to: to.rename_column("city", "town").rename_column("point.x", "east"),
    "swap names": lambda to: to.rename_column("ratio", "id").rename_column("id", "ratio"),
    "promote": lambda to: (
        to.update_column("id", "long")
        .update_column("ratio", "double")
        .update_column("price", "decimal(20, 2)")
        .update_column("point.x", "long")
    ),
    "move": lambda to: to.move_first("day").move_after("id", "city").move_first("point.y"),
    "partition": lambda to: to.add_partition_field("month(day)").add_partition_field("city"),
    "sort": lambda to: to.sort_by("day desc nulls last", "bucket(4, id)"),
}


def row(of: pa.Schema, number: int) -> dict[str, Any]:
    """Return a row of any of the schemas here."""
    return {each.name: value(each.type, number) for each in of}


def value(of: pa.DataType, number: int) -> Any:
    """Return a value of a type."""
    if pa.types.is_struct(of):
        return {each.name: number for each in of}
    if pa.types.is_decimal(of):
        return Decimal(number) / 4
    if pa.types.is_date(of):
        return dt.date(2024, 1, 1) + dt.timedelta(days=20 * number)
    if pa.types.is_string(of) or pa.types.is_large_string(of):
        return f"c{number % 3}"
    return number


def more(table: Table, first: int) -> Table:
    """Append three rows."""
    schema = table.scan().to_table().schema
    rows = [row(schema, number) for number in range(first, first + 3)]
    return table.append(pa.Table.from_pylist(rows, schema=schema))


def evolved(folder: Path, version: int, *steps: Callable[[Any], Any]) -> Table:
    """Return a table with rows before, between and after some changes."""
    table = create_table(folder, COLUMNS, format_version=version)
    table = more(table, 0)
    for number, step in enumerate(steps, 1):
        table = more(step(table.evolve()).commit(), 10 * number)
    return table


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("name", STEPS)
def test_peers_read_a_table_after_each_change(
    tmp_path: Path, readers: Readers, name: str, version: int
) -> None:
    """Rows of before and after are the same for all, and for the check of byteloom."""
    table = evolved(tmp_path / "t", version, STEPS[name])
    found = ordered(readers.ours(table.metadata_location))
    for reader in ("duckdb", "polars", "pyiceberg"):  # ClickHouse has other structs
        assert ordered(readers.rows(reader, table.metadata_location)) == found, named(reader)
    assert table.verify() == []


@pytest.mark.parametrize("version", [1, 2])
def test_pyiceberg_evolves_further_and_byteloom_again(tmp_path: Path, version: int) -> None:
    """Both give new ids after the highest, and read what the other has written."""
    table = evolved(tmp_path / "t", version, *(STEPS[each] for each in ("add", "promote", "move")))
    catalog = SqlCatalog("c", uri="sqlite://", warehouse=str(tmp_path))
    catalog.create_namespace("db")
    theirs = catalog.register_table("db.t", table.metadata_location)
    with theirs.update_schema() as update:
        update.add_column("note", StringType())
        update.rename_column("city", "place")
        update.update_column("ratio", DoubleType())
    with theirs.update_spec() as change:
        change.add_field("id", BucketTransform(4), "id_b")
    schema = theirs.schema().as_arrow()
    theirs.append(pa.Table.from_pylist([row(schema, 90)], schema=schema))
    ours = open_table(theirs.metadata_location)
    assert ordered(ours.scan().to_table().to_pylist()) == ordered(
        theirs.scan().to_arrow().to_pylist()
    )
    highest = max(each.id for each in ours.schema.fields)
    assert ours.metadata.document.last_column_id == highest
    assert ours.verify() == []


@pytest.mark.parametrize("version", [2, 3])
def test_tables_of_a_catalog_of_pyiceberg_are_evolved_there(tmp_path: Path, version: int) -> None:
    """Each change is a commit of the catalog: evolution, an upgrade, a pick and a rollback."""
    catalog = SqlCatalog("c", uri=f"sqlite:///{tmp_path}/c.db", warehouse=str(tmp_path))
    catalog.create_namespace("db")
    table = more(create_table("db.t", COLUMNS, catalog=catalog, format_version=version), 0)
    for number, name in enumerate(("add", "promote", "move", "partition", "sort"), 1):
        table = more(STEPS[name](table.evolve()).commit(), 10 * number)
    table = table.evolve().rename_column("d", "e").sort_by().upgrade(3).commit()
    first = table.snapshots[-1]
    table = more(table.create_branch("audit"), 70)
    schema = table.scan().to_table().schema
    rows = pa.Table.from_pylist([row(schema, 80)], schema=schema)
    table = table.append(rows, branch="audit")
    table = table.cherry_pick(table.metadata.refs["audit"].snapshot_id)
    assert table.scan().count() == 3 * 7 + 1
    assert table.rollback(to=first.snapshot_id).scan().count() == 3 * 6
    theirs = catalog.load_table("db.t")
    assert [each.name for each in theirs.schema().fields] == schema.names
    assert table.verify() == []
