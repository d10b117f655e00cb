"""What is wrong with the fragments of versions, most of which have those of the version before.

Source: https://lance.org/format/table/#fragments
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom.errors import ByteloomError, FormatError
from byteloom.lance.dataset.findings.data_files import Known, data_file_findings
from byteloom.lance.dataset.findings.finding import Finding
from byteloom.lance.dataset.findings.manifest import claim_findings, fragment_findings
from byteloom.lance.dataset.findings.row_ids import range_of_ids, repeated_ids, row_id_findings
from byteloom.lance.dataset.fragments import Fragment
from byteloom.lance.fields import tree_of
from byteloom_generated.lance.table import FeatureFlag

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from byteloom.lance.dataset.dataset import Dataset

__all__ = ["FragmentChecks"]


class FragmentChecks:
    """The fragments that were checked; those of several versions are checked once."""

    def __init__(self) -> None:
        """Begin without any."""
        self._schemas: dict[tuple[object, ...], int] = {}
        self._fragments: dict[tuple[object, ...], range | None] = {}
        self._files: dict[tuple[object, ...], bool] = {}

    def findings(
        self,
        dataset: Dataset,
        number: int,
        stored: Sequence[bytes],
        outline: Sequence[Finding],
        *,
        is_newest: bool,
    ) -> tuple[list[Finding], bool]:
        """Return what is wrong with fragments and was not found before; and whether all are sound.

        number     that of the version
        stored     the messages of the fragments
        outline    what is wrong with the manifest apart from its fragments
        is_newest  whether the ids of rows of all fragments are compared
        """
        manifest = dataset.manifest
        known = _known(dataset, frozenset[int]().union(*(each.fields for each in outline)))
        schema = (*(each.SerializeToString() for each in manifest.fields), known.version)
        shared = self._schemas.setdefault(schema, len(self._schemas))
        settings = shared, known.files.miscounts, known.files.has_row_ids
        found: list[Finding] = []
        ranges: list[range] = []
        for index, message in enumerate(stored):
            key = message, settings
            if key not in self._fragments:
                # Made for this check alone: the dataset would keep the ids of all its rows.
                fragment = Fragment(manifest.fragments[index], index, known.files)
                own, is_sound = self._fragment(fragment, known, number)
                found += own
                self._fragments[key] = range_of_ids(fragment) if is_sound else None
            ids = self._fragments[key]
            ranges += [] if ids is None else [ids]
        are_sound = len(ranges) == len(stored)
        if are_sound and known.files.has_row_ids and not outline:
            found += map(Finding, _id_findings(dataset, ranges, is_newest=is_newest))
        return found, are_sound and not found

    def _fragment(
        self, fragment: Fragment, known: Known, version: int
    ) -> tuple[list[Finding], bool]:
        """Return what is wrong with a fragment and was not found before, and whether it is sound.

        version  the number of the version
        """
        stored, path, miscounts = fragment.stored, fragment.path, known.files.miscounts
        found = list(fragment_findings(stored, version, path, has_counts=not miscounts))
        rows = 0 if miscounts and stored.HasField("deletion_file") else stored.physical_rows
        is_sound = not found
        files = [(f"{path}.files[{at}]", each, rows) for at, each in enumerate(stored.files)]
        for at, each in enumerate(stored.overlays):
            files.append((f"{path}.overlays[{at}].data_file", each.data_file, 0))
        for name, file, count in files:
            own = tuple((each, known.fields.get(each)) for each in file.fields)
            types = tuple((each, one and (one.path, one.type)) for each, one in own)
            key = file.SerializeToString(), count, types, known.version
            if key not in self._files:
                errors = data_file_findings(file, count, known, name)
                found += errors
                self._files[key] = not errors
            is_sound &= self._files[key]
        if is_sound:
            found += claim_findings(stored, path)
            found += map(Finding, _row_findings(fragment, version))
        return found, is_sound and not found


def _row_findings(fragment: Fragment, version: int) -> Iterator[ByteloomError]:
    """Yield what is wrong with deletions and row ids of a fragment whose files are sound."""
    try:
        _ = fragment.deleted
    except ByteloomError as error:
        yield error
        return
    yield from row_id_findings(fragment, version)


def _known(dataset: Dataset, doubtful: frozenset[int]) -> Known:
    stored = tree_of(dataset.manifest.fields, dataset.limits, path="manifest")
    fields = {each.id: each for top in stored for each in top.walk()}
    numbers = {each.id: number for number, each in enumerate(dataset.manifest.fields)}
    is_mixed = dataset.manifest.reader_feature_flags & FeatureFlag.MIXED_FILE_VERSIONS
    version = "" if is_mixed else dataset.data_version
    return Known(dataset.files, fields, numbers, f"{dataset.file_name}", version, doubtful)


def _id_findings(
    dataset: Dataset, ranges: Sequence[range], *, is_newest: bool
) -> Iterator[ByteloomError]:
    """Yield what is wrong with the row ids of all fragments, each of which is sound.

    ranges  of the ids of each fragment
    """
    manifest, files = dataset.manifest, dataset.files
    following, end = manifest.next_row_id, max((each.stop for each in ranges), default=0)
    if following < end:
        wanted = f"{end} or more, so that new rows get new ids"
        yield FormatError("manifest.next_row_id", None, following, wanted)
    if is_newest:
        yield from repeated_ids(ranges, lambda at: Fragment(manifest.fragments[at], at, files))
