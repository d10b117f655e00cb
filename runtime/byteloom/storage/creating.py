"""Create a file only if it does not exist yet, which makes a commit atomic.

- A local file is written and synced under a temporary name, then linked to its final name, which
  fails if a file of that name exists.
- An object store is asked by one request with a condition. The filesystems of fsspec that make it
  are known by name, since others take the argument and replace the file all the same.
- `pyarrow.fs` can only replace files. Of its stores, obstore makes the request, with the same
  settings and credentials.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from shutil import rmtree
from typing import Any, Final

from byteloom.errors import CommitConflict, Unsupported
from byteloom.extras import installing
from byteloom.storage.folders import Folder
from byteloom.storage.sources import storing
from byteloom.storage.targets import LocalTarget

__all__ = [
    "check_creates",
    "check_kept",
    "create_file",
    "make_folder",
    "remove_empty_folder",
    "remove_file",
    "remove_folder",
]


_OBSTORE: Final = ("obstore", "FsspecStore")
_AZURE: Final = ("adlfs", "AzureBlobFileSystem")
_CREATING: Final = {
    _AZURE,
    _OBSTORE,
    ("fsspec", "MemoryFileSystem"),
    ("gcsfs", "GCSFileSystem"),
    ("s3fs", "S3FileSystem"),
}
"""Package and class of the filesystems of fsspec that create a file in one step."""

_STORES: Final = {"s3": "S3Store", "gcs": "GCSStore", "abfs": "AzureStore"}
"""By the type of a filesystem of `pyarrow.fs`, obstore's class for the same store."""


def check_creates(folder: Folder) -> None:
    """Refuse a folder whose filesystem cannot create a file only if it does not exist.

    raises  `Unsupported`
    """
    filesystem = folder.filesystem
    if filesystem is None or _CREATING & _classes(filesystem):
        return
    found = type(filesystem).__name__
    wanted = "a local folder, S3, GCS or Azure, or a filesystem of s3fs, gcsfs, adlfs or obstore"
    if getattr(filesystem, "type_name", None) in _STORES:
        if find_spec("obstore") is not None:
            return
        wanted = f"what `{installing('stores')}` installs, or a filesystem of fsspec"
    raise Unsupported(str(folder), None, found, wanted)


def make_folder(folder: Folder, name: str) -> None:
    """Create a folder below *folder*, unless its filesystem has no folders."""
    filesystem = folder.filesystem
    if getattr(filesystem, "type_name", None) in _STORES:
        return
    with storing(f"{folder}/{name}"):
        if filesystem is None:
            Path(folder.path, name).mkdir(parents=True, exist_ok=True)
        elif hasattr(filesystem, "makedirs"):
            filesystem.makedirs(f"{folder.path}/{name}", exist_ok=True)
        else:
            filesystem.create_dir(f"{folder.path}/{name}")


def create_file(folder: Folder, name: str, data: bytes) -> None:
    """Create a file with *data*, whole or not at all.

    raises  `CommitConflict` if a file of that name exists, `Unsupported`, `StorageError`
    """
    check_creates(folder)
    try:
        if folder.filesystem is None:
            _create_local(Path(folder.path, name), data)
        else:
            with storing(f"{folder}/{name}"):
                _create_stored(folder.filesystem, f"{folder.path}/{name}", data)
    except Exception as error:
        if isinstance(error, FileExistsError) or isinstance(error.__cause__, FileExistsError):
            raise CommitConflict(f"{folder}/{name}: another writer created it first") from error
        raise


def check_kept(folder: Folder, name: str, data: bytes) -> None:
    """Refuse a store that replaces a file although it is asked not to, as some servers do.

    name, data  of a file that has just been created
    raises      `Unsupported`, after which the file is gone
    """
    if folder.filesystem is None:
        return
    try:
        create_file(folder, name, data)
    except CommitConflict:
        return
    remove_file(folder, name)
    wanted = "one that refuses to: of two commits at the same time, one would be lost"
    raise Unsupported(str(folder), None, "a store that replaces a file it is to create", wanted)


def _create_stored(filesystem: Any, path: str, data: bytes) -> None:
    """Create an object by one request with a condition."""
    known = _classes(filesystem)
    if _AZURE in known:
        filesystem.pipe_file(path, data, overwrite=False)
    elif _CREATING & known and _OBSTORE not in known:
        filesystem.pipe_file(path, data, mode="create")
    else:
        import obstore
        from obstore.exceptions import AlreadyExistsError

        if _OBSTORE in known:  # its own pipe_file replaces the object
            bucket, key = filesystem._split_path(path)  # noqa: SLF001  as fsspec's own calls do
            store = filesystem._construct_store(bucket)  # noqa: SLF001  the same
        else:
            bucket, _, key = path.strip("/").partition("/")
            store = _store_of(filesystem, bucket)
        try:
            obstore.put(store, key, data, mode="create")
        except AlreadyExistsError as error:
            raise FileExistsError(path) from error
        if hasattr(filesystem, "invalidate_cache"):
            filesystem.invalidate_cache()


def _store_of(filesystem: Any, bucket: str) -> Any:
    """Return obstore's store for a bucket of a filesystem of `pyarrow.fs`."""
    from obstore import store

    kind = filesystem.type_name
    (given,) = filesystem.__reduce__()[1]  # its settings, with credentials wherever they came from
    config = _SETTINGS[kind](given)
    plain = str(config.get("endpoint") or config.get("base_url")).startswith("http:")
    made = {key: each for key, each in config.items() if each}
    return getattr(store, _STORES[kind])(bucket, client_options={"allow_http": plain}, **made)


def _s3(given: dict[str, Any]) -> dict[str, Any]:
    return {
        "access_key_id": given["access_key"],
        "secret_access_key": given["secret_key"],
        "session_token": given["session_token"],
        "region": given["region"],
        "skip_signature": given["anonymous"],
        "virtual_hosted_style_request": given["force_virtual_addressing"],
        "endpoint": _url(given["scheme"], given["endpoint_override"]),
        "conditional_put": "etag",
    }


def _gcs(given: dict[str, Any]) -> dict[str, Any]:
    return {
        "bearer_token": given["access_token"],
        "skip_signature": given["anonymous"],
        "base_url": _url(given["scheme"], given["endpoint_override"]),
    }


def _azure(given: dict[str, Any]) -> dict[str, Any]:
    authority, account = given["blob_storage_authority"], given["account_name"]
    host = f"{account}{authority}" if authority.startswith(".") else f"{authority}/{account}"
    return {
        "account_name": account,
        "account_key": given["account_key"],
        "sas_key": given["sas_token"].removeprefix("?"),
        "tenant_id": given["tenant_id"],
        "client_id": given["client_id"],
        "client_secret": given["client_secret"],
        "endpoint": _url(given["blob_storage_scheme"], host),
    }


_SETTINGS: Final[dict[str, Callable[[dict[str, Any]], dict[str, Any]]]] = {
    "s3": _s3,
    "gcs": _gcs,
    "abfs": _azure,
}


def _url(scheme: str, host: str) -> str:
    """Return the URL of a server, which may be one already; empty for the store's own."""
    return host if not host or "://" in host else f"{scheme or 'https'}://{host}"


def _classes(filesystem: Any) -> set[tuple[str, str]]:
    """Return package and name of the classes that a filesystem is of."""
    return {(each.__module__.partition(".")[0], each.__name__) for each in type(filesystem).__mro__}


def remove_file(folder: Folder, name: str) -> None:
    """Remove a file that no committed version uses; failures are ignored."""
    with suppress(Exception):  # the failure that led here is the one to report
        if folder.filesystem is None:
            Path(folder.path, name).unlink(missing_ok=True)
        else:
            folder.arrow().delete_file(f"{folder.path}/{name}")


def remove_empty_folder(folder: Folder, name: str) -> None:
    """Remove a local folder below *folder* if it is empty; object stores have no folders."""
    if folder.filesystem is None:
        with suppress(OSError):  # another writer has put a file into it, or removed it
            Path(folder.path, name).rmdir()


def remove_folder(folder: Folder) -> None:
    """Remove a folder with all that is in it; `StorageError` if that fails."""
    with storing(str(folder)):
        if folder.filesystem is None:
            rmtree(folder.path)
        else:
            folder.arrow().delete_dir(folder.path)


class _NewFile(LocalTarget):
    """A local file that is created only if it does not exist."""

    def _publish(self) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        os.link(self._temporary, self._path)
        with suppress(OSError):  # the file is there; and some filesystems cannot sync a directory
            self._temporary.unlink()
            _sync(self._path.parent)


def _create_local(path: Path, data: bytes) -> None:
    with _NewFile(path) as target:
        target.write(data)
        target.commit()


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
