"""Blocks in the order of the file, written by one thread while others compress the next ones.

- A data block is followed by the leaf of the index that it fills, and the leaf by the chunks of
  Bloom filters that are full when the first cell after it is known: HBase adds a cell to its
  filters before it closes the block that precedes the cell.
- A file has one filter of rows or columns at most, and one of rows that have a family deleted.
- The content of a filter's chunk is decided when the block before it is cut, and its offset when
  it is written.
- The thread that writes is the only one that touches the file and the index until `drain` is done.
  An error there is raised by one of the next calls.

Source: specs/hfile/bloom.ksy
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa

from byteloom.errors import ArgumentError
from byteloom.hfile import info_entries
from byteloom.hfile.blocks import MAGICS
from byteloom.hfile.bloom_build import DELETE_FAMILY, ROWCOL, BloomBuilder, Chunk
from byteloom.hfile.writing.blocks import BlockWriter
from byteloom.hfile.writing.cells import Plain, PlainCells
from byteloom.hfile.writing.index import IndexWriter
from byteloom.hfile.writing.settings import Settings
from byteloom_generated.hfile.cell import KeyType

__all__ = ["Filters", "Pipeline"]

_DELETES: Final = (KeyType.DELETE_FAMILY_VERSION, KeyType.DELETE_FAMILY)
"""The types of cells that delete a family: at one timestamp, and up to a timestamp."""


class Filters:
    """The filters of one file.

    Attributes:
        builders: One for each filter, that of rows or columns first.
    """

    def __init__(self, blooms: Iterable[str | BloomBuilder]) -> None:
        """Begin filters of the kinds in *blooms*, or use the builders given there."""
        made = [each if isinstance(each, BloomBuilder) else BloomBuilder(each) for each in blooms]
        self.builders = sorted(made, key=lambda each: each.kind == DELETE_FAMILY)
        kinds = [each.kind == DELETE_FAMILY for each in made]
        if len(kinds) > len(set(kinds)):
            found = ", ".join(each.kind for each in made)
            raise ArgumentError("blooms", None, found, f"one, and one of {DELETE_FAMILY}")
        self._added = self._deletes = 0

    def add(self, cells: PlainCells, end: int) -> None:
        """Add the waiting cells before number *end*."""
        first, self._added = self._added, max(self._added, cells.left + end)
        for part in cells.given(first, self._added) if self.builders else ():
            rows, _, qualifiers, *_ = (each.to_arrow() for each in part.binary)
            deletes = np.isin(part.numbers[1], _DELETES)
            self._deletes += int(deletes.sum())
            for builder in self.builders:
                if builder.kind == DELETE_FAMILY:
                    builder.add(rows.filter(pa.array(deletes)))
                elif builder.kind == ROWCOL:
                    builder.add(rows, qualifiers)
                else:
                    builder.add(rows)

    def ready(self, *, closing: bool = False) -> list[tuple[BloomBuilder, Chunk]]:
        """Return the chunks that are full, or all that are left."""
        return [
            (builder, chunk)
            for builder in self.builders
            for chunk in builder.ready(closing=closing)
        ]

    def info(self) -> dict[bytes, bytes]:
        """Return the entries of the file info about the filters."""
        if not self.builders:
            return {}
        info = info_entries.numbers({info_entries.DELETED_FAMILIES: self._deletes})
        for builder in self.builders:
            info |= builder.file_info()
        return info


_Stored: TypeAlias = "Future[bytes | memoryview] | bytes | memoryview"


class _Data(NamedTuple):
    stored: _Stored
    size: int
    key: bytes
    is_last: bool


class Pipeline:
    """The blocks among the data of one file.

    Attributes:
        first: Where the first and the last data block begin; -1 without any.
        last: Where the first and the last data block begin; -1 without any.
    """

    def __init__(self, blocks: BlockWriter, index: IndexWriter, settings: Settings) -> None:
        """Write through *blocks*, and add data blocks to *index*."""
        self._blocks, self._index = blocks, index
        self._magic = MAGICS["encoded_data"] if settings.is_encoded else MAGICS["data"]
        self._written: deque[Future[None]] = deque()
        self._most = settings.batches
        self._waiting: list[tuple[Callable[..., None], tuple[Any, ...]]] = []
        self._writer = ThreadPoolExecutor(1, "byteloom-write") if self._most else None
        self._pool: ThreadPoolExecutor | None = None
        if self._most and settings.compression != "NONE":
            self._pool = ThreadPoolExecutor(settings.threads, "byteloom-compress")
        self.first = self.last = -1

    def data(self, block: Plain, key: bytes) -> None:
        """Add a data block; *key* is that of its index entry."""
        payload = block.payload if block.lasts else bytes(block.payload)
        stored: _Stored
        if self._pool is not None:
            stored = self._pool.submit(self._blocks.stored, payload)
        else:
            stored = self._blocks.stored(payload)
        self._add(self._put_data, _Data(stored, len(payload), key, block.is_last))

    def bloom(self, builder: BloomBuilder, chunk: Chunk) -> None:
        """Add a chunk of a Bloom filter."""
        self._add(self._put_bloom, builder, chunk)

    def _add(self, write: Callable[..., None], *what: Any) -> None:
        if self._writer is None:
            write(*what)
        else:
            self._waiting.append((write, what))

    def flush(self) -> None:
        """Write what was added, as one task of the writing thread, since each task has a cost."""
        if self._writer is None:
            self._blocks.flush()
            return
        waiting, self._waiting = self._waiting, []
        self._written.append(self._writer.submit(self._write, waiting))
        while len(self._written) > self._most:
            self._written.popleft().result()

    def drain(self) -> None:
        """Wait until all is written, and end the threads."""
        self.flush()
        while self._written:
            self._written.popleft().result()
        self.close()

    def close(self) -> None:
        """End the threads; blocks that still wait are dropped."""
        for pool in (self._pool, self._writer):
            if pool is not None:
                pool.shutdown(wait=True, cancel_futures=True)

    def _put_data(self, item: _Data) -> None:
        stored = item.stored.result() if isinstance(item.stored, Future) else item.stored
        placed = self._blocks.put(self._magic, stored, item.size)
        self.first = placed.offset if self.first < 0 else self.first
        self.last = placed.offset
        self._index.add(item.key, *placed, is_last=item.is_last)

    def _put_bloom(self, builder: BloomBuilder, chunk: Chunk) -> None:
        builder.placed(*self._blocks.write(MAGICS["bloom_chunk"], chunk.bits))

    def _write(self, waiting: list[tuple[Callable[..., None], tuple[Any, ...]]]) -> None:
        for write, what in waiting:
            write(*what)
        self._blocks.flush()
