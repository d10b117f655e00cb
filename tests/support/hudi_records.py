"""Rows of record indexes in the shape that Hudi 1.1 and later give them, all fields there are."""

from __future__ import annotations

import io
import json
import random
from typing import Any, Final

import fastavro
import pyarrow as pa

__all__ = ["INSTANT_MS", "SCHEMA_TEXT", "location", "record_index_rows", "value_of"]

FILE_NAME: Final = "record-index-0000-0_0-1-2_20261121070120991.hfile"
"""What Hudi writes into each row of a base file."""

INSTANT_MS: Final = 1_795_244_480_991
"""2026-11-21 07:01:20.991 UTC."""

_WRAPPERS: Final = {
    "Boolean": "boolean", "Int": "int", "Long": "long", "Float": "float", "Double": "double",
    "Bytes": "bytes", "String": "string", "Date": "int", "Decimal": "bytes", "TimeMicros": "long",
    "TimestampMicros": "long", "LocalDate": "int",
}  # fmt: skip


def _record(name: str, fields: dict[str, Any]) -> dict[str, Any]:
    listed = [
        {"name": field, "type": kind, **({"default": None} if isinstance(kind, list) else {})}
        for field, kind in fields.items()
    ]
    return {"type": "record", "name": name, "fields": listed}


def _maybe(kind: Any) -> list[Any]:
    return ["null", kind]


_BOUND: Final = [_record(f"{name}Wrapper", {"value": kind}) for name, kind in _WRAPPERS.items()]
_NAMES: Final = [f"{name}Wrapper" for name in _WRAPPERS]
_ARRAY: Final = _record(
    "ArrayWrapper", {"wrappedValues": _maybe({"type": "array", "items": ["null", *_NAMES]})}
)
_TYPE: Final = _record("ValueType", {"typeOrdinal": "int", "additionalInfo": _maybe("string")})
_STATISTICS: Final = _record(
    "ColumnStats",
    {
        "fileName": _maybe("string"),
        "columnName": _maybe("string"),
        "minValue": ["null", *_BOUND, _ARRAY],
        "maxValue": ["null", *_NAMES, "ArrayWrapper"],
        **dict.fromkeys(
            ("valueCount", "nullCount", "totalSize", "totalUncompressedSize"), _maybe("long")
        ),
        "isDeleted": "boolean",
        "isTightBound": "boolean",
        "valueType": _maybe(_TYPE),
    },
)
_BLOOM: Final = _record(
    "BloomFilter",
    {"type": "string", "timestamp": "string", "bloomFilter": "bytes", "isDeleted": "boolean"},
)
_LOCATION: Final = _record(
    "RecordIndexInfo",
    {
        "partitionName": _maybe("string"),
        "fileIdHighBits": _maybe("long"),
        "fileIdLowBits": _maybe("long"),
        "fileIndex": _maybe("int"),
        "fileId": _maybe("string"),
        "instantTime": _maybe("long"),
        "fileIdEncoding": "int",
        "position": _maybe("long"),
    },
)
_META: Final = ("commit_time", "commit_seqno", "record_key", "partition_path", "file_name")
SCHEMA: Final = _record(
    "HoodieMetadataRecord",
    {
        **{f"_hoodie_{name}": _maybe("string") for name in _META},
        "key": "string",
        "type": "int",
        "filesystemMetadata": _maybe(
            {
                "type": "map",
                "values": _record("FileInfo", {"size": "long", "isDeleted": "boolean"}),
            }
        ),
        "BloomFilterMetadata": _maybe(_BLOOM),
        "ColumnStatsMetadata": _maybe(_STATISTICS),
        "recordIndexMetadata": _maybe(_LOCATION),
        "SecondaryIndexMetadata": _maybe(_record("SecondaryIndexInfo", {"isDeleted": "boolean"})),
    },
)
"""The Avro schema of a row."""

SCHEMA_TEXT: Final = json.dumps(SCHEMA)
_PARSED: Final = fastavro.parse_schema(SCHEMA)


def value_of(**parts: Any) -> bytes:
    """A row's value, of the fields that are given."""
    out = io.BytesIO()
    fastavro.schemaless_writer(out, _PARSED, {"key": "", "type": 5, **parts})
    return out.getvalue()


def location(partition: str = "p0", **parts: Any) -> dict[str, Any]:
    """A record's place: zeros for a UUID, and whatever is said otherwise."""
    place = {
        "partitionName": partition, "fileIdHighBits": 0, "fileIdLowBits": 0, "fileIndex": 0,
        "fileId": "", "instantTime": INSTANT_MS, "fileIdEncoding": 0, "position": None,
    }  # fmt: skip
    return {**place, **parts}


def record_index_rows(count: int) -> pa.Table:
    """Many keys, in order, in 40 file groups of 9 partitions."""
    chance = random.Random(9001)
    groups = [[chance.randrange(-(1 << 63), 1 << 63) for _ in range(2)] for _ in range(40)]
    values = []
    for number in range(count):
        high, low = groups[chance.randrange(40)]
        place = location(f"p{number % 9}", fileIdHighBits=high, fileIdLowBits=low)
        values.append(value_of(_hoodie_file_name=FILE_NAME, recordIndexMetadata=place))
    keys = [b"key-%09d" % number for number in range(count)]
    return pa.table({"row": pa.array(keys, pa.binary()), "value": pa.array(values, pa.binary())})
