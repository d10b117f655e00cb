"""The Parquet files that a command line names: files, folders of them, globs, URLs of either."""

from __future__ import annotations

import glob
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from byteloom.cli.inputs.files import report_tables, report_walks
from byteloom.errors import ByteloomError, FormatError, StorageError, Unsupported
from byteloom.files.kinds import EMPTY_FILE, ENCRYPTED_PARQUET, ORC, PARQUET, cut_file, kind_of
from byteloom.late import pa, pa_fs
from byteloom.storage.folders import Walk
from byteloom.storage.open import open_source, resolve
from byteloom.storage.sources import storing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from byteloom.storage import Source

__all__ = ["ParquetPlace", "open_parquet", "parquet_files"]

_HIDDEN: Final = (".", "_")
"""What names of hidden files and folders begin with, and of those of unfinished writers."""


_OF_TABLE: Final = (
    "all Parquet files in it are read, with rows that the table has deleted;"
    " `byteloom table scan {} -o FILE.parquet` writes its current rows"
)


class ParquetPlace(NamedTuple):
    """A Parquet file and its size.

    name  as given on the command line, or below the folder given there
    """

    name: str
    filesystem: Any
    path: str
    size: int


def parquet_files(places: Iterable[str]) -> list[ParquetPlace]:
    """Return the files that *places* name, one at least, in the order of their names.

    Links to folders in a folder are not followed, which stderr says; and which Iceberg tables
    there are, whose files may have rows that the tables do not have.
    raises  `StorageError` for what is not there, and a folder or glob that has no Parquet file;
            `typer.Exit` once stderr names all folders that cannot be read
    """
    walks: list[Walk] = []
    tables: list[str] = []
    found = [file for place in places for file in _files(place, walks, tables)]
    report_walks(walks)
    report_tables(tables, "an Iceberg table", _OF_TABLE)
    return found


@contextmanager
def open_parquet(place: str, wanted: str = PARQUET) -> Iterator[tuple[Source, Any]]:
    """Give a file and its `ParquetFile` until the block ends; damage is a `FormatError`.

    wanted  what an error says that *place* should be
    """
    from byteloom.parquet.whole import sound_file

    with closing(open_source(place)) as source:
        try:
            yield source, sound_file(source)
        except pa.ArrowException as error:
            raise _refusal(place, error, wanted) from error
        except FormatError as error:
            raise error.in_file(place) from error.__cause__
        except ByteloomError:
            raise
        except OSError as error:
            known = _kind_and_fault(place)[1] if error.errno is None else None
            if known is not None:
                raise known from error
            raise StorageError(f"{place}: {error.strerror or error}") from error


def _refusal(place: str, error: Exception, wanted: str) -> FormatError:
    """Return the error about a file that pyarrow does not read: what the file is, if it says so."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    found, known = _kind_and_fault(place)
    return known or FormatError(
        place,
        None,
        lines[0] if found == PARQUET else found or "a file of no known format",
        wanted if found != PARQUET else "a sound file",
    )


def _kind_and_fault(place: str) -> tuple[str | None, FormatError | None]:
    """Return what a file is, and the error about a Parquet file that is cut or encrypted."""
    with suppress(ByteloomError), closing(open_source(place)) as source:
        found, fault = kind_of(source) if source.size else EMPTY_FILE, cut_file(source)
        if fault is not None and found != ORC:
            return found, fault.in_file(place)
        if found == ENCRYPTED_PARQUET:
            return found, Unsupported(place, None, found, "an unencrypted one")
        return found, None
    return PARQUET, None


def _files(place: str, walks: list[Walk], tables: list[str]) -> list[ParquetPlace]:
    """The files that one place names; *walks* is added to, and *tables* as well."""
    filesystem, path = resolve(place, None)
    local = filesystem is None
    filesystem = pa_fs.LocalFileSystem() if local else _arrow(filesystem)
    if local and not Path(path).exists() and glob.has_magic(path):
        found = sorted(glob.glob(path, recursive=True))  # noqa: PTH207  absolute ones too
        if not found:
            raise StorageError(f"{place}: no file has such a name")
        return [file for each in found for file in _files(each, walks, tables)]
    with storing(place):
        info = filesystem.get_file_info(path)
    if info.type == pa_fs.FileType.NotFound:
        raise StorageError(f"{place}: No such file or directory")
    if info.type == pa_fs.FileType.Unknown:
        raise StorageError(f"{place}: found a pipe or a device, wanted a file or a folder")
    if info.type == pa_fs.FileType.File:
        return [ParquetPlace(place, filesystem, path, info.size or 0)]
    if not local:
        below = _stored(filesystem, path, place, tables)
    else:
        walks.append(Walk(place))
        below = _local(walks[-1], filesystem, tables)
    if not below and not (local and walks[-1].refused):
        raise StorageError(f"{place}: found a folder without a Parquet file, wanted one (.parquet)")
    return below


def _local(walk: Walk, filesystem: Any, tables: list[str]) -> list[ParquetPlace]:
    """The Parquet files below a local folder; the Iceberg tables are added to *tables*."""
    kept = []
    for level in walk:
        if _has_metadata(level.below, level.files):
            tables.append(walk.place(level.below.rpartition("/")[0]))
        level.folders[:] = [name for name in level.folders if not name.startswith(_HIDDEN)]
        for name in filter(_is_parquet, level.files):
            place = walk.place(level.path(name))
            path = resolve(place, None)[1]
            with storing(place):
                kept.append(ParquetPlace(place, filesystem, path, Path(path).stat().st_size))
    return kept


def _has_metadata(folder: str, files: Iterable[str]) -> bool:
    """Return whether a folder, with these files, is where an Iceberg table has its metadata."""
    if folder.rpartition("/")[2] != "metadata":
        return False
    from byteloom.iceberg.metadata.opening import is_metadata_file

    return any(map(is_metadata_file, files))


def _stored(filesystem: Any, folder: str, place: str, tables: list[str]) -> list[ParquetPlace]:
    """Return the Parquet files below a folder of a store, which has no links, by one request.

    The Iceberg tables are added to *tables*.
    """
    with storing(place):
        found = filesystem.get_file_info(pa_fs.FileSelector(folder, recursive=True))
    kept = []
    for info in sorted(found, key=lambda each: str(each.path)):
        below = info.path.removeprefix(folder).strip("/")
        *folders, name = below.split("/")
        if _has_metadata("/".join(folders), [name]):
            root = "/".join([place.rstrip("/"), *folders[:-1]])
            tables += [root] if root not in tables else []
        is_hidden = any(each.startswith(_HIDDEN) for each in folders)
        if info.is_file and _is_parquet(name) and not is_hidden:
            name = f"{place.rstrip('/')}/{below}"
            kept.append(ParquetPlace(name, filesystem, info.path, info.size or 0))
    return kept


def _is_parquet(name: str) -> bool:
    """Whether a file is called as Parquet files are, and not as those of unfinished writers."""
    return name.endswith(".parquet") and not name.startswith(_HIDDEN)


def _arrow(filesystem: Any) -> Any:
    """Return a filesystem as pyarrow has them."""
    is_arrow = isinstance(filesystem, pa_fs.FileSystem)
    return filesystem if is_arrow else pa_fs.PyFileSystem(pa_fs.FSSpecHandler(filesystem))
