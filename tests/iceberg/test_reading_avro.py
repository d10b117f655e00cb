"""Avro data files of many blocks are read some megabytes at a time."""

from __future__ import annotations

import json
import tracemalloc
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import fastavro
import numpy as np
import pyarrow as pa
import pytest
from tests.support.avro_files import PACKED, SYNC, block, container
from tests.support.iceberg_rows import File, TableMaker

from byteloom.datafiles.avro_arrays import _decimals
from byteloom.datafiles.avro_program import compile_records
from byteloom.errors import FormatError, Truncated
from byteloom.iceberg.reading.task import read_task

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from byteloom.iceberg import Table

SCHEMA = {
    "type": "record",
    "name": "r",
    "fields": [
        {"name": "id", "type": "long", "field-id": 1},
        {"name": "data", "type": "bytes", "field-id": 2},
    ],
}
COLUMNS = [(1, "id", "long"), (2, "data", "binary")]


def _records(sizes: list[int]) -> Iterator[dict[str, Any]]:
    """Return records of bytes that no codec makes shorter."""
    random = np.random.default_rng(7)
    for number, size in enumerate(sizes):
        yield {"id": number, "data": random.bytes(size)}


def _table(folder: Path, sizes: list[int], codec: str = "null") -> Table:
    """Return a table of one file, with about a record in a block."""
    path = folder / "f.avro"
    with path.open("wb") as file:
        fastavro.writer(file, SCHEMA, _records(sizes), codec=codec, sync_interval=1)
    return TableMaker(folder, COLUMNS).commit(File(path, len(sizes))).open()


@pytest.mark.parametrize("codec", ["null", "deflate"])
@pytest.mark.parametrize(
    "sizes",
    [
        [],
        [0] * 5_000,
        [100_000] * 100,
        [5, 9 << 20, 7, 5 << 20, 4 << 20, 1],
        [(4 << 20) - each for each in range(5, 35)],
    ],
    ids=["none", "small", "many", "long", "edges"],
)
def test_blocks_of_any_size_come_back(tmp_path: Path, sizes: list[int], codec: str) -> None:
    """Blocks shorter, longer and exactly as long as one read are read whole."""
    rows = _table(tmp_path, sizes if codec == "null" else sizes[:8], codec).scan().to_table()
    stated = sizes if codec == "null" else sizes[:8]
    assert rows["id"].to_pylist() == list(range(len(stated)))
    wanted = [each["data"] for each in _records(stated)]
    assert rows["data"].to_pylist() == wanted


def test_a_file_is_not_held_as_a_whole(tmp_path: Path) -> None:
    """A scan of an Avro file of 120 MB takes only the memory of some blocks."""
    table = _table(tmp_path, [200_000] * 600)
    tracemalloc.start()
    try:
        rows = sum(each.num_rows for each in table.scan(columns=["id"]).to_batches(threads=1))
        assert rows == 600
        assert tracemalloc.get_traced_memory()[1] < 90_000_000
    finally:
        tracemalloc.stop()


def test_pieces_of_a_file_are_its_rows(tmp_path: Path) -> None:
    """Splits of any size have each row of a file once, with its position."""
    sizes = [50_000 + 37 * each for each in range(200)]
    table = _table(tmp_path, sizes)
    for target in (300_000, 3_000_000, 1 << 30):
        found = [
            (row["id"], row["_pos"])
            for group in table.scan().plan().splits(target, 0, 1)
            for task in group
            for batch in read_task(table, task, ["id", "_pos"])
            for row in batch.to_pylist()
        ]
        assert sorted(found) == [(each, each) for each in range(len(sizes))]


def test_damage_is_reported_with_its_place_in_the_file(tmp_path: Path) -> None:
    """A wrong marker or a cut is an error with its offset, in any window of the file."""
    table = _table(tmp_path, [100_000] * 100)
    path = tmp_path / "f.avro"
    data = path.read_bytes()
    marker = data[-16:]
    at = data.rindex(marker, 0, -16)
    path.write_bytes(data[:at] + b"x" + data[at + 1 :])
    with pytest.raises(FormatError, match=rf"f\.avro: avro\.blocks\[98\]\.sync at byte {at} "):
        table.scan().to_table()
    start = at + 16 + 1 + 3  # after the sync marker, the number of records, and the size
    for cut, field, place in [
        (1, "sync", len(data) - 16),
        (17, "objects", start),
        (60_000, "objects", start),
    ]:
        path.write_bytes(data[:-cut])
        held = TableMaker(tmp_path, COLUMNS).commit(File(path, 100)).open()
        said = rf"f\.avro: avro\.blocks\[99\]\.{field} at byte {place} "
        with pytest.raises(Truncated, match=said):
            held.scan().to_table()


@pytest.mark.parametrize("codec", ["null", "deflate", "zstandard"])
def test_damage_in_a_block_has_the_place_of_the_block(tmp_path: Path, codec: str) -> None:
    """An offset in decompressed bytes is reported as such, beside the block's bytes in the file."""
    sound, damaged = b"\x02\x02a", b"\x04\x09b"
    first = container([block(1, sound, codec)], SCHEMA, codec)
    path = tmp_path / "f.avro"
    path.write_bytes(first + block(1, damaged, codec))
    table = TableMaker(tmp_path, COLUMNS).commit(File(path, 2)).open()
    with pytest.raises(FormatError, match=r"f\.avro: avro\.blocks\[1\]\.data at ") as refused:
        table.scan().to_table()
    size = len(PACKED[codec](damaged))
    start = len(first) + 2
    assert path.read_bytes()[start + size :] == SYNC
    assert refused.value.offset == (start + 1 if codec == "null" else start)
    stored = f"(bytes {start} to {start + size - 1} of the file)"
    said = f" at byte 1 of the decompressed block 1 {stored}, wanted "
    assert (said in str(refused.value)) == (codec != "null")


def test_a_block_that_is_said_to_be_longer_than_its_file_is_refused(tmp_path: Path) -> None:
    """A block that claims to be longer than its file is refused without reading on."""
    table = _table(tmp_path, [9 << 20])
    path = tmp_path / "f.avro"
    data = bytearray(path.read_bytes())
    at = data.index(data[-16:]) + 16
    assert data[at] == 2  # one record
    data[at + 1 : at + 5] = b"\xfe\xff\xff\x7f"
    path.write_bytes(data)
    said = rf"avro\.blocks\[0\]\.objects at byte {at + 5} .*wanted 134217727 .*its end is missing$"
    with pytest.raises(Truncated, match=said):
        table.scan().to_table()


def test_long_headers_are_read(tmp_path: Path) -> None:
    """A header longer than the first read of a file, as with many columns, is read whole."""
    fields = [{"name": f"c{each}", "type": "long", "field-id": each} for each in range(1, 4_000)]
    schema = {"type": "record", "name": "r", "fields": fields}
    assert len(json.dumps(schema)) > 200_000
    path = tmp_path / "f.avro"
    with path.open("wb") as file:
        fastavro.writer(file, schema, [{each["name"]: 1 for each in fields}])
    table = TableMaker(tmp_path, [(3_999, "c3999", "long")]).commit(File(path, 1)).open()
    assert table.scan().to_table().to_pylist() == [{"c3999": 1}]


ONE_LONG = [{"name": "id", "type": "long", "field-id": 1}]
ONE_LIST = [
    {
        "name": "id",
        "type": {"type": "array", "items": "long", "element-id": 2},
        "field-id": 1,
    }
]


@pytest.mark.parametrize("fields", [ONE_LONG, ONE_LIST], ids=["long", "list"])
@pytest.mark.parametrize("block", [0, 1, 2])
@pytest.mark.parametrize("said", [0, 1, 2, 3, 4, 6, 9])
def test_a_block_with_a_wrong_count_is_refused(
    tmp_path: Path, fields: list[Any], block: int, said: int
) -> None:
    """A block of five records whose header counts fewer or more of them is an error, at once.

    Records of one byte look like the counts of further records, so what is left over is not read.
    """
    schema = {"type": "record", "name": "r", "fields": fields}
    is_list = fields is ONE_LIST
    path = tmp_path / "f.avro"
    with path.open("wb") as file:
        writer = fastavro.write.Writer(file, schema, sync_interval=1 << 20)
        for _ in range(3):
            for number in range(5):
                writer.write({"id": [number] if is_list else number})
            writer.flush()
    data = bytearray(path.read_bytes())
    at = -1
    for _ in range(block + 1):
        at = data.index(data[-16:], at + 1) + (16 if at < 0 else 0)
    at = at if block == 0 else at + 16
    assert data[at] == 5 << 1
    data[at] = said << 1
    path.write_bytes(data)
    of: Any = "long"
    if is_list:
        of = {"type": "list", "element-id": 2, "element": "long", "element-required": False}
    table = TableMaker(tmp_path, [(1, "id", of)]).commit(File(path, 15)).open()
    with pytest.raises(FormatError, match=rf"f\.avro: avro\.blocks\[{block}\]"):
        table.scan().to_table()


def test_lists_may_hold_almost_all_bytes_of_a_file(tmp_path: Path) -> None:
    """Nested lists of almost all bytes of a file are read, with space that grows as needed."""
    items = {"type": "array", "items": "long", "element-id": 3}
    outer = {"type": "array", "items": items, "element-id": 2}
    schema = {
        "type": "record",
        "name": "r",
        "fields": [{"name": "id", "type": outer, "field-id": 1}],
    }
    rows = [[[0] * 50_000], [[]] * 50_000, []]
    path = tmp_path / "f.avro"
    with path.open("wb") as file:
        fastavro.writer(file, schema, [{"id": each} for each in rows])
    inner = {"type": "list", "element-id": 3, "element": "long", "element-required": False}
    of = {"type": "list", "element-id": 2, "element": inner, "element-required": False}
    table = TableMaker(tmp_path, [(1, "id", of)]).commit(File(path, 3)).open()
    assert table.scan().to_table()["id"].to_pylist() == rows


@pytest.mark.parametrize("codec", ["null", "deflate"])
def test_blocks_without_records_are_read(tmp_path: Path, codec: str) -> None:
    """Blocks without records, which some writers leave, are read at any place."""
    path = tmp_path / "f.avro"
    schema = {"type": "record", "name": "r", "fields": ONE_LONG}
    with path.open("wb") as file:
        writer = fastavro.write.Writer(file, schema, codec=codec)
        for number in range(4):
            writer.dump()
            writer.write({"id": number})
            writer.flush()
        writer.dump()
    assert path.read_bytes().count(path.read_bytes()[-16:]) >= 1 + 4 + 5
    table = TableMaker(tmp_path, [(1, "id", "long")]).commit(File(path, 4)).open()
    assert table.scan().to_table()["id"].to_pylist() == [0, 1, 2, 3]


def test_fixed_values_may_have_no_bytes(tmp_path: Path) -> None:
    """Fixed values of no bytes are read in each row, with nulls among them."""
    kind = {"type": "fixed", "name": "nothing", "size": 0}
    fields = [("f", kind, 1), ("x", "long", 3), ("g", ["null", "nothing"], 2)]
    schema = {
        "type": "record",
        "name": "r",
        "fields": [{"name": name, "type": of, "field-id": at} for name, of, at in fields],
    }
    rows = [{"f": b"", "g": None, "x": 7}, {"f": b"", "g": b"", "x": -8}]
    with (tmp_path / "f.avro").open("wb") as file:
        fastavro.writer(file, schema, rows)
    columns = [(1, "f", "fixed[0]"), (2, "g", "fixed[0]"), (3, "x", "long")]
    table = TableMaker(tmp_path, columns).commit(File(tmp_path / "f.avro", 2)).open()
    assert table.scan().to_table().to_pylist() == rows


@pytest.mark.parametrize("more", [0, 1, 15])
@pytest.mark.parametrize("number", [0, 1, -1, 127, -128, 128, -129, 10**18, -(10**18), 10**37])
def test_a_decimal_has_its_sign_in_any_number_of_bytes(number: int, more: int) -> None:
    """A decimal is read from up to 16 bytes of two's complement, with repeated sign bytes."""
    least = (number if number >= 0 else ~number).bit_length() // 8 + 1
    size = min(least + more, 16)
    data = b"?" + number.to_bytes(size, "big", signed=True) * 2
    starts, sizes = np.array([1, 1 + size]), np.array([size, size])
    found = _decimals(pa.decimal128(38, 2), np.frombuffer(data, np.uint8), starts, sizes, None)
    assert found.to_pylist() == [Decimal(number).scaleb(-2)] * 2


def test_a_decimal_has_16_bytes_at_most() -> None:
    """A decimal of more than 16 bytes is refused."""
    with pytest.raises(FormatError, match=r"^decimal: found 17 bytes, wanted at most 16$"):
        _decimals(pa.decimal128(38, 0), np.zeros(17, np.uint8), np.array([0]), np.array([17]), None)


NUMBERS = {"type": "array", "items": ["null", "long"], "element-id": 10}
PRICES = {"type": "map", "values": ["null", "double"], "key-id": 11, "value-id": 12}
NESTED = {
    "type": "record",
    "name": "r",
    "fields": [
        {"name": "before", "type": ["null", NUMBERS], "field-id": 1},
        {"name": "prices", "type": ["null", PRICES], "field-id": 2},
        {"name": "after", "type": {**NUMBERS, "element-id": 13}, "field-id": 3},
    ],
}


def test_maps_between_lists_come_back(tmp_path: Path) -> None:
    """Maps of text, null, empty or with null values, are read beside lists of other lengths."""
    numbers = {"type": "list", "element-id": 10, "element": "long", "element-required": False}
    prices = {"type": "map", "key-id": 11, "key": "string", "value-id": 12, "value": "double"}
    columns = [
        (1, "before", numbers),
        (2, "prices", {**prices, "value-required": False}),
        (3, "after", {**numbers, "element-id": 13}),
    ]
    rows: list[dict[str, Any]] = [
        {"before": [1, None, 3], "prices": {"a": 0.5, "": None}, "after": []},
        {"before": None, "prices": None, "after": [None]},
        {"before": [], "prices": {}, "after": [4, 5, 6, 7]},
        {"before": [8], "prices": {"longer": 1.5, "b": 2.5, "c": -0.0}, "after": [9, 9]},
    ]
    path = tmp_path / "f.avro"
    with path.open("wb") as file:
        fastavro.writer(file, NESTED, rows)
    found = TableMaker(tmp_path, columns).commit(File(path, len(rows))).open().scan().to_table()
    assert found.to_pylist(maps_as_pydicts="strict") == rows


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ({"scale": 2}, "{'type': 'bytes', 'logicalType': 'decimal', 'scale': 2}"),
        ({"precision": 39}, "{'type': 'bytes', 'logicalType': 'decimal', 'precision': 39}"),
        (
            {"precision": 5, "scale": "two"},
            "{'type': 'bytes', 'logicalType': 'decimal', 'precision': 5, …",
        ),
    ],
)
def test_a_decimal_without_its_digits_is_refused(said: dict[str, Any], found: str) -> None:
    """The type of a decimal has a precision of up to 38 digits, and a number as its scale."""
    kind = {"type": "bytes", "logicalType": "decimal", **said}
    schema = {"type": "record", "name": "r", "fields": [{"name": "d", "type": kind}]}
    with pytest.raises(FormatError) as refused:
        compile_records(schema, lambda _: True)
    wanted = "precision and scale of a decimal"
    assert str(refused.value) == f"avro.schema.d: found {found}, wanted {wanted}"
