"""The sample of Hudi: a table of version 9, copied on write, with three indexes of itself.

- A partition for each country holds one Parquet file; the record key is the number of the order.
- The metadata table lists the files, and has the statistics of columns and the places of records.
- All times of commits are fixed, so that files have the same names each time.

Source: https://hudi.apache.org/docs/metadata
"""

from __future__ import annotations

import uuid
import zlib
from typing import TYPE_CHECKING, Any, Final

import pyarrow.compute as pc

from byteloom.avro.file_writer import write_avro
from byteloom.avro.value_writer import ValueWriter
from byteloom.cli.printing.value_text import json_text
from byteloom.cli.sample_files.files import orders
from byteloom.cli.sample_files.hudi_indexes import (
    COMMIT,
    ROW,
    DataFile,
    listing,
    locations,
    statistics,
)
from byteloom.hfile import HFileWriter
from byteloom.late import pa, pq

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["write_hudi_table"]

_TIME: Final = "20231116020000000"
_COMPLETED: Final = "20231116020001000"
"""Instant of the one commit, in UTC, and when it was completed."""

_SPACE: Final = uuid.UUID("5f0e2b0c-6d5b-4b1e-8a3e-3f1c7a4d9b20")
"""The ids of files are made of this and the name of a country."""

_SCHEMA: Final = {
    "type": "record",
    "name": "orders",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "country", "type": "string"},
        {"name": "cents", "type": "long"},
        {"name": "placed_at", "type": {"type": "long", "logicalType": "timestamp-micros"}},
    ],
}
"""The Avro schema of the orders, which commits state."""

_COMMON: Final = {
    "hoodie.table.version": "9",
    "hoodie.table.initial.version": "9",
    "hoodie.timeline.layout.version": "2",
    "hoodie.timeline.path": "timeline",
    "hoodie.timeline.history.path": "history",
    "hoodie.archivelog.folder": "history",
    "hoodie.table.timeline.timezone": "UTC",
}
_TABLE: Final = {
    "hoodie.table.type": "COPY_ON_WRITE",
    "hoodie.table.base.file.format": "PARQUET",
    "hoodie.table.recordkey.fields": "id",
    "hoodie.table.partition.fields": "country",
    "hoodie.table.keygenerator.type": "SIMPLE",
    "hoodie.record.merge.mode": "COMMIT_TIME_ORDERING",
    "hoodie.populate.meta.fields": "true",
    "hoodie.table.metadata.partitions": "column_stats,files,record_index",
    "hoodie.table.index.defs.path": ".hoodie/.index_defs/index.json",
}
_METADATA: Final = {
    "hoodie.table.type": "MERGE_ON_READ",
    "hoodie.table.base.file.format": "HFILE",
    "hoodie.table.recordkey.fields": "key",
    "hoodie.table.keygenerator.type": "HOODIE_TABLE_METADATA",
    "hoodie.compaction.payload.class": "org.apache.hudi.metadata.HoodieMetadataPayload",
    "hoodie.record.merge.mode": "CUSTOM",
    "hoodie.record.merge.strategy.id": "00000000-0000-0000-0000-000000000000",
    "hoodie.populate.meta.fields": "false",
}

_DEFINITIONS: Final = {
    "column_stats": {
        "indexName": "column_stats",
        "indexType": "column_stats",
        "indexFunction": "column_stats",
        "sourceFields": ["id", "country", "cents", "placed_at"],
        "indexOptions": {},
        "version": "V2",
    },
    "record_index": {
        "indexName": "record_index",
        "indexType": "record_index",
        "indexFunction": "",
        "sourceFields": [],
        "indexOptions": {"isPartitioned": "false"},
        "version": "V1",
    },
}


def write_hudi_table(folder: Path) -> None:
    """Write the orders in one commit, and the metadata table of that."""
    root = folder / "orders.hudi"
    metadata = root / ".hoodie/metadata"
    _write_properties(root, "orders", _TABLE)
    _write_properties(metadata, "orders_metadata", _METADATA)
    table = orders()
    countries = pc.unique(table["country"]).sort()
    files = [
        _data_file(root, number, country, table.filter(pc.equal(table["country"], country)))
        for number, country in enumerate(countries.to_pylist())
    ]
    written = {
        each.partition: [
            _written(each.partition, f"{each.group}-0", each.name, len(each.rows), each.size)
        ]
        for each in files
    }
    _write_commit(root, (_TIME, _COMPLETED), "commit", written)
    indexes = {
        ("files", "files-0000-0"): listing(files),
        ("column_stats", "col-stats-0000-0"): statistics(files),
        ("record_index", "record-index-0000-0"): locations(files),
    }
    for number, ((index, file_id), rows) in enumerate(indexes.items()):
        _write_index(metadata, number, index, file_id, rows)
    place = root / ".hoodie/.index_defs"
    place.mkdir(exist_ok=True)
    (place / "index.json").write_text(json_text({"indexDefinitions": _DEFINITIONS}, indent=2))


def _write_properties(table: Path, name: str, own: Mapping[str, str]) -> None:
    """Write the properties of a table, with the checksum of its name."""
    (table / ".hoodie").mkdir(parents=True, exist_ok=True)
    checksum = zlib.crc32(f".{name}".encode())
    stated = {**_COMMON, **own, "hoodie.table.name": name, "hoodie.table.checksum": str(checksum)}
    lines = [f"{each}={value}" for each, value in stated.items()]
    (table / ".hoodie/hoodie.properties").write_text("\n".join(["#Properties", *lines, ""]))


def _data_file(root: Path, number: int, country: str, rows: pa.Table) -> DataFile:
    """Write the orders of a country, with the columns that Hudi adds."""
    group = uuid.uuid5(_SPACE, country)
    name = f"{group}-0_{number}-1-{number}_{_TIME}.parquet"
    texts = {
        "_hoodie_commit_time": [_TIME] * len(rows),
        "_hoodie_commit_seqno": [f"{_TIME}_{number}_{each}" for each in range(len(rows))],
        "_hoodie_record_key": rows["id"].cast(pa.string()),
        "_hoodie_partition_path": [country] * len(rows),
        "_hoodie_file_name": [name] * len(rows),
    }
    columns = {each: rows[each] for each in rows.column_names}
    place = root / country / name
    _mark_partition(place.parent, _TIME)
    pq.write_table(pa.table({**texts, **columns}), place)
    group_data = pq.read_metadata(place).row_group(0)
    chunks = [group_data.column(each) for each in range(group_data.num_columns)]
    sizes = {
        each.path_in_schema: (each.total_compressed_size, each.total_uncompressed_size)
        for each in chunks
    }
    return DataFile(country, group, name, place.stat().st_size, rows, sizes)


def _mark_partition(folder: Path, time: str) -> None:
    """Make the folder of a partition, with the file that marks it as one."""
    folder.mkdir(parents=True, exist_ok=True)
    text = f"#partition metadata\ncommitTime={time}\npartitionDepth=1\n"
    (folder / ".hoodie_partition_metadata").write_text(text)


def _written(partition: str, file_id: str, name: str, rows: int, size: int) -> dict[str, Any]:
    """Return what a commit states of a file."""
    return {
        "fileId": file_id,
        "path": f"{partition}/{name}",
        "prevCommit": "null",
        "partitionPath": partition,
        "numWrites": rows,
        "numInserts": rows,
        "numDeletes": 0,
        "totalWriteBytes": size,
        "fileSizeInBytes": size,
    }


def _write_commit(
    table: Path, times: tuple[str, str], action: str, written: Mapping[str, Any]
) -> None:
    """Write the three files of a completed commit to the timeline of a table."""
    time, completed = times
    timeline = table / ".hoodie/timeline"
    timeline.mkdir(exist_ok=True)
    (timeline / f"{time}.{action}.requested").write_bytes(b"")
    inflight = "inflight" if action == "commit" else f"{action}.inflight"
    (timeline / f"{time}.{inflight}").write_bytes(b"")
    commit = {
        "partitionToWriteStats": written,
        "extraMetadata": {"schema": json_text(_SCHEMA if action == "commit" else ROW)},
        "operationType": "BULK_INSERT" if action == "commit" else "UPSERT_PREPPED",
    }
    (timeline / f"{time}_{completed}.{action}").write_bytes(write_avro(COMMIT, [commit]))


def _write_index(
    metadata: Path, number: int, index: str, file_id: str, rows: Mapping[str, dict[str, Any]]
) -> None:
    """Write the rows of an index by key as a base file, and the commit of that."""
    time = f"{number:017}"
    _mark_partition(metadata / index, time)
    name = f"{file_id}_0-1-{number}_{time}.hfile"
    place = metadata / index / name
    values = ValueWriter(ROW)
    info = {b"schema": json_text(ROW).encode()}
    with HFileWriter(place, profile="hudi", file_info=info) as writer:
        for key in sorted(rows, key=str.encode):
            writer.add(key.encode(), values.write({"key": "", **rows[key]}))
    written = _written(index, file_id, name, len(rows), place.stat().st_size)
    completed = str(int(_COMPLETED) + 1 + number)
    _write_commit(metadata, (time, completed), "deltacommit", {index: [written]})
