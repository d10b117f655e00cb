"""Where a version of a Lance dataset is: the newest, or that of a number, a tag, a branch, a time.

Source: https://lance.org/format/table/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from byteloom.arguments import whole_number
from byteloom.errors import ArgumentError
from byteloom.lance.dataset.versions import (
    branch_folder,
    manifest_names,
    name_of_version,
    version_as_of,
    version_of_tag,
)
from byteloom.moments import instant_of

if TYPE_CHECKING:
    from byteloom.limits import Limits
    from byteloom.moments import Moment
    from byteloom.storage import Folder

__all__ = ["VersionPlace", "version_place"]


class VersionPlace(NamedTuple):
    """Where a version of a dataset is.

    root      the folder of the dataset, which has the tags and the branches
    folder    the folder of the version's branch: *root* for the main one
    name      the name of its manifest, below *folder*
    versions  the numbers of all versions of the branch, ascending
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
        branch, version = version_of_tag(root, tag, limits)
    folder = branch_folder(root, branch) if branch else root
    names = manifest_names(folder)
    if as_of is not None:
        version = version_as_of(folder, names, instant_of(as_of), limits)
    if version is None:
        version = next(reversed(names))
    number = whole_number("version", version, "the number of a version", least=0)
    name = names.get(number) or name_of_version(folder, number)
    if name is None:
        known = f"one of its versions {next(iter(names))} to {next(reversed(names))}"
        raise ArgumentError(f"{folder}: version", None, number, known)
    return VersionPlace(root, folder, name, list(names))
