"""Plain columns of one file, read from it a row group at a time, when they are asked for.

The rules:

- Only the bytes of the columns that are asked for are read, some columns at a time, so that a row
  group of any size needs little memory besides its values.
- A file of which a row group's values may be too many is left to the library, which reads a part of
  the rows at a time.

Source: https://parquet.apache.org/docs/file-format/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

import numpy as np

from byteloom.kernels.parquet_plain_pages import SLACK
from byteloom.parquet.held_files import Footers, found_chunks
from byteloom.parquet.plain import PlainColumns, Scratch, Unusual
from byteloom.storage.sources import LocalSource
from byteloom_generated.parquet.parquet import Tail

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    import pyarrow as pa
    from numpy.typing import NDArray

    from byteloom.parquet.forms import Form
    from byteloom.storage import Source

    Numbers = NDArray[np.int64]
    Bytes = NDArray[np.uint8]

__all__ = ["PlainGroup", "PlainGroups"]

_READ: Final = 4 << 20
"""Bytes of chunks that are read at a time from a local file."""

_FETCH: Final = 32 << 20
"""The same from a store, where each request takes long."""

_GROUP, _LEAF, _BEGIN, _END, _RAW = 0, 1, 2, 3, 6
"""Fields of a column chunk, see `find_files`."""


class PlainGroups:
    """The plain columns of a file's row groups.

    largest  bytes of the largest row group, when decompressed or when decoded, without its texts
    """

    def __init__(  # noqa: PLR0913, PLR0917  what is known of a file
        self, source: Source, footer: bytes, form: Form, wanted: Bytes, row: int, most: int
    ) -> None:
        """Find the chunks in the footer.

        footer       its bytes
        wanted       uint8[leaf]: 1 for the columns, which must all be plain
        row          bytes of a row of them, without those of texts
        most         most bytes of the values of a row group
        Unusual      an unusual footer, or a row group that is too large
        """
        self._most = most
        data = np.frombuffer(footer, np.uint8)
        place = (0, source.size - Tail.SIZE - len(footer), 0, len(footer))
        files, groups, chunks = found_chunks(Footers(data, [place]), form, wanted)
        if not len(files):
            raise Unusual("parquet", None, "an unusual footer", "one as most writers leave it")
        raw = np.bincount(chunks[:, _GROUP], chunks[:, _RAW], len(groups))
        self.largest = int(max(raw.max(initial=0), row * groups[:, 1].max(initial=0)))
        if self.largest > most:
            raise Unusual("parquet", None, f"{self.largest} bytes in a row group", "fewer")
        self._source, self._form = source, form
        self._rows, self._chunks = groups[:, 1], chunks.reshape(len(groups), -1, chunks.shape[1])

    def group(self, number: int) -> PlainGroup:
        """Return a row group."""
        chunks, rows = self._chunks[number], int(self._rows[number])
        return PlainGroup(self._source, self._form, chunks, rows, self._most)


class PlainGroup:
    """The plain columns of one row group."""

    def __init__(self, source: Source, form: Form, chunks: Numbers, rows: int, most: int) -> None:
        """Keep what is known; nothing is read.

        chunks  int64[column, CHUNK_FIELDS], ascending by leaf
        """
        self._source, self._form, self._chunks, self._rows = source, form, chunks, rows
        self._most = most

    def take(
        self, leaves: Sequence[int], types: Sequence[pa.DataType], rows: Numbers | None
    ) -> list[pa.Array]:
        """Return the columns of some leaves, ascending; as `PlainColumns.take` does."""
        chunks = self._chunks[np.searchsorted(self._chunks[:, _LEAF], leaves)]
        found: list[pa.Array] = []
        held, scratch, files = 0, Scratch(), np.array([self._rows])
        for first, last in self._runs(chunks):
            own = chunks[first:last]
            data = _read(self._source, own, scratch)
            columns = PlainColumns(data, self._form, own, files, scratch)
            found += columns.take(leaves[first:last], types[first:last], rows)
            held += columns.taken
            if held > self._most:
                too_many = f"more than {self._most} bytes of values"
                raise Unusual("parquet", None, too_many, "fewer")
        return found

    def _runs(self, chunks: Numbers) -> Iterator[tuple[int, int]]:
        """Yield the first chunk of those that are read at a time, and the one after the last."""
        most = _READ if isinstance(self._source, LocalSource) else _FETCH
        sizes = np.cumsum(chunks[:, _END] - chunks[:, _BEGIN])
        first = 0
        while first < len(chunks):
            before = sizes[first - 1] if first else 0
            last = max(first + 1, int(np.searchsorted(sizes, before + most, "right")))
            yield first, last
            first = last


def _read(source: Source, chunks: Numbers, scratch: Scratch) -> Bytes:
    """Return the bytes of chunks, and `SLACK` more; set their places to those in the result."""
    begins, ends = chunks[:, _BEGIN].copy(), chunks[:, _END].copy()
    sizes = ends - begins
    places = np.cumsum(sizes) - sizes
    chunks[:, _BEGIN], chunks[:, _END] = places, places + sizes
    breaks = np.flatnonzero(begins[1:] != ends[:-1]) + 1
    firsts, lasts = np.concatenate([[0], breaks]), np.concatenate([breaks, [len(chunks)]]) - 1
    ranges = list(
        zip(begins[firsts].tolist(), (ends[lasts] - begins[firsts]).tolist(), strict=True)
    )
    if not isinstance(source, LocalSource):
        return np.frombuffer(b"".join([*source.read_ranges(ranges), bytes(SLACK)]), np.uint8)
    data = scratch.bytes("file", int(sizes.sum()) + SLACK)
    view, at = memoryview(cast("Any", data)), 0
    for offset, length in ranges:
        source.read_into(offset, view[at : at + length])
        at += length
    return data
