"""Reading beside others: tables that pyiceberg writes, tables with deletes that duckdb reads."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

import duckdb
import duckdb_extension_avro
import duckdb_extension_iceberg
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import BucketTransform, DayTransform, IdentityTransform
from pyiceberg.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    IntegerType,
    ListType,
    LongType,
    MapType,
    NestedField,
    StringType,
    StructType,
    TimestampType,
    TimestamptzType,
    TimeType,
    UUIDType,
)
from tests.support.iceberg_rows import (
    TableMaker,
    arrow,
    deletion_vectors,
    parquet,
    position_deletes,
)
from tests.support.iceberg_writer import FolderCatalog

from byteloom.iceberg.expressions.columns import col
from byteloom.iceberg.table import open_table

if TYPE_CHECKING:
    from pyiceberg.table import Table as PyIcebergTable

    from byteloom.iceberg.table import Table

MOMENT = dt.datetime(1969, 12, 31, 23, 59, 59, 999_999)  # noqa: DTZ001  in no zone
VALUES: list[tuple[Any, list[Any]]] = [
    (BooleanType(), [True, None]),
    (IntegerType(), [-(2**31), None]),
    (LongType(), [2**63 - 1, None]),
    (FloatType(), [-0.5, None]),
    (DoubleType(), [1e300, None]),
    (DecimalType(9, 2), [Decimal("-1234567.89"), None]),
    (DecimalType(38, 10), [Decimal("-1.0000000001"), None]),
    (DateType(), [dt.date(1, 1, 1), None]),
    (TimeType(), [dt.time(23, 59, 59, 999_999), None]),
    (TimestampType(), [MOMENT, None]),
    (TimestamptzType(), [MOMENT.replace(tzinfo=dt.UTC), None]),
    (StringType(), ["ünï", None]),
    (UUIDType(), [UUID(int=1 << 127).bytes, None]),
    (FixedType(3), [b"abc", None]),
    (BinaryType(), [b"", None]),
    (ListType(10, IntegerType(), element_required=False), [[1, None], None]),
    (MapType(10, StringType(), 11, LongType(), value_required=False), [[("k", None)], None]),
    (StructType(NestedField(10, "i", StringType(), required=False)), [{"i": "x"}, None]),
]


def rows_of(table: Table | PyIcebergTable) -> list[str]:
    """The rows of a table in some order that is the same for all readers."""
    found = open_table(table.metadata_location).scan().to_table()
    return sorted(map(repr, found.to_pylist()))


@pytest.mark.parametrize(("of", "values"), VALUES, ids=lambda each: str(each)[:20])
def test_every_type_of_pyiceberg_comes_back(tmp_path: Path, of: Any, values: list[Any]) -> None:
    """What pyiceberg was given to write is what is read, nulls too."""
    schema = Schema(NestedField(1, "x", of, required=False))
    written = FolderCatalog(tmp_path).create("t", schema)
    arrow_schema = written.schema().as_arrow()  # with the ids that it gave
    held = pa.array(values, arrow_schema.field(0).type)
    written.append(pa.Table.from_arrays([held], schema=arrow_schema))
    rows = open_table(written.metadata_location).scan().to_table()
    assert rows["x"].to_pylist() == values
    assert rows["x"].to_pylist() == written.scan().to_arrow()["x"].to_pylist() or of == UUIDType()


def test_evolved_and_partitioned_tables_of_pyiceberg(tmp_path: Path) -> None:
    """Columns that were added, renamed, moved, dropped and promoted, over two partition specs."""
    schema = Schema(
        NestedField(1, "x", IntegerType(), required=False),
        NestedField(2, "s", StringType(), required=False),
        NestedField(3, "ts", TimestampType(), required=False),
    )
    spec = PartitionSpec(
        PartitionField(2, 1000, IdentityTransform(), "s"),
        PartitionField(3, 1001, DayTransform(), "ts_day"),
    )
    table = FolderCatalog(tmp_path).create("t", schema, partition_spec=spec)
    rows = {"x": pa.array([1, 2, None], pa.int32()), "s": ["a", None, "a"], "ts": [MOMENT] * 3}
    table.append(pa.table({**rows, "ts": pa.array(rows["ts"], pa.timestamp("us"))}))
    with table.update_schema() as change:
        change.update_column("x", field_type=LongType())
        change.add_column("d", DoubleType())
        change.rename_column("s", "kind")
        change.move_first("d")
    with table.update_spec() as change:
        change.remove_field("ts_day")
        change.add_field("x", BucketTransform(4), "x_bucket")
    moments = pa.array([MOMENT, None], pa.timestamp("us"))
    more = {"d": [0.5, None], "x": [2**40, 2], "kind": ["b", "a"], "ts": moments}
    table.append(pa.table(more))
    table.delete("x = 2 and kind = 'a'")
    theirs = table.scan().to_arrow()
    assert rows_of(table) == sorted(map(repr, theirs.to_pylist()))
    assert theirs.num_rows == 4
    opened = open_table(table.metadata_location)
    filtered = opened.scan((col("kind") == "a") | (col("x") > 5)).to_table()
    wanted = table.scan("kind = 'a' or x > 5").to_arrow()
    assert sorted(map(repr, filtered.to_pylist())) == sorted(map(repr, wanted.to_pylist()))


def duck_rows(table: Table) -> list[tuple[Any, ...]]:
    """The rows that duckdb reads."""
    connection = duckdb.connect()
    for each in (duckdb_extension_avro, duckdb_extension_iceberg):
        (path,) = Path(each.__path__[0]).glob("extensions/*/*.duckdb_extension")
        connection.execute(f"LOAD '{path}'")
    found = connection.execute(f"SELECT * FROM iceberg_scan('{table.metadata_location}')")  # noqa: S608
    return sorted(found.fetchall())


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    by_position=st.sets(st.integers(0, 29), max_size=20),
    by_value=st.sets(st.integers(0, 40), min_size=1, max_size=20),
    has_vectors=st.booleans(),
)
def test_duckdb_reads_the_same_rows_of_tables_with_deletes(
    tmp_path: Path,
    by_position: set[int],
    by_value: set[int],
    has_vectors: bool,
) -> None:
    """Position deletes or deletion vectors, and equality deletes, leave the same rows to both."""
    root = tmp_path / str(len(list(tmp_path.iterdir())))
    held = {(1, "x"): pa.array(range(30)), (2, "s"): pa.array([f"s{each}" for each in range(30)])}
    data = parquet(root / "a.parquet", arrow(held), row_group_size=8)
    gone = parquet(root / "e.parquet", arrow({(1, "x"): pa.array(sorted(by_value))}))
    deletes = [replace(gone, content=2, equality_ids=[1])]
    if by_position and has_vectors:
        deletes += deletion_vectors(root / "v.puffin", {data.path: sorted(by_position)})
    elif by_position:
        places = [(data.path, each) for each in by_position]
        deletes.append(position_deletes(root / "d.parquet", places))
    columns = [(1, "x", "long"), (2, "s", "string")]
    maker = TableMaker(root, columns, version=3 if has_vectors else 2)
    table = maker.commit(data).commit(*deletes).open()
    ours = [tuple(each.values()) for each in table.scan().to_table().to_pylist()]
    wanted = [each for each in range(30) if each not in by_position | by_value]
    assert sorted(ours) == duck_rows(table) == [(each, f"s{each}") for each in wanted]
