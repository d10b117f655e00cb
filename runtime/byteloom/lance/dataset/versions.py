"""Versions of a Lance dataset: their names, tags and branches, and where each is.

- Manifests are named by their version, or by 2^64 - 1 - version in 20 digits, so that the newest
  comes first in a listing.
- Versions from 2^63 on are detached: they follow no other, and no listing of versions has them.
- A tag is a small JSON document that names a version, perhaps of a branch.
- A branch has a folder with manifests of its own, below `tree`; its first files are those of the
  dataset.

Source: https://lance.org/format/table/versioning/
"""

from __future__ import annotations

import json
import re
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import quote, unquote

from byteloom.arguments import whole_number
from byteloom.documents.json_text import check_json_values
from byteloom.errors import ArgumentError, FormatError, MissingFile, found_by
from byteloom.files.table_kinds import table_advice
from byteloom.lance.dataset.manifests import read_manifest, time_of
from byteloom.moments import instant_of
from byteloom.storage import Folder
from byteloom.storage.naming import about_file

if TYPE_CHECKING:
    from datetime import datetime

    from byteloom.limits import Limits
    from byteloom.moments import Moment

__all__ = [
    "DETACHED",
    "FOLDER",
    "VersionPlace",
    "branch_folder",
    "branches_of",
    "detached_names",
    "has_versions",
    "manifest_name",
    "manifest_names",
    "name_of_version",
    "read_branch",
    "read_tag",
    "tag_names",
    "tags_of",
    "version_place",
]

FOLDER: Final = "_versions"
_TAGS: Final = "_refs/tags"
_BRANCHES: Final = "_refs/branches"
_TREE: Final = "tree"
_JSON: Final = ".json"
_NAME: Final = re.compile(r"([0-9]{1,20})\.manifest", re.ASCII)
_DETACHED_NAME: Final = re.compile(r"d([0-9]{1,20})\.manifest", re.ASCII)
_DIGITS: Final = 20
_FILE: Final = ".lance"
"""How names of files end, and those of many datasets."""

_LARGEST: Final = (1 << 64) - 1
DETACHED: Final = 1 << 63
"""The first number of versions that are detached."""


def manifest_names(folder: Folder) -> dict[int, str]:
    """Return the name of the manifest of each version, in the order of versions.

    Raises:
        FormatError: There is no manifest, and thus no dataset.
        MissingFile: There is no such folder either.
    """
    found: dict[int, str] = {}
    for name in folder.files(FOLDER):
        match = _NAME.fullmatch(name)
        if match is None:
            continue
        number = int(match[1])
        if len(match[1]) == _DIGITS:
            number = _LARGEST - number
        found[number] = f"{FOLDER}/{name}"
    if not found:
        wanted = f"manifests in its folder {FOLDER}"
        if not folder.exists:
            raise MissingFile(f"{folder}: No such file or directory, wanted {wanted}")
        if folder.path.endswith(_FILE):
            wanted = f"{wanted}; byteloom.lance.open opens a single file"
        wanted += table_advice(folder, f"{folder}")
        raise FormatError(f"{folder}", None, "no Lance dataset", wanted)
    return dict(sorted(found.items()))


def detached_names(folder: Folder) -> dict[int, str]:
    """Return the name of the manifest of each detached version."""
    matches = map(_DETACHED_NAME.fullmatch, folder.files(FOLDER))
    return {int(each[1]): f"{FOLDER}/{each[0]}" for each in matches if each is not None}


def has_versions(folder: Folder) -> bool:
    """Return whether there is a dataset in a folder."""
    return any(_NAME.fullmatch(name) for name in folder.files(FOLDER))


def manifest_name(version: int, *, like: str = "") -> str:
    """Return the name of the manifest of a version.

    Args:
        like: The name of another manifest of the dataset; empty for a new dataset.
    """
    match = _NAME.fullmatch(like.removeprefix(f"{FOLDER}/"))
    if match is not None and len(match[1]) < _DIGITS:
        return f"{FOLDER}/{version}.manifest"
    return f"{FOLDER}/{_LARGEST - version:0{_DIGITS}}.manifest"


def name_of_version(folder: Folder, version: int) -> str | None:
    """Return the name of the manifest of a version, which may be detached; None for no such one."""
    names = detached_names(folder) if version >= DETACHED else manifest_names(folder)
    return names.get(version)


def branches_of(folder: Folder) -> list[str]:
    """Return the names of the branches of a dataset, whose root *folder* is, in order."""
    names = (name[: -len(_JSON)] for name in folder.files(_BRANCHES) if name.endswith(_JSON))
    return sorted(map(unquote, names))


def branch_folder(folder: Folder, branch: str) -> Folder:
    """Return the folder of a branch, which has manifests of its own.

    Raises:
        FormatError: There is no such branch.
    """
    known = branches_of(folder)
    if branch not in known or ".." in branch.split("/"):
        raise ArgumentError("branch", None, repr(branch), _one_of(known, "branches", folder))
    return Folder(f"{folder.path}/{_TREE}/{branch}", filesystem=folder.filesystem)


def tags_of(folder: Folder, limits: Limits, branch: str = "") -> dict[str, int]:
    """Return the version of each tag of a branch, in the order of their names.

    Args:
        branch: Empty for the main one.
    """
    found = {name: read_tag(folder, name, limits)[1] for name in tag_names(folder)}
    return {name: each["version"] for name, each in found.items() if _branch(each) == branch}


def _version_of_tag(folder: Folder, tag: str, limits: Limits) -> tuple[str, int]:
    """Return the branch, empty for the main one, and the version that a tag names.

    Raises:
        FormatError: There is no such tag.
    """
    known = tag_names(folder)
    if tag not in known:
        raise ArgumentError("tag", None, repr(tag), _one_of(known, "tags", folder))
    found = read_tag(folder, tag, limits)[1]
    version: int = found["version"]
    return _branch(found), version


def _version_as_of(folder: Folder, names: dict[int, str], moment: datetime, limits: Limits) -> int:
    """Return the newest version that was committed by *moment*.

    Args:
        names: The manifests of all versions, ascending; they are read from the newest one back.

    Raises:
        ArgumentError: All versions are newer, or have no time.
    """
    oldest = None
    for number in reversed(names):
        with closing(folder.open(names[number])) as source, about_file(source.name):
            time = time_of(read_manifest(source, limits))
        if time is not None and time <= moment:
            return number
        oldest = time or oldest
    wanted = "a version" if oldest is None else f"a moment from {oldest.isoformat()} on"
    raise ArgumentError("as_of", None, f"no version as of {moment.isoformat()}", wanted)


class VersionPlace(NamedTuple):
    """Where a version of a dataset is.

    Attributes:
        root: The folder of the dataset, which has the tags and the branches.
        folder: The folder of the version's branch: *root* for the main one.
        name: The name of its manifest, below *folder*.
        versions: The numbers of all versions of the branch, ascending.
    """

    root: Folder
    folder: Folder
    name: str
    versions: list[int]


def version_place(  # noqa: PLR0913  the ways to name a version
    root: Folder,
    limits: Limits,
    *,
    version: int | None = None,
    tag: str | None = None,
    branch: str | None = None,
    as_of: Moment | None = None,
) -> VersionPlace:
    """Return where a version of the dataset in the folder *root* is.

    The other arguments, and what they raise, are those of `open_dataset`.
    """
    if as_of is not None and (version is not None or tag is not None):
        given = next(each for each in (version, tag) if each is not None)
        wanted = "one of version, tag and as_of"
        raise ArgumentError("as_of", None, (given, as_of), wanted)
    if tag is not None:
        if version is not None or branch is not None:
            given = next(each for each in (version, branch) if each is not None)
            wanted = "a tag without version and branch, or no tag"
            raise ArgumentError("version, tag, branch", None, (given, tag), wanted)
        manifest_names(root)
        branch, version = _version_of_tag(root, tag, limits)
    folder = branch_folder(root, branch) if branch else root
    names = manifest_names(folder)
    if as_of is not None:
        version = _version_as_of(folder, names, instant_of(as_of), limits)
    if version is None:
        version = next(reversed(names))
    number = whole_number("version", version, "the number of a version", least=0)
    name = names.get(number) or name_of_version(folder, number)
    if name is None:
        known = f"one of its versions {next(iter(names))} to {next(reversed(names))}"
        raise ArgumentError(f"{folder}: version", None, number, known)
    return VersionPlace(root, folder, name, list(names))


def _one_of(known: list[str], what: str, folder: Folder) -> str:
    """Return what is wanted of a name: one of those that are *known*."""
    return f"one of {', '.join(known)}" if known else f"none: the dataset {folder} has no {what}"


def _branch(tag: dict[str, Any]) -> str:
    return str(tag.get("branch") or "")


def tag_names(folder: Folder) -> list[str]:
    """Return the names of the tags of all branches, in order."""
    return sorted(each[: -len(_JSON)] for each in folder.files(_TAGS) if each.endswith(_JSON))


def read_tag(folder: Folder, tag: str, limits: Limits) -> tuple[str, dict[str, Any]]:
    """Return the path of a tag, and what it says.

    Raises:
        FormatError: For damage, and without the number of a version.
    """
    path, found = _read_json(folder, f"{_TAGS}/{tag}{_JSON}", limits)
    version = found.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 0:
        raise FormatError(f"{path}: version", None, repr(version), "the number of a version")
    return path, found


def read_branch(folder: Folder, branch: str, limits: Limits) -> tuple[str, dict[str, Any]]:
    """Return the path of the document of a branch, and what it says.

    Raises:
        FormatError: For damage.
    """
    return _read_json(folder, f"{_BRANCHES}/{quote(branch, safe='')}{_JSON}", limits)


def _read_json(folder: Folder, name: str, limits: Limits) -> tuple[str, dict[str, Any]]:
    """Return the path of a document of JSON, and the object that it is."""
    path = f"{folder}/{name}"
    data = folder.read(name)
    check_json_values(path, data, limits)
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise FormatError(path, None, found_by("not JSON", error), "an object") from error
    if not isinstance(found, dict):
        raise FormatError(path, None, type(found).__name__, "an object")
    return path, found
