"""Many small Parquet files as one file in memory, which the library then opens once.

The rules:

- Opening a file takes the library some 100 microseconds, and each page of Zstandard 15 more,
  however small they are.  So files of one schema become the row groups of one file, of their
  wanted columns alone, with pages of Zstandard decompressed.
- Nothing is decoded or left out here: files in which anything is `Unusual` are left to the code
  that reads each by itself.

Source: https://parquet.apache.org/docs/file-format/
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import pyarrow as pa

from byteloom.kernels.parquet_structs import numbers
from byteloom.kernels.parquet_writing import put_file
from byteloom.parquet.forms import LIBRARY_ERRORS, opened
from byteloom.parquet.held_files import (
    MOST_BYTES,
    Unusual,
    are_sound,
    decompressed,
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


class Joined(NamedTuple):
    """Several files joined into one.

    file       the joined file, with their rows in order
    at_a_time  rows that may be read at a time: each value may be the whole text of its file
    """

    file: pq.ParquetFile
    at_a_time: int


def joined(
    data: Bytes, footers: Footers, form: Form, found: tuple[Numbers, Numbers, Numbers]
) -> Joined:
    """Return some files of one form, joined; `Unusual` if that is not possible.

    found  files, row groups and chunks of the columns to read, as `found_chunks` returns them
    """
    files, groups, chunks = found
    if chunks[:, 6].astype(np.float64).sum() > MOST_BYTES:
        raise _unusual("sizes")
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
    if longest > _TEXT or max(row, 4 * whole.max(initial=0)) > _TEXT_BYTES:
        raise _unusual("texts")
    image = None
    if pages is not None:
        parts = _Parts(files[0], groups, chunks, pages, sums)
        image = _image(data, footers, form.leaves, parts)
    if image is None:
        raise _unusual("pages")
    try:
        return Joined(opened(image), _TEXT_BYTES // row)
    except LIBRARY_ERRORS as error:
        raise _unusual("columns") from error


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


def _unusual(what: str) -> Unusual:
    return Unusual("parquet", None, f"unusual {what}", "files that can be read as one")
