"""``byteloom lance indices``: the indices of a dataset, and the rows that each lacks.

- Segments of one name are one index, which has the fragments of all of them.
- Rows of fragments that no segment has are found without the index, by a scan: pylance does that,
  and adds them when the index is updated (``optimize_indices``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from byteloom.cli.inputs.lance import DatasetVersion, dataset_version
from byteloom.cli.options.listing import Listing, listing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from byteloom.lance import Dataset
    from byteloom.lance.dataset.indices import IndexSegment

__all__ = ["indices"]

_NAMES: Final = (
    "name",
    "columns",
    "segments",
    "dataset_version",
    "indexed_rows",
    "unindexed_rows",
    "size",
)


@listing
@dataset_version
def indices(
    dataset: Annotated[str, typer.Argument(metavar="DATASET", help="A path or a URL.")],
    *,
    at: DatasetVersion,
    to: Listing,
) -> None:
    """List the indices of a dataset: their columns, and how many rows each has and lacks."""
    found = at.open(dataset)
    by_name: dict[str, list[IndexSegment]] = {}
    for each in found.indices:
        by_name.setdefault(each.name, []).append(each)
    to.show_values([_row(found, segments) for segments in by_name.values()], list(_NAMES))


def _row(dataset: Dataset, segments: Sequence[IndexSegment]) -> tuple[Any, ...]:
    """Return the row of an index; rows are unknown if a segment does not name its fragments."""
    first = segments[0]
    sizes = [each.size for each in segments]
    indexed = unindexed = None
    if first.columns and all(each.fragments is not None for each in segments):
        has = frozenset[int]().union(*(each.fragments or () for each in segments))
        counts = [(each.id in has, each.num_rows) for each in dataset.fragments]
        indexed = sum(count for is_there, count in counts if is_there)
        unindexed = sum(count for is_there, count in counts if not is_there)
    return (
        first.name,
        list(first.columns),
        len(segments),
        min(each.dataset_version for each in segments),
        indexed,
        unindexed,
        None if None in sizes else sum(each or 0 for each in sizes),
    )
