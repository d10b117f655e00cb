"""Whatever changes are drawn, an evolved table keeps its rows and ids, and `verify` is silent."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from byteloom.errors import FormatError
from byteloom.iceberg import create_table

if TYPE_CHECKING:
    from byteloom.iceberg import Table

COLUMNS = pa.schema({"a": pa.int32(), "b": pa.float32(), "c": pa.string()})
NAMES = st.sampled_from(["a", "b", "c", "d", "s", "s.x", "s.y"])
TYPES = st.sampled_from(["int", "long", "double", "string", "struct<x: int>", "decimal(9, 2)"])
TERMS = st.sampled_from(["a", "c", "bucket(4, a)", "truncate(2, c)", "d"])
STEPS = st.one_of(
    st.tuples(st.just("add_column"), NAMES, TYPES),
    st.tuples(st.just("drop_column"), NAMES),
    st.tuples(st.just("rename_column"), NAMES, st.sampled_from(["a", "b", "c", "d", "e"])),
    st.tuples(st.just("update_column"), NAMES, TYPES),
    st.tuples(st.just("move_first"), NAMES),
    st.tuples(st.just("move_after"), NAMES, NAMES),
    st.tuples(st.just("make_optional"), NAMES),
    st.tuples(st.just("add_partition_field"), TERMS),
    st.tuples(st.just("drop_partition_field"), st.sampled_from(["a", "c", "a_bucket_4"])),
    st.tuples(st.just("sort_by"), TERMS),
    st.tuples(st.just("upgrade"), st.sampled_from([2, 3])),
)


def evolved(table: Table, steps: list[tuple[Any, ...]]) -> Table:
    """Return the table after one commit; as it is if the commit is refused."""
    with suppress(FormatError):
        change = table.evolve()
        for name, *arguments in steps:
            getattr(change, name)(*arguments)
        return change.commit()
    return table


@settings(max_examples=25, deadline=None)
@given(
    version=st.sampled_from([1, 2, 3]),
    commits=st.lists(st.lists(STEPS, min_size=1, max_size=3), min_size=1, max_size=6),
)
def test_rows_ids_and_values_stay(version: int, commits: list[list[tuple[Any, ...]]]) -> None:
    """Values of a column are found under its id, and no id is given twice."""
    with tempfile.TemporaryDirectory() as folder:
        table = create_table(f"{folder}/t", COLUMNS, format_version=version)
        row = pa.table({"a": [1], "b": [0.5], "c": ["x"]}, schema=COLUMNS)
        table = table.append(row)
        values = {1: 1, 2: 0.5, 3: "x"}
        given_ids = {1, 2, 3}
        for steps in commits:
            before = set(table.schema.field_by_id)
            table = evolved(table, steps)
            new = set(table.schema.field_by_id) - before
            back = {each for each in new if each in given_ids}
            assert not back or table.metadata.current_schema_id < max(table.metadata.schemas)
            given_ids |= new
            found = table.scan().to_table().to_pylist()
            wanted = {each.name: values.get(each.id) for each in table.schema.fields}
            plain = {key: each for key, each in found[0].items() if not isinstance(each, dict)}
            assert plain == {key: each for key, each in wanted.items() if key in plain}
            assert table.verify() == []
