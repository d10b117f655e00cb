"""Partition tuples of several manifests: put together, and told apart by numbers.

Partitions are equal if their specs and their values are: null is one value and so is NaN, and -0.0
is not 0.0.

Source: Iceberg table spec, "Scan Planning".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from byteloom.iceberg.manifests.entry_columns import Entries

    Rows = NDArray[np.intp]
    Numbers = NDArray[np.int64]

__all__ = ["joined_tuples", "partition_codes"]


def joined_tuples(arrays: Sequence[pa.Array]) -> pa.Array:
    """Return the partition values of several manifests; `FormatError` for several types."""
    try:
        return pa.concat_arrays(arrays)
    except pa.ArrowInvalid as error:
        found = ", ".join(sorted({str(each.type) for each in arrays}))
        raise FormatError("partition", None, found, "values of one type") from error


def partition_codes(
    ours: Entries, our_rows: Rows, theirs: Entries, their_rows: Rows
) -> tuple[Numbers, Numbers]:
    """Return a number for the partition of each row, equal for equal ones of both sides.

    returns      below 0 for what no row of the other side can equal: -1 for ours, -2 for theirs
    FormatError  values of one spec that have several types
    """
    our_codes = np.full(len(our_rows), -1, np.int64)
    their_codes = np.full(len(their_rows), -2, np.int64)
    used = 0
    for spec_id in np.unique(theirs.spec_id[their_rows]).tolist():
        left = np.flatnonzero(ours.spec_id[our_rows] == spec_id)
        right = np.flatnonzero(theirs.spec_id[their_rows] == spec_id)
        if len(left):
            columns = _columns(ours, spec_id, our_rows[left])
            their_columns = _columns(theirs, spec_id, their_rows[right])
            try:
                codes = used + _codes(columns, their_columns, len(left) + len(right))
            except FormatError as error:
                manifest = theirs.manifest_path(int(their_rows[right][0]))
                raise error.inside(f"{manifest}.spec {spec_id}") from error.__cause__
            our_codes[left], their_codes[right] = codes[: len(left)], codes[len(left) :]
            used += len(codes)
    return our_codes, their_codes


def _columns(entries: Entries, spec_id: int, rows: Rows) -> list[pa.Array]:
    """The partition values of rows of one spec, a column a field."""
    all_rows, partitions = entries.partition(spec_id)
    places = np.searchsorted(all_rows, rows)
    return list(partitions.take(pa.array(places)).flatten())


def _codes(ours: list[pa.Array], theirs: list[pa.Array], count: int) -> Numbers:
    """A number for each tuple, those of ours first."""
    codes = np.zeros(count, np.int64)
    for left, right in zip(ours, theirs, strict=True):
        values = joined_tuples([left, right]).dictionary_encode(null_encoding="encode")
        codes = codes * (len(values.dictionary) + 1) + values.indices.to_numpy()
        codes = np.unique(codes, return_inverse=True)[1].reshape(-1)
    return codes
