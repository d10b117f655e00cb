"""An Iceberg table of version 3, written file by file.

byteloom does not commit to tables yet; this is what a first commit consists of: a data file for
each month, a Puffin file with its deletion vector, two manifests, their list, and the metadata.
"""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from byteloom import puffin
from byteloom.iceberg.manifests.writing import (
    with_first_row_ids,
    write_manifest,
    write_manifest_list,
)
from byteloom.iceberg.metadata import TableMetadata
from byteloom.puffin import DeletionVector

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["TYPES", "write_table"]

TYPES: Final = {
    "order_id": "long",
    "customer": "int",
    "country": "string",
    "email": "string",
    "amount": "decimal(12, 2)",
    "weight": "double",
    "day": "date",
    "placed_at": "timestamptz",
    "express": "boolean",
    "voucher": "long",
    "token": "fixed[16]",
}
"""The columns of the table with Iceberg's types, in the order of their field ids from 1."""

_SNAPSHOT: Final = 4_711
_WRITTEN: Final = 1_735_689_600_000
"""2025-01-01 in milliseconds from 1970."""


class _Written(NamedTuple):
    """The manifest entries of a data file, and of its deletes."""

    data: dict[str, Any]
    deletes: dict[str, Any]


def write_table(rows: pa.Table, deleted: pa.ChunkedArray, folder: Path) -> int:
    """Write *rows* as a table in *folder*, replacing its content; return the number of data files.

    rows     its columns have the names and types of `TYPES`
    deleted  a truth value for each row: whether a vector deletes it
    """
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("data", "metadata"):
        (folder / name).mkdir(parents=True)
    metadata = TableMetadata.from_json(_metadata(folder))
    files = list(_data_files(rows, deleted, folder))
    listed = [
        _manifest(metadata, folder, "data", [each.data for each in files]),
        _manifest(metadata, folder, "deletes", [each.deletes for each in files]),
    ]
    listed, next_row_id = with_first_row_ids(listed, 0)
    header = {"snapshot-id": str(_SNAPSHOT), "sequence-number": "1", "first-row-id": "0"}
    snapshots = folder / "metadata" / f"snap-{_SNAPSHOT}.avro"
    snapshots.write_bytes(write_manifest_list(listed, version=3, header=header))
    document = _metadata(folder, str(snapshots), next_row_id)
    (folder / "metadata" / "v1.metadata.json").write_text(json.dumps(document), "utf-8")
    return len(files)


def _data_files(rows: pa.Table, deleted: pa.ChunkedArray, folder: Path) -> Iterator[_Written]:
    """Write the rows of each month, and which of them are deleted; yield what was written."""
    fields = [
        field.with_metadata({"PARQUET:field_id": str(number)})
        for number, field in enumerate(rows.schema, 1)
    ]
    rows = rows.cast(pa.schema(fields))
    months = rows["day"].to_numpy().astype("datetime64[M]").astype(np.int32)
    for month in map(int, np.unique(months)):
        wanted = pa.array(months == month)
        path = folder / "data" / f"month-{month}.parquet"
        pq.write_table(rows.filter(wanted), path, compression="zstd")
        entry = _entry(
            content=0,
            file_path=str(path),
            file_format="PARQUET",
            partition={"day_month": month},
            record_count=pc.sum(wanted).as_py(),
            file_size_in_bytes=path.stat().st_size,
        )
        positions = pc.indices_nonzero(deleted.filter(wanted))
        yield _Written(entry, _delete_file(path, month, positions))


def _delete_file(data: Path, month: int, positions: pa.Array) -> dict[str, Any]:
    """Write the deletion vector of a data file; return its entry."""
    path = data.with_suffix(".deletes.puffin")
    vector = DeletionVector.from_positions(positions)
    with puffin.PuffinWriter(path) as writer:
        blob = writer.add_deletion_vector(vector, str(data))
    return _entry(
        content=1,
        file_path=str(path),
        file_format="PUFFIN",
        partition={"day_month": month},
        record_count=vector.cardinality,
        file_size_in_bytes=path.stat().st_size,
        referenced_data_file=str(data),
        content_offset=blob.offset,
        content_size_in_bytes=blob.length,
    )


def _entry(**file: Any) -> dict[str, Any]:
    """A manifest entry of a file that this snapshot adds."""
    return {"status": 1, "snapshot_id": _SNAPSHOT, **file}


def _manifest(
    metadata: TableMetadata, folder: Path, content: str, entries: list[dict[str, Any]]
) -> dict[str, Any]:
    """Write a manifest of these entries; return its row in the manifest list."""
    data = write_manifest(
        entries, version=3, schema=metadata.schema(), spec=metadata.spec(), content=content
    )
    path = folder / "metadata" / f"{content}-m0.avro"
    path.write_bytes(data)
    return {
        "manifest_path": str(path),
        "manifest_length": len(data),
        "partition_spec_id": 0,
        "content": int(content == "deletes"),
        "sequence_number": 1,
        "min_sequence_number": 1,
        "added_snapshot_id": _SNAPSHOT,
        "added_files_count": len(entries),
        "existing_files_count": 0,
        "deleted_files_count": 0,
        "added_rows_count": sum(each["record_count"] for each in entries),
        "existing_rows_count": 0,
        "deleted_rows_count": 0,
    }


def _metadata(folder: Path, snapshots: str | None = None, next_row_id: int = 0) -> dict[str, Any]:
    """The table's metadata, with the snapshot of a manifest list if there is one."""
    document: dict[str, Any] = {
        "format-version": 3,
        "table-uuid": "5a1f0c3e-4d8f-4a57-9f3f-0e5f1b0c2d4e",
        "location": str(folder),
        "last-sequence-number": 1,
        "last-updated-ms": _WRITTEN,
        "last-column-id": len(TYPES),
        "next-row-id": next_row_id,
        "current-schema-id": 0,
        "schemas": [{"type": "struct", "schema-id": 0, "fields": _fields()}],
        "default-spec-id": 0,
        "partition-specs": [{"spec-id": 0, "fields": [_MONTH]}],
        "last-partition-id": _MONTH["field-id"],
        "default-sort-order-id": 0,
        "sort-orders": [{"order-id": 0, "fields": []}],
        "properties": {},
    }
    if snapshots is not None:
        document["current-snapshot-id"] = _SNAPSHOT
        document["snapshots"] = [
            {
                "snapshot-id": _SNAPSHOT,
                "sequence-number": 1,
                "timestamp-ms": _WRITTEN,
                "manifest-list": snapshots,
                "summary": {"operation": "append"},
                "schema-id": 0,
                "first-row-id": 0,
                "added-rows": next_row_id,
            }
        ]
    return document


def _fields() -> list[dict[str, Any]]:
    """The columns as a schema has them."""
    return [
        {"id": number, "name": name, "required": False, "type": of}
        for number, (name, of) in enumerate(TYPES.items(), 1)
    ]


_MONTH: Final[dict[str, Any]] = {
    "name": "day_month",
    "transform": "month",
    "source-id": list(TYPES).index("day") + 1,
    "field-id": 1000,
}
"""The partition field: the months since 1970 of the column ``day``."""
