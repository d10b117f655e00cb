"""Plans of random tables and filters lose no matching row, and parts make up the whole.

A plan with a limit has the first files that surely have enough rows, and no others.  Columns that
are asked for by the names of fields inside them keep only what leads to these.
"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.support.cli import byteloom
from tests.support.iceberg_filters import (
    SCHEMA,
    answers,
    expressions,
    matches,
    partition_value,
    rows,
    stats_of,
)
from tests.support.iceberg_plans import ListedFile, table_of
from tests.support.iceberg_rows import File, TableMaker, position_deletes

from byteloom.errors import ArgumentError
from byteloom.iceberg import col, truncate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from byteloom.iceberg import Table

Rows = list[dict[str, Any]]

_DATE = {"type": "int", "logicalType": "date"}
_UUID = {"type": "fixed", "name": "u", "size": 16, "logicalType": "uuid"}
PARTITIONS: list[tuple[str, str, Any]] = [
    ("id", "identity", "int"),
    ("id", "truncate[10]", "int"),
    ("long", "bucket[3]", "int"),
    ("double", "identity", "double"),
    ("name", "identity", "string"),
    ("name", "truncate[1]", "string"),
    ("day", "month", "int"),
    ("ts", "day", _DATE),
    ("uuid", "identity", _UUID),
    ("flag", "identity", "boolean"),
    ("point.y", "identity", "string"),
    ("binary", "void", "bytes"),
]
UNTOLD = st.sets(
    st.sampled_from(["value_counts", "null_value_counts", "nan_value_counts", "lower_bounds"])
)


def _value(row: dict[str, Any], name: str) -> Any:
    """Return a column of a row."""
    held: Any = row
    for part in name.split("."):
        held = None if held is None else held[part]
    return held


def files_of(
    held: Rows, partition: tuple[str, str, Any], unknown: set[str]
) -> Iterator[tuple[ListedFile, Rows]]:
    """Return files of the rows, every third without a partition and the others by theirs."""
    name, transform, _ = partition
    field = SCHEMA.find(name)
    assert field is not None
    groups: dict[Any, tuple[dict[str, Any], Rows]] = {}
    for number, row in enumerate(held):
        value = partition_value(transform, field.type, _value(row, name))
        stored = value.bytes if isinstance(value, UUID) else value
        key = (number % 3 == 0, repr(value))
        groups.setdefault(key, ({} if number % 3 == 0 else {"p": stored}, []))[1].append(row)
    for number, (tuple_of, rows_of) in enumerate(groups.values()):
        stats = stats_of(rows_of, unknown)
        listed = ListedFile(f"f{number}", 0, int(bool(tuple_of)), tuple_of, 1, len(rows_of), stats)
        yield listed, rows_of


def made(folder: str, partition: tuple[str, str, Any], files: Sequence[ListedFile]) -> Table:
    """Create a table of these files."""
    name, transform, of = partition
    field = SCHEMA.find(name)
    assert field is not None
    specs = {0: (), 1: ((field.id, 1000, "p", transform, of),)}
    return table_of(Path(folder), SCHEMA.to_json(), specs, files)


@given(rows(), expressions(), st.sampled_from(PARTITIONS), UNTOLD)
def test_no_file_with_a_matching_row_is_left_out(
    held: Rows, expression: Any, partition: tuple[str, str, Any], unknown: set[str]
) -> None:
    """A file that is not planned has no matching row, and residuals pick the rows of the rest."""
    files = list(files_of(held, partition, unknown))
    with TemporaryDirectory() as folder:
        table = made(folder, partition, [stated for stated, _ in files])
        tasks = {each.file_path: each for each in table.scan(expression).plan()}
    for stated, rows_of in files:
        wanted = [matches(expression, row) for row in rows_of]
        if stated.path not in tasks:
            assert not any(wanted)
        else:
            assert answers(tasks[stated.path].residual, rows_of) == wanted


@given(rows(), expressions(with_functions=False), st.sampled_from(PARTITIONS))
def test_what_is_said_of_a_file_is_what_became_of_it(
    held: Rows, expression: Any, partition: tuple[str, str, Any]
) -> None:
    """A file is explained as planned if it is, and by a rule with its reasons if it is not."""
    files = [stated for stated, _ in files_of(held, partition, set())]
    with TemporaryDirectory() as folder:
        scan = made(folder, partition, files).scan(expression)
        plan = scan.plan()
        paths = plan.files.column("file_path").to_pylist()
        assert plan.counts.kept == len(paths)
        removed = plan.counts.files_by_partition + plan.counts.files_by_statistics
        assert removed + len(paths) == plan.counts.data_files
        assert plan.counts.data_files == len(files) or plan.counts.skipped_manifests
        assert repr(plan) == f"<Plan of {len(paths)} data files, 0 delete files>"
        for stated in files:
            found = scan.explain_file(stated.path)
            assert found.is_planned is (stated.path in paths)
            assert bool(found.reasons) is not found.is_planned
            assert str(found).startswith(stated.path)
        assert scan.explain_file("elsewhere").manifest is None


def sized(folder: Path, sizes: Sequence[int]) -> Any:
    """Return the plan of files of some bytes, 1,001 or more each."""
    files = [ListedFile(f"f{number}", records=size - 1_000) for number, size in enumerate(sizes)]
    return table_of(folder, SCHEMA.to_json(), {0: ()}, files).scan().plan()


@given(
    st.lists(st.integers(1_001, 9_000), max_size=12),
    st.integers(100, 5_000),
    st.integers(0, 3_000),
    st.integers(1, 4),
)
@example([1_001, 1_002], 1, 0, 1)
def test_splits_hold_every_byte_once(
    sizes: list[int], target_size: int, cost: int, lookback: int
) -> None:
    """Splits cover each file once, and a group of several weighs at most what was asked for.

    Groups are numbered from 0 on.
    """
    with TemporaryDirectory() as folder:
        splits = sized(Path(folder), sizes).splits(target_size, cost, lookback)
        groups = list(splits)
    assert pc.unique(splits.table["group"]).to_pylist() == list(range(len(splits)))
    ends = dict.fromkeys((f"f{number}" for number in range(len(sizes))), 0)
    for piece in sorted((x for group in groups for x in group), key=lambda x: x.start):
        assert piece.start == ends[piece.file_path]
        ends[piece.file_path] += piece.length
    assert list(ends.values()) == sizes
    for group in groups:
        weights = [max(each.length, cost) for each in group]
        assert len(group) == 1 or sum(weights) <= target_size


@pytest.mark.parametrize(
    ("offsets", "pieces"),
    [
        ([4, 300, 700], [(4, 296), (300, 400), (700, 500)]),
        ([0, 1_199], [(0, 1_199), (1_199, 1)]),
        ([1], [(1, 1_199)]),
        ([4, 1_200], None),
        ([-1, 5], None),
        ([4, 4], None),
        ([5, 4], None),
        ([], None),
        (None, None),
    ],
)
def test_files_are_cut_where_their_offsets_say(
    offsets: list[int] | None, pieces: list[tuple[int, int]] | None, tmp_path: Path
) -> None:
    """Files are cut at offsets that rise and are inside of the file; others at even sizes."""
    even = [(0, 400), (400, 400), (800, 400)]
    plan = sized(tmp_path, [1_001, 1_200, 1_001])
    held = pa.array([[7, 8], offsets, [9, 11]], plan.files.schema.field("split_offsets").type)
    number = plan.files.schema.get_field_index("split_offsets")
    plan = replace(plan, files=plan.files.set_column(number, "split_offsets", held))
    found: dict[str, list[tuple[int, int]]] = {f"f{each}": [] for each in range(3)}
    for (piece,) in plan.splits(400, 1_001, 1):
        found[piece.file_path].append((piece.start, piece.length))
    assert {name: sorted(each) for name, each in found.items()} == {
        "f0": [(7, 1), (8, 993)],
        "f1": even if pieces is None else pieces,
        "f2": [(9, 2), (11, 990)],
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"target_size": 0}, "target_size: found 0"),
        ({"lookback": 0}, "lookback: found 0"),
        ({"open_file_cost": -1}, "open_file_cost: found -1"),
    ],
)
def test_sizes_that_make_no_groups_are_refused(
    arguments: dict[str, int], message: str, tmp_path: Path
) -> None:
    """A group size or a number of open groups below 1 is refused."""
    with pytest.raises(ArgumentError, match=message):
        sized(tmp_path, [2_000]).splits(**arguments)


def test_a_plan_in_parts_is_the_plan(tmp_path: Path) -> None:
    """All parts of a plan together have the files, residuals and partitions of the whole."""
    files = [
        ListedFile(
            f"f{number}", 0, number % 2, {"p": number % 5} if number % 2 else {}, records=number
        )
        for number in range(1, 30)
    ]
    scan = made(str(tmp_path), PARTITIONS[0], files).scan(col("id") > 2)
    parts = [task for part in scan.plan_stream() for task in part]
    assert parts == list(scan.plan())
    assert {each.partition["p"] for each in parts if each.spec_id == 1} == {3, 4}


def test_a_limit_stops_where_enough_rows_are_sure(tmp_path: Path) -> None:
    """A limit counts only files that match as a whole and have no deletes."""
    files = [
        ListedFile("deleted", records=100),
        ListedFile("plain", records=100, sequence=3),
        ListedFile("more", records=100, sequence=3),
        ListedFile("d", 1, sequence=2),
    ]
    table = table_of(tmp_path, SCHEMA.to_json(), {0: ()}, files)
    paths = [each.file_path for each in table.scan(limit=60).plan()]
    assert paths == ["deleted", "plain"]
    assert len(table.scan(limit=101).plan()) == 3
    assert len(table.scan(col("id") > 2, limit=1).plan()) == 3
    assert "1  removed by the limit" in str(table.scan(limit=60).plan().explain())
    assert table.scan(limit=60).explain_file("more").rule == "the limit"


def test_nan_and_zeros_are_partitions_of_their_own(tmp_path: Path) -> None:
    """A filter on a float partition keeps NaN apart, and both zeros together."""
    values = [math.nan, -0.0, 0.0, None, 1.0]
    files = [ListedFile(f"f{number}", 0, 1, {"p": value}) for number, value in enumerate(values)]
    table = made(str(tmp_path), PARTITIONS[3], files)
    of_zero = table.scan(col("double") == 0.0).plan().files.column("file_path")
    assert of_zero.to_pylist() == ["f1", "f2"]
    of_nan = table.scan(col("double").is_nan()).plan().files.column("file_path")
    assert of_nan.to_pylist() == ["f0"]


def test_partition_values_that_wrapped_are_kept_at_both_ends(tmp_path: Path) -> None:
    """Filters find the least long, whose truncated partition value is stored above zero."""
    files = [ListedFile("least", 0, 1, {"p": 2**63 - 2}), ListedFile("zero", 0, 1, {"p": 0})]
    table = made(str(tmp_path), ("long", "truncate[10]", "long"), files)
    for filter_, kept in (
        (col("long") < 0, ["least"]),
        (col("long") >= 0, ["least", "zero"]),
        ((col("long") >= 0) & (col("long") < 10), ["zero"]),
    ):
        scan = table.scan(filter_)
        assert scan.plan().files.column("file_path").to_pylist() == kept
        assert scan.explain_file("least").is_planned is ("least" in kept)
        assert scan.explain_file("least").rule == (None if "least" in kept else "its partition")


def test_filters_on_truncated_decimals_reach_beyond_the_type(tmp_path: Path) -> None:
    """Filters on truncated decimals are right even if the truncated literal has a digit more."""
    stored = {"least": -999_999_999, "zero": 0, "most": 999_999_999}  # all divisible by three
    of = {"type": "fixed", "name": "cents", "size": 4}
    of |= {"logicalType": "decimal", "precision": 9, "scale": 2}
    files = [
        ListedFile(name, 0, 1, {"p": cents.to_bytes(4, "big", signed=True)})
        for name, cents in stored.items()
    ]
    table = made(str(tmp_path), ("price", "truncate[3]", of), files)
    least, most = Decimal("-9999999.99"), Decimal("9999999.99")
    for filter_, kept in (
        (col("price") < least, []),
        (col("price") <= least, ["least"]),
        (col("price") > least, ["least", "zero", "most"]),
        (col("price") == least, ["least"]),
        (col("price") >= most, ["most"]),
        (col("price") > most, ["most"]),  # what is next is truncated to the same
    ):
        assert table.scan(filter_).plan().files.column("file_path").to_pylist() == kept


def test_truncated_decimals_are_compared_with_bounds_of_either_sign(tmp_path: Path) -> None:
    """Files are left out by what truncation makes of their bounds, even of a digit too many."""
    field = SCHEMA.find("price")
    assert field is not None
    files = []
    for name, cents in (("least", -999_999_999), ("small", -1), ("most", 999_999_999)):
        bound = {str(field.id): cents.to_bytes(4, "big", signed=True).hex()}
        counts = {each: {str(field.id): 0} for each in ("null_value_counts", "nan_value_counts")}
        files.append(
            ListedFile(name, stats={**counts, "lower_bounds": bound, "upper_bounds": bound})
        )
    table = table_of(tmp_path, SCHEMA.to_json(), {0: ()}, files)
    truncated = truncate(100, "price")
    for filter_, kept in (
        (truncated < 0, ["least", "small"]),
        (truncated >= 0, ["most"]),
        (truncated == Decimal("-1.00"), ["small"]),
    ):
        assert table.scan(filter_).plan().files.column("file_path").to_pylist() == kept


@pytest.mark.parametrize(
    ("records", "stats", "said"),
    [
        (0, {"lower_bounds": 10, "upper_bounds": 15}, "is from 10 to 15 in 0 rows"),
        (-1, {"upper_bounds": 15}, "is from unknown to 15 in an unknown number of rows"),
        (
            1,
            {"lower_bounds": 10, "upper_bounds": 10, "null_value_counts": 0, "value_counts": 1},
            "is from 10 to 10 in 1 row, 0 nulls, 1 value",
        ),
        (
            1_500,
            {"null_value_counts": 1_500, "value_counts": 1_500},
            "has no bounds in 1,500 rows, 1,500 nulls, 1,500 values",
        ),
    ],
)
def test_reasons_state_the_statistics_that_they_are_drawn_from(
    tmp_path: Path, records: int, stats: dict[str, int], said: str
) -> None:
    """A file is removed with the bounds and the counts of the asked column, as far as known."""
    field = SCHEMA.find("long")
    assert field is not None
    stored = {
        name: {str(field.id): number.to_bytes(8, "little").hex() if "bounds" in name else number}
        for name, number in stats.items()
    }
    file = ListedFile("f", records=records, stats=stored)
    scan = table_of(tmp_path, SCHEMA.to_json(), {0: ()}, [file]).scan(col("long") > 15)
    found = scan.explain_file("f")
    assert (found.rule, found.reasons) == ("its statistics", (f"long > 15: long {said}",))


def test_partitions_of_several_specs_are_shown_with_the_names_of_their_fields(
    tmp_path: Path,
) -> None:
    """Each file has the text of its own partition, in whatever order files of specs come."""
    day = (2, 1000, "d", "day", _DATE)
    specs = {
        0: (),
        1: (day, (1, 1001, "x", "identity", "int")),
        2: ((1, 1001, "x", "void", "int"),),
    }
    maker = TableMaker(tmp_path, [(1, "x", "int"), (2, "at", "timestamp")], partitions=specs)
    listed: list[tuple[int, dict[str, int | None], str]] = [
        (1, {"d": 0, "x": 7}, "d=1970-01-01, x=7"),
        (0, {}, ""),
        (2, {"x": None}, "x=null"),
        (1, {"d": -1, "x": None}, "d=1969-12-31, x=null"),
    ]
    for number, (spec_id, partition, _) in enumerate(listed):
        path = tmp_path / f"{number}.parquet"
        path.touch()
        maker.commit(File(path, 1, partition=partition, spec_id=spec_id))
    lines = byteloom("table", "plan", maker.open().metadata_location, "--json").out.splitlines()
    rows = map(json.loads, lines)
    found = {Path(each["file_path"]).name: each["partition"] for each in rows}
    assert found == {f"{number}.parquet": text for number, (_, _, text) in enumerate(listed)}


@pytest.mark.parametrize(
    ("bounds", "said"),
    [
        ({"lower_bounds": b"", "upper_bounds": b"b"}, "is from '' to 'b'"),
        ({"upper_bounds": b"b"}, "is from unknown to 'b'"),
        ({"lower_bounds": b"\xff", "upper_bounds": b"b"}, "is from bytes ff to 'b'"),
    ],
)
def test_a_bound_that_is_empty_is_known(
    tmp_path: Path, bounds: dict[str, bytes], said: str
) -> None:
    """An empty text is a bound, one that is no text is shown as bytes, an absent one is unknown."""
    field = SCHEMA.find("name")
    assert field is not None
    stats = {name: {str(field.id): bound.hex()} for name, bound in bounds.items()}
    table = table_of(tmp_path, SCHEMA.to_json(), {0: ()}, [ListedFile("f", stats=stats)])
    (reason,) = table.scan(col("name") > "b").explain_file("f").reasons
    assert reason == f"name > 'b': name {said} in 10 rows"


# ------------------------------------------------------------------------------- limits


COUNTS = [1, 2, 3, 4]


def counted_table(folder: Path, *, deletes: bool = False, commits: int = 1) -> Table:
    """Return a table of files of 1, 2, 3 and 4 rows; the second may have a row deleted."""
    maker = TableMaker(folder, [(1, "x", "long")])
    files = [File(folder / f"{rows}.parquet", rows, length=100) for rows in COUNTS]
    share = len(files) // commits
    for first in range(0, len(files), share):
        maker.commit(*files[first : first + share])
    if deletes:
        rows = [(files[1].path, 0)]
        maker.commit(position_deletes(folder / "deletes.parquet", rows, has_bounds=True))
    return maker.open()


def kept(plan: Any) -> list[int]:
    """Return how many rows each planned file has, by its name."""
    assert plan.counts.kept == len(plan)
    assert plan.counts.files_by_limit == plan.counts.data_files - len(plan)
    return [int(Path(each.file_path).stem) for each in plan]


@pytest.mark.parametrize(
    ("limit", "wanted"),
    [
        (1, [1]),
        (2, [1, 2]),
        (3, [1, 2]),
        (4, [1, 2, 3]),
        (6, [1, 2, 3]),
        (7, [1, 2, 3, 4]),
        (10, [1, 2, 3, 4]),
        (11, [1, 2, 3, 4]),
    ],
)
def test_files_after_the_limit_are_left_out(tmp_path: Path, limit: int, wanted: list[int]) -> None:
    """Files are planned until they have as many rows as the limit."""
    assert kept(counted_table(tmp_path).scan(limit=limit).plan()) == wanted


def test_no_manifest_is_read_after_the_limit(tmp_path: Path) -> None:
    """Manifests are read from the newest to the oldest, and none after the limit."""
    table = counted_table(tmp_path, commits=4)
    first = [int(Path(each.file_path).stem) for each in table.scan().plan()]
    for limit in range(1, 11):
        plan = table.scan(limit=limit).plan()
        assert sum(kept(plan)[:-1]) < limit <= sum(kept(plan))
        assert kept(plan) == first[: len(plan)]


def test_files_with_deletes_have_no_row_for_sure(tmp_path: Path) -> None:
    """A file with deletes does not count towards the limit."""
    table = counted_table(tmp_path, deletes=True)
    assert kept(table.scan(limit=1).plan()) == [1]
    assert kept(table.scan(limit=2).plan()) == [1, 2, 3]
    assert kept(table.scan(limit=4).plan()) == [1, 2, 3]
    assert kept(table.scan(limit=5).plan()) == [1, 2, 3, 4]


def test_files_that_are_asked_again_have_no_row_for_sure(tmp_path: Path) -> None:
    """A file whose rows may or may not match does not count towards the limit."""
    assert kept(counted_table(tmp_path).scan("x > 3", limit=1).plan()) == COUNTS


# ------------------------------------------------------------------------------- columns


def _pair(first: int) -> dict[str, Any]:
    """Return a struct of two integers, *a* and *b*, with the ids *first* and the next one."""
    fields = [
        {"id": first + at, "name": name, "required": False, "type": "int"}
        for at, name in enumerate("ab")
    ]
    return {"type": "struct", "fields": fields}


def _map(number: int, key: Any, value: Any) -> dict[str, Any]:
    """Return a map whose key and value have the ids *number* and the next one."""
    ids = {"key-id": number, "value-id": number + 1}
    return {"type": "map", "key": key, "value": value, "value-required": False, **ids}


NESTED: dict[str, Any] = {
    "s": _pair(10),
    "l": {"type": "list", "element-id": 20, "element": _pair(21), "element-required": False},
    "m": _map(30, "string", _pair(32)),
    "k": _map(40, _pair(42), _pair(44)),
}


def nested_table(folder: Path) -> Table:
    """Return a table of nested columns, without files."""
    fields = [
        {"id": number, "name": name, "required": False, "type": of}
        for number, (name, of) in enumerate(NESTED.items(), 1)
    ]
    return table_of(folder, {"type": "struct", "schema-id": 0, "fields": fields}, {0: ()}, [])


@pytest.mark.parametrize(
    ("names", "types"),
    [
        (["s"], {"s": "struct<a: int, b: int>"}),
        (["s.b"], {"s": "struct<b: int>"}),
        (["l.element.a"], {"l": "list<struct<a: int>>"}),
        (["l.element"], {"l": "list<struct<a: int, b: int>>"}),
        (["m.value.b"], {"m": "map<text, struct<b: int>>"}),
        (["m.key"], {"m": "map<text, struct<a: int, b: int>>"}),
        (["m.value"], {"m": "map<text, struct<a: int, b: int>>"}),
        (["k.key.a"], {"k": "map<struct<a: int, b: int>, struct<a: int, b: int>>"}),
        (["k.value.a"], {"k": "map<struct<a: int, b: int>, struct<a: int>>"}),
        (
            ["k.value.a", "s.a", "k.value.b"],
            {"k": "map<struct<a: int, b: int>, struct<a: int, b: int>>", "s": "struct<a: int>"},
        ),
    ],
)
def test_what_is_asked_for_is_left(tmp_path: Path, names: list[str], types: dict[str, str]) -> None:
    """A column has the fields asked for, those around them, and the whole keys of a map."""
    found = nested_table(tmp_path).scan(columns=names).to_table().schema
    assert {each.name: shown(each.type) for each in found} == types
    assert found.names == list(types)


def shown(of: pa.DataType) -> str:
    """Return a type as text, without ids and widths."""
    if pa.types.is_struct(of):
        return f"struct<{', '.join(f'{each.name}: {shown(each.type)}' for each in of)}>"
    if pa.types.is_map(of):
        return f"map<{shown(of.key_type)}, {shown(of.item_type)}>"
    if hasattr(of, "value_type"):
        return f"list<{shown(of.value_type)}>"
    return "int" if of == pa.int32() else "text"


@pytest.mark.parametrize("name", ["x", "s.c", "m.key.a"])
def test_a_name_that_is_not_there_is_refused(tmp_path: Path, name: str) -> None:
    """A name of no field is refused, and so is one that leads past a field without fields."""
    with pytest.raises(ArgumentError, match=rf"columns: found '{name}', wanted"):
        nested_table(tmp_path).scan(columns=[name]).plan()
