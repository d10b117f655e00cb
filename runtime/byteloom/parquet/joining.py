"""Many small Parquet files as one file in memory, which the library then opens once.

The rules:

- A file that is opened costs the library some 100 microseconds, and each page of Zstandard 15 more,
  however little is in them.  So files of one schema become the row groups of one file, of their
  wanted columns alone, with pages of Zstandard decompressed.
- Nothing is decoded, left out or judged here: what is unusual in a file is left to whoever reads it
  by itself.

Source: https://parquet.apache.org/docs/file-format/
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
import pyarrow as pa

from byteloom.checksums import crc32
from byteloom.kinds import PARQUET_MAGIC
from byteloom.parquet.forms import LIBRARY_ERRORS, opened

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow.parquet as pq
    from numpy.typing import NDArray

    from byteloom.parquet.forms import Form, Forms

    Numbers = NDArray[np.int64]
    Bytes = NDArray[np.uint8]

__all__ = ["Footers", "Joined", "joined"]

_TAIL: Final = 8
_NOTHING: Final = np.frombuffer(b"", np.uint8)
_MOST: Final = 256 << 20
"""Bytes that the pages of one new file come to at most when they are decompressed."""

_TEXT: Final = 1 << 18
"""Bytes of one column's text in a file, at most: more may be repeated by codes without end."""

_TEXT_BYTES: Final = 256 << 20
"""Bytes that a column of text, or of lists, may come to in the rows read at a time."""

_NUMBER: Final = 8
"""Bytes of a value beside its text."""

_UNKNOWN: Final = -1
"""What Zstandard says of a frame that does not say its size."""

_BYTE_ARRAY, _FIXED = 6, 7
_SHORT: Final = 512
"""Bytes of values of one length that no batch has to be made smaller for."""


@dataclass(frozen=True, slots=True)
class Joined:
    """Some files as one.

    rows       of each file
    file       all of them, in order; None if no column is wanted
    at_a_time  rows that may be read at a time: each value may be the whole text of its file
    """

    rows: Numbers
    file: pq.ParquetFile | None
    at_a_time: int = _TEXT_BYTES


class Footers:
    """The footers of files that are in one run of bytes, one after the other."""

    def __init__(self, data: Bytes, ends: Sequence[int]) -> None:
        """Find them.

        ends  where each file ends; the first one begins at 0
        """
        view = memoryview(cast("Any", data))
        parts, places, at, begin = [], [], 0, 0
        for end in ends:
            first = end - _TAIL - int.from_bytes(view[end - _TAIL : end - 4], "little")
            is_whole = bytes(view[begin : begin + 4]) == bytes(view[end - 4 : end]) == PARQUET_MAGIC
            if not is_whole or first < begin + 4:
                break  # as are files of less than two magics and a length
            parts.append(view[first : end - _TAIL])
            places.append((begin, first, at, at + len(parts[-1])))
            at, begin = places[-1][3], end
        self.data = np.frombuffer(b"".join(parts), np.uint8)
        self.places = np.array(places, np.int64).reshape(-1, 4)

    def form(self, known: Forms) -> Form | None:
        """Return what the columns of the first file are; None for an unusual one."""
        return known.of(self.data[: self.places[0, 3]]) if len(self.places) else None


def joined(data: Bytes, footers: Footers, form: Form, wanted: NDArray[np.uint8]) -> Joined | None:
    """Return the first files of *data*, as many as are of one form; None where pages are unusual.

    wanted  uint8[leaf]: 1 for those to be read
    """
    files, groups, chunks = _found(footers, form, wanted)
    rows = files[:, 4].copy()
    if not len(files) or not wanted.any():
        return Joined(rows, None)
    if chunks[:, 6].astype(np.float64).sum() > _MOST:
        return None
    kinds, widths, levels = form.leaves[chunks[:, 1], :3].T
    is_list = levels > 0
    is_text = (kinds == _BYTE_ARRAY) | (kinds == _FIXED) & (widths > _SHORT)
    told = chunks[is_text, 6].max(initial=0)
    pages, sums = _pages(data, chunks)
    longest = int(max(told, chunks[is_text, 6].max(initial=1)))
    # A row of a list has many values, and may have all of its chunk.
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


def _found(
    footers: Footers, form: Form, wanted: NDArray[np.uint8]
) -> tuple[Numbers, Numbers, Numbers]:
    """The files that are like the first one, their row groups and the wanted chunks."""
    from byteloom.kernels.parquet_files import (
        CHUNK_FIELDS,
        FILE_FIELDS,
        GROUP_FIELDS,
        find_files,
    )

    files = np.zeros((len(footers.places), FILE_FIELDS), np.int64)
    room = 2 * len(files) + 16
    while True:
        groups = np.zeros((room, GROUP_FIELDS), np.int64)
        count = room * int(wanted.sum()) + len(wanted)
        chunks = np.zeros((count, CHUNK_FIELDS), np.int64)
        found = find_files(footers.data, footers.places, form.leaves, wanted, files, groups, chunks)
        if found[0] >= 0:
            return files[: found[0]], groups[: found[1]], chunks[: found[2]]
        room *= 4


def _pages(data: Bytes, chunks: Numbers) -> tuple[Numbers | None, Numbers]:
    """The pages of Zstandard, and their checksums; None for unusual ones."""
    from byteloom.kernels.parquet_pages import PAGE_FIELDS, find_pages

    room = 3 * len(chunks) + 16
    while True:
        pages, sums = np.zeros((room, PAGE_FIELDS), np.int64), np.zeros(room, np.int64)
        count = find_pages(data, chunks, pages, sums)
        if count >= -1:
            return (None if count < 0 else pages[:count]), sums[: max(count, 0)]
        room *= 4


def _are_sound(data: Bytes, pages: Numbers, sums: Numbers) -> bool:
    """Whether pages have their checksums, and may be decompressed."""
    view = memoryview(cast("Any", data))
    for page in np.flatnonzero(sums >= 0).tolist():
        if crc32(view[pages[page, 4] : pages[page, 5]]) != sums[page]:
            return False
    sizes = pages[:, 7] - pages[:, 6]
    packed = pages[:, 5] - pages[:, 4] - pages[:, 6]
    return int(sizes.sum()) <= _MOST and not (packed[sizes > 0] < 1).any()


@dataclass(frozen=True, slots=True)
class _Parts:
    """What one file is put together of."""

    file: Numbers
    groups: Numbers
    chunks: Numbers
    pages: Numbers
    sums: Numbers


def _image(data: Bytes, footers: Footers, leaves: Numbers, parts: _Parts) -> pa.Buffer | None:
    """One file, in memory of Arrow's pool; None if a page does not decompress."""
    from byteloom.kernels.parquet_writing import put_file

    if not _are_sound(data, parts.pages, parts.sums):
        return None

    file, groups, chunks, pages = parts.file, parts.groups, parts.chunks, parts.pages
    places = np.zeros(len(pages), np.int64)
    footer = int(file[1] - file[0] + file[3] - file[2])
    heads = (len(groups) + 1) * (64 + 4 * len(leaves)) + 96 * len(chunks)
    held = pa.allocate_buffer(int(chunks[:, 6].sum()) + footer + heads + 64)
    out = np.frombuffer(held, np.uint8)
    size = put_file(data, footers.data, file, leaves, groups, chunks, pages, places, out)
    return held.slice(0, size) if _decompressed(data, pages, places, out) else None


def _decompressed(data: Bytes, pages: Numbers, places: Numbers, out: Bytes) -> bool:
    """Decompress pages into their places; return whether all are as long as they say."""
    import zstandard

    view, room = memoryview(cast("Any", data)), memoryview(cast("Any", out))
    sizes = pages[:, 7] - pages[:, 6]
    ranges = np.stack([pages[:, 4] + pages[:, 6], pages[:, 5], places, sizes], axis=1)
    inflate = zstandard.ZstdDecompressor().decompress
    try:
        for begin, end, place, size in ranges[sizes > 0].tolist():
            frame = view[begin:end]
            # A frame that says its size is given as much room, whatever else is said of it.
            if zstandard.frame_content_size(frame) not in {size, _UNKNOWN}:
                return False
            # Into memory that is warm, and from there to its place.
            room[place : place + size] = inflate(
                frame, max_output_size=size, allow_extra_data=False
            )
    except (zstandard.ZstdError, ValueError, MemoryError):
        return False
    return True
