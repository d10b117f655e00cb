"""Joining entries that were read in several parts.

The parts have the same columns.  Their buffers are copied into one, and places in them are moved.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

import numpy as np

from byteloom.errors import FormatError
from byteloom.iceberg.expressions.stats import FieldStats, Spans
from byteloom.iceberg.manifests.entry_columns import Entries, Statistics
from byteloom.iceberg.manifests.lists import Lists, places_before
from byteloom.iceberg.manifests.tuples import joined_tuples

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from byteloom.iceberg.manifests.entry_columns import Numbers, Rows

__all__ = ["joined_entries"]


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
