"""Data blocks to Arrow: decompressed and decoded side by side, then walked by one compiled loop.

- Blocks of one call share a buffer, and the columns are views into it: no byte of a key or a value
  is copied unless it is short or the caller asks for plain binary.
- Encoded cells become plain ones first, so that there is one loop that knows what a cell is.
- An error tells the block, and the byte where that has a place in the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError
from byteloom.hfile.encoded import plain_data
from byteloom.hfile.runs import Run, words
from byteloom.hfile.trailer import HEADER_SIZE
from byteloom.wire.views import allocated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from byteloom.hfile.blocks import Block, Blocks
    from byteloom.hfile.dialect import CellForm
    from byteloom.limits import Limits

__all__ = ["COLUMNS", "Binary", "Cells", "Walked", "cells_of", "plain_cells", "walked"]

Binary: TypeAlias = Literal["view", "binary"]
"""How bytes come out: as views into the file's bytes, or gathered in buffers of their own."""

COLUMNS: Final = ("row", "family", "qualifier", "timestamp", "type", "value", "mvcc", "tags")

_WIDTHS: Final = {"timestamp": 8, "type": 1, "mvcc": 8}
"""Bytes of a number; all else are views of 16."""

_VIEW: Final = 16
_LENGTHS: Final = 8
"""Bytes of a cell before its key."""
_USUAL: Final = 40
"""Bytes of a cell at least, if it is not a very small one."""


@dataclass(frozen=True, slots=True)
class Cells:
    """Plain cells of some blocks.

    data    one buffer
    ranges  for each block, where its cells begin and end in *data*
    blocks  where the blocks lie, for what errors say
    origin  where *data* begins in the file; None where it is not the bytes of the file
    """

    data: NDArray[np.uint8]
    ranges: NDArray[np.int64]
    blocks: Sequence[Block] | Run
    origin: int | None = None


@dataclass(frozen=True, slots=True)
class Walked:
    """What a walk found.

    bounds     keys of the first and of the last cell of each block; empty where it has none
    disorder   first cell that stands behind a greater one; -1 for none
    """

    batch: pa.RecordBatch
    bounds: list[bytes]
    disorder: int


def plain_cells(blocks: Blocks, group: Sequence[Block], form: CellForm, limits: Limits) -> Cells:
    """Return the cells of one data block, decompressed and decoded."""
    (block,) = group
    return cells_of(blocks, Run.of(block), form, limits)


def cells_of(blocks: Blocks, run: Run, form: CellForm, limits: Limits) -> Cells:
    """Return the cells of a run of data blocks, decompressed and decoded."""
    data, ranges, is_file = plain_data(blocks, run, form, limits)
    start, offset = (run.table[0, 5], run.table[0, 0]) if len(run) else (0, 0)
    in_file = is_file and blocks.cipher is None
    origin = int(offset + HEADER_SIZE - start) if in_file else None
    return Cells(data, ranges, run, origin)


def walked(
    cells: Cells, form: CellForm, most: int, columns: Sequence[str], binary: Binary
) -> Walked:
    """Return the columns of all cells.

    most     cells there may be at most
    columns  of `COLUMNS`, in any order
    raises   `FormatError` where a cell does not fit its block, or there are more than *most*
    """
    from byteloom.kernels.hfile_cells import FULL, WRONG, walk

    size = int((cells.ranges[:, 1] - cells.ranges[:, 0]).sum())
    counts, told = np.zeros((len(cells.ranges), 2), np.int64), np.zeros(4, np.int64)
    for least in (max(form.min_size, _USUAL), form.min_size):
        room = min(size // least, most)
        buffers = _buffers(columns, form, room)
        wrong = walk(
            cells.data, cells.ranges,
            form.has_columns, form.has_tags, form.has_mvcc, form.is_mvcc_wide,
            counts, told, room, *buffers.values(),
        )  # fmt: skip
        if wrong != FULL or room == most:
            break
    if wrong:
        raise _refusal(cells, told.tolist(), *WRONG[wrong])
    arrays = [_array(name, buffers[name], cells.data, int(told[0]), binary) for name in columns]
    batch = pa.RecordBatch.from_arrays(arrays, schema=schema_of(columns, binary))
    return Walked(batch, _bounds(cells, counts), int(told[3]))


def schema_of(columns: Sequence[str], binary: Binary) -> pa.Schema:
    """Return the schema of batches of these columns; nothing in it is null."""
    return _schema((columns,) if isinstance(columns, str) else tuple(columns), binary)


@lru_cache(maxsize=64)
def _schema(columns: tuple[str, ...], binary: Binary) -> pa.Schema:
    bytes_type = pa.binary_view() if binary == "view" else pa.binary()
    types = {"timestamp": pa.int64(), "type": pa.uint8(), "mvcc": pa.int64()}
    wrong = [name for name in columns if name not in COLUMNS]
    if wrong or not columns:
        found = ", ".join(map(str, wrong)) or "none"
        raise FormatError("columns", None, found, f"some of {', '.join(COLUMNS)}")
    if binary not in {"view", "binary"}:
        raise FormatError("binary", None, binary, "view or binary")
    return pa.schema(
        [pa.field(name, types.get(name, bytes_type), nullable=False) for name in columns]
    )


def _buffers(columns: Sequence[str], form: CellForm, room: int) -> dict[str, NDArray[np.uint8]]:
    """Return what the loop fills, in its order; empty for columns that nobody wants or all 0."""
    empty = np.empty(0, np.uint8)
    names = ("row", "family", "qualifier", "value", "tags", "timestamp", "type", "mvcc")
    is_there = {"tags": form.has_tags, "mvcc": form.is_mvcc_wide and form.has_mvcc}
    return {
        name: allocated(room * _WIDTHS.get(name, _VIEW), "u1")
        if name in columns and is_there.get(name, True)
        else empty
        for name in names
    }


def _array(
    name: str, filled: NDArray[np.uint8], data: NDArray[np.uint8], count: int, binary: Binary
) -> pa.Array:
    """Return a column of *count* values; all are 0, or of no bytes, where nothing was filled."""
    width = _WIDTHS.get(name, _VIEW)
    buffer = pa.py_buffer(filled) if len(filled) or not count else _zeros(count * width)
    if name in _WIDTHS:
        kind = pa.uint8() if name == "type" else pa.int64()
        return pa.Array.from_buffers(kind, count, [None, buffer])
    array = pa.Array.from_buffers(pa.binary_view(), count, [None, buffer, pa.py_buffer(data)])
    return array if binary == "view" else array.cast(pa.binary())


def _zeros(size: int) -> pa.Buffer:
    """Return at least *size* bytes of 0, which all columns without content share."""
    return _shared_zeros(1 << max(size - 1, 0).bit_length())


@lru_cache(maxsize=4)
def _shared_zeros(size: int) -> pa.Buffer:
    return pa.py_buffer(bytes(size))


def _bounds(cells: Cells, counts: NDArray[np.int64]) -> list[bytes]:
    starts = np.stack([cells.ranges[:, 0], counts[:, 1]], axis=1)
    is_empty = cells.ranges[:, 0] >= cells.ranges[:, 1]
    if is_empty.any():
        found = iter(_keys(cells.data, starts[~is_empty].ravel()))
        return [b"" if none else next(found) for none in np.repeat(is_empty, 2).tolist()]
    return _keys(cells.data, starts.ravel())


def _keys(data: NDArray[np.uint8], starts: NDArray[np.int64]) -> list[bytes]:
    """Return the keys of the cells at *starts*, which a walk found to be cells."""
    sizes = words(data, starts).astype(np.int64)
    begins = starts + _LENGTHS
    view = data.data
    return [
        view[at:end].tobytes()
        for at, end in zip(begins.tolist(), (begins + sizes).tolist(), strict=True)
    ]


def _refusal(cells: Cells, told: list[int], name: str, wanted: str) -> FormatError:
    number, at, index = told[:3]
    block: Any = cells.blocks[index]
    place = block.offset if cells.origin is None else cells.origin + at
    found = cells.data[at : at + 16].tobytes()
    path = f"{block.type}.cells[{number}].{name}".rstrip(".")
    return FormatError(path, place, found, wanted)
