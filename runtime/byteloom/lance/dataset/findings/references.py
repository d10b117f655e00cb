"""What is wrong with the tags and the branches of a dataset.

Lance refuses all tags where one of them is malformed, and all branches likewise.

Source: https://lance.org/format/table/branch_tag/
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import ByteloomError, FormatError
from byteloom.lance.dataset.versions import (
    branch_folder,
    branches_of,
    has_versions,
    name_of_version,
    read_branch,
    read_tag,
    tag_names,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.limits import Limits
    from byteloom.storage import Folder

__all__ = ["reference_findings"]

_LARGEST: Final = (1 << 64) - 1


def reference_findings(root: Folder, limits: Limits) -> Iterator[ByteloomError]:
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
            yield from _name_findings(branch, "parentBranch", path)
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
    wrong = list(_name_findings(tag, "branch", path))
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


def _name_findings(stored: dict[str, Any], key: str, path: str) -> Iterator[FormatError]:
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
