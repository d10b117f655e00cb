"""Write blocks: headers, compressed payloads and checksums; and where a data block ends.

- A header says where the block before of the same type began, and a checksum covers headers too:
  a block is finished only when its offset is known. Compression does not wait for that.
- Blocks wait until `flush`, or until they have many bytes, and are written together uncopied.
- Sizes are added up as the trailer states them: of all blocks but those of the upper index.
- A data block ends before a cell of another key, once its cells, plain or encoded, reach the block
  size. With a ratio, only the encoded ones count, and they have to reach that part of the block
  size.
- By compressed size, a block grows until its encoded cells reach the block size times the ratio (a
  whole number) by which the block before was compressed, or the limit of uncompressed bytes. HBase
  takes the ratio from the block that it wrote last, even an index or filter block: it divides the
  encoded bytes of the last data block by that block's bytes without checksums.

Source: specs/hfile/block.ksy; HBase's ``HFileWriterImpl.checkBlockBoundary``,
``PreviousBlockCompressionRatePredicator``
"""

from __future__ import annotations

from struct import Struct
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from byteloom.codecs.checksums import crc32, crc32c
from byteloom.errors import LimitExceeded
from byteloom.hfile.blocks import HEADER_SIZE
from byteloom.hfile.codecs import compress
from byteloom.hfile.encryption import Sealer
from byteloom.hfile.writing.settings import Settings
from byteloom.storage import Target
from byteloom.storage.targets import write_all
from byteloom_generated.hfile.block import ChecksumType, ChecksumWord

__all__ = ["BlockSizes", "BlockWriter", "Placed"]

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


_Data: TypeAlias = "bytes | memoryview"

_MOST: Final = (1 << 31) - (1 << 20)
"""Bytes of a payload for which header and checksums still fit 31 bits."""

_MOST_WAITING: Final = 1 << 20
"""Bytes that wait to be written together."""

_WORD: Final = Struct(">I")

_HEADER: Final = Struct(">8siiqBii")
"""The fields of the record `Block` in its order; packing them takes a tenth of the record's time.
"""


class Placed(NamedTuple):
    """Where a block was written, and its size with header and checksums."""

    offset: int
    size: int


class BlockWriter:
    """A writer of the blocks of one file.

    Attributes:
        offset: Where the next block will begin.
        uncompressed: Bytes of all blocks so far that the trailer counts, headers included.
    """

    def __init__(
        self, target: Target, settings: Settings, sizes: BlockSizes, sealer: Sealer | None = None
    ) -> None:
        """Write to *target* with *settings*; *sizes* counts blocks, *sealer* encrypts payloads."""
        self.sealer, self._sizes = sealer, sizes
        self._target, self._settings = target, settings
        self._checksum = ChecksumType[settings.checksum]
        self._sum = {ChecksumType.CRC32: crc32, ChecksumType.CRC32C: crc32c}.get(self._checksum)
        self._previous: dict[bytes, int] = {}
        self.offset = self.uncompressed = self._written = 0
        self._waiting: list[_Data] = []

    def stored(self, payload: _Data) -> _Data:
        """Return *payload* as the file stores it: compressed, and encrypted if the file is."""
        if len(payload) > _MOST:
            raise LimitExceeded("block", None, f"{len(payload)} bytes", f"at most {_MOST}")
        stored = compress(self._settings.compression, payload, self._settings.level)
        return stored if self.sealer is None else self.sealer.sealed(stored)

    def write(self, magic: bytes, payload: _Data, *, counts: bool = True) -> Placed:
        """Write one block, and return its place."""
        return self.put(magic, self.stored(payload), len(payload), counts=counts)

    def put(self, magic: bytes, stored: _Data, size: int, *, counts: bool = True) -> Placed:
        """Write a block of *size* bytes from `stored`, which must not change until `flush`.

        Args:
            counts: Whether its bytes are added to `uncompressed`.
        """
        len_data = HEADER_SIZE + len(stored)
        sums = ChecksumWord.SIZE * -(-len_data // self._settings.bytes_per_checksum)
        header = _HEADER.pack(
            magic, len(stored) + sums, size, self._previous.get(magic, -1), self._checksum,
            self._settings.bytes_per_checksum, len_data,
        )  # fmt: skip
        placed = Placed(self.offset, len_data + sums)
        self._add(header, stored, self._sums(header, memoryview(stored), sums))
        self._sizes.written(len_data)
        self._previous[magic] = placed.offset
        self.uncompressed += (HEADER_SIZE + size) * counts
        return placed

    def finish(self, trailer: bytes) -> None:
        """Write the trailer, which ends the file."""
        self._add(trailer)
        self.flush()

    def _add(self, *pieces: _Data) -> None:
        self._waiting += pieces
        self.offset += sum(map(len, pieces))
        if self.offset - self._written > _MOST_WAITING:
            self.flush()

    def flush(self) -> None:
        """Write all waiting blocks, whose buffers may be reused afterwards."""
        waiting, self._waiting = self._waiting, []
        self._written = self.offset
        write_all(self._target, waiting)

    def _sums(self, header: bytes, stored: memoryview, size: int) -> bytes:
        if self._sum is None:
            return bytes(size)
        step, sum_of = self._settings.bytes_per_checksum, self._sum
        if step < HEADER_SIZE:
            whole = header + bytes(stored)
            pieces: Any = (sum_of(whole[at : at + step]) for at in range(0, len(whole), step))
            return b"".join(map(_WORD.pack, pieces))
        first = step - HEADER_SIZE
        sums = [_WORD.pack(sum_of(stored[:first], sum_of(header)))]
        sums += [
            _WORD.pack(sum_of(stored[at : at + step])) for at in range(first, len(stored), step)
        ]
        return b"".join(sums)
