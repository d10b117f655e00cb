"""What is wrong with the versions of a dataset, the newest first.

Source: https://lance.org/format/table/versioning/
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from byteloom.errors import ByteloomError, FormatError
from byteloom.lance.dataset.committing import TRANSACTIONS
from byteloom.lance.dataset.dataset import Dataset
from byteloom.lance.dataset.findings.changes import Steps, transaction_of
from byteloom.lance.dataset.findings.finding import Finding
from byteloom.lance.dataset.findings.fragments import FragmentChecks
from byteloom.lance.dataset.findings.indices import index_findings, indices_of
from byteloom.lance.dataset.findings.manifest import outline_findings
from byteloom.lance.dataset.findings.references import reference_findings
from byteloom.lance.dataset.manifests import read_manifest
from byteloom.lance.dataset.versions import detached_names, manifest_names
from byteloom.storage.naming import about_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from byteloom.storage import Source

__all__ = ["DatasetFindings", "dataset_findings"]


class DatasetFindings:
    """What is wrong with a dataset.

    errors  each once
    unread  ids of fields whose rows are misread, by what is wrong with the newest version
    """

    def __init__(self) -> None:
        """Begin without findings."""
        self.errors: list[ByteloomError] = []
        self.unread: set[int] = set()
        self._noted: set[tuple[object, ...]] = set()
        self._manifests: set[str | None] = {None}

    def note(self, errors: Iterable[ByteloomError], manifest: str | None = None) -> None:
        """Keep errors that were not noted before, as of a newer version.

        manifest  the name of the file that errors without the name of a file are about
        """
        self._manifests.add(manifest)
        for each in errors:
            key: tuple[object, ...] = each.args
            if isinstance(each, FormatError):
                file = None if each.file in self._manifests else each.file
                key = file, each.path, str(each.found), each.wanted
                if manifest is not None:
                    each.in_file(manifest)
            if key not in self._noted:
                self._noted.add(key)
                self.errors.append(each)


def dataset_findings(dataset: Dataset) -> DatasetFindings:
    """Return what is wrong with the manifests of all versions, compared with their files.

    dataset  the newest version
    """
    found, folder = DatasetFindings(), dataset.folder
    versions = _Versions(dataset, found)
    names = {**manifest_names(folder), **detached_names(folder)}
    order = sorted(names, key=lambda number: (names[number] != dataset.manifest_name, -number))
    for number in order:
        try:
            with closing(folder.open(names[number])) as source, about_file(source.name):
                versions.add(names[number], source, number)
        except ByteloomError as error:
            found.note([error])
    versions.compare()
    found.note(reference_findings(folder, dataset.limits))
    return found


class _Versions:
    """Versions that are checked one after the other; what they share is checked once."""

    def __init__(self, newest: Dataset, found: DatasetFindings) -> None:
        """Begin without versions; *found* gets what is wrong, *newest* is the newest version."""
        self._found, self._newest = found, newest
        self._fragments, self._steps = FragmentChecks(), Steps()
        self._transactions = newest.folder.files(TRANSACTIONS)
        self._indices: set[tuple[object, ...]] = set()
        self._names: dict[int, str] = {}

    def add(self, name: str, source: Source, number: int) -> None:
        """Check the version whose manifest is in the file *name*, which has this number."""
        newest = self._newest
        is_newest = name == newest.manifest_name
        dataset = newest if is_newest else _opened(newest, name, source)
        self._names[number] = source.name
        found = [*outline_findings(dataset.manifest, dataset.fields)]
        found += _name_findings(dataset, number)
        stored = [each.SerializeToString() for each in dataset.manifest.fragments]
        own, are_sound = self._fragments.findings(
            dataset, number, stored, found, is_newest=is_newest
        )
        is_sound = are_sound and not found
        found += own
        self._found.note((each.error for each in found), source.name)
        if is_newest:
            self._found.unread.update(*(each.fields for each in found))
        try:
            transaction = transaction_of(
                dataset.manifest, source, newest.folder, self._transactions, newest.limits
            )
        except ByteloomError as error:
            self._found.note([error], source.name)
            transaction = None
        self._steps.add(number, dataset.manifest, stored, transaction, is_sound=is_sound)
        self._add_indices(dataset, number, source)

    def _add_indices(self, dataset: Dataset, number: int, source: Source) -> None:
        """Check the indices of a version."""
        try:
            indices = indices_of(dataset.manifest, source, dataset.limits)
        except ByteloomError as error:
            self._found.note([error], source.name)
            return
        ids = tuple(each.id for each in dataset.manifest.fields)
        for each in indices:
            key = each.SerializeToString(), ids
            if key not in self._indices:
                self._indices.add(key)
                self._found.note(index_findings(dataset, number, each), source.name)

    def compare(self) -> None:
        """Compare all versions with each other."""
        for number, error in self._steps.findings():
            self._found.note([error], self._names[number])


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
        yield Finding.of("manifest.version", dataset.version, wanted)
    branch = dataset.branch
    if branch and not dataset.folder.path.endswith(f"/{branch}"):
        wanted = "the name of the branch in whose folder it is, or none for the main one"
        yield Finding.of("manifest.branch", branch, wanted)
