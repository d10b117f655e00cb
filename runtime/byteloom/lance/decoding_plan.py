"""What a scan decodes, in the order in which it needs it, some megabytes at a time.

- A scan is planned in windows, each before anything of it is decoded: all pages of all columns with
  the rows of some fragments, or with some of the rows of a large one.
- Columns of a wide file that have one small page each are in no window: they are decoded at once
  when their readers are made (`byteloom.lance.wide`).
- A page is decoded once: if it ends after the last row of a window, its other rows are kept.
- The next window is decoded by threads while the rows of the one before it are used.

Source: https://lance.org/format/file/
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final, NamedTuple

from byteloom.errors import ByteloomError
from byteloom.lance.decoding import Group, Window
from byteloom.lance.source_rows import RowSource, SourceRows, all_joined

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Sequence
    from contextlib import ExitStack

    import pyarrow as pa

    from byteloom.lance.field_reading import Rows
    from byteloom.lance.fields import Field

__all__ = ["OpenSources", "Step", "steps", "steps_ahead"]

_FIRST: Final = 1 << 22
"""Bytes of the decoded rows of the first window, of which a caller may want no more."""

_MOST: Final = 1 << 24
"""Bytes of the decoded rows of other windows, unless a batch has more."""


class OpenSources(NamedTuple):
    """Sources that are open at the same time.

    Attributes:
        parts: Each source with the rows that are read of it: a range, or ascending numbers.
        files: Closes them.
    """

    parts: Sequence[tuple[RowSource, Rows]]
    files: ExitStack


class Step(NamedTuple):
    """A window, and the rows of each source that it has.

    Attributes:
        parts: Sources, with the row after the last that is in the window.
        window: What is decoded for them.
        files: Closes the sources once these rows were used; None where more follow.
    """

    parts: list[tuple[SourceRows, int]]
    window: Window
    files: ExitStack | None

    def whole(self) -> list[pa.Array] | None:
        """Return all rows that are left, an array for each column.

        None where they are to be read source by source and page by page.
        """
        found = self._in_memory() if len(self.parts) == 1 else self._joined()
        if found is not None:
            for source_rows, stop in self.parts:
                source_rows.at = stop
        return found

    def _in_memory(self) -> list[pa.Array] | None:
        """The rows of one source, if nothing of them has to be decoded."""
        source_rows, stop = self.parts[0]
        if self.window.groups or not source_rows.is_in_memory:
            return None
        return source_rows.all(range(source_rows.at, stop))

    def _joined(self) -> list[pa.Array] | None:
        """The rows of several sources, if all are decoded together."""
        if any(each.is_cut(stop) for each, stop in self.parts):
            return None
        rows = sum([stop - each.at for each, stop in self.parts])
        return all_joined([each.columns for each, _ in self.parts], rows)


def steps(
    opened: Iterable[OpenSources], fields: Sequence[Field], size: int
) -> Generator[Step, None, None]:
    """Yield the windows of a scan of *fields*.

    Args:
        size: Rows of a batch; rows of a source are cut at its multiples.
    """
    begun: list[Group] = []
    room = _FIRST
    for sources, files in opened:
        left, error = _rows_of_sources(sources, fields)
        if not left:
            files.close()
        while left:
            parts = []
            used = 0
            while left and (not used or used < room):
                source_rows = left[0]
                start = source_rows.planned
                stop = _end(source_rows, room - used, size)
                if used and stop < source_rows.stop:
                    break
                used += (stop - start) * source_rows.width
                source_rows.planned = stop
                parts.append((source_rows, range(start, stop)))
                if stop == source_rows.stop:
                    left.popleft()
            window = Window(begun)
            _plan(parts, len(fields), window)
            ends = [(source_rows, rows.stop) for source_rows, rows in parts]
            yield Step(ends, window, None if left else files)
            room = _MOST
        if error is not None:
            raise error


def _rows_of_sources(
    sources: Sequence[tuple[RowSource, Rows]], fields: Sequence[Field]
) -> tuple[deque[SourceRows], ByteloomError | None]:
    """The rows of sources, up to the first that cannot be read, and the error of that one.

    The error is to be raised after the rows of the others.
    """
    found: deque[SourceRows] = deque()
    for source, rows in sources:
        if isinstance(rows, range):
            try:
                found.append(SourceRows(source, rows, fields))
            except ByteloomError as error:
                return found, error
    return found, None


def _plan(parts: Sequence[tuple[SourceRows, range]], columns: int, window: Window) -> None:
    """Let *window* decode the parts, column by column."""
    wanted = [(source_rows.columns, source_rows.places(rows)) for source_rows, rows in parts]
    for column in range(columns):
        for own, places in wanted:
            for leaf in own[column].leaf_rows:
                leaf.plan(places, window)


def _end(source_rows: SourceRows, room: int, size: int) -> int:
    """The row after the last of a window, for which there is *room*: at least a batch."""
    if not source_rows.width:
        return source_rows.stop
    count = max(room // source_rows.width // size, 1) * size
    return min(source_rows.planned + count, source_rows.stop)


def steps_ahead(found: Generator[Step, None, None], threads: int) -> Iterator[Step]:
    """Yield windows, each begun; threads decode the next one meanwhile, if that is worth it."""
    waiting: deque[Step] = deque()
    error: ByteloomError | None = None
    try:
        while error is None:
            try:
                step = next(found, None)
            except ByteloomError as raised:  # raised after the rows before it
                error, step = raised, None
            if step is None:
                break
            is_ahead = threads > 1 and step.window.is_worth_threads
            if is_ahead:
                step.window.begin(threads, is_ahead=bool(waiting))
            waiting.append(step)
            while len(waiting) > is_ahead:
                yield from _used(waiting)
        while waiting:
            yield from _used(waiting)
    finally:
        found.close()
        for each in waiting:
            each.window.end()
            if each.files is not None:
                each.files.close()
    if error is not None:
        raise error


def _used(waiting: deque[Step]) -> Iterator[Step]:
    """Yield the first of the windows, and end it once its rows were used."""
    step = waiting[0]
    step.window.fetch()
    yield step
    waiting.popleft()
    step.window.end()
    if step.files is not None:
        step.files.close()
