"""Start Python's workers as PySpark's own daemon does, and let each end without a traceback.

Spark closes the socket of a worker that it does not need any more: one that had no task for a
minute, one whose rows a query with a limit does not need, all of them when a session ends. The
worker then fails to send its last output, and PySpark prints that failure on stderr.

`byteloom.spark.session` makes Spark run this module, ``python -m byteloom.spark.worker_daemon``,
for tasks. Spark starts PySpark's own for those that plan, and on clusters; there, a worker that has
loaded a source of byteloom ends quietly from its next task on.

Source: PySpark's ``daemon.py``; Spark's setting ``spark.python.daemon.module``.
"""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable

from pyspark import daemon

__all__ = ["end_quietly", "quietly"]

_ENDED = 1
"""The result of a worker that takes no further task."""


def end_quietly() -> None:
    """Make this process end quietly if it is a worker started by PySpark's own daemon."""
    main = sys.modules["__main__"]
    spec = getattr(main, "__spec__", None)
    if spec is not None and spec.name == daemon.__name__:
        main.worker = quietly(main.worker)  # type: ignore[attr-defined]  # as it has


def quietly(work: Callable[[socket.socket, bool], int]) -> Callable[[socket.socket, bool], int]:
    """Wrap a worker's main function so that it ends quietly when Spark has closed its socket."""

    def worker(connection: socket.socket, authenticated: bool) -> int:  # noqa: FBT001  (PySpark's)
        try:
            return work(connection, authenticated)
        except (BrokenPipeError, ConnectionResetError):
            return _ENDED

    return worker


if __name__ == "__main__":
    daemon.worker = quietly(daemon.worker)
    daemon.manager()
