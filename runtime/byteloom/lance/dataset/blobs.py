"""Columns of a Lance dataset whose values are in another dataset, as by releases 0.19.2 to 0.39.

- A field of the storage class ``blob`` is in no file of its fragment: its values are in the dataset
  in the folder `_blobs`, in the version that the manifest names.
- Rows of both datasets match by their ids.  The dataset of blobs keeps rows that were deleted.

Source: specs/lance/table.proto
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError
from byteloom.lance.dataset.fragments import rows_among
from byteloom.lance.field_reading import Piece, joined
from byteloom.lance.types import arrow_field
from byteloom.storage.naming import about_file

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from numpy.typing import NDArray

    from byteloom.lance.dataset.fragments import Fragment
    from byteloom.lance.dataset.state import DatasetState
    from byteloom.lance.field_reading import Rows
    from byteloom.lance.fields import Field

__all__ = ["BlobRows"]

_TOGETHER: Final = 1 << 10
"""Rows that are read at a time where they are in no order."""


class _OpenFragment(Protocol):
    """The rows of an open fragment."""

    file_name: str | None

    def starts(self, field: Field) -> list[int]:
        """Return the rows that are not deleted at which a page of a field begins."""

    def values(self, field: Field, rows: NDArray[np.int64]) -> pa.Array:
        """Return the values of rows that are not deleted."""


class BlobRows:
    """A field of a fragment whose values are in the dataset of blobs, and its own leaf.

    Rows that are deleted may have no blob; they are null here.
    """

    source = file_name = None
    joins = False
    width = 1 << 16

    def __init__(
        self,
        dataset: DatasetState,
        field: Field,
        fragment: Fragment,
        open_fragment: Callable[..., AbstractContextManager[_OpenFragment]],
    ) -> None:
        """Read the values of *field* of *fragment*, of whose rows some are not deleted.

        Args:
            dataset: The dataset, which has another one of blobs.
            field: The field.
            fragment: The fragment.
            open_fragment: Opens the files of a fragment of the dataset of blobs.
        """
        self._dataset, self._field, self._fragment = dataset, field, fragment
        self._open_fragment = open_fragment
        self.type = arrow_field(field).type
        self.length = fragment.physical_rows

    @property
    def leaves(self) -> tuple[BlobRows]:
        """The one leaf of the field."""
        return (self,)

    def made(self, parts: Sequence[pa.Array], rows: Rows) -> pa.Array:
        """Return the array of its leaf."""
        del rows
        return parts[0]

    @cached_property
    def _live(self) -> NDArray[np.int64]:
        """The rows that are not deleted."""
        return np.delete(np.arange(self.length), self._fragment.deleted)

    @cached_property
    def _numbers(self) -> NDArray[np.int64]:
        """The number of each live row in the dataset of blobs; an id that no row has is refused."""
        wanted, places = np.unique(self._fragment.row_ids[self._live], return_inverse=True)
        blobs = self._dataset.blobs
        least, greatest = blobs.id_spans
        near = np.flatnonzero((least <= wanted[-1]) & (greatest >= wanted[0])).tolist()
        rows = rows_among(((blobs.fragment(at), blobs.starts[at]) for at in near), wanted)
        missing = wanted[rows < 0]
        if len(missing):
            path = f"manifest.{self._field.path}"
            found = f"no value for the row with the id {missing[0]}"
            raise FormatError(path, None, found, f"one in the dataset {blobs.folder}")
        return rows[places]

    @cached_property
    def _cuts(self) -> list[int]:
        """Rows at which a page of blobs begins."""
        numbers, field, dataset = self._numbers, self._field, self._dataset.blobs
        if not (numbers[1:] > numbers[:-1]).all():
            return list(range(_TOGETHER, self.length, _TOGETHER))
        firsts: list[int] = []
        for at in np.unique(self._fragments(numbers)).tolist():
            with self._open_fragment(dataset, at, [field]) as opened:
                firsts += [each + dataset.starts[at] for each in opened.starts(field)]
        pages = np.searchsorted(firsts, numbers, side="right")
        found: list[int] = self._live[np.flatnonzero(np.diff(pages)) + 1].tolist()
        return found

    def pieces(self, rows: Rows, end: int | None = None) -> list[Piece]:
        """Return the rows of a page of blobs at a time."""
        del end
        if not isinstance(rows, range):
            return [Piece(self, 0, 0, len(rows), rows, None, 0, len(rows) * self.width)]
        inside = [each for each in self._cuts if rows.start < each < rows.stop]
        return [
            Piece(self, 0, a, b - a, None, None, 0, (b - a) * self.width)
            for a, b in pairwise([rows.start, *inside, rows.stop])
        ]

    def ranges(self, piece: Piece) -> Sequence[tuple[int, int]]:
        """Return no range: the values are in other files."""
        del piece
        return ()

    def decode(self, pieces: Sequence[Piece]) -> pa.Array:
        """Return the rows of a piece.

        Raises:
            FormatError: For damage.
            Unsupported: It cannot be read.
            LimitExceeded: It takes more than the limits allow.
        """
        (piece,) = pieces
        rows = piece.rows
        if rows is None:
            rows = np.arange(piece.first, piece.first + piece.length)
        at = np.searchsorted(self._live, rows)
        is_live = at < len(self._live)
        is_live[is_live] = self._live[at[is_live]] == rows[is_live]
        found = self._read(self._numbers[at[is_live]])
        if is_live.all():
            return found
        return found.take(pa.array(np.cumsum(is_live) - 1, mask=~is_live))

    def _fragments(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """The fragment of each row of the dataset of blobs."""
        found: NDArray[np.int64] = np.searchsorted(self._dataset.blobs.starts, numbers, "right") - 1
        return found

    def _read(self, numbers: NDArray[np.int64]) -> pa.Array:
        ascending, places = np.unique(numbers, return_inverse=True)
        fragments = self._fragments(ascending)
        dataset, field = self._dataset.blobs, self._field
        parts = []
        for at in np.unique(fragments).tolist():
            own = ascending[fragments == at] - dataset.starts[at]
            with self._open_fragment(dataset, at, [field]) as opened, about_file(opened.file_name):
                parts.append(opened.values(field, own))
        array = joined(self.type, parts)
        is_ascending = len(ascending) == len(numbers) and bool((ascending == numbers).all())
        return array if is_ascending else array.take(pa.array(places))
