"""The blocks of an Avro data file, read some megabytes at a time.

The rules:

- Only some whole blocks of the file are in memory, at least one, and only a window of their
  content.
- Blocks are bounded one by one (`Limits.decompressed_size`, `Limits.expansion`, `Limits.elements`)
  and not by their sum, since they are never in memory together.
- Blocks before a span are counted and skipped; those after it are not read.
- A block whose size reaches beyond the file is refused before it is read.

Source: Apache Avro specification, "Object Container Files".
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from byteloom.avro.codecs import Content
from byteloom.avro.container import (
    AvroFile,
    find_blocks,
    in_block,
    inflate_some,
    name_missing_end,
    open_avro,
)
from byteloom.errors import FormatError, LimitExceeded, Truncated, count_of_bytes
from byteloom.limits import Limits
from byteloom.storage import Source
from byteloom.storage.ranges import Span, begins_in
from byteloom.wire import Reader
from byteloom_generated.avro.container import BlockHead

if TYPE_CHECKING:
    from numpy.typing import NDArray


__all__ = ["AvroBlocks", "Window"]

_READ: Final = 4 << 20
"""Bytes of the file to read at a time; at least one block is read."""

_CONTENT: Final = 8 << 20
"""Bytes of content in a window, unless a single block has more."""

_HEADER: Final = 64 << 10


@dataclass(frozen=True, slots=True)
class Window:
    """Consecutive blocks, decompressed.

    start   number of records before them in the file
    block   number of blocks before them in the file
    parts   the content of each block
    counts  the number of records in each block
    places  int64[block, 2]: where each is stored in the file, and in how many bytes
    """

    start: int
    block: int
    parts: list[memoryview]
    counts: NDArray[np.int64]
    places: NDArray[np.int64]


class AvroBlocks:
    """The blocks of one file."""

    def __init__(self, source: Source, limits: Limits) -> None:
        """Read the header; the errors are those of `open_avro`."""
        self._source, self._limits = source, limits
        self._header = replace(_header(source, limits), data=np.zeros(0, np.uint8))

    @property
    def schema(self) -> Any:
        """The writer's schema, as JSON."""
        return self._header.schema

    @contextmanager
    def about_schema(self) -> Iterator[None]:
        """Add where the schema is in the file to errors about it."""
        try:
            yield
        except FormatError as error:
            if error.offset is None:
                error.offset = self._header.place
            raise

    def placed(self, error: FormatError, window: Window, number: int) -> FormatError:
        """Return *error*, about the content of a block of *window*, with the block's place."""
        start, size = window.places[number].tolist()
        return in_block(error, self._header.codec, window.block + number, start, size)

    def windows(self, span: Span = None, *, least: int = 1) -> Iterator[Window]:
        """Yield the blocks that begin in *span*.

        least          least bytes of a record
        FormatError    a block that is cut off, ends without the sync marker or does not inflate
        LimitExceeded  a block that decompresses to more than `Limits.decompressed_size` and more
                       than its own size allows (`Limits.expansion`), or has more records than
                       `Limits.elements`
        """
        start = block = 0
        for at, data, table in self._read():
            inside = np.array([begins_in(span, at + each) for each in table[:, 1].tolist()])
            places = np.flatnonzero(inside)
            if len(places):
                first, last = int(places[0]), int(places[-1]) + 1
                before = start + int(table[:first, 0].sum()), block + first
                for window in self._inflated(at, data, table[first:last], *before):
                    _check_counts(window, self._limits, least)
                    yield window
            start, block = start + int(table[:, 0].sum()), block + len(table)
            if span is not None and at + len(data) >= span[1]:
                return

    def _inflated(
        self, at: int, data: NDArray[np.uint8], table: NDArray[np.int64], start: int, block: int
    ) -> Iterator[Window]:
        """Yield windows of *data*, at *at* in the file, after *start* records in *block* blocks."""
        file = replace(self._header, data=data)
        most = min(_CONTENT, self._limits.decompressed_size)
        while len(table):
            content = Content()
            with _at_place(at):
                ends = inflate_some(content, file, table, most)
                if not len(ends):
                    ends = self._one(content, file, table[:1])
            counts = table[: len(ends), 0]
            starts = np.append(0, ends[:-1])
            pairs = zip(starts.tolist(), ends.tolist(), strict=True)
            parts = [content.data.data[first:last] for first, last in pairs]
            places = table[: len(ends), 1:] + np.array([at, 0], np.int64)
            window = Window(start, block, parts, counts, places)
            yield window
            start, block = start + int(counts.sum()), block + len(ends)
            table = table[len(ends) :]

    def _one(self, content: Content, file: AvroFile, table: NDArray[np.int64]) -> NDArray[np.int64]:
        """Decompress a single block that is larger than a window."""
        limits = self._limits
        most = limits.decompressed_size + limits.expansion * int(table[0, 2])
        ends = inflate_some(content, file, table, most)
        if not len(ends):
            found = f"a block of more than {count_of_bytes(most)}"
            wanted = f"at most {most} (limits.decompressed_size, limits.expansion)"
            raise LimitExceeded("avro.block", int(table[0, 1]), found, wanted)
        return ends

    def _read(self) -> Iterator[tuple[int, NDArray[np.uint8], NDArray[np.int64]]]:
        """Yield place and bytes of whole blocks, and the records, start and size of each."""
        at, before, size = self._header.first_block, 0, _READ
        while at < self._source.size:
            raw = self._source.read(at, min(size, self._source.size - at))
            data = np.frombuffer(raw, np.uint8)
            table = self._whole(data, at, before)
            if not len(table):
                size = self._long(raw, at, before)
                continue
            end = int(table[-1, 1] + table[-1, 2]) + len(self._header.sync)
            yield at, data[:end], table
            at, before, size = at + end, before + len(table), _READ

    def _whole(self, data: NDArray[np.uint8], at: int, before: int) -> NDArray[np.int64]:
        """Return the complete blocks; refuse damage that missing bytes cannot explain."""
        table, refused = find_blocks(data, 0, self._header.sync, origin=at, before=before)
        is_end = at + len(data) >= self._source.size
        if refused is not None and (is_end or not isinstance(refused, Truncated)):
            raise name_missing_end(refused)
        return table

    def _long(self, raw: bytes, at: int, number: int) -> int:
        """Return the size of a block of which only the beginning was read."""
        reader = Reader(raw, origin=at)
        head = reader.record("head", BlockHead.read)
        place = reader.offset
        for name, size in (("objects", head.len_objects), ("sync", len(self._header.sync))):
            left = self._source.size - place
            if size > left:
                path, found = f"avro.blocks[{number}].{name}", f"{count_of_bytes(left)} left"
                raise name_missing_end(Truncated(path, place, found, count_of_bytes(size)))
            place += size
        return place - at


def _header(source: Source, limits: Limits) -> AvroFile:
    """Read the header, whose length is not known beforehand."""
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
    """Let errors about bytes that begin at *place* report offsets in the file."""
    try:
        yield
    except FormatError as error:
        raise error.moved(place) from error.__cause__


def _check_counts(window: Window, limits: Limits, least: int) -> None:
    """Refuse blocks of more records than their bytes can contain, if each takes *least* of them."""
    counts, sizes = window.counts, np.array([len(each) for each in window.parts], np.int64)
    for wrong in np.flatnonzero((counts < 0) | (least * counts > sizes)).tolist():
        found = f"{counts[wrong]} records in {sizes[wrong]} bytes"
        wanted = "records of a byte or more" if least else "0 records or more"
        raise FormatError(f"avro.blocks[{window.block + wrong}]", None, found, wanted)
    for large in np.flatnonzero(counts > limits.elements).tolist():
        wanted = f"at most {limits.elements} (limits.elements)"
        raise LimitExceeded(
            f"avro.blocks[{window.block + large}]", None, f"{counts[large]} records", wanted
        )
