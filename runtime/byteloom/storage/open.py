"""Find the `Source` or `Target` for whatever names a file.

- A given filesystem decides; otherwise a URL's scheme; otherwise the place is local.
- ``file://``, ``s3://``, ``gs://``, ``hdfs://`` and ``abfs://`` go to `pyarrow.fs`, every other
  scheme to fsspec.
"""

from __future__ import annotations

import os
import re
from typing import IO, Any, Final, TypeAlias

from byteloom.errors import StorageError
from byteloom.late import pa_fs
from byteloom.redaction import shown_cause
from byteloom.storage.local import LOCAL_URL
from byteloom.storage.sources import (
    ArrowSource,
    BytesSource,
    FileSource,
    FsspecSource,
    LocalSource,
    Source,
    storing,
)
from byteloom.storage.targets import (
    LocalTarget,
    RenameTarget,
    SpoolTarget,
    Target,
    copy_into,
    put,
    upload,
)

__all__ = ["Place", "open_source", "open_target", "resolve", "source_in", "within_a_minute"]

Place: TypeAlias = (
    "str | os.PathLike[str] | IO[bytes] | bytes | bytearray | memoryview | Source | Target"
)
"""A path, a URL, an open binary file, bytes, a `Source` or a `Target`."""

_URL: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_ARROW_SCHEMES: Final = {"s3", "gs", "gcs", "hdfs", "viewfs", "abfs", "abfss"}
_AZURE: Final = {"abfs", "abfss"}
_ARROW_STORES: Final = {"s3", "gcs", "abfs"}
_FSSPEC_STORES: Final = {
    "s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "adl", "oci", "oss", "tos", "http", "https",
}  # fmt: skip
"""Stores in which a file appears when its upload is closed, and in which a rename is a copy."""


def open_source(place: Place, *, filesystem: Any = None) -> Source:
    """Open *place* for reading.

    place       path, URL, open binary file that can seek, bytes-like, or a `Source`
    filesystem  of `pyarrow.fs` or fsspec, in which *place* is a path
    raises      `StorageError` if there is no such file
    """
    if isinstance(place, bytes | bytearray | memoryview):
        return BytesSource(place)
    if not isinstance(place, str) and isinstance(place, Source):
        return place
    if hasattr(place, "read"):
        return FileSource(place)
    return source_in(*resolve(place, filesystem))


def source_in(filesystem: Any, path: str) -> Source:
    """Open the file at *path* of a filesystem for reading; None is the local one."""
    if filesystem is None:
        return LocalSource(path)
    if _is_fsspec(filesystem):
        return FsspecSource(filesystem, path)
    return ArrowSource(filesystem, path)


def open_target(place: Place, *, filesystem: Any = None) -> Target:
    """Open *place* for writing; nothing appears there until the target is committed.

    place       path, URL, open binary file, or a `Target`
    filesystem  of `pyarrow.fs` or fsspec, in which *place* is a path
    raises      `StorageError` if the place cannot be written to
    """
    if isinstance(place, Target):
        return place
    if hasattr(place, "write"):
        return SpoolTarget(str(getattr(place, "name", "file object")), copy_into(place))
    filesystem, path = resolve(place, filesystem)
    if filesystem is None:
        return LocalTarget(path)
    if _is_store(filesystem):
        move = put if _is_fsspec(filesystem) else upload
        return SpoolTarget(path, move(filesystem, path))
    if _is_fsspec(filesystem):
        filesystem = pa_fs.PyFileSystem(pa_fs.FSSpecHandler(filesystem))
    return RenameTarget(filesystem, path)


def resolve(place: Place, filesystem: Any) -> tuple[Any, str]:
    """Return the filesystem (None for the local one) and the path in it."""
    try:
        path = os.fsdecode(place)  # type: ignore[arg-type]  # the check is what it raises
    except TypeError as error:
        wanted = "a path, a URL, an open binary file or bytes"
        raise StorageError(f"{type(place).__name__} names no file: wanted {wanted}") from error
    if filesystem is not None:
        filesystem = _unwrapped(filesystem)
        return (None if _is_local(filesystem) else filesystem), path
    if not path:
        raise StorageError("found an empty name, wanted a path or a URL")
    if _URL.match(path) is None:
        return None, path
    return _from_url(path)


def _from_url(url: str) -> tuple[Any, str]:
    scheme, _, rest = url.partition("://")
    scheme = scheme.lower()
    if not rest and scheme in _ARROW_SCHEMES:
        raise StorageError(f"{url}: found no name, wanted one such as {scheme}://bucket/file")
    with storing(url):
        if scheme == "file":
            return None, pa_fs.FileSystem.from_uri(LOCAL_URL.sub("file:///", url))[1]
        if scheme in _ARROW_SCHEMES:
            filesystem, path = pa_fs.FileSystem.from_uri(within_a_minute(url))
            if scheme in _AZURE:
                # Without credentials, to open a file ends the process; to ask for it does not.
                filesystem.get_file_info(path)
            return filesystem, path
        from fsspec.core import url_to_fs

        try:
            filesystem, path = url_to_fs(url)
        except ImportError as error:
            wanted = "fsspec[http]" if scheme.startswith("http") else f"fsspec[{scheme}]"
            message = f"{url}: {error}: wanted what `pip install '{wanted}'` installs"
            raise StorageError(message) from shown_cause(error)
        return filesystem, path


def within_a_minute(url: str) -> str:
    """Return a URL with which pyarrow gives up soon, not after 15 minutes as for Google's store.

    Without credentials or network, each request would take that long.  A URL with options keeps
    them.
    """
    is_google = url.partition("://")[0].lower() in {"gs", "gcs"}
    return f"{url}?retry_limit_seconds=30" if is_google and "?" not in url else url


def _unwrapped(filesystem: Any) -> Any:
    """Return the fsspec filesystem inside pyarrow's adapter, which would read ahead."""
    handler = getattr(filesystem, "handler", None)
    return getattr(handler, "fs", filesystem)


def _is_local(filesystem: Any) -> bool:
    """Return whether paths in it are local paths, so that they can be mapped and synced."""
    return getattr(filesystem, "type_name", "") == "local" or (
        _is_fsspec(filesystem) and "file" in filesystem.protocol
    )


def _is_fsspec(filesystem: Any) -> bool:
    return hasattr(filesystem, "cat_file")


def _is_store(filesystem: Any) -> bool:
    if not _is_fsspec(filesystem):
        while hasattr(filesystem, "base_fs"):
            filesystem = filesystem.base_fs
        return filesystem.type_name in _ARROW_STORES
    protocols = filesystem.protocol
    return bool(_FSSPEC_STORES & set((protocols,) if isinstance(protocols, str) else protocols))
