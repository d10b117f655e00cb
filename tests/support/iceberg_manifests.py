"""Small manifests and lists, written by fastavro, and what reading them gives.

A `Case` is a set of manifests with what their list says of them; `read` gives their entries as
dicts, as `Entries.table` shows them.
"""

from __future__ import annotations

import bz2
import json
import lzma
import zlib
from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING, Any

import cramjam
import fastavro
import zstandard
from tests.support.iceberg_fixtures import entry_schema, list_schema
from tests.support.iceberg_schemas import a_field, a_struct

from byteloom.iceberg.manifests.entries import ALL_COLUMNS, Entries, read_entries
from byteloom.iceberg.manifests.manifest_list import ManifestList, read_manifest_list
from byteloom.iceberg.partition_spec import PartitionSpec
from byteloom.iceberg.schema import Schema

if TYPE_CHECKING:
    from collections.abc import Callable

SCHEMA = Schema.from_json(
    a_struct(a_field(1, "id", "long", required=True), a_field(2, "ts", "timestamp"))
    | {"schema-id": 0}
)
SPEC = PartitionSpec.from_json(
    {
        "spec-id": 0,
        "fields": [
            {"name": "ts_day", "transform": "day", "source-id": 2, "field-id": 1000},
            {"name": "id_bucket", "transform": "bucket[16]", "source-id": 1, "field-id": 1001},
        ],
    }
)


def entry(i: int = 0, **changes: Any) -> dict[str, Any]:
    """An added file; *changes* go to the entry or to its data file, whichever has the field."""
    made: dict[str, Any] = {
        "status": 1,
        "snapshot_id": None,
        "sequence_number": None,
        "file_sequence_number": None,
        "data_file": {
            "content": 0,
            "file_path": f"s3://bucket/table/data/{i:05}.parquet",
            "file_format": "PARQUET",
            "partition": {"ts_day": 19_000 + i, "id_bucket": i % 16},
            "record_count": 10 + i,
            "file_size_in_bytes": 1_000 + i,
            "column_sizes": [{"key": 1, "value": 40 + i}],
            "value_counts": [{"key": 1, "value": 10 + i}, {"key": 2, "value": 10 + i}],
            "null_value_counts": [{"key": 2, "value": i}],
            "nan_value_counts": None,
            "lower_bounds": [{"key": 1, "value": i.to_bytes(8, "little")}],
            "upper_bounds": [{"key": 1, "value": (i + 9).to_bytes(8, "little")}],
            "key_metadata": None if i % 2 else b"key",
            "split_offsets": [4, 1 << 20],
            "equality_ids": None,
            "sort_order_id": 0,
        },
    }
    for name, value in changes.items():
        (made if name in made else made["data_file"])[name] = value
    return made


def manifest(
    entries: list[dict[str, Any]],
    schema: dict[str, Any] | None = None,
    *,
    codec: str = "null",
    block: int = 1_000,
    **header: str | None,
) -> bytes:
    """A manifest of *entries*; *header* changes its metadata, None leaves a key out.

    block  entries of a block
    """
    said: dict[str, str | None] = {
        "partition-spec-id": "0",
        "format-version": "2",
        "content": "data",
        **{key.replace("_", "-"): value for key, value in header.items()},
    }
    blocks = [entries[at : at + block] for at in range(0, len(entries), block)]
    return container(blocks, schema or entry_schema(), codec=codec, header=said)


def container(
    blocks: list[list[dict[str, Any]]],
    schema: dict[str, Any],
    *,
    codec: str = "null",
    header: dict[str, Any] | None = None,
) -> bytes:
    """An Avro container file of these blocks, which may be empty."""
    said = {"avro.schema": json.dumps(schema), "avro.codec": codec} | (header or {})
    meta = {key: value.encode() for key, value in said.items() if value is not None}
    out = BytesIO()
    fastavro.schemaless_writer(out, _HEADER, {"magic": b"Obj\1", "meta": meta, "sync": _SYNC})
    parsed = fastavro.parse_schema(schema)
    for records in blocks:
        content = BytesIO()
        for each in records:
            fastavro.schemaless_writer(content, parsed, each)
        packed = _PACK[codec](content.getvalue())
        for number in (len(records), len(packed)):
            fastavro.schemaless_writer(out, "long", number)
        out.write(packed + _SYNC)
    return out.getvalue()


_SYNC = bytes(range(16))
_HEADER = {
    "type": "record",
    "name": "Header",
    "fields": [
        {"name": "magic", "type": {"type": "fixed", "name": "Magic", "size": 4}},
        {"name": "meta", "type": {"type": "map", "values": "bytes"}},
        {"name": "sync", "type": {"type": "fixed", "name": "Sync", "size": 16}},
    ],
}
_PACK: dict[str, Callable[[bytes], bytes]] = {
    "null": bytes,
    "deflate": lambda data: zlib.compress(data, wbits=-15),
    "zstandard": lambda data: zstandard.ZstdCompressor().compress(data),
    "snappy": lambda data: (
        bytes(cramjam.snappy.compress_raw(data)) + zlib.crc32(data).to_bytes(4, "big")
    ),
    "bzip2": bz2.compress,
    "xz": lzma.compress,
}
CODECS = tuple(_PACK)


def listed(data: bytes, entries: list[dict[str, Any]], **changes: Any) -> dict[str, Any]:
    """What a list says of a manifest."""
    counts: dict[str, int] = {}
    for status, kind in enumerate(("existing", "added", "deleted")):
        held = [each["data_file"]["record_count"] for each in entries if each["status"] == status]
        counts |= {f"{kind}_files_count": len(held), f"{kind}_rows_count": sum(held)}
    return {
        "manifest_path": "s3://bucket/table/metadata/m0.avro",
        "manifest_length": len(data),
        "partition_spec_id": 0,
        "content": 0,
        "sequence_number": 5,
        "min_sequence_number": 1,
        "added_snapshot_id": 77,
        "partitions": None,
        **counts,
        **changes,
    }


@dataclass
class Case:
    """Manifests by path, and what a list says of each."""

    files: dict[str, bytes] = field(default_factory=dict)
    rows: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def of(cls, entries: list[dict[str, Any]], data: bytes | None = None, **changes: Any) -> Case:
        """A case of one manifest."""
        return cls().add(entries, data, **changes)

    def add(self, entries: list[dict[str, Any]], data: bytes | None = None, **changes: Any) -> Case:
        """Add a manifest."""
        data = manifest(entries) if data is None else data
        path = f"s3://bucket/table/metadata/m{len(self.rows)}.avro"
        self.rows.append(listed(data, entries, **{"manifest_path": path, **changes}))
        self.files[self.rows[-1]["manifest_path"]] = data
        return self

    @property
    def manifests(self) -> ManifestList:
        """The manifest list, written by fastavro and read by us."""
        return read_manifest_list(write_list(self.rows), "list.avro")

    def entries(self, **options: Any) -> Entries:
        """The entries of all manifests, deleted ones included."""
        chosen = {"columns": ALL_COLUMNS, "with_deleted": True, **options}
        specs = {key: _spec(each) for key, each in chosen.pop("specs", {0: SPEC}).items()}
        schema = _schema(chosen.pop("schema", SCHEMA))
        return read_entries(self.manifests, self.files.__getitem__, specs, schema, **chosen)

    def read(self, **options: Any) -> list[dict[str, Any]]:
        """The entries of all manifests as dicts."""
        rows: list[dict[str, Any]] = self.entries(**options).table().to_pylist()
        return rows


def write_list(rows: list[dict[str, Any]], schema: dict[str, Any] | None = None) -> bytes:
    """A manifest list."""
    out = BytesIO()
    fastavro.writer(out, schema or list_schema(), rows, codec="deflate")
    return out.getvalue()


def shown(made: dict[str, Any]) -> dict[str, Any]:
    """How reading shows an entry as it was written, before inheritance."""
    flat = {**made, **made["data_file"]}
    del flat["data_file"], flat["partition"]
    return {
        key: [(each["key"], each["value"]) for each in value]
        if isinstance(value, list) and value and isinstance(value[0], dict)
        else value
        for key, value in flat.items()
    }


def _spec(of: Any) -> PartitionSpec:
    """Return a partition spec, which may be given by the JSON of its fields."""
    return of if isinstance(of, PartitionSpec) else PartitionSpec.from_fields(of)


def _schema(of: Any) -> Schema:
    """Return a schema, which may be given as JSON."""
    return of if isinstance(of, Schema) else Schema.from_json(of)
