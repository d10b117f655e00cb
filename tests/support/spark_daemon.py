"""PySpark's daemon, whose workers are killed once in a task, for jobs that have no sink of ours.

If the file that the environment names is there, a worker is killed some milliseconds after the
first attempt of the first task of a stage has begun, and at its end if that comes earlier.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path
from threading import Timer
from typing import Final

from pyspark import TaskContext, daemon

__all__ = ["ARMED"]

ARMED = "BYTELOOM_TESTS_KILL"
"""The variable with the path of the file."""

_LATER: Final = 0.005
"""Seconds from the beginning of the task to its worker's end."""


def _kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _watch() -> None:
    """Note each beginning and end of a task in this worker."""
    change, timers = TaskContext._setTaskContext, list[Timer]()

    def changed(context: TaskContext | None) -> None:
        if timers:
            _kill()
        change(context)
        is_chosen = context and not context.partitionId() and not context.attemptNumber()
        if is_chosen and Path(os.environ[ARMED]).exists():
            timers.append(Timer(_LATER, _kill))
            timers[0].start()

    TaskContext._setTaskContext = changed


if __name__ == "__main__":
    os.register_at_fork(after_in_child=_watch)
    daemon.manager()
