"""A cache of decoded blocks, bounded by their bytes.

- The least recently used block is dropped first.
- Cached blocks are never changed, so threads may share them; two threads that miss the same block
  at once both decode it.
- A block larger than the whole cache is not cached.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Any, Final, Protocol

from byteloom.arguments import whole_number

__all__ = ["DEFAULT_CACHE_SIZE", "BlockCache"]

DEFAULT_CACHE_SIZE: Final = 128 << 20
"""Bytes of decoded blocks that a file caches unless it is given a cache."""


class Sized(Protocol):
    """A block that a cache can keep."""

    @property
    def cost(self) -> int:
        """The bytes of memory that it takes."""


class BlockCache:
    """Decoded blocks of one file or of several, at most *size* bytes in all.

    Attributes:
        used: Bytes of the cached blocks.
        hits: How often a block was found.
        misses: How often it was not.

    Example:
        >>> import pyarrow as pa
        >>> from byteloom import hfile
        >>> with hfile.HFileWriter("rows.hfile") as writer:
        ...     writer.write(pa.table({"row": ["a", "b"]}))
        >>> cache = hfile.BlockCache(1 << 20)
        >>> with hfile.open("rows.hfile", cache=cache) as file:
        ...     found = [file.get(row) for row in ("a", "b", "c")]
        >>> cache.hits > 0
        True
    """

    def __init__(self, size: int = DEFAULT_CACHE_SIZE) -> None:
        """Keep at most *size* bytes; 0 keeps nothing.

        Args:
            size: Bytes of all blocks together.

        Raises:
            ArgumentError: The size is negative, or no whole number.
        """
        size = whole_number("size", size, "a number of bytes, 0 or more", least=0)
        self.size, self.used, self.hits, self.misses = size, 0, 0, 0
        self._kept: OrderedDict[tuple[object, int], Any] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        """Return how many blocks are cached."""
        return len(self._kept)

    def get(self, file: object, offset: int) -> Any:
        """Return the cached block at *offset* of *file*; None if it is not cached.

        Args:
            file: The object that the block belongs to.
            offset: Where the block begins in its file.
        """
        with self._lock:
            found = self._kept.get((file, offset))
            if found is None:
                self.misses += 1
            else:
                self.hits += 1
                self._kept.move_to_end((file, offset))
            return found

    def has(self, file: object, offset: int) -> bool:
        """Return whether a block is cached; asking does not count as a use.

        Args:
            file: The object that the block belongs to.
            offset: Where the block begins in its file.
        """
        return (file, offset) in self._kept

    def put(self, file: object, offset: int, block: Sized) -> None:
        """Cache *block*, and drop others to make room for it.

        Args:
            file: The object that the block belongs to.
            offset: Where the block begins in its file.
            block: The decoded block, which says what it costs.
        """
        if block.cost > self.size:
            return
        with self._lock:
            before = self._kept.pop((file, offset), None)
            self.used += block.cost - (before.cost if before is not None else 0)
            self._kept[file, offset] = block
            while self.used > self.size:
                self.used -= self._kept.popitem(last=False)[1].cost

    def drop(self, file: object) -> None:
        """Drop all blocks of *file*."""
        with self._lock:
            for key in [key for key in self._kept if key[0] is file]:
                self.used -= self._kept.pop(key).cost
