"""Tables that Java Iceberg wrote have the same rows and plans in Spark as in one process.

`test_java_iceberg_rows` and `test_java_iceberg_planning` compare these with what Java gave.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from tests.support.java_iceberg import JavaTable, is_damaged, is_sound, java_tables

from byteloom.errors import ByteloomError
from byteloom.iceberg import from_json
from byteloom.spark import session
from byteloom.spark.arrow_schemas import conformed, wanted_schema

if TYPE_CHECKING:
    from byteloom.iceberg import TableScan

pytestmark = pytest.mark.peer("pyspark")


@pytest.fixture(scope="module")
def spark() -> Any:
    """Return a Spark session for all tables."""
    return session(cores=2, memory="1g")


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


@java_tables(lambda record: is_sound(record) and record["planning-cases"] > 0)
def test_groups_have_the_plan_of_one_process(java_table: JavaTable) -> None:
    """Planning in groups gives the files, residuals and deletes of one process, in order."""
    table = java_table.open()
    for case in java_table.planning():
        snapshot = case.get("snapshot-id")
        is_current = snapshot == java_table.record["current-snapshot-id"]
        try:
            scan = table.scan(
                from_json(case["expr"]),
                snapshot=None if is_current else snapshot,
                case_sensitive=case["case-sensitive"],
                ignore_residuals=case.get("ignore-residuals", False),
            )
            wanted = _planned_at_once(scan)
        except ByteloomError:
            continue
        assert _planned_in_groups(scan) == wanted, f"{java_table.name} {case['case']}"


@java_tables(is_damaged)
def test_damage_is_refused_by_groups_too(java_table: JavaTable) -> None:
    """Planning a damaged table fails in groups exactly if it fails in one process."""
    try:
        scan = java_table.open().scan()
        wanted = _planned_at_once(scan)
    except ByteloomError:
        with pytest.raises(ByteloomError):
            _planned_in_groups(java_table.open().scan())
        return
    assert _planned_in_groups(scan) == wanted


def _planned_at_once(scan: TableScan) -> list[dict[str, Any]]:
    """Return the files of a scan, planned in one process."""
    from byteloom.spark.jobs.planning import rows_of

    rows: list[dict[str, Any]] = rows_of(scan, scan.plan()).to_pylist()
    return rows


def _planned_in_groups(scan: TableScan) -> list[dict[str, Any]]:
    """Return the files of a scan, planned one manifest at a time after a check of all of them."""
    from byteloom.spark.jobs.planning import COLUMNS, Planned, check_live, files_of, live_in

    planned, data = Planned.of(scan)
    groups = [data.take(np.array([row])) for row in range(len(data))]
    check_live(planned, data, [live_in(planned, each) for each in groups])
    batches = [batch for each in groups for batch in files_of(planned, each)]
    rows: list[dict[str, Any]] = pa.Table.from_batches(batches, COLUMNS).to_pylist()
    return rows
