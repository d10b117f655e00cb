"""Small files that are read together give the rows, in order, that they give one by one."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from tests.support.drawn import examples
from tests.support.iceberg_rows import (
    File,
    TableMaker,
    arrow,
    deletion_vectors,
    parquet,
    position_deletes,
)

from byteloom.errors import ByteloomError, FormatError
from byteloom.iceberg import open_table
from byteloom.iceberg.reading import small_files
from byteloom.iceberg.reading.cache import Cache
from byteloom.iceberg.reading.position_deletes import deleted_positions
from byteloom.iceberg.reading.read_context import ReadContext
from byteloom.iceberg.reading.small_deletes import read_small_deletes
from byteloom.iceberg.reading.small_files import grouped
from byteloom.iceberg.reading.task import batches_of
from byteloom.native.kernel import Kernel

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from byteloom.iceberg import Table, TableScan

COLUMNS = [(1, "x", "long"), (2, "s", "string")]


@pytest.fixture(autouse=True, params=[True, False], ids=["own loop", "library"])
def decoder(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Select whether plain columns are decoded by our own loop or by pyarrow."""
    monkeypatch.setattr(Kernel, "is_worth_it", lambda *_: request.param)


def data(path: Path, number: int, *, rows: int = 10, **options: Any) -> File:
    """Write a data file whose rows count on from those of the files before it."""
    held = np.arange(rows) + rows * number
    columns = {(1, "x"): pa.array(held), (2, "s"): pa.array([f"row {each}" for each in held])}
    return parquet(path / "data" / f"{number}.parquet", arrow(columns), **options)


def equality_deletes(path: Path, values: list[int]) -> File:
    """Write an equality delete file of values of x."""
    made = parquet(path, arrow({(1, "x"): pa.array(values, pa.int64())}))
    return File(path, made.records, content=2, equality_ids=[1])


def one_by_one(scan: TableScan) -> pa.Table:
    """Return the rows of a scan, file after file."""
    context = ReadContext(scan.table, scan.schema, scan.columns)
    tasks = scan.plan().tasks()
    batches = itertools.chain.from_iterable(batches_of(context, each) for each in tasks)
    return pa.Table.from_batches(batches, context.schema)


def together_of(scan: TableScan) -> pa.Table:
    """Return the rows of a scan, all of whose files must be read as one."""
    assert [len(each.paths) for each in scan.explain().groups] == [len(scan.plan())]
    return scan.to_table()


def with_deletes(root: Path, kind: str) -> Table:
    """Return a table of 20 files with deletes."""
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


@pytest.fixture(scope="module")
def place_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """Return what gives the metadata file of such a table, which is written once."""

    @cache
    def written(kind: str) -> str:
        return with_deletes(tmp_path_factory.mktemp(kind), kind).metadata_location

    return written


@pytest.mark.parametrize("kind", ["none", "vectors", "positions", "equality"])
@pytest.mark.parametrize("columns", [None, ("s",), ()])
@pytest.mark.parametrize("condition", [None, "x >= 42 and x < 150"])
def test_same_rows(
    place_of: Callable[[str], str],
    kind: str,
    columns: tuple[str, ...] | None,
    condition: str | None,
) -> None:
    """Files have the same rows read together and one by one, with deletes, columns and filters."""
    scan = open_table(place_of(kind)).scan(columns=columns)
    scan = scan if condition is None else scan.where(condition)
    wanted = one_by_one(scan)
    assert 0 < wanted.num_rows <= 200
    assert together_of(scan) == wanted
    assert scan.to_table() == wanted


def test_a_group_has_no_more_bytes_than_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files are read together until one more would exceed the bytes of a group."""
    table = (
        TableMaker(tmp_path, COLUMNS).commit(*(data(tmp_path, each) for each in range(9))).open()
    )
    tasks = list(table.scan().plan().tasks())
    sizes = {each.file_size_in_bytes for each in tasks}
    assert max(sizes) < 2 * min(sizes)
    for most, counts in ((3 * max(sizes), [3, 3, 3]), (max(sizes), [1] * 9)):
        monkeypatch.setattr(small_files, "_BYTES", most)
        groups = list(small_files.grouped(iter(tasks), table.schema.fields))
        assert [len(each) for each in groups] == counts
        assert [each for group in groups for each in group] == tasks


def test_files_that_are_asked_for_other_rows_are_not_read_together(tmp_path: Path) -> None:
    """Files whose residuals differ by partition give the right rows of each."""
    maker = TableMaker(
        tmp_path, [*COLUMNS, (3, "p", "int")], partitions={0: [(3, 1000, "p", "identity", "int")]}
    )
    files = [replace(data(tmp_path, number), partition={"p": number % 3}) for number in range(9)]
    table = maker.commit(*files).open()
    asked = "p = 0 or p = 1 and x < 45 or p = 2 and x >= 53"
    found = table.scan(asked, columns=("x",)).to_table()
    assert sorted(found["x"].to_pylist()) == [
        x for x in range(90) if (True, x < 45, x >= 53)[x // 10 % 3]
    ]


MIXED = [
    *COLUMNS,
    (3, "flag", "boolean"),
    (4, "d", "double"),
    (5, "day", "date"),
    (6, "list", {"type": "list", "element-id": 10, "element": "long", "element-required": False}),
    (7, "later", "int"),
    (8, "wide", "long"),
]


def mixed(path: Path, seed: int) -> File:
    """Write a file of plain and other columns, without one and with an old type of another."""
    random = np.random.default_rng(seed)
    rows = int(random.integers(0, 40))
    numbers = random.integers(0, 50, rows)
    nulls = random.random(rows) < random.choice([0, 0.2])
    element = pa.field("element", pa.int64(), metadata={"PARQUET:field_id": "10"})
    columns = {
        (1, "x"): pa.array(numbers),
        (2, "s"): pa.array([f"é{each}" for each in numbers], pa.string(), mask=nulls),
        (3, "flag"): pa.array(numbers % 2 == 0, mask=nulls),
        (4, "d"): pa.array(random.random(rows), mask=nulls),
        (5, "day"): pa.array(numbers.astype(np.int32), mask=nulls).cast(pa.date32()),
        (6, "list"): pa.array([[each, None] for each in numbers.tolist()], pa.list_(element)),
        (8, "wide"): pa.array(numbers.astype(np.int32), mask=nulls),
    }
    return parquet(path / "data" / f"{seed}.parquet", arrow(columns), compression="zstd")


CONDITIONS = {
    "x < 3": lambda rows: pc.less(rows["x"], 3),
    "s = 'é7' or d > 0.9": lambda rows: pc.or_(
        pc.fill_null(pc.equal(rows["s"], "é7"), fill_value=False),
        pc.fill_null(pc.greater(rows["d"], 0.9), fill_value=False),
    ),
    "flag is null": lambda rows: pc.is_null(rows["flag"]),
    "later is null and wide > 40": lambda rows: pc.greater(rows["wide"], 40),
    "x > 1000": lambda rows: pc.greater(rows["x"], 1000),
}


@given(
    seed=st.integers(0, 1 << 20),
    deletes=st.sets(st.integers(0, 7)),
    equal=st.sampled_from([[], [3, 7, 44]]),
    condition=st.sampled_from(list(CONDITIONS)),
)
@examples(0.4, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_filtered_rows_are_those_of_the_whole(
    tmp_path_factory: pytest.TempPathFactory, seed: int, deletes: set[int], equal: list[int],
    condition: str,
) -> None:  # fmt: skip
    """A filter gives the rows of the whole table for which it holds, of all columns."""
    root = tmp_path_factory.mktemp("table")
    files = [mixed(root, seed + number) for number in range(6)]
    maker = TableMaker(root, MIXED).commit(*files)
    if deletes:
        pairs = [(each.path, row) for each in files[::2] for row in sorted(deletes)]
        maker.commit(position_deletes(root / "data" / "deletes.parquet", pairs))
    if equal:
        maker.commit(equality_deletes(root / "data" / "eq.parquet", equal))
    table = maker.open()
    whole = table.scan().to_table()
    assert whole.equals(one_by_one(table.scan()))
    found = table.scan(condition).to_table()
    found.validate(full=True)
    assert found.equals(whole.filter(CONDITIONS[condition](whole)))


def many_deletes(root: Path) -> tuple[Table, list[Path]]:
    """Return a table of 12 files, most with deletes of their own, and one delete for several."""
    files = [data(root, number, compression="zstd") for number in range(12)]
    paths = [root / "data" / f"deletes-{number}.parquet" for number in range(10)]
    own = [
        position_deletes(path, [(files[number].path, row) for row in (0, number, 9)])
        for number, path in enumerate(paths)
    ]
    pairs = [(files[number].path, row) for row in (8, 2) for number in (11, 3, 10)]
    shared = position_deletes(root / "data" / "shared.parquet", pairs)
    return TableMaker(root, COLUMNS).commit(*files).commit(*own, shared).open(), paths


def test_delete_files_read_together(tmp_path: Path) -> None:
    """Position delete files that are read together delete what each of them deletes."""
    table, _ = many_deletes(tmp_path)
    context = ReadContext(table, table.schema)
    tasks = list(table.scan().plan().tasks())
    cache = Cache()
    read_small_deletes(tasks, context.files, cache)
    known = {each.file_path for task in tasks for each in task.deletes}
    assert len(known) == 11
    assert all(("positions", each) in cache for each in known)
    alone = [deleted_positions(each, context.files, Cache()).tolist() for each in tasks]
    assert [deleted_positions(each, context.files, cache).tolist() for each in tasks] == alone
    assert alone[3] == [0, 2, 3, 8, 9]
    assert alone[11] == [2, 8]
    assert table.scan().count() == 120 - sum(map(len, alone)) == table.scan().to_table().num_rows


def test_a_damaged_delete_file_is_named(tmp_path: Path) -> None:
    """A damaged delete file is an error with its name, even if several are read together."""
    table, paths = many_deletes(tmp_path)
    held = bytearray(paths[6].read_bytes())
    held[4:40] = bytes(36)
    paths[6].write_bytes(held)
    for read in (table.scan().to_table, table.scan().count):
        with pytest.raises(FormatError, match=r"deletes-6\.parquet: "):
            read()


def test_files_of_several_schemas(tmp_path: Path) -> None:
    """Files with other columns are read in their order, and missing columns are null."""
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
    """A column that only the partition has gets the value of each file."""
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
    """Positions and paths are those of each file, even if several are read together."""
    files = [data(tmp_path, number, rows=3) for number in range(4)]
    scan = TableMaker(tmp_path, COLUMNS).commit(*files).open().scan(columns=["_pos", "_file", "x"])
    found = scan.to_table()
    assert found["_pos"].to_pylist() == [0, 1, 2] * 4
    assert found["_file"].to_pylist() == [str(each.path) for each in files for _ in range(3)]


@pytest.mark.parametrize("damage", ["missing", "shorter", "page", "tail", "rows"])
def test_damage_is_named(tmp_path: Path, damage: str) -> None:
    """Rows are returned up to a damaged file, and then an error that names it."""
    files = [data(tmp_path, number, compression="zstd") for number in range(8)]
    bad = files[5].path
    if damage == "rows":
        files[5] = File(bad, 11, length=9)
    maker = TableMaker(tmp_path, COLUMNS).commit(*files)
    held = bytearray(bad.read_bytes())
    if damage == "missing":
        bad.unlink()
    elif damage == "shorter":
        bad.write_bytes(held[:-1])
    elif damage == "page":
        held[4:60] = bytes(56)
        bad.write_bytes(held)
    elif damage == "tail":
        bad.write_bytes(held[:-4] + b"none")
    rows, batches = 0, maker.open().scan().to_batches(threads=1)
    with pytest.raises(ByteloomError, match=r"5\.parquet"):  # noqa: PT012  rows come before it
        for each in batches:
            rows += each.num_rows
    assert rows == 50


def test_large_files_are_read_alone(tmp_path: Path) -> None:
    """Only successive small files are grouped, 32 at first and then twice as many each time."""
    files = [data(tmp_path, number, rows=2) for number in range(100)]
    files[3] = data(tmp_path, 3, rows=300_000, use_dictionary=False, compression="none")
    scan = TableMaker(tmp_path, COLUMNS).commit(*files).open().scan()
    fields = ReadContext(scan.table, scan.schema).fields
    assert [len(each) for each in grouped(scan.plan().tasks(), fields)] == [3, 1, 64, 32]
    assert scan.to_table() == one_by_one(scan)


@pytest.mark.parametrize(("columns", "sizes"), [(1, [8, 2]), (2, [4, 4, 2]), (4, [2] * 5)])
def test_narrow_files_are_read_with_more_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, columns: int, sizes: list[int]
) -> None:
    """A group has the rows of a batch, or more as long as their values are few."""
    monkeypatch.setattr(small_files, "BATCH", 4)
    monkeypatch.setattr(small_files, "_VALUES", 16)
    files = [data(tmp_path, number, rows=2) for number in range(10)]
    scan = TableMaker(tmp_path, COLUMNS).commit(*files).open().scan()
    fields = (ReadContext(scan.table, scan.schema).fields * 4)[:columns]
    assert [len(each) for each in grouped(scan.plan().tasks(), fields)] == sizes


def test_wrong_text_is_refused(tmp_path: Path) -> None:
    """Invalid UTF-8 is an error with its file, even if several are read together."""
    files = [data(tmp_path, number) for number in range(3)]
    wrong = pa.Array.from_buffers(
        pa.string(), 1, [None, pa.py_buffer(np.array([0, 2], np.int32)), pa.py_buffer(b"\xff\xfe")]
    )
    columns = {(1, "x"): pa.array([1]), (2, "s"): wrong}
    files[1] = parquet(files[1].path, arrow(columns))
    table = TableMaker(tmp_path, COLUMNS).commit(*files).open()
    with pytest.raises(FormatError, match=r"1\.parquet.*UTF-?8"):
        table.scan().to_table()
