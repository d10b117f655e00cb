"""Lookups in files whose keys are out of order: scan the whole file, and filter.

Hudi's own writer sorts keys as Java orders text, and checks nothing, so the place of one key does
not show where others are.

Source: specs/hfile/SOURCE.md
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from byteloom.errors import Unsupported
from byteloom.hfile.scan import HFileScan
from byteloom.hfile.stored import StoredFile
from byteloom.late import pc

__all__ = ["out_of_order", "rows_asked", "rows_between"]


def out_of_order() -> Unsupported:
    """Return the error for seeks, which are not defined in files with keys out of order."""
    wanted = "keys that ascend; `get`, `lookup`, `prefix` and ranges of rows scan such a file"
    return Unsupported("cells", None, "keys out of order", wanted)


def rows_between(
    file: StoredFile, start: bytes, stop: bytes | None, columns: Sequence[str], *, reverse: bool
) -> Iterator[pa.RecordBatch]:
    """Yield the cells of rows from *start* on and before *stop*, in the order of the file."""
    found = []
    for batch in _scan(file, columns).batches():
        rows = batch.column("row")
        mask = pc.greater_equal(rows, start)
        if stop is not None:
            mask = pc.and_(mask, pc.less(rows, stop))
        kept = batch.filter(mask).select(columns)
        if kept.num_rows and not reverse:
            yield kept
        elif kept.num_rows:
            found.append(kept)
    for batch in reversed(found):
        yield batch.take(pa.array(np.arange(batch.num_rows - 1, -1, -1)))


def rows_asked(
    file: StoredFile, rows: pa.Array, columns: Sequence[str]
) -> tuple[np.ndarray, pa.Table]:
    """Return the cells of all *rows* asked for, each with the number of its row in *rows*."""
    asked = rows.cast(pa.binary()).dictionary_encode()
    table = _scan(file, columns).table()
    hits = pc.index_in(table["row"].combine_chunks(), value_set=asked.dictionary)
    there = np.flatnonzero(pc.is_valid(hits).to_numpy(zero_copy_only=False))
    which = hits.drop_null().to_numpy()
    order = np.argsort(which, kind="stable")
    cells, which = there[order], which[order]
    wanted = asked.indices.to_numpy()
    first, end = np.searchsorted(which, wanted), np.searchsorted(which, wanted, "right")
    counts = end - first
    numbers = np.repeat(first - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
    found = table.take(pa.array(cells[numbers])).select(columns)
    return np.repeat(np.arange(len(rows)), counts), found


def _scan(file: StoredFile, columns: Sequence[str]) -> HFileScan:
    return HFileScan(file, list(dict.fromkeys(["row", *columns])), "binary")
