"""The rows of a Hudi table's indexes, by their keys, as records of `ROW`.

Source: https://hudi.apache.org/docs/metadata_indexing
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from byteloom.cli.sample_files.hudi_records import ROW
from byteloom.hudi import keys

if TYPE_CHECKING:
    import uuid
    from collections.abc import Mapping

__all__ = ["DataFile", "listing", "locations", "statistics"]

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
