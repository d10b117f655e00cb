"""Rows are deleted by position, by deletion vector, and by the values of equality deletes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import fastavro
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.iceberg_rows import (
    File,
    TableMaker,
    arrow,
    deletion_vectors,
    parquet,
    position_deletes,
)

from byteloom import puffin
from byteloom.datafiles.choosing import kept
from byteloom.errors import ByteloomError, FormatError, Unsupported
from byteloom.iceberg import IntegerType, ListType, NestedField, Schema, StructType, col
from byteloom.iceberg.reading.equality_deletes import Keys, comparable, key_columns

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from byteloom.iceberg import Expression, Table

COLUMNS = [(1, "x", "int")]
PATH, POS = 2_147_483_546, 2_147_483_545


def numbers(path: Path, *values: int | None, **options: Any) -> File:
    """Write a data file of one column."""
    return parquet(path, arrow({(1, "x"): pa.array(values, pa.int32())}), **options)


def equality(path: Path, ids: Sequence[int], columns: dict[tuple[int, str], pa.Array]) -> File:
    """Write an equality delete file."""
    return replace(parquet(path, arrow(columns)), content=2, equality_ids=list(ids))


def left(table: Table, name: str = "x") -> list[Any]:
    """Return the values of the column that are left."""
    values: list[Any] = table.scan().to_table()[name].to_pylist()
    return values


def test_position_deletes_apply_to_the_files_they_name(tmp_path: Path) -> None:
    """Position deletes apply exactly to the data files that they name."""
    data = [numbers(tmp_path / f"{name}.parquet", 0, 1, 2, 3) for name in "abc"]
    one = position_deletes(tmp_path / "d1.parquet", [(data[0].path, 1), (data[1].path, 3)])
    two = position_deletes(tmp_path / "d2.parquet", [(data[0].path, 1), (data[0].path, 0)])
    table = TableMaker(tmp_path, COLUMNS).commit(*data).commit(one, two).open()
    assert left(table) == [2, 3, 0, 1, 2, 0, 1, 2, 3]


def test_position_deletes_of_avro_that_carry_rows(tmp_path: Path) -> None:
    """Position deletes in Avro apply even if they store the deleted row."""
    data = numbers(tmp_path / "a.parquet", 0, 1, 2)
    row = {"type": "record", "name": "row", "fields": [{"name": "x", "type": "int"}]}
    fields = [
        {"name": "file_path", "type": "string", "field-id": PATH},
        {"name": "pos", "type": "long", "field-id": POS},
        {"name": "row", "type": row, "field-id": 2_147_483_544},
    ]
    path = tmp_path / "d.avro"
    with path.open("wb") as file:
        schema = {"type": "record", "name": "r", "fields": fields}
        held = [{"file_path": str(data.path), "pos": 2, "row": {"x": 2}}]
        fastavro.writer(file, schema, held)
    table = TableMaker(tmp_path, COLUMNS).commit(data).commit(File(path, 1, content=1)).open()
    assert left(table) == [0, 1]


@pytest.mark.parametrize("missing", ["file_path", "pos"])
def test_position_deletes_without_a_path_or_a_position_are_refused(
    tmp_path: Path, missing: str
) -> None:
    """A position delete without a path or a position is refused, in a scan and when listed."""
    data = numbers(tmp_path / "a.parquet", 0, 1, 2)
    held = {
        (PATH, "file_path"): pa.array([str(data.path)]),
        (POS, "pos"): pa.array([1], pa.int64()),
    }
    held = {
        key: pa.nulls(1, array.type) if key[1] == missing else array for key, array in held.items()
    }
    deletes = replace(parquet(tmp_path / "d.parquet", arrow(held)), content=1)
    table = TableMaker(tmp_path, COLUMNS).commit(data).commit(deletes).open()
    wanted = r"d\.parquet: file_path, pos: found null, wanted a path and a position$"
    with pytest.raises(FormatError, match=wanted):
        table.scan().to_table()
    with pytest.raises(FormatError, match=wanted):
        table.metadata_table("position_deletes")


def test_deletion_vectors_of_one_puffin_file(tmp_path: Path) -> None:
    """Each data file has its own deletion vector in a shared Puffin file, read by its offset."""
    data = [numbers(tmp_path / f"{name}.parquet", *range(5)) for name in "ab"]
    vectors = deletion_vectors(
        tmp_path / "v.puffin", {data[0].path: [0, 4], data[1].path: [1, 2, 3]}
    )
    table = TableMaker(tmp_path, COLUMNS, version=3).commit(*data).commit(*vectors).open()
    assert left(table) == [1, 2, 3, 0, 4]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"offset": 5}, r"blobs: found no such blob, wanted a deletion vector of \d+ bytes at 5,"),
        ({"size": 10}, "blobs: found no such blob, wanted a deletion vector of 10 bytes at 4,"),
    ],
)
def test_a_vector_is_what_its_entry_says(
    tmp_path: Path, wrong: dict[str, Any], message: str
) -> None:
    """A deletion vector whose entry has another place is refused."""
    data = numbers(tmp_path / "a.parquet", *range(5))
    (vector,) = deletion_vectors(tmp_path / "v.puffin", {data.path: [0, 4]})
    changed = replace(vector, **wrong)
    table = TableMaker(tmp_path, COLUMNS, version=3).commit(data).commit(changed).open()
    with pytest.raises(FormatError, match=rf"v\.puffin.*({message})"):
        table.scan().to_table()


@pytest.mark.parametrize("wrong", [{"records": 3}, {"records": 0}, {"length": 9}])
def test_a_sound_vector_is_read_though_its_entry_is_wrong(
    tmp_path: Path, wrong: dict[str, Any]
) -> None:
    """The number of positions, and the size of the file, are hints; a wrong one is reported."""
    data = numbers(tmp_path / "a.parquet", *range(5))
    (vector,) = deletion_vectors(tmp_path / "v.puffin", {data.path: [0, 4]})
    maker = TableMaker(tmp_path, COLUMNS, version=3).commit(data)
    maker.commit(replace(vector, **wrong), operation="overwrite")
    assert left(maker.open()) == [1, 2, 3]
    assert maker.open().scan().count() == 3
    assert len(maker.open().verify()) == 1


def test_a_bare_vector_is_read_where_its_entry_says(tmp_path: Path) -> None:
    """A file that is a deletion vector alone deletes its rows; it is reported for what it is."""
    data = numbers(tmp_path / "a.parquet", *range(5))
    path = tmp_path / "v.puffin"
    path.write_bytes(puffin.DeletionVector.from_positions([0, 4]).to_bytes())
    bare = replace(
        File(path, 2, content=1), offset=0, size=path.stat().st_size, referenced=str(data.path)
    )
    maker = TableMaker(tmp_path, COLUMNS, version=3).commit(data)
    table = maker.commit(bare, operation="overwrite").open()
    assert left(table) == [1, 2, 3]
    (found,) = table.verify()
    assert "v.puffin: found a bare deletion vector" in str(found)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(FormatError, match=r"v\.puffin"):
        table.scan().to_table()


def test_no_damage_of_a_vector_deletes_other_rows(tmp_path: Path) -> None:
    """A Puffin file with any byte changed is an error or deletes the right rows."""
    data = numbers(tmp_path / "a.parquet", *range(9))
    (vector,) = deletion_vectors(tmp_path / "v.puffin", {data.path: [1, 3, 5]})
    stored = vector.path.read_bytes()
    table = TableMaker(tmp_path, COLUMNS, version=3).commit(data).commit(vector).open()
    (task,) = table.scan().plan()
    assert len(task.deletes) == 1
    for place in range(len(stored)):
        changed = bytearray(stored)
        changed[place] ^= 0x41
        vector.path.write_bytes(changed)
        found = None
        try:
            found = left(table)
        except ByteloomError as error:
            message = str(error)
            continue
        assert found == [0, 2, 4, 6, 7, 8], place
    assert "v.puffin" in message


def test_equality_deletes_match_null_by_null_and_only_older_rows(tmp_path: Path) -> None:
    """Equality deletes match null with null, and do not apply to rows of newer files."""
    old = numbers(tmp_path / "a.parquet", 1, None, 3)
    gone = equality(tmp_path / "e.parquet", [1], {(1, "x"): pa.array([None, 3], pa.int32())})
    new = numbers(tmp_path / "b.parquet", 3, None)
    table = TableMaker(tmp_path, COLUMNS).commit(old).commit(gone, new).open()
    assert left(table) == [1, 3, None]


def test_equality_deletes_of_different_columns(tmp_path: Path) -> None:
    """Each equality delete file compares its own columns, all of them together."""
    columns = [(1, "x", "int"), (2, "s", "string")]
    held = {
        (1, "x"): pa.array([1, 1, 2, 2, None], pa.int32()),
        (2, "s"): pa.array(["a", "b", "a", None, None]),
    }
    data = parquet(tmp_path / "a.parquet", arrow(held))
    pairs = {(2, "s"): pa.array(["a", None]), (1, "x"): pa.array([1, None], pa.int32())}
    deletes = [
        equality(tmp_path / "e.parquet", [1, 2], pairs),
        equality(tmp_path / "f.parquet", [2], {(2, "s"): pa.array(["b"])}),
    ]
    table = TableMaker(tmp_path, columns).commit(data).commit(*deletes).open()
    assert table.scan(columns=["x", "s"]).to_table().to_pylist() == [
        {"x": 2, "s": "a"},
        {"x": 2, "s": None},
    ]


def test_equality_deletes_by_promoted_and_dropped_columns(tmp_path: Path) -> None:
    """Equality deletes apply by columns that were promoted or dropped afterwards."""
    old = [(1, "x", "int"), (2, "gone", "int")]
    held = {
        (1, "x"): pa.array([1, 2, 3], pa.int32()),
        (2, "gone"): pa.array([7, 8, 9], pa.int32()),
    }
    data = parquet(tmp_path / "a.parquet", arrow(held))
    deletes = [
        equality(tmp_path / "e.parquet", [1], {(1, "x"): pa.array([1], pa.int32())}),
        equality(tmp_path / "f.parquet", [2], {(2, "gone"): pa.array([9], pa.int32())}),
    ]
    maker = TableMaker(tmp_path, [(1, "y", "long"), (3, "gone", "int")], old_columns=[old])
    table = maker.commit(data).commit(*deletes).open()
    assert table.scan().to_table().to_pylist() == [{"y": 2, "gone": None}]


def test_equality_deletes_by_a_field_of_a_struct(tmp_path: Path) -> None:
    """An equality delete compares a field of a struct, which is null if the struct is."""
    of = pa.struct([pa.field("a", pa.int32(), metadata={"PARQUET:field_id": "2"})])
    inner = {"type": "struct", "fields": [{"id": 2, "name": "a", "required": False, "type": "int"}]}
    data = parquet(
        tmp_path / "a.parquet", arrow({(1, "s"): pa.array([{"a": 1}, None, {"a": 2}], of)})
    )
    gone = equality(tmp_path / "e.parquet", [2], {(1, "s"): pa.array([{"a": 1}, None], of)})
    table = TableMaker(tmp_path, [(1, "s", inner)]).commit(data).commit(gone).open()
    assert left(table, "s") == [{"a": 2}]


@pytest.mark.parametrize(
    ("asked", "rows"),
    [(col("y") > 50, [2]), (col("x") == 1, []), ((col("x") < 2) & (col("y") == 90), [])],
    ids=str,
)
def test_what_an_equality_delete_does_not_compare_may_hold_anything(
    tmp_path: Path, asked: Expression, rows: list[int]
) -> None:
    """A filter on a column that an equality delete does not compare keeps the delete."""
    columns = [(1, "x", "int"), (2, "y", "int")]
    held = {(1, "x"): pa.array([1, 2], pa.int32()), (2, "y"): pa.array([90, 80], pa.int32())}
    stale = {(1, "x"): pa.array([1], pa.int32()), (2, "y"): pa.array([5], pa.int32())}
    gone = equality(tmp_path / "e.parquet", [1], stale)
    stated = {number: np.int32(each).tobytes() for number, each in ((1, 1), (2, 5))}
    table = (
        TableMaker(tmp_path, columns)
        .commit(parquet(tmp_path / "a.parquet", arrow(held)))
        .commit(replace(gone, bounds=stated))
        .open()
    )
    assert table.scan(asked, columns=["x"]).to_table()["x"].to_pylist() == rows
    assert [len(each.deletes) for each in table.scan(col("x") == 2).plan()] == [0]


def test_an_equality_delete_without_its_column_is_refused(tmp_path: Path) -> None:
    """An equality delete file without a column that its entry names is refused."""
    data = numbers(tmp_path / "a.parquet", 1)
    gone = equality(tmp_path / "e.parquet", [1], {(9, "z"): pa.array([1])})
    table = TableMaker(tmp_path, COLUMNS).commit(data).commit(gone).open()
    with pytest.raises(FormatError, match=r"e\.parquet.*equality_ids"):
        table.scan().to_table()


def test_zeros_of_either_sign_differ_and_all_nans_are_one() -> None:
    """Equality deletes compare floats as Java does: by bits, with all NaNs equal."""
    nan = np.array([0x7FF8_0000_0000_0001], np.int64).view(np.float64)[0]
    doubles = pa.array(np.array([-0.0, np.nan]))
    keys = Keys([comparable(doubles)])
    asked = comparable(pa.array(np.array([0.0, -0.0, nan, 1.0])))
    assert keys.contains([asked]).tolist() == [False, True, True, False]


small = st.one_of(st.none(), st.integers(-2, 2))


@given(st.lists(st.tuples(small, small, small)), st.lists(st.tuples(small, small, small)))
def test_keys_hold_what_a_set_of_tuples_holds(
    keys: list[tuple[Any, ...]], rows: list[tuple[Any, ...]]
) -> None:
    """Looking up columns gives what a set of tuples gives, with nulls."""
    held = Keys([pa.array([each[at] for each in keys], pa.int64()) for at in range(3)])
    asked = [pa.array([each[at] for each in rows], pa.int64()) for at in range(3)]
    assert held.contains(asked).tolist() == [each in set(keys) for each in rows]


@given(st.data())
def test_rows_that_are_kept_are_those_that_arrow_filters(data: st.DataObject) -> None:
    """Keeping any share of the rows gives what Arrow's filter gives, for every kind of column."""
    rows = data.draw(st.integers(0, 60))
    drawn = data.draw(st.lists(st.integers(0, 9), min_size=rows, max_size=rows))
    keep = np.array(drawn) > data.draw(st.integers(-1, 9), label="the share that is left out")
    texts = data.draw(st.lists(st.text(max_size=5), min_size=rows, max_size=rows))
    columns = [
        pa.array([b"", *(each.encode() for each in texts)], pa.large_binary()).slice(1),
        pa.array(texts, pa.string()),
        pa.array(range(rows), pa.int32()),
        pa.array([0, *range(rows)], pa.timestamp("us")).slice(1),
        pa.array([None if each % 3 == 0 else each for each in range(rows)], pa.int64()),
        pa.array([each % 2 == 0 for each in range(rows)], pa.bool_()),
        pa.array([each or None for each in texts], pa.large_string()),
        pa.array(texts, pa.string()).dictionary_encode(),
        pa.array([None, *(each or None for each in texts)], pa.binary()).dictionary_encode()[1:],
    ]
    found = kept(columns, keep.astype(np.bool_))
    for ours, column in zip(found, columns, strict=True):
        ours.validate(full=True)
        assert ours.to_pylist() == column.filter(pa.array(keep, pa.bool_())).to_pylist()


def test_deleted_rows_are_given_with_a_flag_when_asked(tmp_path: Path) -> None:
    """With `_deleted`, a scan returns deleted rows too, if they match its filter."""
    data = numbers(tmp_path / "a.parquet", *range(5))
    gone = position_deletes(tmp_path / "d.parquet", [(data.path, 1), (data.path, 4)])
    table = TableMaker(tmp_path, COLUMNS).commit(data).commit(gone).open()
    rows = table.scan(col("x") > 0, columns=["x", "_deleted"]).to_table()
    assert rows.to_pydict() == {"x": [1, 2, 3, 4], "_deleted": [True, False, False, True]}


def test_rows_have_the_ids_and_ages_that_are_stored_or_follow(tmp_path: Path) -> None:
    """A row keeps its stored id, or else has the file's first id plus its position."""
    plain = numbers(tmp_path / "a.parquet", 5, 6, 7)
    moved = {
        (1, "x"): pa.array([8, 9], pa.int32()),
        (2_147_483_540, "_row_id"): pa.array([0, None], pa.int64()),
        (2_147_483_539, "_last_updated_sequence_number"): pa.array([None, 1], pa.int64()),
    }
    other = parquet(tmp_path / "b.parquet", arrow(moved))
    (vector,) = deletion_vectors(tmp_path / "v.puffin", {plain.path: [1]})
    table = TableMaker(tmp_path, COLUMNS, version=3).commit(plain).commit(other, vector).open()
    names = ["x", "_row_id", "_last_updated_sequence_number"]
    assert [tuple(each.values()) for each in table.scan(columns=names).to_table().to_pylist()] == [
        (5, 0, 1),
        (7, 2, 1),
        (8, 0, 2),
        (9, 4, 1),
    ]


def test_partitions_of_several_specs_are_one_struct(tmp_path: Path) -> None:
    """`_partition` has the fields of all specs, with values for those of the file's own spec."""
    specs = {0: [(1, 1000, "x", "identity", "int")], 1: [(1, 1001, "x_bucket", "bucket[4]", "int")]}
    files = [
        replace(numbers(tmp_path / "a.parquet", 1), partition={"x": 1}),
        replace(numbers(tmp_path / "b.parquet", 2), partition={"x_bucket": 3}, spec_id=1),
    ]
    table = TableMaker(tmp_path, COLUMNS, partitions=specs).commit(*files).open()
    rows = table.scan(columns=["_partition", "_spec_id"]).to_table().to_pylist()
    assert rows == [
        {"_partition": {"x": 1, "x_bucket": None}, "_spec_id": 0},
        {"_partition": {"x": None, "x_bucket": 3}, "_spec_id": 1},
    ]


def test_tables_partitioned_by_unknown_transforms_are_read(tmp_path: Path) -> None:
    """A partition of an unknown transform prunes no file, and its value is shown as text."""
    specs = {0: [(1, 1000, "x_order", "zorder[3]", "int")]}
    file = replace(numbers(tmp_path / "a.parquet", 1, 2), partition={"x_order": -7})
    table = TableMaker(tmp_path, COLUMNS, partitions=specs).commit(file).open()
    rows = table.scan(col("x") == 2, columns=["x", "_partition"]).to_table().to_pylist()
    assert rows == [{"x": 2, "_partition": {"x_order": "-7"}}]
    assert table.metadata_table("files")["partition"].to_pylist() == [{"x_order": "-7"}]
    assert table.verify() == []


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    values=st.lists(st.integers(0, 50), min_size=1, max_size=200),
    gone=st.sets(st.integers(0, 199), max_size=60),
    least=st.integers(0, 50),
)
def test_any_rows_deleted_and_filtered_leave_the_others(
    tmp_path: Path, values: list[int], gone: set[int], least: int
) -> None:
    """Deletes and filters leave the rows and positions that a plain loop leaves."""
    data = numbers(tmp_path / "a.parquet", *values, row_group_size=16)
    vectors = deletion_vectors(tmp_path / "v.puffin", {data.path: sorted(gone)})
    maker = TableMaker(tmp_path, COLUMNS, version=3).commit(data)
    table = maker.commit(*(vectors if gone else ())).open()
    rows = table.scan(col("x") >= least, columns=["_pos", "x"]).to_table()
    wanted = [(at, x) for at, x in enumerate(values) if at not in gone and x >= least]
    assert list(zip(*rows.to_pydict().values(), strict=True)) == wanted


@pytest.mark.parametrize("value", [None, 1])
def test_a_field_of_a_null_struct_is_null_to_equality_deletes(
    tmp_path: Path, value: int | None
) -> None:
    """A null in an equality delete matches rows whose struct around the column is null."""
    of = pa.struct([pa.field("a", pa.int64(), metadata={"PARQUET:field_id": "2"})])
    columns = [
        (1, "st", {"type": "struct", "fields": [column(2, "a")]}),
        (3, "id", "long"),
    ]
    held = {
        (1, "st"): pa.array([None, {"a": None}, {"a": 1}, {"a": 2}], of),
        (3, "id"): pa.array(range(4), pa.int64()),
    }
    data = parquet(tmp_path / "a.parquet", arrow(held))
    gone = parquet(tmp_path / "d.parquet", arrow({(1, "st"): pa.array([{"a": value}], of)}))
    deletes = File(gone.path, 1, content=2, equality_ids=[2])
    table = TableMaker(tmp_path, columns).commit(data).commit(deletes).open()
    left = table.scan(columns=["id"]).to_table()["id"].to_pylist()
    assert left == ([2, 3] if value is None else [0, 1, 3])
    assert table.scan("st.a is null").to_table().num_rows == (0 if value is None else 2)


def column(number: int, name: str) -> dict[str, Any]:
    """Return an optional long inside a struct, as JSON."""
    return {"id": number, "name": name, "required": False, "type": "long"}


@pytest.mark.parametrize(
    ("number", "found"),
    [
        (2, "column l of type list<int>"),
        (3, "column l.element of type int"),
        (4, "column s of type struct<5: n: optional int>"),
    ],
)
def test_equality_deletes_are_of_plain_columns(number: int, found: str) -> None:
    """Rows are not compared by a list, a struct, or a value of which a row has several."""
    inner = StructType((NestedField(5, "n", IntegerType()),))
    schema = Schema(
        [
            NestedField(2, "l", ListType(3, IntegerType())),
            NestedField(4, "s", inner),
        ]
    )
    assert [each.path for each in key_columns([5], [schema])] == [(4, 5)]
    with pytest.raises(Unsupported) as error:
        key_columns([5, number], [schema])
    assert str(error.value) == f"equality_ids: found {found}, wanted plain columns"
