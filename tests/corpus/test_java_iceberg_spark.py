"""Tables that Java Iceberg wrote have the same rows in Spark as in the local reader.

`test_java_iceberg_rows` compares these with what Java's own reader gave.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from tests.support.java_iceberg import JavaTable, is_sound, java_tables

from byteloom.spark import session
from byteloom.spark.arrow_schemas import conformed, wanted_schema


@pytest.fixture(scope="module")
def spark() -> Any:
    """Return a Spark session for all tables."""
    return session(cores=2, memory="1g")


@pytest.mark.peer("pyspark")
@java_tables(is_sound)
def test_spark_has_the_rows_of_the_local_reader(spark: Any, java_table: JavaTable) -> None:
    """Spark has all rows of the local reader, except for variants, which it cannot return."""
    from byteloom.spark.sources.iceberg_rows import context_of
    from byteloom.spark.sources.iceberg_table import marked_schema

    fields = [each for each in java_table.open().schema.fields if each.type.kind != "variant"]
    scan = java_table.open().scan(columns=[each.name for each in fields])
    wanted = wanted_schema(marked_schema(context_of(scan).fields))
    local = pa.Table.from_batches(conformed(scan.to_batches(), wanted), wanted)
    moved = ",".join(f"{old}={new}" for old, new in java_table.relocate.items())
    reader = spark.read.format("byteloom.iceberg").option("relocate", moved)
    names = ",".join(each.name for each in fields)
    found = reader.option("columns", names).load(java_table.record["metadata"]).toArrow()
    assert found.column_names == local.column_names
    assert _sorted(found) == _sorted(local)


def _sorted(table: pa.Table) -> list[str]:
    """Return the rows of a table as sorted text, with NaN equal to NaN."""
    return sorted(map(repr, table.to_pylist()))
