"""The blocks of an Avro data file, read some megabytes at a time.

The rules:

- Of the file only a window is held: whole blocks that follow one another, at least one.
- Blocks before a span are counted and passed over, those behind it are not read.
- A block that its size leads beyond the file is refused before it is read.

Source: Apache Avro specification, "Object Container Files".
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from byteloom.avro.container import AvroFile, find_blocks, inflate, open_avro
from byteloom.errors import FormatError, LimitExceeded, Truncated
from byteloom.kernels.avro_blocks import SYNC_SIZE
from byteloom.storage.spans import begins_in
from byteloom.wire.varints import zigzag

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from byteloom.limits import Limits
    from byteloom.storage import Source
    from byteloom.storage.spans import Span

__all__ = ["AvroBlocks", "Window"]

_WINDOW: Final = 4 << 20
_HEADER: Final = 64 << 10


@dataclass(frozen=True, slots=True)
class Window:
    """Blocks that follow one another, inflated.

    start   how many records lie before them in the file
    parts   the content of each
    counts  the records of each
    """

    start: int
    parts: list[memoryview]
    counts: NDArray[np.int64]


class AvroBlocks:
    """The blocks of one file."""

    def __init__(self, source: Source, limits: Limits) -> None:
        """Read the header; errors as for `open_avro`."""
        self._source, self._limits = source, limits
        self._header = replace(_header(source, limits), data=np.zeros(0, np.uint8))

    @property
    def schema(self) -> Any:
        """The writer's schema, as JSON."""
        return self._header.schema

    def windows(self, span: Span = None) -> Iterator[Window]:
        """Yield the blocks that begin in *span*; errors as for `inflate`."""
        start = 0
        for at, data, table in self._read():
            inside = np.array([begins_in(span, at + each) for each in table[:, 1].tolist()])
            places = np.flatnonzero(inside)
            if len(places):
                first, last = int(places[0]), int(places[-1]) + 1
                before = int(table[:first, 0].sum())
                ends = np.append(0, table[:, 1] + table[:, 2] + SYNC_SIZE)
                file = replace(self._header, data=data[ends[first] : ends[last]], first_block=0)
                with _at_place(at + int(ends[first])):
                    parts, counts = inflate(file, self._limits)
                _check_counts(parts, counts)
                yield Window(start + before, parts, counts)
            start += int(table[:, 0].sum())
            if span is not None and at + len(data) >= span[1]:
                return

    def _read(self) -> Iterator[tuple[int, NDArray[np.uint8], NDArray[np.int64]]]:
        """Yield place and bytes of whole blocks, and their records, starts and sizes."""
        at, size = self._header.first_block, _WINDOW
        while at < self._source.size:
            size = min(size, self._source.size - at)
            data = np.frombuffer(self._source.read(at, size), np.uint8)
            table = self._whole(data, at)
            if not len(table):
                size = self._long(data, at)
                continue
            end = int(table[-1, 1] + table[-1, 2]) + SYNC_SIZE
            yield at, data[:end], table
            at, size = at + end, _WINDOW

    def _whole(self, data: NDArray[np.uint8], at: int) -> NDArray[np.int64]:
        """The blocks that are whole; refuse what no more bytes would cure."""
        table, refused = find_blocks(data, 0, self._header.sync)
        is_end = at + len(data) >= self._source.size
        if refused is not None and (is_end or not isinstance(refused, Truncated)):
            raise _moved(refused, at)
        return table

    def _long(self, data: NDArray[np.uint8], at: int) -> int:
        """The bytes of a block that is longer than what was read of it."""
        head = data[:20].tobytes()
        count, after = zigzag(head, 0, len(head))
        size, after = zigzag(head, after, len(head))
        whole = after + size + SYNC_SIZE
        if count < 0 or size < 0 or at + whole > self._source.size:
            wanted = "bytes inside the file"
            raise Truncated("avro.block", at, f"a block of {count} records, {size} bytes", wanted)
        return whole


def _header(source: Source, limits: Limits) -> AvroFile:
    """The header, of which it is not known before how long it is."""
    size = _HEADER
    while True:
        try:
            return open_avro(source.read(0, min(size, source.size)))
        except Truncated:
            if size >= source.size:
                raise
        if size > limits.metadata_size:
            most = f"at most {limits.metadata_size}, limits.metadata_size"
            raise LimitExceeded("avro.header", 0, f"more than {size} bytes", most)
        size *= 8


@contextmanager
def _at_place(place: int) -> Iterator[None]:
    """Let errors tell places in the file of bytes that begin at a place of it."""
    try:
        yield
    except FormatError as error:
        raise _moved(error, place) from error.__cause__


def _moved(error: FormatError, place: int) -> FormatError:
    """Return the error of bytes that begin at a place of the file."""
    if error.offset is None:
        return error
    return type(error)(error.path, error.offset + place, error.found, error.wanted)


def _check_counts(parts: list[memoryview], counts: NDArray[np.int64]) -> None:
    """Refuse blocks of more records than bytes: none is made of nothing."""
    sizes = np.array([len(each) for each in parts], np.int64)
    for wrong in np.flatnonzero((counts < 0) | (counts > sizes)).tolist():
        found = f"{counts[wrong]} records in {sizes[wrong]} bytes"
        raise FormatError(f"avro.block[{wrong}]", None, found, "records of a byte or more")
