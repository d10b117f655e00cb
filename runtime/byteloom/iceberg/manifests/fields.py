"""The fields of manifests and of manifest lists: their ids, and how they are kept as columns.

The rules:

- Files are read by id; the names only serve files without ids, and the tables we give.
- A field that is required here is one without which nothing can be said of an entry.

Source: Iceberg table spec, "Manifests" and "Manifest Lists".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import pyarrow as pa

__all__ = ["ENTRY", "LIST", "PARTITION", "SUMMARIES", "SUMMARY", "Field", "map_type"]

PARTITION: Final = 102
"""The id of the partition tuple."""

SUMMARIES: Final = 507
"""The id of a list's summaries."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field: how it is kept (a kind of `Target`), and as what it is shown."""

    id: int
    name: str
    kind: str
    arrow: pa.DataType
    required: bool = False
    where: str = ""
    """The dotted name of the record that it is in."""

    @property
    def path(self) -> str:
        """The dotted name, for files without ids."""
        return f"{self.where}.{self.name}" if self.where else self.name


def map_type(value: pa.DataType) -> pa.DataType:
    """Return the type of a statistic by column id."""
    return pa.map_(pa.int32(), value)


def _file(
    number: int, name: str, kind: str, arrow: pa.DataType, *, required: bool = False
) -> Field:
    return Field(number, name, kind, arrow, required, "data_file")


_COUNTS: Final = map_type(pa.int64())
_BOUNDS: Final = map_type(pa.large_binary())

ENTRY: Final = (
    Field(0, "status", "long", pa.int32(), required=True),
    Field(1, "snapshot_id", "long", pa.int64()),
    Field(3, "sequence_number", "long", pa.int64()),
    Field(4, "file_sequence_number", "long", pa.int64()),
    _file(134, "content", "long", pa.int32()),
    _file(100, "file_path", "view", pa.large_string(), required=True),
    _file(101, "file_format", "view", pa.large_string(), required=True),
    _file(103, "record_count", "long", pa.int64(), required=True),
    _file(104, "file_size_in_bytes", "long", pa.int64(), required=True),
    _file(108, "column_sizes", "map_long", _COUNTS),
    _file(109, "value_counts", "map_long", _COUNTS),
    _file(110, "null_value_counts", "map_long", _COUNTS),
    _file(137, "nan_value_counts", "map_long", _COUNTS),
    _file(125, "lower_bounds", "map_bytes", _BOUNDS),
    _file(128, "upper_bounds", "map_bytes", _BOUNDS),
    _file(131, "key_metadata", "view", pa.large_binary()),
    _file(132, "split_offsets", "list", pa.large_list(pa.int64())),
    _file(135, "equality_ids", "list", pa.large_list(pa.int32())),
    _file(140, "sort_order_id", "long", pa.int32()),
    _file(142, "first_row_id", "long", pa.int64()),
    _file(143, "referenced_data_file", "view", pa.large_string()),
    _file(144, "content_offset", "long", pa.int64()),
    _file(145, "content_size_in_bytes", "long", pa.int64()),
)
"""An entry and its file, in the order of the spec; the partition tuple aside."""

SUMMARY: Final = (
    Field(509, "contains_null", "long", pa.bool_(), where="partitions.element"),
    Field(518, "contains_nan", "long", pa.bool_(), where="partitions.element"),
    Field(510, "lower_bound", "view", pa.large_binary(), where="partitions.element"),
    Field(511, "upper_bound", "view", pa.large_binary(), where="partitions.element"),
)
"""What a list tells of one partition field of a manifest."""

LIST: Final = (
    Field(500, "manifest_path", "view", pa.large_string(), required=True),
    Field(501, "manifest_length", "long", pa.int64(), required=True),
    Field(502, "partition_spec_id", "long", pa.int32(), required=True),
    Field(517, "content", "long", pa.int32()),
    Field(515, "sequence_number", "long", pa.int64()),
    Field(516, "min_sequence_number", "long", pa.int64()),
    Field(503, "added_snapshot_id", "long", pa.int64()),
    Field(504, "added_files_count", "long", pa.int32()),
    Field(505, "existing_files_count", "long", pa.int32()),
    Field(506, "deleted_files_count", "long", pa.int32()),
    Field(512, "added_rows_count", "long", pa.int64()),
    Field(513, "existing_rows_count", "long", pa.int64()),
    Field(514, "deleted_rows_count", "long", pa.int64()),
    Field(
        SUMMARIES,
        "partitions",
        "rows",
        pa.large_list(pa.struct([(f.name, f.arrow) for f in SUMMARY])),
    ),
    Field(519, "key_metadata", "view", pa.large_binary()),
    Field(520, "first_row_id", "long", pa.int64()),
)
"""A manifest in a list, in the order of the spec."""
