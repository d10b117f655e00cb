"""Rows that a file cannot have, told by its Bloom filters: no block is read for them.

- Of HBase's filters the one of rows is asked; those of columns and prefixes answer other questions.
- Of Hudi's, the one in a meta block, if it is of a kind that is known.

Source: specs/hfile/bloom.ksy, specs/hfile/hudi_bloom.ksy
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.hfile.bloom import ROW
from byteloom.hfile.hudi_bloom import DYNAMIC, SIMPLE, HudiBloomFilter

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from byteloom.hfile.reader import HFile

__all__ = ["hudi_filter", "passing"]

_NAME: Final = b"bloomFilter"
_KIND: Final = b"bloomFilterTypeCode"


def hudi_filter(file: HFile) -> HudiBloomFilter | None:
    """Return the filter that Hudi put into *file*; None for none, and for kinds unknown."""
    kind = file.file_info.get(_KIND, b"").decode("ascii", "replace")
    if kind not in {SIMPLE, DYNAMIC} or _NAME not in file.meta_names:
        return None
    return HudiBloomFilter(file.read_meta(_NAME), kind, limits=file.limits)


def passing(file: HFile, rows: pa.Array) -> NDArray[np.bool_] | None:
    """Return for each row whether *file* may have it; None where no filter tells."""
    filters = [each for each in file.bloom_filters if each.kind == ROW]
    if filters:
        return filters[0].might_contain(rows)
    hudi = file.hudi_bloom_filter
    return None if hudi is None else hudi.might_contain(rows)
