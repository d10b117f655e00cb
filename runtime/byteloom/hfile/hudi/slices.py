"""File slices: which base file and which log files of a file group are to be read together.

Source: https://hudi.apache.org/docs/storage_layouts
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DataFile", "FileSlice"]


@dataclass(frozen=True, slots=True)
class DataFile:
    """A base file or log file of a file group.

    name     of the file, in the folder of its partition
    size     bytes
    file_id  of its file group
    instant  base file: that wrote it; log file: version 6: of the base file it lies on, else the
             deltacommit that wrote it
    version  log file: its number; 0 for a base file
    token    of the task that wrote it, such as ``0-175-227``
    """

    name: str
    size: int
    file_id: str
    instant: str
    version: int
    token: str


@dataclass(frozen=True, slots=True)
class FileSlice:
    """A base file and the log files that lie on it.

    partition  of the metadata table
    file_id    of the file group
    instant    that began the slice
    base       None where there are log files only
    logs       in the order in which they are to be read
    """

    partition: str
    file_id: str
    instant: str
    base: DataFile | None
    logs: tuple[DataFile, ...]
