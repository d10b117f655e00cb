"""Fields of files of version 0.1, batch by batch."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from byteloom.lance.arrays import rows_at
from byteloom.lance.field_reading import OwnLeaf, Piece
from byteloom.lance.types import arrow_field

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from byteloom.lance.buffered_file import BufferedFile
    from byteloom.lance.field_reading import PagesFile, Rows
    from byteloom.lance.fields import Field
    from byteloom.lance.legacy.pages import PageReader

__all__ = ["LegacyReader"]

_VALUE = 16
"""Bytes of a value, about."""


class LegacyReader(OwnLeaf):
    """A top-level field of a file, and its own leaf; see `byteloom.lance.field_reading`."""

    joins = False

    def __init__(self, pages: PageReader, field: Field, file_name: str | None) -> None:
        """Read nothing yet; *file_name* is the name of the file in errors."""
        self._pages, self._field, self._batches = pages, field, pages.batches
        self.file_name = file_name
        self.source: BufferedFile | None = None

    @property
    def length(self) -> int:
        """The number of rows."""
        return self._batches[-1]

    @cached_property
    def type(self) -> pa.DataType:
        """The type of its arrays."""
        return arrow_field(self._field).type

    @property
    def width(self) -> int:
        """Bytes of a row in memory, about."""
        return _VALUE * sum([not each.children for each in self._field.walk()])

    def of(self, file: PagesFile) -> LegacyReader:
        """Return the same field: no other file has the same metadata."""
        del file
        return self

    def pieces(self, rows: Rows, end: int | None = None) -> list[Piece]:
        """Return the batches that have any of *rows*."""
        del end
        if isinstance(rows, range):
            first = bisect_right(self._batches, rows.start) - 1
            return [self._piece(at) for at in range(first, bisect_left(self._batches, rows.stop))]
        batches = np.searchsorted(self._batches, rows, side="right") - 1
        return [
            self._piece(at, rows[batches == at] - self._batches[at])
            for at in np.unique(batches).tolist()
        ]

    def _piece(self, batch: int, rows: np.ndarray | None = None) -> Piece:
        first = self._batches[batch]
        count = self._batches[batch + 1] - first if rows is None else len(rows)
        return Piece(self, batch, first, count, rows, None, 0, count * self.width)

    def ranges(self, piece: Piece) -> Sequence[tuple[int, int]]:
        """Return no range: texts and items are found once their offsets are read."""
        del piece
        return ()

    def decode(self, pieces: Sequence[Piece]) -> pa.Array:
        """Return the rows of a piece.

        Raises:
            FormatError: Pages are damaged.
            Unsupported: An encoding cannot be read.
            LimitExceeded: Pages need more than limits allow.
        """
        (piece,) = pieces
        found = self._pages.read(self._field, piece.number)
        return found if piece.rows is None else rows_at(found, piece.rows)
