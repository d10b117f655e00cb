"""Threads that scans share: one without a task is kept for the next scan for a second, then ends.

- Starting threads takes longer than decoding a megabyte, and the system clears the memory that
  Arrow kept for a thread that ended before anyone gets it again.
- There are as many threads as the scans that run have asked for together.  A task never waits for
  another one, so that any number of scans may share them.
- A forked process has none of the threads, and starts its own with its first task.
- When Python exits, tasks that have not begun are dropped.  Those that run are waited for, since
  they write into arrays.
"""

from __future__ import annotations

import atexit
import os
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from threading import RLock, Thread, current_thread
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["NAME", "join", "leave", "submit"]

_Task: TypeAlias = "tuple[Future[Any], Callable[..., Any], tuple[Any, ...]]"

NAME: Final = "byteloom-lance"
"""The name of each thread."""

_IDLE: Final = 1.0
"""Seconds after which a thread without a task ends."""

_MOST: Final = 32
"""Threads of a process; tasks beyond them wait."""


class _Threads:
    """The threads of one process.

    asked  for each scan that runs, the number of its threads
    """

    def __init__(self) -> None:
        """Start none yet."""
        self._process = os.getpid()
        self._tasks: SimpleQueue[_Task | None] = SimpleQueue()
        self._lock = RLock()  # the garbage collector may begin a scan while a task is submitted
        self._threads: set[Thread] = set()
        self.asked: dict[int, int] = {}
        self._unfinished = 0
        self._is_closed = False
        atexit.register(self._close)

    def submit(self, run: Callable[..., Any], args: tuple[Any, ...]) -> Future[Any]:
        """Begin a task."""
        future: Future[Any] = Future()
        with self._lock:
            if self._is_closed:
                raise RuntimeError("Python exits, no task is begun")
            most = min(sum([*self.asked.values()]), _MOST)
            if self._unfinished >= len(self._threads) < most:
                self._start()
            self._unfinished += 1
            self._tasks.put((future, run, args))
        return future

    def _start(self) -> None:
        # When it exits, Python would wait for an idle thread that is not a daemon.
        thread = Thread(target=self._work, name=NAME, daemon=True)
        self._threads.add(thread)
        try:
            thread.start()
        except BaseException:
            self._threads.discard(thread)
            raise

    def _work(self) -> None:
        """Run tasks until there was none for a while."""
        while True:
            try:
                task = self._tasks.get(timeout=_IDLE)
            except Empty:
                task = None
            if task is not None:
                self._run(*task)
                del task  # only the scan keeps the task's rows from now on
                continue
            with self._lock:
                if self._is_closed or self._tasks.empty():
                    self._threads.discard(current_thread())
                    return

    def _run(self, future: Future[Any], run: Callable[..., Any], args: tuple[Any, ...]) -> None:
        found, error = None, None
        if future.set_running_or_notify_cancel():
            try:
                found = run(*args)
            except BaseException as raised:  # noqa: BLE001  raised where the result is asked for
                error = raised
        with self._lock:
            self._unfinished -= 1
        if error is not None:
            future.set_exception(error)
        elif not future.cancelled():
            future.set_result(found)

    def _close(self) -> None:
        """End all threads, each after the task that it runs."""
        if os.getpid() != self._process:
            return
        with self._lock:
            self._is_closed = True
            threads = list(self._threads)
        while not self._tasks.empty():
            task = self._tasks.get()
            if task is not None:
                task[0].cancel()
        for _ in threads:
            self._tasks.put(None)
        for each in threads:
            each.join()


_OF_PROCESS: Final[dict[int, _Threads]] = {}


def _threads() -> _Threads:
    process = os.getpid()
    return _OF_PROCESS.get(process) or _OF_PROCESS.setdefault(process, _Threads())


def join(scan: int, count: int) -> None:
    """Give *count* threads to a scan, which is known by its number."""
    _threads().asked[scan] = count


def leave(scan: int) -> None:
    """End the share of a scan; takes no lock."""
    for each in [*_OF_PROCESS.values()]:
        each.asked.pop(scan, None)


def submit(run: Callable[..., Any], *args: Any) -> Future[Any]:
    """Begin a task in a thread; return its result to come.

    raises  `RuntimeError` if no thread can be started, as when Python exits
    """
    return _threads().submit(run, args)
