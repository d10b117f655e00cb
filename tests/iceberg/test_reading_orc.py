"""ORC files with timestamps beyond 64 bits of nanoseconds are read in microseconds."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import orc
from tests.support.iceberg_rows import File, TableMaker

if TYPE_CHECKING:
    from pathlib import Path

LEAST = -62_135_596_800_000_000
"""Microseconds of the year 1."""

MOST = 253_402_300_799_999_999
"""And of the end of the year 9999."""

ROWS = 3_000
RANDOM = np.random.default_rng(5)
SPREAD = RANDOM.integers(LEAST, MOST, ROWS)

COLUMNS = {
    "anywhere": SPREAD,
    "one over and over": np.full(ROWS, LEAST + 123_456),
    "rising": LEAST + np.arange(ROWS) * 1_001,
    "falling": MOST - np.arange(ROWS) * 999_937,
    "whole seconds": SPREAD // 1_000_000 * 1_000_000,
    "mostly milliseconds": np.where(RANDOM.random(ROWS) < 0.97, LEAST + 5_000, SPREAD),
    "small but a few": LEAST + np.where(RANDOM.random(ROWS) < 0.9, RANDOM.integers(0, 9, ROWS), 1),
    "around 1970": np.append(RANDOM.integers(-2_000_000, 2_000_000, ROWS - 1), LEAST),
}


@pytest.mark.parametrize("codec", ["uncompressed", "zlib", "zstd", "snappy", "lz4"])
@pytest.mark.parametrize("name", COLUMNS)
def test_moments_of_any_year_come_back(tmp_path: Path, name: str, codec: str) -> None:
    """Timestamps of any year are read right, with nulls, in structs and with every codec."""
    mask = RANDOM.random(ROWS) < 0.2
    mask[-1] = False
    plain = pa.array(COLUMNS[name], mask=mask).view(pa.timestamp("us"))
    inside = pa.StructArray.from_arrays([plain], names=["t"], mask=pa.array(mask[::-1].copy()))
    path = tmp_path / "a.orc"
    orc.write_table(
        pa.table({"t": plain, "s": inside}), path, compression=codec, stripe_size=20_000
    )
    inner = {"id": 3, "name": "t", "required": False, "type": "timestamp"}
    columns = [(1, "t", "timestamp"), (2, "s", {"type": "struct", "fields": [inner]})]
    mapping = json.dumps(
        [
            {"names": ["t"], "field-id": 1},
            {"names": ["s"], "field-id": 2, "fields": [{"names": ["t"], "field-id": 3}]},
        ]
    )
    names = {"schema.name-mapping.default": mapping}
    table = TableMaker(tmp_path, columns, properties=names).commit(File(path, ROWS)).open()
    rows = table.scan().to_table()
    assert rows["t"].cast(pa.int64()).to_pylist() == plain.cast(pa.int64()).to_pylist()
    found = rows["s"].combine_chunks().flatten()[0]
    assert found.cast(pa.int64()).to_pylist() == inside.flatten()[0].cast(pa.int64()).to_pylist()
