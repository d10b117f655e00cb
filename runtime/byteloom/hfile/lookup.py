"""Rows, ranges and prefixes: which cells they are, forward and backward.

- A range is the cells between two positions; each is found by descending the index.
- Cells of several blocks are gathered until they fill a batch; the walk that scans use makes
  columns of them.
- Hudi's own writer sorts keys as Java orders text, and checks nothing.  In its files the order is
  checked once, by a scan; if they are out of order, every lookup is a scan and a filter, since the
  place of one key does not show where others are.

Source: specs/hfile/SOURCE.md
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.hfile.cells import Cells, schema_of, walked
from byteloom.hfile.decoded_blocks import DataBlock
from byteloom.hfile.indexed_file import IndexedFile, out_of_order
from byteloom.hfile.keys import Key, row_bytes
from byteloom.hfile.scan import HFileScan
from byteloom.hfile.search import Search, SearchKeys, rows_array, serialized_keys, serialized_rows
from byteloom.hfile.seek import Position, encoded, located
from byteloom.kernels.hfile_order import gather
from byteloom.late import pc

if TYPE_CHECKING:
    from numpy.typing import NDArray


__all__ = [
    "after_prefix",
    "batches_between",
    "batches_of_prefix",
    "scanned_between",
    "table_of_keys",
    "table_of_rows",
]

LARGEST: Final = 1 << 30
"""Most bytes of cells in a batch of a lookup, whose offsets are signed 32-bit words."""

GATHER: Final = 1 << 20
"""Bytes of cells from which a range makes a batch."""


def after_prefix(prefix: bytes) -> bytes | None:
    """Return the first row after all rows that begin with *prefix*; None if there cannot be one."""
    kept = prefix.rstrip(b"\xff")
    return kept[:-1] + bytes([kept[-1] + 1]) if kept else None


def batches_between(
    file: IndexedFile,
    start: bytes | Key | None,
    stop: bytes | Key | None,
    columns: Sequence[str],
    *,
    reverse: bool = False,
) -> Iterator[pa.RecordBatch]:
    """Yield the cells from *start* up to but not including *stop*; None for an end of the file."""
    columns = schema_of(columns, "binary").names
    if not file.is_in_order:
        if isinstance(start, Key) or isinstance(stop, Key):
            raise out_of_order()
        begin, stop_row = row_bytes(start or b""), None if stop is None else row_bytes(stop)
        yield from scanned_between(file, begin, stop_row, columns, reverse=reverse)
        return
    low, high = _position(file, start), _position(file, stop, last=True)
    if low is None or high is None or low.place >= high.place:
        return
    pieces: list[tuple[DataBlock, int, int]] = []
    size = 0
    for data_block, first, end in _backward(low, high) if reverse else _forward(low, high):
        pieces.append((data_block, first, end))
        size += int(data_block.starts[end]) - int(data_block.starts[first])
        if size >= GATHER:
            yield _batch(file, pieces, size, columns, reverse=reverse)
            pieces, size = [], 0
    if pieces:
        yield _batch(file, pieces, size, columns, reverse=reverse)


def batches_of_prefix(
    file: IndexedFile, prefix: bytes, columns: Sequence[str], *, reverse: bool
) -> Iterator[pa.RecordBatch]:
    """Yield the cells of rows that begin with *prefix*."""
    prefix = row_bytes(prefix)
    if file.is_hbase and file.trailer.is_meta_order:
        # In the catalog's order, rows with one prefix are not adjacent.
        yield from scanned_between(file, prefix, after_prefix(prefix), columns, reverse=reverse)
    else:
        stop = after_prefix(prefix)
        yield from batches_between(file, prefix, stop, columns, reverse=reverse)


def table_of_rows(file: IndexedFile, rows: Any, columns: Sequence[str]) -> pa.Table:
    """Return the cells of *rows*, each after the number of its row."""
    asked, columns = rows_array(rows), schema_of(columns, "binary").names
    passed = file.row_filter.passing(asked) if len(asked) else None
    picked = None if passed is None or passed.all() else np.flatnonzero(passed)
    if picked is not None:
        asked = asked.take(pa.array(picked))
    if not len(asked):
        return _numbered(np.empty(0, np.int64), schema_of(columns, "binary").empty_table())
    if file.is_in_order:
        numbers, found = _found(file, serialized_rows(asked, file.tree.rows), columns)
    else:
        numbers, found = scanned_rows(file, asked, columns)
    return _numbered(numbers if picked is None else picked[numbers], found)


def table_of_keys(file: IndexedFile, keys: Sequence[Key], columns: Sequence[str]) -> pa.Table:
    """Return the cells that have one of *keys*, each after the number of its key."""
    columns = schema_of(columns, "binary").names
    return _numbered(*_found(file, serialized_keys(keys, file.ordered_tree().order), columns))


def _found(
    file: IndexedFile, asked: SearchKeys, columns: Sequence[str]
) -> tuple[NDArray[np.int64], pa.Table]:
    search = Search(file.tree, asked)
    search.run()
    if search.data_block is None:
        return np.empty(0, np.int64), schema_of(columns, "binary").empty_table()
    runs = search.runs
    order = np.argsort(runs[:, 0], kind="stable")
    parts = np.cumsum(runs[order, 2]) // LARGEST
    borders = np.flatnonzero(np.diff(parts)) + 1
    batches = [
        _gathered(file, search, part, columns, search.data_block)
        for part in np.split(order, borders)
    ]
    return np.repeat(runs[order, 0], runs[order, 1]), pa.Table.from_batches(batches)


def _gathered(
    file: IndexedFile,
    search: Search,
    order: NDArray[np.int64],
    columns: Sequence[str],
    data_block: DataBlock,
) -> pa.RecordBatch:
    """Return the cells of the runs that *search* found, in the given order."""
    sizes = np.ascontiguousarray(search.runs[:, 2])
    out = np.empty(int(sizes[order].sum()), np.uint8)
    gather(search.data, np.cumsum(sizes) - sizes, order, sizes, out)
    return _columns(file, out, int(search.runs[order, 1].sum()), columns, data_block)


def _numbered(numbers: NDArray[np.int64], found: pa.Table) -> pa.Table:
    field = pa.field("asked", pa.int64(), nullable=False)
    return found.add_column(0, field, pa.array(numbers))


def _columns(
    file: IndexedFile,
    data: NDArray[np.uint8],
    count: int,
    columns: Sequence[str],
    data_block: DataBlock,
) -> pa.RecordBatch:
    """Return the columns of *count* cells in *data*, gathered from *data_block* and others."""
    data.flags.writeable = False  # one type of array for the compiled loops
    cells = Cells(data, np.array([[0, len(data)]], np.int64), [data_block.stored])
    return walked(cells, file.form, count, columns, "binary").batch


def _position(file: IndexedFile, key: bytes | Key | None, *, last: bool = False) -> Position | None:
    """Return where a range begins or, with *last*, ends."""
    if key is not None:
        return located(file.tree, encoded(key))
    path = file.tree.last() if last else file.tree.first()
    if path is None:
        return None
    data_block = path.data_block()
    return Position(path, data_block, len(data_block) if last else 0)


def _forward(low: Position, high: Position) -> Iterator[tuple[DataBlock, int, int]]:
    """Yield blocks, with the first cell of each and one past the last."""
    at, (stop, number) = low, high.place
    while at.data_block.stored.offset < stop:
        yield at.data_block, at.number, len(at.data_block)
        path = at.path.stepped(1)
        if path is None:
            return
        at = Position(path, path.data_block(), 0)
    if number > at.number:
        yield at.data_block, at.number, number


def _backward(low: Position, high: Position) -> Iterator[tuple[DataBlock, int, int]]:
    """Yield blocks from the last to the first, as `_forward` does."""
    at, (stop, number) = high, low.place
    while at.data_block.stored.offset > stop:
        if at.number:
            yield at.data_block, 0, at.number
        path = at.path.stepped(-1)
        if path is None:
            return
        data_block = path.data_block()
        at = Position(path, data_block, len(data_block))
    if at.number > number:
        yield at.data_block, number, at.number


def _batch(
    file: IndexedFile,
    pieces: list[tuple[DataBlock, int, int]],
    size: int,
    columns: Sequence[str],
    *,
    reverse: bool,
) -> pa.RecordBatch:
    out, at, count = np.empty(size, np.uint8), 0, 0
    for data_block, first, end in pieces:
        places = data_block.starts[first : end + 1]
        count += end - first
        length = int(places[-1]) - int(places[0])
        if reverse:
            backward = np.arange(end - first - 1, -1, -1)
            gather(data_block.data, places, backward, np.diff(places), out[at : at + length])
        else:
            out[at : at + length] = data_block.data[places[0] : places[-1]]
        at += length
    return _columns(file, out, count, columns, pieces[0][0])


def scanned_between(
    file: IndexedFile, start: bytes, stop: bytes | None, columns: Sequence[str], *, reverse: bool
) -> Iterator[pa.RecordBatch]:
    """Yield the cells of rows from *start* on and before *stop*, in the order of the file."""
    found = []
    for batch in _scan_of(file, columns).batches():
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


def scanned_rows(
    file: IndexedFile, rows: pa.Array, columns: Sequence[str]
) -> tuple[NDArray[np.int64], pa.Table]:
    """Return the cells of all *rows* asked for, each with the number of its row in *rows*."""
    asked = rows.cast(pa.binary()).dictionary_encode()
    table = _scan_of(file, columns).table()
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


def _scan_of(file: IndexedFile, columns: Sequence[str]) -> HFileScan:
    return HFileScan(file, list(dict.fromkeys(["row", *columns])), "binary")
