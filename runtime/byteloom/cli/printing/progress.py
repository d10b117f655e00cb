"""Show the progress of long work: bytes, rows or tasks, the rate, and the remaining time.

- It is shown on stderr, where that is a terminal, and only once the work has taken a second.
- It is removed when the work ends, even by an error.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from datetime import timedelta
from math import ceil
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from byteloom.late import rich_filesize, rich_progress, rich_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pyarrow as pa
    from rich.console import Console

    from byteloom.storage import Source

__all__ = ["Progress", "Unit", "counted_rows", "counting", "progress", "waiting"]

Unit: TypeAlias = Literal["bytes", "rows", "tasks"]

_PATIENCE: Final = 1.0
"""The seconds before anything is shown."""


class Progress:
    """Work of a known or unknown size, of which `advance` reports what is done."""

    def __init__(self, what: str, total: int | None, unit: Unit) -> None:
        """Show nothing yet."""
        self._what, self._total, self._unit = what, total, unit
        self._done = 0.0
        self._start = monotonic()
        self._bar: Any = None
        self.is_seen = sys.stderr.isatty()

    def advance(self, count: float) -> None:
        """Add a number to what is done."""
        self.reach(self._done + count)

    def reach(self, done: float, total: int | None = None) -> None:
        """Set the number that is done, and that of all, where this is known only now."""
        self._done = done
        self._total = self._total if total is None else total
        if not self.is_seen:
            return
        if self._bar is not None:
            self._bar.update(0, completed=done)
        elif monotonic() - self._start >= _PATIENCE:
            self._bar = _bar(self._what, self._total, self._unit, self._done, self._start)

    def close(self) -> None:
        """Remove what is shown."""
        if self._bar is not None:
            self._bar.stop()
        self.is_seen = False


@contextmanager
def progress(what: str, total: int | None, unit: Unit = "bytes") -> Iterator[Progress]:
    """Show the progress of work in the block, which reports it to the object yielded.

    what   what is being done: ``verifying``
    total  how much there is in all; None where unknown
    """
    shown = Progress(what, total, unit)
    try:
        yield shown
    finally:
        shown.close()


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Show that the block is waited for, where nothing says how much of it is done.

    what  what is being done: ``starting Spark``
    """
    if not sys.stderr.isatty():
        yield
        return
    with _console().status(what):
        yield


def counted_rows(
    batches: Iterable[pa.RecordBatch], what: str, total: int | None
) -> Iterator[pa.RecordBatch]:
    """Yield *batches*, and show how many of *total* rows went by."""
    with progress(what, total, "rows") as shown:
        for batch in batches:
            yield batch
            shown.advance(batch.num_rows)


def counting(source: Source, shown: Progress) -> Source:
    """Return *source*; if progress is shown, the bytes read from it are counted."""
    return _Counted(source, shown) if shown.is_seen else source


class _Counted:
    """A source whose bytes are counted as they are read; for the rest the source itself."""

    def __init__(self, source: Source, shown: Progress) -> None:
        """Read from *source*."""
        self._source, self._shown = source, shown
        self.name, self.size = source.name, source.size
        self._left = source.size

    def __getattr__(self, name: str) -> Any:
        """Return any other attribute of the source."""
        return getattr(self._source, name)

    def read(self, offset: int, length: int) -> bytes:
        """Return just these bytes."""
        data = self._source.read(offset, length)
        self._count(length)
        return data

    def read_tail(self, length: int) -> bytes:
        """Return the last *length* bytes, or all there are."""
        return self._source.read_tail(length)

    def read_ranges(self, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
        """Return the bytes of each (offset, length), in the order asked for."""
        data = self._source.read_ranges(ranges)
        self._count(sum(map(len, data)))
        return data

    def close(self) -> None:
        """Close the source."""
        self._source.close()

    def _count(self, length: int) -> None:
        """Count bytes, but no more than there are: some are read again."""
        counted = min(length, self._left)
        self._left -= counted
        self._shown.advance(counted)


def _console() -> Console:
    """Return the console of progress; rich is loaded only where it is seen."""
    from byteloom.cli.printing.tree import console

    return console(stderr=True)


def _bar(what: str, total: int | None, unit: Unit, done: float, start: float) -> Any:
    """Return a progress bar that is shown from now on, for work that began at *start*."""

    class Come(rich_progress.ProgressColumn):
        """The column that shows the part done, the rate and the remaining time."""

        def render(self, task: rich_progress.Task) -> rich_text.Text:
            return rich_text.Text(_come(task.completed, task.total, task.elapsed or 0, unit))

    bar = rich_progress.Progress(
        rich_progress.TextColumn("{task.description}"),
        rich_progress.BarColumn(),
        Come(),
        console=_console(),
        transient=True,
        redirect_stdout=sys.stdout.isatty(),  # what goes to a pipe must not be sent to the terminal
        get_time=monotonic,
    )
    task = bar.add_task(what, total=total)
    bar.tasks[task].start_time = start
    bar.update(task, completed=done)
    bar.start()
    return bar


def _come(done: float, total: float | None, seconds: float, unit: Unit) -> str:
    """Return the progress of work in words.

    >>> _come(2_000, 3_000, 2.0, "rows")
    '2,000 of 3,000 rows, 1,000 rows/s, 0:00:01 left'
    >>> _come(2_000, None, 2.0, "bytes")
    '2.0 kB, 1.0 kB/s'
    """

    def text(count: float) -> str:
        return rich_filesize.decimal(int(count)) if unit == "bytes" else f"{count:,.0f} {unit}"

    rate = done / seconds if seconds else 0
    if total is None or not rate:
        return f"{text(done)}, {text(rate)}/s"
    before = text(done) if unit == "bytes" else f"{done:,.0f}"
    left = timedelta(seconds=ceil(max(total - done, 0) / rate))
    return f"{before} of {text(total)}, {text(rate)}/s, {left} left"
