"""The sample that is a folder: an Iceberg table of version 3 with a deletion vector."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow.compute as pc

from byteloom.cli.printing.value_text import json_text
from byteloom.cli.sample_files.files import NUM_ORDERS, orders
from byteloom.iceberg.manifests.writing import write_manifest, write_manifest_list
from byteloom.iceberg.partition_spec import PartitionSpec
from byteloom.iceberg.schema import Schema
from byteloom.iceberg.types import LongType, NestedField, StringType, TimestamptzType
from byteloom.iceberg.values import to_binary
from byteloom.late import pa, pq
from byteloom.puffin import DeletionVector, PuffinWriter
from byteloom.puffin import open as open_puffin
from byteloom_generated.iceberg.manifests import EntryStatus, FileContent, ManifestContent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

__all__ = ["write_table"]

_VERSION: Final = 3
_SPEC: Final = PartitionSpec()
_SCHEMA: Final = Schema(
    (
        NestedField(1, "id", LongType(), required=True),
        NestedField(2, "country", StringType(), required=False),
        NestedField(3, "cents", LongType(), required=False),
        NestedField(4, "placed_at", TimestamptzType(), required=False),
    )
)
_TABLE_UUID: Final = "7f0cbd6a-58a0-4c4e-9d4e-0d5b9b2f6a11"

_HALF: Final = NUM_ORDERS // 2
"""Rows of each of the two data files."""

_DELETED: Final = range(0, _HALF, 50)
"""The rows of the second file that the second snapshot deletes."""

_APPENDED: Final = {
    "operation": "append",
    "added-data-files": "2",
    "added-records": str(NUM_ORDERS),
    "total-data-files": "2",
    "total-records": str(NUM_ORDERS),
}
"""The summary of the first snapshot."""

_DELETION: Final = {
    "operation": "delete",
    "added-delete-files": "1",
    "added-dvs": "1",
    "added-position-deletes": str(len(_DELETED)),
    "total-data-files": "2",
    "total-records": str(NUM_ORDERS),
    "total-delete-files": "1",
    "total-position-deletes": str(len(_DELETED)),
}
"""The summary of the second."""

_FIRST_COMMIT: Final = 1_700_100_000_000
"""Milliseconds since 1970 of the first snapshot; the second is an hour later."""

_HOUR: Final = 3_600_000


def write_table(folder: Path) -> None:
    """Write two data files in one snapshot, and delete rows of the second file in another."""
    root = (folder / "orders").absolute()
    for part in ("data", "metadata"):
        (root / part).mkdir(parents=True, exist_ok=True)
    table = orders()
    files = [_data_file(root, number, table.slice(_HALF * number, _HALF)) for number in (0, 1)]
    vector = _deletion_vector(root, files[1]["file_path"])
    data = _manifest(root, 1, ManifestContent.DATA, files) | {"first_row_id": 0}
    deletes = _manifest(root, 2, ManifestContent.DELETES, [vector])
    snapshots = [
        _snapshot(root, 1, [data], NUM_ORDERS, _APPENDED),
        _snapshot(root, 2, [data, deletes], 0, _DELETION),
    ]
    _write_metadata(root, snapshots)


def _data_file(root: Path, number: int, table: pa.Table) -> dict[str, Any]:
    """Write a Parquet file; return its entry."""
    path = root / "data" / f"{number:05}.parquet"
    fields = [
        pa.field(
            each.name, table.schema.field(each.name).type, nullable=not each.required
        ).with_metadata({"PARQUET:field_id": str(each.id)})
        for each in _SCHEMA.fields
    ]
    pq.write_table(table.cast(pa.schema(fields)), path)
    ids = [each.id for each in _SCHEMA.fields]
    return _entry(path, "PARQUET", table.num_rows) | {
        "content": FileContent.DATA,
        "value_counts": dict.fromkeys(ids, table.num_rows),
        "null_value_counts": dict.fromkeys(ids, 0),
        "lower_bounds": _bounds(table, pc.min),
        "upper_bounds": _bounds(table, pc.max),
    }


def _bounds(table: pa.Table, end: Callable[[pa.ChunkedArray], pa.Scalar]) -> dict[int, bytes]:
    """Return the least or the greatest values of all columns in their binary form, by id."""
    found = {}
    for field in _SCHEMA.fields:
        scalar = end(table[field.name])
        is_time = pa.types.is_timestamp(scalar.type)
        found[field.id] = to_binary(field.type, scalar.value if is_time else scalar.as_py())
    return found


def _deletion_vector(root: Path, data_file: str) -> dict[str, Any]:
    """Write the deletion vector of a data file; return its entry."""
    path = root / "data" / "deletes.puffin"
    with PuffinWriter(path) as writer:
        writer.add_deletion_vector(DeletionVector.from_positions(_DELETED), data_file)
    with open_puffin(path) as file:
        (blob,) = file.blobs
    return _entry(path, "PUFFIN", len(_DELETED)) | {
        "content": FileContent.POSITION_DELETES,
        "referenced_data_file": data_file,
        "content_offset": blob.offset,
        "content_size_in_bytes": blob.length,
    }


def _entry(path: Path, form: str, num_records: int) -> dict[str, Any]:
    """Return the values that every entry of an added file has."""
    return {
        "status": EntryStatus.ADDED,
        "file_path": str(path),
        "file_format": form,
        "partition": {},
        "record_count": num_records,
        "file_size_in_bytes": path.stat().st_size,
    }


def _manifest(
    root: Path, number: int, content: ManifestContent, files: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """Write the manifest of the files that snapshot *number* adds; return what lists say of it."""
    path = root / "metadata" / f"manifest-{number}.avro"
    entries = [{**each, "snapshot_id": number} for each in files]
    kind = content.name.lower()
    path.write_bytes(
        write_manifest(entries, version=_VERSION, schema=_SCHEMA, spec=_SPEC, content=kind)
    )
    return {
        "manifest_path": str(path),
        "manifest_length": path.stat().st_size,
        "partition_spec_id": _SPEC.spec_id,
        "content": content,
        "sequence_number": number,
        "min_sequence_number": number,
        "added_snapshot_id": number,
        "added_files_count": len(files),
        "existing_files_count": 0,
        "deleted_files_count": 0,
        "added_rows_count": sum(each["record_count"] for each in files),
        "existing_rows_count": 0,
        "deleted_rows_count": 0,
    }


def _snapshot(
    root: Path,
    number: int,
    manifests: Sequence[dict[str, Any]],
    added_rows: int,
    summary: dict[str, str],
) -> dict[str, Any]:
    """Write the list of a snapshot's manifests; return what the metadata says of the snapshot."""
    path = root / "metadata" / f"snap-{number}.avro"
    header = {"snapshot-id": str(number), "sequence-number": str(number)}
    path.write_bytes(write_manifest_list(manifests, version=_VERSION, header=header))
    return {
        "snapshot-id": number,
        **({"parent-snapshot-id": number - 1} if number > 1 else {}),
        "sequence-number": number,
        "timestamp-ms": _FIRST_COMMIT + _HOUR * (number - 1),
        "summary": summary,
        "manifest-list": str(path),
        "schema-id": _SCHEMA.schema_id,
        "first-row-id": NUM_ORDERS if number > 1 else 0,
        "added-rows": added_rows,
    }


def _write_metadata(root: Path, snapshots: Sequence[dict[str, Any]]) -> None:
    newest = snapshots[-1]
    document = {
        "format-version": _VERSION,
        "table-uuid": _TABLE_UUID,
        "location": str(root),
        "last-sequence-number": newest["sequence-number"],
        "last-updated-ms": newest["timestamp-ms"],
        "last-column-id": max(each.id for each in _SCHEMA.fields),
        "current-schema-id": _SCHEMA.schema_id,
        "schemas": [_SCHEMA.to_json()],
        "default-spec-id": _SPEC.spec_id,
        "partition-specs": [_SPEC.to_json()],
        "last-partition-id": 999,
        "default-sort-order-id": 0,
        "sort-orders": [{"order-id": 0, "fields": []}],
        "next-row-id": NUM_ORDERS,
        "current-snapshot-id": newest["snapshot-id"],
        "snapshots": list(snapshots),
        "snapshot-log": [
            {"timestamp-ms": each["timestamp-ms"], "snapshot-id": each["snapshot-id"]}
            for each in snapshots
        ],
        "refs": {"main": {"snapshot-id": newest["snapshot-id"], "type": "branch"}},
    }
    text = json_text(document, indent=2)
    (root / "metadata" / f"v{len(snapshots)}.metadata.json").write_text(text, encoding="utf-8")
