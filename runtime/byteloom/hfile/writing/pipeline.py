"""Blocks in the order of the file, while threads compress the next ones.

- A data block is followed by the leaf of the index that it fills, and that by the chunks of Bloom
  filters that are full when the first cell behind it is known.
- What a filter's chunk holds is decided when the block before it is cut, and where it lies when it
  is its turn.
"""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from byteloom.hfile.bloom_build import BloomBuilder, Chunk
    from byteloom.hfile.writing.blocks import BlockWriter
    from byteloom.hfile.writing.index import IndexWriter
    from byteloom.hfile.writing.settings import Settings

__all__ = ["Pipeline"]

_Stored: TypeAlias = "Future[bytes | memoryview] | bytes | memoryview"


class _Data(NamedTuple):
    stored: _Stored
    size: int
    key: bytes
    is_last: bool


class _Bloom(NamedTuple):
    builder: BloomBuilder
    chunk: Chunk


class Pipeline:
    """The blocks among the data of one file.

    first, last  where the first and the last data block begin; -1 without any
    """

    def __init__(self, blocks: BlockWriter, index: IndexWriter, settings: Settings) -> None:
        """Write through *blocks*, and note in *index*."""
        self._blocks, self._index = blocks, index
        self._magic = b"DATABLKE" if settings.is_encoded else b"DATABLK*"
        self._waiting: deque[_Data | _Bloom] = deque()
        self._most = 4 * settings.threads
        self._pool: ThreadPoolExecutor | None = None
        if settings.threads and settings.compression != "NONE":
            self._pool = ThreadPoolExecutor(settings.threads, "byteloom-hfile")
        self.first = self.last = -1

    def data(self, payload: memoryview, key: bytes, *, is_last: bool) -> None:
        """Add a data block; *key* is that of its index entry."""
        stored: _Stored
        if self._pool is None:
            stored = self._blocks.stored(payload)
        else:
            stored = self._pool.submit(self._blocks.stored, bytes(payload))
        self._add(_Data(stored, len(payload), key, is_last))

    def bloom(self, builder: BloomBuilder, chunk: Chunk) -> None:
        """Add a chunk of a Bloom filter."""
        self._add(_Bloom(builder, chunk))

    def _add(self, item: _Data | _Bloom) -> None:
        self._waiting.append(item)
        while len(self._waiting) > (self._most if self._pool else 0):
            self._write()

    def drain(self) -> None:
        """Write all that waits, and give back the threads."""
        while self._waiting:
            self._write()
        self.close()

    def close(self) -> None:
        """Give back the threads, whatever waits."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)

    def _write(self) -> None:
        item = self._waiting.popleft()
        if isinstance(item, _Bloom):
            placed = self._blocks.write(b"BLMFBLK2", item.chunk.bits)
            item.builder.placed(*placed)
            return
        stored = item.stored.result() if isinstance(item.stored, Future) else item.stored
        placed = self._blocks.put(self._magic, stored, item.size)
        self.first = placed.offset if self.first < 0 else self.first
        self.last = placed.offset
        self._index.add(item.key, *placed, is_last=item.is_last)
