"""Rows of record indexes in the shape that Hudi 1.1 and later give them, all fields there are."""

from __future__ import annotations

import io
import json
import random
from typing import Any, Final

import fastavro
import pyarrow as pa

from byteloom.cli.sample_files.hudi_indexes import ROW

__all__ = ["INSTANT_MS", "SCHEMA_TEXT", "location", "record_index_rows", "value_of"]

FILE_NAME: Final = "record-index-0000-0_0-1-2_20261121070120991.hfile"
"""What Hudi writes into each row of a base file."""

INSTANT_MS: Final = 1_795_244_480_991
"""2026-11-21 07:01:20.991 UTC."""

SCHEMA: Final = {name: part for name, part in ROW.items() if name != "namespace"}
"""The Avro schema of a row, whose types are named here without their namespace."""

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
