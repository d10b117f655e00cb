"""Which manifests of a snapshot become one, so that a table of many commits has few.

The rules:

- Manifests of one content and spec are packed from the last to the first, one after the other,
  into groups of about the target size; the group of the newest ones is the one with room left.
- That group is merged only once it has the least number of members; any other one at once.
- What the snapshot itself added or deleted stays so. Files that earlier snapshots deleted vanish,
  and all others are existing, with the numbers that they had inherited.

Source: Java's ``ManifestMergeManager``; the table properties ``commit.manifest``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pyarrow as pa

from byteloom.iceberg.manifests.entries import ALL_COLUMNS, read_entries
from byteloom.iceberg.manifests.fields import LIST
from byteloom.iceberg.manifests.manifest_list import ManifestList
from byteloom_generated.iceberg.manifests import EntryStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from byteloom.iceberg.manifests.entries import Entries
    from byteloom.iceberg.stored_table import StoredTable

__all__ = ["as_existing", "merge_groups", "packed_from_the_end"]

_T = TypeVar("_T")


def merge_groups(
    members: Sequence[_T],
    *,
    spec_of: Callable[[_T], int],
    size_of: Callable[[_T], int],
    target: int,
    least: int,
) -> list[list[_T]]:
    """Return manifests of one content in groups, each of which becomes one manifest.

    Args:
        members: The manifests in the order of the list, the newest first.
        spec_of: Returns the id of a manifest's partition spec.
        size_of: Returns the bytes of a manifest.
        target: About the most bytes of a group.
        least: The fewest members with which the newest group is merged.
    """
    by_spec: dict[int, list[_T]] = {}
    for each in members:
        by_spec.setdefault(spec_of(each), []).append(each)
    made = []
    for spec_id in sorted(by_spec, reverse=True):
        for group in packed_from_the_end(by_spec[spec_id], size_of, target):
            has_newest = any(each is members[0] for each in group)
            is_small = has_newest and len(group) < least
            made += [[each] for each in group] if is_small else [group]
    return made


def packed_from_the_end(
    members: Sequence[_T], size_of: Callable[[_T], int], target: int
) -> list[list[_T]]:
    """Return groups of neighbours, in their order, of which the first may have room left."""
    groups: list[list[_T]] = []
    size = 0
    for each in reversed(members):
        own = size_of(each)
        if not groups or size + own > target:
            groups.append([])
            size = 0
        groups[-1].append(each)
        size += own
    return [group[::-1] for group in groups[::-1]]


def as_existing(table: StoredTable, listed: Mapping[str, Any]) -> Entries:
    """Return the live files of an earlier manifest as existing ones, given its row in a list."""
    rows = pa.table({each.name: pa.array([listed[each.name]], each.arrow) for each in LIST})
    live = read_entries(
        ManifestList("", rows),
        table.relocation.read,
        table.metadata.partition_specs,
        table.schema,
        columns=ALL_COLUMNS,
        limits=table.limits,
    )
    status = np.full(len(live), EntryStatus.EXISTING, np.int64)
    return replace(live, numbers={**live.numbers, "status": status})
