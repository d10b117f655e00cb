"""Decode the pages of a scan in threads, before the scan needs them.

- A task decodes a run, some pages of a column that follow one another, and changes nothing that
  others see, so that tasks need no locks, and none waits for another.
- The scan takes pages in its own order.  A page that no thread has, or in whose run a thread found
  damage, is decoded by the scan itself: rows and errors are those of a scan without threads.
- As many runs are decoded ahead as there are threads, whatever the size of the file.
- A scan that ends waits for no thread and takes no lock.  It may be ended by the garbage collector,
  which runs anywhere, also while a lock is held that one of the threads needs.  Runs that have
  begun are decoded to their end; others are not begun.
- A process that is forked in the middle of a scan has no threads, and decodes what is left itself.
"""

from __future__ import annotations

import os
from collections import deque
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple, Self, TypeAlias

from byteloom.arguments import whole_number
from byteloom.lance.reading import leaves_of
from byteloom.lance.threads import join, leave, submit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from concurrent.futures import Future

    import pyarrow as pa

    from byteloom.lance.pages20.leaf import LeafReader
    from byteloom.lance.pages21 import Leaf21
    from byteloom.lance.reading import FieldReader

__all__ = ["MOST_THREADS", "PagesAhead", "pages_ahead", "threads_of"]

_Leaf: TypeAlias = "Leaf21 | LeafReader"
_Rows: TypeAlias = "dict[int, pa.Array]"
"""Rows of pages, by the numbers of the pages."""

MOST_THREADS: Final = 4
"""With more threads, one thread cannot consume what the others produce."""

_PART: Final = 1 << 22
"""Bytes of decoded rows of a run, if it has several pages."""

_LEAST: Final = 1 << 18
"""Bytes of the decoded rows of a column that are worth a task; others are decoded together."""

_LEAST_READ: Final = 1 << 25
"""Bytes of a column whose pages are only read, not decoded, that are worth a task."""

_MOST_LEAVES: Final = 128
"""Leaves of a scan with threads; a page of each of more is as much as should be in memory."""

_WORTH: Final = 1 << 22
"""Bytes of all decoded rows that are worth threads: some milliseconds of work."""


class _Run(NamedTuple):
    """Pages of a leaf that a task decodes.

    first  the number of the first row
    """

    first: int
    leaf: _Leaf
    pages: list[int]


def threads_of(asked: int | None) -> int:
    """Return a scan's number of threads; None is one for each processor, at most four."""
    default = min(os.cpu_count() or 1, MOST_THREADS)
    found = default if asked is None else asked
    return whole_number("threads", found, "a number of threads, 0 or more", least=0)


class PagesAhead:
    """Pages that threads decode while a ``with`` block runs; the leaves take them from here."""

    def __init__(self, runs: Sequence[_Run], threads: int) -> None:
        """Begin with the first *runs*, which are in the order in which they will be taken."""
        self._left = deque(runs)
        self._leaves = {id(each.leaf): each.leaf for each in runs}
        self._run_of = {(id(run.leaf), page): run for run in runs for page in run.pages}
        self._running: dict[int, tuple[_Run, Future[_Rows | None]]] = {}
        self._threads, self._process = threads, os.getpid()
        self._has_ended = False

    def __enter__(self) -> Self:
        for each in self._leaves.values():
            each.ahead = self
        if self._left:
            join(id(self), self._threads)
            self._begin()
        return self

    def __exit__(self, *_: object) -> None:
        for each in self._leaves.values():
            if each.ahead is self:
                each.ahead = None
        self._has_ended = True
        self._left.clear()
        self._running.clear()
        leave(id(self))

    def has(self, leaf: _Leaf, number: int) -> bool:
        """Whether a thread decodes a page, or will; one that was taken is no longer here."""
        return (id(leaf), number) in self._run_of

    def take(self, leaf: _Leaf, number: int) -> _Rows:
        """Return the rows of a page and of those of its run, once they are decoded.

        Empty if the caller has to decode the page.
        """
        run = self._run_of.get((id(leaf), number))
        if run is None or os.getpid() != self._process:
            return {}
        self._forget(run)
        _, running = self._running.pop(id(run), (run, None))
        for each, future in list(self._running.values()):
            if each.leaf is leaf and each.first < run.first:  # none of its rows were wanted
                self._forget(each)
                del self._running[id(each)]
                future.cancel()
        self._begin()
        return (running and running.result()) or {}

    def _forget(self, run: _Run) -> None:
        for page in run.pages:
            del self._run_of[id(run.leaf), page]

    def _begin(self) -> None:
        """Start tasks until there are enough; the run that is waited for is not counted."""
        while self._left and len(self._running) < self._threads:
            run = self._left.popleft()
            if not self.has(run.leaf, run.pages[0]):
                continue
            try:
                self._running[id(run)] = run, submit(self._decoded, run)
            except RuntimeError:  # no thread can be started, as when Python exits
                self._left.clear()

    def _decoded(self, run: _Run) -> _Rows | None:
        """The rows of a run; None if there is anything wrong with them."""
        if self._has_ended:
            return None
        try:
            return run.leaf.decoded(run.pages)
        except Exception:  # noqa: BLE001  the scan decodes the pages again, for the error
            return None


def pages_ahead(
    readers: Iterable[FieldReader], rows: range, threads: int, *, is_by_column: bool
) -> PagesAhead:
    """Return what decodes the pages of fields ahead; none, if that is not worth threads.

    is_by_column  whether a field is read to its last row before the next one is begun
    """
    found: list[_Run] = []
    total = 0
    if threads > 1 and rows:
        leaves = list(islice(leaves_of(readers, rows.start, rows.stop), _MOST_LEAVES + 1))
        for leaf, start, stop in leaves if len(leaves) <= _MOST_LEAVES else ():
            sizes = leaf.sizes(start, stop)
            size = sum(sizes.values())
            if size >= (_LEAST_READ if leaf.is_plain else _LEAST):
                found += _runs(leaf, sizes)
                total += size
    if len(found) < 2 or total < _WORTH:  # noqa: PLR2004  one run needs no other thread
        found = []
    elif not is_by_column:
        found.sort(key=lambda each: each.first)
    return PagesAhead(found, threads)


def _runs(leaf: _Leaf, sizes: dict[int, int]) -> Iterator[_Run]:
    """Yield the runs of pages of these *sizes*, by their numbers."""
    pages: list[int] = []
    room = 0
    for number, size in sizes.items():
        room -= size
        if not pages or room < 0 or number != pages[-1] + 1:
            if pages:
                yield _Run(leaf.starts[pages[0]], leaf, pages)
            pages, room = [], _PART - size
        pages.append(number)
    if pages:
        yield _Run(leaf.starts[pages[0]], leaf, pages)
