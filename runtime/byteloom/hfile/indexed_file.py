"""An open HFile and the means to find its cells: the index, the Bloom filters, the key order.

Lookups and ranges work on such a file; `HFile` adds the public methods.

- Of HBase's filters only the one of rows is used; those of columns and prefixes hash other keys.
- Of Hudi's filters the one in a meta block is used, if its kind is known.
- Parts of a file for parallel readers begin at borders of blocks, taken from the first level of the
  index that has enough of them. A border is a key, so every cell is in exactly one part.

Source: specs/hfile/bloom.ksy, specs/hfile/hudi_bloom.ksy;
https://hbase.apache.org/book.html#_hfile_format_2
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError, Unsupported, beginning
from byteloom.hfile import info_entries
from byteloom.hfile.bloom import ROW, BloomFilter
from byteloom.hfile.bloom_keys import keys_of, no_names
from byteloom.hfile.decoded_blocks import IndexBlock
from byteloom.hfile.hudi_bloom import DYNAMIC, SIMPLE, HudiBloomFilter
from byteloom.hfile.index_tree import IndexTree
from byteloom.hfile.keys import Key
from byteloom.hfile.scan import HFileScan
from byteloom.hfile.stored_file import StoredFile
from byteloom.storage.naming import naming

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["IndexedFile", "Split", "out_of_order"]

_NAME: Final = b"bloomFilter"
_KIND: Final = info_entries.HUDI_BLOOM_KIND

_ENOUGH: Final = 8
"""Entries for each part of a file, so that sizes of parts differ by an eighth at most."""


@naming
class RowFilter:
    """The Bloom filter of one file's rows.

    Attributes:
        file_name: The name of the file in errors; None where it has no name.
    """

    def __init__(self, file: StoredFile, filters: Iterable[BloomFilter]) -> None:
        """Find the filter of *file*: HBase's among *filters*, or Hudi's; read chunks on demand."""
        self._hbase = next((each for each in filters if each.kind == ROW), None)
        self._hudi = None if self._hbase is not None else _hudi_filter(file)
        self._checked: set[int] = set()
        self.file_name = file.file_name

    def passing(self, rows: pa.Array) -> NDArray[np.bool_] | None:
        """Return for each row whether the file may have it; None if there is no usable filter."""
        if self._hbase is not None:
            self._check_chunks(self._hbase, rows)
            return self._hbase.might_contain(rows)
        return None if self._hudi is None else self._hudi.might_contain(rows)

    def _check_chunks(self, bloom: BloomFilter, rows: pa.Array) -> None:
        """Refuse chunks that do not contain their own first key, before any of them is used."""
        keys = keys_of(rows)
        asked = set(bloom.chunk_numbers(keys, no_names(len(keys))).tolist())
        for number in asked - self._checked - {-1}:
            chunk = bloom.record.chunks[number]
            if not bloom.passes(chunk.key):
                wanted = f"one that has {beginning(chunk.key)}, its first key"
                raise FormatError(f"bloom.chunks[{number}]", chunk.offset, "a chunk", wanted)
            self._checked.add(number)


def _hudi_filter(file: StoredFile) -> HudiBloomFilter | None:
    """Return the filter that Hudi put into *file*; None without one of a known kind."""
    kind = file.file_info.get(_KIND, b"").decode("ascii", "replace")
    if kind not in {SIMPLE, DYNAMIC} or _NAME not in file.meta_names:
        return None
    return HudiBloomFilter(file.read_meta(_NAME), kind, limits=file.limits)


def out_of_order() -> Unsupported:
    """Return the error for seeks, which are not defined in files with keys out of order."""
    wanted = "keys that ascend; `get`, `lookup`, `prefix` and ranges of rows scan such a file"
    return Unsupported("cells", None, "keys out of order", wanted)


class Split(NamedTuple):
    """A part of a file, from *start* up to but not including *stop*, as `HFile.range` takes them.

    Attributes:
        offset: Where its first block is.
        size: Bytes of the file up to the next part.
    """

    start: Key | None
    stop: Key | None
    offset: int
    size: int


@naming
class IndexedFile(StoredFile):
    """An open HFile whose cells can be found; `byteloom.hfile.HFile` lists its attributes."""

    def close(self) -> None:
        """Close the file, unless the caller opened it."""
        for owner in (self.__dict__.get("tree"), *self.__dict__.get("bloom_filters", ())):
            self.cache.drop(owner)
        super().close()

    @cached_property
    def tree(self) -> IndexTree:
        """The data index, whose blocks are read when a search reaches them."""
        return IndexTree(self, self.cache)

    def ordered_tree(self) -> IndexTree:
        """Return the data index of a file whose keys ascend.

        Raises:
            Unsupported: Where they do not.
        """
        if not self.is_in_order:
            raise out_of_order()
        return self.tree

    @cached_property
    def is_in_order(self) -> bool:
        """Whether keys ascend.

        They always do in files by HBase; files by Hudi's writer are scanned to find out.
        """
        if self.is_hbase:
            return True
        scan = HFileScan(self, ("row",), "view")
        for _ in scan.batches():
            pass
        return scan.disorder < 0

    @cached_property
    def row_filter(self) -> RowFilter:
        """The Bloom filters of rows, HBase's or Hudi's."""
        return RowFilter(self, self.bloom_filters)

    @cached_property
    def bloom_filters(self) -> list[BloomFilter]:
        """HBase's Bloom filters; their chunks are read on demand."""
        end = self.trailer.load_on_open_data_offset
        return [
            BloomFilter(self.blocks, block, self.file_info, end, self.cache, self.file_name)
            for block in self.on_open
            if block.type.endswith("bloom_meta")
        ]

    def midkey(self) -> Key | None:
        """Return a key in the middle of the file, as its writer chose it; None without cells."""
        root, mid = self.root.entries, self.root.mid_key
        if not root:
            return None
        if mid is None:
            return Key.decode(root[len(root) // 2].key)
        entries = self.leaf_at(mid.ofs_leaf, mid.len_leaf)
        if not 0 <= mid.entry < len(entries):
            at = self.trailer.load_on_open_data_offset
            raise FormatError("mid_key.entry", at, mid.entry, f"0 to {len(entries) - 1}")
        return Key.decode(entries[mid.entry].key)

    def splits(self, count: int) -> list[Split]:
        """Return up to *count* parts of similar size, each a range for one of several readers.

        Args:
            count: Most parts, 1 or more.

        Returns:
            The parts, in the order of the file; none without cells.
        """
        if count < 1:
            raise FormatError("splits.count", None, count, "1 or more")
        end = self.trailer.load_on_open_data_offset
        if not self.root.entries:
            return []
        if count == 1 or not self.is_in_order:
            return [Split(None, None, 0, end)]
        borders = _borders(self.tree, count)
        starts = [None, *(Key.decode(key) for _, key in borders)]
        offsets = [0, *(offset for offset, _ in borders)]
        return [
            Split(start, stop, offset, after - offset)
            for start, stop, offset, after in zip(
                starts, [*starts[1:], None], offsets, [*offsets[1:], end], strict=True
            )
        ]


def _borders(tree: IndexTree, count: int) -> list[tuple[int, bytes]]:
    """Return where each part after the first begins: a block's offset and the key of its entry."""
    index_blocks: list[IndexBlock] = [tree.root]
    stops: list[bytes | None] = [None]
    while index_blocks[0].level > 1 and sum(map(len, index_blocks)) < _ENOUGH * count:
        below, stops_below = [], []
        for index_block, stop in zip(index_blocks, stops, strict=True):
            keys = [index_block.key(number) for number in range(1, len(index_block))]
            for number, after in enumerate([*keys, stop]):
                below.append(tree.index_block(index_block, number, after))
                stops_below.append(after)
        index_blocks, stops = below, stops_below
    entries = [
        (index_block, number) for index_block in index_blocks for number in range(len(index_block))
    ]
    count = min(count, len(entries))
    return [
        (index_block.entry(number).offset, index_block.key(number))
        for index_block, number in (
            entries[part * len(entries) // count] for part in range(1, count)
        )
        if number or index_block is not index_blocks[0]
    ]
