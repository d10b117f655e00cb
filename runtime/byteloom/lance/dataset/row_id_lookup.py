"""Find the rows that have given ids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from byteloom.errors import ArgumentError, found_by

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from byteloom.lance.dataset.fragments import Fragment
    from byteloom.lance.dataset.state import DatasetState

__all__ = ["rows_among", "rows_with_ids"]


def rows_with_ids(
    dataset: DatasetState, ids: Sequence[int] | np.ndarray | pa.Array
) -> NDArray[np.int64]:
    """Return the number of the row that has each id, not counting deleted rows.

    Raises:
        FormatError: For an id that no row has.
        StorageError: A file cannot be read or written.
    """
    wanted, places = np.unique(_numbers(ids), return_inverse=True)
    rows = rows_among(zip(dataset.fragments, dataset.starts, strict=False), wanted)
    missing = wanted[rows < 0]
    if len(missing):
        raise ArgumentError("ids", None, int(missing[0]), "the id of a row that is not deleted")
    return rows[places]


def rows_among(
    fragments: Iterable[tuple[Fragment, int]], wanted: NDArray[np.uint64]
) -> NDArray[np.int64]:
    """Return the number of the row that has each id; -1 where no row of *fragments* has it.

    Args:
        fragments: Each with the number of its first row.
        wanted: Ids, which ascend.
    """
    rows = np.full(len(wanted), -1, np.int64)
    for fragment, start in fragments:
        if not len(wanted):
            break
        live = np.delete(fragment.row_ids, fragment.deleted)
        at = np.searchsorted(wanted, live)
        is_found = (at < len(wanted)) & (wanted[np.minimum(at, len(wanted) - 1)] == live)
        rows[at[is_found]] = np.flatnonzero(is_found) + start
    return rows


def _numbers(ids: Any) -> NDArray[np.uint64]:
    """The ids as unsigned numbers of 64 bits."""
    try:
        array = ids if isinstance(ids, pa.Array | pa.ChunkedArray) else pa.array(ids, pa.uint64())
        array = array.cast(pa.uint64())
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        wanted = "row ids: whole numbers of 0 or more"
        raise ArgumentError("ids", None, found_by("other values", error), wanted) from error
    if array.null_count:
        raise ArgumentError("ids", None, f"{array.null_count} nulls", "none")
    return np.asarray(array.to_numpy(zero_copy_only=False), np.uint64)
