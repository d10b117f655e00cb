"""The rows of a scan, as batches.

Source: Iceberg table spec, "Scan Planning".
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow as pa

from byteloom.datafiles.data_file import BATCH
from byteloom.iceberg.manifests.manifest_list import named_by
from byteloom.iceberg.reading.counting import count_rows
from byteloom.iceberg.reading.scanning import limited, read_tasks
from byteloom.iceberg.reading.shared import Reading
from byteloom.late import pc

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.iceberg.planning.plan import Plan
    from byteloom.iceberg.planning.planned_scan import PlannedScan

__all__ = ["scan_batches"]

_FEW_FILES, _FEW_VALUES, _FEW_BYTES = 1000, 1 << 20, 16 << 20
"""Files whose tasks are kept, and values, and bytes of them, that are decoded in milliseconds."""


def scan_batches(
    scan: PlannedScan, *, ordered: bool = True, threads: int | None = None
) -> pa.RecordBatchReader:
    """Return the rows of a scan; see `TableScan.to_batches`."""
    count = threads if threads is not None else os.cpu_count() or 1
    reading = Reading.of(scan, scan.columns)

    def batches() -> Iterator[pa.RecordBatch]:
        if not reading.fields:
            yield from _without_columns(count_rows(scan, threads))
            return
        plan = replace(scan, trusts_required=False).plan()
        # Where there are fewer files than threads, columns are decoded at the same time instead.
        reading.threads = count > 1 and len(plan) < count
        tasks, at_once = plan.tasks(), min(count, len(plan))
        if threads is None and _is_quick(reading, plan):
            held, at_once = list(tasks), 1
            reading.load_positions(held)
            tasks = iter(held)
        read = read_tasks(reading, tasks, ordered=ordered, threads=at_once)
        with named_by(scan.only_snapshot):
            yield from limited(read, scan.limit)

    return pa.RecordBatchReader.from_batches(reading.schema, batches())


def _is_quick(reading: Reading, plan: Plan) -> bool:
    """Return whether few values of local files are read, for which threads would only wait.

    Opening files is work of the interpreter, which one thread does at a time.
    """
    if len(plan) > _FEW_FILES:
        return False
    files, columns = plan.files, reading.table.schema.num_columns
    rows, size = (pc.sum(files[each]).as_py() for each in ("record_count", "file_size_in_bytes"))
    if not rows or files["record_count"].null_count:
        return False
    share = min(len(reading.fields) / max(columns, 1), 1)
    if rows * len(reading.fields) > _FEW_VALUES or size * share > _FEW_BYTES:
        return False
    relocation = reading.table.relocation
    return relocation.access.is_local(relocation(files["file_path"][0].as_py()))


def _without_columns(rows: int) -> Iterator[pa.RecordBatch]:
    """Yield that number of rows as batches without columns."""
    for start in range(0, rows, BATCH):
        empty = pa.Array.from_buffers(pa.struct([]), min(BATCH, rows - start), [None])
        yield pa.RecordBatch.from_struct_array(empty)
