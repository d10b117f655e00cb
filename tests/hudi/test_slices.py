"""Arrow columns that are slices of longer ones give the same results as their own copies."""

from __future__ import annotations

import io
import json
from typing import Any, Final

import fastavro
import pyarrow as pa
from tests.support.slices import sliced

from byteloom.hudi import keys
from byteloom.hudi.avro_values import decode

SCHEMA: Final[dict[str, Any]] = {
    "type": "record",
    "name": "R",
    "fields": [
        {"name": "number", "type": ["null", "long"]},
        {"name": "text", "type": "string"},
    ],
}


def encoded(row: dict[str, Any]) -> bytes:
    """Return a record in Avro's binary form."""
    out = io.BytesIO()
    fastavro.schemaless_writer(out, fastavro.parse_schema(SCHEMA), row)
    return out.getvalue()


def test_records_that_are_decoded() -> None:
    """Decoding a slice gives the records of that slice only."""
    rows = [{"number": None if n % 3 else n, "text": "t" * n} for n in range(9)]
    values = pa.array([encoded(row) for row in rows])
    assert decode(sliced(values, nulls=False), json.dumps(SCHEMA)).to_pylist() == rows


def test_keys_and_their_file_groups() -> None:
    """Each key of a slice is assigned to the same file group as alone."""
    texts = [f"é-{n}" * n for n in range(20)]
    found = keys.file_groups(sliced(pa.array(texts), nulls=False), 7)
    assert found.tolist() == [keys.file_group(text, 7) for text in texts]


def test_secondary_keys_that_come_apart() -> None:
    """Secondary keys of a slice split into the values, nulls included, and keys of that slice."""
    pairs = [(None if n % 4 == 1 else f"v$\\{n}", f"r-{n}") for n in range(21)]
    column = pa.array([keys.secondary_key(*pair) for pair in pairs])
    values, records = keys.split_secondary_keys(sliced(column, nulls=False))
    assert list(zip(values.to_pylist(), records.to_pylist(), strict=True)) == pairs
