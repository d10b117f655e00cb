"""What is wrong with the ids of rows, and with the versions that rows were added and changed in.

Source: https://lance.org/format/table/row_id_lineage/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from byteloom.errors import ByteloomError, FormatError
from byteloom.lance.dataset.row_ids import versions_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from byteloom.lance.dataset.fragments import Fragment

__all__ = ["range_of_ids", "repeated_ids", "row_id_findings"]

_SEQUENCES: Final = ("updates", "creations")


def row_id_findings(fragment: Fragment, version: int) -> Iterator[ByteloomError]:
    """Yield what is wrong with the row ids of a fragment, whose row count is right.

    Args:
        version: The number of the version.
    """
    rows, limits = fragment.physical_rows, fragment.files.limits
    if not fragment.files.has_row_ids:
        return
    try:
        ids = fragment.row_ids
    except ByteloomError as error:
        yield error
        return
    if len(np.unique(ids)) < len(ids):
        path, found = f"{fragment.path}.row_id_sequence", "two rows with the same id"
        yield FormatError(path, None, found, "an id for each row")
    for group in _SEQUENCES:
        try:
            path, data = fragment.sequence(group)
            versions = [] if data is None else versions_of(data, rows, limits, path)
        except ByteloomError as error:
            yield error
            continue
        if versions and max(versions) > version:
            wanted = f"at most {version}, the version of the manifest"
            yield FormatError(path, None, max(versions), wanted)


def range_of_ids(fragment: Fragment) -> range:
    """Return the range of the row ids of a fragment; empty if its rows do not keep ids."""
    if not fragment.files.has_row_ids or not len(fragment.row_ids):
        return range(0)
    return range(int(fragment.row_ids.min()), int(fragment.row_ids.max()) + 1)


def repeated_ids(
    ranges: Sequence[range], fragment: Callable[[int], Fragment]
) -> Iterator[FormatError]:
    """Yield an error where rows of different fragments that are not deleted have the same id.

    Only ids of fragments whose ranges overlap are read, some fragments at a time.

    Args:
        ranges: The ranges of the ids of each fragment.
        fragment: Returns a fragment by its number.
    """
    end, group = 0, list[int]()
    order = sorted((each.start, number) for number, each in enumerate(ranges) if each)
    for start, number in order:
        if start >= end:
            yield from _repeated(group, fragment)
            group = []
        group.append(number)
        end = max(end, ranges[number].stop)
    yield from _repeated(group, fragment)


def _repeated(group: Sequence[int], fragment: Callable[[int], Fragment]) -> Iterator[FormatError]:
    if len(group) < 2:  # noqa: PLR2004  only ids of two fragments can be the same
        return
    some = map(fragment, group)
    ids = np.concatenate([np.delete(each.row_ids, each.deleted) for each in some])
    found, counts = np.unique(ids, return_counts=True)
    if (counts > 1).any():
        names = ", ".join(map(str, sorted(group)))
        what = f"the row id {int(found[counts > 1][0])} twice in fragments {names}"
        wanted = "an id for each row that is not deleted"
        yield FormatError("manifest.fragments.row_id_sequence", None, what, wanted)
