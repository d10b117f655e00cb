"""Rows, arguments and disks that make a change of a table fail: it is as before, with its files."""

from __future__ import annotations

from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from tests.support.forks import forks

from byteloom.errors import ArgumentError, ByteloomError, FormatError, LimitExceeded, Unsupported
from byteloom.iceberg import create_table, open_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from byteloom.iceberg import Table

INNER = pa.struct([pa.field("a", pa.int32(), nullable=False)])
COLUMNS = pa.schema(
    [
        pa.field("id", pa.int32(), nullable=False),
        pa.field("name", pa.string()),
        pa.field("price", pa.decimal128(9, 2)),
        pa.field("at", pa.timestamp("us")),
        pa.field("tags", pa.list_(pa.int32())),
        pa.field("s", INNER),
    ]
)
QUICK = {"commit.retry.min-wait-ms": "1"}


def made(folder: Path, **options: Any) -> Table:
    """Return a table with three rows."""
    table = create_table(folder / "t", COLUMNS, properties=QUICK, **options)
    return table.append(pa.table({"id": pa.array([1, 2, 3], pa.int32()), "name": ["a", "b", "c"]}))


def row(**columns: Any) -> pa.Table:
    """Return a row of some columns."""
    return pa.table({"id": pa.array([7], pa.int32()), **columns})


def state(folder: Path) -> tuple[Any, ...]:
    """Return the rows, the snapshots and the files of the table in a folder."""
    table = open_table(folder / "t")
    files = sorted(str(each) for each in folder.rglob("*") if each.is_file())
    return table.scan().to_table().sort_by("id").to_pylist(), len(table.snapshots), files


def in_transaction(table: Table, rows: Any) -> None:
    """Append rows after others, in one commit."""
    with table.transaction() as change:
        change.append(row(name=["before"]))
        change.append(rows)


VERBS: dict[str, Callable[[Table, Any], object]] = {
    "append": lambda table, rows: table.append(rows),
    "overwrite": lambda table, rows: table.overwrite(rows, "id = 1"),
    "overwrite_partitions": lambda table, rows: table.overwrite_partitions(rows),
    "upsert": lambda table, rows: table.upsert(rows, "id"),
    "transaction": in_transaction,
}


def wrong_later() -> Iterator[pa.RecordBatch]:
    """Yield a batch that fits the table, and one that does not."""
    yield row().to_batches()[0]
    yield pa.RecordBatch.from_pydict({"id": ["x"]})


NULL = pa.table({"id": pa.array([None], pa.int32())})
BAD_TEXT = pa.Array.from_buffers(
    pa.string(), 1, [None, pa.py_buffer(bytes(4) + b"\2\0\0\0"), pa.py_buffer(b"\xff\xfe")]
)
CODES = pa.array([9], pa.int8())


class NoStream:
    """An object that exports something else than a stream."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return no capsule."""
        return 5


LATE = pa.array([1 << 60], pa.timestamp("s"))
ROWS: dict[str, Callable[[], Any]] = {
    "a column too many": lambda: row(more=[1]),
    "a required column is missing": lambda: pa.table({"name": ["x"]}),
    "null in a required column": lambda: NULL,
    "a wider integer": lambda: pa.table({"id": [1 << 40]}),
    "text": lambda: pa.table({"id": ["7"]}),
    "a fraction": lambda: pa.table({"id": [7.5]}),
    "more digits": lambda: row(price=pa.array(["1.234"]).cast(pa.decimal128(9, 3))),
    "a moment with a zone": lambda: row(at=pa.array([1], pa.timestamp("us", "UTC"))),
    "a moment too late": lambda: row(at=LATE),
    "text that is not UTF-8": lambda: row(name=BAD_TEXT),
    "a code beyond its dictionary": lambda: row(
        name=pa.DictionaryArray.from_arrays(CODES, ["x", None], safe=False)
    ),
    "a code beyond its dictionary of lists": lambda: row(
        tags=pa.DictionaryArray.from_arrays(CODES, pa.array([[1]]), safe=False)
    ),
    "no stream": NoStream,
    "elements of another type": lambda: row(tags=[["x"]]),
    "null in a required field": lambda: row(s=pa.array([{"a": None}])),
    "a field is missing": lambda: row(s=pa.array([{}], pa.struct([]))),
    "two columns of a name": lambda: pa.Table.from_arrays([NULL["id"]] * 2, ["id", "id"]),
    "another type in a later batch": wrong_later,
    "a number": lambda: 5,
    "nothing": lambda: None,
    "dictionaries of Python": lambda: [{"id": 7}],
}


@pytest.mark.parametrize("bad", ROWS)
def test_rows_that_do_not_fit_leave_nothing(tmp_path: Path, bad: str) -> None:
    """Every verb refuses them with an error of ours, and removes what it wrote."""
    made(tmp_path)
    before = state(tmp_path)
    for verb in VERBS.values():
        table, rows = open_table(tmp_path / "t"), ROWS[bad]()
        with pytest.raises(ByteloomError):
            verb(table, rows)
        assert state(tmp_path) == before


def test_an_error_of_the_caller_leaves_nothing(tmp_path: Path) -> None:
    """What a generator of rows raises is what the caller gets."""

    def failing() -> Iterator[pa.RecordBatch]:
        yield row().to_batches()[0]
        raise KeyError("theirs")

    made(tmp_path)
    before = state(tmp_path)
    for verb in VERBS.values():
        table = open_table(tmp_path / "t")
        with pytest.raises(KeyError, match="theirs"):
            verb(table, failing())
        assert state(tmp_path) == before


CHANGES: dict[str, Callable[[Table], object]] = {
    "append": lambda table: table.append(row()),
    "overwrite": lambda table: table.overwrite(row(), "id = 1"),
    "delete": lambda table: table.delete("id = 2"),
    "update": lambda table: table.update({"name": "z"}, "id = 2"),
    "upsert": lambda table: table.upsert(row(), "id"),
    "delete_keys": lambda table: table.delete_keys(row()),
    "evolve": lambda table: table.evolve().add_column("more", "int").commit(),
    "set_properties": lambda table: table.set_properties({"a": "b"}),
    "create_branch": lambda table: table.create_branch("audit"),
    "transaction": lambda table: in_transaction(table, row()),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("is_replaced", [False, True], ids=["dropped", "replaced"])
def test_a_table_that_is_gone_is_not_changed(
    tmp_path: Path, change: str, is_replaced: bool
) -> None:
    """Nor is the one that took its place."""
    table = made(tmp_path)
    rmtree(tmp_path / "t")
    if is_replaced:
        create_table(tmp_path / "t", pa.schema({"id": pa.int32()}))
        before = state(tmp_path)
    with pytest.raises(ByteloomError):
        CHANGES[change](table)
    if is_replaced:
        assert state(tmp_path) == before
    assert not list(tmp_path.rglob("*.metadata.json")) or is_replaced


_LIMITED = """
import resource, signal, sys
sys.path.insert(0, {root!r})
from pathlib import Path
from byteloom.errors import ByteloomError
from byteloom.iceberg import open_table
from tests.iceberg.test_bad_changes import CHANGES
table = open_table({place!r})
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
said = []
for name, change in CHANGES.items():
    resource.setrlimit(resource.RLIMIT_FSIZE, ({most}, resource.RLIM_INFINITY))
    try:
        change(table)
    except ByteloomError as error:
        said.append(type(error).__name__)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
print(*said)
"""


@pytest.mark.parametrize("most", [0, 300, 1200])
def test_a_full_disk_leaves_a_table_as_it_was(tmp_path: Path, most: int) -> None:
    """A file that ends too early is never the table's, and is removed."""
    made(tmp_path)
    before = state(tmp_path)
    root, place = str(Path(__file__).parents[2]), str(tmp_path / "t")
    code = _LIMITED.format(root=root, place=place, most=most)
    with forks("byteloom.iceberg") as process:
        printed = process.run(code, tmp_path)
    assert printed.split() == ["StorageError"] * len(CHANGES)
    assert state(tmp_path) == before


def deep(levels: int) -> pa.DataType:
    """Return a type of lists in lists."""
    of = pa.int32()
    for _ in range(levels):
        of = pa.list_(of)
    return of


@pytest.mark.parametrize("levels", [120, 3000])
def test_a_type_of_too_many_levels_is_refused(tmp_path: Path, levels: int) -> None:
    """The error names the column."""
    with pytest.raises(LimitExceeded, match=r"found \d+ levels, wanted at most"):
        create_table(tmp_path / "t", pa.schema({"c": deep(levels)}))


def test_rows_that_no_reader_takes_are_not_written(tmp_path: Path) -> None:
    """Arrow reads Parquet of 100 levels: a list is two."""
    for levels, is_read in ((49, True), (50, False)):
        columns = pa.schema({"id": pa.int32(), "c": deep(levels)})
        table = create_table(tmp_path / f"t{levels}", columns)
        rows = pa.table({"id": [1], "c": pa.nulls(1)}).cast(columns)
        if is_read:
            assert table.append(rows).scan().to_table().to_pylist() == [{"id": 1, "c": None}]
            continue
        with pytest.raises(Unsupported, match=r"column c\..*: found more than 99 levels"):
            table.append(rows)


@pytest.mark.parametrize(
    ("call", "found"),
    [
        (lambda table: table.update({5: 1}, "true"), "values: found 5"),
        (lambda table: table.update({"s.a": 1}, "true"), "s.a"),
        (lambda table: table.update({"id": pc.field("no") + 1}, "true"), "column id"),
        (lambda table: table.add_files(None), "paths: found None"),
        (lambda table: table.add_files([5]), "paths: found 5"),
        (lambda _: create_table(None, COLUMNS), "place: found None"),  # type: ignore[arg-type]
        (lambda table: create_table(f"{table.metadata.location}2", "id"), "schema: found 'id'"),
    ],
)
def test_arguments_of_another_type_are_named(
    tmp_path: Path, call: Callable[[Table], object], found: str
) -> None:
    """The error says which argument, and what it was."""
    table = made(tmp_path)
    before = state(tmp_path)
    with pytest.raises((ArgumentError, FormatError), match=found):
        call(table)
    assert state(tmp_path) == before
