"""Many small Parquet files as one file in memory, which the library then opens once.

The rules:

- Opening a file takes the library some 100 microseconds, and each page of Zstandard 15 more,
  however small they are.  So files of one schema become the row groups of one file, of their
  wanted columns alone, with pages of Zstandard decompressed.
- Nothing is decoded, left out or refused here: a file in which anything is unusual is left to the
  code that reads it by itself.

Source: https://parquet.apache.org/docs/file-format/
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from byteloom.kernels.parquet_structs import numbers
from byteloom.kernels.parquet_writing import put_file
from byteloom.parquet.forms import LIBRARY_ERRORS, opened
from byteloom.parquet.held_files import (
    MOST_BYTES,
    are_sound,
    decompressed,
    found_chunks,
    found_pages,
)
from byteloom_generated.parquet.footers import TYPES

if TYPE_CHECKING:
    import pyarrow.parquet as pq
    from numpy.typing import NDArray

    from byteloom.parquet.forms import Form
    from byteloom.parquet.held_files import Footers

    Numbers = NDArray[np.int64]
    Bytes = NDArray[np.uint8]

__all__ = ["Joined", "joined"]

_TEXT: Final = 1 << 18
"""Most bytes of one column's text in a file, since codes may repeat long text many times."""

_TEXT_BYTES: Final = 256 << 20
"""Most bytes of a column of text or of lists in the rows that are read at a time."""

_NUMBER: Final = 8
"""Bytes of a value besides its text."""

_BYTE_ARRAY, _FIXED = numbers(TYPES, "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY")
_SHORT: Final = 512
"""Values of fixed width up to this size never make a batch smaller."""


@dataclass(frozen=True, slots=True)
class Joined:
    """Several files joined into one.

    rows       number of rows of each file
    file       the joined file, with their rows in order; None if no column is wanted
    at_a_time  rows that may be read at a time: each value may be the whole text of its file
    """

    rows: Numbers
    file: pq.ParquetFile | None
    at_a_time: int = _TEXT_BYTES


def joined(data: Bytes, footers: Footers, form: Form, wanted: NDArray[np.uint8]) -> Joined | None:
    """Return as many of the first files of *data* as have one form, joined; None for unusual pages.

    wanted  uint8[leaf]: 1 for the leaves to read
    """
    files, groups, chunks = found_chunks(footers, form, wanted)
    rows = files[:, 4].copy()
    if not len(files) or not wanted.any():
        return Joined(rows, None)
    if chunks[:, 6].astype(np.float64).sum() > MOST_BYTES:
        return None
    kinds, widths, levels = form.leaves[chunks[:, 1], :3].T
    is_list = levels > 0
    is_text = (kinds == _BYTE_ARRAY) | (kinds == _FIXED) & (widths > _SHORT)
    declared = chunks[is_text, 6].max(initial=0)
    pages, sums = found_pages(data, chunks)
    longest = int(max(declared, chunks[is_text, 6].max(initial=1)))
    # A row of a list has many values, perhaps all of its chunk.
    rows_held = np.maximum(groups[chunks[:, 0], 1], 1)
    sizes = np.where(is_text, longest, _NUMBER)
    row = int((-(-chunks[:, 4] // rows_held) * sizes)[is_text | is_list].max(initial=1))
    whole = chunks[:, 4] * np.where(is_list, sizes, _NUMBER)
    if pages is None or longest > _TEXT or max(row, 4 * whole.max(initial=0)) > _TEXT_BYTES:
        return None
    image = _image(data, footers, form.leaves, _Parts(files[0], groups, chunks, pages, sums))
    if image is None:
        return None
    try:
        return Joined(rows, opened(image), _TEXT_BYTES // row)
    except LIBRARY_ERRORS:
        return None


@dataclass(frozen=True, slots=True)
class _Parts:
    """The parts from which the joined file is assembled."""

    file: Numbers
    groups: Numbers
    chunks: Numbers
    pages: Numbers
    sums: Numbers


def _image(data: Bytes, footers: Footers, leaves: Numbers, parts: _Parts) -> pa.Buffer | None:
    """Assemble the file in memory of Arrow's pool; return None if a page does not decompress."""
    if not are_sound(data, parts.pages, parts.sums):
        return None

    file, groups, chunks, pages = parts.file, parts.groups, parts.chunks, parts.pages
    places = np.zeros(len(pages), np.int64)
    footer = int(file[1] - file[0] + file[3] - file[2])
    heads = (len(groups) + 1) * (64 + 4 * len(leaves)) + 96 * len(chunks)
    held = pa.allocate_buffer(int(chunks[:, 6].sum()) + footer + heads + 64)
    out = np.frombuffer(held, np.uint8)
    size = put_file(data, footers.data, file, leaves, groups, chunks, pages, places, out)
    codecs = chunks[pages[:, 0], 5]
    return held.slice(0, size) if decompressed(data, pages, codecs, places, out) else None
