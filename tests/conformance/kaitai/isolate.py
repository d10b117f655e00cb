"""Cases in processes of their own: none can hang, kill or pollute the run.

Each case is a fork of this process, which has everything imported already.  What a case prints is
dropped; what it returns or raises is its outcome.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import resource
import time
import traceback
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.process import BaseProcess

__all__ = ["Outcome", "Task", "outcomes"]

_FORK: Final = multiprocessing.get_context("fork")
_MEMORY: Final = 4 << 30


@dataclass(frozen=True, slots=True)
class Task:
    """A case: *run* raises where it fails."""

    name: str
    run: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a case went; *reason* is empty where it passed."""

    name: str
    reason: str = ""

    @property
    def passed(self) -> bool:
        """Whether it passed."""
        return not self.reason


@dataclass(frozen=True, slots=True)
class _Running:
    task: Task
    process: BaseProcess
    deadline: float


def outcomes(tasks: list[Task], *, jobs: int, seconds: float) -> Iterator[Outcome]:
    """Yield the outcome of every task, in the order they end.

    jobs     how many run at a time
    seconds  what one may take
    """
    waiting, running = list(reversed(tasks)), dict[Connection, _Running]()
    while waiting or running:
        while waiting and len(running) < jobs:
            pipe, begun = _start(waiting.pop(), seconds)
            running[pipe] = begun
        patience = max(0.0, min(each.deadline for each in running.values()) - time.monotonic())
        ready, now = wait(list(running), patience), time.monotonic()
        for pipe, each in list(running.items()):
            if pipe in ready or each.deadline <= now:
                yield _end(pipe, running.pop(pipe), late=pipe not in ready, seconds=seconds)


def _start(task: Task, seconds: float) -> tuple[Connection, _Running]:
    receiver, sender = _FORK.Pipe(duplex=False)
    process = _FORK.Process(target=_run, args=(task, sender))
    process.start()
    sender.close()
    return receiver, _Running(task, process, time.monotonic() + seconds)


def _end(pipe: Connection, running: _Running, *, late: bool, seconds: float) -> Outcome:
    reason = f"not done after {seconds:g} s"
    if late:
        running.process.kill()
    else:
        try:
            reason = pipe.recv()
        except EOFError:  # it ended without a word: no way to pass
            reason = "the process died"
    running.process.join()
    pipe.close()
    return Outcome(running.task.name, reason)


def _run(task: Task, sender: Connection) -> None:
    """Run *task* in the child, and send why it failed: nothing where it did not."""
    with contextlib.suppress(ValueError, OSError):  # macOS has no such limit
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    quiet = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(quiet, stream)
    reason = ""
    try:
        task.run()
    except BaseException as error:  # noqa: BLE001  (whatever a case raises is its own failure)
        reason = _error_line(error)
    sender.send(reason)
    sender.close()
    os._exit(0)


def _error_line(error: BaseException) -> str:
    """Return *error* in one line, with the place where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" [{Path(frames[-1].filename).name}:{frames[-1].lineno}]" if frames else ""
    return f"{type(error).__name__}: {error}".strip().replace("\n", " | ")[:500] + place
