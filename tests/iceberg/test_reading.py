"""Columns of data files are read by id, with promotions, defaults and name mappings."""

from __future__ import annotations

import datetime as dt
import gc
import json
import os
import re
import threading
import time
from dataclasses import replace
from decimal import Decimal
from itertools import count
from typing import TYPE_CHECKING, Any

import fastavro
import numpy as np
import pyarrow as pa
import pytest
from pyarrow import orc
from pyarrow.fs import LocalFileSystem, SubTreeFileSystem
from tests.support.iceberg_rows import File, TableMaker, arrow, parquet
from tests.support.iceberg_schemas import a_field, a_list, a_map, a_struct

from byteloom.datafiles.damage import about
from byteloom.errors import ByteloomError, FormatError, StorageError
from byteloom.iceberg import col, open_table
from byteloom.iceberg.arrow_types import arrow_schema
from byteloom.iceberg.planning.plan import Change
from byteloom.iceberg.reading import batches as batches_of_scans
from byteloom.iceberg.reading import threads
from byteloom.iceberg.reading.task import batches_of_all, read_task
from byteloom.iceberg.reading.task_rows import _batch_of
from byteloom.iceberg.reading.threads import read_tasks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path


def table_of(
    root: Path,
    columns: Sequence[tuple[Any, ...]],
    held: dict[tuple[int, str], pa.Array],
    **more: Any,
) -> Any:
    """Return a table of one Parquet file."""
    return TableMaker(root, columns, **more).commit(parquet(root / "a.parquet", arrow(held))).open()


@pytest.mark.parametrize(
    ("stored", "of", "values"),
    [
        (pa.array([1, None], pa.int32()), "long", [1, None]),
        (pa.array([1.5, None], pa.float32()), "double", [1.5, None]),
        (pa.array([Decimal("1.25")], pa.decimal128(5, 2)), "decimal(12, 2)", [Decimal("1.25")]),
        (pa.array([-1], pa.date32()), "timestamp", [dt.datetime(1969, 12, 31)]),  # noqa: DTZ001
        (pa.array([b"ab"], pa.binary(2)), "fixed[2]", [b"ab"]),
        (pa.array([b"0123456789abcdef"], pa.binary(16)), "uuid", [b"0123456789abcdef"]),
        (pa.array(["a", None]), "string", ["a", None]),
        (pa.array([b"\x01"]), "geometry", [b"\x01"]),
    ],
)
def test_values_come_in_the_type_of_the_table(
    tmp_path: Path, stored: pa.Array, of: str, values: list[Any]
) -> None:
    """A column stored in a narrower type is read in the type of the table."""
    table = table_of(tmp_path, [(1, "x", of)], {(1, "x"): stored}, version=3)
    rows = table.scan().to_table()
    assert rows.schema == arrow_schema(table.schema)
    assert rows["x"].to_pylist() == values


@pytest.mark.parametrize(
    ("stored", "of"),
    [
        (pa.array([1], pa.int64()), "int"),
        (pa.array([1.5]), "float"),
        (pa.array([Decimal("1.2")], pa.decimal128(5, 1)), "decimal(12, 2)"),
        (pa.array(["a"]), "long"),
        (pa.array([b"abc"]), "fixed[2]"),
        (pa.array([b"\xff"]), "string"),
        (pa.array([200_000_000], pa.date32()), "timestamp_ns"),
        (pa.array([{"a": 1}]), "int"),
    ],
)
def test_what_was_never_promoted_is_refused(tmp_path: Path, stored: pa.Array, of: str) -> None:
    """A column whose stored type cannot become the table's is an error with file and column."""
    table = table_of(tmp_path, [(1, "x", of)], {(1, "x"): stored}, version=3)
    with pytest.raises(FormatError, match=r"a\.parquet.*column x"):
        table.scan().to_table()


def test_columns_follow_their_ids(tmp_path: Path) -> None:
    """Renamed, moved and re-added columns are what their ids say, at every depth."""
    point = pa.struct(
        [
            pa.field("old", pa.int32(), metadata={"PARQUET:field_id": "4"}),
            pa.field("gone", pa.int32(), metadata={"PARQUET:field_id": "5"}),
        ]
    )
    held = {
        (2, "b"): pa.array(["b"]),
        (1, "a"): pa.array([7], pa.int32()),
        (3, "p"): pa.array([{"old": 1, "gone": 2}], point),
    }
    new = a_struct(a_field(6, "gone", "string"), a_field(4, "new", "long"))
    columns = [(3, "q", new), (1, "b", "long"), (8, "a", "string")]
    rows = table_of(tmp_path, columns, held).scan().to_table()
    assert rows.to_pylist() == [{"q": {"gone": None, "new": 1}, "b": 7, "a": None}]


def test_a_struct_keeps_its_nulls_when_none_of_its_fields_is_there(tmp_path: Path) -> None:
    """A struct of which a file has no field keeps its nulls, and is otherwise of nulls."""
    of = pa.struct([pa.field("x", pa.int32(), metadata={"PARQUET:field_id": "2"})])
    new = {"type": "struct", "fields": [{"id": 3, "name": "y", "required": False, "type": "int"}]}
    table = table_of(tmp_path, [(1, "s", new)], {(1, "s"): pa.array([{"x": 1}, None], of)})
    assert table.scan().to_table()["s"].to_pylist() == [{"y": None}, None]


def test_lists_and_maps_evolve_inside(tmp_path: Path) -> None:
    """Elements and values are promoted; null and empty stay what they are."""
    item = pa.field("element", pa.int32(), metadata={"PARQUET:field_id": "2"})
    key = pa.field("key", pa.string(), nullable=False, metadata={"PARQUET:field_id": "4"})
    value = pa.field("value", pa.float32(), metadata={"PARQUET:field_id": "5"})
    held = {
        (1, "l"): pa.array([[1, None], [], None], pa.list_(item)),
        (3, "m"): pa.array([[("a", 0.5)], [], None], pa.map_(key, value)),
    }
    columns = [(1, "l", a_list(2, "long")), (3, "m", a_map(4, "string", 5, "double"))]
    table = table_of(tmp_path, columns, held)
    rows = table.scan().to_table()
    assert rows.schema == arrow_schema(table.schema)
    assert rows["l"].to_pylist() == [[1, None], [], None]
    assert rows["m"].to_pylist() == [[("a", 0.5)], [], None]


def _nested(number: int, *children: pa.Field) -> pa.Field:
    """Return a struct of these fields, as the element of a list."""
    return pa.field("element", pa.struct(children), metadata={"PARQUET:field_id": str(number)})


_NUMBERS: list[pa.Field] = [
    pa.field(name, pa.int32(), metadata={"PARQUET:field_id": str(number)})
    for name, number in (("a", 4), ("b", 5), ("c", 6))
]
_A_MAP: dict[str, Any] = a_map(4, "int", 5, "long")
_A_LIST: dict[str, Any] = a_list(2, "int")
_A_STRUCT: dict[str, Any] = a_struct(a_field(2, "y", "int"))
_STORED: list[pa.Array] = [
    pa.array([1], pa.int32()),
    pa.array([{"a": 1}], pa.struct(_NUMBERS[:1])),
    pa.array([[{"a": 1}]], pa.list_(_nested(2, *_NUMBERS[:1]))),
    pa.array([[{"a": 1, "b": 2, "c": 3}]], pa.list_(_nested(2, *_NUMBERS))),
    pa.array([[1]], pa.list_(_NUMBERS[0].with_name("element"))),
]
_MISMATCHES: list[tuple[Any, str, pa.Array]] = [
    *((_A_MAP, "map<int, long>", _STORED[number]) for number in range(5)),
    *((_A_LIST, "list<int>", _STORED[number]) for number in range(2)),
    *((_A_STRUCT, "struct<2: y: optional int>", _STORED[number]) for number in (0, 2, 4)),
    *(("int", "int", _STORED[number]) for number in (1, 2, 4)),
    *(("variant", "metadata and value of a variant", _STORED[number]) for number in (0, 1, 4)),
]


@pytest.mark.parametrize(
    ("of", "wanted", "stored"), _MISMATCHES, ids=lambda each: str(getattr(each, "type", ""))
)
def test_a_column_of_another_shape_is_refused(
    tmp_path: Path, of: Any, wanted: str, stored: pa.Array
) -> None:
    """A column of another shape is an error with its name, its type and the schema's type."""
    table = table_of(tmp_path, [(1, "c", of)], {(1, "c"): stored}, version=3)
    with pytest.raises(FormatError) as refused:
        table.scan().to_table()
    error = refused.value
    assert (error.path, error.found, error.wanted) == ("column c", str(stored.type), wanted)


@pytest.mark.parametrize("missing", ["metadata", "value"])
def test_a_variant_has_metadata_and_a_value(tmp_path: Path, missing: str) -> None:
    """A struct without metadata or without a value is refused as a variant."""
    (kept,) = {"metadata", "value"} - {missing}
    stored = pa.array([{kept: b"\0"}], pa.struct([(kept, pa.binary())]))
    table = table_of(tmp_path, [(1, "v", "variant")], {(1, "v"): stored}, version=3)
    with pytest.raises(FormatError, match=r"column v: found .*, wanted metadata and value of a v"):
        table.scan().to_table()


def test_a_map_may_be_stored_as_a_list_of_pairs(tmp_path: Path) -> None:
    """A map is read from a list of pairs, as old writers stored it, with the key first."""
    of = pa.list_(_nested(2, *_NUMBERS[:2]))
    stored = pa.array([[{"a": 1, "b": 2}, {"a": 3, "b": None}], None, []], of)
    table = table_of(tmp_path, [(1, "m", _A_MAP)], {(1, "m"): stored})
    assert table.scan().to_table()["m"].to_pylist() == [[(1, 2), (3, None)], None, []]


def test_defaults_fill_what_a_file_does_not_have(tmp_path: Path) -> None:
    """A column missing from a file has its initial default, or else null."""
    inner = a_struct(
        a_field(5, "z", "int", required=True, initial_default=9), a_field(6, "n", "int")
    )
    columns: list[tuple[Any, ...]] = [
        (1, "x", "int"),
        (2, "d", "required decimal(5, 2)", {"initial-default": "1.50"}),
        (3, "n", "string"),
        (4, "s", inner, {"initial-default": {}}),
        (7, "u", "unknown"),
    ]
    table = table_of(tmp_path, columns, {(1, "x"): pa.array([1], pa.int32())}, version=3)
    row = {"x": 1, "d": Decimal("1.50"), "n": None, "s": {"z": 9, "n": None}, "u": None}
    assert table.scan().to_table().to_pylist() == [row]


def test_a_required_column_without_a_value_is_refused(tmp_path: Path) -> None:
    """A missing required column without a default is an error, but only if it is read."""
    held = {(1, "x"): pa.array([1], pa.int32())}
    table = table_of(tmp_path, [(1, "x", "int"), (2, "y", "required int")], held)
    with pytest.raises(FormatError, match=r"column y \(2\).*not in the file"):
        table.scan().to_table()
    assert table.scan(columns=["x"]).to_table().num_rows == 1


def test_a_missing_column_has_the_value_of_its_identity_partition(tmp_path: Path) -> None:
    """A missing column has its identity partition's value, before any default."""
    file = parquet(tmp_path / "a.parquet", arrow({(1, "x"): pa.array([1, 2], pa.int32())}))
    columns: list[tuple[Any, ...]] = [
        (1, "x", "int"),
        (2, "p", "string", {"initial-default": "none"}),
    ]
    table = (
        TableMaker(
            tmp_path, columns, version=3, partitions={0: [(2, 1000, "p_id", "identity", "string")]}
        )
        .commit(File(file.path, file.records, partition={"p_id": "here"}))
        .open()
    )
    assert table.scan().to_table()["p"].to_pylist() == ["here", "here"]


MAPPING = json.dumps(
    [
        {"names": ["x", "old"], "field-id": 1},
        {"names": ["s"], "field-id": 2, "fields": [{"names": ["i"], "field-id": 3}]},
    ]
)
MAPPED = [
    (1, "x", "long"),
    (
        2,
        "s",
        {"type": "struct", "fields": [{"id": 3, "name": "j", "required": False, "type": "int"}]},
    ),
]


def _parquet(path: Path, rows: pa.Table) -> Path:
    parquet(path.with_suffix(".parquet"), rows)
    return path.with_suffix(".parquet")


def _orc(path: Path, rows: pa.Table) -> Path:
    orc.write_table(rows, path.with_suffix(".orc"))
    return path.with_suffix(".orc")


def _avro(path: Path, rows: pa.Table) -> Path:
    inner = {"type": "record", "name": "s", "fields": [{"name": "i", "type": ["null", "int"]}]}
    fields = [{"name": "old", "type": "int"}, {"name": "s", "type": ["null", inner]}]
    with path.with_suffix(".avro").open("wb") as file:
        fastavro.writer(file, {"type": "record", "name": "r", "fields": fields}, rows.to_pylist())
    return path.with_suffix(".avro")


@pytest.mark.parametrize("write", [_parquet, _orc, _avro])
def test_files_without_ids_are_read_by_the_name_mapping(
    tmp_path: Path, write: Callable[[Path, pa.Table], Path]
) -> None:
    """Files without field ids are read by the names of the name mapping."""
    rows = pa.table({"old": pa.array([1], pa.int32()), "s": [{"i": 5}]})
    rows = rows.set_column(1, "s", rows["s"].cast(pa.struct([("i", pa.int32())])))
    file = File(write(tmp_path / "a", rows), 1)
    mapped = {"schema.name-mapping.default": MAPPING}
    table = TableMaker(tmp_path, MAPPED, properties=mapped).commit(file).open()
    assert table.scan().to_table().to_pylist() == [{"x": 1, "s": {"j": 5}}]


def test_nested_columns_are_given_alone_when_asked(tmp_path: Path) -> None:
    """A path gives its struct with only that field, and metadata columns keep their order."""
    of = pa.struct(
        [
            pa.field("a", pa.int32(), metadata={"PARQUET:field_id": "2"}),
            pa.field("b", pa.int32(), metadata={"PARQUET:field_id": "3"}),
        ]
    )
    inner = [
        {"id": 2, "name": "a", "required": False, "type": "int"},
        {"id": 3, "name": "b", "required": False, "type": "int"},
    ]
    held = {(1, "s"): pa.array([{"a": 1, "b": 2}], of)}
    table = table_of(tmp_path, [(1, "s", {"type": "struct", "fields": inner})], held)
    rows = table.scan(columns=["_pos", "s.b", "_spec_id"]).to_table()
    assert rows.to_pylist() == [{"_pos": 0, "s": {"b": 2}, "_spec_id": 0}]
    with pytest.raises(FormatError, match=r"columns.*'nope'"):
        table.scan(columns=["nope"]).to_table()


def test_rows_are_counted_without_columns(tmp_path: Path) -> None:
    """A scan of no columns has batches of the right lengths."""
    table = table_of(tmp_path, [(1, "x", "int")], {(1, "x"): pa.array([1, 2, 3], pa.int32())})
    assert sum(each.num_rows for each in table.scan(columns=[]).to_batches()) == 3


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("threads", [1, 3])
def test_many_files_are_read_in_order_or_not(tmp_path: Path, ordered: bool, threads: int) -> None:
    """Many files give all rows, and in the order of the plan if asked for."""
    files = [
        parquet(
            tmp_path / f"{number}.parquet",
            arrow({(1, "x"): pa.array([10 * number, 10 * number + 1], pa.int32())}),
        )
        for number in range(80)
    ]
    table = TableMaker(tmp_path, [(1, "x", "int")]).commit(*files).open()
    wanted = [10 * number + each for number in range(80) for each in (0, 1)]
    found = table.scan().to_table(ordered=ordered, threads=threads)["x"].to_pylist()
    assert (found if ordered else sorted(found)) == wanted
    limited = table.scan(limit=3).to_table(ordered=ordered, threads=threads)
    assert limited.num_rows == 3
    reader = table.scan().to_batches(ordered=ordered, threads=threads)
    assert next(iter(reader)).num_rows < 160  # the rest is left, and no thread is left


def test_few_values_are_read_by_one_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few local files of few values and bytes are read by one thread, unless the caller asks more.

    Four files have eight values.
    """
    column = {(1, "x"): pa.array([1, 2], pa.int32()), (2, "y"): pa.array([1, 2], pa.int32())}
    files = [parquet(tmp_path / f"{number}.parquet", arrow(column)) for number in range(4)]
    size = sum(each.path.stat().st_size for each in files)
    maker = TableMaker(tmp_path, [(1, "x", "int"), (2, "y", "int")]).commit(*files)
    used: list[int | None] = []

    def noted(*args: Any, threads: int | None, **settings: Any) -> Iterator[pa.RecordBatch]:
        used.append(threads)
        return read_tasks(*args, threads=threads, **settings)

    def threads(values: int, most: float, filesystem: Any = None, asked: int | None = None) -> Any:
        monkeypatch.setattr(batches_of_scans, "_FEW_VALUES", values)
        monkeypatch.setattr(batches_of_scans, "_FEW_BYTES", most)
        table = open_table(maker.open().metadata_location, filesystem=filesystem)
        assert table.scan(columns=["x"]).to_table(threads=asked).num_rows == 8
        return used.pop()

    monkeypatch.setattr(batches_of_scans, "read_tasks", noted)
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    half = size / 2  # of the bytes, since one column of two is read
    assert threads(8, half) == 1
    assert threads(7, half) == 3
    assert threads(8, half - 1) == 3
    assert threads(8, half, asked=2) == 2
    monkeypatch.setattr(batches_of_scans, "_FEW_FILES", 3)
    assert threads(8, half) == 3
    monkeypatch.setattr(batches_of_scans, "_FEW_FILES", 4)
    assert threads(8, half, LocalFileSystem()) == 1
    assert threads(8, half, SubTreeFileSystem("/", LocalFileSystem())) == 3


@pytest.mark.parametrize("ordered", [True, False])
def test_the_end_of_a_scan_never_waits(
    tmp_path: Path, ordered: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The garbage collector may end a scan while a lock is held that its threads wait for."""
    files = [
        parquet(tmp_path / f"{each}.parquet", arrow({(1, "x"): pa.array([each], pa.int32())}))
        for each in range(80)
    ]
    table = TableMaker(tmp_path, [(1, "x", "int")]).commit(*files).open()
    lock, groups = threading.Lock(), count()

    def locked(reading: Any, tasks: Any) -> Any:
        if next(groups) and lock.acquire(timeout=30):  # the scan waits for the first
            lock.release()
        return batches_of_all(reading, tasks)

    monkeypatch.setattr(threads, "batches_of_all", locked)
    with lock:
        batches = iter(table.scan().to_batches(ordered=ordered, threads=2))
        assert next(batches).num_rows < 80
        begin = time.monotonic()
        del batches
        gc.collect()
        assert time.monotonic() - begin < 15


def test_filters_skip_row_groups_and_keep_positions(tmp_path: Path) -> None:
    """Positions are those in the file, whatever a filter skips before them."""
    held = {(1, "x"): pa.array(range(100), pa.int32()), (2, "s"): pa.array(["a"] * 100)}
    file = parquet(tmp_path / "a.parquet", arrow(held), row_group_size=10)
    table = TableMaker(tmp_path, [(1, "y", "long"), (2, "s", "string")]).commit(file).open()
    rows = table.scan((col("y") > 57) & (col("y") < 61), columns=["_pos", "s"]).to_table()
    assert rows["_pos"].to_pylist() == [58, 59, 60]
    assert table.scan(col("s") == "b").to_table().num_rows == 0


@pytest.mark.parametrize("kind", ["parquet", "orc", "avro"])
def test_no_damage_of_a_file_gives_another_error(tmp_path: Path, kind: str) -> None:
    """A damaged data file gives a `ByteloomError` with its name, or all of its rows."""
    write = {"parquet": _parquet, "orc": _orc, "avro": _avro}[kind]
    rows = pa.table({"old": pa.array(range(50), pa.int32())})
    of = pa.struct([("i", pa.int32())])
    rows = rows.append_column("s", pa.array([{"i": each} for each in range(50)], of))
    path = write(tmp_path / "a", rows)
    data = path.read_bytes()
    mapped = {"schema.name-mapping.default": MAPPING}
    for size in range(0, len(data), 7):
        path.write_bytes(data[:size])
        table = TableMaker(tmp_path, MAPPED, properties=mapped).commit(File(path, 50)).open()
        with pytest.raises(FormatError, match=path.name):
            table.scan().to_table(threads=1)
    path.write_bytes(data)
    maker = TableMaker(tmp_path, MAPPED, properties=mapped).commit(File(path, 50))
    for place in range(0, len(data), 11):
        changed = bytearray(data)
        changed[place] ^= 0xFF
        path.write_bytes(changed)
        try:
            rows_left = maker.open().scan().to_table(threads=1).num_rows
        except ByteloomError as error:
            message = str(error)
        else:
            message = f"{path.name} {rows_left}"
            assert rows_left == 50
        assert path.name in message


@pytest.mark.parametrize("kind", ["parquet", "orc", "avro"])
@pytest.mark.parametrize("size", [1, 700, 5_000, 1 << 30])
def test_pieces_of_files_are_read_once_each(tmp_path: Path, kind: str, size: int) -> None:
    """Splits of any size have every row of a file once, with its position."""
    count = 3_000
    held = arrow({(1, "x"): pa.array([each * 2_654_435_761 % 2**32 for each in range(count)])})
    path = tmp_path / f"a.{kind}"
    if kind == "parquet":
        parquet(path, held, row_group_size=400)
    elif kind == "orc":
        mapped = held.replace_schema_metadata({})
        orc.write_table(mapped, path, stripe_size=1_000, batch_size=100)
    else:
        schema = {"type": "record", "name": "r", "fields": [{"name": "x", "type": "long"}]}
        with path.open("wb") as file:
            fastavro.writer(file, schema, held.to_pylist(), sync_interval=500)
    mapping = json.dumps([{"names": ["x"], "field-id": 1}])
    names = {"schema.name-mapping.default": mapping}
    maker = TableMaker(tmp_path, [(1, "x", "long")], properties=names)
    table = maker.commit(File(path, count)).open()
    length = path.stat().st_size
    (task,) = table.scan().plan()
    found = []
    for start in range(0, length, size) if size > 1 else (0,):
        part = replace(task, start=start, length=min(size, length - start) if size > 1 else length)
        rows = read_task(table, part, ["_pos", "x"]).read_all()
        found += list(zip(rows["_pos"].to_pylist(), rows["x"].to_pylist(), strict=True))
    assert found == list(enumerate(held["x"].to_pylist()))


def test_a_broken_name_mapping_is_an_error_in_the_metadata(tmp_path: Path) -> None:
    """The error for a name mapping that cannot be parsed names the table's metadata file."""
    file = parquet(tmp_path / "a.parquet", arrow({(1, "x"): pa.array([1], pa.int32())}))
    names = {"schema.name-mapping.default": "../x"}
    table = TableMaker(tmp_path, [(1, "x", "int")], properties=names).commit(file).open()
    with pytest.raises(FormatError, match=r"name mapping: found '\.\./x', wanted JSON") as found:
        table.scan().to_table()
    assert f"{found.value}".startswith(f"{table.metadata_location}: ")


@pytest.mark.parametrize("kind", ["parquet", "orc", "avro"])
@pytest.mark.parametrize("files", [1, 3])
@pytest.mark.parametrize(
    ("stated", "finding"),
    [
        ({"length": 0}, r"found \d+ bytes, wanted 0 bytes"),
        ({"length": 5}, r"found \d+ bytes, wanted 5 bytes"),
        ({"length": 99_999}, r"found \d+ bytes, wanted 99999 bytes"),
        ({"records": 0}, "record_count: found 2 rows, wanted 0"),
    ],
)
def test_a_sound_file_is_read_though_its_entry_is_wrong(
    tmp_path: Path, kind: str, files: int, stated: dict[str, Any], finding: str
) -> None:
    """A wrong size, or a count of 0, costs no row of a scan, filter, split or count."""
    write = {"parquet": _parquet, "orc": _orc, "avro": _avro}[kind]
    of = pa.struct([("i", pa.int32())])
    rows = pa.table({"old": pa.array([1, 2], pa.int32()), "s": pa.array([{"i": 1}] * 2, of)})
    made = [replace(File(write(tmp_path / f"{each}", rows), 2), **stated) for each in range(files)]
    maker = TableMaker(tmp_path, MAPPED, properties={"schema.name-mapping.default": MAPPING})
    table = maker.commit(*made).open()
    assert table.scan().to_table()["x"].to_pylist() == [1, 2] * files
    assert table.scan("x > 1").to_table()["x"].to_pylist() == [2] * files
    assert (table.scan().count(), table.scan("x > 1").count()) == (2 * files, files)
    parts = [read_task(table, task) for part in table.scan().plan().splits(64) for task in part]
    assert sum(each.read_all().num_rows for each in parts) == 2 * files
    found = table.verify()
    assert len(found) == files
    assert all(re.search(finding, str(each)) for each in found)


def test_a_file_of_another_size_and_number_of_rows_is_refused(tmp_path: Path) -> None:
    """A file that contradicts both numbers of its entry, or is not there, is an error."""
    columns, held = [(1, "x", "int")], arrow({(1, "x"): pa.array([1, 2], pa.int32())})
    file = parquet(tmp_path / "a.parquet", held)
    wrong = TableMaker(tmp_path / "1", columns).commit(File(file.path, 3)).open()
    assert wrong.scan().to_table().num_rows == 2
    wrong = TableMaker(tmp_path / "2", columns).commit(File(file.path, 3, length=5)).open()
    with pytest.raises(FormatError, match=r"a\.parquet: found \d+ bytes, wanted 5"):
        wrong.scan().to_table()
    gone = TableMaker(tmp_path / "3", columns).commit(file).open()
    (task,) = gone.scan().plan()
    file.path.unlink()
    with pytest.raises(StorageError, match=r"a\.parquet"):
        read_task(gone, task).read_all()


def test_rows_of_a_changelog_have_their_kind_of_change(tmp_path: Path) -> None:
    """Rows of a changelog have their change type, its ordinal and the snapshot id."""
    table = table_of(tmp_path, [(1, "id", "long")], {(1, "id"): pa.array([1, 2])})
    stated = {"_change_type": "INSERT", "_change_ordinal": 0, "_commit_snapshot_id": 1}
    assert table.changelog().to_table().to_pylist() == [{"id": each, **stated} for each in (1, 2)]
    chosen = table.changelog(filter="id = 2").select("_change_type", "id", "_pos").to_table()
    assert chosen.to_pylist() == [{"_change_type": "INSERT", "id": 2, "_pos": 1}]
    (task,) = table.changelog().plan()
    deleted = read_task(table, replace(task, change=Change("DELETE", 7, 9)), ["_change_type", "id"])
    assert deleted.read_all().column(0).to_pylist() == ["DELETE", "DELETE"]


def test_rows_of_other_scans_have_no_kind_of_change(tmp_path: Path) -> None:
    """A scan that is not of a changelog refuses the columns of changelogs."""
    table = table_of(tmp_path, [(1, "id", "long")], {(1, "id"): pa.array([1, 2])})
    for scan in (table.scan(), table.incremental_append()):
        assert scan.to_table().column_names == ["id"]
        with pytest.raises(FormatError, match="_change_type"):
            scan.select("_change_type").to_batches()


@pytest.mark.parametrize("threads", ["a", 1.5, 0, -1, True])
def test_a_number_of_threads_is_a_whole_one(tmp_path: Path, threads: Any) -> None:
    """A number of threads that is not an integer of 1 or more is refused."""
    table = table_of(tmp_path, [(1, "x", "int")], {(1, "x"): pa.array([1], pa.int32())})
    scan = table.scan()
    for ask in (scan.to_batches, scan.to_table, scan.count):
        with pytest.raises(FormatError, match=r"^threads: found .*, wanted a number of threads, 1"):
            ask(threads=threads)
    assert scan.to_table(threads=np.int64(2)).num_rows == 1


def test_true_is_no_number(tmp_path: Path) -> None:
    """`True` is refused as a limit and as the id of a snapshot."""
    table = table_of(tmp_path, [(1, "x", "int")], {(1, "x"): pa.array([1], pa.int32())})
    with pytest.raises(FormatError, match=r"^limit: found True, wanted a number of rows"):
        table.scan(limit=True)
    for snapshot in (True, 1.0, [1]):
        with pytest.raises(FormatError, match=r"snapshot: found .*, wanted the id of a snapshot"):
            table.scan(snapshot=snapshot)


@pytest.mark.parametrize(
    ("stated", "shown"),
    [
        ("x" * 301, "x" * 300),
        ("x" * 300 + "\nmore", "x" * 300),
        ("\n a\n b", "a"),
        ("", ""),
    ],
)
@pytest.mark.parametrize("kind", [MemoryError, pa.ArrowMemoryError])
def test_memory_that_runs_out_is_said_in_a_line_of_at_most_300_letters(
    kind: type[Exception], stated: str, shown: str
) -> None:
    """Where memory for a file runs out, the error has the first line of the cause, or its kind."""
    wanted = f"a.parquet: not enough memory to read the file ({shown or kind.__name__})"
    with pytest.raises(StorageError, match=f"^{re.escape(wanted)}$"), about("a.parquet"):
        raise kind(stated)


def test_columns_of_different_lengths_are_an_error() -> None:
    """A column with fewer rows than its file, of a damaged page, is named."""
    schema = pa.schema({"a": pa.int32(), "b": pa.int32()})
    columns = [pa.array([1, 2], pa.int32()), pa.array([], pa.int32())]
    with pytest.raises(FormatError, match=r"^b: found 0 rows, wanted 2 rows$"):
        _batch_of(columns, schema, 2)
