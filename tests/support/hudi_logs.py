"""Hudi log files with a block of each type, made to measure."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any, Final

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
from tests.support.hudi_tables import framed, log_block, record

from byteloom_generated.hfile.hudi_log import AvroData, AvroRecord, BlockType, HeaderKey

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["COMMAND", "DELETES", "HFILE", "INSTANT", "PARQUET", "ROWS", "SCHEMA", "avro_block"]

INSTANT: Final = {HeaderKey.INSTANT_TIME: "20260101000000000"}

SCHEMA: Final = {
    "type": "record",
    "name": "Row",
    "fields": [{"name": "id", "type": "long"}, {"name": "name", "type": "string"}],
}


def avro_block(
    rows: Sequence[dict[str, Any]],
    kind: BlockType = BlockType.AVRO_DATA,
    schema: Any = SCHEMA,
) -> bytes:
    """A block of records, each in Avro's binary form."""
    records, parsed = [], fastavro.parse_schema(schema)
    for row in rows:
        out = io.BytesIO()
        fastavro.schemaless_writer(out, parsed, row)
        records.append(AvroRecord(content=out.getvalue()))
    content = AvroData(version=3, records=records).to_bytes()
    return framed(kind, content, {**INSTANT, HeaderKey.SCHEMA: json.dumps(schema)})


def _parquet() -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table({"id": range(7)}), out)
    return out.getvalue()


ROWS: Final = avro_block([{"id": each, "name": "abc"[:each]} for each in range(3)])
DELETES: Final = log_block(["key-1", "key-2"], INSTANT)
COMMAND: Final = log_block(None, INSTANT | {HeaderKey.TARGET_INSTANT_TIME: "20250101000000000"})
HFILE: Final = log_block({f"key-{each}": record(5) for each in range(9)}, INSTANT)
PARQUET: Final = framed(
    BlockType.PARQUET_DATA, _parquet(), {**INSTANT, HeaderKey.SCHEMA: json.dumps(SCHEMA)}
)
