"""Decode the pages of a scan in threads, before the scan needs them.

- A task decodes a run, some rows of a column, and changes nothing that others see, so that tasks
  need no locks, and none waits for another.
- The scan is one of the threads.  It decodes the run that it needs next itself, unless another
  thread has begun to; then it decodes a later one instead of waiting.
- Rows of no run, and of a run in which a thread found damage, are decoded page by page: rows and
  errors are those of a scan without threads.
- As many runs are decoded ahead as there are threads, whatever the size of the file.
- A scan that ends waits for no thread and takes no lock.  It may be ended by the garbage collector,
  which runs anywhere, even while a lock is held that one of the threads needs.  Runs that have
  begun are decoded to their end; others are not begun.
- A process that is forked in the middle of a scan has no threads, and decodes what is left itself.
"""

from __future__ import annotations

import os
from collections import deque
from concurrent.futures import Future
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple, Self, TypeAlias

from byteloom.arguments import whole_number
from byteloom.lance.reading import leaves_of
from byteloom.lance.threads import join, leave, submit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pyarrow as pa

    from byteloom.lance.pages20.leaf import LeafReader
    from byteloom.lance.pages21 import Leaf21
    from byteloom.lance.reading import FieldReader

__all__ = ["MOST_THREADS", "PagesAhead", "pages_ahead", "threads_of"]

_Leaf: TypeAlias = "Leaf21 | LeafReader"
_Rows: TypeAlias = "list[tuple[int, pa.Array]]"
"""Arrays of rows that follow one another, each with the number of its first row."""

MOST_THREADS: Final = 4
"""With more threads, one thread cannot consume what the others produce."""

_PART: Final = 1 << 23
"""Most bytes of the decoded rows of a run, if it has several pages."""

_LEAST_PART: Final = 1 << 20
"""Bytes of the decoded rows of a run that are worth a task."""

_MOST_RUNS: Final = 1 << 26
"""Bytes of a run of each column together, if runs have several pages."""

_LEAST: Final = 1 << 18
"""Bytes of the decoded rows of a column that are worth a task; others are decoded together."""

_MOST_LEAVES: Final = 128
"""Leaves of a scan with threads; a page of each of more is as much as should be in memory."""

_WORTH: Final = 1 << 22
"""Bytes of all decoded rows that are worth threads: some milliseconds of work.

Those that are decoded with ease count as fewer: a thread costs more than it saves.
"""


class _Run(NamedTuple):
    """Rows of a leaf that a task decodes.

    first  the number of the first row
    stop   the row after the last
    """

    first: int
    stop: int
    leaf: _Leaf


def threads_of(asked: int | None) -> int:
    """Return a scan's number of threads; None is one for each processor, at most four."""
    found = _default_threads() if asked is None else asked
    return whole_number("threads", found, "a number of threads, 0 or more", least=0)


@cache
def _default_threads() -> int:
    """A scan's number of threads; counting processors takes as long as reading a row."""
    return min(os.cpu_count() or 1, MOST_THREADS)


class PagesAhead:
    """Runs that threads decode while a ``with`` block goes on; the leaves take them from here."""

    def __init__(self, runs: Sequence[_Run], threads: int) -> None:
        """Decode *runs*, which are in the order in which they will be taken.

        threads  their number, with the one that takes the runs
        """
        self._left = deque(runs)
        self._leaves = {id(each.leaf): each.leaf for each in runs}
        self._runs: dict[int, deque[_Run]] = {each: deque() for each in self._leaves}
        for run in sorted(runs, key=lambda each: each.first):
            self._runs[id(run.leaf)].append(run)
        self._running: dict[int, tuple[_Run, Future[_Rows | None]]] = {}
        self._threads, self._process = threads, os.getpid()
        self._has_ended = False

    def __enter__(self) -> Self:
        for each in self._leaves.values():
            each.ahead = self
        if self._left:
            join(id(self), self._threads - 1)
        return self

    def __exit__(self, *_: object) -> None:
        for each in self._leaves.values():
            if each.ahead is self:
                each.ahead = None
        self._has_ended = True
        self._left.clear()
        self._running.clear()
        leave(id(self))

    def has(self, leaf: _Leaf, row: int) -> bool:
        """Whether a row is in a run that was not taken yet."""
        return self._run(leaf, row) is not None

    def take(self, leaf: _Leaf, row: int) -> _Rows:
        """Return the rows of the run that has a row, once they are decoded.

        Runs of the leaf before it are given up.  Empty if the caller has to decode the row.
        """
        run = self._run(leaf, row)
        if run is None or os.getpid() != self._process:
            return []
        runs = self._runs[id(leaf)]
        while runs[0] is not run:  # none of its rows were wanted
            skipped = self._running.pop(id(runs.popleft()), None)
            if skipped is not None:
                skipped[1].cancel()
        runs.popleft()
        _, running = self._running.pop(id(run), (run, None))
        self._begin()
        if running is None or running.cancel():
            return self._decoded(run) or []
        self._help(running)
        return running.result() or []

    def _run(self, leaf: _Leaf, row: int) -> _Run | None:
        for each in self._runs.get(id(leaf), ()):
            if row < each.stop:
                return each if row >= each.first else None
        return None

    def _begin(self) -> None:
        """Start tasks for the next runs, until as many run as there are threads."""
        while self._left and len(self._running) < self._threads:
            run = self._left.popleft()
            runs = self._runs[id(run.leaf)]
            if not runs or run.first < runs[0].first:
                continue
            try:
                self._running[id(run)] = run, submit(self._decoded, run)
            except RuntimeError:  # no thread can be started, as when Python exits
                self._left.clear()

    def _help(self, awaited: Future[_Rows | None]) -> None:
        """Decode runs that no thread has begun, until the one that is *awaited* is decoded."""
        for run, future in list(self._running.values()):
            if awaited.done():
                return
            if future.cancel():
                done: Future[_Rows | None] = Future()
                done.set_result(self._decoded(run))
                self._running[id(run)] = run, done

    def _decoded(self, run: _Run) -> _Rows | None:
        """The rows of a run; None if there is anything wrong with them."""
        if self._has_ended:
            return None
        try:
            return run.leaf.decoded(run.first, run.stop)
        except Exception:  # noqa: BLE001  the scan decodes the pages again, for the error
            return None


def pages_ahead(
    readers: Iterable[FieldReader], rows: range, batch: int, threads: int, *, is_by_column: bool
) -> PagesAhead:
    """Return what decodes the pages of fields ahead; none, if that is not worth threads.

    batch         rows that are read at a time
    is_by_column  whether a field is read to its last row before the next one is begun
    """
    found: list[_Run] = []
    if threads > 1 and rows:
        leaves = list(islice(leaves_of(readers, rows.start, rows.stop), _MOST_LEAVES + 1))
        units = []
        work = 0
        for leaf, start, stop in leaves if len(leaves) <= _MOST_LEAVES else ():
            own = leaf.units(start, stop, batch)
            size = sum([each[2] for each in own])
            if own and size >= _LEAST:
                units.append((leaf, own, size))
                work += size // leaf.ease(own[0][0])
        total = sum([size for _, _, size in units])
        if units and work >= _WORTH:
            part = min(max(total // threads, _LEAST_PART), _PART, _MOST_RUNS // len(units))
            found = [run for each in units for run in _runs(*each, part)]
    if len(found) < 2:  # noqa: PLR2004  one run needs no other thread
        found = []
    elif not is_by_column:
        found.sort(key=lambda each: each.first)
    return PagesAhead(found, threads)


def _runs(leaf: _Leaf, units: list[tuple[int, int, int]], size: int, part: int) -> Iterator[_Run]:
    """Yield runs of about the same size, some *units* each.

    units  first row, the row after the last, and bytes
    size   bytes of all units
    part   bytes of a run, about
    """
    share = size / max(round(size / part), 1)
    first = stop = units[0][0]
    done, wanted = 0, share
    for start, end, own in units:
        if start > first and (start != stop or done + own / 2 > wanted):
            yield _Run(first, stop, leaf)
            first, wanted = start, max(wanted, done) + share
        stop, done = end, done + own
    yield _Run(first, stop, leaf)
