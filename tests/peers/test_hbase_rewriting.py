"""Cells of files that HBase wrote are written again as the same bytes."""

from __future__ import annotations

import io
from random import Random
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.hbase import SCHEMA, HBase

from byteloom import hfile
from byteloom.hfile import BloomBuilder, HFileWriter

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.peer("hbase")

ENCODINGS = ("NONE", "PREFIX", "DIFF", "FAST_DIFF", "ROW_INDEX_V1")
PREDICATE = "org.apache.hadoop.hbase.io.hfile.PreviousBlockCompressionRatePredicator"
"""The class of HBase that lets blocks grow by how the one before was compressed."""

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
    """A file whose tags HBase dropped is rewritten byte for byte, its biggest cell included."""
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
    """Cells of any times, negative or more than 64 bits apart, are rewritten byte for byte."""
    hbase.write(tmp_path / "x", timed(times), encoding=encoding, block_size=BLOCK)
    data = (tmp_path / "x").read_bytes()
    (tmp_path / "x").unlink()
    assert rewritten(data, encoding=encoding) == data


@pytest.mark.parametrize("rate", [0.2, 0.01, 0.0001])
def test_filters_of_any_error_rate(hbase: HBase, tmp_path: Path, rate: float) -> None:
    """Chunks and metadata of a row filter are HBase's, for any error rate."""
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


def _mixed(count: int) -> pa.Table:
    """Cells whose values compress well, then badly, then well again; some rows have several."""
    chance = Random(5)
    rows: list[dict[str, Any]] = [
        {"row": b"row-%06d" % (n - n % 5 if n % 3 else n), "family": b"cf", "qualifier": b"q",
         "timestamp": 1_700_000_000_000 - n, "type": 4, "mvcc": 0, "tags": b"",
         "value": b"value" * (n % 9) if n // 700 % 2 else chance.randbytes(n % 40)}
        for n in range(count)
    ]  # fmt: skip
    rows.sort(key=lambda each: (each["row"], -each["timestamp"]))
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def _compare(hbase: HBase, path: Path, conf: dict[str, Any], **options: Any) -> bytes:
    """Compare what HBase writes with what we write, and return it."""
    form = {
        "encoding": options.get("encoding", "NONE"),
        "codec": options.get("compression", "NONE"),
    }
    hbase.write(path, _mixed(5_000), conf=conf, block_size=BLOCK, **form)
    data = path.read_bytes()
    assert rewritten(data, level=6, **options) == data
    return data


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("ratio", [0.01, 0.3, 1.0, 2.5])
def test_blocks_by_their_encoded_size(
    hbase: HBase, tmp_path: Path, encoding: str, ratio: float
) -> None:
    """Blocks end where HBase ends them by the size of the encoded cells."""
    conf = {"hbase.writer.unified.encoded.blocksize.ratio": ratio}
    _compare(hbase, tmp_path / "x", conf, encoding=encoding, encoded_ratio=ratio)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("codec", ["NONE", "GZ"])
@pytest.mark.parametrize("most", [None, 2_000])
def test_blocks_by_their_compressed_size(
    hbase: HBase, tmp_path: Path, encoding: str, codec: str, most: int | None
) -> None:
    """Blocks grow as HBase's do, by the compression of the block before, up to a limit."""
    conf: dict[str, Any] = {
        "hbase.block.compressed.size.predicator": PREDICATE,
        "hfile.index.block.max.size": 300,
    }
    if most is not None:
        conf["hbase.block.max.size.uncompressed"] = most
    data = _compare(
        hbase, tmp_path / "x", conf, encoding=encoding, compression=codec,
        by_compressed_size=True, max_uncompressed_size=most, index_block_max_size=300,
    )  # fmt: skip
    fixed = rewritten(data, level=6, encoding=encoding, compression=codec, index_block_max_size=300)
    assert fixed != data


def test_both_ways_together(hbase: HBase, tmp_path: Path) -> None:
    """Blocks end as HBase's do where both the encoded and the compressed size count."""
    conf = {
        "hbase.block.compressed.size.predicator": PREDICATE,
        "hbase.writer.unified.encoded.blocksize.ratio": 0.5,
    }
    _compare(
        hbase, tmp_path / "x", conf, encoding="FAST_DIFF", compression="GZ", encoded_ratio=0.5,
        by_compressed_size=True,
    )  # fmt: skip


def _blocks(data: bytes) -> list[tuple[str, int]]:
    """The types and sizes, uncompressed, of the blocks among the data of a file."""
    with hfile.open(data) as file:
        found = [(each.type, each.header.len_uncompressed) for each in file.stored_blocks()]
    return [each for each in found if each[0] != "meta"]


def test_filters_among_blocks_by_their_compressed_size(hbase: HBase, tmp_path: Path) -> None:
    """Blocks end as HBase's do where filter and index blocks change the compression rate too."""
    conf = {
        "hbase.block.compressed.size.predicator": PREDICATE,
        "hfile.index.block.max.size": 300,
        "io.storefile.bloom.block.size": 512,
    }
    table = _mixed(5_000)
    hbase.write(tmp_path / "x", table, conf=conf, block_size=BLOCK, bloom="ROW", codec="GZ")
    out = io.BytesIO()
    options: dict[str, Any] = {"by_compressed_size": True, "compression": "GZ", "level": 6}
    with HFileWriter(
        out, blooms=[BloomBuilder("ROW", chunk_size=512)], block_size=BLOCK, mvcc=False,
        index_block_max_size=300, **options,
    ) as writer:  # fmt: skip
        writer.write(table)
    theirs = _blocks((tmp_path / "x").read_bytes())
    assert {"bloom_chunk", "leaf_index"} < {of for of, _ in theirs}
    assert _blocks(out.getvalue()) == theirs
