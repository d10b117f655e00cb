"""Find a table's metadata file: by its own path, or in the table's folder.

In a folder the file is the one that ``metadata/version-hint.text`` names or, if there is no hint,
or if newer files follow it, the one with the highest version: ``v3.metadata.json``,
``00003-<uuid>.metadata.json``, each also gzipped (``v3.gz.metadata.json``,
``v3.metadata.json.gz``).

A file of any other name is accepted if it begins like JSON or gzip.

Source: Iceberg table spec, "File System Tables"; Java's ``HadoopTableOperations``.
"""

from __future__ import annotations

import re
from contextlib import closing, suppress
from os.path import exists, lexists
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Final

from byteloom.errors import ByteloomError, FormatError, MissingFile, StorageError, Unsupported
from byteloom.files.kinds import GZIP_MAGIC, GZIPPED, JSON, head_of, is_view_metadata, kind_of
from byteloom.files.table_kinds import table_advice
from byteloom.iceberg.metadata.table_metadata import TableMetadata
from byteloom.storage.naming import about_file
from byteloom.storage.sources import BytesSource

if TYPE_CHECKING:
    from collections.abc import Iterable

    from byteloom.iceberg.metadata.relocation import Relocation
    from byteloom.limits import Limits
    from byteloom.storage import Folder

__all__ = [
    "check_kind",
    "find_metadata",
    "is_metadata_file",
    "is_of_view",
    "read_metadata",
    "stale_hint",
    "version_of",
]

_FILE: Final = re.compile(r"(?:v(\d+)|(\d+)-[^/]*?)(?:\.gz)?\.metadata\.json(?:\.gz)?")
_HINT: Final = "version-hint.text"
_NUMBER: Final = re.compile(r"[0-9]{1,19}")
_HEAD: Final = 8
_WANTED: Final = "a table's folder, its metadata file, or sqlite:///FILE#NAMESPACE.TABLE"


def is_metadata_file(path: str) -> bool:
    """Whether a path has the name of a metadata file."""
    return path.endswith((".metadata.json", ".metadata.json.gz"))


def find_metadata(place: str, relocation: Relocation) -> str:
    """Return the path of the metadata file of the table at *place*.

    Args:
        place: A metadata file, a table's folder, or the folder ``metadata`` in it.
        relocation: Where files are now, and how they are reached.

    Returns:
        The path, as *place* spells it.

    Raises:
        FormatError: A file that is not table metadata.
        StorageError: A folder without metadata files.
    """
    if is_metadata_file(place) or place.endswith(".json"):
        return place
    place = place.rstrip("/")
    folder = relocation.access.folder(relocation(place))
    for below in ("metadata", "") if place.endswith("/metadata") else ("metadata",):
        newest = _newest_in(folder, below)
        if newest is not None:
            return "/".join(filter(None, (place, below, newest)))
    if _is_document(place, relocation):
        return place
    is_local = relocation.access.filesystem is None and "://" not in relocation(place)
    if is_local and not exists(relocation(place)):  # noqa: PTH110  Path's may raise
        raise MissingFile(f"{place}: No such file or directory, wanted {_WANTED}")
    advice = _advice(folder, place) if is_local else ""
    raise StorageError(f"{place}: no metadata file in {folder}/metadata, wanted {_WANTED}{advice}")


def _advice(folder: Folder, place: str) -> str:
    """Return which command is for a folder that is not a table of Iceberg."""
    if advice := table_advice(folder, place):
        return advice
    if any(each.endswith(".parquet") for each in folder.files()):
        return f"; `byteloom puffin ndv {quote(place)} -o FILE` sketches its Parquet files"
    return f"; `byteloom table list {quote(place)}` lists the tables below it"


def _newest_in(folder: Folder, below: str) -> str | None:
    """Return the name of the newest metadata file in a folder; None if there is none."""
    names = folder.files(below)
    versions = _versions(names)
    if not versions:
        return None
    hinted = _hinted(folder, below, versions) if _HINT in names else None
    return _newest(versions) if hinted is None else hinted


def stale_hint(place: str, relocation: Relocation) -> str | None:
    """Return the version in a table's ``version-hint.text`` if no metadata file has that version.

    Args:
        place: The table's folder; None is returned for a file.
    """
    folder = relocation.access.folder(relocation(place.rstrip("/")))
    below = "" if place.rstrip("/").endswith("/metadata") else "metadata"
    names = folder.files(below)
    if _HINT not in names:
        return None
    versions = _versions(names)
    text = _hint(folder, below)
    if text in versions or (_NUMBER.fullmatch(text) and int(text) in versions.values()):
        return None
    return text


def _is_document(place: str, relocation: Relocation) -> bool:
    """Return whether a file exists that may be table metadata; `FormatError` for any other file."""
    try:
        source = relocation.open(place)
    except StorageError:  # *place* is a folder, or does not exist
        if relocation.access.filesystem is None and _is_special(relocation(place)):
            raise
        return False
    with closing(source):
        head = source.read(0, min(_HEAD, source.size))
        if not head.lstrip().startswith((b"{", GZIP_MAGIC)):
            raise FormatError(place, 0, kind_of(source) or head, _WANTED)
    return True


def _is_special(path: str) -> bool:
    """Return whether a local path exists that is no file and no folder, such as a named pipe."""
    if "://" in path or not lexists(path):  # for instance a path with a NUL, which Path refuses
        return False
    return not Path(path).is_file() and not Path(path).is_dir()


def read_metadata(location: str, relocation: Relocation, limits: Limits) -> TableMetadata:
    """Return the metadata in a file; errors name the file.

    Args:
        location: The path of the file.
        relocation: Where files are now, and how they are reached.
        limits: What reading may cost.

    Raises:
        FormatError: A file that is not table metadata.
        StorageError: It does not exist, or cannot be read.
    """
    with about_file(location):
        data = relocation.read(location)
        check_kind(data)
        return TableMetadata.from_bytes(data, limits=limits)


def check_kind(data: bytes) -> None:
    """Raise `FormatError` for a file that is of another kind than a table's metadata.

    Args:
        data: The whole file.

    Raises:
        Unsupported: Metadata of a view.
    """
    source = BytesSource(data)
    if is_view_metadata(head_of(source)):
        raise Unsupported("", None, "metadata of an Iceberg view", "that of a table")
    kind = kind_of(source)
    if kind not in {None, GZIPPED, JSON}:
        raise FormatError("", None, kind, "the metadata of a table")


def is_of_view(file: str, relocation: Relocation) -> bool:
    """Return whether a metadata file is that of a view; False if it cannot be read."""
    with suppress(ByteloomError), closing(relocation.open(file)) as source:
        return is_view_metadata(head_of(source))
    return False


def version_of(name: str) -> int | None:
    """Return the version in the name of a metadata file; None for any other name."""
    found = _FILE.fullmatch(name)
    return int(found[1] or found[2]) if found else None


def _versions(names: Iterable[str]) -> dict[str, int]:
    """Return the versions of those *names* that are of metadata files."""
    return {name: version for name in names if (version := version_of(name)) is not None}


def _hinted(folder: Folder, below: str, versions: dict[str, int]) -> str | None:
    """Return the file that the hint names, or the newest whose version follows without a gap."""
    text = _hint(folder, below)
    if not _NUMBER.fullmatch(text):
        return text if text in versions else None
    version, known = int(text), set(versions.values())
    while version + 1 in known:
        version += 1
    return _newest(name for name, each in versions.items() if each == version)


def _hint(folder: Folder, below: str) -> str:
    """Return the content of the version hint."""
    return folder.read("/".join(filter(None, (below, _HINT)))).decode(errors="replace").strip()


def _newest(names: Iterable[str]) -> str | None:
    """Return the name with the highest version; of several, the last in the order of names."""
    return max(names, key=lambda name: (version_of(name) or 0, name), default=None)
