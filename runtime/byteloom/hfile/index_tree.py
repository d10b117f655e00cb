"""The index as a tree, descended level by level on demand, without recursion.

- Blocks of all levels are cached; cached blocks were checked when they were read.
- An index is checked against the blocks that it leads to: the cells of a block are between its
  entry's key and the next one's, and the first and last block are those that the trailer names.
- A path may step over to the next or the previous block, even across the borders of index blocks.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

import numpy as np

from byteloom.errors import FormatError, beginning
from byteloom.hfile.blocks import Block
from byteloom.hfile.cache import BlockCache
from byteloom.hfile.decoded_blocks import (
    DataBlock,
    IndexBlock,
    data_block_of,
    index_block_of,
    root_block_of,
)
from byteloom.hfile.index_entries import IndexEntry
from byteloom.hfile.stored_file import StoredFile
from byteloom.kernels.hfile_order import CELLS, META, META_ROWS, ROWS, compare_keys, descent

if TYPE_CHECKING:
    from numpy.typing import NDArray


__all__ = ["IndexTree", "Path", "check_ascent", "packed"]

_INDEX: Final = ("data", "leaf_index", "intermediate_index")
"""The type of block that an entry of level 1, 2 and more points at."""

_FETCH: Final = 4 << 20
"""Bytes of blocks that one request fetches."""


def packed(key: bytes) -> NDArray[np.uint8]:
    """Return a serialized key as an array for kernels."""
    return np.frombuffer(key, np.uint8)


def check_ascent(offset: int, following: int) -> None:
    """Refuse an index whose entries lead to data blocks in another order than that of the file."""
    if following <= offset:
        wanted = f"more than {offset}, where the block before is"
        raise FormatError("index.offset", following, following, wanted)


class Path:
    """A path from the root to a data block: index blocks, and the number of the entry in each."""

    __slots__ = ("_tree", "index_blocks", "numbers")

    def __init__(self, tree: IndexTree, index_blocks: list[IndexBlock], numbers: list[int]) -> None:
        """Keep *index_blocks* and *numbers*, which the caller must not change afterwards."""
        self._tree, self.index_blocks, self.numbers = tree, index_blocks, numbers

    @property
    def offset(self) -> int:
        """The place of the block that it leads to."""
        return int(self.index_blocks[-1].places[self.numbers[-1], 0])

    def data_block(self) -> DataBlock:
        """Return the block that it leads to."""
        return self._tree.data_block(self.index_blocks[-1], self.numbers[-1], self.stop())

    def stop(self) -> bytes | None:
        """Return the key of the next entry; None at the end of the file."""
        for index_block, number in zip(
            reversed(self.index_blocks), reversed(self.numbers), strict=True
        ):
            if number + 1 < len(index_block):
                return index_block.key(number + 1)
        return None

    def stepped(self, step: int) -> Path | None:
        """Return the path to the next block (*step* 1) or the previous (-1); None without one."""
        for depth in range(len(self.index_blocks) - 1, -1, -1):
            number = self.numbers[depth] + step
            if 0 <= number < len(self.index_blocks[depth]):
                path = Path(
                    self._tree, self.index_blocks[: depth + 1], [*self.numbers[:depth], number]
                )
                found = self._tree.down(path, last=step < 0)
                one, other = (self, found) if step > 0 else (found, self)
                check_ascent(one.offset, other.offset)
                return found
        return None


class IndexTree:
    """The index of one file, and the blocks it leads to.

    Attributes:
        order: How keys are compared, a number of `kernels.hfile_order`.
        rows: The same for comparing rows alone.
    """

    def __init__(self, file: StoredFile, cache: BlockCache) -> None:
        """Descend the index of *file*, and keep blocks in *cache*."""
        trailer = file.trailer
        meta = file.is_hbase and trailer.is_meta_order
        self.rows = META_ROWS if meta else ROWS
        self.order = (META if meta else CELLS) if file.is_hbase else ROWS
        self.file, self.cache = file, cache
        levels, at = trailer.num_data_index_levels, trailer.load_on_open_data_offset
        self.root = root_block_of(file.root.entries, levels, self.order, at)
        if bool(trailer.entry_count) != bool(len(self.root)):
            wanted = f"entries for {trailer.entry_count} cells"
            raise FormatError("root_index", at, f"{len(self.root)} entries", wanted)

    def first(self) -> Path | None:
        """Return the path to the first block; None in an empty file."""
        return self.down(Path(self, [self.root], [0])) if len(self.root) else None

    def last(self) -> Path | None:
        """Return the path to the last block; None in an empty file."""
        end = len(self.root) - 1
        return self.down(Path(self, [self.root], [end]), last=True) if len(self.root) else None

    def find(self, key: bytes) -> Path | None:
        """Return the path to the last block whose entry is less than *key*, or the first block."""
        if not len(self.root):
            return None
        path = Path(self, [self.root], [self._number(self.root, key)])
        while path.index_blocks[-1].level > 1:
            index_block = self.index_block(path.index_blocks[-1], path.numbers[-1], path.stop())
            path = Path(
                self,
                [*path.index_blocks, index_block],
                [*path.numbers, self._number(index_block, key)],
            )
        return path

    def down(self, path: Path, *, last: bool = False) -> Path:
        """Return *path*, continued down to the first or last block below it."""
        while path.index_blocks[-1].level > 1:
            index_block = self.index_block(path.index_blocks[-1], path.numbers[-1], path.stop())
            number = len(index_block) - 1 if last else 0
            path = Path(self, [*path.index_blocks, index_block], [*path.numbers, number])
        return path

    def index_block(self, above: IndexBlock, number: int, stop: bytes | None) -> IndexBlock:
        """Return the index block of an entry of *above*; *stop* is the key of the next entry."""
        entry = above.entry(number)
        found: IndexBlock | None = self.cache.get(self, entry.offset)
        if found is None:
            wanted = _INDEX[min(above.level - 1, 2)]
            block = self.file.block_at(entry, wanted)
            payload = self.file.blocks.payload(block)
            found = index_block_of(payload, above.level - 1, self.order, block.offset)
            self._check_keys(entry, found.key(0), found.key(len(found) - 1), stop)
            self.cache.put(self, entry.offset, found)
        if found.level != above.level - 1:
            raise FormatError("index", entry.offset, f"level {found.level}", f"{above.level - 1}")
        return found

    def data_block(
        self, leaf: IndexBlock, number: int, stop: bytes | None, known: bytes | None = None
    ) -> DataBlock:
        """Return the data block of an entry of *leaf*; *known* are its bytes if fetched already.

        Args:
            stop: The key of the next entry; None for the last of the file.
        """
        offset, size = leaf.places[number].tolist()
        found: DataBlock | None = self.cache.get(self, offset)
        if found is None:
            found = data_block_of(self.file, self._block(offset, size, known), self.order)
            self._check_keys(leaf.entry(number), found.key(0), found.key(len(found) - 1), stop)
            self._check_ends(offset, last=stop is None)
            self.cache.put(self, offset, found)
        return found

    def kept(self, leaf: IndexBlock, number: int) -> DataBlock | None:
        """Return the data block of an entry if it is cached; None otherwise."""
        data_block: DataBlock | None = self.cache.get(self, int(leaf.places[number, 0]))
        return data_block

    def ahead(self, leaf: IndexBlock, numbers: Iterable[int]) -> dict[int, bytes]:
        """Return the bytes of blocks of *leaf* that are not cached, up to the size of one fetch.

        Args:
            numbers: Entries that will be needed, in this order.
        """
        wanted, total = [], 0
        for number in numbers:
            offset, size = leaf.places[number].tolist()
            if not 0 <= offset <= offset + size <= self._end:
                break  # there is no such block; the lookup that needs it raises the error
            if not self.cache.has(self, offset):
                wanted.append((number, (offset, size)))
                total += size
                if total >= _FETCH:
                    break
        if len(wanted) < 2:  # noqa: PLR2004  one block is read where it is asked for
            return {}
        found = self.file.source.read_ranges([place for _, place in wanted])
        return dict(zip([number for number, _ in wanted], found, strict=True))

    def _block(self, offset: int, size: int, known: bytes | None) -> Block:
        blocks = self.file.blocks
        if known is None:
            return blocks.at(offset, size, self._end)
        block = blocks.parse(known, offset, 0, self._end)
        if block.size != size:
            raise FormatError("block.len_on_disk", offset, block.size, f"{size} bytes in all")
        return block

    def _check_keys(self, entry: IndexEntry, first: bytes, last: bytes, stop: bytes | None) -> None:
        """Refuse a block whose keys are not between that of its entry and that of the next one."""
        if self.less(first, entry.key):
            wanted = f"a key up to {beginning(first)}, the first below it"
            raise FormatError("index.key", entry.offset, entry.key, wanted)
        if stop is not None and self.less(stop, last):
            wanted = f"a key not before {beginning(last)}, the last below the entry before"
            raise FormatError("index.key", entry.offset, stop, wanted)

    def _check_ends(self, offset: int, *, last: bool) -> None:
        """Refuse a trailer that names another last block than the one at *offset* shows."""
        trailer = self.file.trailer
        stated = trailer.last_data_block_offset
        if stated is None or (offset != stated if last else offset >= stated):
            wanted = f"{offset}, as the index says" if last else f"more than {offset}"
            raise FormatError("trailer.last_data_block_offset", trailer.offset, stated, wanted)

    def less(self, one: bytes, other: bytes) -> bool:
        """Whether a serialized key comes before another."""
        sizes = len(one), len(other)
        return bool(
            compare_keys(packed(one), 0, sizes[0], packed(other), 0, sizes[1], self.order) < 0
        )

    def _number(self, index_block: IndexBlock, key: bytes) -> int:
        found = np.zeros(1, np.int64)
        places = np.array([0, len(key)], np.int64)
        descent(
            index_block.data, index_block.starts, index_block.ends, packed(key), places,
            np.zeros(1, np.int64), self.order, found,
        )  # fmt: skip
        return int(found[0])

    @property
    def _end(self) -> int:
        return self.file.trailer.load_on_open_data_offset
