"""Which version of each record of a Hudi table counts, among base files and log files.

Records of the data have no public name: audits compare them with indexes.
"""

from __future__ import annotations

import io
import json
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.support.hudi_tables import HudiTable, log_block

from byteloom.errors import ByteloomError, FormatError, LimitExceeded, Truncated, Unsupported
from byteloom.hudi import MetadataTable
from byteloom.hudi.data_slices import data_files, data_slices, folders_of_partitions, stored_file
from byteloom.hudi.snapshot import Snapshot, _avro
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom_generated.hfile.hudi_log import (
    BlockType,
    HeaderKey,
    LogBlock,
    LogBody,
    Metadata,
    MetadataEntry,
)

if TYPE_CHECKING:
    from pathlib import Path

GROUP = "af8108ef-1b07-447d-813e-14be9cf771b6-0"
FIRST, SECOND, THIRD = "20260101000000000", "20260102000000000", "20260103000000000"
EVENT_TIME = {
    "hoodie.record.merge.mode": "EVENT_TIME_ORDERING",
    "hoodie.table.ordering.fields": "ts",
}
SCHEMA = {
    "type": "record",
    "name": "row",
    "fields": [
        {"name": "_hoodie_record_key", "type": "string"},
        {"name": "ts", "type": ["null", "long"]},
        {"name": "value", "type": "string"},
        {"name": "_hoodie_is_deleted", "type": ["null", "boolean"], "default": None},
    ],
}
Row = tuple[str, int | None, str]


def named(rows: list[Row]) -> list[dict[str, Any]]:
    """Return rows as records."""
    return [dict(zip(("_hoodie_record_key", "ts", "value"), row, strict=True)) for row in rows]


def avro_block(time: str, rows: list[dict[str, Any]], **headers: str) -> bytes:
    """Return a block of Avro records."""
    out = io.BytesIO()
    for row in rows:
        one = io.BytesIO()
        fastavro.schemaless_writer(one, fastavro.parse_schema(SCHEMA), row)
        out.write(len(one.getvalue()).to_bytes(4, "big") + one.getvalue())
    content = (3).to_bytes(4, "big") + len(rows).to_bytes(4, "big") + out.getvalue()
    return framed(BlockType.AVRO_DATA, content, time, **headers)


def parquet_block(time: str, rows: list[Row]) -> bytes:
    """Return a block that is a Parquet file."""
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(named(rows)), out)
    return framed(BlockType.PARQUET_DATA, out.getvalue(), time)


def framed(kind: BlockType, content: bytes, time: str, **headers: str) -> bytes:
    """Return a block of a log file."""
    stated = {"INSTANT_TIME": time, "SCHEMA": json.dumps(SCHEMA), **headers}
    entries = [MetadataEntry(key=HeaderKey[n], value=t.encode()) for n, t in stated.items()]
    block = LogBlock(
        body=LogBody(
            version=1,
            type=kind,
            headers=Metadata(entries=entries),
            content=content,
            footers=Metadata(entries=[]),
        ),
        len_total=0,
    )
    block.len_total = block.len_block + 6
    return block.to_bytes()


class Data:
    """A table of one file group, version 8."""

    def __init__(self, root: Path, ordering: pa.DataType | None = None, **properties: str) -> None:
        """Begin with three records, whose ordering field has this type in the base file."""
        self.root = root
        self.table = HudiTable(root, 8)
        with (root / ".hoodie/hoodie.properties").open("a") as file:
            file.writelines(f"{name}={value}\n" for name, value in properties.items())
        (root / "p0").mkdir()
        (root / "p0/.hoodie_partition_metadata").write_text("")
        base = pa.Table.from_pylist(named([("a", 5, "a1"), ("b", 5, "b1"), ("c", 5, "c1")]))
        if ordering is not None:
            base = base.set_column(1, "ts", base["ts"].cast(ordering))
        pq.write_table(base, root / "p0" / f"{GROUP}_0-1-2_{FIRST}.parquet")
        self.table.instant(FIRST, "commit", of="data")

    def log(self, time: str, *blocks: bytes, completed: str | None = "") -> None:
        """Write a log file by a deltacommit."""
        (self.root / "p0" / f".{GROUP}_{time}.log.1_0-3-4").write_bytes(b"".join(blocks))
        self.table.instant(time, of="data", completed=completed)

    def read(self) -> dict[str, str]:
        """Return the records of the table."""
        table = MetadataTable.open(self.root)
        reader = Snapshot(table.data, table.timeline, table.properties)
        files = data_files(table.data, folders_of_partitions(table.data), table.timeline)
        pieces = data_slices(files, table.timeline, 8)
        rows = [row for piece in pieces for row in reader.records(piece, ["value"]).to_pylist()]
        return {row["key"]: row["value"] for row in rows}


def test_what_was_written_last_counts(tmp_path: Path) -> None:
    """By commit time, the last log record of a key counts, from Avro or Parquet blocks."""
    data = Data(tmp_path, **{"hoodie.record.merge.mode": "COMMIT_TIME_ORDERING"})
    data.log(SECOND, avro_block(SECOND, named([("a", 1, "a2"), ("d", 1, "d1")])))
    data.log(THIRD, parquet_block(THIRD, [("d", 0, "d2")]))
    assert data.read() == {"a": "a2", "b": "b1", "c": "c1", "d": "d2"}


def test_what_is_latest_by_its_ordering_counts(tmp_path: Path) -> None:
    """By event time, an older event does not replace a newer one; an equal one does."""
    data = Data(tmp_path, **EVENT_TIME)
    data.log(SECOND, avro_block(SECOND, named([("a", 4, "a2"), ("b", 5, "b2"), ("c", 6, "c2")])))
    assert data.read() == {"a": "a1", "b": "b2", "c": "c2"}


@pytest.mark.parametrize(
    "of", [pa.timestamp("us", "UTC"), pa.timestamp("ms"), pa.time64("us")], ids=str
)
def test_times_are_ordered_by_the_integers_that_logs_have(of: pa.DataType, tmp_path: Path) -> None:
    """Times of ordering fields are compared as integers, in base files and in logs."""
    data = Data(tmp_path, of, **EVENT_TIME)
    data.log(SECOND, avro_block(SECOND, named([("a", 4, "a2"), ("b", 5, "b2"), ("c", 6, "c2")])))
    assert data.read() == {"a": "a1", "b": "b2", "c": "c2"}


def test_deleted_records_are_gone_until_they_are_written_again(tmp_path: Path) -> None:
    """A record deleted by a block or by a mark is absent until it is written again."""
    data = Data(tmp_path, **EVENT_TIME)
    deletes = log_block(["a", "b"], {HeaderKey.INSTANT_TIME: SECOND})
    marked = [{**row, "_hoodie_is_deleted": True} for row in named([("c", 7, "")])]
    data.log(SECOND, deletes, avro_block(SECOND, marked))
    data.log(THIRD, avro_block(THIRD, named([("b", 1, "b3")])))
    assert data.read() == {"b": "b3"}


@pytest.mark.parametrize("properties", [EVENT_TIME, {}], ids=["by event time", "by commit time"])
def test_a_group_of_which_only_deletes_are_left_has_no_records(
    tmp_path: Path, properties: dict[str, str]
) -> None:
    """A file group without a base file, with deletes alone, has no records."""
    data = Data(tmp_path, **properties)
    data.log(SECOND, log_block(["a", "b"], {HeaderKey.INSTANT_TIME: SECOND}))
    (path,) = (tmp_path / "p0").glob("*.parquet")
    path.unlink()
    assert data.read() == {}


def test_what_is_not_completed_does_not_count(tmp_path: Path) -> None:
    """A pending log file and a replaced file group do not count."""
    data = Data(tmp_path)
    data.log(SECOND, avro_block(SECOND, named([("a", 9, "no")])), completed=None)
    assert data.read() == {"a": "a1", "b": "b1", "c": "c1"}
    replaced = {"partitionToWriteStats": {}, "partitionToReplaceFileIds": {"p0": [GROUP]}}
    data.table.instant(THIRD, "replacecommit", of="data", content=replaced)
    assert data.read() == {}


@pytest.mark.parametrize(
    ("properties", "headers"),
    [
        ({"hoodie.record.merge.mode": "CUSTOM"}, {}),
        ({"hoodie.compaction.payload.class": "my.Payload"}, {}),
        ({}, {"IS_PARTIAL": "true"}),
        ({}, {"COMPACTED_BLOCK_TIMES": FIRST}),
    ],
    ids=["custom mode", "custom payload", "partial", "compacted"],
)
def test_what_cannot_be_merged_is_refused(
    tmp_path: Path, properties: dict[str, str], headers: dict[str, str]
) -> None:
    """A table with custom or partial merging is refused, not read as if it had none."""
    data = Data(tmp_path, **properties)
    data.log(SECOND, avro_block(SECOND, named([("a", 9, "a2")]), **headers))
    with pytest.raises(Unsupported, match="wanted whole records and deletes"):
        data.read()


def test_damaged_blocks_are_refused_with_their_file(tmp_path: Path) -> None:
    """A count, length or value that exceeds its block is refused; the error names the file."""
    whole = avro_block(SECOND, named([("a", 9, "a2")]))
    at = whole.index((3).to_bytes(4, "big") + (1).to_bytes(4, "big"))
    for place in (at + 4, at + 8, at + 11, at + 12):
        data = Data(tmp_path / str(place))
        data.log(SECOND, whole[:place] + b"\x7f" + whole[place + 1 :])
        with pytest.raises(FormatError, match=rf"p0/\.{GROUP}"):
            data.read()


def test_a_file_that_is_no_parquet_is_refused(tmp_path: Path) -> None:
    """A base file that is not Parquet is refused by its name."""
    data = Data(tmp_path)
    (path,) = (tmp_path / "p0").glob("*.parquet")
    path.write_bytes(b"PAR1")
    with pytest.raises(ByteloomError, match=path.name):
        data.read()


def test_base_files_and_blocks_are_bounded_by_the_limits(tmp_path: Path) -> None:
    """Base files and blocks that expand beyond the limits are refused by name."""
    table = MetadataTable.open(Data(tmp_path).root)
    reader = Snapshot(
        table.data, table.timeline, table.properties, Limits(decompressed_size=9, expansion=0)
    )
    files = data_files(table.data, ["p0"], table.timeline)
    (piece,) = data_slices(files, table.timeline, 8)
    with pytest.raises(LimitExceeded, match=r"p0/.*\.parquet.*: found a page of \d+ bytes, wanted"):
        reader.records(piece, ["value"])


@pytest.mark.parametrize("name", [".hoodie_partition_metadata", "readme.txt", "_SUCCESS", ".x.crc"])
def test_other_files_are_no_data(name: str) -> None:
    """Other files of a partition are taken for neither base files nor log files."""
    assert stored_file(name) is None


def block(count: int, rest: bytes) -> Any:
    """Return a block at byte 100 of a version, the number of records, and what follows."""
    content = (3).to_bytes(4, "big") + count.to_bytes(4, "big", signed=True) + rest
    return SimpleNamespace(content=content, offset=100)


@pytest.mark.parametrize(
    ("count", "rest", "said"),
    [
        (-1, 400, r"num_records at byte 104 \(0x68\): found -1, wanted at least 0$"),
        (
            1,
            0,
            r"records at byte 108 .*: found 0 bytes left, wanted 1 element of at",
        ),
        (
            2,
            7,
            r"records at byte 108 .*: found 7 bytes left, wanted 2 elements of at",
        ),
        (1 << 20, 400, r"records at byte 108 .*: found 400 bytes left, wanted 1048576 elements"),
    ],
)
def test_records_are_inside_of_their_block(count: int, rest: int, said: str) -> None:
    """A number of records that is negative or exceeds the block's bytes is refused."""
    with pytest.raises(FormatError, match=r"^avro_data\." + said):
        _avro(block(count, bytes(rest)), ["a"], DEFAULT_LIMITS)


@pytest.mark.parametrize("size", range(8))
def test_a_block_has_a_head(size: int) -> None:
    """A block with fewer than the eight bytes of its head is truncated."""
    short: Any = SimpleNamespace(content=bytes(size), offset=100)
    said = r"^avro_data\.(version at byte 100|num_records at byte 104) "
    with pytest.raises(Truncated, match=said):
        _avro(short, ["a"], DEFAULT_LIMITS)


@pytest.mark.parametrize(
    ("rest", "said"),
    [
        (b"\0\0\0\1", r"content at byte 112 .*: found 0 bytes left, wanted 1 byte$"),
        (b"\xff\xff\xff\xff", r"len_content at byte 108 .*: found -1, wanted at least 0$"),
        (b"\0\0\0\5abcd", r"content at byte 112 .*: found 4 bytes left, wanted 5 bytes$"),
    ],
)
def test_a_record_ends_with_its_block(rest: bytes, said: str) -> None:
    """A record whose length exceeds its block is refused."""
    with pytest.raises(FormatError, match=r"^avro_data\.records\[0\]\." + said):
        _avro(block(1, rest), ["a"], DEFAULT_LIMITS)


def test_a_block_ends_with_its_last_record() -> None:
    """Bytes after the last record of a block are refused."""
    said = r"^avro_data\.records at byte 113 \(0x71\): found 2 bytes after the last record, wanted"
    with pytest.raises(FormatError, match=said):
        _avro(block(1, b"\0\0\0\1a" + b"bc"), ["a"], DEFAULT_LIMITS)
