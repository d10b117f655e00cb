"""HBase reads files that we write: every codec, encoding, filter, depth of index, form of tags."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.hbase import SCHEMA, HBase
from tests.support.hfile_cells import drawn, regular
from tests.support.hfile_files import LATEST, Given

from byteloom import hfile
from byteloom.hfile import BloomBuilder, HFileWriter, Key

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.peer("hbase")

CODECS = ("NONE", "GZ", "SNAPPY", "LZ4", "BZIP2", "ZSTD", "BROTLI", "LZO")
ENCODINGS = ("NONE", "PREFIX", "DIFF", "FAST_DIFF", "ROW_INDEX_V1")


def key_of(cell: dict[str, Any]) -> bytes:
    """Return the serialized key of a cell."""
    return Given(**{name: cell[name] for name in Key._fields}).key


def varied(count: int) -> pa.Table:
    """Cells of several versions a column, with tags and sequence numbers."""
    cells: list[dict[str, Any]] = []
    for i in range(count):
        row, version = divmod(i, 3)
        cells.append(
            {
                "row": b"row-%06d" % (row * 7),
                "family": b"cf",
                "qualifier": b"q%d" % (row % 2),
                "timestamp": 1_700_000_000_000 - version * 1000,
                "type": (4, 4, 8)[version],
                "value": b"value %d " % (i % 5) * (i % 11),
                "mvcc": i * i,
                "tags": (b"", b"\0\x03\x01ab", b"\0\x03\x01ab\0\x06\x02tag%02d" % (i % 40))[i % 3],
            }
        )
    return pa.Table.from_pylist(cells, schema=SCHEMA)


def compare(hbase: HBase, path: Path, table: pa.Table, **options: Any) -> dict[str, Any]:
    """Write *table*, check what HBase reads against it, and return what else HBase says."""
    with HFileWriter(path, **options) as writer:
        writer.write(table)
    cells, stated = hbase.dump(path)
    assert cells.equals(table)
    assert stated["entries"] == len(table)
    assert stated["checksum_failures"] == 0
    return stated


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("codec", CODECS)
def test_codecs_and_encodings(hbase: HBase, tmp_path: Path, codec: str, encoding: str) -> None:
    """HBase reads files in every codec with every encoding, tags and sequence numbers included."""
    comparison = compare(
        hbase, tmp_path / "x", varied(3_000), compression=codec, encoding=encoding, tags=True,
        block_size=4096,
    )  # fmt: skip
    assert (comparison["codec"], comparison["encoding"]) == (codec, encoding)


@pytest.mark.parametrize("codec", [codec for codec in CODECS if codec != "NONE"])
def test_blocks_of_several_chunks(hbase: HBase, tmp_path: Path, codec: str) -> None:
    """HBase reads blocks of 600 KB, which take several chunks of Hadoop's framing."""
    table = varied(30_000)
    compare(hbase, tmp_path / "x", table, compression=codec, tags=True, block_size=600_000)


@pytest.mark.parametrize("codec", CODECS)
def test_values_of_all_kinds(hbase: HBase, tmp_path: Path, codec: str) -> None:
    """HBase reads long values, random or repetitive, in every codec."""
    noise = np.random.default_rng(7).bytes(300_000)
    values = [noise, bytes(300_000), noise[:50_000] * 5, (noise[:300] + bytes(70)) * 800, b"x"]
    table = pa.Table.from_pylist(
        [{"row": b"%d" % i, "family": b"f", "qualifier": b"", "timestamp": 1, "type": 4,
          "value": value, "mvcc": 0, "tags": b""} for i, value in enumerate(values * 2)],
        schema=SCHEMA,
    )  # fmt: skip
    compare(hbase, tmp_path / "x", table, compression=codec, block_size=700_000)


@pytest.mark.parametrize(
    "options",
    [
        {"tags": True, "compress_tags": False},
        {"tags": True, "compress_tags": True},
    ],
)
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_forms_of_tags(
    hbase: HBase, tmp_path: Path, encoding: str, options: dict[str, Any]
) -> None:
    """HBase reads tags that are stored as they are, and those of a dictionary."""
    comparison = compare(hbase, tmp_path / "x", varied(2_000), encoding=encoding, **options)
    packed = options["compress_tags"] and encoding != "NONE"
    assert comparison["file_info"]["hfile.TAGS_COMPRESSED"] == ("ff" if packed else "00")


@pytest.mark.parametrize("checksum", ["NULL", "CRC32", "CRC32C"])
@pytest.mark.parametrize("bytes_per_checksum", [20, 33, 1000, 1 << 14, 1 << 30])
def test_checksums(hbase: HBase, tmp_path: Path, checksum: str, bytes_per_checksum: int) -> None:
    """HBase verifies every checksum that we write, over pieces of any size."""
    compare(
        hbase, tmp_path / "x", varied(1_000), tags=True, checksum=checksum,
        bytes_per_checksum=bytes_per_checksum, block_size=3_000,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("count", "leaf", "levels"),
    [(0, 1024, 1), (1, 1024, 1), (300, 1024, 2), (5_000, 512, 3), (9_000, 128, 5)],
)  # fmt: skip
def test_depths_of_the_index(
    hbase: HBase, tmp_path: Path, count: int, leaf: int, levels: int
) -> None:
    """HBase finds every key, and the middle one, through indexes of one to five levels."""
    table = varied(count)
    comparison = compare(
        hbase, tmp_path / "x", table, tags=True, block_size=200, index_block_max_size=leaf,
        index_block_min_entries=3,
    )  # fmt: skip
    with hfile.open(tmp_path / "x") as file:
        assert comparison["levels"] == file.trailer.num_data_index_levels >= levels
    some = [key_of(cell) for cell in table.to_pylist()[:: max(count // 200, 1)]]
    answers = hbase.seek(tmp_path / "x", some)
    assert answers == [[0, key.hex()] for key in some]
    if count > 300:
        before, middle, behind = some[0], bytes.fromhex(comparison["mid_key"]), some[-1]
        assert before < middle < behind


@pytest.mark.parametrize("kind", ["ROW", "ROWCOL", "ROWPREFIX_FIXED_LENGTH"])
@pytest.mark.parametrize("hash_type", ["jenkins", "murmur", "murmur3"])
def test_bloom_filters(hbase: HBase, tmp_path: Path, kind: str, hash_type: str) -> None:
    """A Bloom filter passes every key of the file, and few others, in HBase."""
    table = varied(6_000)
    length = 9 if kind == "ROWPREFIX_FIXED_LENGTH" else None
    bloom = BloomBuilder(kind, chunk_size=512, hash_type=hash_type, prefix_length=length)
    compare(hbase, tmp_path / "x", table, tags=True, blooms=[bloom], block_size=1000)

    def hashed(row: bytes, qualifier: bytes) -> bytes:
        if kind != "ROWCOL":
            return row[:length]
        return Given(row=row, family=b"", qualifier=qualifier, timestamp=LATEST, type=255).key

    pairs = list(zip(*(table[name].to_pylist() for name in ("row", "qualifier")), strict=True))
    assert all(hbase.bloom(tmp_path / "x", [hashed(*pair) for pair in pairs[::7]]))
    absent = [hashed(b"x" + row[::-1], qualifier) for row, qualifier in pairs[::7]]
    assert sum(hbase.bloom(tmp_path / "x", absent)) < len(absent) // 10


def test_filters_of_deleted_families(hbase: HBase, tmp_path: Path) -> None:
    """In HBase, a delete-family filter passes rows with a deleted family, and few others."""
    table = regular(4_000)
    kinds = [14 if i % 10 == 0 else 10 if i % 10 == 5 else 4 for i in range(4_000)]
    table = pa.Table.from_pylist(
        [cell | {"type": kind, "mvcc": 0, "tags": b""}
         for cell, kind in zip(table.to_pylist(), kinds, strict=True)],
        schema=SCHEMA,
    )  # fmt: skip
    comparison = compare(hbase, tmp_path / "x", table, blooms=["ROW", "DELETE_FAMILY"])
    assert int(comparison["file_info"]["DELETE_FAMILY_COUNT"], 16) == 800
    rows = table["row"].to_pylist()
    passed = hbase.bloom(tmp_path / "x", rows, of="delete_family")
    assert all(passed[::5])
    assert sum(passed) < 1_000


@pytest.mark.parametrize("codec", ["NONE", "GZ", "SNAPPY"])
def test_encrypted_files(hbase: HBase, tmp_path: Path, codec: str) -> None:
    """HBase unwraps the key of an encrypted file by the master key, and reads all cells."""
    table, key = varied(3_000), bytes(range(16))
    options: dict[str, Any] = {"compression": codec, "encoding": "DIFF", "tags": True}
    with HFileWriter(tmp_path / "x", key=key, blooms=["ROW"], block_size=3_000, **options) as out:
        out.write(table)
    cells, stated = hbase.dump(tmp_path / "x", master_key=key.hex())
    assert cells.equals(table)
    assert stated["checksum_failures"] == 0


def test_meta_blocks_and_file_info(hbase: HBase, tmp_path: Path) -> None:
    """HBase finds meta blocks by their names, and every entry of the file info."""
    with HFileWriter(tmp_path / "x", compression="GZ", file_info={b"who": b"me"}) as writer:
        writer.put_meta(b"second", b"2" * 100_000)
        writer.put_meta(b"first", b"1")
        writer.add(b"row", b"value", family=b"f")
    _, stated = hbase.dump(tmp_path / "x", meta=["first", "second"])
    assert stated["meta"] == {"first": "31", "second": "32" * 100_000}
    assert stated["file_info"]["who"] == b"me".hex()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    table=drawn(), encoding=st.sampled_from(ENCODINGS), block_size=st.sampled_from((1, 64, 4096))
)
def test_any_cells(
    hbase: HBase, tmp_path: Path, table: pa.Table, encoding: str, block_size: int
) -> None:
    """HBase reads any drawn cells, in blocks of any size."""
    compare(hbase, tmp_path / "x", table, encoding=encoding, block_size=block_size, tags=True)


def test_a_million_cells(hbase: HBase, tmp_path: Path) -> None:
    """HBase finds keys in a file of a million cells, written with its default settings."""
    with HFileWriter(tmp_path / "x", compression="GZ", encoding="FAST_DIFF") as writer:
        writer.write(regular(1_000_000))
    picked = regular(1_000_000).take(list(range(0, 1_000_000, 9_973)))
    some = [key_of(cell | {"type": 4}) for cell in picked.to_pylist()]
    assert hbase.seek(tmp_path / "x", some) == [[0, key.hex()] for key in some]
