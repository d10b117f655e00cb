"""File slices: which base file and which log files of a file group are read together.

- A slice begins with a base file, or with the first log file of a file group that has none.
- Up to version 6 the name of a log file gives the instant of its slice.  From version 8 on it
  gives the deltacommit that wrote it; the file then belongs to the newest base file that was
  requested before that deltacommit was completed.
- A base file counts if its instant is completed.  The file of a failed compaction does not count,
  and log files of a pending compaction belong to the slice before it.

Source: https://hudi.apache.org/docs/storage_layouts
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from byteloom.hudi.timeline import Timeline

__all__ = ["DataFile", "FileSlice", "data_file", "newest_slices"]

COMPLETION_TIMES: Final = 8
"""The first table version whose completion times decide which log files a slice has."""

_BASE: Final = re.compile(r"(?P<id>[^.].*)_(?P<token>\d+-\d+-\d+)_(?P<instant>\d+)\.hfile")
_LOG: Final = re.compile(
    r"\.(?P<id>.+)_(?P<instant>\d+)\.log\.(?P<version>\d+)(?:_(?P<token>\d+-\d+-\d+))?"
)


@dataclass(frozen=True, slots=True)
class DataFile:
    """A base file or log file of a file group.

    Attributes:
        name: The name of the file, in the folder of its partition.
        size: Its bytes.
        file_id: The id of its file group.
        instant: That of the write of a base file; for a log file, that of its base file
            (version 6) or of the deltacommit that wrote it (later versions).
        version: The number of a log file; 0 for a base file.
        token: That of the task that wrote it, such as ``0-175-227``.
    """

    name: str
    size: int
    file_id: str
    instant: str
    version: int
    token: str

    @property
    def order(self) -> tuple[str, int, str]:
        """The sort key that gives the reading order of a slice's log files."""
        return self.instant, self.version, self.token


@dataclass(frozen=True, slots=True)
class FileSlice:
    """A base file and the log files that belong to it.

    Attributes:
        partition: The partition of the metadata table.
        file_id: The id of the file group.
        instant: The instant of the write that began the slice.
        base: The base file; None if there are only log files.
        logs: The log files, in reading order.
        by_completion: Whether completion times, not names, decide which log files belong to the
            base file.
    """

    partition: str
    file_id: str
    instant: str
    base: DataFile | None
    logs: tuple[DataFile, ...]
    by_completion: bool = False


def newest_slices(
    partition: str, files: Mapping[str, int], timeline: Timeline, table_version: int
) -> list[FileSlice]:
    """Return the newest slice of each file group, in order of their ids.

    Args:
        files: Sizes by name, in the folder of *partition*.
        timeline: The timeline of the metadata table.
    """
    groups: dict[str, list[DataFile]] = defaultdict(list)
    for name, size in sorted(files.items()):
        file = data_file(name, size)
        if file is not None:
            groups[file.file_id].append(file)
    build = _by_completion if table_version >= COMPLETION_TIMES else _by_name
    found = (build(partition, groups[file_id], timeline) for file_id in sorted(groups))
    return [each for each in found if each is not None]


def data_file(name: str, size: int) -> DataFile | None:
    """Return the file with this name and size; None if it is not part of a slice."""
    found = _BASE.fullmatch(name) or _LOG.fullmatch(name)
    if found is None:
        return None
    parts = found.groupdict()
    version = int(parts.get("version") or 0)
    return DataFile(name, size, parts["id"], parts["instant"], version, parts["token"] or "")


def _by_completion(partition: str, files: list[DataFile], timeline: Timeline) -> FileSlice | None:
    """Return the newest slice of a file group of a table of version 8 or later."""
    base = _newest_base(files, timeline)
    done = [(each, timeline.completion_of(each.instant)) for each in _logs(files)]
    logs = [(each, at) for each, at in done if at is not None]
    if base is None and not logs:
        return None
    instant = base.instant if base else logs[0][0].instant
    kept = tuple(each for each, at in logs if base is None or at >= instant)
    return FileSlice(partition, files[0].file_id, instant, base, kept, by_completion=True)


def _by_name(partition: str, files: list[DataFile], timeline: Timeline) -> FileSlice | None:
    """Return the newest slice of a file group of a table of version 6."""
    base = _newest_base(files, timeline)
    compactions = {each.time for each in timeline.pending if each.action == "compaction"}
    logs = _logs(files)
    begun = {each.instant for each in logs if timeline.has_completed(each.instant)}
    instant = max(begun | ({base.instant} if base else set()), default=None)
    if instant is None:
        return None
    kept = tuple(
        each
        for each in logs
        if each.instant == instant or (each.instant > instant and each.instant in compactions)
    )
    begins = base if base and base.instant == instant else None
    return FileSlice(partition, files[0].file_id, instant, begins, kept)


def _newest_base(files: Iterable[DataFile], timeline: Timeline) -> DataFile | None:
    bases = [each for each in files if each.version == 0 and timeline.has_completed(each.instant)]
    return max(bases, key=lambda each: (each.instant, each.size > 0, each.name), default=None)


def _logs(files: Iterable[DataFile]) -> list[DataFile]:
    return sorted((each for each in files if each.version), key=lambda each: each.order)
