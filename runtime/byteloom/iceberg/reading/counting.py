"""Count the rows of a scan: from manifests if possible, otherwise by reading.

- A file without a filter on its rows is not opened: it has the rows that its manifest states,
  minus those deleted by position.  A count of 0 says nothing: some converters write it for all
  files.
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
from byteloom.iceberg.manifests.manifest_list import named_by
from byteloom.iceberg.planning.parts import are_counted, sure_rows
from byteloom.iceberg.reading.position_deletes import is_read_once
from byteloom.iceberg.reading.scanning import read_tasks
from byteloom.iceberg.reading.shared import Reading
from byteloom_generated.iceberg.manifests import FileContent

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from byteloom.iceberg.planning.plan import FileTask, Plan
    from byteloom.iceberg.planning.planned_scan import PlannedScan

__all__ = ["count_rows"]


def count_rows(scan: PlannedScan, threads: int | None = None) -> int:
    """Return the number of rows of a scan; see `TableScan.count`."""
    rows, rest = _counted(replace(scan, limit=None, trusts_required=False).plan())
    if scan.limit is not None and rows >= scan.limit:
        return scan.limit
    reading = Reading.of(scan, ())
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
        is_known = bool(task.record_count) and task.change is None
        (placed if is_known and not is_asked else others).append(task)
    return placed, others


def _left(reading: Reading, tasks: list[FileTask], threads: int) -> int:
    """Return how many rows of tasks are left after deletes by position."""

    def left(some: Sequence[FileTask]) -> int:
        rows = 0
        for task in some:
            most, gone = task.record_count or 0, reading.positions(task)
            rows += most - int(np.searchsorted(gone, most))
        return rows

    reading.load_positions(tasks)
    first, *others = _shares(tasks, threads)
    if not others:
        return left(first)
    with ThreadPoolExecutor(threads, thread_name_prefix="byteloom-count") as pool:
        return sum(pool.map(left, [first, *others]))


def _shares(tasks: Iterable[FileTask], threads: int) -> list[list[FileTask]]:
    """Return the tasks of each thread, at least one list.

    Those of one delete file are in one list if it is read once for all: its positions are then in
    memory, and threads that look for them only take the interpreter from each other.
    """
    together: dict[str, list[FileTask]] = {}
    for task in tasks:
        once = [each.file_path for each in task.deletes if is_read_once(each)]
        together.setdefault(once[0] if once else task.file_path, []).append(task)
    shares: list[list[FileTask]] = [[] for _ in range(threads)]
    for some in sorted(together.values(), key=len, reverse=True):
        min(shares, key=len).extend(some)
    return [each for each in shares if each] or [[]]
