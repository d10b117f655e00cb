"""Entries and partition tuples of several manifests: joined, and numbered by equality.

The rules:

- Parts that are joined have the same columns.  Their buffers are copied into one, and places in
  them are moved.
- Partitions are equal if their specs and their values are: null is one value and so is NaN, and
  -0.0 is not 0.0.

Source: Iceberg table spec, "Scan Planning".
"""

from __future__ import annotations

from bisect import bisect_right
from functools import reduce
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError
from byteloom.iceberg.expressions.stats import FieldStats, Spans
from byteloom.iceberg.manifests.arrow_columns import Lists, places_before
from byteloom.iceberg.manifests.entry_columns import Entries, Statistics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Rows = NDArray[np.intp]
    Numbers = NDArray[np.int64]

__all__ = ["joined_entries", "joined_tuples", "partition_codes"]

_PROMOTED: Final = {
    pa.int32(): (pa.int64(),),
    pa.float32(): (pa.float64(),),
    pa.date32(): (pa.timestamp("us"), pa.timestamp("ns")),
}
"""The types to which a column may be promoted, except decimals, which may gain digits."""


def joined_tuples(arrays: Sequence[pa.Array]) -> pa.Array:
    """Return the partition values of several manifests in types that fit all of them.

    Types differ if the source column was dropped: each manifest then has its stored type.

    Raises:
        FormatError: Two types of which neither can be promoted to the other.
    """
    types = list(dict.fromkeys(each.type for each in arrays))
    if len(types) == 1:
        return pa.concat_arrays(arrays)
    common = reduce(_common, types)
    if common is None:
        found = ", ".join(sorted(map(str, types)))
        raise FormatError("partition", None, found, "values of one type")
    return pa.concat_arrays([each.cast(common) for each in arrays])


def _common(left: pa.DataType | None, right: pa.DataType) -> pa.DataType | None:
    """Return the type to which the values of both may be promoted; None if there is none."""
    if left is None or left == right:
        return left
    if pa.types.is_struct(left) and pa.types.is_struct(right) and left.names == right.names:
        types = [_common(left.field(at).type, each.type) for at, each in enumerate(right)]
        if None in types:
            return None
        return pa.struct([each.with_type(of) for each, of in zip(right, types, strict=True)])
    if pa.types.is_decimal(left) and pa.types.is_decimal(right):
        return max(left, right, key=lambda of: of.precision) if left.scale == right.scale else None
    for narrow, wide in ((left, right), (right, left)):
        if pa.types.is_null(narrow) or wide in _PROMOTED.get(narrow, ()):
            return wide
    return None


def partition_codes(
    ours: Entries, our_rows: Rows, theirs: Entries, their_rows: Rows
) -> tuple[Numbers, Numbers]:
    """Return a number for the partition of each row; equal partitions have equal numbers.

    Returns:
        Negative for a partition that the other side cannot have: -1 for ours, -2 for theirs.

    Raises:
        FormatError: Values of one spec that have several types.
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
                raise error.inside(f"spec {spec_id}").in_file(manifest) from error.__cause__
            our_codes[left], their_codes[right] = codes[: len(left)], codes[len(left) :]
            used += len(codes)
    return our_codes, their_codes


def _columns(entries: Entries, spec_id: int, rows: Rows) -> list[pa.Array]:
    """Return the partition values of rows of one spec, one array per field."""
    all_rows, partitions = entries.partition(spec_id)
    places = np.searchsorted(all_rows, rows)
    return list(partitions.take(pa.array(places)).flatten())


def _codes(ours: list[pa.Array], theirs: list[pa.Array], count: int) -> Numbers:
    """Return a number for each tuple; those of *ours* come first."""
    codes = np.zeros(count, np.int64)
    for left, right in zip(ours, theirs, strict=True):
        values = joined_tuples([left, right]).dictionary_encode(null_encoding="encode")
        codes = codes * (len(values.dictionary) + 1) + values.indices.to_numpy()
        codes = np.unique(codes, return_inverse=True)[1].reshape(-1)
    return codes


def joined_entries(parts: Sequence[Entries]) -> Entries:
    """Return the entries of several reads of the same columns, one after the other."""
    if len(parts) == 1:
        return parts[0]
    first = parts[0]
    numbers = {
        name: np.concatenate([each.numbers[name] for each in parts]) for name in first.numbers
    }
    paths, numbers["manifest"] = _joined_paths(parts)
    stats = {
        key: _joined_stats([each.stats.of(key) for each in parts]) for key in first.stats.columns
    }
    return Entries(
        numbers,
        {name: _joined_spans([each.runs[name] for each in parts]) for name in first.runs},
        {name: Lists.joined([each.lists[name] for each in parts]) for name in first.lists},
        _joined_partitions(parts),
        Statistics(numbers["record_count"], stats),
        paths,
    )


def _joined_spans(parts: Sequence[Spans]) -> Spans:
    """Return the spans of several buffers as spans of one."""
    before = places_before([len(each.data) for each in parts])
    places = [each.places + start for each, start in zip(parts, before, strict=True)]
    data = np.concatenate([each.data for each in parts])
    return Spans(data, np.concatenate(places), np.concatenate([each.sizes for each in parts]))


def _joined_paths(parts: Sequence[Entries]) -> tuple[Sequence[str], Numbers]:
    """Return the manifests of several reads, and each entry's number; those of one list stay."""
    lists = list({id(each.paths): each.paths for each in parts}.values())
    starts = dict(zip(map(id, lists), places_before([len(each) for each in lists]), strict=True))
    moved = [each.manifest + starts[id(each.paths)] for each in parts]
    paths = lists[0] if len(lists) == 1 else [path for each in lists for path in each]
    return paths, np.concatenate(moved)


def _manifest_path(parts: Sequence[Entries], row: int) -> str:
    """Return the manifest of a row, counted over all parts."""
    before = places_before([len(each) for each in parts])
    number = bisect_right(before, row) - 1
    return parts[number].manifest_path(row - before[number])


def _joined_stats(parts: Sequence[FieldStats]) -> FieldStats:
    """Return the statistics of several reads as one."""
    return FieldStats(
        np.concatenate([each.value_count for each in parts]),
        np.concatenate([each.null_count for each in parts]),
        np.concatenate([each.nan_count for each in parts]),
        _joined_spans([each.lower for each in parts]),
        _joined_spans([each.upper for each in parts]),
    )


def _joined_partitions(parts: Sequence[Entries]) -> dict[int, tuple[Rows, pa.StructArray]]:
    """Return the partition tuples of several reads as one, by spec."""
    before = places_before([len(each) for each in parts])
    made = {}
    for spec_id in sorted({each for part in parts for each in part.partitions}):
        held = [
            (rows + start, structs)
            for part, start in zip(parts, before, strict=True)
            if spec_id in part.partitions
            for rows, structs in [part.partitions[spec_id]]
        ]
        held = [each for each in held if len(each[0])] or held[:1]
        try:
            structs = joined_tuples([structs for _, structs in held])
        except FormatError as error:
            other = next(rows for rows, each in held if each.type != held[0][1].type)
            manifest = _manifest_path(parts, int(other[0]))
            raise error.inside(f"spec {spec_id}").in_file(manifest) from error.__cause__
        made[spec_id] = np.concatenate([rows for rows, _ in held]), structs
    return made
