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
from dataclasses import dataclass, field
from functools import partial
from queue import Full, Queue
from threading import Event
from typing import TYPE_CHECKING, Any, Final

from byteloom.iceberg.reading.small_files import grouped
from byteloom.iceberg.reading.task import batches_of_all

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from byteloom.iceberg.planning.plan import FileTask
    from byteloom.iceberg.reading.read_context import ReadContext

    _Read = Callable[[Sequence[FileTask]], Iterator[Any]]

__all__ = ["read_tasks"]

_AHEAD: Final = 4
"""Batches that may wait for the consumer, per thread."""

_TICK: Final = 0.1
"""Seconds after which a waiting thread checks whether it is still needed."""

_END: Final = object()


def read_tasks(
    context: ReadContext,
    tasks: Iterator[FileTask],
    *,
    ordered: bool = True,
    threads: int | None = None,
    read: Callable[[ReadContext, Sequence[FileTask]], Iterator[Any]] = batches_of_all,
) -> Iterator[Any]:
    """Yield the batches of tasks, or what else is read of them.

    Args:
        ordered: Whether to keep the order of the tasks and their rows.
        threads: Number of tasks read at the same time; None for one per processor.
        read: Reads the tasks of a group.
    """
    count = threads if threads is not None else os.cpu_count() or 1
    groups = grouped(tasks, context.fields)
    if count <= 1:
        for group in groups:
            yield from read(context, group)
        return
    feeding = _in_order if ordered else _as_they_come
    yield from feeding(partial(read, context), groups, count)


@dataclass(slots=True)
class _Feed:
    """A queue of batches from the reading threads to the consumer."""

    stop: Event
    queue: Queue[Any] = field(default_factory=lambda: Queue(_AHEAD))

    def run(self, read: _Read, tasks: Sequence[FileTask]) -> None:
        """Read tasks; put their batches, or the error that ended them, into the queue."""
        try:
            for batch in read(tasks):
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


def _in_order(read: _Read, groups: Iterator[Sequence[FileTask]], threads: int) -> Iterator[Any]:
    """Yield batches in the order of the tasks, while the next tasks are read."""
    stop = Event()
    pool = ThreadPoolExecutor(threads, thread_name_prefix="byteloom-scan")
    feeds: deque[_Feed] = deque()

    def start() -> None:
        if (group := next(groups, None)) is not None:
            feeds.append(_Feed(stop))
            pool.submit(feeds[-1].run, read, group)

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


def _as_they_come(read: _Read, groups: Iterator[Sequence[FileTask]], threads: int) -> Iterator[Any]:
    """Yield batches of several tasks as soon as they are ready."""
    stop = Event()
    pool = ThreadPoolExecutor(threads, thread_name_prefix="byteloom-scan")
    feed = _Feed(stop, Queue(_AHEAD * threads))
    running = 0
    try:
        while True:
            while running < threads and (group := next(groups, None)) is not None:
                pool.submit(feed.run, read, group)
                running += 1
            if not running:
                return
            yield from feed.items(ends=1)
            running -= 1
    finally:
        stop.set()
        pool.shutdown(wait=False, cancel_futures=True)
