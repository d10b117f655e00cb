"""Columns of a Lance dataset whose values are in another dataset, as by releases 0.19.2 to 0.39.

- A field of the storage class ``blob`` is in no file of its fragment: its values are in the dataset
  in the folder `_blobs`, in the version that the manifest names.
- Rows of both datasets match by their ids.  The dataset of blobs keeps rows that were deleted.

Source: specs/lance/table.proto
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError
from byteloom.lance.dataset.row_id_lookup import rows_among
from byteloom.lance.reading import joined
from byteloom.lance.types import arrow_field
from byteloom.storage.naming import about_file

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from numpy.typing import NDArray

    from byteloom.lance.dataset.state import DatasetState
    from byteloom.lance.fields import Field
    from byteloom.lance.reading import FieldReader

__all__ = ["BlobRows"]

_TOGETHER: Final = 1 << 10
"""Rows that are read at a time where they are in no order."""


class _OpenFragment(Protocol):
    """The rows of an open fragment."""

    file_name: str | None

    def readers(self, fields: Sequence[Field]) -> list[FieldReader]:
        """Return readers of *fields*."""


class BlobRows:
    """A field of a fragment whose values are in the dataset of blobs."""

    def __init__(
        self,
        dataset: DatasetState,
        field: Field,
        ids: NDArray[np.uint64],
        open_fragment: Callable[..., AbstractContextManager[_OpenFragment]],
    ) -> None:
        """Read the values of *field* of the rows of *dataset* that have these *ids*: at least one.

        open_fragment  opens the files of a fragment of the dataset of blobs
        """
        self._dataset, self._field, self._ids = dataset, field, ids
        self._open_fragment = open_fragment
        self._type = arrow_field(field).type
        self.length = len(ids)

    @cached_property
    def _numbers(self) -> NDArray[np.int64]:
        """The number of each row in the dataset of blobs.

        raises  `FormatError` for an id that no row has
        """
        wanted, places = np.unique(self._ids, return_inverse=True)
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
    def starts(self) -> list[int]:
        """Rows at which a page of blobs begins."""
        numbers, field = self._numbers, self._field
        if not (numbers[1:] > numbers[:-1]).all():
            return list(range(0, self.length, _TOGETHER))
        dataset = self._dataset.blobs
        firsts: list[int] = []
        for at in np.unique(self._fragments(numbers)).tolist():
            with self._open_fragment(dataset, at, [field]) as opened:
                (reader,) = opened.readers([field])
                firsts += [each + dataset.starts[at] for each in reader.starts]
        pages = np.searchsorted(firsts, numbers, side="right")
        return [0, *(np.flatnonzero(np.diff(pages)) + 1).tolist()]

    def read(self, start: int, stop: int) -> pa.Array:
        """Return the rows from *start* up to *stop*."""
        return self._read(self._numbers[start:stop])

    def take(self, rows: np.ndarray) -> pa.Array:
        """Return rows by their numbers, which ascend."""
        return self._read(self._numbers[rows])

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
            first, end = int(own[0]), int(own[-1]) + 1
            with self._open_fragment(dataset, at, [field]) as opened, about_file(opened.file_name):
                (reader,) = opened.readers([field])
                whole = end - first == len(own)
                parts.append(reader.read(first, end) if whole else reader.take(own))
        array = joined(self._type, parts)
        is_ascending = len(ascending) == len(numbers) and bool((ascending == numbers).all())
        return array if is_ascending else array.take(pa.array(places))
