"""The Parquet files that a command line names: files, folders of them, globs, URLs of either."""

from __future__ import annotations

import glob
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from byteloom.errors import ByteloomError, StorageError
from byteloom.storage.open import resolve
from byteloom.storage.sources import storing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["ParquetPlace", "opened", "parquet_files"]


class ParquetPlace(NamedTuple):
    """A file, and how large it is.

    name  as the command line has it, or below what it has
    """

    name: str
    filesystem: Any
    path: str
    size: int


def parquet_files(places: Iterable[str]) -> list[ParquetPlace]:
    """Return the files that *places* name, one at least, in the order of their names.

    raises  `StorageError` for what is not there, and a folder or glob that has no Parquet file
    """
    return [file for place in places for file in _files(place)]


@contextmanager
def opened(place: ParquetPlace) -> Iterator[Any]:
    """Give the `ParquetFile` until the block ends; what pyarrow refuses is a `StorageError`."""
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    try:
        with ParquetFile(place.path, filesystem=place.filesystem) as file:
            yield file
    except pa.ArrowException as error:
        raise StorageError(f"{place.name}: {error}") from error
    except ByteloomError:
        raise
    except OSError as error:
        raise StorageError(f"{place.name}: {error.strerror or error}") from error


def _files(place: str) -> list[ParquetPlace]:
    from pyarrow.fs import FileType, LocalFileSystem

    filesystem, path = resolve(place, None)
    local = filesystem is None
    filesystem = LocalFileSystem() if local else _arrow(filesystem)
    if local and not Path(path).exists() and glob.has_magic(path):
        found = sorted(glob.glob(path, recursive=True))  # noqa: PTH207  absolute ones too
        if not found:
            raise StorageError(f"{place}: no file has such a name")
        return [file for each in found for file in _files(each)]
    with storing(place):
        info = filesystem.get_file_info(path)
    if info.type == FileType.NotFound:
        raise StorageError(f"{place}: No such file or directory")
    if info.type == FileType.Unknown:
        raise StorageError(f"{place}: found a pipe or a device, wanted a file or a folder")
    if info.type == FileType.File:
        return [ParquetPlace(place, filesystem, path, info.size or 0)]
    below = _below(filesystem, path, place)
    if not below:
        raise StorageError(f"{place}: found a folder without a Parquet file, wanted one (.parquet)")
    return below


def _below(filesystem: Any, folder: str, place: str) -> list[ParquetPlace]:
    """The Parquet files below a folder, except hidden ones and those of unfinished writers."""
    from pyarrow.fs import FileSelector

    with storing(place):
        found = filesystem.get_file_info(FileSelector(folder, recursive=True))
    kept = []
    for info in sorted(found, key=lambda each: str(each.path)):
        below = info.path.removeprefix(folder).strip("/")
        is_hidden = any(part.startswith((".", "_")) for part in below.split("/"))
        if info.is_file and below.endswith(".parquet") and not is_hidden:
            name = f"{place.rstrip('/')}/{below}"
            kept.append(ParquetPlace(name, filesystem, info.path, info.size or 0))
    return kept


def _arrow(filesystem: Any) -> Any:
    """Return a filesystem as pyarrow has them."""
    from pyarrow.fs import FileSystem, FSSpecHandler, PyFileSystem

    is_arrow = isinstance(filesystem, FileSystem)
    return filesystem if is_arrow else PyFileSystem(FSSpecHandler(filesystem))
