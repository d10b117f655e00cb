"""Schemas and specs that pyiceberg evolves: old files are read by new schemas and by their own."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyiceberg.schema import Schema
from pyiceberg.transforms import BucketTransform, DayTransform, IdentityTransform
from pyiceberg.types import (
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    ListType,
    LongType,
    NestedField,
    StringType,
    StructType,
    TimestampType,
)
from tests.support.iceberg_plain import ordered
from tests.support.iceberg_readers import Readers, named
from tests.support.iceberg_writer import FolderCatalog

from byteloom.iceberg import open_table

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyiceberg.table import Table as Evolved
    from pyiceberg.table.update.schema import UpdateSchema
    from pyiceberg.table.update.spec import UpdateSpec

MOMENT = dt.datetime(1969, 12, 31, 23, 59, 59, 999_999)  # noqa: DTZ001  in no zone
POINT = StructType(
    NestedField(20, "x", IntegerType(), required=True),
    NestedField(21, "tags", ListType(22, StringType(), element_required=False), required=False),
)
FIRST = Schema(
    NestedField(1, "id", IntegerType(), required=True),
    NestedField(2, "f", FloatType(), required=False),
    NestedField(3, "price", DecimalType(9, 2), required=False),
    NestedField(4, "s", StringType(), required=False),
    NestedField(5, "ts", TimestampType(), required=False),
    NestedField(6, "point", POINT, required=False),
    NestedField(7, "list", ListType(8, IntegerType(), element_required=False), required=False),
)
STEPS: dict[str, list[Callable[[UpdateSchema], Any]]] = {
    "add": [lambda to: to.add_column("d", DoubleType())],
    "add to a struct": [lambda to: to.add_column(("point", "y"), LongType())],
    "drop": [lambda to: to.delete_column("s")],
    "drop from a struct": [lambda to: to.delete_column(("point", "tags"))],
    "drop and add again": [
        lambda to: to.delete_column("s"),
        lambda to: to.add_column("s", StringType()),
    ],
    "rename": [lambda to: to.rename_column("s", "kind")],
    "rename in a struct": [lambda to: to.rename_column(("point", "x"), "z")],
    "swap names": [
        lambda to: to.rename_column("s", "old"),
        lambda to: to.add_column("s", StringType()),
    ],
    "promote int": [lambda to: to.update_column("id", field_type=LongType())],
    "promote float": [lambda to: to.update_column("f", field_type=DoubleType())],
    "promote decimal": [lambda to: to.update_column("price", field_type=DecimalType(20, 2))],
    "promote elements": [lambda to: to.update_column(("list", "element"), field_type=LongType())],
    "promote in a struct": [lambda to: to.update_column(("point", "x"), field_type=LongType())],
    "allow nulls": [lambda to: to.make_column_optional("id")],
    "move first": [lambda to: to.move_first("ts")],
    "move after": [lambda to: to.move_after("id", "s")],
    "move in a struct": [lambda to: to.move_before(("point", "tags"), ("point", "x"))],
}
SPECS: dict[str, list[Callable[[UpdateSpec], Any]]] = {
    "add": [lambda to: to.add_field("s", IdentityTransform(), "s")],
    "add and remove": [
        lambda to: to.add_field("ts", DayTransform(), "ts_day"),
        lambda to: to.remove_field("ts_day"),
    ],
    "replace": [
        lambda to: to.add_field("s", IdentityTransform(), "s"),
        lambda to: to.remove_field("s").add_field("id", BucketTransform(4), "id_bucket"),
    ],
    "rename": [
        lambda to: to.add_field("s", IdentityTransform(), "p"),
        lambda to: to.rename_field("p", "q"),
    ],
}


FILTERS = ("id > 4", "f is null", "price <= 1.25", "ts < '1970-01-03T00:00:00'", "id in (1, 7)")
"""Filters on columns that are in all schemas."""


def value(of: pa.DataType, number: int, *, is_nullable: bool) -> Any:
    """A value of a type, null for every third *number* if that is allowed."""
    if is_nullable and number % 3 == 0:
        return None
    if pa.types.is_struct(of):
        return {each.name: value(each.type, number, is_nullable=each.nullable) for each in of}
    if pa.types.is_list(of) or pa.types.is_large_list(of):
        return [value(of.value_type, each, is_nullable=True) for each in range(number)]
    if pa.types.is_timestamp(of):
        return MOMENT + dt.timedelta(hours=13 * number)
    if pa.types.is_decimal(of):
        return Decimal(number) / 4
    return pa.scalar(number).cast(of).as_py()


def append(table: Evolved, first: int) -> None:
    """Append four rows."""
    schema = table.schema().as_arrow()
    columns = [
        pa.array([value(of.type, first + n, is_nullable=of.nullable) for n in range(4)], of.type)
        for of in schema
    ]
    table.append(pa.Table.from_arrays(columns, schema=schema))


def grown(root: Path, version: int, *changes: Callable[[Evolved], None]) -> Evolved:
    """A table with rows before, between and after some changes; some rows are deleted again."""
    table = FolderCatalog(root).create("t", FIRST, properties={"format-version": str(version)})
    append(table, 1)
    for number, change in enumerate(changes, 2):
        change(table)
        append(table, 3 * number)
    table.delete("id = 2")
    return table


def change_schema(change: Callable[[UpdateSchema], Any]) -> Callable[[Evolved], None]:
    """A change of a table's schema, committed."""

    def commit(table: Evolved) -> None:
        with table.update_schema(allow_incompatible_changes=True) as update:
            change(update)

    return commit


def change_spec(change: Callable[[UpdateSpec], Any]) -> Callable[[Evolved], None]:
    """A change of a table's partition spec, committed."""

    def commit(table: Evolved) -> None:
        with table.update_spec() as update:
            change(update)

    return commit


CHANGES = {
    **{name: [change_schema(each) for each in held] for name, held in STEPS.items()},
    **{f"spec: {name}": [change_spec(each) for each in held] for name, held in SPECS.items()},
}
FIRST_VERSION, SECOND = (
    [
        pytest.param((version, name), id=f"{named('pyiceberg')}-v{version}-{name}")
        for name in CHANGES
    ]
    for version in (1, 2)
)


@pytest.fixture(scope="module", params=[*FIRST_VERSION, *SECOND])
def evolved(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Evolved:
    """A table for each change."""
    version, name = request.param
    return grown(tmp_path_factory.mktemp("evolved"), version, *CHANGES[name])


def test_evolved_tables_read_the_same_at_every_snapshot(evolved: Evolved) -> None:
    """Every snapshot and each filtered scan of an evolved table has pyiceberg's names and rows."""
    ours = open_table(evolved.metadata_location)
    agree(ours.scan().to_table(), evolved.scan().to_arrow())
    for each in evolved.snapshots():
        wanted = evolved.scan(snapshot_id=each.snapshot_id).to_arrow()
        agree(ours.scan(snapshot=each.snapshot_id).to_table(), wanted)
    for text in FILTERS:
        agree(ours.scan(text).to_table(), evolved.scan(text).to_arrow())


def agree(found: pa.Table, wanted: pa.Table) -> None:
    """Compare names and rows with those of pyiceberg."""
    assert found.column_names == wanted.column_names
    assert ordered(found.to_pylist()) == ordered(wanted.to_pylist())


@pytest.mark.parametrize("reader", ["duckdb", "polars"], ids=named)
def test_others_read_evolved_tables_the_same(
    evolved: Evolved, readers: Readers, reader: str
) -> None:
    """Both duckdb and polars read the same rows of evolved tables as byteloom."""
    found = readers.ours(evolved.metadata_location)
    assert ordered(found) == ordered(readers.rows(reader, evolved.metadata_location))


@pytest.mark.parametrize("evolved", SECOND, indirect=True)
def test_clickhouse_reads_evolved_tables_the_same(evolved: Evolved, readers: Readers) -> None:
    """ClickHouse reads the same rows of evolved tables of version 2.

    In version 1 it takes the schema that the table had at first.
    """
    found = readers.ours(evolved.metadata_location)
    wanted = readers.rows("chdb", evolved.metadata_location)
    assert ordered(map(as_clickhouse, found)) == ordered(map(as_clickhouse, wanted))


def as_clickhouse(row: dict[str, Any]) -> dict[str, Any]:
    """A row in ClickHouse's types: no null lists and structs, and moments in zones alone."""
    return {
        name: each.replace(tzinfo=None) if isinstance(each, dt.datetime) else each
        for name, each in row.items()
        if name not in {"point", "list"}
    }
