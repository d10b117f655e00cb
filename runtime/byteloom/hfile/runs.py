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
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from byteloom.checksums import Checksum
    from byteloom.storage import Source

__all__ = ["Place", "Run", "runs", "words"]

TYPES: Final = tuple(FILE_TYPES.values())

_MAGICS: Final = np.array([int.from_bytes(magic, "big") for magic in FILE_TYPES], np.int64)
_FIELDS: Final = 9
_LOCAL: Final = 4 << 20
"""Bytes of one request to a disk, where many small ones cost little and caches hold what comes."""

_MOST: Final = 1 << 15
"""Blocks of one run."""

_CRC32, _CRC32C = 1, 2


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

    def apart(self, kinds: Sequence[int]) -> tuple[Run, Run]:
        """Return the blocks of these types, and the others."""
        found = self.table[:, 1]
        is_one = found == kinds[0]
        for kind in kinds[1:]:
            is_one = is_one | (found == kind)
        return (
            (self, self.part(slice(0))) if is_one.all() else (self.part(is_one), self.part(~is_one))
        )

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
        if self.is_checked or not blocks.verify or not len(self):
            return
        for number in _unlike(self.data, self.table):
            offset, kind, total, _, _, start = self.table[number, :6].tolist()
            begin = start - HEADER_SIZE
            raw = self.data[begin : begin + total].tobytes()
            block = Block(offset, TYPES[kind], blocks.header(raw, offset), raw, HEADER_SIZE)
            for error in mismatches(block, memoryview(raw)):
                raise error


def words(data: NDArray[np.uint8], starts: NDArray[np.int64]) -> NDArray[np.uint32]:
    """Return the four bytes at each of *starts*, the highest first."""
    found: NDArray[np.uint32] = data[starts[:, None] + np.arange(4)].view(">u4")[:, 0]
    return found


def _unlike(data: NDArray[np.uint8], table: NDArray[np.int64]) -> list[int]:
    """Return the numbers of blocks whose bytes are not those of their checksums."""
    begins, sizes, steps = table[:, 5] - HEADER_SIZE, table[:, 6] + HEADER_SIZE, table[:, 8]
    ends, kinds = begins + sizes, table[:, 7]
    counts = (table[:, 2] - sizes) // 4
    owners = np.repeat(np.arange(len(table)), counts)
    numbers = np.arange(len(owners)) - np.repeat(np.cumsum(counts) - counts, counts)
    starts = begins[owners] + numbers * steps[owners]
    stops = np.minimum(starts + steps[owners], ends[owners])
    wanted = words(data, ends[owners] + 4 * numbers)
    found = np.zeros(len(owners), np.uint32)
    for kind, checksum in ((_CRC32, crc32), (_CRC32C, crc32c)):
        picked = np.flatnonzero(kinds[owners] == kind)
        found[picked] = _sums(checksum, data, starts[picked], stops[picked])
    unlike: list[int] = np.unique(owners[found != wanted]).tolist()
    return unlike


def _sums(
    checksum: Checksum, data: NDArray[np.uint8], starts: NDArray[np.int64], stops: NDArray[np.int64]
) -> list[int]:
    view = data.data
    return [checksum(view[at:end]) for at, end in zip(starts.tolist(), stops.tolist(), strict=True)]


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
    fetch = _LOCAL if isinstance(blocks.source, LocalSource) else FETCH
    at = start
    while at < end:
        data = _fetched(blocks.source, at, min(fetch, end - at))
        count = headers(data, at, _MAGICS, blocks.codec == "NONE", most, table)
        if count:
            run = Run(data, table[:count].copy(), is_checked=False)
        else:  # longer than a fetch, or wrong
            run = Run.of(next(blocks.between(at, end)))
        yield run
        at = int(run.table[-1, 0] + run.table[-1, 2])
