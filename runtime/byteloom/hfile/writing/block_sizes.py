"""The size at which a data block ends, as in HBase's writer.

The rules:

- A block ends before a cell of another key, once its cells, plain or encoded, reach the block size.
  With a ratio, only the encoded ones count, and they have to reach that part of the block size.
- By compressed size, a block grows until its encoded cells reach the block size times the ratio (a
  whole number) by which the block before was compressed, or the limit of uncompressed bytes.
- HBase takes the ratio from the block that it wrote last, even an index or filter block: it
  divides the encoded bytes of the last data block by that block's bytes without checksums.

Source: HBase's ``HFileWriterImpl.checkBlockBoundary``, ``PreviousBlockCompressionRatePredicator``
"""

from __future__ import annotations

from typing import Final

import numpy as np

from byteloom.hfile.writing.settings import Settings

__all__ = ["BlockSizes"]

_NEVER: Final = 1 << 62
_TIMES: Final = 10
"""Most uncompressed bytes of a block by default, as a multiple of the block size."""


class BlockSizes:
    """The sizes at which the next data block of a file may end.

    Attributes:
        limits: int64: bytes of plain cells or of encoded ones, one of which the block has to
            reach, and bytes of encoded ones that it has to reach as well.
    """

    def __init__(self, settings: Settings) -> None:
        """Begin before the first block, when no ratio of compression is known yet."""
        size, most = settings.block_size, settings.max_uncompressed_size
        ratio = int(np.float32(size) * np.float32(settings.encoded_ratio))
        self.limits = np.array([_NEVER if ratio else size, ratio or size, 0], np.int64)
        self.is_adaptive = settings.by_compressed_size
        self._size = size
        self._most = _as_int(_TIMES * size) if most is None else most
        self._encoded = 0

    def begin(self, encoded: int) -> None:
        """Record the bytes of encoded cells in the data block that is written next."""
        self._encoded = encoded

    def written(self, size: int) -> None:
        """Record a block of any type, of *size* bytes with its header and without checksums."""
        if self.is_adaptive:
            wanted = max(self._size, _as_int(self._encoded // size * self._size))
            self.limits[2] = min(wanted, self._most)


def _as_int(number: int) -> int:
    """Return *number* wrapped to 32 signed bits, as HBase keeps it."""
    return (number + (1 << 31)) % (1 << 32) - (1 << 31)
