"""How many rows a scan has: counted from manifests where they say it, read where they do not.

Source: Iceberg table spec, "Manifests" (``record_count``).
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from byteloom.iceberg.expressions.ast import TRUE
from byteloom.iceberg.reading.scanning import read_tasks
from byteloom.iceberg.reading.task import Reading

if TYPE_CHECKING:
    from byteloom.iceberg.planning.scan import Scan

__all__ = ["count_rows"]


def count_rows(scan: Scan, threads: int | None = None) -> int:
    """Return the number of rows of a scan; see `Scan.count`."""
    known, unread = 0, []
    for task in replace(scan, limit=None, trusts_required=False).plan().tasks():
        is_whole = task.change is None or task.change.changed_by is None
        if task.record_count is None or task.deletes or task.residual != TRUE or not is_whole:
            unread.append(task)
        else:
            known += task.record_count
    if scan.limit is not None and known >= scan.limit:
        return scan.limit
    reading = Reading(
        scan.table,
        scan.schema,
        (),
        case_sensitive=scan.case_sensitive,
        changes=scan.tells_changes,
    )
    at_a_time = min(threads or os.cpu_count() or 1, len(unread))
    read = read_tasks(reading, iter(unread), ordered=False, threads=at_a_time)
    rows: int = known + sum(batch.num_rows for batch in read)
    return rows if scan.limit is None else min(rows, scan.limit)
