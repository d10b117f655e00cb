"""Count the rows of a scan: from manifests if possible, otherwise by reading.

- A file without a filter on its rows is not opened: it has the rows that its manifest states,
  minus those deleted by position.
- Files to which a filter or an equality delete applies are read.

Source: Iceberg table spec, "Manifests" (``record_count``) and "Scan Planning".
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from byteloom.iceberg.expressions.ast import TRUE
from byteloom.iceberg.manifests.of_snapshot import named_by
from byteloom.iceberg.planning.joining import are_counted, sure_rows
from byteloom.iceberg.reading.scanning import read_tasks
from byteloom.iceberg.reading.shared import Reading
from byteloom_generated.iceberg.manifests import FileContent

if TYPE_CHECKING:
    from byteloom.iceberg.planning.plan import Plan
    from byteloom.iceberg.planning.scan import TableScan
    from byteloom.iceberg.planning.tasks import FileTask

__all__ = ["count_rows"]


def count_rows(scan: TableScan, threads: int | None = None) -> int:
    """Return the number of rows of a scan; see `TableScan.count`."""
    rows, rest = _counted(replace(scan, limit=None, trusts_required=False).plan())
    if scan.limit is not None and rows >= scan.limit:
        return scan.limit
    reading = Reading(
        scan.table,
        scan.schema,
        (),
        case_sensitive=scan.case_sensitive,
        changes=scan.has_changes,
    )
    count = max(1, min(threads or os.cpu_count() or 1, len(rest)))
    placed, unread = _by_position(rest)
    with named_by(scan.only_snapshot):
        rows += _left(reading, placed, count)
        read = read_tasks(reading, iter(unread), ordered=False, threads=count)
        rows += sum(int(batch.num_rows) for batch in read)
    return rows if scan.limit is None else min(rows, scan.limit)


def _counted(plan: Plan) -> tuple[int, Plan]:
    """Return the rows of files that need no reading, and the plan of all others."""
    known = are_counted(plan)
    return sure_rows(plan), plan.only(pa.array(~known))


def _by_position(plan: Plan) -> tuple[list[FileTask], list[FileTask]]:
    """Return the tasks that lose rows only by position, and all others."""
    placed: list[FileTask] = []
    others: list[FileTask] = []
    for task in plan.tasks():
        is_asked = task.residual != TRUE or any(
            each.content == FileContent.EQUALITY_DELETES for each in task.deletes
        )
        is_known = task.record_count is not None and task.change is None
        (placed if is_known and not is_asked else others).append(task)
    return placed, others


def _left(reading: Reading, tasks: list[FileTask], threads: int) -> int:
    """Return how many rows of tasks are left after deletes by position."""

    def left(task: FileTask) -> int:
        rows = task.record_count or 0
        return rows - int(np.searchsorted(reading.positions(task), rows))

    reading.load_positions(tasks)
    if threads == 1:
        return sum(map(left, tasks))
    with ThreadPoolExecutor(threads, thread_name_prefix="byteloom-count") as pool:
        return sum(pool.map(left, tasks))
