"""What is wrong with the indices that a manifest names.

The files of an index are not read; that they are there, and their sizes, are checked.

Source: https://lance.org/format/table/index/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from uuid import UUID

from byteloom.errors import ByteloomError, FormatError
from byteloom.lance.dataset.deletions import bitmap_of
from byteloom.lance.dataset.indices import UUID_SIZE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.lance.dataset.findings.shared_parts import Version
    from byteloom.storage import Folder
    from byteloom_generated.lance.table import IndexMetadata, Manifest

__all__ = ["index_findings"]

_FOLDER: Final = "_indices"
_OWN: Final = "__lance"
"""The beginning of names of indices that have no files: lists of Lance's own."""


def index_findings(version: Version, index: IndexMetadata) -> Iterator[ByteloomError]:
    """Yield what is wrong with an index of a version."""
    path, manifest, number = f"indices.{index.name}", version.manifest, version.number
    unknown = sorted(set(index.fields) - version.schema.numbers.keys())
    if unknown:
        found = f"field {', '.join(map(str, unknown))}"
        yield FormatError(f"{path}.fields", None, found, "ids of fields of the schema")
    if index.dataset_version > number:
        wanted = f"at most {number}, the version of the manifest"
        yield FormatError(f"{path}.dataset_version", None, index.dataset_version, wanted)
    yield from _fragment_findings(index.fragment_bitmap, manifest, f"{path}.fragment_bitmap")
    if len(index.uuid.uuid) != UUID_SIZE:
        found = f"{len(index.uuid.uuid)} bytes"
        yield FormatError(f"{path}.uuid", None, found, f"{UUID_SIZE}")
    elif not index.name.startswith(_OWN):
        try:
            yield from _file_findings(index, version.files.root_of(index)[0], path)
        except ByteloomError as error:
            yield error


def _fragment_findings(data: bytes, manifest: Manifest, path: str) -> Iterator[ByteloomError]:
    """Yield what is wrong with the bitmap of the fragments that an index has."""
    if not data:
        return
    try:
        bitmap = bitmap_of(data, path)
    except ByteloomError as error:
        yield error
        return
    has_highest, most = manifest.HasField("max_fragment_id"), manifest.max_fragment_id
    if bitmap and has_highest and bitmap.max() > most:
        wanted = f"at most {most} (max_fragment_id)"
        yield FormatError(path, None, f"fragment {bitmap.max()}", wanted)


def _file_findings(index: IndexMetadata, folder: Folder, path: str) -> Iterator[FormatError]:
    """Yield errors about files of an index that are missing, or have other sizes."""
    name = f"{_FOLDER}/{UUID(bytes=index.uuid.uuid)}"
    there = folder.files(name)
    if not there:
        yield FormatError(f"{path}.uuid", None, f"no files in {name}", "the files of the index")
        return
    for each in index.files:
        if "/" not in each.path and there.get(each.path) != each.size:
            found = f"{there.get(each.path, 'no')} bytes in {name}/{each.path}"
            yield FormatError(f"{path}.files", None, found, f"{each.size}")
