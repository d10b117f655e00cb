"""The state of a metadata table: its partitions, their file slices, and the rows in them.

- A partition holds file groups; the newest slice of each is its base file and the later log files.
- Rows are keys and values as stored, merged by Hudi's rules: newer ones win, listings of files and
  statistics are combined, deleted ones are left out.
- A value is a record in Avro's binary form, to be read by the schema that comes with it: schemas
  differ between the files of one slice.

Source: https://hudi.apache.org/docs/metadata
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, Self

import pyarrow as pa

from byteloom.errors import FormatError, Unsupported
from byteloom.hudi.commits import Commits
from byteloom.hudi.data_slices import EXTERNAL
from byteloom.hudi.keys import ALL_PARTITIONS, NON_PARTITIONED
from byteloom.hudi.merge import Rows, decoded
from byteloom.hudi.properties import (
    VERSION,
    IndexDefinition,
    beside,
    read_definitions,
    read_properties,
)
from byteloom.hudi.reading import SliceReader
from byteloom.hudi.slices import COMPLETION_TIMES, FileSlice, newest_slices
from byteloom.hudi.timeline import LAYOUT, Timeline, read_timeline
from byteloom.hudi.validity import Validity, valid_instants
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.redaction import redacted
from byteloom.storage import Folder

__all__ = ["TableState"]

VERSIONS: Final = (6, 8, 9)
"""Versions of tables that are read."""

_PARTITIONED: Final = "isPartitioned"
_GLOBAL: Final = re.compile(r"record-index-\d{4,}(-0)?")
"""The id of a file group of an index whose keys are unique in the whole table."""


class TableState:
    """The stored rows of a metadata table, as of its newest completed instant."""

    def __init__(self, data: Folder, *, limits: Limits = DEFAULT_LIMITS) -> None:
        """Read properties and timelines of the table in the folder *data*.

        Args:
            data: The folder of the table.
            limits: Bounds of what reading one file may cost.

        Raises:
            Unsupported: For other versions of tables.
            FormatError: The properties or the timeline are damaged.
            StorageError: They cannot be read.
        """
        self.data = data
        self.folder = Folder(f"{data.path}/.hoodie/metadata", filesystem=data.filesystem)
        self.limits = limits
        self.properties: Mapping[str, str]
        self.timeline: Timeline
        self.properties, self.table_version, self.timeline = _opened(data)
        names = self.properties.get("hoodie.table.metadata.partitions", "").split(",")
        self.partitions = sorted(name.strip() for name in names if name.strip())
        self.metadata_timeline: Timeline = _opened(self.folder)[2]
        self._slices: dict[str, list[FileSlice]] = {}

    def __repr__(self) -> str:
        """The table's folder, its version and the partitions of its metadata table."""
        indexes = ", ".join(self.partitions) or "no metadata table"
        return redacted(f"<MetadataTable of {self.data} v{self.table_version}: {indexes}>")

    @classmethod
    def open(
        cls,
        place: str | os.PathLike[str],
        *,
        filesystem: Any = None,
        limits: Limits = DEFAULT_LIMITS,
    ) -> Self:
        """Open the metadata table of the Hudi table at *place*: read properties and timelines.

        Args:
            place: The path or URL of the table's folder, which holds ``.hoodie``.
            filesystem: A filesystem of `pyarrow.fs` or fsspec, in which *place* is a path.
            limits: What reading one file may cost.

        Raises:
            Unsupported: For other versions of tables.
            FormatError: The properties or the timeline are damaged.
            StorageError: They cannot be read.
        """
        return cls(Folder(place, filesystem=filesystem), limits=limits)

    @cached_property
    def valid_instants(self) -> frozenset[str]:
        """Times of the instants whose log blocks count."""
        return valid_instants(self.timeline, self.metadata_timeline)

    @cached_property
    def definitions(self) -> dict[str, IndexDefinition]:
        """Definitions of indexes, by their partition of the metadata table."""
        return read_definitions(self.data, self.properties)

    @property
    def is_record_index_partitioned(self) -> bool:
        """Whether record keys are unique only within a partition, and looked up there.

        Without a definition of the index, the ids of its file groups decide, which name partitions.
        """
        definition = self.definitions.get("record_index")
        if definition is None:
            ids = (each.file_id for each in self.slices("record_index"))
            return not all(map(_GLOBAL.fullmatch, ids))
        return definition.options.get(_PARTITIONED, "").lower() == "true"

    def slices(self, partition: str) -> list[FileSlice]:
        """Return the newest file slice of each file group of *partition*, in order of their ids.

        Args:
            partition: The partition of the metadata table.

        Raises:
            FormatError: Where the metadata table has no such partition, even disabled, or no
                write to it was completed.
        """
        if partition not in self._slices:
            there = partition in self.folder.folders()
            files = self.folder.files(partition) if there else {}
            if not files:
                wanted = (
                    f"one of {', '.join(self.partitions) or 'none: no metadata table is there'}"
                )
                path = f"{self.folder}: metadata.partition"
                raise FormatError(path, None, f"no {partition}", wanted)
            found = newest_slices(partition, files, self.metadata_timeline, self.table_version)
            if not found:
                wanted = "a file slice that was begun by a completed instant"
                raise FormatError(f"{self.folder}/{partition}", None, "none", wanted)
            self._slices[partition] = found
        return self._slices[partition]

    def merged(self, partition: str, keys: Sequence[bytes] | None = None) -> Iterator[Rows]:
        """Yield the rows of *partition*, those of each slice in one or more parts.

        Args:
            partition: The partition of the metadata table.
            keys: Only rows with these keys, in any file group (see `lookup`).
        """
        for each in self.slices(partition):
            yield from self._reader(each).rows(keys)

    def lookup(
        self, partition: str, file_group: str, keys: Sequence[bytes] | pa.Array | None = None
    ) -> Iterator[Rows]:
        """Yield the rows with these keys of one file group, without a scan of its base file.

        Args:
            partition: The partition of the metadata table.
            file_group: The id of the file group, see `FileSlice.file_id`.
            keys: The keys, bytes or an Arrow array of them; None for all rows of the file group.

        Raises:
            FormatError: Where the partition has no such file group.
        """
        slices = {each.file_id: each for each in self.slices(partition)}
        if file_group not in slices:
            wanted = f"one of {', '.join(slices)}"
            raise FormatError(f"{partition}.file_group", None, file_group, wanted)
        yield from self._reader(slices[file_group]).rows(keys)

    def prefixed(
        self, partition: str, prefixes: Sequence[bytes], file_groups: Sequence[str] | None = None
    ) -> Iterator[Rows]:
        """Yield the rows whose keys begin with one of *prefixes*, without a scan of base files.

        Args:
            partition: The partition of the metadata table.
            prefixes: The beginnings of keys.
            file_groups: Ids of the file groups to search; None for all of the partition.
        """
        for each in self.slices(partition):
            if file_groups is None or each.file_id in file_groups:
                yield from self._reader(each).rows(prefixes=prefixes)

    def files(self, partition_path: str) -> dict[str, int]:
        """Return the size of each data file in a partition of the table, by name.

        A file that another program wrote, and Hudi only lists, has the name that it has in the
        folder, without the suffix ``_<instant>_hudiext``.

        Args:
            partition_path: The path of the partition; ``""`` for a table without partitions.
        """
        listed = self._listing(partition_path or NON_PARTITIONED)
        sizes = {re.sub(EXTERNAL, "", name): info["size"] for name, info in listed.items()}
        return dict(sorted(sizes.items()))

    def partition_paths(self) -> list[str]:
        """Return the partitions that ``files`` lists; ``""`` in a table without partitions."""
        names = sorted(self._listing(ALL_PARTITIONS))
        return ["" if name == NON_PARTITIONED else name for name in names]

    def _listing(self, key: str) -> dict[str, Any]:
        """Return the entries of the row of ``files`` with this key, without deleted ones."""
        found: dict[str, Any] = {}
        for rows in self.merged("files", [key.encode()]):
            for value in rows.values.to_pylist():
                found.update(decoded(value, rows.schema).get("filesystemMetadata") or {})
        return {name: info for name, info in found.items() if not info["isDeleted"]}

    def _reader(self, each: FileSlice) -> SliceReader:
        return SliceReader(self.folder, each, self._validity, self._commits, self.limits)

    @cached_property
    def _commits(self) -> Commits:
        return Commits(self.metadata_timeline)

    @cached_property
    def _validity(self) -> Validity:
        completed = self.metadata_timeline.completed
        latest = completed[-1].time if completed else ""
        old = self.table_version < COMPLETION_TIMES
        return Validity(self.valid_instants, latest, self.metadata_timeline if old else None)


def _opened(table: Folder) -> tuple[dict[str, str], int, Timeline]:
    """Return the properties of a table, its version and its timeline."""
    properties = read_properties(table)
    version = _version(properties, table)
    layout = {LAYOUT: _layout(version)}
    return properties, version, read_timeline(table, {**layout, **properties})


def _layout(version: int) -> str:
    """Return the layout of timelines in tables of a version."""
    return "2" if version >= COMPLETION_TIMES else "1"


def _version(properties: Mapping[str, str], table: Folder) -> int:
    """Return the version of a table; refuse one whose timeline is laid out for another version."""
    path = f"{table}/.hoodie/hoodie.properties"
    found = properties.get(VERSION, "none")
    if found not in map(str, VERSIONS):
        wanted = f"one of {', '.join(map(str, VERSIONS))}"
        raise Unsupported(f"{path}: {VERSION}", None, f"{found}{beside(table)}", wanted)
    wanted = _layout(int(found))
    layout = properties.get(LAYOUT, wanted)
    if layout != wanted:
        wanted = f"{wanted}, in a table of version {found}"
        raise FormatError(f"{path}: {LAYOUT}", None, layout, wanted)
    return int(found)
