"""An open HFile and the means to find its cells: the index, the Bloom filters, the key order.

Lookups, ranges and splits work on such a file; `HFile` adds the public methods.
"""

from __future__ import annotations

from functools import cached_property

from byteloom.hfile.bloom import BloomFilter
from byteloom.hfile.scan import HFileScan
from byteloom.hfile.skipping import RowFilter
from byteloom.hfile.stored import StoredFile
from byteloom.hfile.tree import Tree
from byteloom.hfile.unordered import out_of_order
from byteloom.storage.naming import naming

__all__ = ["IndexedFile"]


@naming
class IndexedFile(StoredFile):
    """An open HFile whose cells can be found; `byteloom.hfile.HFile` lists its attributes."""

    def close(self) -> None:
        """Close the file, unless the caller opened it."""
        for owner in (self.__dict__.get("tree"), *self.__dict__.get("bloom_filters", ())):
            self.cache.drop(owner)
        super().close()

    @cached_property
    def tree(self) -> Tree:
        """The data index, whose blocks are read when a search reaches them."""
        return Tree(self, self.cache)

    def ordered_tree(self) -> Tree:
        """Return the data index of a file whose keys ascend.

        raises  `Unsupported` where they do not
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
