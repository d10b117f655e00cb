"""File slices of the table itself, found by its folders and its timeline, without its metadata.

- Files of incomplete instants do not count, nor do file groups that a completed replacement
  replaced.
- Log files count from the newest base file on: up to version 6 by the instant in their names, later
  by the completion of the instant that wrote them.
- A file that another program wrote has a name of its own.  Commits and the metadata table list it
  with a suffix: the instant that added it, and a mark.

Source: https://hudi.apache.org/docs/storage_layouts
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Final

from byteloom.errors import FormatError, found_by
from byteloom.hudi.slices import COMPLETION_TIMES
from byteloom.hudi.timeline import REPLACED, WRITTEN, Instant, Timeline
from byteloom.storage import Folder

__all__ = [
    "EXTERNAL",
    "DataSlice",
    "StoredFile",
    "cleaned_names",
    "data_files",
    "data_slices",
    "folders_of_partitions",
    "path_of",
    "stored_file",
    "stored_sizes",
    "written_files",
]

EXTERNAL: Final = r"_(\d+)(_fg%3D[^/]*)?_hudiext$"
"""What is after the name of an external file: its instant, perhaps a group's folder, a mark."""

_MARKER: Final = ".hoodie_partition_metadata"
"""The name of the file that marks a partition, which may end with ``.parquet`` or ``.orc``."""

_BASE: Final = re.compile(r"(?P<id>[^.].*)_(?P<token>\d+-\d+-\d+)_(?P<instant>\d+)\.[a-z]+")
_LOG: Final = re.compile(
    r"\.(?P<id>.+)_(?P<instant>\d+)\.log\.(?P<version>\d+)(?:_(?P<token>\d+-\d+-\d+))?(?:\.cdc)?"
)


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A base file or a log file, as described by its name.

    Attributes:
        instant: The instant of the write of a base file; for a log file, see
            `byteloom.hudi.slices`.
        version: The number of a log file; 0 for a base file.
        is_external: Whether another program wrote it, and a commit only added it to the table.
    """

    name: str
    size: int
    file_id: str
    instant: str
    version: int
    is_external: bool = False


@dataclass(frozen=True, slots=True)
class DataSlice:
    """The files of one file group that are read together.

    Attributes:
        partition: The partition of the table, by path.
        base: The base file; None if there are only log files.
        logs: The log files, in reading order.
    """

    partition: str
    file_id: str
    base: StoredFile | None
    logs: tuple[StoredFile, ...]


def stored_file(name: str, size: int = 0) -> StoredFile | None:
    """Return the file with this name and size; None if the name is not a data file's."""
    found = _LOG.fullmatch(name) or _BASE.fullmatch(name)
    if found is None or name.endswith(".cdc"):
        return None
    parts = found.groupdict()
    version = int(parts.get("version") or 0)
    return StoredFile(name, size, parts["id"], parts["instant"], version)


def path_of(partition: str, name: str) -> str:
    """Return the path of what is in a partition, relative to the table."""
    return f"{partition}/{name}" if partition else name


def folders_of_partitions(table: Folder, below: str = "") -> Iterator[str]:
    """Yield the partitions of *table* by path, in order; ``""`` for a table without partitions."""
    if any(name.startswith(_MARKER) for name in table.files(below)):
        yield below
    for name in table.folders(below):
        if not name.startswith("."):
            yield from folders_of_partitions(table, path_of(below, name))


def data_files(
    table: Folder, partitions: Iterable[str], timeline: Timeline
) -> dict[str, list[StoredFile]]:
    """Return the data files in the folders of partitions, each in order of their names.

    Raises:
        ByteloomError: The same as for `written_files`, if there are names that may be of
            external files.
    """
    sizes = {partition: table.files(partition) for partition in partitions}
    found: dict[str, dict[str, StoredFile | None]] = {
        partition: {name: stored_file(name, there[name]) for name in sorted(there)}
        for partition, there in sizes.items()
    }
    unnamed = {
        partition
        for partition, files in found.items()
        if any(file is None and not name.startswith(".") for name, file in files.items())
    }
    for instant in timeline.commits.values() if unnamed else ():
        for partition, file in written_files(timeline, instant):
            if file.is_external and partition in unnamed and file.name in sizes[partition]:
                found[partition][file.name] = replace(file, size=sizes[partition][file.name])
    return {
        partition: [each for each in files.values() if each is not None]
        for partition, files in found.items()
    }


def written_files(timeline: Timeline, instant: Instant) -> list[tuple[str, StoredFile]]:
    """Return the data files that a commit says it wrote, each with its partition; sizes are 0.

    Raises:
        FormatError: For a commit that cannot be read.
        StorageError: For a commit that cannot be read.
    """
    found = []
    with _about(instant, "the files that were written, by partition"):
        written = timeline.summary(instant).get(WRITTEN) or {}
        for partition, statistics in written.items():
            for each in statistics or ():
                path = (each["path"] or "").removeprefix(f"{partition}/")
                file = stored_file(path)
                if re.search(EXTERNAL, path):
                    name = re.sub(EXTERNAL, "", path)
                    file = StoredFile(name, 0, name, instant.time, 0, is_external=True)
                if file is not None and each.get("fileSizeInBytes") != 0:
                    found.append((partition, file))
    return found


def cleaned_names(timeline: Timeline) -> frozenset[str]:
    """Return the names of the files that cleans removed, or were about to remove when they ended.

    Raises:
        FormatError: For a clean that cannot be read.
        StorageError: For a clean that cannot be read.
    """
    found: set[str] = set()
    for instant in timeline.instants:
        if instant.action != "clean":
            continue
        with _about(instant, "the files that were cleaned, by partition"):
            if instant.is_completed:
                cleaned = timeline.content(instant).get("partitionMetadata") or {}
                lists = ("deletePathPatterns", "successDeleteFiles")
                paths = [
                    path
                    for each in cleaned.values()
                    for name in lists
                    for path in each.get(name) or ()
                ]
            else:
                plan = timeline.plan(instant).get("filePathsToBeDeletedPerPartition") or {}
                paths = [each["filePath"] for files in plan.values() for each in files]
            found.update(re.sub(EXTERNAL, "", each).rpartition("/")[2] for each in paths)
    return frozenset(found)


def stored_sizes(table: Folder, partition: str, names: Iterable[str]) -> dict[str, int]:
    """Return the sizes of the files of a partition, and of folders below it in *names*."""
    found = dict(table.files(partition))
    for below in {name.rpartition("/")[0] for name in names} - {""}:
        there = table.files(path_of(partition, below))
        found |= {f"{below}/{name}": size for name, size in there.items()}
    return found


def data_slices(
    files: Mapping[str, Iterable[StoredFile]], timeline: Timeline, table_version: int
) -> list[DataSlice]:
    """Return the newest slice of each file group, in order of partitions and ids.

    Args:
        files: All data files, by partition.
    """
    replaced = _replaced(timeline, files)
    groups: dict[tuple[str, str], list[StoredFile]] = defaultdict(list)
    for partition, there in files.items():
        for file in there:
            if (partition, file.file_id) not in replaced:
                groups[partition, file.file_id].append(file)
    found = (_newest(each[0], groups[each], timeline, table_version) for each in sorted(groups))
    return [each for each in found if each is not None]


def _newest(
    partition: str, files: list[StoredFile], timeline: Timeline, table_version: int
) -> DataSlice | None:
    bases = [each for each in files if not each.version and timeline.has_completed(each.instant)]
    base = max(bases, key=lambda each: (each.instant, each.size > 0, each.name), default=None)
    since = base.instant if base else ""
    logs = [each for each in files if each.version]
    if table_version < COMPLETION_TIMES:
        kept = [each for each in logs if each.instant >= since]
    else:
        done = ((each, timeline.completion_of(each.instant)) for each in logs)
        kept = [each for each, at in done if at is not None and at >= since]
    if base is None and not kept:
        return None
    kept.sort(key=lambda each: (each.instant, each.version, each.name))
    return DataSlice(partition, files[0].file_id, base, tuple(kept))


def _replaced(timeline: Timeline, partitions: Iterable[str]) -> frozenset[tuple[str, str]]:
    """Return partitions and ids of the file groups in *partitions* that others have replaced."""
    found: set[tuple[str, str]] = set()
    for instant in timeline.completed:
        if instant.action not in {"replacecommit", "clustering"}:
            continue
        with _about(instant, "the file groups that were replaced, by partition"):
            groups = timeline.summary(instant).get(REPLACED) or {}
            found.update(
                (name, str(each)) for name in partitions for each in groups.get(name) or ()
            )
    return frozenset(found)


@contextmanager
def _about(instant: Instant, wanted: str) -> Iterator[None]:
    """Let errors about content of other types name the file of *instant*."""
    try:
        yield
    except (KeyError, TypeError, AttributeError) as error:
        found = found_by("values of other types", error)
        raise FormatError(instant.name, None, found, wanted) from error
