"""Adjacent blocks, fetched together and described by arrays of numbers.

- The walk over blocks reads the headers of all blocks of a fetch, up to the first that may be
  wrong; that block is then read by itself, to find out what is wrong with it.
- Checksums are compared by `Run.check`, so that threads may share the work.

Source: specs/hfile/block.ksy
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from byteloom.codecs.checksums import Checksum, crc32, crc32c
from byteloom.columns.views import allocated
from byteloom.hfile.blocks import FETCH, HEADER_SIZE, TYPE_NAMES, Block, Blocks, mismatches
from byteloom.storage import Source
from byteloom.storage.sources import LocalSource
from byteloom_generated.hfile.block import ChecksumWord
from byteloom_generated.hfile.block_scan import FRAMES

if TYPE_CHECKING:
    from numpy.typing import NDArray


__all__ = ["Place", "Run", "runs", "words"]

TYPES: Final = tuple(TYPE_NAMES.values())

_MAGICS: Final = np.array([*TYPE_NAMES], np.uint64)
_RANKED: Final = np.argsort(_MAGICS)
_FRAMES: Final = replace(FRAMES, usual=1 << 12)
_COLUMNS: Final = {out.name: out.form for out in FRAMES.columns}
_LOCAL: Final = 4 << 20
"""Bytes of one request to a disk, where small requests are cheap and their result fits a CPU cache.
"""

_MOST: Final = 1 << 15
"""Most blocks of one run."""

_CRC32, _CRC32C = 1, 2


@dataclass(frozen=True, slots=True)
class Place:
    """Where a block is, and what errors call it."""

    offset: int
    type: str


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """Blocks that share a buffer.

    Attributes:
        table: For each block: offset in the file, type (of `TYPES`), size, decompressed size,
            offset of the block before, start and size of the payload in *data*, type of
            checksums, and bytes that each checksum covers.
        is_checked: Whether its checksums have been compared.
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
        """Return a run of the blocks numbered *which*."""
        return Run(self.data, self.table[which], self.is_checked)

    def apart(self, kinds: Sequence[int]) -> tuple[Run, Run]:
        """Return a run of the blocks of these types, and one of the others."""
        found = self.table[:, 1]
        is_one = found == kinds[0]
        for kind in kinds[1:]:
            is_one = is_one | (found == kind)
        return (
            (self, self.part(slice(0))) if is_one.all() else (self.part(is_one), self.part(~is_one))
        )

    def __getitem__(self, number: int) -> Place:
        """Return the place of block *number*."""
        offset, kind = self.table[number, :2].tolist()
        return Place(offset, TYPES[kind])

    def __len__(self) -> int:
        """Return the number of blocks."""
        return len(self.table)

    @property
    def decompressed_size(self) -> int:
        """The bytes of all payloads when decompressed."""
        return int(self.table[:, 3].sum())

    def stored(self) -> Iterator[memoryview]:
        """Yield each payload as it is stored."""
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
    """Return the four bytes at each of *starts* as a number, big-endian."""
    places = starts[:, None] + np.arange(ChecksumWord.SIZE)
    found: NDArray[np.uint32] = data[places].view(">u4")[:, 0]
    return found


def _unlike(data: NDArray[np.uint8], table: NDArray[np.int64]) -> list[int]:
    """Return the numbers of the blocks that fail their checksums."""
    begins, sizes, steps = table[:, 5] - HEADER_SIZE, table[:, 6] + HEADER_SIZE, table[:, 8]
    ends, kinds = begins + sizes, table[:, 7]
    counts = (table[:, 2] - sizes) // ChecksumWord.SIZE
    owners = np.repeat(np.arange(len(table)), counts)
    numbers = np.arange(len(owners)) - np.repeat(np.cumsum(counts) - counts, counts)
    starts = begins[owners] + numbers * steps[owners]
    stops = np.minimum(starts + steps[owners], ends[owners])
    wanted = words(data, ends[owners] + ChecksumWord.SIZE * numbers)
    found = np.zeros(len(owners), np.uint32)
    for kind, checksum in ((_CRC32, crc32), (_CRC32C, crc32c)):
        picked = np.flatnonzero(kinds[owners] == kind)
        found[picked] = _sums(checksum, data, starts[picked], stops[picked])
    return sorted(set(owners[found != wanted].tolist()))


def _sums(
    checksum: Checksum, data: NDArray[np.uint8], starts: NDArray[np.int64], stops: NDArray[np.int64]
) -> list[int]:
    view = data.data
    return [checksum(view[at:end]) for at, end in zip(starts.tolist(), stops.tolist(), strict=True)]


def _fetched(source: Source, at: int, size: int) -> NDArray[np.uint8]:
    """Return bytes of the file, read into reused memory where the source can do so."""
    if isinstance(source, LocalSource):
        data = allocated(size, "u1")
        source.read_into(at, data.data)
    else:
        data = np.frombuffer(source.read(at, size), np.uint8)
    data.flags.writeable = False  # one type of array for the compiled loops
    return data


def runs(blocks: Blocks, start: int, end: int) -> Iterator[Run]:
    """Yield the blocks that fill *start* to *end* of a file."""
    if blocks.cipher is not None:  # each payload is decrypted into a buffer of its own
        yield from (Run.of(block) for block in blocks.between(start, end))
        return
    fetch = _LOCAL if isinstance(blocks.source, LocalSource) else FETCH
    at = start
    while at < end:
        data = _fetched(blocks.source, at, min(fetch, end - at))
        table = _table(data, at, blocks)
        if len(table):
            run = Run(data, table, is_checked=False)
        else:  # the next block is longer than a fetch, or damaged
            run = Run.of(next(blocks.between(at, end)))
        yield run
        at = int(run.table[-1, 0] + run.table[-1, 2])


def _table(data: NDArray[np.uint8], origin: int, blocks: Blocks) -> NDArray[np.int64]:
    """Return the table of the blocks at the start of *data*, up to the first that may be wrong.

    Args:
        origin: Where *data* begins in the file.
    """
    whole = np.array([[0, len(data)]])
    found = _FRAMES.over(data, whole, _COLUMNS, _MOST, {})
    columns = {
        name: found.columns[name].view(form)[: found.rows] for name, form in _COLUMNS.items()
    }
    places, sizes, on_disk = (
        columns[name].astype(np.int64) for name in ("place", "len_uncompressed", "len_on_disk")
    )
    kinds = _RANKED[np.searchsorted(_MAGICS, columns["magic"], sorter=_RANKED)]
    stored = columns["len_data"].astype(np.int64) - HEADER_SIZE
    sums, room = ChecksumWord.SIZE * columns["num_checksums"], on_disk - stored
    is_right = sizes <= blocks.limits.decompressed_size
    is_right &= (room == sums) | ((columns["checksum_type"] == 0) & (room == 0))
    if blocks.codec == "NONE":
        is_right &= stored == sizes
    table = np.stack(
        [
            origin + places, kinds, on_disk + HEADER_SIZE, sizes, columns["ofs_previous"],
            places + HEADER_SIZE, stored, columns["checksum_type"], columns["bytes_per_checksum"],
        ],
        axis=1,
    )  # fmt: skip
    return table if is_right.all() else table[: is_right.argmin()]
