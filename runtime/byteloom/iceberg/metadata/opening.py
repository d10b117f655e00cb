"""Finding a table's metadata file: by its own path, by the table's folder.

In a folder the file is the one that ``metadata/version-hint.text`` names or, where there is no hint
or newer files follow it, the one of the highest version: ``v3.metadata.json``,
``00003-<uuid>.metadata.json``, each also gzipped (``v3.gz.metadata.json``,
``v3.metadata.json.gz``).

Source: Iceberg table spec, "File System Tables"; Java's ``HadoopTableOperations``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from byteloom.errors import StorageError
from byteloom.storage import Folder

if TYPE_CHECKING:
    from collections.abc import Iterable

    from byteloom.iceberg.metadata.relocation import Relocation

__all__ = ["find_metadata", "is_metadata_file"]

_FILE: Final = re.compile(r"(?:v(\d+)|(\d+)-[^/]*?)(?:\.gz)?\.metadata\.json(?:\.gz)?")
_HINT: Final = "version-hint.text"


def is_metadata_file(path: str) -> bool:
    """Whether a path is called as metadata files are."""
    return path.endswith((".metadata.json", ".metadata.json.gz"))


def find_metadata(place: str, relocation: Relocation) -> str:
    """Return the path of the metadata file of the table at *place*.

    place         a metadata file, or a table's folder
    StorageError  a folder without metadata files
    """
    if is_metadata_file(place) or place.endswith(".json"):
        return place
    folder = Folder(relocation(place))
    names = folder.files("metadata")
    versions = {name: version for name in names if (version := _version(name)) is not None}
    if not versions:
        raise StorageError(f"{place}: no metadata file in {folder}/metadata")
    hinted = _hinted(folder, versions) if _HINT in names else None
    newest = _newest(versions) if hinted is None else hinted
    return f"{place.rstrip('/')}/metadata/{newest}"


def _version(name: str) -> int | None:
    """The version that a file name tells."""
    found = _FILE.fullmatch(name)
    return int(found[1] or found[2]) if found else None


def _hinted(folder: Folder, versions: dict[str, int]) -> str | None:
    """The file of the hint, or of the versions that follow it without a gap."""
    text = folder.read(f"metadata/{_HINT}").decode(errors="replace").strip()
    if not text.isdigit():
        return text if text in versions else None
    version = int(text)
    while version + 1 in versions.values():
        version += 1
    return _newest(name for name, each in versions.items() if each == version)


def _newest(names: Iterable[str]) -> str | None:
    """The name of the highest version; the last by name of several."""
    return max(names, key=lambda name: (_version(name) or 0, name), default=None)
