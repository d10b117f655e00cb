"""Data blocks to Arrow: decompressed and decoded into one buffer, then walked by a compiled loop.

- Blocks of one call share a buffer, and the columns are views into it: no byte of a key or a value
  is copied unless it is short or the caller asks for plain binary.
- Encoded cells become plain ones first, so that only one loop has to read cells.
- An error names the block, and the byte if it has a place in the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from mmap import MAP_ANONYMOUS, MAP_PRIVATE, PROT_READ, mmap
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import numpy as np
import pyarrow as pa

from byteloom.columns.loops import DONE, FULL
from byteloom.columns.walks import Walked as Found
from byteloom.errors import ArgumentError, FormatError
from byteloom.hfile.blocks import HEADER_SIZE, Block, Blocks
from byteloom.hfile.dialect import CellForm
from byteloom.hfile.encoded import plain_data
from byteloom.hfile.runs import Run, words
from byteloom.limits import Limits
from byteloom_generated.hfile.cell import Cell
from byteloom_generated.hfile.cell_scan import CELLS

if TYPE_CHECKING:
    from numpy.typing import NDArray


__all__ = ["COLUMNS", "Binary", "Cells", "Walked", "cells_of", "placed", "plain_cells", "walked"]

Binary: TypeAlias = Literal["view", "binary"]
"""How bytes are returned: as views of the file's bytes, or copied into buffers of their own."""

COLUMNS: Final = ("row", "family", "qualifier", "timestamp", "type", "value", "mvcc", "tags")

_LENGTHS: Final = Cell.MIN_SIZE
"""Bytes of a cell before its key: the lengths of key and value."""


@dataclass(frozen=True, slots=True)
class Cells:
    """Plain cells of some blocks.

    Attributes:
        data: One buffer.
        ranges: For each block, where its cells begin and end in *data*.
        blocks: Where the blocks are, for errors.
        origin: Where *data* begins in the file; None where it is not the bytes of the file.
    """

    data: NDArray[np.uint8]
    ranges: NDArray[np.int64]
    blocks: Sequence[Block] | Run
    origin: int | None = None


@dataclass(frozen=True, slots=True)
class Walked:
    """The result of a walk over cells.

    Attributes:
        bounds: Keys of the first and of the last cell of each block; empty where it has none.
        disorder: First cell that comes after a greater one; -1 for none.
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

    Args:
        most: Most cells allowed.
        columns: Names from `COLUMNS`, in any order.

    Raises:
        FormatError: Where a cell does not fit its block, or there are more than *most*.
    """
    is_there = {"tags": form.has_tags, "mvcc": form.is_mvcc_wide and form.has_mvcc}
    wanted = [name for name in columns if is_there.get(name, True)]
    found = CELLS.over(cells.data, cells.ranges, wanted, most, _parameters(form))
    if found.code != DONE:
        raise _refusal(cells, form, found)
    arrays = [_array(name, found, cells.data, binary) for name in columns]
    return Walked(
        pa.RecordBatch.from_arrays(arrays, schema=schema_of(columns, binary)),
        _bounds(cells, found.counts),
        found.disorder,
    )


def placed(cells: Cells, form: CellForm, most: int) -> tuple[NDArray[np.int32], int]:
    """Return where each cell begins and the last one ends, and the first out of order or -1.

    Args:
        cells: The cells of a single block.
        most: Most cells allowed.

    Raises:
        FormatError: Where a cell does not fit its block, or there are more than *most*.
    """
    found = CELLS.over(cells.data, cells.ranges, ["place"], most, _parameters(form))
    if found.code != DONE:
        raise _refusal(cells, form, found)
    starts = np.empty(found.rows + 1, np.int32)
    starts[:-1] = found.columns["place"].view(np.int64)[: found.rows]
    starts[-1] = cells.ranges[0, 1]
    return starts, found.disorder


def _parameters(form: CellForm) -> dict[str, int]:
    return {name: int(getattr(form, name)) for name in CELLS.parameters}


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
        raise ArgumentError("columns", None, found, f"some of {', '.join(COLUMNS)}")
    if binary not in {"view", "binary"}:
        raise ArgumentError("binary", None, binary, "view or binary")
    return pa.schema(
        [pa.field(name, types.get(name, bytes_type), nullable=False) for name in columns]
    )


def _array(name: str, found: Found, data: NDArray[np.uint8], binary: Binary) -> pa.Array:
    """Return a column; if the walk filled nothing, all values are 0 or empty."""
    out, count = next(each for each in CELLS.columns if each.name == name), found.rows
    filled = found.columns.get(name)
    buffer = _zeros(count * out.width) if filled is None else pa.py_buffer(filled)
    if out.form != "view":
        kind = pa.from_numpy_dtype(np.dtype(out.form))
        return pa.Array.from_buffers(kind, count, [None, buffer])
    array = pa.Array.from_buffers(pa.binary_view(), count, [None, buffer, pa.py_buffer(data)])
    return array if binary == "view" else array.cast(pa.binary())


def _zeros(size: int) -> pa.Buffer:
    """Return at least *size* zero bytes; all columns without content share them."""
    return _shared_zeros(max(size - 1, 0).bit_length())


@lru_cache(maxsize=64)
def _shared_zeros(power: int) -> pa.Buffer:
    """Return 2 to the *power* zero bytes, all on one page of memory."""
    return pa.py_buffer(mmap(-1, 1 << power, MAP_PRIVATE | MAP_ANONYMOUS, PROT_READ))


def _bounds(cells: Cells, counts: NDArray[np.int64]) -> list[bytes]:
    starts = np.stack([cells.ranges[:, 0], counts[:, 1]], axis=1)
    is_empty = cells.ranges[:, 0] >= cells.ranges[:, 1]
    if is_empty.any():
        found = iter(_keys(cells.data, starts[~is_empty].ravel()))
        return [b"" if none else next(found) for none in np.repeat(is_empty, 2).tolist()]
    return _keys(cells.data, starts.ravel())


def _keys(data: NDArray[np.uint8], starts: NDArray[np.int64]) -> list[bytes]:
    """Return the keys of the cells at *starts*, where a walk has found cells."""
    sizes = words(data, starts).astype(np.int64)
    begins = starts + _LENGTHS
    view = data.data
    return [
        view[at:end].tobytes()
        for at, end in zip(begins.tolist(), (begins + sizes).tolist(), strict=True)
    ]


def _refusal(cells: Cells, form: CellForm, found: Found) -> FormatError:
    """Return the error about the cell that a walk stopped at."""
    block: Any = cells.blocks[found.part]
    place = block.offset if cells.origin is None else cells.origin + found.place
    if found.code == FULL:
        raw = cells.data[found.place : found.place + 16].tobytes()
        wanted = "no more cells than the trailer's entry_count"
        return FormatError(f"{block.type}.cells[{found.rows}]", place, raw, wanted)
    start, end = cells.ranges[found.part].tolist()
    origin = -start if cells.origin is None else cells.origin
    error = CELLS.refusal(cells.data, end, found, _parameters(form), origin)
    if cells.origin is None:
        _place(error, cells, found.part)
    return error.inside(block.type)


def _place(error: FormatError, cells: Cells, part: int) -> None:
    """Set the offset of an error about decoded cells to that of their block in the file."""
    blocks = cells.blocks
    if isinstance(blocks, Run) and blocks[part].type == "data":
        error.inside_decompressed("block", blocks[part].offset, int(blocks.table[part, 2]))
    else:  # the cells were decoded, or gathered from several blocks
        error.offset = blocks[part].offset
