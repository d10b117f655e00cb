"""An open HFile and the means to find its cells: the index, the Bloom filters, the key order.

Lookups, ranges and splits work on such a file; `HFile` adds the public methods.

- Of HBase's filters only the one of rows is used; those of columns and prefixes hash other keys.
- Of Hudi's filters the one in a meta block is used, if its kind is known.

Source: specs/hfile/bloom.ksy, specs/hfile/hudi_bloom.ksy
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError, beginning
from byteloom.hfile import info_names
from byteloom.hfile.bloom import ROW, BloomFilter
from byteloom.hfile.bloom_keys import keys_of, no_names
from byteloom.hfile.hudi_bloom import DYNAMIC, SIMPLE, HudiBloomFilter
from byteloom.hfile.scan import HFileScan
from byteloom.hfile.stored import StoredFile
from byteloom.hfile.tree import Tree
from byteloom.hfile.unordered import out_of_order
from byteloom.storage.naming import naming

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["IndexedFile"]

_NAME: Final = b"bloomFilter"
_KIND: Final = info_names.HUDI_BLOOM_KIND


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
