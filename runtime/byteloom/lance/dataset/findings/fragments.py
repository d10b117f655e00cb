"""What is wrong with the fragments of versions, most of which have those of the version before.

With them are checked the ids of their rows, and the versions that rows were added and changed in.

Source: https://lance.org/format/table/#fragments, https://lance.org/format/table/row_id_lineage/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from byteloom.errors import ByteloomError, FormatError
from byteloom.lance.dataset.findings.data_files import FileChecks
from byteloom.lance.dataset.findings.manifest import claim_findings, fragment_findings
from byteloom.lance.dataset.findings.shared_parts import Finding
from byteloom.lance.dataset.fragments import Fragment
from byteloom.lance.dataset.row_ids import versions_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from byteloom.lance.dataset.findings.shared_parts import StoredFragment, Version

__all__ = ["FragmentChecks"]


class FragmentChecks:
    """The fragments that were checked; those of several versions are checked once."""

    def __init__(self) -> None:
        """Begin without any."""
        self._checked: dict[tuple[object, ...], dict[StoredFragment, range | None]] = {}
        self._files = FileChecks()

    def findings(self, version: Version, *, is_sound: bool) -> tuple[list[Finding], bool]:
        """Return what is wrong with fragments and was not found before; and whether all are sound.

        Args:
            is_sound: Whether nothing is wrong with the manifest apart from its fragments.
        """
        manifest, files, fragments = version.manifest, version.files, version.fragments
        settings = version.schema, version.data_version, files.miscounts, files.has_row_ids
        checked = self._checked.setdefault(settings, {})
        found: list[Finding] = []
        for index, each in enumerate(fragments):
            if each not in checked:
                fragment = Fragment(manifest.fragments[index], index, files)
                own, is_whole = self._fragment(fragment, version)
                found += own
                checked[each] = _range_of_ids(fragment) if is_whole else None
        ranges = [ids for ids in map(checked.__getitem__, fragments) if ids is not None]
        are_sound = len(ranges) == len(fragments)
        if are_sound and files.has_row_ids and is_sound:
            found += map(Finding, _id_findings(version, ranges))
        return found, are_sound and not found

    def _fragment(self, fragment: Fragment, version: Version) -> tuple[list[Finding], bool]:
        """Return what is newly found wrong with a fragment, and whether it is sound."""
        stored, path, number = fragment.stored, fragment.path, version.number
        miscounts = version.files.miscounts
        found = list(fragment_findings(stored, number, path, has_counts=not miscounts))
        rows = 0 if miscounts and stored.HasField("deletion_file") else stored.physical_rows
        is_sound = not found
        files = [(f"{path}.files[{at}]", each, rows) for at, each in enumerate(stored.files)]
        for at, each in enumerate(stored.overlays):
            files.append((f"{path}.overlays[{at}].data_file", each.data_file, 0))
        for name, file, count in files:
            errors, is_file_sound = self._files.findings(file, count, version, name)
            found += errors
            is_sound &= is_file_sound
        if is_sound:
            found += claim_findings(stored, path)
            found += map(Finding, _row_findings(fragment, number))
        return found, is_sound and not found


def _row_findings(fragment: Fragment, version: int) -> Iterator[ByteloomError]:
    """Yield what is wrong with deletions and row ids of a fragment whose files are sound."""
    try:
        _ = fragment.deleted
    except ByteloomError as error:
        yield error
        return
    yield from _row_id_findings(fragment, version)


def _id_findings(version: Version, ranges: Sequence[range]) -> Iterator[ByteloomError]:
    """Yield what is wrong with the row ids of all fragments, each of which is sound.

    Args:
        ranges: The ranges of the ids of each fragment; those of the newest version are compared
            with each other.
    """
    manifest, files = version.manifest, version.files
    following, end = manifest.next_row_id, max((each.stop for each in ranges), default=0)
    if following < end:
        wanted = f"{end} or more, so that new rows get new ids"
        yield FormatError("manifest.next_row_id", None, following, wanted)
    if version.is_newest:
        yield from _repeated_ids(ranges, lambda at: Fragment(manifest.fragments[at], at, files))


_SEQUENCES: Final = ("updates", "creations")


def _row_id_findings(fragment: Fragment, version: int) -> Iterator[ByteloomError]:
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


def _range_of_ids(fragment: Fragment) -> range:
    """Return the range of the row ids of a fragment; empty if its rows do not keep ids."""
    if not fragment.files.has_row_ids or not len(fragment.row_ids):
        return range(0)
    return range(int(fragment.row_ids.min()), int(fragment.row_ids.max()) + 1)


def _repeated_ids(
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
