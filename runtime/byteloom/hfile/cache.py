"""Blocks that were decoded, kept for the next who asks, up to a number of bytes.

- The one that was asked for longest ago goes first.
- What is kept is never changed, so that threads may share it; two that miss the same block at once
  both decode it.
- What is larger than the whole cache is not kept.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Any, Final, Protocol

__all__ = ["DEFAULT_CACHE_SIZE", "BlockCache"]

DEFAULT_CACHE_SIZE: Final = 128 << 20
"""Bytes that a file keeps of its blocks unless it is given a cache."""


class Sized(Protocol):
    """What a cache keeps."""

    @property
    def cost(self) -> int:
        """Bytes it takes."""


class BlockCache:
    """Decoded blocks of one file or of many, at most *size* bytes of them.

    used    bytes that are kept
    hits    times that a block was there
    misses  times that it was not
    """

    def __init__(self, size: int = DEFAULT_CACHE_SIZE) -> None:
        """Keep at most *size* bytes; 0 keeps nothing."""
        if size < 0:
            msg = f"a cache of {size} bytes"
            raise ValueError(msg)
        self.size, self.used, self.hits, self.misses = size, 0, 0, 0
        self._kept: OrderedDict[tuple[object, int], Any] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        """Return how many blocks are kept."""
        return len(self._kept)

    def get(self, file: object, offset: int) -> Any:
        """Return what is kept of the block at *offset* of *file*; None where nothing is."""
        with self._lock:
            found = self._kept.get((file, offset))
            if found is None:
                self.misses += 1
            else:
                self.hits += 1
                self._kept.move_to_end((file, offset))
            return found

    def has(self, file: object, offset: int) -> bool:
        """Whether a block is kept; asking does not count as use."""
        return (file, offset) in self._kept

    def put(self, file: object, offset: int, block: Sized) -> None:
        """Keep *block*, and let others go for it."""
        if block.cost > self.size:
            return
        with self._lock:
            before = self._kept.pop((file, offset), None)
            self.used += block.cost - (before.cost if before is not None else 0)
            self._kept[file, offset] = block
            while self.used > self.size:
                self.used -= self._kept.popitem(last=False)[1].cost

    def drop(self, file: object) -> None:
        """Let go of all blocks of *file*."""
        with self._lock:
            for key in [key for key in self._kept if key[0] is file]:
                self.used -= self._kept.pop(key).cost
