"""List the contents of a Lance dataset: its versions, and the files of its fragments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from byteloom.lance import Dataset

__all__ = ["file_rows", "version_rows"]

_VERSIONS: Final = ("version", "committed_at", "rows", "fragments", "data_version", "tags")
_FILES: Final = ("fragment", "rows", "deleted", "file", "data_version", "columns", "size")


def version_rows(newest: Dataset) -> tuple[Sequence[Sequence[Any]], list[str]]:
    """Return a row for each version, the oldest first, and the names of the columns."""
    from byteloom import lance

    tags: dict[int, list[str]] = {}
    for name, number in newest.tags.items():
        tags.setdefault(number, []).append(name)
    rows = []
    for number in newest.versions:
        found = newest
        if number != newest.version:
            place, filesystem = newest.folder.path, newest.folder.filesystem
            found = lance.open_dataset(place, version=number, filesystem=filesystem)
        time = None if found.timestamp is None else found.timestamp.isoformat()
        count = len(found.manifest.fragments)
        rows.append((number, time, found.count(), count, found.data_version, tags.get(number, [])))
    return rows, list(_VERSIONS)


def file_rows(dataset: Dataset) -> tuple[Sequence[Sequence[Any]], list[str]]:
    """Return a row for each data file, and the names of the columns."""
    paths = {each.id: each.path for top in dataset.fields for each in top.walk()}
    rows = []
    for fragment in dataset.fragments:
        live = fragment.num_rows
        deleted = fragment.physical_rows - live
        overlays = (each.data_file for each in fragment.stored.overlays)
        for each in (*fragment.stored.files, *overlays):
            version = f"{each.file_major_version}.{each.file_minor_version}"
            columns = [paths[one] for one in each.fields if one in paths]
            size = each.file_size_bytes or None
            rows.append((fragment.id, live, deleted, each.path, version, columns, size))
    return rows, list(_FILES)
