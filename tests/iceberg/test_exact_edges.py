"""Small parts work at their edges: the last row, the first duplicate, the exact limit.

These parts are internal: no small table leads to their edges.
"""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from uuid import UUID

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from byteloom.datafiles.data_file import BATCH
from byteloom.datafiles.parquet_file import _fetches, _runs
from byteloom.errors import FormatError
from byteloom.iceberg import col, parse_primitive
from byteloom.iceberg.expressions.ast import FALSE, TRUE, And, Not, Or
from byteloom.iceberg.expressions.spelling import literal_text
from byteloom.iceberg.manifests.joining import joined_tuples
from byteloom.iceberg.manifests.program import compile_program
from byteloom.iceberg.planning.plan import DeleteFile
from byteloom.iceberg.reading import small_deletes
from byteloom.iceberg.reading.batches import first_rows
from byteloom.iceberg.reading.cache import Cache
from byteloom.iceberg.reading.conversion import converted
from byteloom.iceberg.reading.position_deletes import positions_by_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

A, B = col("a") == 1, col("b") == 2


def pulled(*sizes: int) -> tuple[list[int], Iterator[pa.RecordBatch]]:
    """Return batches of a given number of rows, and the sizes of those that were asked for."""
    asked: list[int] = []

    def batches() -> Iterator[pa.RecordBatch]:
        for size in sizes:
            asked.append(size)
            yield pa.record_batch({"x": list(range(size))})

    return asked, batches()


@pytest.mark.parametrize(
    ("limit", "rows", "asked"),
    [
        (None, [2, 3, 4], [2, 3, 4]),
        (0, [], [2]),
        (1, [1], [2]),
        (2, [2], [2]),
        (3, [2, 1], [2, 3]),
        (5, [2, 3], [2, 3]),
        (9, [2, 3, 4], [2, 3, 4]),
        (10, [2, 3, 4], [2, 3, 4]),
    ],
)
def test_no_batch_is_asked_for_after_the_last_row(
    limit: int | None, rows: list[int], asked: list[int]
) -> None:
    """No batch is read after the one that reaches the limit of rows."""
    seen, batches = pulled(2, 3, 4)
    assert [each.num_rows for each in first_rows(batches, limit)] == rows
    assert seen == asked


@pytest.mark.parametrize(
    ("parts", "found"),
    [
        ([(["a"], [0, 0, 0], [5, 1, 5])], {"a": [1, 5]}),
        ([(["a"], [0, 0], [1, 2]), (["a"], [0], [2])], {"a": [1, 2]}),
        ([(["a", "b"], [1, 0, 1], [7, 8, 3])], {"b": [3, 7], "a": [8]}),
        ([(["a", "b"], [], [])], {}),
        ([(["b", "a"], [1, 1], [4, 4])], {"a": [4]}),
    ],
)
def test_positions_ascend_by_path_each_once(
    parts: Sequence[tuple[list[str], list[int], list[int]]], found: dict[str, list[int]]
) -> None:
    """Deleted positions are sorted and unique for each path, whatever their order was."""
    given = [
        (names, np.array(codes, np.int32), np.array(numbers, np.int64))
        for names, codes, numbers in parts
    ]
    made = positions_by_path(given)
    assert {path: numbers.tolist() for path, numbers in made.items()} == found


@pytest.mark.parametrize(
    ("types", "wanted"),
    [
        ([pa.int32(), pa.int64()], pa.int64()),
        ([pa.int64(), pa.int32(), pa.int32()], pa.int64()),
        ([pa.float32(), pa.float64()], pa.float64()),
        ([pa.date32(), pa.timestamp("ns")], pa.timestamp("ns")),
        ([pa.null(), pa.string()], pa.string()),
        ([pa.decimal128(9, 2), pa.decimal128(12, 2)], pa.decimal128(12, 2)),
        ([pa.decimal128(12, 2), pa.decimal128(9, 2)], pa.decimal128(12, 2)),
        (
            [pa.struct({"a": pa.int32()}), pa.struct({"a": pa.int64()})],
            pa.struct({"a": pa.int64()}),
        ),
        (
            [pa.struct({"a": pa.int32(), "b": pa.bool_()})] * 2
            + [pa.struct({"a": pa.int64(), "b": pa.bool_()})],
            pa.struct({"a": pa.int64(), "b": pa.bool_()}),
        ),
    ],
)
def test_partitions_of_several_manifests_have_the_wider_type(
    types: list[pa.DataType], wanted: pa.DataType
) -> None:
    """Partitions of several manifests get the wider type, in any order of the manifests."""
    assert joined_tuples([pa.nulls(1, each) for each in types]).type == wanted


@pytest.mark.parametrize(
    "types",
    [
        [pa.int32(), pa.float64()],
        [pa.decimal128(9, 2), pa.decimal128(12, 3)],
        [pa.struct({"a": pa.int32()}), pa.struct({"b": pa.int32()})],
        [pa.struct({"a": pa.int32()}), pa.struct({"a": pa.string()})],
        [pa.struct({"a": pa.int32()}), pa.int32()],
        [pa.bool_(), pa.string(), pa.int32()],
    ],
)
def test_partitions_of_unlike_types_are_refused(types: list[pa.DataType]) -> None:
    """Partitions of unrelated types are an error that lists the types."""
    found = ", ".join(sorted(map(str, types))).replace("(", r"\(").replace(")", r"\)")
    for given in (types, types[::-1]):
        with pytest.raises(
            FormatError, match=rf"^partition: found {found}, wanted values of one type$"
        ):
            joined_tuples([pa.nulls(1, each) for each in given])


def test_negations_and_joins_of_what_is_known_are_known() -> None:
    """Double negations, and joins with true or false, are simplified."""
    assert (Not.of(TRUE), Not.of(FALSE), Not.of(Not.of(A))) == (FALSE, TRUE, A)
    assert (And.of(TRUE, A), And.of(A, TRUE), And.of(FALSE, A), And.of(A, FALSE)) == (
        A,
        A,
        FALSE,
        FALSE,
    )
    assert (Or.of(FALSE, A), Or.of(A, FALSE), Or.of(TRUE, A), Or.of(A, TRUE)) == (A, A, TRUE, TRUE)
    assert (And.of(A, B), Or.of(A, B)) == (And(A, B), Or(A, B))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"),
        (np.bool_(False), "false"),
        (3, "3"),
        (np.int64(-3), "-3"),
        (np.float64(0.5), "0.5e0"),
        (Decimal("14.20"), "14.20"),
        ("it's", "'it''s'"),
        (b"\x00\xff", "X'00ff'"),
        (UUID(int=1), "uuid '00000000-0000-0000-0000-000000000001'"),
        (dt.date(2024, 1, 2), "date '2024-01-02'"),
        (dt.time(1, 2), "time '01:02:00'"),
        (object, "'<class ''object''>'"),
    ],
)
def test_literals_are_written_as_users_write_them(value: Any, text: str) -> None:
    """Literals of Python and NumPy are written in the syntax of filters."""
    assert literal_text(value) == text


@pytest.mark.parametrize(
    ("union", "found"),
    [
        (["null", "string", "long"], "a union of 3"),
        (["string", "long"], "a union of 2"),
        (["string"], "a union of 1"),
    ],
)
def test_unions_in_manifests_are_of_null_and_one_other_type(union: list[str], found: str) -> None:
    """A union in a manifest is of null and one other type; any other is an error with its field."""
    field = {"name": "p", "type": union, "field-id": 100}
    schema = {"type": "record", "name": "r", "fields": [field]}
    with pytest.raises(
        FormatError, match=f"^avro.schema.p: found {found}, wanted null and one other type$"
    ):
        compile_program(schema, {100: "view"})
    for order in (["null", "string"], ["string", "null"]):
        made = compile_program({**schema, "fields": [{**field, "type": order}]}, {100: "view"})
        assert 100 in made.found


_ARRAY = {"type": "array", "items": "long"}
_ROWS = {"type": "record", "name": "row", "fields": [{"name": "x", "type": "string"}]}
_PAIRS = {
    "type": "record",
    "name": "pair",
    "fields": [
        {"name": "key", "type": "int", "field-id": 101},
        {"name": "value", "type": "bytes", "field-id": 102},
    ],
}
_COUNTS = {**_PAIRS, "fields": [_PAIRS["fields"][0], {"name": "value", "type": "long"}]}
_STORED = {
    "boolean": "boolean",
    "int": "int",
    "long": "long",
    "float": "float",
    "double": "double",
    "bytes": "bytes",
    "string": "string",
    "fixed": {"type": "fixed", "name": "f", "size": 2},
    "enum": {"type": "enum", "name": "e", "symbols": ["A"]},
    "record": _ROWS,
    "map": {"type": "map", "values": "long"},
    "longs": _ARRAY,
    "rows": {"type": "array", "items": _ROWS},
    "counts": {"type": "array", "items": _COUNTS},
    "bounds": {"type": "array", "items": _PAIRS},
}


@pytest.mark.parametrize(
    ("kind", "stored"),
    [
        ("long", "boolean int long enum"),
        ("view", "float double bytes string fixed"),
        ("any", "boolean int long float double bytes string fixed enum"),
        ("rows", "rows counts bounds"),
        ("list", "longs"),
        ("map_long", "counts"),
        ("map_bytes", "bounds"),
        ("slot_long", "counts"),
        ("slot_bytes", "bounds"),
    ],
)
def test_a_field_of_a_manifest_is_stored_as_what_it_is_wanted_as(kind: str, stored: str) -> None:
    """Each kind of field accepts exactly the Avro types that have its values."""
    refusal = rf"avro\.schema\.p: found .+, wanted a type for a {kind}"
    taken, refused = [], []
    for name, type_ in _STORED.items():
        field = {"name": "p", "type": type_, "field-id": 100}
        try:
            compile_program({"type": "record", "name": "r", "fields": [field]}, {100: kind})
            taken.append(name)
        except FormatError as error:
            refused.append(str(error))
    assert all(re.fullmatch(refusal, each) for each in refused)
    assert taken == stored.split()


@pytest.mark.parametrize(
    ("flags", "runs"),
    [
        ("", []),
        ("00", []),
        ("1", [(0, 1)]),
        ("0110", [(1, 3)]),
        ("101", [(0, 1), (2, 3)]),
        ("0110111010", [(1, 3), (4, 7), (8, 9)]),
    ],
)
def test_rows_that_are_kept_are_runs(flags: str, runs: list[tuple[int, int]]) -> None:
    """Rows that are kept are found as runs, including the last one."""
    assert _runs(np.array([each == "1" for each in flags], np.bool_)) == runs


@pytest.mark.parametrize("joined", [A & B, A | B])
def test_an_expression_shows_what_it_is_made_of(joined: And | Or) -> None:
    """The repr of an expression shows its two sides and nothing else."""
    assert repr(joined) == f"{type(joined).__name__}(left={A!r}, right={B!r})"


def delete(number: int, *, size: int = 1, rows: int | None = 1, **more: Any) -> DeleteFile:
    """Return a small file of position deletes."""
    given = {"content": 1, "file_format": "PARQUET", "spec_id": 0, "sequence_number": 1, **more}
    return DeleteFile(
        file_path=f"{number}.parquet", record_count=rows, file_size_in_bytes=size, **given
    )


def groups(*deletes: DeleteFile) -> list[int]:
    """Return how many delete files are read together."""

    class Task:
        """A task that has all delete files."""

    task: Any = Task()
    task.deletes = deletes
    return [len(each) for each in small_deletes._groups([task], Cache(1 << 20))]


@pytest.mark.parametrize(
    ("used", "kept"), [("", "bcd"), ("a", "acd"), ("b", "bcd"), ("ab", "abd"), ("ba", "abd")]
)
def test_a_full_cache_drops_what_was_not_used_for_longest(used: str, kept: str) -> None:
    """A cache with room for three values drops the one that was used or added longest ago."""
    cache = Cache(3)
    for key in f"abc{used}d":
        assert cache.get(key, lambda key=key: (key.upper(), 1)) == key.upper()  # type: ignore[misc]
    assert "".join(each for each in "abcd" if each in cache) == kept


MIB = 1 << 20


@pytest.mark.parametrize(
    ("deletes", "found"),
    [
        ([delete(each) for each in range(2048)], [2048]),
        ([delete(each) for each in range(2049)], [2048, 1]),
        ([delete(each, size=MIB) for each in range(17)], [16, 1]),
        ([delete(0, size=MIB + 1), delete(1, size=MIB)], [1]),
        ([delete(0, size=0), delete(1)], [1]),
        ([delete(0, rows=BATCH - 1), delete(1), delete(2)], [2, 1]),
        ([delete(0, rows=None), delete(1)], [1]),
        ([delete(0, content=2), delete(1, file_format="avro"), delete(2, content_offset=0)], []),
    ],
)
def test_small_delete_files_are_read_together_up_to_their_limits(
    deletes: list[DeleteFile], found: list[int]
) -> None:
    """Delete files of up to 1 MiB are read together, within limits.

    A group has at most 2,048 files, 16 MiB, and the rows of a batch.
    """
    assert groups(*deletes) == found


@pytest.mark.parametrize("of", [pa.string(), pa.large_string()], ids=str)
@pytest.mark.parametrize("is_coded", [False, True])
def test_text_that_is_no_utf_8_is_refused(of: pa.DataType, is_coded: bool) -> None:
    """Invalid UTF-8 in a column is an error with its name, in a dictionary too."""
    text = parse_primitive("string")
    offsets = pa.array([0, 2], pa.int32() if of == pa.string() else pa.int64()).buffers()[1]
    made = pa.Array.from_buffers(of, 1, [None, offsets, pa.py_buffer(b"a\xff")])
    sound = pa.array(["aü"], of)
    if is_coded:
        codes = pa.array([0], pa.int32())
        made, sound = (pa.DictionaryArray.from_arrays(codes, each) for each in (made, sound))
    assert converted(sound, text, "c").to_pylist() == ["aü"]
    with pytest.raises(FormatError, match=r"^column c: found invalid UTF-8"):
        converted(made, text, "c")


@pytest.mark.parametrize(
    ("stored", "kind", "fits"),
    [
        (pa.uint16(), "int", True),
        (pa.uint32(), "int", False),
        (pa.uint32(), "long", True),
        (pa.uint64(), "long", False),
        (pa.int32(), "int", True),
        (pa.int64(), "int", False),
        (pa.int64(), "long", True),
    ],
)
def test_integers_of_a_file_are_read_if_all_their_values_fit(
    stored: pa.DataType, kind: str, fits: bool
) -> None:
    """Unsigned integers need one bit more than signed ones; those that may not fit are refused."""
    array, of = pa.array([7], stored), parse_primitive(kind)
    if fits:
        assert converted(array, of, "c").to_pylist() == [7]
    else:
        with pytest.raises(FormatError, match=rf"^column c: found values of type {stored}, wanted"):
            converted(array, of, "c")


def test_row_groups_are_fetched_together_up_to_32_mib() -> None:
    """Chunks of row groups are one read of a store as long as they have less than 32 MiB."""
    out = pa.BufferOutputStream()
    rows = 1 << 20
    table = pa.table({"x": np.arange(5 * rows), "y": np.zeros(5 * rows, np.int8)})
    options: dict[str, Any] = {"compression": "none", "use_dictionary": False}
    pq.write_table(table, out, row_group_size=rows, **options)
    metadata = pq.read_metadata(pa.BufferReader(out.getvalue()))
    found = list(_fetches(metadata, [0], [*range(5)]))
    assert [groups for _, groups in found] == [[0, 1, 2, 3], [4]]
    assert [len(ranges) for ranges, _ in found] == [4, 1]
    assert sum(size for _, size in found[0][0]) >= 32 << 20
    assert [groups for _, groups in _fetches(metadata, [0, 1], [0, 2, 4])] == [[0, 2, 4]]
    assert [groups for _, groups in _fetches(metadata, [1], [*range(5)])] == [[*range(5)]]
    assert list(_fetches(metadata, [0], [])) == []
