"""PySpark's daemon, whose workers are killed once in a task, for jobs that have no sink of ours.

A worker ends some milliseconds after the first attempt of the second task of a stage has begun, if
the file that the environment names is there.
"""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from threading import Thread

from pyspark import TaskContext, daemon

__all__ = ["ARMED"]

ARMED = "BYTELOOM_TESTS_KILL"
"""The variable with the path of the file."""


def _watch() -> None:
    armed = Path(os.environ[ARMED])
    while True:
        time.sleep(0.005)
        context = TaskContext.get()
        is_chosen = context and context.partitionId() == 1 and not context.attemptNumber()
        if is_chosen and armed.exists():
            os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    os.register_at_fork(after_in_child=lambda: Thread(target=_watch, daemon=True).start())
    daemon.manager()
