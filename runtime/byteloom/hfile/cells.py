"""Data blocks to Arrow: decompressed and decoded side by side, then walked by one compiled loop.

- Blocks of one call share a buffer, and the columns are views into it: no byte of a key or a value
  is copied unless it is short or the caller asks for plain binary.
- Encoded cells become plain ones first, so that there is one loop that knows what a cell is.
- An error tells the block, and the byte where that has a place in the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError, LimitExceeded
from byteloom.hfile.dialect import ENCODINGS
from byteloom.wire.views import allocated
from byteloom_generated.hfile.encoded import Encoded, Encoding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from byteloom.hfile.blocks import Block, Blocks
    from byteloom.hfile.dialect import CellForm
    from byteloom.limits import Limits

__all__ = ["COLUMNS", "Binary", "Cells", "Walked", "plain_cells", "walked"]

Binary: TypeAlias = Literal["view", "binary"]
"""How bytes come out: as views into the file's bytes, or gathered in buffers of their own."""

COLUMNS: Final = ("row", "family", "qualifier", "timestamp", "type", "value", "mvcc", "tags")

_ENCODED: Final = 2
"""Bytes of the number of the encoding."""


@dataclass(frozen=True, slots=True)
class Cells:
    """Plain cells of some blocks.

    data    one buffer
    ranges  for each block, where its cells begin and end in *data*
    """

    data: NDArray[np.uint8]
    ranges: NDArray[np.int64]
    blocks: Sequence[Block]


@dataclass(frozen=True, slots=True)
class Walked:
    """What a walk found.

    bounds     key of the first and of the last cell of each block; empty where it has none
    disorder   first cell that stands behind a greater one; -1 for none
    """

    batch: pa.RecordBatch
    bounds: list[tuple[bytes, bytes]]
    disorder: int


def plain_cells(blocks: Blocks, group: Sequence[Block], form: CellForm, limits: Limits) -> Cells:
    """Return the cells of data blocks, decompressed and decoded; blocks of one fetch together."""
    data, ranges = _decompressed(blocks, group)
    if form.encoding == "NONE":
        for block in group:
            _expect(block, "data")
        return Cells(data, ranges, group)
    for block in group:
        _expect(block, "encoded_data")
    if form.encoding == "ROW_INDEX_V1":
        for block, bounds in zip(group, ranges, strict=True):
            bounds[:] = _within_row_index(block, data, bounds)
        return Cells(data, ranges, group)
    return _decoded(data, ranges, group, form, limits)


def _expect(block: Block, wanted: str) -> None:
    if block.type != wanted:
        raise FormatError(
            "block.magic", block.offset, block.type, f"{wanted}, as the file info says"
        )


def _decompressed(
    blocks: Blocks, group: Sequence[Block]
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    if blocks.codec == "NONE" and all(block.buffer is group[0].buffer for block in group):
        bounds = [(block.start, block.start + block.len_stored) for block in group]
        return np.frombuffer(group[0].buffer, np.uint8), np.array(bounds, np.int64).reshape(-1, 2)
    ends = np.cumsum([block.header.len_uncompressed for block in group], dtype=np.int64)
    starts = ends - [block.header.len_uncompressed for block in group]
    out = bytearray(int(ends[-1]))
    view = memoryview(out)
    for block, start, end in zip(group, starts.tolist(), ends.tolist(), strict=True):
        if blocks.codec == "NONE":
            view[start:end] = block.stored
        else:
            blocks.payload_into(block, view[start:end])
    data = np.frombuffer(out, np.uint8)
    data.flags.writeable = False  # one type of array for the compiled loops
    return data, np.stack([starts, ends], axis=1)


def _head(block: Block, data: NDArray[np.uint8], bounds: NDArray[np.int64], wanted: str) -> Encoded:
    """Return the head of an encoded block, whose body is left where it is."""
    start, end = bounds.tolist()
    raw = data[start : min(end, start + 6)].tobytes()
    try:
        head = Encoded.from_bytes(raw, origin=block.offset)
    except FormatError as error:
        raise error.inside(block.type) from error.__cause__
    if int(head.encoding) != ENCODINGS[wanted]:
        found = Encoding(head.encoding).name
        raise FormatError(
            "encoded.encoding", block.offset, found, f"{wanted}, as the file info says"
        )
    return head


def _within_row_index(
    block: Block, data: NDArray[np.uint8], bounds: NDArray[np.int64]
) -> tuple[int, int]:
    """Return where the cells lie in a ROW_INDEX_V1 block, whose index is held against them."""
    _head(block, data, bounds, "ROW_INDEX_V1")
    start, end = int(bounds[0]) + _ENCODED, int(bounds[1])
    size = int.from_bytes(data[max(start, end - 4) : end].tobytes(), "big")
    if not 0 <= size <= end - start - 8:
        raise FormatError("row_index.len_cells", block.offset, size, f"0 to {end - start - 8}")
    num_rows = int.from_bytes(data[start + size : start + size + 4].tobytes(), "big")
    if 4 * num_rows != end - start - size - 8:
        wanted = f"{(end - start - size - 8) // 4}, as many as there is room for"
        raise FormatError("row_index.num_rows", block.offset, num_rows, wanted)
    return start, start + size


def _decoded(
    data: NDArray[np.uint8],
    ranges: NDArray[np.int64],
    group: Sequence[Block],
    form: CellForm,
    limits: Limits,
) -> Cells:
    from byteloom.kernels.hfile_encodings import decode

    sizes = [
        _len_decoded(block, data, at, form, limits) for block, at in zip(group, ranges, strict=True)
    ]
    ends = np.cumsum(sizes, dtype=np.int64)
    bounds = np.stack([ends - sizes, ends], axis=1)
    out = np.empty(int(ends[-1]), np.uint8)
    for block, (start, end), (to, stop) in zip(
        group, ranges.tolist(), bounds.tolist(), strict=True
    ):
        written = decode(
            data, start + _ENCODED + 4, end, ENCODINGS[form.encoding],
            form.has_tags, form.has_packed_tags, form.has_mvcc, out[to:stop],
        )  # fmt: skip
        if written != stop - to:
            found = "cells that do not fit" if written < 0 else f"{written} bytes of cells"
            wanted = f"{stop - to} bytes of cells in {form.encoding}"
            raise FormatError("encoded.body", block.offset, found, wanted)
    out.flags.writeable = False
    return Cells(out, bounds, group)


def _len_decoded(
    block: Block, data: NDArray[np.uint8], bounds: NDArray[np.int64], form: CellForm, limits: Limits
) -> int:
    size = _head(block, data, bounds, form.encoding).len_decoded or 0
    if size > limits.decompressed_size:
        wanted = f"at most {limits.decompressed_size} (limits.decompressed_size)"
        raise LimitExceeded("encoded.len_decoded", block.offset, size, wanted)
    return size


def walked(
    cells: Cells, form: CellForm, most: int, columns: Sequence[str], binary: Binary
) -> Walked:
    """Return the columns of all cells.

    most     cells there may be at most
    columns  of `COLUMNS`, in any order
    raises   `FormatError` where a cell does not fit its block, or there are more than *most*
    """
    from byteloom.kernels.hfile_cells import WRONG, walk

    room = int((cells.ranges[:, 1] - cells.ranges[:, 0]).sum()) // form.min_size
    room = min(room, most)
    views = {name: allocated(2 * room, "i8").view("u8").reshape(-1, 2) for name in ("row", "value")}
    none = np.empty((0, 2), np.uint64)
    for name in ("family", "qualifier", "tags"):
        wanted = name in columns or (name != "tags" and {"family", "qualifier"} & set(columns))
        views[name] = allocated(2 * room, "i8").view("u8").reshape(-1, 2) if wanted else none
    numbers = {"timestamp": allocated(room, "i8"), "type": allocated(room, "u1")}
    numbers["mvcc"] = allocated(room if "mvcc" in columns else 0, "i8")
    counts, told = np.zeros((len(cells.ranges), 2), np.int64), np.zeros(4, np.int64)
    wrong = walk(
        cells.data, cells.ranges, form.has_columns, form.has_tags, form.has_mvcc, form.is_mvcc_wide,
        views["row"], views["family"], views["qualifier"], views["value"], views["tags"],
        numbers["timestamp"], numbers["type"], numbers["mvcc"], counts, told,
    )  # fmt: skip
    if wrong:
        raise _refusal(cells, told.tolist(), *WRONG[wrong])
    count = int(counts[-1, 0]) if len(counts) else 0
    arrays = [
        _view_array(cells.data, views[name][:count], binary)
        if name in views
        else pa.array(numbers[name][:count])
        for name in columns
    ]
    batch = pa.RecordBatch.from_arrays(arrays, schema=schema_of(columns, binary))
    bounds = [
        (_key(cells.data, first), _key(cells.data, last)) if first < end else (b"", b"")
        for (first, end), last in zip(cells.ranges.tolist(), counts[:, 1].tolist(), strict=True)
    ]
    return Walked(batch, bounds, int(told[3]))


def schema_of(columns: Sequence[str], binary: Binary) -> pa.Schema:
    """Return the schema of batches of these columns; nothing in it is null."""
    bytes_type = pa.binary_view() if binary == "view" else pa.binary()
    types = {"timestamp": pa.int64(), "type": pa.uint8(), "mvcc": pa.int64()}
    return pa.schema(
        [pa.field(name, types.get(name, bytes_type), nullable=False) for name in columns]
    )


def _view_array(data: NDArray[np.uint8], views: NDArray[Any], binary: Binary) -> pa.Array:
    array = pa.Array.from_buffers(
        pa.binary_view(), len(views), [None, pa.py_buffer(views), pa.py_buffer(data)]
    )
    return array if binary == "view" else array.cast(pa.binary())


def _key(data: NDArray[np.uint8], at: int) -> bytes:
    size = int.from_bytes(data[at : at + 4].tobytes(), "big")
    return data[at + 8 : at + 8 + size].tobytes()


def _refusal(cells: Cells, told: list[int], name: str, wanted: str) -> FormatError:
    number, at, index = told[:3]
    block = cells.blocks[index]
    in_file = block.len_stored == block.header.len_uncompressed and (
        cells.data.size == len(block.buffer)
    )
    place = block.offset + at - block.start + 33 if in_file else block.offset
    found = cells.data[at : at + 16].tobytes()
    path = f"{block.type}.cells[{number}].{name}".rstrip(".")
    return FormatError(path, place, found, wanted)
