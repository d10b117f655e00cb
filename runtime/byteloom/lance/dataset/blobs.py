"""Columns of a Lance dataset whose values are in another dataset, as by releases 0.19.2 to 0.39.

- A field of the storage class ``blob`` is in no file of its fragment: its values are in the dataset
  in the folder `_blobs`, in the version that the manifest names.
- Rows of both datasets match by their ids.  The dataset of blobs keeps rows that were deleted.

Source: specs/lance/table.proto
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError
from byteloom.lance.dataset.finding_ids import rows_among
from byteloom.lance.dataset.versions import name_of_version
from byteloom.lance.reading import joined
from byteloom.lance.types import arrow_field
from byteloom.storage import Folder
from byteloom.storage.naming import about_file

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from byteloom.lance.dataset.dataset import Dataset
    from byteloom.lance.fields import Field
    from byteloom.limits import Limits
    from byteloom.storage.allowed import Allowed

__all__ = ["BlobDataset", "BlobRows"]

_FOLDER: Final = "_blobs"
_TOGETHER: Final = 1 << 10
"""Rows that are read at a time where they are in no order."""


class BlobDataset:
    """The dataset of blobs of another dataset; nothing is read before values are asked for."""

    def __init__(
        self, folder: Folder, version: int, limits: Limits, allowed: Allowed | None
    ) -> None:
        """Describe the *version* of the blobs of the dataset in *folder*; 0 if there are none."""
        self._parent, self._version = folder, version
        self._limits, self._allowed = limits, allowed

    @cached_property
    def dataset(self) -> Dataset:
        """The dataset itself.

        raises  `FormatError` where it is damaged, or there is no such version
        """
        from byteloom.lance.dataset.opening import dataset_of

        parent, version = self._parent, self._version
        folder = Folder(f"{parent.path}/{_FOLDER}", filesystem=parent.filesystem)
        name = name_of_version(folder, version) if version else None
        if name is None:
            wanted = f"a version of the dataset in its folder {_FOLDER}"
            raise FormatError("manifest.blob_dataset_version", None, version, wanted)
        found = dataset_of(folder, name, [version], self._limits, self._allowed)
        found.manifest.ClearField("blob_dataset_version")  # it has no blobs of its own
        return found

    @cached_property
    def _spans(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """The least and the greatest id of each fragment; of an empty one, none in between."""
        ids = [each.row_ids for each in self.dataset.fragments]
        least = [each.min() if len(each) else 1 for each in ids]
        greatest = [each.max() if len(each) else 0 for each in ids]
        return np.array(least, np.uint64), np.array(greatest, np.uint64)

    def rows(self, ids: NDArray[np.uint64], path: str) -> NDArray[np.int64]:
        """Return the number of the row that has each id.

        path    the name of the field in errors
        raises  `FormatError` for an id that no row has
        """
        wanted, places = np.unique(ids, return_inverse=True)
        least, greatest = self._spans
        near = np.flatnonzero((least <= wanted[-1]) & (greatest >= wanted[0])).tolist()
        dataset = self.dataset
        rows = rows_among(((dataset.fragment(at), dataset.starts[at]) for at in near), wanted)
        missing = wanted[rows < 0]
        if len(missing):
            found = f"no value for the row with the id {missing[0]}"
            raise FormatError(path, None, found, f"one in the dataset {dataset.folder}")
        return rows[places]


class BlobRows:
    """A field of a fragment whose values are in the dataset of blobs."""

    def __init__(self, blobs: BlobDataset, field: Field, ids: NDArray[np.uint64]) -> None:
        """Read the values of *field* of the rows that have these *ids*: at least one."""
        self._blobs, self._field, self._ids = blobs, field, ids
        self._type = arrow_field(field).type
        self.length = len(ids)

    @cached_property
    def _numbers(self) -> NDArray[np.int64]:
        """The number of each row in the dataset of blobs."""
        return self._blobs.rows(self._ids, f"manifest.{self._field.path}")

    @cached_property
    def starts(self) -> list[int]:
        """Rows at which a page of blobs begins."""
        numbers, field = self._numbers, self._field
        if not (numbers[1:] > numbers[:-1]).all():
            return list(range(0, self.length, _TOGETHER))
        dataset = self._blobs.dataset
        firsts: list[int] = []
        for at in np.unique(self._fragments(numbers)).tolist():
            with dataset.fragment(at).open([field]) as opened:
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
        found: NDArray[np.int64] = np.searchsorted(self._blobs.dataset.starts, numbers, "right") - 1
        return found

    def _read(self, numbers: NDArray[np.int64]) -> pa.Array:
        ascending, places = np.unique(numbers, return_inverse=True)
        fragments = self._fragments(ascending)
        dataset, field = self._blobs.dataset, self._field
        parts = []
        for at in np.unique(fragments).tolist():
            own = ascending[fragments == at] - dataset.starts[at]
            first, end = int(own[0]), int(own[-1]) + 1
            with dataset.fragment(at).open([field]) as opened, about_file(opened.file_name):
                (reader,) = opened.readers([field])
                whole = end - first == len(own)
                parts.append(reader.read(first, end) if whole else reader.take(own))
        array = joined(self._type, parts)
        is_ascending = len(ascending) == len(numbers) and bool((ascending == numbers).all())
        return array if is_ascending else array.take(pa.array(places))
