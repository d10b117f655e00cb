"""What is wrong with the versions of a dataset, the newest first.

Source: https://lance.org/format/table/versioning/
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from byteloom.errors import ByteloomError, FormatError
from byteloom.lance.dataset.committing import TRANSACTIONS
from byteloom.lance.dataset.dataset import Dataset
from byteloom.lance.dataset.findings.changes import Steps, transaction_of
from byteloom.lance.dataset.findings.data_files import Known, data_file_findings
from byteloom.lance.dataset.findings.indices import index_findings, indices_of
from byteloom.lance.dataset.findings.manifest import Finding, manifest_findings
from byteloom.lance.dataset.findings.references import reference_findings
from byteloom.lance.dataset.findings.row_ids import largest_id, repeated_ids, row_id_findings
from byteloom.lance.dataset.manifests import read_manifest
from byteloom.lance.dataset.versions import manifest_names
from byteloom.lance.fields import tree_of
from byteloom.storage.naming import about_file
from byteloom_generated.lance.table import FeatureFlag

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from byteloom.lance.dataset.fragments import Fragment
    from byteloom.storage import Source
    from byteloom_generated.lance.table import Manifest

__all__ = ["DatasetFindings", "dataset_findings"]


@dataclass
class DatasetFindings:
    """What is wrong with a dataset.

    errors  each once
    unread  ids of fields whose rows are misread, by what is wrong with the newest version
    """

    errors: list[ByteloomError] = field(default_factory=list)
    unread: set[int] = field(default_factory=set)


def dataset_findings(dataset: Dataset) -> DatasetFindings:
    """Return what is wrong with the manifests of all versions, compared with their files.

    dataset  the newest version
    """
    found = _Versions(dataset)
    names = manifest_names(dataset.folder)
    for number in reversed(names):
        try:
            with closing(dataset.folder.open(names[number])) as source, about_file(source.name):
                found.add(names[number], source, number)
        except ByteloomError as error:
            found.note([error])
    found.compare(names)
    found.note(reference_findings(dataset.folder, dataset.limits))
    return found.found


class _Versions:
    """Versions that are checked one after the other; what they share is checked once."""

    def __init__(self, newest: Dataset) -> None:
        """Begin without findings; *newest* is the newest version."""
        self.found = DatasetFindings()
        self._newest, self._steps = newest, Steps()
        self._transactions = newest.folder.files(TRANSACTIONS)
        self._noted: set[tuple[object, ...]] = set()
        self._sound: dict[tuple[object, ...], bool] = {}

    def note(self, errors: Iterable[ByteloomError], file: str | None = None) -> None:
        """Keep errors that were not noted of a newer version; they are in *file* by default."""
        for each in errors:
            key: tuple[object, ...] = each.args
            if isinstance(each, FormatError):
                key = each.path, str(each.found), each.wanted
                if file is not None:
                    each.in_file(file)
            if key not in self._noted:
                self._noted.add(key)
                self.found.errors.append(each)

    def add(self, name: str, source: Source, number: int) -> None:
        """Check the version whose manifest is in the file *name*, which has this number."""
        newest = self._newest
        is_newest = name == newest.manifest_name
        dataset = newest if is_newest else _opened(newest, name, source)
        manifest, known = dataset.manifest, _known(dataset)
        found = [*manifest_findings(manifest, dataset.fields), *_name_findings(dataset, number)]
        sound: list[Fragment] = []
        for index in range(len(manifest.fragments)):
            fragment = dataset.fragment(index)
            own, is_sound = self._fragment(fragment, known, dataset.version)
            found += own
            if is_sound:
                sound.append(fragment)
        if is_newest:
            self.found.unread.update(*(each.fields for each in found))
        self.note((each.error for each in found), source.name)
        are_sound = len(sound) == len(manifest.fragments)
        if known.files.has_row_ids and are_sound:
            self.note(_id_findings(dataset, sound, is_newest=is_newest), source.name)
        self._add_step(number, manifest, source, is_sound=are_sound and not found)
        self._add_indices(dataset, source)

    def _add_step(self, number: int, manifest: Manifest, source: Source, *, is_sound: bool) -> None:
        """Keep what a version is compared with others for."""
        folder, limits = self._newest.folder, self._newest.limits
        transaction = None
        try:
            transaction = transaction_of(manifest, source, folder, self._transactions, limits)
        except ByteloomError as error:
            self.note([error], source.name)
        self._steps.add(number, manifest, transaction, is_sound=is_sound)

    def _add_indices(self, dataset: Dataset, source: Source) -> None:
        """Check the indices of a version."""
        try:
            indices = indices_of(dataset.manifest, source, dataset.limits)
        except ByteloomError as error:
            self.note([error], source.name)
            return
        ids = tuple(each.id for each in dataset.manifest.fields)
        for each in indices:
            found: list[Finding] = []
            check = partial(map, Finding, index_findings(dataset, each))
            self._check((each.SerializeToString(), ids), found, check)
            self.note((one.error for one in found), source.name)

    def compare(self, names: Mapping[int, str]) -> None:
        """Compare all versions with each other; *names* are those of their manifests."""
        for number, error in self._steps.findings():
            self.note([error], f"{self._newest.folder}/{names[number]}")

    def _fragment(
        self, fragment: Fragment, known: Known, version: int
    ) -> tuple[list[Finding], bool]:
        """Return what is wrong with a fragment and was not found before, and whether it is sound.

        version  the number of the version
        """
        rows = fragment.stored.physical_rows
        if known.files.miscounts and fragment.stored.HasField("deletion_file"):
            rows = 0
        check: Callable[[], Iterable[Finding]]
        found: list[Finding] = []
        is_sound = True
        files = [(f"files[{at}]", each, rows) for at, each in enumerate(fragment.stored.files)]
        for at, each in enumerate(fragment.stored.overlays):
            files.append((f"overlays[{at}].data_file", each.data_file, 0))
        for name, stored, rows in files:
            own = tuple((each, known.fields.get(each)) for each in stored.fields)
            types = tuple((each, one and (one.path, one.type)) for each, one in own)
            path = f"{fragment.path}.{name}"
            key = stored.SerializeToString(), rows, types, known.version
            check = partial(data_file_findings, stored, rows, known, path)
            is_sound &= self._check(key, found, check)
        if is_sound:
            stored_bytes = fragment.stored.SerializeToString()
            check = partial(_row_findings, fragment, version)
            is_sound = self._check((stored_bytes,), found, check)
        return found, is_sound

    def _check(
        self,
        key: tuple[object, ...],
        found: list[Finding],
        check: Callable[[], Iterable[Finding]],
    ) -> bool:
        """Return whether *check* finds nothing; what it finds is added where *key* is new."""
        if key not in self._sound:
            own = list(check())
            found += own
            self._sound[key] = not own
        return self._sound[key]


def _row_findings(fragment: Fragment, version: int) -> Iterator[Finding]:
    """Yield what is wrong with deletions and row ids of a fragment whose files are sound."""
    try:
        _ = fragment.deleted
    except ByteloomError as error:
        yield Finding(error)
        return
    yield from map(Finding, row_id_findings(fragment, version))


def _known(dataset: Dataset) -> Known:
    stored = tree_of(dataset.manifest.fields, dataset.limits, path="manifest")
    fields = {each.id: each for top in stored for each in top.walk()}
    numbers = {each.id: number for number, each in enumerate(dataset.manifest.fields)}
    is_mixed = dataset.manifest.reader_feature_flags & FeatureFlag.MIXED_FILE_VERSIONS
    version = "" if is_mixed else dataset.data_version
    return Known(dataset.files, fields, numbers, f"{dataset.file_name}", version)


def _id_findings(
    dataset: Dataset, fragments: Sequence[Fragment], *, is_newest: bool
) -> Iterator[ByteloomError]:
    """Yield what is wrong with the row ids of all fragments, each of which is sound."""
    largest = max(map(largest_id, fragments), default=-1)
    following = dataset.manifest.next_row_id
    if following <= largest:
        wanted = f"{largest + 1} or more, so that new rows get new ids"
        yield FormatError("manifest.next_row_id", None, following, wanted)
    if is_newest:
        yield from repeated_ids(fragments)


def _opened(newest: Dataset, name: str, source: Source) -> Dataset:
    """Return the version whose manifest is in another file of the same folder."""
    manifest = read_manifest(source, newest.limits)
    found = Dataset(newest.folder, manifest, newest.versions, name, newest.limits)
    found.file_name, found.allowed = source.name, newest.allowed
    return found


def _name_findings(dataset: Dataset, number: int) -> Iterator[Finding]:
    """Yield errors about a version whose manifest is not where it belongs."""
    if dataset.version != number:
        wanted = f"{number}, by the name of the file: Lance does not find the version"
        yield Finding(FormatError("manifest.version", None, dataset.version, wanted))
    branch = dataset.branch
    if branch and not dataset.folder.path.endswith(f"/{branch}"):
        wanted = "the name of the branch in whose folder it is, or none for the main one"
        yield Finding(FormatError("manifest.branch", None, branch, wanted))
