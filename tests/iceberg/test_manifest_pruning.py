"""Pruning manifests by their partition summaries never loses a file."""

from __future__ import annotations

import json
import math
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import fastavro
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.iceberg_rows import File, TableMaker

from byteloom.iceberg import col, open_table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from byteloom.iceberg import Table

X = col("x")
NAN = float("nan")
COMPARISONS: dict[str, tuple[Callable[[Any], Any], Callable[[Any, Any], bool]]] = {
    "<": (lambda v: v > X, lambda a, b: a < b),
    "<=": (lambda v: v >= X, lambda a, b: a <= b),
    ">": (lambda v: v < X, lambda a, b: a > b),
    ">=": (lambda v: v <= X, lambda a, b: a >= b),
    "=": (lambda v: v == X, lambda a, b: a == b),
}
VALUES: dict[str, list[Any]] = {
    "long": [-(1 << 63), -3, -1, 0, 1, 2, 3, (1 << 63) - 1],
    "string": ["", "a", "ab", "abc", "b", "é", "\x7f", "\U0001f600"],
    "double": [-math.inf, -1.5, -0.0, 0.0, 1.5, math.inf],
}
PARTITIONS = {
    "identity": ("long", "string", "double"),
    "truncate[2]": ("long", "string"),
    "bucket[3]": ("long", "string"),
}


def table_of(folder: Path, transform: str, of: str, manifests: Sequence[Sequence[Any]]) -> Table:
    """Return a table that can be planned, with a manifest for each list of partition values."""
    stored = "int" if transform.startswith("bucket") else of
    specs = {0: [(1, 1000, "p", transform, stored)]}
    maker = TableMaker(folder, [(1, "x", of)], partitions=specs)
    for number, values in enumerate(manifests):
        maker.commit(
            *(
                File(folder / f"{number}-{at}.parquet", 1, partition={"p": value}, length=100)
                for at, value in enumerate(values)
            )
        )
    return maker.open()


def planned(table: Table, asked: Any) -> set[str]:
    """Return the names of the files that are planned."""
    return {Path(each.file_path).name for each in table.scan(asked).plan()}


def with_summaries(table: Table, folder: Path, summaries: Any) -> Table:
    """Return the same table with other summaries of each manifest in its list."""
    return with_list(
        table,
        folder,
        lambda schema, rows: (schema, [{**each, "partitions": summaries} for each in rows]),
    )


def with_list(table: Table, folder: Path, change: Callable[[Any, Any], Any]) -> Table:
    """Return the same table with the list that *change* makes of its schema and rows."""
    path = Path(str(table.scan().snapshot.manifest_list))  # type: ignore[union-attr]
    with path.open("rb") as file:
        reader: Any = fastavro.reader(file)
        schema, rows = change(reader.writer_schema, list(reader))
    with path.open("wb") as out:
        fastavro.writer(out, schema, rows)
    newest = max((folder / "metadata").glob("*.json"))
    newest.write_text(json.dumps(json.loads(newest.read_text())))
    return open_table(newest)


@st.composite
def filters(draw: st.DrawFn, of: str) -> tuple[Any, Callable[[Any], bool]]:
    """Draw a filter, and a function that says whether a value satisfies it."""
    pool = VALUES[of]
    kinds = [*COMPARISONS, "in", "not in", "!=", "null", "not null"]
    kinds += ["starts", "not starts"] if of == "string" else []
    kinds += ["nan", "not nan"] if of == "double" else []
    kind = draw(st.sampled_from(kinds))
    value = draw(st.sampled_from(pool))
    several = draw(st.lists(st.sampled_from(pool), min_size=1, max_size=3))
    if kind in COMPARISONS:
        made, holds = COMPARISONS[kind]
        return made(value), lambda each: is_value(each) and holds(each, value)
    return {
        "in": (X.isin(several), lambda each: is_value(each) and each in several),
        "not in": (X.not_in(several), lambda each: not is_value(each) or each not in several),
        "!=": (value != X, lambda each: not is_value(each) or each != value),
        "null": (X.is_null(), lambda each: each is None),
        "not null": (X.not_null(), lambda each: each is not None),
        "starts": (
            X.startswith(str(value)),
            lambda each: is_value(each) and each.startswith(value),
        ),
        "not starts": (
            ~X.startswith(str(value)),
            lambda each: not is_value(each) or not each.startswith(value),
        ),
        "nan": (X.is_nan(), lambda each: each is not None and not is_value(each)),
        "not nan": (X.not_nan(), lambda each: each is None or is_value(each)),
    }[kind]


def is_value(value: Any) -> bool:
    """Return whether a value is neither null nor NaN."""
    return value is not None and value == value  # noqa: PLR0124  which NaN is not


@pytest.mark.parametrize(
    ("transform", "of"), [(name, of) for name, kinds in PARTITIONS.items() for of in kinds]
)
@given(st.data())
def test_summaries_leave_out_no_file_that_its_partition_keeps(
    transform: str, of: str, data: st.DataObject
) -> None:
    """A plan is the same with summaries and without, and has all files with a matching row."""
    pool: list[Any] = [None, *(VALUES["long"][2:6] if "bucket" in transform else VALUES[of])]
    pool += [NAN] if of == "double" else []
    held = st.lists(st.sampled_from(pool), min_size=1, max_size=3)
    manifests = data.draw(st.lists(held, min_size=1, max_size=3))
    asked, holds = data.draw(filters(of))
    with TemporaryDirectory() as place:
        folder = Path(place)
        table = table_of(folder, transform, of, manifests)
        found = planned(table, asked)
        assert found == planned(with_summaries(table, folder, None), asked)
        if transform == "identity":
            for number, values in enumerate(manifests):
                for at, value in enumerate(values):
                    assert f"{number}-{at}.parquet" in found or not holds(value)


LIMITS = [
    ([3, 5], X < 3, False),
    ([3, 5], X <= 3, True),
    ([3, 5], X > 5, False),
    ([3, 5], X >= 5, True),
    ([3, 5], X == 2, False),
    ([3, 5], X == 3, True),
    ([3, 5], X == 4, True),
    ([3, 5], X == 5, True),
    ([3, 5], X == 6, False),
    ([3, 5], X.isin([2, 6]), False),
    ([3, 5], X.isin([2, 5]), True),
    ([4, 4], X != 4, False),
    ([4, 4], X.not_in([4, 7]), False),
    ([4, 5], X != 4, True),
    ([4, None], X != 4, True),
    ([3, 5], X.is_null(), False),
    ([3, None], X.is_null(), True),
    ([None], X.is_null(), True),
    ([None], X.not_null(), False),
    ([3, None], X.not_null(), True),
    ([None], X < 9, False),
]


@pytest.mark.parametrize(("values", "asked", "is_read"), LIMITS, ids=str)
def test_manifests_are_left_out_at_their_limits(
    tmp_path: Path, values: list[Any], asked: Any, is_read: bool
) -> None:
    """A manifest is read only if its bounds may match, exactly to the value, by operation."""
    counts = table_of(tmp_path, "identity", "long", [values]).scan(asked).plan().counts
    assert (counts.skipped_manifests, counts.data_files) == (
        (0, len(values)) if is_read else (1, 0)
    )
    assert (counts.data_manifests, counts.delete_manifests) == (1, 0)


TEXTS = [
    (["ab", "ac"], X.startswith("a"), True),
    (["ab", "ac"], X.startswith("ac"), True),
    (["ab", "ac"], X.startswith("aa"), False),
    (["ab", "ac"], X.startswith("ad"), False),
    (["ab", "ac"], ~X.startswith("a"), False),
    (["ab", "ac"], ~X.startswith("ab"), True),
    (["ab", None], ~X.startswith("a"), True),
]


@pytest.mark.parametrize(("values", "asked", "is_read"), TEXTS, ids=str)
def test_manifests_are_left_out_by_prefixes(
    tmp_path: Path, values: list[Any], asked: Any, is_read: bool
) -> None:
    """A manifest is pruned by a prefix that its bounds exclude."""
    counts = table_of(tmp_path, "identity", "string", [values]).scan(asked).plan().counts
    assert counts.skipped_manifests == (0 if is_read else 1)


NANS = [
    ([NAN], X.is_nan(), True),
    ([1.5], X.is_nan(), False),
    ([NAN], X.not_nan(), False),
    ([NAN, None], X.not_nan(), True),
    ([NAN, 1.5], X.not_nan(), True),
    ([NAN], X < 9.0, False),
    ([NAN], X.not_null(), True),
    ([-0.0], X == 0.0, True),
    ([0.0], X == -0.0, True),
]


@pytest.mark.parametrize(("values", "asked", "is_read"), NANS, ids=str)
def test_manifests_are_left_out_by_what_is_no_number(
    tmp_path: Path, values: list[Any], asked: Any, is_read: bool
) -> None:
    """A manifest of NaN or null alone is pruned where only values match."""
    counts = table_of(tmp_path, "identity", "double", [values]).scan(asked).plan().counts
    assert counts.skipped_manifests == (0 if is_read else 1)


@pytest.mark.parametrize(
    ("of", "has_null", "has_nan", "kept"),
    [
        ("long", False, None, True),
        ("long", False, True, True),
        ("long", True, None, False),
        ("double", False, False, True),
        ("double", False, True, False),
        ("double", False, None, False),
        ("double", True, False, False),
    ],
)
def test_a_summary_without_any_value_leaves_nothing_out(
    tmp_path: Path, of: str, *, has_null: bool, has_nan: bool | None, kept: bool
) -> None:
    """A manifest whose summary has no bounds, no null and no NaN is read: that cannot be."""
    table = table_of(tmp_path, "identity", of, [[1]])
    summary = {"contains_null": has_null, "contains_nan": has_nan}
    summary |= {"lower_bound": None, "upper_bound": None}
    found = planned(with_summaries(table, tmp_path, [summary]), X == 1)
    assert found == ({"0-0.parquet"} if kept else set())


def without_ids(schema: Any) -> Any:
    """Return an Avro schema without the ids of its fields."""
    if isinstance(schema, list):
        return [without_ids(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {name: without_ids(each) for name, each in schema.items() if name != "field-id"}


def test_summaries_of_a_list_without_field_ids_are_found_by_their_names(tmp_path: Path) -> None:
    """A list without field ids leaves out the manifests that it would leave out with them."""
    table = table_of(tmp_path, "identity", "long", [[1], [2], [None]])
    bare = with_list(table, tmp_path, lambda schema, rows: (without_ids(schema), rows))
    assert planned(bare, X == 1) == {"0-0.parquet"}
    assert planned(bare, X > 1) == {"1-0.parquet"}
    assert planned(bare, X.is_null()) == {"2-0.parquet"}
