"""What is wrong with the versions of a dataset, the newest first, and with what refers to them.

Lance refuses all tags where one of them is malformed, and all branches likewise.

Source: https://lance.org/format/table/versioning/, https://lance.org/format/table/branch_tag/
"""

from __future__ import annotations

from contextlib import closing
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import ByteloomError, FormatError
from byteloom.lance.buffered_file import BufferedFile
from byteloom.lance.dataset.commits import TRANSACTIONS
from byteloom.lance.dataset.dataset_files import files_of
from byteloom.lance.dataset.findings.changes import Steps, transaction_of
from byteloom.lance.dataset.findings.fragments import FragmentChecks
from byteloom.lance.dataset.findings.indices import index_findings
from byteloom.lance.dataset.findings.manifest import outline_findings
from byteloom.lance.dataset.findings.shared_parts import Finding, SharedParts, Version
from byteloom.lance.dataset.indices import stored_indices
from byteloom.lance.dataset.manifests import read_manifest
from byteloom.lance.dataset.versions import (
    branch_folder,
    branches_of,
    detached_names,
    has_versions,
    manifest_names,
    name_of_version,
    read_branch,
    read_tag,
    tag_names,
)
from byteloom.storage.naming import about_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from byteloom.lance.dataset.state import DatasetState
    from byteloom.limits import Limits
    from byteloom.storage import Folder, Source

__all__ = ["DatasetFindings", "dataset_findings"]


class DatasetFindings:
    """What is wrong with a dataset.

    Attributes:
        errors: What is wrong, each error once.
        unread: Ids of fields whose rows are misread, by what is wrong with the newest version.
    """

    def __init__(self) -> None:
        """Begin without findings."""
        self.errors: list[ByteloomError] = []
        self.unread: set[int] = set()
        self._noted: set[tuple[object, ...]] = set()
        self._manifests: set[str | None] = {None}

    def note(self, errors: Iterable[ByteloomError], manifest: str | None = None) -> None:
        """Keep errors that were not noted before, as of a newer version.

        Args:
            manifest: The name of the file that errors without the name of a file are about.
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


def dataset_findings(dataset: DatasetState) -> DatasetFindings:
    """Return what is wrong with the manifests of all versions, compared with their files.

    Args:
        dataset: The newest version.
    """
    found, folder = DatasetFindings(), dataset.folder
    versions = _Versions(dataset, found)
    names = {**manifest_names(folder), **detached_names(folder)}
    order = sorted(names, key=lambda number: (names[number] != dataset.manifest_name, -number))
    for number in order:
        try:
            with closing(folder.open(names[number])) as source, about_file(source.name):
                versions.add(names[number], BufferedFile(source), number)
        except ByteloomError as error:
            found.note([error])
    versions.compare()
    found.note(_reference_findings(folder, dataset.limits))
    return found


class _Versions:
    """Versions that are checked one after the other; what they share is checked once."""

    def __init__(self, newest: DatasetState, found: DatasetFindings) -> None:
        """Begin without versions; *found* gets what is wrong, *newest* is the newest version."""
        self._found, self._newest = found, newest
        self._parts = SharedParts(newest.limits)
        self._fragments, self._steps = FragmentChecks(), Steps(self._parts)
        self._transactions = newest.folder.files(TRANSACTIONS)
        self._indices: set[tuple[object, ...]] = set()
        self._names: dict[int, str] = {}

    def add(self, name: str, source: Source, number: int) -> None:
        """Check the version whose manifest is in the file *name*, which has this number."""
        newest, version = self._newest, self._version(name, source, number)
        self._names[number] = source.name
        found = [*outline_findings(version.manifest, version.schema, version.fragments)]
        found += _name_findings(version, newest.folder)
        own, are_sound = self._fragments.findings(version, is_sound=not found)
        is_sound = are_sound and not found
        found += own
        self._found.note((each.error for each in found), source.name)
        if version.is_newest:
            self._found.unread.update(*(each.fields for each in found))
        try:
            transaction = transaction_of(
                version.manifest, source, newest.folder, self._transactions, newest.limits
            )
        except ByteloomError as error:
            self._found.note([error], source.name)
            transaction = None
        self._steps.add(version, transaction, is_sound=is_sound)
        self._add_indices(version, source)

    def _version(self, name: str, source: Source, number: int) -> Version:
        """Return the version whose manifest is in the file *name*, which has this number."""
        newest, parts = self._newest, self._parts
        is_newest = name == newest.manifest_name
        manifest = newest.manifest if is_newest else read_manifest(source, newest.limits)
        files = files_of(newest.folder, name, manifest, newest.limits, newest.allowed)
        schema, fragments = parts.schema(manifest.fields), parts.fragments(manifest.fragments)
        return Version(number, is_newest, source.name, manifest, schema, fragments, files)

    def _add_indices(self, version: Version, source: Source) -> None:
        """Check the indices of a version."""
        try:
            indices = stored_indices(version.manifest, source, self._newest.limits)
        except ByteloomError as error:
            self._found.note([error], source.name)
            return
        for each in indices:
            key = each.SerializeToString(), version.schema
            if key not in self._indices:
                self._indices.add(key)
                self._found.note(index_findings(version, each), source.name)

    def compare(self) -> None:
        """Compare all versions with each other."""
        for number, error in self._steps.findings():
            self._found.note([error], self._names[number])


def _name_findings(version: Version, folder: Folder) -> Iterator[Finding]:
    """Yield errors about a version whose manifest is not where it belongs."""
    manifest, number = version.manifest, version.number
    if manifest.version != number:
        wanted = f"{number}, by the name of the file: Lance does not find the version"
        yield Finding.of("manifest.version", manifest.version, wanted)
    branch = manifest.branch
    if branch and not folder.path.endswith(f"/{branch}"):
        wanted = "the name of the branch in whose folder it is, or none for the main one"
        yield Finding.of("manifest.branch", branch, wanted)


_LARGEST: Final = (1 << 64) - 1


def _reference_findings(root: Folder, limits: Limits) -> Iterator[ByteloomError]:
    """Yield what is wrong with the tags and branches of the dataset in the folder *root*."""
    known = branches_of(root)
    for name in tag_names(root):
        try:
            path, tag = read_tag(root, name, limits)
            yield from _tag_findings(root, tag, known, path)
        except ByteloomError as error:
            yield error
    for name in known:
        try:
            path, branch = read_branch(root, name, limits)
            yield from _number_findings(branch, path, "parentVersion", "createAt", "manifestSize")
            yield from _branch_name_findings(branch, "parentBranch", path)
            yield from _object_findings(branch, path, "identifier", "metadata")
            if not has_versions(branch_folder(root, name)):
                yield FormatError(path, None, "no manifests of the branch", "a version or more")
        except ByteloomError as error:
            yield error


def _tag_findings(
    root: Folder, tag: dict[str, Any], branches: list[str], path: str
) -> Iterator[FormatError]:
    yield from _number_findings(tag, path, "manifestSize")
    yield from _object_findings(tag, path, "metadata")
    for key in ("createdAt", "updatedAt"):
        if tag.get(key) is not None and not _is_moment(tag[key]):
            yield FormatError(f"{path}: {key}", None, repr(tag[key]), "a moment in ISO 8601")
    wrong = list(_branch_name_findings(tag, "branch", path))
    branch = tag.get("branch")
    if not wrong and branch is not None and branch not in branches:
        known = f"one of {', '.join(branches)}" if branches else "null: there are no branches"
        wrong.append(FormatError(f"{path}: branch", None, repr(branch), known))
    yield from wrong
    if not wrong:
        folder = branch_folder(root, branch) if branch else root
        if name_of_version(folder, tag["version"]) is None:
            wanted = "the number of a version whose manifest is there"
            yield FormatError(f"{path}: version", None, tag["version"], wanted)


def _number_findings(stored: dict[str, Any], path: str, *keys: str) -> Iterator[FormatError]:
    for key in keys:
        found = stored.get(key)
        if not isinstance(found, int) or isinstance(found, bool) or not 0 <= found <= _LARGEST:
            yield FormatError(f"{path}: {key}", None, repr(found), "a number of 64 bits")


def _branch_name_findings(stored: dict[str, Any], key: str, path: str) -> Iterator[FormatError]:
    found = stored.get(key)
    if found is not None and (not isinstance(found, str) or not found):
        yield FormatError(f"{path}: {key}", None, repr(found), "the name of a branch, or null")


def _object_findings(stored: dict[str, Any], path: str, *keys: str) -> Iterator[FormatError]:
    for key in keys:
        if key in stored and not isinstance(stored[key], dict):
            yield FormatError(f"{path}: {key}", None, repr(stored[key]), "an object")


def _is_moment(text: object) -> bool:
    try:
        datetime.fromisoformat(str(text))
    except ValueError:
        return False
    return True
