"""Tasks that go on writing for a while after their job was cancelled."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic, sleep
from typing import Final

__all__ = ["undone"]

_LATEST: Final = 2.5
"""Seconds. Spark kills a cancelled task's Python after two (``spark.python.task.killTimeout``)."""

_PAUSE: Final = 0.5
"""Seconds between two attempts."""


def undone(undo: Callable[[], None]) -> None:
    """Call *undo* repeatedly until no task of the job can still be writing."""
    end = monotonic() + _LATEST
    undo()
    while monotonic() < end:
        sleep(_PAUSE)
        undo()
