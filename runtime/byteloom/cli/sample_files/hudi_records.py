"""Avro schemas of Hudi: of the rows of a metadata table, and of what a commit wrote.

Source: https://hudi.apache.org/docs/metadata
"""

from __future__ import annotations

from typing import Any, Final

__all__ = ["COMMIT", "ROW"]

_NAMESPACE: Final = "org.apache.hudi.avro.model"

_WRAPPERS: Final = {
    "Boolean": "boolean", "Int": "int", "Long": "long", "Float": "float", "Double": "double",
    "Bytes": "bytes", "String": "string", "Date": "int",
    "Decimal": {"type": "bytes", "logicalType": "decimal", "precision": 30, "scale": 15},
    "TimeMicros": {"type": "long", "logicalType": "time-micros"}, "TimestampMicros": "long",
    "LocalDate": "int",
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
_TYPE: Final = _record(
    "HoodieValueTypeInfo", {"typeOrdinal": "int", "additionalInfo": _maybe("string")}
)
_STATISTICS: Final = _record(
    "HoodieMetadataColumnStats",
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
    "HoodieMetadataBloomFilter",
    {"type": "string", "timestamp": "string", "bloomFilter": "bytes", "isDeleted": "boolean"},
)
_LOCATION: Final = _record(
    "HoodieRecordIndexInfo",
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
_FILE: Final = _record("HoodieMetadataFileInfo", {"size": "long", "isDeleted": "boolean"})
_META: Final = ("commit_time", "commit_seqno", "record_key", "partition_path", "file_name")

ROW: Final = {
    "namespace": _NAMESPACE,
    **_record(
        "HoodieMetadataRecord",
        {
            **{f"_hoodie_{name}": _maybe("string") for name in _META},
            "key": "string",
            "type": "int",
            "filesystemMetadata": _maybe({"type": "map", "values": _FILE}),
            "BloomFilterMetadata": _maybe(_BLOOM),
            "ColumnStatsMetadata": _maybe(_STATISTICS),
            "recordIndexMetadata": _maybe(_LOCATION),
            "SecondaryIndexMetadata": _maybe(
                _record("HoodieSecondaryIndexInfo", {"isDeleted": "boolean"})
            ),
        },
    ),
}
"""The schema of a row of the metadata table, in all its indexes."""

_WRITTEN: Final = _record(
    "HoodieWriteStat",
    {
        **dict.fromkeys(("fileId", "path", "prevCommit", "partitionPath"), _maybe("string")),
        **dict.fromkeys(
            ("numWrites", "numDeletes", "numInserts", "totalWriteBytes", "fileSizeInBytes"),
            _maybe("long"),
        ),
    },
)

COMMIT: Final = {
    "namespace": _NAMESPACE,
    **_record(
        "HoodieCommitMetadata",
        {
            "partitionToWriteStats": _maybe(
                {"type": "map", "values": {"type": "array", "items": _WRITTEN}}
            ),
            "extraMetadata": _maybe({"type": "map", "values": "string"}),
            "operationType": _maybe("string"),
        },
    ),
}
"""The schema of a completed commit, without the fields that are not written here."""
