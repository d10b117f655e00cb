"""Read a file from its first block to its last, several runs of blocks at a time.

- Data is read in the order of the file, without an index, and every index is then compared with
  what was found.
- Checksums, decompression, decoding and the walk over cells release the GIL: threads do them in
  parallel, each two runs ahead of the reader, and results are returned in order.
- The runs in flight are bounded in number and bytes, so that memory grows neither with the file
  nor, beyond one run, with its blocks.
- The first batch is a block or two, decoded before any other, so that reading only a few cells is
  cheap.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, islice
from typing import Final

import numpy as np
import pyarrow as pa

from byteloom.arguments import whole_number
from byteloom.hfile.cells import Binary, Walked, cells_of, schema_of, walked
from byteloom.hfile.census import DATA, Census
from byteloom.hfile.runs import Run, runs
from byteloom.hfile.stored import StoredFile

__all__ = ["HFileScan"]

GROUP: Final = 4 << 20
"""Decompressed bytes of blocks that become one batch: large enough for cheap calls, and small
enough for caches."""

FIRST: Final = 1 << 16
"""Bytes of the first batch."""

AHEAD: Final = 96 << 20
"""Decompressed bytes of the blocks in progress, unless one run has more: one and a half times
one run of `GROUP` bytes for each of `MOST_THREADS` threads."""

MOST_THREADS: Final = 8
"""Most threads, since a single reader cannot consume what more of them produce."""


class HFileScan:
    """One pass over a file."""

    def __init__(
        self, file: StoredFile, columns: Sequence[str], binary: Binary, threads: int | None = None
    ) -> None:
        """Scan *file* for *columns*; *threads* is one for each processor by default."""
        self._columns = schema_of(columns, binary).names
        self._file, self._binary = file, binary
        default = min(os.cpu_count() or 1, MOST_THREADS)
        asked = default if threads is None else threads
        self._threads = whole_number("threads", asked, "a number of threads, 0 or more", least=0)
        self._census = Census(file)

    @property
    def rows(self) -> int:
        """The number of cells seen so far."""
        return self._census.rows

    @property
    def disorder(self) -> int:
        """The first cell that comes after a greater one; -1 for none."""
        return self._census.disorder

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield all cells; raise the first error found, some of them only at the end."""
        for run, found in _ahead(self._walked, self._data(), self._threads):
            self._census.count(run, found)
            yield found.batch
        self._census.compare()

    def table(self) -> pa.Table:
        """Return all cells as a table."""
        schema = schema_of(self._columns, self._binary)
        return pa.Table.from_batches(list(self.batches()), schema=schema)

    def _data(self) -> Iterator[Run]:
        """Yield the data blocks in runs large enough for a batch."""
        end = self._file.trailer.load_on_open_data_offset
        group = FIRST
        for run in runs(self._file.blocks, 0, end):
            self._census.meet(run)
            data, others = run.apart(DATA)
            others.check(self._file.blocks)
            sizes = np.cumsum(data.table[:, 3])
            start = 0
            while start < len(data):
                done = sizes[start - 1] if start else 0
                stop = max(int(np.searchsorted(sizes, done + group, "right")), start + 1)
                yield data.part(slice(start, stop))
                start, group = stop, GROUP

    def _walked(self, run: Run) -> Walked:
        file = self._file
        run.check(file.blocks)
        cells = cells_of(file.blocks, run, file.form, file.limits)
        return walked(cells, file.form, file.trailer.entry_count, self._columns, self._binary)


def _ahead(
    work: Callable[[Run], Walked], tasks: Iterator[Run], threads: int
) -> Iterator[tuple[Run, Walked]]:
    """Yield each task and its result in order; the first is done before others begin."""
    for task in islice(tasks, 1):
        yield task, work(task)
    first = list(islice(tasks, 2 if threads > 1 else 0))
    tasks = chain(first, tasks)
    if len(first) < 2:  # noqa: PLR2004  nothing to do side by side
        for task in tasks:
            yield task, work(task)
        return
    waiting: deque[tuple[Run, Future[Walked]]] = deque()
    held = 0
    pool = ThreadPoolExecutor(threads, "byteloom-scan")
    try:
        for task in tasks:
            held += task.decompressed_size
            while waiting and (len(waiting) > 2 * threads or held > AHEAD):
                done, future = waiting.popleft()
                held -= done.decompressed_size
                yield done, future.result()
            waiting.append((task, pool.submit(work, task)))
        while waiting:
            done, future = waiting.popleft()
            yield done, future.result()
    finally:  # perhaps run by the garbage collector, under a lock that one of the threads needs
        pool.shutdown(wait=False, cancel_futures=True)
