"""Small Parquet files in memory, one after the other, and one file that is made of them.

The rules:

- Compiled loops read the footers and headers of all files of one form at once.
- Opening a file takes the library some 100 microseconds, and each page of Zstandard 15 more,
  however small they are.  So files of one schema become the row groups of one file, of their
  wanted columns alone, with pages of Zstandard decompressed.
- Nothing is decoded or left out here: files in which anything is `Unusual` are left to the code
  that reads each by itself.

Source: https://parquet.apache.org/docs/file-format/
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

import numpy as np
import pyarrow as pa

from byteloom.codecs.checksums import crc32
from byteloom.errors import FormatError
from byteloom.kernels.parquet_files import CHUNK_FIELDS, FILE_FIELDS, GROUP_FIELDS, find_files
from byteloom.kernels.parquet_pages import PAGE_FIELDS, find_pages
from byteloom.kernels.parquet_structs import numbers
from byteloom.kernels.parquet_writing import put_file
from byteloom.parquet.codecs import are_filled
from byteloom.parquet.forms import LIBRARY_ERRORS, opened
from byteloom_generated.parquet.footers import TYPES
from byteloom_generated.parquet.parquet import Parquet, Tail

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow.parquet as pq
    from numpy.typing import NDArray

    from byteloom.parquet.forms import Form, Forms

    Numbers = NDArray[np.int64]
    Bytes = NDArray[np.uint8]

__all__ = [
    "CODEC",
    "ENCODINGS",
    "GROUP",
    "LEAF",
    "MOST_BYTES",
    "RAW",
    "Footers",
    "Joined",
    "Unusual",
    "are_sound",
    "decompressed",
    "found_chunks",
    "found_pages",
    "joined",
]

GROUP, LEAF, BEGIN, END, _, CODEC, RAW, _, ENCODINGS = range(9)
"""Fields of a column chunk, see `find_files`."""


MOST_BYTES: Final = 256 << 20
"""Most decompressed bytes of the pages of files that are read together."""


class Unusual(FormatError):
    """Files that our own loops do not read: the library has to, or each by itself."""


class Footers:
    """The footers of files of which every chunk has its place in one run of bytes.

    data    the footers, one after the other
    places  int64[file, 4]: where each file begins, where its footer begins, and the range of the
            footer in *data*
    """

    def __init__(self, data: Bytes, places: Sequence[tuple[int, int, int, int]] | Numbers) -> None:
        """Keep the footers and their places."""
        self.data, self.places = data, np.array(places, np.int64).reshape(-1, 4)

    @classmethod
    def of(cls, data: Bytes, ends: Sequence[int]) -> Footers:
        """Find the footers of files that are in one buffer, one after the other.

        ends  where each file ends; the first one begins at 0
        """
        view = memoryview(cast("Any", data))
        parts, places, at, begin = [], [], 0, 0
        for end in ends:
            last = end - Tail.SIZE
            try:
                first = last - Tail.from_bytes(view[max(last, 0) : end]).len_footer
            except FormatError:
                break
            start = begin + len(Parquet.magic)
            if view[begin:start] != Parquet.magic or first < start:
                break  # so is a file shorter than two magics and a length
            parts.append(view[first:last])
            places.append((begin, first, at, at + len(parts[-1])))
            at, begin = places[-1][3], end
        return cls(np.frombuffer(b"".join(parts), np.uint8), places)

    def form(self, known: Forms) -> Form | None:
        """Return the form of the first file; None for an unusual one."""
        if not len(self.places):
            return None
        begin, end = self.places[0, 2:]
        return known.of(self.data[begin:end])

    def since(self, first: int) -> Footers:
        """Return the footers from that of a file on."""
        return Footers(self.data, self.places[first:])


def found_chunks(
    footers: Footers, form: Form, wanted: NDArray[np.uint8]
) -> tuple[Numbers, Numbers, Numbers]:
    """Return the number of files like the first one, their row groups and the wanted chunks."""
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


def found_pages(data: Bytes, chunks: Numbers) -> tuple[Numbers | None, Numbers]:
    """Return the pages of chunks marked `ZSTD`, and their checksums; None if one is unusual."""
    room = 3 * len(chunks) + 16
    while True:
        pages, sums = np.zeros((room, PAGE_FIELDS), np.int64), np.zeros(room, np.int64)
        count = find_pages(data, chunks, pages, sums)
        if count >= -1:
            return (None if count < 0 else pages[:count]), sums[: max(count, 0)]
        room *= 4


def are_sound(data: Bytes, pages: Numbers, sums: Numbers) -> bool:
    """Return whether the checksums of pages are right, and limits allow decompressing them."""
    view = memoryview(cast("Any", data))
    for page in np.flatnonzero(sums >= 0).tolist():
        if crc32(view[pages[page, 4] : pages[page, 5]]) != sums[page]:
            return False
    sizes = pages[:, 7] - pages[:, 6]
    packed = pages[:, 5] - pages[:, 4] - pages[:, 6]
    return int(sizes.sum()) <= MOST_BYTES and not (packed[sizes > 0] < 1).any()


def decompressed(data: Bytes, pages: Numbers, codecs: Numbers, places: Numbers, out: Bytes) -> bool:
    """Decompress pages into their places; return whether all have the size that they state.

    codecs  the number of each page's codec
    """
    sizes = pages[:, 7] - pages[:, 6]
    ranges = np.stack([pages[:, 4] + pages[:, 6], pages[:, 5], places, places + sizes], axis=1)
    return are_filled(codecs[sizes > 0], data, ranges[sizes > 0], out)


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
