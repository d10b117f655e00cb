"""What is wrong with the ids of rows, and with the versions that rows were added and changed in.

Source: https://lance.org/format/table/row_id_lineage/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from byteloom.errors import ByteloomError, FormatError, LimitExceeded
from byteloom.lance.dataset.row_ids import versions_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from byteloom.lance.dataset.fragments import Fragment

__all__ = ["largest_id", "repeated_ids", "row_id_findings"]

_SEQUENCES: Final = ("updates", "creations")


def row_id_findings(fragment: Fragment, version: int) -> Iterator[ByteloomError]:
    """Yield what is wrong with the row ids of a fragment, whose row count is right.

    version  the number of the version
    """
    rows, limits = fragment.physical_rows, fragment.files.limits
    if not fragment.files.has_row_ids:
        return
    if rows > limits.elements:
        wanted = f"at most {limits.elements} (limits.elements)"
        yield LimitExceeded(f"{fragment.path}.physical_rows", None, rows, wanted)
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
        kind = fragment.stored.WhichOneof(group)
        if kind is None:
            continue
        path = f"{fragment.path}.{kind}"
        try:
            stored: Any = getattr(fragment.stored, kind)
            data = stored if kind.startswith("inline") else fragment.files.external(stored, path)
            found_versions = versions_of(data, rows, limits, path)
        except ByteloomError as error:
            yield error
            continue
        if found_versions and max(found_versions) > version:
            wanted = f"at most {version}, the version of the manifest"
            yield FormatError(path, None, max(found_versions), wanted)


def largest_id(fragment: Fragment) -> int:
    """Return the largest row id of a fragment; -1 without rows, or if these do not keep ids."""
    has_ids = fragment.files.has_row_ids and len(fragment.row_ids)
    return int(fragment.row_ids.max()) if has_ids else -1


def repeated_ids(fragments: Sequence[Fragment]) -> Iterator[FormatError]:
    """Yield an error where rows that are not deleted have the same id, in different fragments.

    Only ids of fragments whose ranges of ids overlap are compared.
    """
    ranges = sorted(
        (int(each.row_ids.min()), int(each.row_ids.max()), each.number)
        for each in fragments
        if len(each.row_ids)
    )
    by_number = {each.number: each for each in fragments}
    end, group = -1, list[int]()
    for low, high, number in [*ranges, (end + 1, end, -1)]:
        if group and (number < 0 or low > end):
            yield from _repeated([by_number[each] for each in group])
            group = []
        group.append(number)
        end = max(end, high)


def _repeated(group: Sequence[Fragment]) -> Iterator[FormatError]:
    if len(group) == 1:
        return
    ids = np.concatenate([np.delete(each.row_ids, each.deleted) for each in group])
    found, counts = np.unique(ids, return_counts=True)
    if (counts > 1).any():
        names = ", ".join(each.path for each in group)
        first = int(found[counts > 1][0])
        yield FormatError(
            "manifest.fragments.row_id_sequence",
            None,
            f"the row id {first} twice in {names}",
            "an id for each row that is not deleted",
        )
