"""Plain columns of files, decoded on demand for the rows that are still left.

The rules:

- The columns of filters and equality deletes are decoded first, the others only for the rows that
  are left.
- Whatever decodes them has checked that text is UTF-8.

Source: Iceberg table spec, "Column Projection".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, overload

import numpy as np

from byteloom.datafiles.keeping import kept

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["Plain", "PlainArrays"]


class Plain(Protocol):
    """Plain columns of some rows, which are decoded when they are taken."""

    def take(
        self, leaves: Sequence[int], types: Sequence[pa.DataType], rows: NDArray[np.int64] | None
    ) -> list[pa.Array]:
        """Return the columns of some leaves, ascending.

        types        their types, as `plain_type` returns them
        rows         numbers of the wanted rows, ascending; None for all
        FormatError  unusual or damaged pages, or too many bytes
        """


class PlainArrays(Sequence["pa.Array"]):
    """The columns of a piece, by index."""

    def __init__(
        self,
        columns: Plain,
        leaves: Sequence[tuple[int, pa.DataType]],
        made: Mapping[int, pa.Array],
        rows: NDArray[np.int64] | None = None,
    ) -> None:
        """Keep what is known; nothing is decoded.

        leaves  the leaf of each column and its type in files; ignored for columns in *made*
        made    columns that are decoded already, by index
        rows    the numbers of the rows that are left, ascending; None for all
        """
        self._columns, self._leaves, self._rows = columns, leaves, rows
        self._made = dict(made)

    def __len__(self) -> int:
        """Return the number of columns."""
        return len(self._leaves)

    @overload
    def __getitem__(self, place: int) -> pa.Array: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[pa.Array]: ...
    def __getitem__(self, place: int | slice) -> pa.Array | Sequence[pa.Array]:
        """Return a column; raises the `FormatError` of `Plain.take`."""
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        found = self._made.get(place)
        if found is None:
            self.load([place])
            found = self._made[place]
        return found

    def load(self, places: Iterable[int]) -> None:
        """Decode several columns at once; raises the `FormatError` of `Plain.take`."""
        wanted = sorted(set(places) - self._made.keys())
        if wanted:
            leaves, types = zip(*map(self._leaves.__getitem__, wanted), strict=True)
            found = self._columns.take(leaves, types, self._rows)
            self._made.update(zip(wanted, found, strict=True))

    def kept(self, keep: NDArray[np.bool_]) -> PlainArrays:
        """Return the rows whose flag is set."""
        made = dict(zip(self._made, kept(list(self._made.values()), keep), strict=True))
        rows = np.flatnonzero(keep) if self._rows is None else self._rows[keep]
        return PlainArrays(self._columns, self._leaves, made, rows)
