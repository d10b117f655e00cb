"""Files that HBase writes are read: every codec, encoding, form of tags and depth of index."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.hbase import SCHEMA, HBase
from tests.support.hfile_cells import drawn

from byteloom import hfile

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.peer("hbase")

CODECS = ("NONE", "GZ", "SNAPPY", "LZ4", "LZO", "ZSTD", "BROTLI", "BZIP2")
ENCODINGS = ("NONE", "PREFIX", "DIFF", "FAST_DIFF", "ROW_INDEX_V1")
FORMS: dict[str, dict[str, Any]] = {
    "plain": {},
    "mvcc": {"mvcc": True},
    "tags": {"tags": True},
    "tags-mvcc": {"tags": True, "mvcc": True},
    "packed-tags": {"tags": True, "compress_tags": True},
    "packed-tags-mvcc": {"tags": True, "compress_tags": True, "mvcc": True},
}
MODULES = {
    "SNAPPY": "org.apache.hadoop.hbase.io.compress.xerial.SnappyCodec",
    "LZ4": "org.apache.hadoop.hbase.io.compress.lz4.Lz4Codec",
    "ZSTD": "org.apache.hadoop.hbase.io.compress.zstd.ZstdCodec",
}
"""Modules with native code, for codecs that several modules of HBase have."""


@cache
def cells(count: int, *, tags: bool, mvcc: bool) -> pa.Table:
    """Rows of a few columns and versions; tags that repeat, and more of them than are kept."""
    made = []
    for i in range(count):
        row, rest = divmod(i, 6)
        column, version = divmod(rest, 2)
        made.append(
            {
                "row": b"row-%05d" % row,
                "family": b"cf",
                "qualifier": b"column-%d" % column,
                "timestamp": 1_700_000_000_000 + row % 3 - version,
                "type": 12 if i % 17 == 0 else 4,
                "value": b"value %d " % (i % 7) * (i % 9),
                "mvcc": i * i if mvcc else 0,
                "tags": (b"", b"\0\x03\x01ab", b"\0\x06\x02tag%02d" % (i % 150 % 99))[i % 3]
                if tags
                else b"",
            }
        )
    return pa.Table.from_pylist(made, schema=SCHEMA)


def hold(hbase: HBase, path: Path, table: pa.Table, **settings: Any) -> hfile.HFile:
    """Have HBase write *table*, and compare what we read, and what HBase reads, with it."""
    hbase.write(path, table, **settings)
    with hfile.open(path) as file:
        assert file.read().equals(table)
        assert pa.Table.from_batches(file.batches(binary="view")).cast(SCHEMA).equals(table)
    peer, stated = hbase.dump(path)
    assert peer.equals(table)
    assert stated["checksum_failures"] == 0
    assert stated["levels"] == file.trailer.num_data_index_levels
    return file


def test_the_peer_is_the_one_we_name(hbase: HBase) -> None:
    """HBase has the version on which the reference was measured."""
    assert hbase.version == "2.6.4-hadoop3"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("codec", CODECS)
def test_all_that_hbase_writes_is_read(
    hbase: HBase, tmp_path: Path, codec: str, encoding: str, form: str
) -> None:
    """Every cell that HBase writes is read, in each codec, encoding and form of tags."""
    how = {"codec": codec, "encoding": encoding, "block_size": 900, **FORMS[form]}
    table = cells(600, tags="tags" in FORMS[form], mvcc="mvcc" in FORMS[form])
    hold(hbase, tmp_path / "x", table, **how)


@pytest.mark.parametrize("codec", MODULES)
def test_native_codecs_write_the_same(hbase: HBase, tmp_path: Path, codec: str) -> None:
    """Blocks of several chunks are read where native codecs of HBase compress them."""
    how = {"codec": codec, "block_size": 1 << 20}
    name = f"hbase.io.compress.{codec.lower()}.codec"
    table = cells(30_000, tags=False, mvcc=False)
    hold(hbase, tmp_path / "x", table, conf={name: MODULES[codec]}, **how)


@pytest.mark.parametrize("checksum", ["NULL", "CRC32", "CRC32C"])
@pytest.mark.parametrize("step", [33, 512, 16384])
def test_every_kind_of_checksum(hbase: HBase, tmp_path: Path, checksum: str, step: int) -> None:
    """Files are read with each kind of checksum, over pieces of any size."""
    table = cells(300, tags=False, mvcc=False)
    how = {"checksum": checksum, "bytes_per_checksum": step, "block_size": 2000}
    hold(hbase, tmp_path / "x", table, **how)


@pytest.mark.parametrize(("chunk", "levels"), [(1 << 17, 1), (2000, 2), (300, 3), (100, 5)])
def test_every_depth_of_index(hbase: HBase, tmp_path: Path, chunk: int, levels: int) -> None:
    """Files are read whose indexes have from one level to five."""
    conf = {"hfile.index.block.max.size": chunk, "hfile.index.block.min.entries": 2}
    table = cells(3000, tags=False, mvcc=False)
    file = hold(hbase, tmp_path / "x", table, block_size=600, conf=conf, codec="GZ")
    assert file.trailer.num_data_index_levels >= levels


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(table=drawn(), encoding=st.sampled_from(ENCODINGS), packed=st.booleans())
def test_drawn_cells(
    hbase: HBase, tmp_path: Path, table: pa.Table, encoding: str, packed: bool
) -> None:
    """Drawn cells that HBase writes, many of them alike, are read as they were given."""
    path = tmp_path / "x"
    path.unlink(missing_ok=True)
    how = {"encoding": encoding, "tags": True, "compress_tags": packed, "mvcc": True}
    hbase.write(path, table, block_size=200, **how)
    with hfile.open(path) as file:
        assert file.read().equals(table)
