"""The rows of a Hudi table's indexes, by their keys, as records of `ROW`; and Hudi's Avro schemas.

Source: https://hudi.apache.org/docs/metadata and https://hudi.apache.org/docs/metadata_indexing
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pyarrow.compute as pc

from byteloom.hudi import keys
from byteloom.late import pa

if TYPE_CHECKING:
    import uuid
    from collections.abc import Mapping

__all__ = ["COMMIT", "ROW", "DataFile", "listing", "locations", "statistics"]

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


_TYPES: Final = {"id": ("Long", 4), "cents": ("Long", 4), "placed_at": ("Long", 16)}
"""Wrappers of bounds and the numbers of their types; those of text are the default."""

_TEXT: Final = ("String", 7)

_INSTANT: Final = 1_700_100_000_000
"""The instant of the one commit, in milliseconds since 1970."""


@dataclass(frozen=True)
class DataFile:
    """A data file: its partition, the id of its file group, its name, size and rows."""

    partition: str
    group: uuid.UUID
    name: str
    size: int
    rows: pa.Table
    sizes: Mapping[str, tuple[int, int]]
    """Bytes of each column, compressed and not."""


def listing(files: list[DataFile]) -> dict[str, dict[str, Any]]:
    """Return the rows that list the partitions, and the files of each."""
    partitions = {each.partition: {"size": 0, "isDeleted": False} for each in files}
    rows: dict[str, dict[str, Any]] = {
        keys.ALL_PARTITIONS: {"type": 1, "filesystemMetadata": partitions}
    }
    for each in files:
        listed = {each.name: {"size": each.size, "isDeleted": False}}
        rows[each.partition] = {"type": 2, "filesystemMetadata": listed}
    return rows


def statistics(files: list[DataFile]) -> dict[str, dict[str, Any]]:
    """Return the statistics of each column of each file."""
    return {
        keys.column_stats_key(column, file.partition, file.name): {
            "type": 3,
            "ColumnStatsMetadata": _of_column(file, column),
        }
        for file in files
        for column in file.rows.column_names
    }


def _of_column(file: DataFile, column: str) -> dict[str, Any]:
    """Return the statistics of a column of a file."""
    values = file.rows[column]
    wrapper, ordinal = _TYPES.get(column, _TEXT)
    if pa.types.is_timestamp(values.type):
        values = values.cast(pa.int64())
    low, high = (each.as_py() for each in pc.min_max(values).values())
    compressed, plain = file.sizes[column]
    branch = f"{ROW['namespace']}.{wrapper}Wrapper"
    return {
        "fileName": file.name,
        "columnName": column,
        "minValue": (branch, {"value": low}),
        "maxValue": (branch, {"value": high}),
        "valueCount": len(values),
        "nullCount": values.null_count,
        "totalSize": compressed,
        "totalUncompressedSize": plain,
        "isDeleted": False,
        "isTightBound": True,
        "valueType": {"typeOrdinal": ordinal, "additionalInfo": None},
    }


def locations(files: list[DataFile]) -> dict[str, dict[str, Any]]:
    """Return the place of each record."""
    rows = {}
    for file in files:
        high, low = (
            int.from_bytes(half, signed=True)
            for half in (file.group.bytes[:8], file.group.bytes[8:])
        )
        place = {
            "partitionName": file.partition,
            "fileIdHighBits": high,
            "fileIdLowBits": low,
            "fileIndex": 0,
            "fileId": "",
            "instantTime": _INSTANT,
            "fileIdEncoding": 0,
            "position": None,
        }
        for number in file.rows["id"].to_pylist():
            rows[str(number)] = {"type": 5, "recordIndexMetadata": place}
    return rows
