"""Scan a file a window at a time: the records that are its last field become batches of columns.

- What comes before the records is read by its classes, which stop where the first record begins.
- A record that ends beyond the window is read again from the next, which begins with it; a window
  that one record fills is doubled.
- Errors have the path and the place that reading the whole file gives them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from byteloom.columns.loops import REFUSED
from byteloom.columns.record_columns import batch_of
from byteloom.columns.scan_reader import FoundError, ScanReader
from byteloom.errors import FormatError, LimitExceeded, Truncated
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.wire.record import collector_paused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa

    from byteloom.columns.column import Binary
    from byteloom.columns.target import Target

__all__ = ["WINDOW", "batches"]

WINDOW: Final = 64 << 20
"""Bytes of a file that are in memory together."""

ROWS: Final = 1 << 16
"""Records of a batch at most."""


@dataclass(slots=True)
class _Window:
    """Some bytes of the file, from *base* on."""

    fetch: Callable[[int, int], bytes]
    size: int
    most: int
    base: int = 0
    data: bytes = b""

    def move(self, at: int) -> bool:
        """Begin with byte *at* of the window; False where that shows no byte more."""
        last = self.base + len(self.data)
        if last >= self.size:
            return False
        self.base += at
        self.most *= 1 if at else 2
        self.data = self.fetch(self.base, min(self.most, self.size - self.base))
        return True


@dataclass(frozen=True, slots=True)
class _BatchForm:
    """The limits, the form of bytes, and the rows of batches."""

    limits: Limits
    binary: Binary
    rows: int


def batches(  # noqa: PLR0913, PLR0917  what to read, and how
    scan: Target,
    read: Callable[[Any], Any],
    path: tuple[str, ...],
    fetch: Callable[[int, int], bytes],
    size: int,
    whole: Callable[[bytes], Iterator[pa.RecordBatch]],
    *,
    limits: Limits = DEFAULT_LIMITS,
    binary: Binary = "binary",
    window: int = WINDOW,
    rows: int = ROWS,
) -> Iterator[pa.RecordBatch]:
    """Yield the records of *scan* in a file of *size* bytes, of which *fetch* returns some.

    read   reads the record at the top of the file
    path   the names of the records that lead to them, from the top
    whole  makes batches of a whole file, where only the class around the records can read them
    rows   of a batch, at most
    """
    part = _Window(fetch, size, window)
    part.data = fetch(0, min(window, size))
    while True:
        reader = ScanReader(part.data, limits=limits)
        reader.begin(scan, binary, path)
        reader.pauses_before(size)
        try:
            reader.record(path[0], read)
        except FoundError as error:
            found = error
            break
        except FormatError:
            if not part.move(0):
                raise
        else:
            yield scan.none(binary)
            return
    if scan.attribute and found.read is None:
        yield from whole(fetch(0, size))
        return
    try:
        yield from _from(scan, part, found, path, _BatchForm(limits, binary, rows))
    except FormatError as error:
        for each in reversed(path):
            error.inside(each)
        raise


def _from(
    scan: Target, part: _Window, found: FoundError, path: tuple[str, ...], how: _BatchForm
) -> Iterator[pa.RecordBatch]:
    """Yield the records that begin where *found* says."""
    limits, binary = how.limits, how.binary
    at, done = found.at, 0
    while True:
        reader = ScanReader(part.data, limits=limits, origin=part.base)
        reader.stands(at, depth=len(path))
        left = None if found.count is None else found.count - done
        if left == 0 or (left is None and at + part.base == part.size):
            break
        rows = how.rows if left is None else min(how.rows, left)
        if at == len(part.data) and part.move(at):
            at = 0
            continue
        if scan.attribute:
            reader.enter(scan.name)
        batch, at, error = _some(scan, reader, rows, done, found.read, binary)
        done += batch.num_rows
        if done > limits.elements:
            wanted = f"at most {limits.elements} (limits.elements)"
            raise LimitExceeded(scan.name, None, f"{done} elements", wanted)
        if batch.num_rows:
            yield batch
        if error is not None:
            ends_here = at == 0 and not isinstance(error, Truncated)
            if ends_here or not part.move(at):
                raise error
            at = 0
    if not done:
        yield scan.none(binary)


def _some(  # noqa: PLR0913, PLR0917  what a batch needs
    scan: Target,
    reader: ScanReader,
    rows: int,
    done: int,
    read: Callable[[Any], Any] | None,
    binary: Binary,
) -> tuple[pa.RecordBatch, int, FormatError | None]:
    """Return up to *rows* records, where they end, and what is wrong with the record there."""
    if not scan.attribute:
        reader.begin(scan, binary, (), read)
        stop = reader.fill(rows)
        error = reader.refusal(scan, stop, done) if stop.code == REFUSED else None
        return reader.batch, stop.at, error
    with collector_paused():
        records, failed = _records(scan, reader, rows, done, read or scan.take)

        def path(number: int) -> str:
            return f"{scan.name}[{done + number}]"

        return batch_of(scan.columns, records, binary, path), reader.place, failed


def _records(
    scan: Target, reader: ScanReader, rows: int, done: int, take: Callable[[Any], Any]
) -> tuple[list[Any], FormatError | None]:
    """Return up to *rows* records, and what is wrong with the next; the reader is after them."""
    records: list[Any] = []
    while len(records) < rows and not (records and reader.eof):
        at, number = reader.place, done + len(records)
        try:
            record = reader.element(scan.name, number, take)
        except FormatError as error:
            reader.stands(at, reader.depth)
            return records, error
        if reader.place == at:
            name = f"{scan.name}[{number}]"
            return records, reader.invalid(name, reader.offset, "an element of 0 bytes", "some")
        records.append(record)
    return records, None
