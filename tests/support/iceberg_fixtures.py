"""Tables of many files for planning: metadata, a manifest list and manifests, without data.

The rules:

- One manifest a day, its files dealt to 16 buckets; ten columns have statistics.
- File *i* of *n* holds ``v`` from *i / n* to *(i + 1) / n*, and ids from 1000 *i* on; so a filter
  on either finds few files, and one on ``ts`` few manifests.
- Manifests are written by fastavro, either in blocks of 64,000 bytes, as Java does, or a block an
  entry, as pyiceberg does.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from pathlib import Path
from tempfile import gettempdir
from typing import Any, Final

import fastavro

__all__ = [
    "COLUMNS",
    "ManyFiles",
    "cached_many_files",
    "entry_schema",
    "list_schema",
    "write_many_files",
]

_SNAPSHOT: Final = 3_051_729_675_574_597_004
_FIRST_DAY: Final = 20_000
_FORM: Final = 1
"""Counts up when the tables change."""

_DAY_US: Final = 86_400_000_000
_ROWS: Final = 1_000

COLUMNS: Final = (
    (1, "id", "long"),
    (2, "ts", "timestamp"),
    (3, "v", "double"),
    (4, "name", "string"),
    (5, "amount", "decimal(12, 2)"),
    (6, "day", "date"),
    (7, "count", "int"),
    (8, "flag", "boolean"),
    (9, "score", "float"),
    (10, "note", "string"),
)
"""Id, name and type of each column."""


@dataclass(frozen=True)
class ManyFiles:
    """A table to make.

    files       data files
    manifests   manifests, each of a day
    block_size  bytes of a block; 1 for a block an entry
    codec       of the manifests
    nulls       each column of file *i* has *i* modulo this number of nulls
    """

    files: int = 100_000
    manifests: int = 100
    block_size: int = 64_000
    codec: str = "deflate"
    nulls: int = 7

    @property
    def name(self) -> str:
        """A name that differs for each table to make."""
        return f"{self.files}-{self.manifests}-{self.block_size}-{self.codec}-{self.nulls}"


def cached_many_files(table: ManyFiles) -> Path:
    """Write *table* once for all runs on this machine; return its metadata file."""
    return write_many_files(Path(gettempdir()) / f"byteloom-tables-{_FORM}", table)


def write_many_files(folder: Path, table: ManyFiles) -> Path:
    """Write *table* below *folder*, if it is not there; return its metadata file."""
    root = folder / f"many-files-{table.name}"
    metadata = root / "metadata" / "v1.metadata.json"
    if metadata.exists():
        return metadata
    metadata.parent.mkdir(parents=True, exist_ok=True)
    listed = [_write_manifest(root, table, number) for number in range(table.manifests)]
    snapshots = root / "metadata" / f"snap-{_SNAPSHOT}.avro"
    with snapshots.open("wb") as file:
        header = {"snapshot-id": str(_SNAPSHOT), "sequence-number": "1", "format-version": "2"}
        fastavro.writer(file, list_schema(), listed, codec="deflate", metadata=header)
    metadata.write_text(json.dumps(_metadata(root, snapshots)))
    return metadata


def _write_manifest(root: Path, table: ManyFiles, number: int) -> dict[str, Any]:
    """Write one manifest; return what the list says of it."""
    each = table.files // table.manifests
    path = root / "metadata" / f"{number:06}-m0.avro"
    entries = (_entry(root, table, number, number * each + i) for i in range(each))
    with path.open("wb") as file:
        fastavro.writer(
            file,
            entry_schema(),
            entries,
            codec=table.codec,
            sync_interval=table.block_size,
            metadata={
                "schema": json.dumps(_schema()),
                "schema-id": "0",
                "partition-spec": json.dumps(_SPEC["fields"]),
                "partition-spec-id": "0",
                "format-version": "2",
                "content": "data",
            },
        )
    return {
        "manifest_path": str(path),
        "manifest_length": path.stat().st_size,
        "partition_spec_id": 0,
        "content": 0,
        "sequence_number": 1,
        "min_sequence_number": 1,
        "added_snapshot_id": _SNAPSHOT,
        "added_files_count": each,
        "existing_files_count": 0,
        "deleted_files_count": 0,
        "added_rows_count": each * _ROWS,
        "existing_rows_count": 0,
        "deleted_rows_count": 0,
        "partitions": [
            _summary(
                struct.pack("<i", _FIRST_DAY + number), struct.pack("<i", _FIRST_DAY + number)
            ),
            _summary(struct.pack("<i", 0), struct.pack("<i", min(15, each - 1))),
        ],
    }


def _summary(lower: bytes, upper: bytes) -> dict[str, Any]:
    """What the list says of one partition field."""
    return {
        "contains_null": False,
        "contains_nan": False,
        "lower_bound": lower,
        "upper_bound": upper,
    }


def _entry(root: Path, table: ManyFiles, number: int, i: int) -> dict[str, Any]:
    """One added file."""
    day, bucket = _FIRST_DAY + number, i % 16
    lower, upper = _bounds(i, table.files, day, 0), _bounds(i, table.files, day, 1)
    counts = [{"key": key, "value": _ROWS} for key, _, _ in COLUMNS]
    return {
        "status": 1,
        "snapshot_id": _SNAPSHOT,
        "sequence_number": None,
        "file_sequence_number": None,
        "data_file": {
            "content": 0,
            "file_path": f"{root}/data/ts_day={day}/id_bucket={bucket}/{i:05}-{number}-"
            f"{i * 0x9E3779B97F4A7C15 % (1 << 64):016x}-00001.parquet",
            "file_format": "PARQUET",
            "partition": {"ts_day": day, "id_bucket": bucket},
            "record_count": _ROWS,
            "file_size_in_bytes": 40_000 + i % 1_000,
            "column_sizes": [
                {"key": key, "value": 2_000 + (i * key) % 997} for key, _, _ in COLUMNS
            ],
            "value_counts": counts,
            "null_value_counts": [{"key": key, "value": i % table.nulls} for key, _, _ in COLUMNS],
            "nan_value_counts": [{"key": key, "value": 0} for key in (3, 9)],
            "lower_bounds": lower,
            "upper_bounds": upper,
            "key_metadata": None,
            "split_offsets": [4],
            "equality_ids": None,
            "sort_order_id": 0,
        },
    }


def _bounds(i: int, files: int, day: int, side: int) -> list[dict[str, Any]]:
    """The lower (side 0) or upper bounds of a file."""
    stamp = day * _DAY_US + i % 1_000 * 1_000_000 + side * 60_000_000
    values = (
        struct.pack("<q", i * 1_000 + side * 999),
        struct.pack("<q", stamp),
        struct.pack("<d", (i + side) / files),
        f"customer-{i % 977:06}{'az'[side]}".encode(),
        (100_000 + i + side * 5_000).to_bytes(4, "big"),
        struct.pack("<i", day),
        struct.pack("<i", i % 1_000 + side * 10),
        bytes([side]),
        struct.pack("<f", i % 100 + side),
        f"{'az'[side]}{i * 2_654_435_761 % (1 << 32):08x}".encode(),
    )
    return [
        {"key": key, "value": value} for (key, _, _), value in zip(COLUMNS, values, strict=True)
    ]


_SPEC: Final = {
    "spec-id": 0,
    "fields": [
        {"name": "ts_day", "transform": "day", "source-id": 2, "field-id": 1000},
        {"name": "id_bucket", "transform": "bucket[16]", "source-id": 1, "field-id": 1001},
    ],
}


def _schema() -> dict[str, Any]:
    """The table's schema."""
    fields = [{"id": key, "name": name, "required": False, "type": of} for key, name, of in COLUMNS]
    return {"type": "struct", "schema-id": 0, "fields": fields}


def _metadata(root: Path, snapshots: Path) -> dict[str, Any]:
    """The table's metadata."""
    return {
        "format-version": 2,
        "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1",
        "location": str(root),
        "last-sequence-number": 1,
        "last-updated-ms": 1_700_000_000_000,
        "last-column-id": len(COLUMNS),
        "current-schema-id": 0,
        "schemas": [_schema()],
        "default-spec-id": 0,
        "partition-specs": [_SPEC],
        "last-partition-id": 1001,
        "default-sort-order-id": 0,
        "sort-orders": [{"order-id": 0, "fields": []}],
        "properties": {},
        "current-snapshot-id": _SNAPSHOT,
        "snapshots": [
            {
                "snapshot-id": _SNAPSHOT,
                "sequence-number": 1,
                "timestamp-ms": 1_700_000_000_000,
                "summary": {"operation": "append"},
                "manifest-list": str(snapshots),
                "schema-id": 0,
            }
        ],
        "snapshot-log": [{"snapshot-id": _SNAPSHOT, "timestamp-ms": 1_700_000_000_000}],
        "metadata-log": [],
        "refs": {"main": {"snapshot-id": _SNAPSHOT, "type": "branch"}},
    }


def _field(key: int, name: str, of: Any, *, optional: bool = False) -> dict[str, Any]:
    """A field of an Avro record."""
    if optional:
        return {"name": name, "type": ["null", of], "default": None, "field-id": key}
    return {"name": name, "type": of, "field-id": key}


def _map(key: int, name: str, ids: tuple[int, int], of: str) -> dict[str, Any]:
    """A map by column id."""
    items = {
        "type": "record",
        "name": f"k{ids[0]}_v{ids[1]}",
        "fields": [_field(ids[0], "key", "int"), _field(ids[1], "value", of)],
    }
    return _field(key, name, {"type": "array", "logicalType": "map", "items": items}, optional=True)


def _list(key: int, name: str, element: int, of: str) -> dict[str, Any]:
    """A list of numbers."""
    return _field(key, name, {"type": "array", "items": of, "element-id": element}, optional=True)


def entry_schema(partition: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """Return the Avro schema of entries of version 2.

    partition  fields of the partition tuple; those of the tables here if None
    """
    if partition is None:
        partition = [
            _field(1000, "ts_day", {"type": "int", "logicalType": "date"}, optional=True),
            _field(1001, "id_bucket", "int", optional=True),
        ]
    data_file = {
        "type": "record",
        "name": "r2",
        "fields": [
            _field(134, "content", "int"),
            _field(100, "file_path", "string"),
            _field(101, "file_format", "string"),
            _field(102, "partition", {"type": "record", "name": "r102", "fields": partition}),
            _field(103, "record_count", "long"),
            _field(104, "file_size_in_bytes", "long"),
            _map(108, "column_sizes", (117, 118), "long"),
            _map(109, "value_counts", (119, 120), "long"),
            _map(110, "null_value_counts", (121, 122), "long"),
            _map(137, "nan_value_counts", (138, 139), "long"),
            _map(125, "lower_bounds", (126, 127), "bytes"),
            _map(128, "upper_bounds", (129, 130), "bytes"),
            _field(131, "key_metadata", "bytes", optional=True),
            _list(132, "split_offsets", 133, "long"),
            _list(135, "equality_ids", 136, "int"),
            _field(140, "sort_order_id", "int", optional=True),
        ],
    }
    return {
        "type": "record",
        "name": "manifest_entry",
        "fields": [
            _field(0, "status", "int"),
            _field(1, "snapshot_id", "long", optional=True),
            _field(3, "sequence_number", "long", optional=True),
            _field(4, "file_sequence_number", "long", optional=True),
            _field(2, "data_file", data_file),
        ],
    }


def list_schema() -> dict[str, Any]:
    """Return the Avro schema of manifest lists of version 2."""
    summary = {
        "type": "record",
        "name": "r508",
        "fields": [
            _field(509, "contains_null", "boolean"),
            _field(518, "contains_nan", "boolean", optional=True),
            _field(510, "lower_bound", "bytes", optional=True),
            _field(511, "upper_bound", "bytes", optional=True),
        ],
    }
    summaries = {"type": "array", "items": summary, "element-id": 508}
    longs = ((515, "sequence_number"), (516, "min_sequence_number"), (503, "added_snapshot_id"))
    files = (
        (504, "added_files_count"),
        (505, "existing_files_count"),
        (506, "deleted_files_count"),
    )
    rows = ((512, "added_rows_count"), (513, "existing_rows_count"), (514, "deleted_rows_count"))
    return {
        "type": "record",
        "name": "manifest_file",
        "fields": [
            _field(500, "manifest_path", "string"),
            _field(501, "manifest_length", "long"),
            _field(502, "partition_spec_id", "int"),
            _field(517, "content", "int"),
            *(_field(key, name, "long") for key, name in longs),
            *(_field(key, name, "int") for key, name in files),
            *(_field(key, name, "long") for key, name in rows),
            _field(507, "partitions", summaries, optional=True),
        ],
    }
