"""Fields of files of version 0.1, batch by batch."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

import numpy as np

from byteloom.lance.reading import joined
from byteloom.lance.rows_at import rows_at
from byteloom.lance.types import arrow_field

if TYPE_CHECKING:
    import pyarrow as pa

    from byteloom.lance.fields import Field
    from byteloom.lance.legacy.pages import PageReader

__all__ = ["LegacyReader"]


class LegacyReader:
    """A top-level field of a file; see `byteloom.lance.reading.FieldReader`."""

    def __init__(self, pages: PageReader, field: Field) -> None:
        """Read nothing yet."""
        self._pages, self._field, self._batches = pages, field, pages.batches

    @property
    def length(self) -> int:
        """The number of rows."""
        return self._batches[-1]

    @property
    def starts(self) -> list[int]:
        """Rows at which a batch begins."""
        return self._batches[:-1]

    def read(self, start: int, stop: int) -> pa.Array:
        """Return the rows from *start* up to *stop*."""
        first = bisect_right(self._batches, start) - 1
        parts = []
        for batch in range(first, bisect_left(self._batches, stop)):
            begin = self._batches[batch]
            rows = self._pages.read(self._field, batch)
            parts.append(rows[max(start - begin, 0) : max(stop - begin, 0)])
        return joined(arrow_field(self._field).type, parts)

    def take(self, rows: np.ndarray) -> pa.Array:
        """Return rows by their numbers, which ascend."""
        batches = np.searchsorted(self._batches, rows, side="right") - 1
        parts = []
        for batch in np.unique(batches).tolist():
            inside = rows[batches == batch] - self._batches[batch]
            parts.append(rows_at(self._pages.read(self._field, batch), inside))
        return joined(arrow_field(self._field).type, parts)
