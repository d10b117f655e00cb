"""Plain columns of one file, read from it a row group at a time, when they are asked for.

The rules:

- Only the bytes of the columns that are asked for are read, some columns at a time, so that a row
  group of any size needs little memory besides its values.
- A row group of which the values turn out to be too many is left to the library, which reads a part
  of the rows at a time.

Source: https://parquet.apache.org/docs/file-format/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

import numpy as np

from byteloom.kernels.parquet_plain_pages import SLACK
from byteloom.parquet.held_files import BEGIN, END, LEAF, Unusual
from byteloom.parquet.plain import PlainColumns, Scratch
from byteloom.storage.sources import LocalSource

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    import pyarrow as pa
    from numpy.typing import NDArray

    from byteloom.parquet.forms import Form
    from byteloom.storage import Source

    Numbers = NDArray[np.int64]
    Bytes = NDArray[np.uint8]

__all__ = ["PlainGroup"]

_READ: Final = 4 << 20
"""Bytes of chunks that are read at a time from a local file."""

_FETCH: Final = 32 << 20
"""The same from a store, where each request takes long."""


class PlainGroup:
    """The plain columns of one row group."""

    def __init__(self, source: Source, form: Form, chunks: Numbers, rows: int, most: int) -> None:
        """Keep what is known; nothing is read.

        chunks  int64[column, CHUNK_FIELDS], ascending by leaf
        most    most bytes of the values
        """
        self._source, self._form, self._chunks, self._rows = source, form, chunks, rows
        self._most = most

    def take(
        self, leaves: Sequence[int], types: Sequence[pa.DataType], rows: Numbers | None
    ) -> list[pa.Array]:
        """Return the columns of some leaves, ascending; as `PlainColumns.take` does."""
        chunks = self._chunks[np.searchsorted(self._chunks[:, LEAF], leaves)]
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
        sizes = np.cumsum(chunks[:, END] - chunks[:, BEGIN])
        first = 0
        while first < len(chunks):
            before = sizes[first - 1] if first else 0
            last = max(first + 1, int(np.searchsorted(sizes, before + most, "right")))
            yield first, last
            first = last


def _read(source: Source, chunks: Numbers, scratch: Scratch) -> Bytes:
    """Return the bytes of chunks, and `SLACK` more; set their places to those in the result."""
    begins, ends = chunks[:, BEGIN].copy(), chunks[:, END].copy()
    sizes = ends - begins
    places = np.cumsum(sizes) - sizes
    chunks[:, BEGIN], chunks[:, END] = places, places + sizes
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
