"""Blocks that lie one behind the other, fetched together and told by numbers.

- One compiled loop reads the headers of all blocks of a fetch.  It stops at whatever is not plainly
  right, which is then read by itself, to say what is wrong with it.
- Checksums are compared when a run is asked to, so that threads may share the work.

Source: specs/hfile/block.ksy
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from byteloom.checksums import crc32, crc32c
from byteloom.hfile.blocks import FETCH, FILE_TYPES, Block, Blocks, mismatches
from byteloom.hfile.trailer import HEADER_SIZE
from byteloom.storage.sources import LocalSource
from byteloom.wire.views import allocated

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from byteloom.storage import Source

__all__ = ["Place", "Run", "runs"]

TYPES: Final = tuple(FILE_TYPES.values())

_MAGICS: Final = np.array([int.from_bytes(magic, "big") for magic in FILE_TYPES], np.int64)
_FIELDS: Final = 9
_MOST: Final = 1 << 15
"""Blocks of one run."""

_NULL, _CRC32 = 0, 1


@dataclass(frozen=True, slots=True)
class Place:
    """Where a block lies, and what it is called."""

    offset: int
    type: str


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """Blocks that share a buffer.

    table       of each: offset in the file, type (of `TYPES`), size, decompressed size, offset of
                the one before, start and size of the payload in *data*, type of checksums, and
                bytes that share one
    is_checked  checksums have been compared
    """

    data: NDArray[np.uint8]
    table: NDArray[np.int64]
    is_checked: bool

    @classmethod
    def of(cls, block: Block) -> Run:
        """Return a run of one block, which was checked when it was parsed."""
        header = block.header
        row = [
            block.offset, TYPES.index(block.type), block.size, header.len_uncompressed,
            header.ofs_previous, block.start, block.len_stored, int(header.checksum_type),
            header.bytes_per_checksum,
        ]  # fmt: skip
        data = np.frombuffer(block.buffer, np.uint8)
        return cls(data, np.array([row], np.int64), is_checked=True)

    def part(self, which: slice | NDArray[np.bool_]) -> Run:
        """Return some of the blocks."""
        return Run(self.data, self.table[which], self.is_checked)

    def __getitem__(self, number: int) -> Place:
        """Return where one of the blocks lies."""
        offset, kind = self.table[number, :2].tolist()
        return Place(offset, TYPES[kind])

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.table)

    def stored(self) -> Iterator[memoryview]:
        """Yield each payload as it is on disk."""
        view = self.data.data
        for start, size in self.table[:, 5:7].tolist():
            yield view[start : start + size]

    def check(self, blocks: Blocks) -> None:
        """Compare all checksums, and raise `ChecksumMismatch` for the first that differs."""
        if self.is_checked or not blocks.verify:
            return
        view = self.data.data
        for row in self.table.tolist():
            _, _, total, _, _, start, size, kind, step = row
            begin = start - HEADER_SIZE
            if not _agree(view[begin : begin + total], HEADER_SIZE + size, kind, step):
                raw = bytes(view[begin : begin + total])
                block = Block(row[0], TYPES[row[1]], blocks.header(raw, row[0]), raw, HEADER_SIZE)
                for error in mismatches(block, memoryview(raw)):
                    raise error


def _agree(raw: memoryview, size: int, kind: int, step: int) -> bool:
    """Whether the first *size* bytes of a block are those of its checksums."""
    sums = raw[size:]
    if kind == _NULL:
        return not any(sums)
    checksum = crc32 if kind == _CRC32 else crc32c
    starts = range(0, size, step)
    found = [checksum(raw[at : min(at + step, size)]) for at in starts]
    wanted: list[int] = np.frombuffer(sums, ">u4").tolist()
    return found == wanted


def _fetched(source: Source, at: int, size: int) -> NDArray[np.uint8]:
    """Return bytes of the file, in pages warm from earlier ones where the source can fill them."""
    if isinstance(source, LocalSource):
        data = allocated(size, "u1")
        source.read_into(at, data.data)
    else:
        data = np.frombuffer(source.read(at, size), np.uint8)
    data.flags.writeable = False  # one type of array for the compiled loops
    return data


def runs(blocks: Blocks, start: int, end: int) -> Iterator[Run]:
    """Yield the blocks that fill *start* to *end* of a file."""
    from byteloom.kernels.hfile_blocks import headers

    if blocks.cipher is not None:  # each payload is decrypted into a buffer of its own
        yield from (Run.of(block) for block in blocks.between(start, end))
        return
    table = np.empty((_MOST, _FIELDS), np.int64)
    most = blocks.limits.decompressed_size
    at = start
    while at < end:
        data = _fetched(blocks.source, at, min(FETCH, end - at))
        count = headers(data, at, _MAGICS, blocks.codec == "NONE", most, table)
        if count:
            run = Run(data, table[:count].copy(), is_checked=False)
        else:  # longer than a fetch, or wrong
            run = Run.of(next(blocks.between(at, end)))
        yield run
        at = int(run.table[-1, 0] + run.table[-1, 2])
