"""Tables whose metadata, lists and manifests we write are read by unrelated readers.

The page about Iceberg's spec documents the writer, which is internal otherwise.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.manifest import read_manifest_list
from tests.support.iceberg_readers import NAMES, Readers, named

from byteloom.iceberg import (
    DateType,
    LongType,
    NestedField,
    PartitionSpec,
    Schema,
    SortOrder,
    StringType,
)
from byteloom.iceberg.arrow_types import arrow_schema
from byteloom.iceberg.manifests.writing import (
    with_first_row_ids,
    write_manifest,
    write_manifest_list,
)
from byteloom_generated.iceberg.table_metadata import Snapshot, TableMetadata

if TYPE_CHECKING:
    from pathlib import Path

SNAPSHOT = 77
SCHEMA = Schema(
    (
        NestedField(1, "id", LongType(), required=True),
        NestedField(2, "name", StringType()),
        NestedField(3, "day", DateType()),
    )
)
SPEC = PartitionSpec.from_json(
    {
        "spec-id": 0,
        "fields": [
            {"source-id": 2, "field-id": 1000, "name": "name", "transform": "identity"},
            {"source-id": 1, "field-id": 1001, "name": "id_bucket", "transform": "bucket[1]"},
        ],
    }
)
ROWS: dict[str | None, list[tuple[int, int | None]]] = {
    "a": [(1, 0), (2, 19_000)],
    "ü": [(3, None)],
    None: [(4, -1), (5, 7)],
}


def write_table(root: Path, version: int) -> str:
    """Write a table of a file for each name; return its metadata file."""
    (root / "metadata").mkdir(parents=True)
    (root / "data").mkdir()
    entries = [_added(root, name, rows, version) for name, rows in ROWS.items()]
    manifest = root / "metadata" / "m0.avro"
    manifest.write_bytes(write_manifest(entries, version=version, schema=SCHEMA, spec=SPEC))
    made, after = with_first_row_ids([_listed(manifest, version)], 0)
    if version < 3:
        made = [
            {key: value for key, value in each.items() if key != "first_row_id"} for each in made
        ]
    manifests = root / "metadata" / "snap-77.avro"
    stated = {"snapshot-id": str(SNAPSHOT), "sequence-number": "1", "parent-snapshot-id": "null"}
    manifests.write_bytes(write_manifest_list(made, version=version, header=stated))
    metadata = root / "metadata" / "v1.metadata.json"
    metadata.write_text(json.dumps(_metadata(root, manifests, after, version)))
    return str(metadata)


def _added(
    root: Path, name: str | None, rows: list[tuple[int, int | None]], version: int
) -> dict[str, Any]:
    """A data file, written by pyarrow, and its entry."""
    path = root / "data" / f"{name}.parquet"
    columns = [[each[0] for each in rows], [name] * len(rows), [each[1] for each in rows]]
    schema = arrow_schema(SCHEMA)
    arrays = [pa.array(held, of.type) for held, of in zip(columns, schema, strict=True)]
    pq.write_table(pa.Table.from_arrays(arrays, schema=schema), path)
    entry: dict[str, Any] = {
        "status": 1,
        "snapshot_id": SNAPSHOT,
        "file_path": str(path),
        "file_format": "PARQUET",
        "partition": {"name": name, "id_bucket": 0},
        "record_count": len(rows),
        "file_size_in_bytes": path.stat().st_size,
        "value_counts": {1: len(rows), 2: len(rows)},
        "null_value_counts": {1: 0, 2: 0 if name else len(rows)},
        "lower_bounds": {1: rows[0][0].to_bytes(8, "little")},
        "upper_bounds": {1: rows[-1][0].to_bytes(8, "little")},
    }
    return entry if version == 1 else {**entry, "content": 0}


def _listed(manifest: Path, version: int) -> dict[str, Any]:
    """What the list says of the manifest."""
    row = {
        "manifest_path": str(manifest),
        "manifest_length": manifest.stat().st_size,
        "partition_spec_id": 0,
        "added_snapshot_id": SNAPSHOT,
        "added_files_count": len(ROWS),
        "existing_files_count": 0,
        "deleted_files_count": 0,
        "added_rows_count": sum(map(len, ROWS.values())),
        "existing_rows_count": 0,
        "deleted_rows_count": 0,
        "partitions": [
            {"contains_null": True, "lower_bound": b"a", "upper_bound": "ü".encode()},
            {"contains_null": False, "lower_bound": bytes(4), "upper_bound": bytes(4)},
        ],
    }
    new = {"content": 0, "sequence_number": 1, "min_sequence_number": 1}
    return row if version == 1 else row | new


def _metadata(root: Path, manifests: Path, next_row_id: int, version: int) -> dict[str, Any]:
    """The table's metadata, by the generated records."""
    snapshot = Snapshot(
        snapshot_id=SNAPSHOT,
        timestamp_ms=1_700_000_000_000,
        sequence_number=1,
        summary={"operation": "append"},
        manifest_list=str(manifests),
        schema_id=0,
        first_row_id=0,
        added_rows=next_row_id,
    )
    made = TableMetadata(
        format_version=version,
        table_uuid="9c12d441-03fe-4693-9a96-a0705ddf69c1",  # type: ignore[arg-type]  # as text
        location=str(root),
        last_sequence_number=1,
        last_updated_ms=1_700_000_000_000,
        last_column_id=3,
        schema=SCHEMA.to_json(),
        schemas=[SCHEMA.to_json()],
        current_schema_id=0,
        partition_spec=SPEC.to_json()["fields"],
        partition_specs=[SPEC.to_json()],
        default_spec_id=0,
        last_partition_id=1001,
        sort_orders=[SortOrder().to_json()],
        default_sort_order_id=0,
        current_snapshot_id=SNAPSHOT,
        snapshots=[snapshot],
        next_row_id=next_row_id,
    )
    return made.to_json(version=version)


def plain(rows: list[dict[str, Any]]) -> list[tuple[int, str | None, int | None]]:
    """Rows in the order of their ids, days as numbers."""
    epoch = pa.scalar(0, pa.date32()).as_py()
    days = [None if each["day"] is None else (each["day"] - epoch).days for each in rows]
    reported = [(each["id"], each["name"], day) for each, day in zip(rows, days, strict=True)]
    return sorted(reported, key=lambda each: each[0])


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("reader", NAMES, ids=named)
def test_a_table_of_ours_is_read(
    tmp_path: Path, readers: Readers, reader: str, version: int
) -> None:
    """Every peer reads all rows, and no others, of tables in versions 1 to 3."""
    place = write_table(tmp_path / "t", version)
    wanted = [(number, name, day) for name, rows in ROWS.items() for number, day in rows]
    assert plain(readers.ours(place)) == wanted
    assert plain(readers.rows(reader, place)) == wanted


@pytest.mark.parametrize("version", [1, 2], ids=lambda each: f"{named('pyiceberg')}-v{each}")
def test_every_entry_is_read(tmp_path: Path, version: int) -> None:
    """PyIceberg reads every entry with its statistics and its partition tuple."""
    write_table(tmp_path / "t", version)
    io = PyArrowFileIO()
    lists = io.new_input(str(tmp_path / "t/metadata/snap-77.avro"))
    (found,) = read_manifest_list(lists)
    stated = found.partitions or []
    assert (found.added_rows_count, [each.contains_null for each in stated]) == (5, [True, False])
    read = [each.data_file for each in found.fetch_manifest_entry(io)]
    assert [each.record_count for each in read] == [len(rows) for rows in ROWS.values()]
    assert [each.partition[0] for each in read] == list(ROWS)
    assert [each.lower_bounds[1][0] for each in read] == [1, 3, 4]
    assert [each.value_counts for each in read] == [
        {1: len(rows), 2: len(rows)} for rows in ROWS.values()
    ]
