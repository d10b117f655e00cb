"""Write the data index, in as many levels as it needs.

- Leaf blocks are among the data: each is written when its entries reach the bound. If that never
  happens, the root holds all entries.
- Above the leaves, levels are added until the root is no larger than the bound, or has few entries.
- The key of a block need only be after the cell before the block and not after its first cell, so
  it is made as short as possible.
- The root says where the middle of the file is, for splitting it in two.

Source: specs/hfile/index.ksy
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Final

from byteloom.hfile.blocks import MAGICS
from byteloom.hfile.index_entries import IndexEntry
from byteloom.hfile.keys import FIRST, Key, sized_row
from byteloom.hfile.messages import hadoop_vlong
from byteloom.hfile.trailer import MOST_LEVELS
from byteloom.hfile.writing.blocks import BlockWriter
from byteloom.hfile.writing.settings import Settings
from byteloom_generated.hfile.index import Entry, Index, MidKey, NonRootIndex, RootEntry

__all__ = ["IndexWriter", "between", "root_payload"]

_ENTRY: Final = Entry.MIN_SIZE


def between(before: bytes, key: bytes) -> bytes:
    """Return a short key that is greater than the key *before* and not greater than *key*."""
    row_a, family_a, qualifier_a, *_ = Key.decode(before)
    row, family, qualifier, *_ = Key.decode(key)
    if row_a != row:
        return sized_row(_shorter(row_a, row)) + b"\0" + FIRST
    start = sized_row(row)
    if family_a > family:  # *key* is the one that comes after its whole row
        return key
    if family_a != family:
        short = _shorter(family_a, family)
        return start + bytes([len(short)]) + short + FIRST
    if qualifier_a < qualifier:
        return start + bytes([len(family)]) + family + _shorter(qualifier_a, qualifier) + FIRST
    return key


def _shorter(left: bytes, right: bytes) -> bytes:
    """Return the shortest bytes that HBase finds greater than *left* and at most *right*."""
    size = min(len(left), len(right))
    differ = int.from_bytes(left[:size], "big") ^ int.from_bytes(right[:size], "big")
    if not differ:  # *left* is the shorter one here
        return left + b"\0"
    at = size - (differ.bit_length() + 7) // 8
    return left[:at] + bytes([left[at] + 1])


def root_payload(entries: Sequence[IndexEntry], mid_key: MidKey | None = None) -> bytes:
    """Return the payload of a root index block."""
    lengths = {size: hadoop_vlong(size) for size in {len(each.key) for each in entries}}
    records = [
        RootEntry(
            offset=each.offset, len_block=each.size, len_key=lengths[len(each.key)], key=each.key
        )
        for each in entries
    ]
    return Index(num_entries=len(records), entries=records, mid_key=mid_key).to_bytes()


def _non_root_payload(entries: Sequence[IndexEntry]) -> bytes:
    offsets = accumulate((_ENTRY + len(each.key) for each in entries), initial=0)
    records = [
        Entry(len_key=len(each.key), offset=each.offset, len_block=each.size, key=each.key)
        for each in entries
    ]
    return NonRootIndex(offsets=list(offsets), entries=records).to_bytes()


def _len_root(entry: IndexEntry) -> int:
    """Return the bytes of an entry in a root block."""
    size = len(entry.key)
    return RootEntry.MIN_SIZE + len(hadoop_vlong(size).rest) + size


class IndexWriter:
    """The data index of one file.

    Attributes:
        levels: 1 if the root points at data blocks.
        root: Entries of the root; the trailer counts them.
        uncompressed: Bytes of the payloads of all its blocks.
    """

    def __init__(self, blocks: BlockWriter, settings: Settings) -> None:
        """Write through *blocks*."""
        self._blocks = blocks
        self._most, self._least = settings.index_block_max_size, settings.index_block_min_entries
        self.levels, self.uncompressed = 1, 0
        self.root: list[IndexEntry] = []
        self._leaf: list[IndexEntry] = []
        self._len_leaf = 0
        self._below: list[int] = []  # running totals of the entries of leaves

    def add(self, key: bytes, offset: int, size: int, *, is_last: bool) -> None:
        """Add a data block, and write the leaf block that it fills unless it is the last one."""
        self._leaf.append(IndexEntry(offset, size, key))
        self._len_leaf += 4 + _ENTRY + len(key)
        if 8 + self._len_leaf >= self._most and not is_last:
            self._write_leaf()

    def close(self) -> None:
        """Write the last leaf block, after the last data block."""
        if not self.root:
            self.root = self._leaf
        elif self._leaf:
            self._write_leaf()
        if self._below:
            self.levels = 2

    def _write_leaf(self) -> None:
        payload = _non_root_payload(self._leaf)
        placed = self._blocks.write(MAGICS["leaf_index"], payload)
        self.uncompressed += len(payload)
        self._below.append((self._below[-1] if self._below else 0) + len(self._leaf))
        self.root.append(IndexEntry(*placed, self._leaf[0].key))
        self._leaf, self._len_leaf = [], 0

    def finish(self) -> int:
        """Write the levels above the leaves; return where the root begins."""
        mid_key = self._mid_key() if self._below else None
        while (
            self._below
            and sum(map(_len_root, self.root)) > self._most
            and len(self.root) > self._least
            and self.levels < MOST_LEVELS
        ):
            self._add_level()
        payload = root_payload(self.root, mid_key)
        self.uncompressed += len(payload)
        return self._blocks.write(MAGICS["root_index"], payload, counts=False).offset

    def _mid_key(self) -> MidKey:
        middle = (self._below[-1] - 1) // 2
        index = bisect_right(self._below, middle)
        leaf = self.root[index]
        before = self._below[index - 1] if index else 0
        return MidKey(ofs_leaf=leaf.offset, len_leaf=leaf.size, entry=middle - before)

    def _add_level(self) -> None:
        above: list[IndexEntry] = []
        chunk: list[IndexEntry] = []
        size = 0
        for number, entry in enumerate(self.root):
            chunk.append(entry)
            size += _len_root(entry)
            # HBase counts entries from the start of the level here, not of the block.
            if number >= self._least and size >= self._most:
                above.append(self._intermediate(chunk))
                chunk, size = [], 0
        if chunk:
            above.append(self._intermediate(chunk))
        self.root = above
        self.levels += 1

    def _intermediate(self, entries: Sequence[IndexEntry]) -> IndexEntry:
        payload = _non_root_payload(entries)
        self.uncompressed += len(payload)
        placed = self._blocks.write(MAGICS["intermediate_index"], payload, counts=False)
        return IndexEntry(*placed, entries[0].key)
