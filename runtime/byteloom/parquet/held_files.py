"""Small Parquet files in memory, one after the other: their footers, chunks and pages.

The rules:

- Compiled loops read the footers and headers of all files of one form at once.
- A file in which anything is unusual is left to the code that reads it by itself.

Source: https://parquet.apache.org/docs/file-format/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from byteloom.codecs.checksums import crc32
from byteloom.errors import FormatError
from byteloom.kernels.parquet_files import CHUNK_FIELDS, FILE_FIELDS, GROUP_FIELDS, find_files
from byteloom.kernels.parquet_pages import PAGE_FIELDS, find_pages
from byteloom.parquet.codecs import are_filled
from byteloom_generated.parquet.parquet import Parquet, Tail

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    "Unusual",
    "are_sound",
    "decompressed",
    "found_chunks",
    "found_pages",
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
