"""Cells of files that HBase wrote are written again, byte for byte."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.hbase import SCHEMA, HBase

from byteloom import hfile
from byteloom.hfile.bloom_build import BloomBuilder
from byteloom.hfile.writing import HFileWriter

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.peer("hbase")

ENCODINGS = ("NONE", "PREFIX", "DIFF", "FAST_DIFF", "ROW_INDEX_V1")
ENDS = (0, 5, -(1 << 63), (1 << 63) - 1, -(1 << 62), 1 << 62, -1)
BLOCK = 900


def rewritten(data: bytes, **options: Any) -> bytes:
    """Return what we write for the cells and the file info of a file."""
    out = io.BytesIO()
    with hfile.open(data) as file:
        info = dict(file.file_info)
        created = int.from_bytes(info.pop(b"hfile.CREATE_TIME_TS"), "big")
        info.pop(b"DATA_BLOCK_ENCODING", None)
        table = file.read(["row", "family", "qualifier", "timestamp", "type", "value"])
    options = {"block_size": BLOCK, "mvcc": False, **options}
    with HFileWriter(out, created_ms=created, file_info=info, **options) as writer:
        writer.write(table)
    return out.getvalue()


def timed(times: list[int]) -> pa.Table:
    """Cells of these times, a row each."""
    rows = [
        {"row": b"row-%05d" % n, "family": b"cf", "qualifier": b"q", "timestamp": time, "type": 4,
         "value": b"value", "mvcc": 0, "tags": b""}
        for n, time in enumerate(times)
    ]  # fmt: skip
    return pa.Table.from_pylist(rows, schema=SCHEMA)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_files_from_which_tags_were_dropped(hbase: HBase, tmp_path: Path, encoding: str) -> None:
    """HBase counts them for the biggest cell, which its file info names."""
    table = timed([1_700_000_000_000] * 300)
    tags = pa.array([b"\0\x06\x02tag%02d" % n if n % 7 == 5 else b"" for n in range(100)] * 3)
    table = table.set_column(table.schema.get_field_index("tags"), "tags", tags)
    hbase.write(tmp_path / "x", table.cast(SCHEMA), encoding=encoding, block_size=BLOCK)
    data = (tmp_path / "x").read_bytes()
    assert rewritten(data, encoding=encoding) == data


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    times=st.lists(st.sampled_from(ENDS) | st.integers(-(1 << 63), (1 << 63) - 1), min_size=1),
    encoding=st.sampled_from(("PREFIX", "DIFF", "FAST_DIFF")),
)
def test_any_times(hbase: HBase, tmp_path: Path, times: list[int], encoding: str) -> None:
    """Negative ones too, and those whose difference leaves 64 bits."""
    hbase.write(tmp_path / "x", timed(times), encoding=encoding, block_size=BLOCK)
    data = (tmp_path / "x").read_bytes()
    (tmp_path / "x").unlink()
    assert rewritten(data, encoding=encoding) == data


@pytest.mark.parametrize("rate", [0.2, 0.01, 0.0001])
def test_filters_of_any_error_rate(hbase: HBase, tmp_path: Path, rate: float) -> None:
    """Chunks and metadata of a filter of rows are HBase's own."""
    table = timed([1_700_000_000_000] * 3000)
    conf = {"io.storefile.bloom.error.rate": rate, "io.storefile.bloom.block.size": 512}
    hbase.write(tmp_path / "x", table, block_size=BLOCK, bloom="ROW", conf=conf)
    builder = BloomBuilder("ROW", error_rate=rate, chunk_size=512)
    ours = io.BytesIO()
    with HFileWriter(ours, blooms=[builder], block_size=BLOCK, mvcc=False) as writer:
        writer.write(table)
    with hfile.open(tmp_path / "x") as file, hfile.open(ours.getvalue()) as own:
        (theirs,), (made,) = file.bloom_filters, own.bloom_filters
        assert made.record.num_hashes == theirs.record.num_hashes
        chunks = range(len(theirs.record.chunks))
        assert len(chunks) == len(made.record.chunks) > 1
        for number in chunks:
            assert made.bits(number).tobytes() == theirs.bits(number).tobytes()
