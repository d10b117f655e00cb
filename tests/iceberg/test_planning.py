"""Plans of random tables and filters lose no matching row, and parts make up the whole."""

from __future__ import annotations

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
from tests.support.iceberg_filters import SCHEMA, batch, expressions, matches, rows, stats_of
from tests.support.iceberg_plans import ListedFile, table_of
from tests.support.iceberg_rows import File, TableMaker

from byteloom.errors import ArgumentError
from byteloom.iceberg import col
from byteloom.iceberg.expressions.rows import evaluate
from byteloom.iceberg.planning.planned_scan import partition_texts
from byteloom.iceberg.transforms import apply_value, parse_transform

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
        value = apply_value(parse_transform(transform), field.type, _value(row, name))
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
            assert evaluate(tasks[stated.path].residual, batch(rows_of)).to_pylist() == wanted


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
    scan = maker.open().scan()
    plan = scan.plan()
    paths = [Path(each).name for each in plan.files.column("file_path").to_pylist()]
    found = dict(zip(paths, partition_texts(scan, plan).to_pylist(), strict=True))
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
