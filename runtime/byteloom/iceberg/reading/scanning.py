"""Read many tasks: several at a time, in order or as they are ready, no further ahead than needed.

The rules:

- Each thread reads one task, or a group of small ones, and keeps at most a few of its batches; if
  order matters, later tasks keep theirs until it is their turn.
- An error is raised when its batch is due; closing the iterator early stops all threads, each after
  its batch. Closing does not wait for them: the garbage collector may close the iterator anywhere,
  even under a lock that one of them needs.

Source: Iceberg table spec, "Scan Planning".
"""

from __future__ import annotations

import os
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from queue import Full, Queue
from threading import Event
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from byteloom import compute as pc
from byteloom.datafiles.data_file import BATCH
from byteloom.iceberg.manifests.of_snapshot import named_by
from byteloom.iceberg.reading.shared import Reading
from byteloom.iceberg.reading.small_files import grouped
from byteloom.iceberg.reading.task import batches_of_all

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from byteloom.iceberg.planning.plan import Plan
    from byteloom.iceberg.planning.scan import TableScan
    from byteloom.iceberg.planning.tasks import FileTask

__all__ = ["limited", "read_tasks", "scan_batches"]

_AHEAD: Final = 4
"""Batches that may wait for the consumer, per thread."""

_FEW_FILES, _FEW_VALUES, _FEW_BYTES = 1000, 1 << 20, 16 << 20
"""Files whose tasks are kept, and values, and bytes of them, that are decoded in milliseconds."""

_TICK: Final = 0.1
"""Seconds after which a waiting thread checks whether it is still needed."""

_END: Final = object()


def scan_batches(
    scan: TableScan, *, ordered: bool = True, threads: int | None = None
) -> pa.RecordBatchReader:
    """Return the rows of a scan; see `TableScan.to_batches`."""
    count = threads if threads is not None else os.cpu_count() or 1
    reading = Reading(
        scan.table,
        scan.schema,
        scan.columns,
        case_sensitive=scan.case_sensitive,
        changes=scan.has_changes,
    )

    def batches() -> Iterator[pa.RecordBatch]:
        if not reading.fields:
            # The other module reads tasks too.
            from byteloom.iceberg.reading.counting import count_rows

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


def read_tasks(
    reading: Reading, tasks: Iterator[FileTask], *, ordered: bool = True, threads: int | None = None
) -> Iterator[pa.RecordBatch]:
    """Yield the batches of tasks.

    ordered  whether to keep the order of the tasks and their rows
    threads  number of tasks read at the same time; None for one per processor
    """
    count = threads if threads is not None else os.cpu_count() or 1
    groups = grouped(tasks, reading.fields)
    if count <= 1:
        for group in groups:
            yield from batches_of_all(reading, group)
        return
    read = _in_order if ordered else _as_they_come
    yield from read(reading, groups, count)


def limited(batches: Iterator[pa.RecordBatch], limit: int | None) -> Iterator[pa.RecordBatch]:
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


@dataclass(slots=True)
class _Feed:
    """A queue of batches from the reading threads to the consumer."""

    stop: Event
    queue: Queue[Any] = field(default_factory=lambda: Queue(_AHEAD))

    def run(self, reading: Reading, tasks: Sequence[FileTask]) -> None:
        """Read tasks; put their batches, or the error that ended them, into the queue."""
        try:
            for batch in batches_of_all(reading, tasks):
                if not self._put(batch):
                    return
        except BaseException as error:  # noqa: BLE001  it is raised where its batch is due
            self._put(error)
        finally:
            self._put(_END)

    def _put(self, item: object) -> bool:
        """Put a batch into the queue; return False if the consumer has stopped."""
        while not self.stop.is_set():
            try:
                self.queue.put(item, timeout=_TICK)
            except Full:
                continue
            return True
        return False

    def items(self, ends: int = 1) -> Iterator[Any]:
        """Yield batches until *ends* threads have finished."""
        while ends:
            item = self.queue.get()
            if item is _END:
                ends -= 1
            elif isinstance(item, BaseException):
                raise item
            else:
                yield item


def _in_order(
    reading: Reading, groups: Iterator[Sequence[FileTask]], threads: int
) -> Iterator[pa.RecordBatch]:
    """Yield batches in the order of the tasks, while the next tasks are read."""
    stop = Event()
    pool = ThreadPoolExecutor(threads, thread_name_prefix="byteloom-scan")
    feeds: deque[_Feed] = deque()

    def start() -> None:
        if (group := next(groups, None)) is not None:
            feeds.append(_Feed(stop))
            pool.submit(feeds[-1].run, reading, group)

    try:
        for _ in range(threads):
            start()
        while feeds:
            yield from feeds[0].items()
            feeds.popleft()
            start()
    finally:
        stop.set()
        pool.shutdown(wait=False, cancel_futures=True)


def _as_they_come(
    reading: Reading, groups: Iterator[Sequence[FileTask]], threads: int
) -> Iterator[pa.RecordBatch]:
    """Yield batches of several tasks as soon as they are ready."""
    stop = Event()
    pool = ThreadPoolExecutor(threads, thread_name_prefix="byteloom-scan")
    feed = _Feed(stop, Queue(_AHEAD * threads))
    running = 0
    try:
        while True:
            while running < threads and (group := next(groups, None)) is not None:
                pool.submit(feed.run, reading, group)
                running += 1
            if not running:
                return
            yield from feed.items(ends=1)
            running -= 1
    finally:
        stop.set()
        pool.shutdown(wait=False, cancel_futures=True)
