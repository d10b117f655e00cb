"""Rows of a Lance dataset as Arrow, fragment by fragment.

- The files of some fragments are open at a time, as many as have some megabytes of wanted rows.
- A batch has rows of one fragment.
- Row numbers count the rows that are not deleted, in the order of fragments.

Source: https://lance.org/format/table/
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final

import numpy as np

from byteloom.errors import ByteloomError
from byteloom.lance.dataset.fragment_rows import opened_fragment
from byteloom.lance.decoding_plan import OpenSources
from byteloom.lance.scan import RowScan
from byteloom.lance.selection import chosen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import pyarrow as pa

    from byteloom.lance.dataset.blob_columns import BlobColumns
    from byteloom.lance.dataset.fragment_rows import FragmentRows
    from byteloom.lance.dataset.state import DatasetState
    from byteloom.lance.field_reading import Rows
    from byteloom.lance.fields import Field
    from byteloom.lance.selection import Condition

__all__ = ["MOST_FRAGMENTS", "DatasetScan"]

MOST_FRAGMENTS: Final = 64
_MOST_VALUES: Final = 1 << 21
"""Most fragments that are open at a time, and most values of several of them."""


class DatasetScan(RowScan):
    """Some columns and rows of a dataset; nothing is read before they are asked for.

    Example:
        >>> import pyarrow as pa
        >>> from byteloom import lance
        >>> table = pa.table({"id": range(10)})
        >>> trips = lance.write_dataset("trips.lance", table, max_rows_per_file=6)
        >>> [batch.num_rows for batch in trips.scan(batch_size=4).batches()]
        [4, 2, 4]
    """

    def __init__(  # noqa: PLR0913  the parts of `Dataset.scan`
        self,
        dataset: DatasetState,
        columns: Sequence[str] | None,
        rows: range | None,
        batch_size: int,
        *,
        condition: Condition | None = None,
        added: Sequence[Field] = (),
        blobs: Callable[[Sequence[Field]], BlobColumns] | None = None,
        threads: int | None = None,
    ) -> None:
        """Choose columns and rows of *dataset*; see `Dataset.scan`.

        Args:
            dataset: The version.
            columns: As for `Dataset.scan`.
            rows: As for `Dataset.scan`.
            batch_size: As for `Dataset.scan`.
            condition: Selects rows; None for all.
            added: Further columns: row ids, addresses.
            blobs: Makes what reads bytes of blobs from the fields, the last of which has addresses;
                None for descriptors.
            threads: As for `Dataset.scan`.
        """
        self._dataset: Final = dataset
        fields = [*chosen(dataset.fields, columns), *added]
        self._blobs = None if blobs is None else blobs(fields)
        super().__init__(dataset, fields, rows, batch_size, condition=condition, threads=threads)

    def _shown_schema(self, stored: pa.Schema) -> pa.Schema:
        return stored if self._blobs is None else self._blobs.schema(stored)

    def _shown_batches(self, stored: Iterable[pa.RecordBatch]) -> Iterable[pa.RecordBatch]:
        return stored if self._blobs is None else self._blobs.batches(stored)

    def _shown_table(self, stored: pa.Table) -> pa.Table:
        return stored if self._blobs is None else self._blobs.table(stored)

    def _opened(self) -> Iterator[OpenSources]:
        return self._fragments(self._ranges())

    def _taken(self, numbers: np.ndarray) -> pa.Table:
        starts = np.array(self._dataset.starts)
        inside = np.searchsorted(starts, numbers, side="right") - 1
        fragments, cuts = np.unique(inside, return_index=True)
        parts = np.split(numbers - starts[inside], cuts[1:]) if len(numbers) else []
        wanted = zip(fragments.tolist(), parts, strict=True)
        return self._reading.take(self._fragments(wanted)).combine_chunks()

    def _ranges(self) -> Iterator[tuple[int, Rows]]:
        """Yield the number of each fragment that has any of the rows, and which."""
        starts = self._dataset.starts
        for number in range(max(bisect_right(starts, self.rows.start) - 1, 0), len(starts) - 1):
            begin, end = starts[number], starts[number + 1]
            if begin >= self.rows.stop:
                return
            first, last = max(self.rows.start, begin), min(self.rows.stop, end)
            if first < last:
                yield number, range(first - begin, last - begin)

    def _fragments(self, wanted: Iterable[tuple[int, Rows]]) -> Iterator[OpenSources]:
        """Yield fragments, some at a time, with the rows that are read of each.

        Args:
            wanted: Numbers of fragments, with these rows.
        """
        condition = self._condition
        fields = self._fields if condition is None else [*self._fields, *condition.fields]
        first = fields if condition is None else condition.fields
        most = max(_MOST_VALUES // max(len(first), 1), 1)
        left = deque(wanted)
        while left:
            with ExitStack() as stack:
                found: list[tuple[FragmentRows, Rows]] = []
                count = 0
                while left and len(found) < MOST_FRAGMENTS:
                    number, rows = left[0]
                    count += len(rows)
                    if found and count > most:
                        break
                    try:
                        fragment = opened_fragment(self._dataset, number, fields, stack)
                    except ByteloomError:
                        if not found:
                            raise
                        break  # it is opened again for the error when its turn comes
                    found.append((fragment, rows))
                    left.popleft()
                yield OpenSources(found, stack.pop_all())
