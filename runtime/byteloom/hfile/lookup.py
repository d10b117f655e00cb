"""Cells by their row: which blocks may hold them, and what of those blocks is asked for.

- The index is descended only where it leads to a row that is asked for.
- Cells with one key may lie in several blocks, so that the block before the first index key that is
  not less is read too.
- Hudi's own writer does not check the order of keys.  In its files the order is checked once, by a
  scan; where it does not hold, every lookup is a scan, for an index that is out of order finds
  nothing and proves nothing.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import FormatError, Unsupported
from byteloom.hfile.cells import plain_cells, walked
from byteloom.hfile.keys import LATEST

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from byteloom.hfile.index import IndexEntry
    from byteloom.hfile.reader import HFile

__all__ = ["after_prefix", "batches_between", "batches_of_row"]

_HIGHEST: Final = 255


def batches_of_row(file: HFile, row: bytes, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Yield the cells of one row."""
    import pyarrow.compute as pc

    if len(row) > 0x7FFF:  # noqa: PLR2004  the longest row that a key can hold
        return
    low = file.order(_key(row, LATEST, _HIGHEST)) if file.is_in_order else None
    high = file.order(_key(row, 0, 0)) if file.is_in_order else None
    for batch in _candidates(file, low, high, columns):
        found = batch.filter(pc.equal(batch.column("row"), row))
        if found.num_rows:
            yield found.select(columns)


def batches_between(
    file: HFile, start: bytes, stop: bytes | None, columns: Sequence[str]
) -> Iterator[pa.RecordBatch]:
    """Yield the cells of rows from *start* on and before *stop*, in the order of the file."""
    import pyarrow.compute as pc

    if file.trailer.is_meta_order:
        found = file.trailer.comparator_class_name
        raise Unsupported("range", None, found, "a file whose rows are ordered by their bytes")
    ordered = file.is_in_order
    low = file.order(_key(start[:0x7FFF], LATEST, _HIGHEST)) if ordered else None
    high = None if stop is None or not ordered else file.order(_key(stop[:0x7FFF], 0, 0))
    for batch in _candidates(file, low, high, columns):
        rows = batch.column("row")
        mask = pc.greater_equal(rows, start)
        if stop is not None:
            mask = pc.and_(mask, pc.less(rows, stop))
        found = batch.filter(mask)
        if found.num_rows:
            yield found.select(columns)


def after_prefix(prefix: bytes) -> bytes | None:
    """Return the first row behind all that begin with *prefix*; None where none can be."""
    kept = prefix.rstrip(b"\xff")
    return kept[:-1] + bytes([kept[-1] + 1]) if kept else None


def _key(row: bytes, time: int, kind: int) -> bytes:
    """Return a key before (255) or behind (0) all cells of *row*."""
    return len(row).to_bytes(2, "big") + row + b"\0" + time.to_bytes(8, "big") + bytes([kind])


def _candidates(
    file: HFile, low: Any, high: Any, columns: Sequence[str]
) -> Iterator[pa.RecordBatch]:
    """Yield all cells of the blocks that may hold keys from *low* to *high*."""
    wanted = list(dict.fromkeys(["row", *columns]))
    if low is None:
        yield from file.batches(wanted, binary="binary")
        return
    end = file.trailer.load_on_open_data_offset
    levels = file.trailer.num_data_index_levels
    for entry in _below(file, file.root.entries, levels, low, high):
        block = file.blocks.at(entry.offset, entry.size, end)
        cells = plain_cells(file.blocks, [block], file.form, file.limits)
        found = walked(cells, file.form, file.trailer.entry_count, wanted, "binary")
        if found.disorder >= 0 and file.is_hbase and not file.trailer.is_meta_order:
            told = "a key before that of the cell before"
            raise FormatError(f"cells[{found.disorder}]", block.offset, told, "keys that ascend")
        yield found.batch


def _below(
    file: HFile, entries: list[IndexEntry], level: int, low: Any, high: Any
) -> Iterator[IndexEntry]:
    """Yield the data blocks that may hold keys from *low* to *high*."""
    orders = [file.order(entry.key) for entry in entries]
    first = max(bisect_left(orders, low) - 1, 0)
    last = len(orders) if high is None else bisect_right(orders, high)
    for entry in entries[first:last]:
        if level == 1:
            yield entry
        else:
            wanted = "leaf_index" if level == 2 else "intermediate_index"  # noqa: PLR2004  above it
            yield from _below(file, file.children(entry, wanted), level - 1, low, high)
