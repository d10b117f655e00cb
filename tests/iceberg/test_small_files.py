"""Small files read together: the same rows, in the same order, as one file after the other."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from tests.support.iceberg_rows import (
    File,
    TableMaker,
    arrow,
    deletion_vectors,
    parquet,
    position_deletes,
)

from byteloom.errors import ByteloomError, FormatError
from byteloom.iceberg.reading.small_files import grouped
from byteloom.iceberg.reading.task import Reading

if TYPE_CHECKING:
    from pathlib import Path

    from byteloom.iceberg.planning.scan import Scan
    from byteloom.iceberg.table import Table

COLUMNS = [(1, "x", "long"), (2, "s", "string")]


def data(path: Path, number: int, *, rows: int = 10, **options: Any) -> File:
    """A data file whose rows count on from those of the files before it."""
    held = np.arange(rows) + rows * number
    columns = {(1, "x"): pa.array(held), (2, "s"): pa.array([f"row {each}" for each in held])}
    return parquet(path / "data" / f"{number}.parquet", arrow(columns), **options)


def equality_deletes(path: Path, values: list[int]) -> File:
    """An equality delete file of values of x."""
    made = parquet(path, arrow({(1, "x"): pa.array(values, pa.int64())}))
    return File(path, made.records, content=2, equality_ids=[1])


def one_by_one(scan: Scan) -> pa.Table:
    """The rows of a scan, file after file."""
    reading = Reading(scan.table, scan.schema, scan.columns)
    batches = itertools.chain.from_iterable(map(reading.batches, scan.plan().tasks()))
    return pa.Table.from_batches(batches, reading.schema)


def together_of(scan: Scan) -> pa.Table:
    """The rows of a scan, all files at once; an error if they cannot be read together."""
    reading = Reading(scan.table, scan.schema, scan.columns)
    found = reading._together(list(scan.plan().tasks()))
    assert found is not None
    return pa.Table.from_batches(found[1], reading.schema)


def with_deletes(root: Path, kind: str) -> Table:
    """A table of 20 files with deletes."""
    files = [data(root, number, compression="zstd") for number in range(20)]
    maker = TableMaker(root, COLUMNS, version=3 if kind == "vectors" else 2).commit(*files)
    places = {each.path: [0, 3, 9, 10, 5000] for each in files[::2]}
    if kind == "vectors":
        vectors = {path: np.array(held) for path, held in places.items()}
        maker.commit(*deletion_vectors(root / "data" / "dv.puffin", vectors))
    if kind == "positions":
        pairs = [(path, row) for path, held in places.items() for row in held]
        own = position_deletes(root / "data" / "own-deletes.parquet", [(files[1].path, 7)])
        maker.commit(position_deletes(root / "data" / "deletes.parquet", pairs), own)
    if kind == "equality":
        maker.commit(equality_deletes(root / "data" / "eq.parquet", [3, 4, 55, 199, 1000]))
    return maker.open()


@pytest.mark.parametrize("kind", ["none", "vectors", "positions", "equality"])
@pytest.mark.parametrize("columns", [None, ("s",), ()])
@pytest.mark.parametrize("condition", [None, "x >= 42 and x < 150"])
def test_same_rows(
    tmp_path: Path, kind: str, columns: tuple[str, ...] | None, condition: str | None
) -> None:
    """Whatever is deleted, chosen or filtered, files have the same rows together."""
    scan = with_deletes(tmp_path, kind).scan(columns=columns)
    scan = scan if condition is None else scan.where(condition)
    wanted = one_by_one(scan)
    assert 0 < wanted.num_rows <= 200
    assert together_of(scan) == wanted
    assert scan.to_table() == wanted


def test_files_of_several_schemas(tmp_path: Path) -> None:
    """Files of other columns among them are read in their place, missing columns being null."""
    files = [data(tmp_path, number) for number in range(9)]
    for number in (4, 5, 7):
        columns = {(1, "x"): pa.array(np.arange(10) + 10 * number, pa.int32())}
        files[number] = parquet(files[number].path, arrow(columns))
    scan = TableMaker(tmp_path, COLUMNS).commit(*files).open().scan()
    found = scan.to_table()
    assert found == one_by_one(scan)
    assert found["x"].to_pylist() == list(range(90))
    assert found["s"].null_count == 30


def test_constants_of_partitions(tmp_path: Path) -> None:
    """A column whose value only the partition has takes each file's own value."""
    files = []
    for number in range(6):
        path = tmp_path / "data" / f"{number}.parquet"
        made = parquet(path, arrow({(1, "x"): pa.array([number, number])}))
        files.append(File(path, made.records, partition={"p": f"part {number}"}))
    table = (
        TableMaker(
            tmp_path,
            [(1, "x", "long"), (2, "p", "string")],
            partitions={0: [(2, 1000, "p", "identity", "string")]},
        )
        .commit(*files)
        .open()
    )
    found = table.scan().to_table()
    assert found["p"].to_pylist() == [f"part {each}" for each in range(6) for _ in range(2)]


def test_metadata_columns(tmp_path: Path) -> None:
    """Positions and paths are those of each file."""
    files = [data(tmp_path, number, rows=3) for number in range(4)]
    scan = TableMaker(tmp_path, COLUMNS).commit(*files).open().scan(columns=["_pos", "_file", "x"])
    found = scan.to_table()
    assert found["_pos"].to_pylist() == [0, 1, 2] * 4
    assert found["_file"].to_pylist() == [str(each.path) for each in files for _ in range(3)]


@pytest.mark.parametrize("damage", ["missing", "shorter", "page", "rows"])
def test_damage_is_named(tmp_path: Path, damage: str) -> None:
    """Rows come up to the file that is wrong, and then the error that names it."""
    files = [data(tmp_path, number, compression="zstd") for number in range(8)]
    bad = files[5].path
    if damage == "rows":
        files[5] = File(bad, 11)
    maker = TableMaker(tmp_path, COLUMNS).commit(*files)
    held = bytearray(bad.read_bytes())
    if damage == "missing":
        bad.unlink()
    elif damage == "shorter":
        bad.write_bytes(held[:-1])
    elif damage == "page":
        held[4:60] = bytes(56)
        bad.write_bytes(held)
    rows, batches = 0, maker.open().scan().to_batches(threads=1)
    with pytest.raises(ByteloomError, match=r"5\.parquet"):  # noqa: PT012  rows come before it
        for each in batches:
            rows += each.num_rows
    assert rows == 50


def test_large_files_are_read_alone(tmp_path: Path) -> None:
    """Groups are of small files that follow one another, 16 at first and then twice as many."""
    files = [data(tmp_path, number, rows=2) for number in range(60)]
    files[3] = data(tmp_path, 3, rows=300_000, use_dictionary=False, compression="none")
    scan = TableMaker(tmp_path, COLUMNS).commit(*files).open().scan()
    fields = Reading(scan.table, scan.schema).fields
    assert [len(each) for each in grouped(scan.plan().tasks(), fields)] == [3, 1, 32, 24]
    assert scan.to_table() == one_by_one(scan)


def test_wrong_text_is_refused(tmp_path: Path) -> None:
    """Text that is not UTF-8 is an error of its file, though it was read with others."""
    files = [data(tmp_path, number) for number in range(3)]
    wrong = pa.Array.from_buffers(
        pa.string(), 1, [None, pa.py_buffer(np.array([0, 2], np.int32)), pa.py_buffer(b"\xff\xfe")]
    )
    columns = {(1, "x"): pa.array([1]), (2, "s"): wrong}
    files[1] = parquet(files[1].path, arrow(columns))
    table = TableMaker(tmp_path, COLUMNS).commit(*files).open()
    with pytest.raises(FormatError, match=r"1\.parquet.*UTF-?8"):
        table.scan().to_table()
