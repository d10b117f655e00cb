"""A record index of 200,000 rows to Arrow, beside PyPI's `hudi`; Hudi's own was timed before.

Hudi 1.2.0's native reader, warm, took 17 to 32 ms (GZ) and 15 ms (NONE, losing 48 rows) for keys
and values of as many rows without the Avro, on two cores like these.
"""

from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.support.hudi_records import SCHEMA_TEXT, record_index_rows
from tests.support.hudi_tables import HudiTable
from tests.support.speed import Side, compared, of_package, seconds

from byteloom import hfile
from byteloom.hfile import HFileWriter
from byteloom.hudi import Rows
from byteloom.hudi.records import locations

ROWS = 200_000
PEER_WANTS = """
hoodie.table.name=made_metadata
hoodie.table.type=MERGE_ON_READ
hoodie.table.base.file.format=HFILE
hoodie.table.recordkey.fields=key
hoodie.populate.meta.fields=false
"""
NAME = "record_index/record-index-0000-0_0-1-2_20261121070120991.hfile"


@pytest.fixture(scope="module")
def rows() -> pa.Table:
    """Keys and values, made once."""
    return record_index_rows(ROWS)


def read_by_hudi(metadata: Path) -> Any:
    """The peer: whole records, their Avro decoded."""
    from hudi import HudiFileGroupReader

    reader = HudiFileGroupReader(base_uri=str(metadata))
    return reader.read_file_slice_from_paths(NAME, [])


def scan(path: Path) -> int:
    """Keys and values as views, checksums verified."""
    with hfile.open(path) as file:
        return sum(batch.num_rows for batch in file.batches(("row", "value")))


def decoded(path: Path) -> pa.Table:
    """Keys, partitions, file groups, instants and positions."""
    with hfile.open(path) as file:
        cells = file.read(("row", "value")).combine_chunks()
        parts = [Rows(cells["row"].chunk(0), cells["value"].chunk(0), SCHEMA_TEXT)]
        return locations(parts, {})


@pytest.mark.bench
@pytest.mark.parametrize("codec", ["GZ", "NONE"])
def test_record_index(codec: str, rows: pa.Table, tmp_path: Path) -> None:
    """Prints the time to read all rows, with and without the Avro, which the peer always needs."""
    table = HudiTable(tmp_path, partitions=["record_index"])
    with (table.metadata / ".hoodie/hoodie.properties").open("a") as properties:
        properties.write(PEER_WANTS)
    path = table.metadata / NAME
    path.parent.mkdir()
    info = {b"schema": SCHEMA_TEXT.encode()}
    with HFileWriter(path, profile="hudi", compression=codec, file_info=info) as writer:
        writer.write(rows)
    assert scan(path) == ROWS
    assert decoded(path).num_rows == ROWS
    assert read_by_hudi(table.metadata).num_rows == ROWS
    for what, run in (("keys and values", scan), ("Avro decoded", decoded)):
        compared(
            f"record index of 200,000 rows of Hudi, {codec}, {what}",
            "ms",
            Side("byteloom", seconds(partial(run, path), 3)),
            of_package("hudi", "hudi", seconds(lambda: read_by_hudi(table.metadata))),
        )
