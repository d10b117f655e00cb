"""Open a version of a Lance dataset: the newest, or that of a number, a tag, a branch, a time.

Source: https://lance.org/format/table/
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

from byteloom.arguments import whole_number
from byteloom.errors import ArgumentError
from byteloom.lance.dataset.dataset import Dataset
from byteloom.lance.dataset.manifests import read_manifest
from byteloom.lance.dataset.versions import (
    branch_folder,
    manifest_names,
    name_of_version,
    version_as_of,
    version_of_tag,
)
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.moments import instant_of
from byteloom.storage import Folder
from byteloom.storage.allowed import Allowed
from byteloom.storage.naming import about_file

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from byteloom.moments import Moment

__all__ = ["dataset_of", "open_dataset"]


def open_dataset(  # noqa: PLR0913  which version of what, and how
    place: str | os.PathLike[str],
    *,
    version: int | None = None,
    tag: str | None = None,
    branch: str | None = None,
    as_of: Moment | None = None,
    filesystem: Any = None,
    limits: Limits = DEFAULT_LIMITS,
    allow: Iterable[str | os.PathLike[str]] | None = None,
) -> Dataset:
    """Open a version of a Lance dataset: read its manifest.

    place       path or URL of its folder
    version     the number of a version, from 1, or of a detached one, from 2^63 on; None for the
                newest
    tag         the name of a version, instead of its number and branch
    branch      the name of a branch; None for the main one
    as_of       a `datetime`, ISO 8601 (both UTC by default) or milliseconds from 1970: the newest
                version that was committed by then, instead of a number or a tag
    filesystem  of `pyarrow.fs` or fsspec, in which *place* is a path
    limits      what reading one file may cost
    allow       prefixes that all files must be below which the manifest names outside of the folder
    raises      `FormatError` for anything but a Lance dataset, and for an unknown version, tag or
                branch, `Unsupported` for a version that needs a newer reader, `StorageError`,
                also for a file that is not allowed, when it is read

    Source: https://lance.org/format/table/
    """
    allowed = None if allow is None else Allowed(allow)
    if as_of is not None and (version is not None or tag is not None):
        given = next(each for each in (version, tag) if each is not None)
        wanted = "one of version, tag and as_of"
        raise ArgumentError("as_of", None, (given, as_of), wanted)
    root = folder = Folder(place, filesystem=filesystem)
    if tag is not None:
        if version is not None or branch is not None:
            given = next(each for each in (version, branch) if each is not None)
            raise ArgumentError(
                "version, tag, branch",
                None,
                (given, tag),
                "a tag without version and branch, or no tag",
            )
        manifest_names(root)
        branch, version = version_of_tag(root, tag, limits)
    if branch:
        folder = branch_folder(root, branch)
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
    dataset = dataset_of(folder, name, list(names), limits, allowed)
    dataset.root = root
    return dataset


def dataset_of(
    folder: Folder, name: str, versions: list[int], limits: Limits, allowed: Allowed | None
) -> Dataset:
    """Read the manifest *name* of a folder, and return the version that it describes.

    The other arguments are attributes of `Dataset`.
    """
    with closing(folder.open(name)) as source, about_file(source.name):
        dataset = Dataset(folder, read_manifest(source, limits), versions, name, limits)
    dataset.file_name, dataset.allowed = source.name, allowed
    return dataset
