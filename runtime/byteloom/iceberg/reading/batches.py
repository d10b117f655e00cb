"""The rows of a scan, as batches, or their number.

Rows are counted from manifests if possible, otherwise by reading:

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

from byteloom.datafiles.data_file import BATCH
from byteloom.iceberg.expressions.ast import TRUE
from byteloom.iceberg.manifests.manifest_list import named_by
from byteloom.iceberg.planning.parts import are_counted, sure_rows
from byteloom.iceberg.reading.position_deletes import is_read_once
from byteloom.iceberg.reading.read_context import ReadContext
from byteloom.iceberg.reading.threads import read_tasks
from byteloom.late import pc
from byteloom_generated.iceberg.manifests import FileContent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from byteloom.iceberg.planning.plan import FileTask, Plan
    from byteloom.iceberg.planning.planned_scan import PlannedScan

__all__ = ["count_rows", "first_rows", "scan_batches"]


def count_rows(scan: PlannedScan, threads: int | None = None) -> int:
    """Return the number of rows of a scan; see `TableScan.count`."""
    rows, rest = _counted(replace(scan, limit=None, trusts_required=False).plan())
    if scan.limit is not None and rows >= scan.limit:
        return scan.limit
    context = ReadContext.of(scan, ())
    count = max(1, min(threads or os.cpu_count() or 1, len(rest)))
    placed, unread = _by_position(rest)
    with named_by(scan.only_snapshot):
        rows += _left(context, placed, count)
        read = read_tasks(context, iter(unread), ordered=False, threads=count)
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


def _left(context: ReadContext, tasks: list[FileTask], threads: int) -> int:
    """Return how many rows of tasks are left after deletes by position."""

    def left(some: Sequence[FileTask]) -> int:
        rows = 0
        for task in some:
            most, gone = task.record_count or 0, context.positions(task)
            rows += most - int(np.searchsorted(gone, most))
        return rows

    context.load_positions(tasks)
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


_FEW_FILES, _FEW_VALUES, _FEW_BYTES = 1000, 1 << 20, 16 << 20
"""Files whose tasks are kept, and values, and bytes of them, that are decoded in milliseconds."""


def scan_batches(
    scan: PlannedScan, *, ordered: bool = True, threads: int | None = None
) -> pa.RecordBatchReader:
    """Return the rows of a scan; see `TableScan.to_batches`."""
    count = threads if threads is not None else os.cpu_count() or 1
    context = ReadContext.of(scan, scan.columns)

    def batches() -> Iterator[pa.RecordBatch]:
        if not context.fields:
            yield from _without_columns(count_rows(scan, threads))
            return
        plan = replace(scan, trusts_required=False).plan()
        # Where there are fewer files than threads, columns are decoded at the same time instead.
        context.threads = count > 1 and len(plan) < count
        tasks, at_once = plan.tasks(), min(count, len(plan))
        if threads is None and _is_quick(context, plan):
            held, at_once = list(tasks), 1
            context.load_positions(held)
            tasks = iter(held)
        read = read_tasks(context, tasks, ordered=ordered, threads=at_once)
        with named_by(scan.only_snapshot):
            yield from first_rows(read, scan.limit)

    return pa.RecordBatchReader.from_batches(context.schema, batches())


def first_rows(batches: Iterator[pa.RecordBatch], limit: int | None) -> Iterator[pa.RecordBatch]:
    """Yield the first *limit* rows, all for None."""
    left = limit
    for batch in batches:
        if left is None:
            yield batch
            continue
        if left > 0:
            yield batch.slice(0, min(left, batch.num_rows))
        left -= batch.num_rows
        if left <= 0:
            return


def _is_quick(context: ReadContext, plan: Plan) -> bool:
    """Return whether few values of local files are read, for which threads would only wait.

    Opening files is work of the interpreter, which one thread does at a time.
    """
    if len(plan) > _FEW_FILES:
        return False
    files, columns = plan.files, context.table.schema.num_columns
    rows, size = (pc.sum(files[each]).as_py() for each in ("record_count", "file_size_in_bytes"))
    if not rows or files["record_count"].null_count:
        return False
    share = min(len(context.fields) / max(columns, 1), 1)
    if rows * len(context.fields) > _FEW_VALUES or size * share > _FEW_BYTES:
        return False
    relocation = context.table.relocation
    return relocation.access.is_local(relocation(files["file_path"][0].as_py()))


def _without_columns(rows: int) -> Iterator[pa.RecordBatch]:
    """Yield that number of rows as batches without columns."""
    for start in range(0, rows, BATCH):
        empty = pa.Array.from_buffers(pa.struct([]), min(BATCH, rows - start), [None])
        yield pa.RecordBatch.from_struct_array(empty)
