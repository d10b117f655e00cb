"""Decoded blocks, as lookups keep them: entries of an index block, cells of a data block.

- They never change once they are made, so threads can share them.
- An index block whose keys are unsound or do not ascend is refused, since a search in it would miss
  keys; so is a data block whose cells do not ascend.

Source: specs/hfile/index.ksy
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from byteloom.errors import FormatError
from byteloom.hfile.blocks import Block
from byteloom.hfile.cells import placed, plain_cells
from byteloom.hfile.index_entries import IndexEntry
from byteloom.hfile.stored_file import StoredFile
from byteloom.kernels.hfile_order import META, disorder, unsound
from byteloom_generated.hfile.cell import Cell
from byteloom_generated.hfile.index import Entry, NonRootIndex

if TYPE_CHECKING:
    from numpy.typing import NDArray


__all__ = ["DataBlock", "IndexBlock", "data_block_of", "index_block_of", "root_block_of"]

_OVERHEAD: Final = 512
_HEAD: Final = Entry.MIN_SIZE
"""Bytes of an entry before its key: an offset and a size."""
_COUNT: Final = NonRootIndex.MIN_SIZE
"""Bytes of the number of entries."""


@dataclass(frozen=True, slots=True, eq=False)
class IndexBlock:
    """The entries of one index block.

    Attributes:
        level: 1 if entries point at data blocks, more if they point at index blocks.
        data: The bytes that keys are in.
        starts, ends: Where each key is in *data*.
        places: Offset and size of each block.
    """

    level: int
    data: NDArray[np.uint8]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    places: NDArray[np.int64]

    def __len__(self) -> int:
        """Return how many entries there are."""
        return len(self.starts)

    @property
    def cost(self) -> int:
        """The bytes of memory that it takes."""
        return self.data.nbytes + 4 * self.starts.nbytes + _OVERHEAD

    def entry(self, number: int) -> IndexEntry:
        """Return one entry."""
        offset, size = self.places[number].tolist()
        return IndexEntry(offset, size, self.key(number))

    def key(self, number: int) -> bytes:
        """Return the key of one entry."""
        return self.data[self.starts[number] : self.ends[number]].tobytes()


@dataclass(frozen=True, slots=True, eq=False)
class DataBlock:
    """The cells of one data block.

    Attributes:
        stored: The block as it is stored.
        data: The bytes that they are in.
        starts: Where each cell begins, and where the last ends.
    """

    stored: Block
    data: NDArray[np.uint8]
    starts: NDArray[np.int32]

    def __len__(self) -> int:
        """Return how many cells there are."""
        return len(self.starts) - 1

    @property
    def cost(self) -> int:
        """The bytes of memory that it takes."""
        return self.data.nbytes + self.starts.nbytes + _OVERHEAD

    def key(self, number: int) -> bytes:
        """Return the serialized key of one cell."""
        at = int(self.starts[number])
        size = int.from_bytes(self.data[at : at + 4].tobytes(), "big")
        begin = at + Cell.MIN_SIZE
        return self.data[begin : begin + size].tobytes()


def root_block_of(entries: Sequence[IndexEntry], level: int, order: int, origin: int) -> IndexBlock:
    """Return the entries of the root index; *origin* is its offset in the file."""
    ends = np.cumsum([len(entry.key) for entry in entries], dtype=np.int64)
    sizes = np.array([len(entry.key) for entry in entries], np.int64)
    places = np.array([entry[:2] for entry in entries], np.int64).reshape(-1, 2)
    data = np.frombuffer(b"".join(entry.key for entry in entries), np.uint8)
    return _checked(IndexBlock(level, data, ends - sizes, ends, places), order, origin)


def index_block_of(payload: bytes, level: int, order: int, origin: int) -> IndexBlock:
    """Return a leaf or intermediate index block; *origin* is its offset in the file."""
    return _checked(_viewed(payload, level, origin), order, origin)


def _viewed(payload: bytes, level: int, origin: int) -> IndexBlock:
    """Return the entries of an index block without checking their keys and places.

    They equal those of `NonRootIndex`, but have no Python object each.
    """
    count = int.from_bytes(payload[:_COUNT], "big", signed=True)
    table = _COUNT + 4 * (count + 1)
    if not 0 < count <= len(payload) // (4 + _HEAD):
        wanted = f"1 to {len(payload) // (4 + _HEAD)}, which there is room for"
        raise FormatError("index.num_entries", origin, count, wanted)
    offsets = np.frombuffer(payload, ">i4", count + 1, _COUNT).astype(np.int64)
    first, last = int(offsets[0]), int(offsets[-1])
    if first != 0 or table + last != len(payload) or int(np.diff(offsets).min()) < _HEAD:
        wanted = (
            f"0 to {len(payload) - table}, where the entries are, each of {_HEAD} bytes or more"
        )
        raise FormatError("index.offsets", origin, (first, last), wanted)
    data = np.frombuffer(payload, np.uint8)
    starts = table + offsets[:-1]
    heads = data[starts[:, None] + np.arange(_HEAD)]
    at = np.ascontiguousarray(heads[:, :8]).view(">i8")[:, 0]
    size = np.ascontiguousarray(heads[:, 8:]).view(">i4")[:, 0]
    places = np.stack([at, size], axis=1).astype(np.int64)
    return IndexBlock(level, data, starts + _HEAD, table + offsets[1:], places)


def _checked(index_block: IndexBlock, order: int, origin: int) -> IndexBlock:
    wrong = unsound(index_block.data, index_block.starts, index_block.ends, order)
    if wrong >= 0:
        wanted = "a cell key that is not before the one before"
        raise FormatError(f"index.entries[{wrong}].key", origin, index_block.key(wrong), wanted)
    falling = np.flatnonzero(np.diff(index_block.places[:, 0]) <= 0)
    if falling.size:
        number = int(falling[0]) + 1
        found, before = int(index_block.places[number, 0]), int(index_block.places[number - 1, 0])
        wanted = f"more than {before}, where the block before is"
        raise FormatError(f"index.entries[{number}].offset", origin, found, wanted)
    return index_block


def data_block_of(file: StoredFile, block: Block, order: int) -> DataBlock:
    """Return the cells of a data block, decompressed, decoded and checked."""
    form = file.form
    cells = plain_cells(file.blocks, [block], form, file.limits)
    starts, wrong = placed(cells, form, file.trailer.entry_count)
    if order == META:  # a walk compares keys in the order of tables only
        wrong = disorder(cells.data, starts, order)
    if wrong >= 0:
        disordered = "a key before that of the cell before"
        raise FormatError(f"cells[{wrong}]", block.offset, disordered, "keys that ascend")
    if len(starts) == 1:
        raise FormatError(block.type, block.offset, "no cell", "at least one")
    starts.flags.writeable = False
    return DataBlock(block, cells.data, starts)
