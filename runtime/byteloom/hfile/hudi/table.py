"""The metadata table of a Hudi table: its partitions, their file slices, and the rows in them.

- A partition holds file groups; the newest slice of each is its base file and the log files behind.
- Rows are keys and values as stored, merged by Hudi's rules: newer ones win, listings of files and
  statistics are combined, deleted ones are gone.
- A value is a record in Avro's binary form, to be read by the schema that comes with it: schemas
  differ between the files of one slice.

Source: https://hudi.apache.org/docs/metadata
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from byteloom.limits import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa

    from byteloom.hfile.hudi.slices import FileSlice
    from byteloom.hfile.hudi.timeline import Timeline
    from byteloom.storage import Folder

__all__ = ["MetadataTable", "Rows"]


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows whose values have one schema.

    keys    binary
    values  binary, as long: each a record of *schema* in Avro's binary form, whose field ``key``
            is mostly empty (the key is the one in *keys*)
    schema  JSON of the Avro schema that wrote the values
    """

    keys: pa.Array
    values: pa.Array
    schema: str


class MetadataTable:
    """The metadata table of a Hudi table, as of its newest completed instant.

    data               the folder of the table itself
    folder             the folder of its metadata table
    properties         of the table, from ``hoodie.properties``
    table_version      6, 8 or 9
    timeline           of the table
    metadata_timeline  of its metadata table
    partitions         names of the enabled partitions of the metadata table, in order
    valid_instants     times of the instants whose log blocks count
    """

    data: Folder
    folder: Folder
    properties: Mapping[str, str]
    table_version: int
    timeline: Timeline
    metadata_timeline: Timeline
    partitions: list[str]
    valid_instants: frozenset[str]

    @classmethod
    def open(
        cls,
        place: str | os.PathLike[str],
        *,
        filesystem: Any = None,
        limits: Limits = DEFAULT_LIMITS,
    ) -> Self:
        """Open the metadata table of the Hudi table at *place*: read properties and timelines.

        place       path or URL of the table's folder, which holds ``.hoodie``
        filesystem  of `pyarrow.fs` or fsspec, in which *place* is a path
        limits      what reading one file may cost
        raises      `Unsupported` for other versions of tables, `FormatError`, `StorageError`
        """
        raise NotImplementedError

    def slices(self, partition: str) -> list[FileSlice]:
        """Return the newest file slice of each file group of *partition*, in order of their ids.

        raises  `FormatError` where the table has no such partition
        """
        raise NotImplementedError

    def merged(self, partition: str, keys: Sequence[bytes] | None = None) -> Iterator[Rows]:
        """Yield the rows of *partition*, for each slice one `Rows` a schema.

        keys  only rows with these keys, of whichever file group (see `lookup`)
        """
        raise NotImplementedError

    def lookup(self, partition: str, file_group: str, keys: Sequence[bytes]) -> Iterator[Rows]:
        """Yield the rows with these keys of one file group, without a scan of its base file.

        file_group  its id, as `FileSlice.file_id` has it
        """
        raise NotImplementedError

    def files(self, partition_path: str) -> dict[str, int]:
        """Return the size of each data file in a partition of the table, by name.

        partition_path  ``""`` for a table without partitions
        """
        raise NotImplementedError

    def partition_paths(self) -> list[str]:
        """Return the partitions of the table, as ``files`` lists them; ``""`` for none."""
        raise NotImplementedError
