"""Read a file from its first block to its last, and check all that it states about itself.

- Data is read in the order of the file, without an index; a census of its blocks and cells is then
  compared with every index, with the trailer's counts, and with where it says that data ends.
- What no reader uses is left to `verify`: offsets of previous blocks, where the file info is.
- Cells out of order are damage in files by HBase.  Hudi's own writer makes such files, in which
  they are only noted.
- Checksums, decompression, decoding and the walk over cells release the GIL: threads do them in
  parallel, each two runs ahead of the reader, and results are returned in order.
- The runs in flight are bounded in number and bytes, so that memory grows neither with the file
  nor, beyond one run, with its blocks.
- The first batch is a block or two, decoded before any other, so that reading only a few cells is
  cheap.

Source: specs/hfile/SOURCE.md
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, islice
from typing import Any, Final

import numpy as np
import pyarrow as pa

from byteloom.arguments import whole_number
from byteloom.errors import FormatError, beginning
from byteloom.hfile import keys
from byteloom.hfile.cells import Binary, Walked, cells_of, schema_of, walked
from byteloom.hfile.index_entries import IndexEntry, non_root_entries
from byteloom.hfile.runs import TYPES, Run, runs
from byteloom.hfile.stored_file import StoredFile

__all__ = ["DATA", "Census", "HFileScan"]

DATA = (TYPES.index("data"), TYPES.index("encoded_data"))
"""Types of blocks that hold cells."""

_BEFORE_ROW = b"\0" + keys.FIRST
"""The bytes after the row in a key that comes before all cells of the row."""

_LEAF = TYPES.index("leaf_index")


class Census:
    """The blocks and cells seen so far, in the order of the file.

    Attributes:
        rows: Cells.
        disorder: The first cell that comes after a greater one; -1 for none.
    """

    def __init__(self, file: StoredFile) -> None:
        """Begin a census of *file*, before its first block."""
        self._file = file
        self.rows = 0
        self.disorder = -1
        self._offsets: list[int] = []
        self._sizes: list[int] = []
        self._starts: list[bytes] = []
        self._ends: list[bytes] = []
        self._indexed: list[IndexEntry] = []
        self._leaves: list[tuple[int, int]] = []

    def meet(self, run: Run) -> None:
        """Record the blocks of a run: leaf indexes, and where data is."""
        last = self._file.trailer.last_data_block_offset
        end_of_data = -1 if last is None else last
        offsets, kinds = run.table[:, 0], run.table[:, 1]
        late = np.flatnonzero(np.isin(kinds, DATA) & (offsets > end_of_data))
        if late.size:
            name, at = "trailer.last_data_block_offset", self._file.trailer.offset
            raise FormatError(name, at, last, f"{offsets[late[0]]}")
        for number in np.flatnonzero(kinds == _LEAF).tolist():
            self._leaves.append((int(offsets[number]), int(run.table[number, 2])))
            self._indexed += self._entries(run.part(slice(number, number + 1)))

    def _entries(self, leaf: Run) -> list[IndexEntry]:
        file = self._file
        leaf.check(file.blocks)
        place, (stored,) = leaf[0], leaf.stored()
        payload = bytearray(int(leaf.table[0, 3]))
        if file.blocks.codec == "NONE":
            payload[:] = stored
        else:
            file.blocks.decompress(stored, memoryview(payload), place.offset, place.type)
        room = file.blocks.room - len(self._indexed)
        return non_root_entries(bytes(payload), limits=file.limits, origin=place.offset, room=room)

    def count(self, run: Run, found: Walked) -> None:
        """Record the cells of a run of data blocks."""
        if b"" in found.bounds:
            offset, kind = run.table[found.bounds.index(b"") // 2, :2].tolist()
            raise FormatError(TYPES[kind], offset, "no cells", "at least one")
        self._order(found, int(run.table[0, 0]))
        self._offsets += run.table[:, 0].tolist()
        self._sizes += run.table[:, 2].tolist()
        self._starts += found.bounds[::2]
        self._ends += found.bounds[1::2]
        self.rows += found.batch.num_rows
        stated = self._file.trailer.entry_count
        if self.rows > stated:
            wanted = f"no more cells than the trailer's entry_count, {stated}"
            raise FormatError("cells", int(run.table[0, 0]), self.rows, wanted)

    def _order(self, found: Walked, offset: int) -> None:
        if self.disorder < 0:
            self.disorder = self._first_disorder(found)
        if self.disorder >= 0 and self._file.is_hbase:
            stated = "a key before that of the cell before"
            raise FormatError(f"cells[{self.disorder}]", offset, stated, "keys that ascend")

    def _first_disorder(self, found: Walked) -> int:
        """Return the first cell of a run that comes after a greater one; -1 for none."""
        order = self._file.order
        if self._ends and order(found.bounds[0]) < order(self._ends[-1]):
            return self.rows
        if found.disorder >= 0 and not self._file.trailer.is_meta_order:
            return self.rows + found.disorder
        return -1

    def compare(self) -> None:
        """Check the indexes and the trailer against the blocks that were found."""
        trailer = self._file.trailer
        if self.rows != trailer.entry_count:
            wanted = f"{self.rows}, the number of cells"
            raise FormatError("trailer.entry_count", trailer.offset, trailer.entry_count, wanted)
        starts = (self._offsets[0], self._offsets[-1]) if self._offsets else (None, None)
        stated = (trailer.first_data_block_offset, trailer.last_data_block_offset)
        if stated != starts:
            name = "trailer.first_data_block_offset, trailer.last_data_block_offset"
            raise FormatError(name, trailer.offset, stated, str(starts))
        leaves = self._file.leaf_entries()
        if leaves is None:
            indexed = self._file.root.entries
            if self._leaves:
                raise FormatError("trailer.num_data_index_levels", trailer.offset, 1, "2 or more")
        else:
            _same_places("leaf_index", [(each.offset, each.size) for each in leaves], self._leaves)
            indexed = self._indexed
        offsets, sizes = [each.offset for each in indexed], [each.size for each in indexed]
        if offsets != self._offsets or sizes != self._sizes:
            found = list(zip(self._offsets, self._sizes, strict=True))
            _same_places("index", list(zip(offsets, sizes, strict=True)), found)
        self._compare_keys(indexed)

    def _compare_keys(self, indexed: list[IndexEntry]) -> None:
        if self.disorder >= 0:
            return  # the meaning of the keys of such an index is unknown
        order: Any = self._file.order
        by_rows = not self._file.trailer.is_meta_order
        before = b""
        for entry, found, last in zip(indexed, self._starts, self._ends, strict=True):
            least, before = before, last
            if entry.key == found:
                continue  # and the keys of blocks ascend
            row = keys.row_of(entry.key)
            is_row = entry.key[keys.ROW_AT + len(row) :] == _BEFORE_ROW
            if by_rows and is_row and least and keys.row_of(least) < row <= keys.row_of(found):
                continue  # the order of columns does not matter here
            if not keys.is_sound_fake(entry.key):
                wanted = "the latest time in a key of type 255"
                raise FormatError("index.key", entry.offset, entry.key, wanted)
            key = order(entry.key)
            if not order(least or found) <= key <= order(found):
                wanted = f"a key up to {beginning(found)}, and none before it"
                raise FormatError("index.key", entry.offset, entry.key, wanted)


def _same_places(name: str, stated: list[tuple[int, int]], found: list[tuple[int, int]]) -> None:
    """Refuse an index whose entries are not exactly the blocks of the file."""
    if stated == found:
        return
    for number, (one, other) in enumerate(zip(stated, found, strict=False)):
        if one != other:
            wanted = f"the block of {other[1]} bytes at {other[0]}"
            raise FormatError(f"{name}[{number}]", other[0], f"{one[1]} bytes at {one[0]}", wanted)
    raise FormatError(name, None, f"{len(stated)} entries", f"{len(found)}, one for each block")


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
