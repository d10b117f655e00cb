"""Avro files whose content is far larger than the file are read by windows, or refused."""

from __future__ import annotations

import re
import tracemalloc
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

import fastavro
import pytest
from tests.support.iceberg_rows import File, TableMaker

from byteloom.errors import FormatError, LimitExceeded
from byteloom.iceberg import open_table
from byteloom.limits import FREE_EXPANSION, Limits

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from byteloom.iceberg import TableScan

SCHEMA: Final[Any] = {
    "type": "record",
    "name": "r",
    "fields": [
        {"name": "id", "type": "long", "field-id": 1},
        {"name": "text", "type": "string", "field-id": 2},
    ],
}
COLUMNS: Final[Any] = [(1, "id", "long"), (2, "text", "string")]
TEXT: Final = "s" * 10_000


def written(path: Path, codec: str, blocks: Iterable[list[str]]) -> tuple[str, int]:
    """Return the metadata file of a table of these texts, and the offset of its last block."""
    place = rows = 0
    with path.open("wb") as file:
        writer = fastavro.write.Writer(file, SCHEMA, codec, sync_interval=1 << 40)
        for block in blocks:
            place = file.tell()
            for text in block:
                writer.write({"id": rows, "text": text})
                rows += 1
            writer.flush()
    table = TableMaker(path.parent / "t", COLUMNS).commit(File(path, rows)).open()
    return table.metadata_location, place


def as_in_a_block(number: int, text: str) -> bytes:
    """Return a record as it is in a block."""
    out = BytesIO()
    fastavro.schemaless_writer(out, SCHEMA, {"id": number, "text": text})
    return out.getvalue()


def scan(place: str, **limits: int) -> TableScan:
    """Return a scan of a table within limits."""
    return open_table(place, limits=Limits(**limits)).scan()


@pytest.mark.parametrize("codec", ["deflate", "bzip2", "snappy", "null"])
def test_many_blocks_are_read_whatever_they_come_to(tmp_path: Path, codec: str) -> None:
    """Rows of 12 MB in a file of some kilobytes come back in order, with their positions."""
    place, _ = written(tmp_path / "a.avro", codec, ([TEXT] * 2 for _ in range(600)))
    if codec == "deflate":
        assert (tmp_path / "a.avro").stat().st_size < 120_000
    rows = open_table(place, limits=Limits(decompressed_size=20_010, expansion=0))
    found = rows.scan(columns=["id", "text", "_pos"]).to_table()
    assert found["id"].to_pylist() == found["_pos"].to_pylist() == list(range(1_200))
    assert found["text"].value_counts().to_pylist() == [{"values": TEXT, "counts": 1_200}]


def test_many_blocks_are_held_a_window_at_a_time(tmp_path: Path) -> None:
    """A file of 100 kB with 100 MB of content is read in a third of that memory."""
    place, _ = written(tmp_path / "a.avro", "deflate", (["s" * 1_000_000] for _ in range(100)))
    asked = open_table(place).scan(columns=["id"])
    tracemalloc.start()
    try:
        rows = sum(each.num_rows for each in asked.to_batches(threads=1))
        taken = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    print(f"{taken >> 20} MiB")
    assert rows == 100
    assert taken < 33 << 20


@pytest.mark.parametrize("size", [9_000, 9_000_000], ids=["in a window", "more than a window"])
@pytest.mark.parametrize("codec", ["deflate", "bzip2", "snappy"])
def test_a_block_is_read_up_to_the_limit(tmp_path: Path, codec: str, size: int) -> None:
    """A block may expand to exactly `Limits.decompressed_size`, whatever the blocks before it."""
    texts = ["x" * (size // 2), "s" * size]
    place, last = written(tmp_path / "a.avro", codec, [[each] for each in texts])
    content = len(as_in_a_block(1, texts[1]))
    read = scan(place, decompressed_size=content, expansion=0).to_table()
    assert read["text"].to_pylist() == texts
    said = r"a\.avro.*avro\.block at byte (\d+) .*: found a block of more than (\d+) bytes, "
    with pytest.raises(LimitExceeded, match=said) as refused:
        scan(place, decompressed_size=content - 1, expansion=0).to_table()
    at, most = re.search(said, str(refused.value)).groups()  # type: ignore[union-attr]
    assert last < int(at) <= last + 6  # its data, after two counts
    assert int(most) == content - 1
    paid = scan(place, decompressed_size=content - 1, expansion=1).to_table()
    assert paid.equals(read)  # the block's own bytes pay for the rest
    assert str(refused.value).endswith(
        f"wanted at most {content - 1} (limits.decompressed_size, limits.expansion)"
    )


def test_a_block_that_is_not_compressed_may_be_as_long_as_it_is(tmp_path: Path) -> None:
    """An uncompressed block does not expand, and is read beyond the limit."""
    place, _ = written(tmp_path / "a.avro", "null", [["x"], [TEXT], ["y"]])
    read = scan(place, decompressed_size=10, expansion=1).to_table()
    assert read["text"].to_pylist() == ["x", TEXT, "y"]


@pytest.mark.parametrize("codec", ["deflate", "bzip2"])
def test_a_block_beyond_the_limit_is_not_inflated(tmp_path: Path, codec: str) -> None:
    """Inflating a block of 50 MB stops at the limit of 8 MB."""
    place, _ = written(tmp_path / "a.avro", codec, [["x"], ["s" * 50_000_000]])
    asked = scan(place, decompressed_size=8 << 20)
    tracemalloc.start()
    try:
        with pytest.raises(LimitExceeded, match=r"limits\.decompressed_size"):
            asked.to_table()
        taken = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    print(f"{taken >> 20} MiB")
    assert taken < 32 << 20


def test_records_of_a_block_are_bounded(tmp_path: Path) -> None:
    """A block of exactly `Limits.elements` records is read, and one of more is refused."""
    place, _ = written(tmp_path / "a.avro", "deflate", [["x"] * 5, ["y"] * 6])
    assert len(scan(place, elements=6).to_table()) == 11
    said = r"a\.avro: avro\.blocks\[1\]: found 6 records, wanted at most 5 \(limits\.elements\)"
    with pytest.raises(LimitExceeded, match=said):
        scan(place, elements=5).to_table()


@pytest.mark.parametrize("codec", ["deflate", "null"])
def test_a_block_has_its_number_in_the_file(tmp_path: Path, codec: str) -> None:
    """An error in a block has its number in the file, even if others were read separately."""
    blocks = [["a"], ["s" * 9_000_000], ["b"], ["y"] * 6]
    place, last = written(tmp_path / "a.avro", codec, blocks)
    with pytest.raises(LimitExceeded, match=r"^\S+a\.avro: avro\.blocks\[3\]: found 6 records"):
        scan(place, elements=5).to_table()
    data = bytearray((tmp_path / "a.avro").read_bytes())
    assert data[last] == 6 << 1
    data[last] = 5 << 1
    (tmp_path / "a.avro").write_bytes(data)
    with pytest.raises(FormatError, match=r"^\S+a\.avro: avro\.blocks\[3\]\.\S* at byte \d+ "):
        scan(place).to_table()


def test_lists_of_a_block_have_as_many_items_as_the_limit_and_no_more(tmp_path: Path) -> None:
    """The items of a block's lists are limited, as a short block can have any number."""
    item = {"type": "array", "items": "long", "element-id": 4}
    field = {"name": "list", "type": item, "field-id": 3}
    schema: Any = {"type": "record", "name": "r", "fields": [field]}
    with (tmp_path / "a.avro").open("wb") as file:
        fastavro.writer(file, schema, [{"list": [0] * 50_000}] * 4, codec="deflate")
    kind = {"type": "list", "element-id": 4, "element-required": True, "element": "long"}
    maker = TableMaker(tmp_path / "t", [(3, "list", kind)])
    place = maker.commit(File(tmp_path / "a.avro", 4)).open().metadata_location
    assert scan(place, elements=200_000).to_table().num_rows == 4
    said = r"a\.avro.*\.list: found more items, wanted at most 199999 \(limits\.elements\)$"
    with pytest.raises(LimitExceeded, match=said):
        scan(place, elements=199_999).to_table()


def test_numbers_that_a_block_becomes_are_bounded(tmp_path: Path) -> None:
    """The numbers of a block are limited, as one byte becomes a number of eight."""
    rows = (FREE_EXPANSION >> 3) + 1
    schema: Any = {"type": "record", "name": "r", "fields": SCHEMA["fields"][:1]}
    with (tmp_path / "a.avro").open("wb") as file:
        writer = fastavro.write.Writer(file, schema, "deflate", sync_interval=1 << 40)
        for _ in range(rows):
            writer.write({"id": 0})
        writer.flush()
    maker = TableMaker(tmp_path / "t", COLUMNS[:1])
    place = maker.commit(File(tmp_path / "a.avro", rows)).open().metadata_location
    assert scan(place, decompressed_size=8 * rows).to_table().num_rows == rows
    said = rf"a\.avro: avro\.blocks\[0\]: found {rows} records of 8 bytes each when decoded, "
    with pytest.raises(LimitExceeded, match=said + rf"wanted at most {8 * rows - 1} "):
        scan(place, decompressed_size=8 * rows - 1).to_table()
    with pytest.raises(LimitExceeded, match=said + rf"wanted at most {FREE_EXPANSION} "):
        scan(place, decompressed_size=2 * rows).to_table()


def test_symbols_of_a_block_come_to_the_limit_and_no_more(tmp_path: Path) -> None:
    """An enum of a data file is bounded by the user's `Limits.decompressed_size`."""
    kind = {"type": "enum", "name": "e", "symbols": ["s" * 1_000, "t"]}
    field = {"name": "kind", "type": kind, "field-id": 3}
    schema: Any = {"type": "record", "name": "r", "fields": [field]}
    rows = [{"kind": "s" * 1_000}] * 20 + [{"kind": "t"}]
    with (tmp_path / "a.avro").open("wb") as file:
        fastavro.writer(file, schema, rows)
    maker = TableMaker(tmp_path / "t", [(3, "kind", "string")])
    place = maker.commit(File(tmp_path / "a.avro", len(rows))).open().metadata_location
    assert scan(place, decompressed_size=20_001).to_table().to_pylist() == rows
    said = r"a\.avro: avro\.enum: found symbols of 20001 bytes in 21 values, wanted at most 20000 "
    with pytest.raises(LimitExceeded, match=said + r"\(limits\.decompressed_size\)$"):
        scan(place, decompressed_size=20_000).to_table()
