"""Turn payloads of data blocks into plain cells: decompress them, and decode encoded ones.

- A payload that is neither compressed nor encoded is not copied: it stays in the fetched bytes.
- An encoded block begins with the number of its encoding, which is that of the file.

Source: specs/hfile/encoded.ksy
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from byteloom.columns.views import allocated
from byteloom.errors import FormatError, LimitExceeded
from byteloom.hfile.blocks import Blocks
from byteloom.hfile.dialect import ENCODINGS, CellForm
from byteloom.hfile.runs import TYPES, Place, Run
from byteloom.kernels.hfile_encodings import decode
from byteloom.limits import Limits
from byteloom_generated.hfile.encoded import Encoded, Encoding, RowIndex

if TYPE_CHECKING:
    from numpy.typing import NDArray


__all__ = ["plain_data"]

_ENCODED: Final = Encoded.MIN_SIZE
"""Bytes of an encoded block before its content: the number of the encoding."""
_SIZED: Final = _ENCODED + 4
"""The same where the cells are delta-coded: the decompressed size follows the number."""
_ROWS: Final = RowIndex.MIN_SIZE
"""Bytes of a ROW_INDEX_V1 block besides its cells and the offsets of its rows."""


def plain_data(
    blocks: Blocks, run: Run, form: CellForm, limits: Limits
) -> tuple[NDArray[np.uint8], NDArray[np.int64], bool]:
    """Return plain cells, where those of each block begin and end, and whether they are the file's.

    Args:
        run: Data blocks.
    """
    wanted = "data" if form.encoding == "NONE" else "encoded_data"
    for number in np.flatnonzero(run.table[:, 1] != TYPES.index(wanted)).tolist():
        wanted_text = f"{wanted}, as the file info says"
        raise FormatError("block.magic", run[number].offset, run[number].type, wanted_text)
    data, ranges = _decompressed(blocks, run)
    is_file = blocks.codec == "NONE"
    if form.encoding == "NONE":
        return data, ranges, is_file
    if form.encoding == "ROW_INDEX_V1":
        for number, bounds in enumerate(ranges):
            bounds[:] = _within_row_index(run[number], data, bounds)
        return data, ranges, is_file
    return *_decoded(data, ranges, run, form, limits), False


def _decompressed(blocks: Blocks, run: Run) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    if blocks.codec == "NONE":
        starts = run.table[:, 5]
        bounds = np.stack([starts, starts + run.table[:, 6]], axis=1)
        return run.data, bounds
    ends = np.cumsum(run.table[:, 3])
    bounds = np.stack([ends - run.table[:, 3], ends], axis=1)
    out = allocated(int(ends[-1]) if len(ends) else 0, "u1")
    view = out.data
    kinds = run.table[:, :2].tolist()
    for (offset, kind), stored, (start, end) in zip(
        kinds, run.stored(), bounds.tolist(), strict=True
    ):
        blocks.decompress(stored, view[start:end], offset, TYPES[kind])
    out.flags.writeable = False  # one type of array for the compiled loops
    return out, bounds


def _head(place: Place, data: NDArray[np.uint8], bounds: NDArray[np.int64], wanted: str) -> Encoded:
    """Return the head of an encoded block, whose body is left where it is."""
    start, end = bounds.tolist()
    raw = data[start : min(end, start + _SIZED)].tobytes()
    try:
        head = Encoded.from_bytes(raw, origin=place.offset)
    except FormatError as error:
        raise error.inside(place.type) from error.__cause__
    if int(head.encoding) != ENCODINGS[wanted]:
        found = Encoding(head.encoding).name
        wanted_text = f"{wanted}, as the file info says"
        raise FormatError("encoded.encoding", place.offset, found, wanted_text)
    return head


def _within_row_index(
    place: Place, data: NDArray[np.uint8], bounds: NDArray[np.int64]
) -> tuple[int, int]:
    """Return where the cells are in a ROW_INDEX_V1 block, whose index is checked against them."""
    _head(place, data, bounds, "ROW_INDEX_V1")
    start, end = int(bounds[0]) + _ENCODED, int(bounds[1])
    size = int.from_bytes(data[max(start, end - 4) : end].tobytes(), "big")
    room = end - start - _ROWS
    if not 0 <= size <= room:
        raise FormatError("row_index.len_cells", place.offset, size, f"0 to {room}")
    num_rows = int.from_bytes(data[start + size : start + size + 4].tobytes(), "big")
    if 4 * num_rows != room - size:
        wanted = f"{(room - size) // 4}, as many as there is room for"
        raise FormatError("row_index.num_rows", place.offset, num_rows, wanted)
    return start, start + size


def _decoded(
    data: NDArray[np.uint8],
    ranges: NDArray[np.int64],
    run: Run,
    form: CellForm,
    limits: Limits,
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    sizes = _lens_decoded(run, data, ranges, form, limits.decompressed_size)
    if sum(sizes) > limits.decompressed_size:
        wanted = f"at most {limits.decompressed_size} together (limits.decompressed_size)"
        raise LimitExceeded("encoded.len_decoded", run[0].offset, sum(sizes), wanted)
    ends = np.cumsum(sizes, dtype=np.int64)
    bounds = np.stack([ends - sizes, ends], axis=1)
    out = allocated(sum(sizes), "u1")
    block, written = decode(
        data, ranges + np.array([_SIZED, 0]), ENCODINGS[form.encoding],
        form.has_tags, form.has_packed_tags, form.has_mvcc, out, bounds,
    )  # fmt: skip
    if block >= 0:
        found = "cells that do not fit" if written < 0 else f"{written} bytes of cells"
        wanted = f"{sizes[block]} bytes of cells in {form.encoding}"
        raise FormatError("encoded.body", run[block].offset, found, wanted)
    out.flags.writeable = False
    return out, bounds


def _lens_decoded(
    run: Run, data: NDArray[np.uint8], ranges: NDArray[np.int64], form: CellForm, most: int
) -> list[int]:
    """Return the size of its plain cells that each block states."""
    wanted = ENCODINGS[form.encoding] << 1
    sizes = []
    for number, (start, end) in enumerate(ranges.tolist()):
        raw = int.from_bytes(data[start : start + _SIZED].tobytes(), "big")
        if end - start >= _SIZED and raw >> 31 == wanted:
            size = raw & 0x7FFF_FFFF
        else:  # anything else is left to the record of the spec
            size = _head(run[number], data, ranges[number], form.encoding).len_decoded or 0
        if size > most:
            wanted_text = f"at most {most} (limits.decompressed_size)"
            raise LimitExceeded("encoded.len_decoded", run[number].offset, size, wanted_text)
        sizes.append(size)
    return sizes
