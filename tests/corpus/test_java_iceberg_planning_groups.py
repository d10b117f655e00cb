"""Plans made manifest by manifest, as executors make them, are those of one process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from tests.support.java_iceberg import JavaTable, is_damaged, is_sound, java_tables

from byteloom.errors import ByteloomError
from byteloom.iceberg import from_json

pytest.importorskip("pyspark", reason="pyspark is not installed (make peers)")
from byteloom.spark.jobs.planning import COLUMNS, Planned, check_live, files_of, live_in, rows_of

if TYPE_CHECKING:
    from byteloom.iceberg import TableScan


def planned_in_groups(scan: TableScan) -> list[dict[str, Any]]:
    """Return the files of a scan, planned one manifest at a time after a check of all of them."""
    planned, data = Planned.of(scan)
    groups = [data.take(np.array([row])) for row in range(len(data))]
    check_live(planned, data, [live_in(planned, each) for each in groups])
    batches = [batch for each in groups for batch in files_of(planned, each)]
    rows: list[dict[str, Any]] = pa.Table.from_batches(batches, COLUMNS).to_pylist()
    return rows


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
            wanted = rows_of(scan, scan.plan()).to_pylist()
        except ByteloomError:
            continue
        assert planned_in_groups(scan) == wanted, f"{java_table.name} {case['case']}"


@java_tables(is_damaged)
def test_damage_is_refused_by_groups_too(java_table: JavaTable) -> None:
    """Planning a damaged table fails in groups exactly if it fails in one process."""
    try:
        scan = java_table.open().scan()
        wanted = rows_of(scan, scan.plan()).to_pylist()
    except ByteloomError:
        with pytest.raises(ByteloomError):
            planned_in_groups(java_table.open().scan())
        return
    assert planned_in_groups(scan) == wanted
