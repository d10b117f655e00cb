"""Find rows that a file cannot have, by its Bloom filters, so that no block is read for them.

- Of HBase's filters only the one of rows is used; those of columns and prefixes hash other keys.
- Of Hudi's filters the one in a meta block is used, if its kind is known.

Source: specs/hfile/bloom.ksy, specs/hfile/hudi_bloom.ksy
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.errors import FormatError, beginning
from byteloom.hfile import info_names
from byteloom.hfile.bloom import ROW
from byteloom.hfile.bloom_keys import keys_of, no_names
from byteloom.hfile.hudi_bloom import DYNAMIC, SIMPLE, HudiBloomFilter
from byteloom.storage.naming import naming

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from byteloom.hfile.bloom import BloomFilter
    from byteloom.hfile.stored import StoredFile

__all__ = ["RowFilter"]

_NAME: Final = b"bloomFilter"
_KIND: Final = info_names.HUDI_BLOOM_KIND


@naming
class RowFilter:
    """The Bloom filter of one file's rows.

    file_name  the name of the file in errors; None where it has no name
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
