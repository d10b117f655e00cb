"""A small Hudi table with data and every index, true or with one thing changed."""

from __future__ import annotations

import io
import json
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.parquet as pq
from tests.support.hudi_records import SCHEMA_TEXT, location, value_of
from tests.support.hudi_tables import HudiTable

from byteloom.hfile import HFileWriter, hudi_bloom
from byteloom.hudi import keys

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

__all__ = ["BLOOM_KEY", "FILE", "FILE_ID", "KEYS", "PARTITION", "STATS_KEY", "Indexed", "made"]

PARTITION: Final = "p0"
TIME: Final = "20261121070120991"
GROUP: Final = uuid.UUID("af8108ef-1b07-447d-813e-14be9cf771b6")
FILE_ID: Final = f"{GROUP}-0"
FILE: Final = f"{FILE_ID}_0-1-2_{TIME}.parquet"
STATS_KEY: Final = keys.column_stats_key("fare", PARTITION, FILE)
BLOOM_KEY: Final = keys.bloom_filter_key(PARTITION, FILE)
KEYS: Final = [f"key-{number}" for number in range(6)]
COLUMNS: Final[dict[str, list[Any]]] = {
    "fare": [1.5, 2.5, None, 4.0, 5.0, 6.5],
    "rider": ["a", "b$", None, "a", "", "b$"],
}
_INDEXES: Final = (
    "files", "record_index", "column_stats", "bloom_filters", "secondary_index_idx_rider",
)  # fmt: skip


@dataclass
class Indexed:
    """What is written, by index: rows by key; change it before `write`.

    data         columns of the data file `FILE`
    others       columns of other data files, by name
    definitions  of indexes beside the secondary one
    """

    data: dict[str, list[Any]] = field(default_factory=lambda: {"key": KEYS, **COLUMNS})
    others: dict[str, dict[str, list[Any]]] = field(default_factory=dict)
    rows: dict[str, dict[str, bytes]] = field(default_factory=dict)
    definitions: dict[str, Any] = field(default_factory=dict)

    def write(self, root: Path) -> Path:
        """Write the table into *root*, version 9, copy on write."""
        table = HudiTable(root, partitions=list(dict.fromkeys([*_INDEXES, *self.rows])))
        with (root / ".hoodie/hoodie.properties").open("a") as properties:
            properties.write("hoodie.table.index.defs.path=.hoodie/.index_defs/index.json\n")
            properties.write("hoodie.table.timeline.timezone=UTC\n")
        (root / ".hoodie/.index_defs").mkdir()
        (root / ".hoodie/.index_defs/index.json").write_text(
            json.dumps({"indexDefinitions": {**_DEFINITIONS, **self.definitions}})
        )
        (root / PARTITION).mkdir()
        (root / PARTITION / ".hoodie_partition_metadata").write_text("")
        files = {FILE: self.data, **self.others}
        for name, data in files.items():
            (root / PARTITION / name).write_bytes(parquet(data))
        named = [{"path": f"{PARTITION}/{name}"} for name in files]
        written = {"partitionToWriteStats": {PARTITION: named}}
        table.instant(TIME, "commit", of="data", content=written)
        for index, rows in self.rows.items():
            name = index.replace("_", "-")
            base = f"{name}-0000-0_0-1-2_00000000000000000.hfile"
            written = table.write(index, base, hfile_of(rows))
            content = {"partitionToWriteStats": {index: [written]}}
            table.instant("00000000000000000", of="metadata", content=content)
        return root


_DEFINITIONS: Final = {
    "secondary_index_idx_rider": {
        "indexName": "secondary_index_idx_rider",
        "indexType": "secondary_index",
        "indexFunction": "identity",
        "sourceFields": ["rider"],
        "indexOptions": {},
        "version": "V2",
    }
}


def parquet(data: dict[str, list[Any]]) -> bytes:
    """A base file with these columns."""
    out = io.BytesIO()
    named = {"_hoodie_record_key" if name == "key" else name: data[name] for name in data}
    pq.write_table(pa.table(named), out, write_page_checksum=True)
    return out.getvalue()


def hfile_of(rows: dict[str, bytes]) -> bytes:
    """An HFile as Hudi has it, with these rows."""
    out = io.BytesIO()
    info = {b"schema": SCHEMA_TEXT.encode()}
    with HFileWriter(out, profile="hudi", file_info=info) as writer:
        for key in sorted(rows, key=str.encode):
            writer.add(key.encode(), rows[key])
    return out.getvalue()


def listing(files: dict[str, int], kind: int, deleted: Collection[str] = ()) -> bytes:
    """A row of ``files``."""
    listed = {name: {"size": size, "isDeleted": name in deleted} for name, size in files.items()}
    return value_of(type=kind, filesystemMetadata=listed)


def statistics(column: str, **parts: Any) -> bytes:
    """A row of ``column_stats``."""
    values = [each for each in COLUMNS[column] if each is not None]
    wrapper = "DoubleWrapper" if column == "fare" else "StringWrapper"
    stated = {
        "fileName": FILE,
        "columnName": column,
        "minValue": (wrapper, {"value": min(values)}),
        "maxValue": (wrapper, {"value": max(values)}),
        "valueCount": len(KEYS),
        "nullCount": len(KEYS) - len(values),
        "totalSize": 1,
        "totalUncompressedSize": 1,
        "isDeleted": False,
        "isTightBound": True,
        "valueType": {"typeOrdinal": 6 if column == "fare" else 7, "additionalInfo": None},
    }
    return value_of(type=3, ColumnStatsMetadata={**stated, **parts})


def bloom(given: list[str], *, deleted: bool = False) -> bytes:
    """A row of ``bloom_filters`` for these keys."""
    text = hudi_bloom.build([key.encode() for key in given], "SIMPLE", num_entries=100)
    stored = {"type": "SIMPLE", "timestamp": TIME, "bloomFilter": text, "isDeleted": deleted}
    return value_of(type=4, BloomFilterMetadata=stored)


def place(**parts: Any) -> bytes:
    """A row of ``record_index`` that points at the one file group, or elsewhere."""
    high, low = (int.from_bytes(half, signed=True) for half in (GROUP.bytes[:8], GROUP.bytes[8:]))
    stated = location(PARTITION, fileIdHighBits=high, fileIdLowBits=low)
    return value_of(recordIndexMetadata={**stated, **parts})


def made() -> Indexed:
    """A table all of whose indexes are true."""
    table = Indexed()
    size = len(parquet(table.data))
    secondary = value_of(type=7, SecondaryIndexMetadata={"isDeleted": False})
    table.rows = {
        "files": {
            keys.ALL_PARTITIONS: listing({PARTITION: 0}, 1),
            PARTITION: listing({FILE: size}, 2),
        },
        "record_index": {key: place() for key in KEYS},
        "column_stats": {
            keys.column_stats_key(column, PARTITION, FILE): statistics(column) for column in COLUMNS
        },
        "bloom_filters": {BLOOM_KEY: bloom(KEYS)},
        "secondary_index_idx_rider": {
            keys.secondary_key(rider, key): secondary
            for rider, key in zip(COLUMNS["rider"], KEYS, strict=True)
        },
    }
    return table
