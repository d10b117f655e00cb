"""Filters mean the same to rows, statistics, partitions and residuals.

What prunes is internal: a plan shows one answer about each file.
"""

from __future__ import annotations

import math
from datetime import datetime, time
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.iceberg_filters import (
    SCHEMA,
    TRANSFORMS,
    batch,
    expressions,
    matches,
    rows,
    stats_of,
)
from tests.support.iceberg_vectors import VectorStats

from byteloom.errors import FormatError
from byteloom.iceberg import bucket, col, day, hour, month, parse, truncate, year
from byteloom.iceberg.arrow_types import arrow_field
from byteloom.iceberg.expressions import bind, manifests, metrics, projection
from byteloom.iceberg.expressions.ast import (
    FALSE,
    TRUE,
    BoundPredicate,
    Expression,
    Operation,
    Predicate,
    Reference,
)
from byteloom.iceberg.expressions.binding import bind_reference, rewrite_not
from byteloom.iceberg.expressions.manifests import FieldSummaries
from byteloom.iceberg.expressions.rows import evaluate
from byteloom.iceberg.expressions.stats import Spans
from byteloom.iceberg.expressions.wrapping import unwrapped
from byteloom.iceberg.partition_spec import PartitionField, PartitionSpec
from byteloom.iceberg.planning.pruning import residuals
from byteloom.iceberg.schema import Schema
from byteloom.iceberg.transforms import apply_array, parse_transform
from byteloom.iceberg.transforms.arrays import storage_values
from byteloom.iceberg.types import DecimalType, NestedField, StructType, parse_primitive
from byteloom.iceberg.values import to_binary

if TYPE_CHECKING:
    from collections.abc import Callable

Rows = list[dict[str, Any]]
UNTOLD = st.sets(
    st.sampled_from(
        ["value_counts", "null_value_counts", "nan_value_counts", "lower_bounds", "upper_bounds"]
    ),
    max_size=2,
)


@given(rows(), expressions())
def test_rows_match_as_the_spec_says(held: Rows, expression: Expression) -> None:
    """A filter evaluated on a batch gives each row the answer that the spec defines."""
    found = evaluate(bind(expression, SCHEMA), batch(held))
    assert found.to_pylist() == [matches(expression, row) for row in held]


@given(rows(), expressions())
def test_a_filter_without_not_is_the_same_filter(held: Rows, expression: Expression) -> None:
    """Rewriting a filter without ``not`` changes no answer."""
    plain = rewrite_not(expression)
    assert [matches(plain, row) for row in held] == [matches(expression, row) for row in held]


@given(rows(), expressions(), UNTOLD)
def test_no_file_with_a_matching_row_is_pruned(
    held: Rows, expression: Expression, unknown: set[str]
) -> None:
    """Statistics, complete or not, never prune a file that has a matching row."""
    bound = bind(expression, SCHEMA)
    keeps = metrics.inclusive(bound, VectorStats(stats_of(held, unknown)))[0]
    assert keeps or not any(matches(expression, row) for row in held)


@given(rows(), expressions(), UNTOLD)
def test_a_file_that_matches_as_a_whole_has_no_other_row(
    held: Rows, expression: Expression, unknown: set[str]
) -> None:
    """If statistics say that a file matches as a whole, every row of it matches."""
    bound = bind(expression, SCHEMA)
    all_match = metrics.strict(bound, VectorStats(stats_of(held, unknown)))[0]
    assert not all_match or all(matches(expression, row) for row in held)


@st.composite
def specs(draw: st.DrawFn) -> PartitionSpec:
    """Draw one to three partition fields, of any columns and transforms."""
    fields = []
    for number in range(draw(st.integers(1, 3))):
        plain = [each for each in SCHEMA.fields if not isinstance(each.type, StructType)]
        source = draw(st.sampled_from(plain))
        transform = parse_transform(draw(st.sampled_from([*TRANSFORMS[source.type.kind], "void"])))
        fields.append(PartitionField((source.id,), 1000 + number, f"part{number}", transform))
    return PartitionSpec(tuple(fields))


def partitions(spec: PartitionSpec, columns: pa.RecordBatch) -> pa.StructArray:
    """Return the partition tuple of each row."""
    made = [
        apply_array(
            each.transform,
            SCHEMA.field_by_id[each.source_id].type,
            columns.column(SCHEMA.name(each.source_id)),
        )
        for each in spec.fields
    ]
    fields = [arrow_field(each) for each in spec.partition_type(SCHEMA).fields]
    return pa.StructArray.from_arrays(made, fields=fields)


def summaries(spec: PartitionSpec, tuples: pa.StructArray) -> dict[int, FieldSummaries]:
    """Return the summaries of these partitions in a manifest list, as Java computes them."""
    stated = {}
    for number, field in enumerate(spec.partition_type(SCHEMA).fields):
        values = storage_values(field.type, tuples.field(number))
        # A decimal that truncation rounds down may have a digit more than its type.
        wide = DecimalType(10, 2) if isinstance(field.type, DecimalType) else field.type
        real = [each for each in values if each is not None and each == each]  # noqa: PLR0124  no NaN
        lower, upper = (
            Spans.of([to_binary(wide, pick(real)) if real else None]) for pick in (min, max)
        )
        has_nan = len(real) < len(values) - values.count(None)
        stated[field.id] = FieldSummaries(
            np.array([None in values]), np.array([has_nan], np.int8), lower, upper
        )
    return stated


@given(rows(), expressions(), specs())
def test_no_manifest_with_a_matching_row_is_pruned(
    held: Rows, expression: Expression, spec: PartitionSpec
) -> None:
    """Summaries of partitions never prune a manifest that has a matching row."""
    carried = projection.inclusive(bind(expression, SCHEMA), spec, SCHEMA)
    stated = summaries(spec, partitions(spec, batch(held)))
    transforms = {each.field_id: each.transform for each in spec.fields}
    kept = manifests.inclusive(carried, stated, 1, transforms)[0]
    assert kept or not any(matches(expression, row) for row in held)


@given(rows(), expressions(), specs())
def test_no_partition_with_a_matching_row_is_pruned(
    held: Rows, expression: Expression, spec: PartitionSpec
) -> None:
    """The inclusive projection of a filter matches the partition of every matching row."""
    carried = projection.inclusive(bind(expression, SCHEMA), spec, SCHEMA)
    tuples = unwrapped(spec, partitions(spec, batch(held)))
    kept = evaluate(carried, tuples).to_pylist()
    assert all(kept[at] for at, row in enumerate(held) if matches(expression, row))


@given(rows(), expressions(), specs())
def test_a_partition_that_matches_as_a_whole_has_no_other_row(
    held: Rows, expression: Expression, spec: PartitionSpec
) -> None:
    """A row matches if the strict projection of the filter matches its partition."""
    carried = projection.strict(bind(expression, SCHEMA), spec, SCHEMA)
    tuples = unwrapped(spec, partitions(spec, batch(held)))
    whole = evaluate(carried, tuples).to_pylist()
    assert all(matches(expression, row) for at, row in enumerate(held) if whole[at])


@given(rows(), expressions(), specs())
def test_residuals_ask_what_the_filter_asks(
    held: Rows, expression: Expression, spec: PartitionSpec
) -> None:
    """In its own partition, a row matches the residual exactly if it matches the filter."""
    columns, bound = batch(held), bind(expression, SCHEMA)
    left = residuals(bound, spec, SCHEMA, partitions(spec, columns))
    found = [evaluate(left.of(at), columns.slice(at, 1))[0].as_py() for at in range(len(held))]
    assert found == [matches(expression, row) for row in held]


# ------------------------------------------------------------------------ Python's operators


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (lambda: col("id") >= 3, "id >= 3"),
        (lambda: col("id") < 3, "id < 3"),
        (lambda: col("id") <= 3, "id <= 3"),
        (lambda: col("id") > 3, "id > 3"),
        (lambda: col("id") == 0, "id = 0"),
        (lambda: col("id") != 0, "id != 0"),
        (lambda: (col("a") == 1) & (col("b") == 2) | ~(col("c") == 3), ""),
        (lambda: col("s").startswith("a"), "s starts with 'a'"),
        (lambda: col("s").not_startswith("a"), "s not starts with 'a'"),
        (lambda: col("id").isin([1, 2]), "id in (1, 2)"),
        (lambda: col("id").not_in(range(2)), "id not in (0, 1)"),
        (lambda: col("id").between(1, 2), "(id >= 1 and id <= 2)"),
        (lambda: col("id").is_null(), "id is null"),
        (lambda: col("id").not_null(), "id is not null"),
        (lambda: col("x").is_nan(), "x is nan"),
        (lambda: col("x").not_nan(), "x is not nan"),
        (lambda: bucket(16, "id") == 3, "bucket(16, id) = 3"),
        (lambda: truncate(4, col("s")) == "abcd", "truncate(4, s) = 'abcd'"),
        (lambda: year("ts") > 50, "year(ts) > 50"),
        (lambda: month("ts") > 600, "month(ts) > 600"),
        (lambda: day("ts") > "2024-01-01", "day(ts) > '2024-01-01'"),
        (lambda: hour("ts") > 9, "hour(ts) > 9"),
    ],
)
def test_operators_make_expressions(made: Callable[[], Expression], text: str) -> None:
    """Python's operators make the expressions that their text would."""
    assert str(made()) == (text or "((a = 1 and b = 2) or not c = 3)")


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda: col("a") == None, "is_null"),  # noqa: E711  the mistake that is refused
        (lambda: col("a").isin([1.0, math.nan]), "is_nan"),
        (lambda: col("a") == col("b"), "not a column"),
        (lambda: bucket(0, "a"), "from 1 to"),
        (lambda: bucket(2, year("a")), "a transform of a column"),
    ],
)
def test_mistakes_are_refused_where_they_are_made(made: Callable[[], object], message: str) -> None:
    """A mistake in an expression is refused where it is made, with the method to use instead."""
    with pytest.raises(FormatError, match=message):
        made()


def test_python_words_that_would_drop_half_of_a_filter_are_refused() -> None:
    """Using an expression or a column as a truth value raises a `TypeError`."""
    with pytest.raises(TypeError, match=r"^join expressions by & \| ~, not by and, or, not$"):
        bool(col("a") == 1)
    with pytest.raises(TypeError, match="not a condition"):
        bool(col("a"))


# ------------------------------------------------------------------------------- binding


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        (col("id") < 2**40, TRUE),
        (col("id") > 2**40, FALSE),
        (col("id") == 1.5, FALSE),
        (col("id").is_null(), FALSE),
        (col("id").isin([]), FALSE),
        (col("id").not_in([]), TRUE),
        (~(col("id") == 1.5), TRUE),
    ],
)
def test_what_no_row_can_change_becomes_true_or_false(
    expression: Expression, wanted: Expression
) -> None:
    """A condition that the type of a column decides becomes true or false."""
    assert bind(expression, SCHEMA) == wanted


def test_a_required_column_can_be_asked_for_nulls_that_break_the_rule() -> None:
    """With `trusts_required=False`, ``is null`` on a required column is still evaluated."""
    bound = bind(col("id").is_null(), SCHEMA, trusts_required=False)
    assert isinstance(bound, BoundPredicate)
    beyond = bind(col("id") < 2**40, SCHEMA, trusts_required=False)
    assert beyond == bind(col("id").not_null(), SCHEMA, trusts_required=False)


def rows_of_ids(*ids: int) -> pa.RecordBatch:
    """Return a batch of one column."""
    field = SCHEMA.find("id")
    assert field is not None
    return pa.record_batch([pa.array(ids, pa.int32())], pa.schema([arrow_field(field)]))


def test_long_chains_stay_shallow() -> None:
    """A filter of five thousand conditions is bound and evaluated."""
    text = " or ".join(f"id = {each}" for each in range(5000))
    found = evaluate(bind(parse(text), SCHEMA), rows_of_ids(4999, 5000))
    assert found.to_pylist() == [True, False]


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        (col("nme") == "a", "name"),
        (col("name") == 3, "compare with string"),
        (col("binary").startswith("a"), "compare with binary|a string"),
        (col("id").is_nan(), "float or double"),
        (day("id") == 3, "type int"),
        (Predicate(Operation.EQ, Reference("double"), (math.nan,)), "is nan"),
    ],
)
def test_what_does_not_fit_the_schema_is_refused(expression: Expression, message: str) -> None:
    """A filter that does not fit the schema is an error that says what would fit."""
    with pytest.raises(FormatError, match=message):
        bind(expression, SCHEMA)


@pytest.mark.parametrize("expression", [col("long") < 0, col("long") == -(1 << 63)], ids=str)
def test_a_partition_that_wrapped_is_found(expression: Expression) -> None:
    """A filter finds the least long in its partition, whose truncated value wraps above zero."""
    spec = PartitionSpec((PartitionField((2,), 1000, "part", parse_transform("truncate[10]")),))
    made = pa.array([(1 << 63) - 2, 0])
    field = arrow_field(spec.partition_type(SCHEMA).fields[0])
    tuples = pa.StructArray.from_arrays([made], fields=[field])
    bound = bind(expression, SCHEMA)
    carried = projection.inclusive(bound, spec, SCHEMA)
    assert evaluate(carried, unwrapped(spec, tuples)).to_pylist() == [True, False]
    assert residuals(bound, spec, SCHEMA, tuples).of(1) == FALSE


@pytest.mark.parametrize("unknown", [-1, 0, 1], ids=["nan-unknown", "no-nan", "nan"])
def test_manifests_without_bounds_hold_nothing_that_compares(unknown: int) -> None:
    """A manifest without bounds has only null and NaN, so that comparisons prune it."""
    spec = PartitionSpec((PartitionField((5,), 1000, "part", parse_transform("identity")),))
    nothing = Spans.of([None])
    stated = {
        1000: FieldSummaries(np.array([True]), np.array([unknown], np.int8), nothing, nothing)
    }
    for asked in (col("double") < 1, col("double") >= 1, col("double").isin([1, 2])):
        carried = projection.inclusive(bind(asked, SCHEMA), spec, SCHEMA)
        assert not manifests.inclusive(carried, stated, 1)[0]


def test_a_prefix_of_truncated_text_prunes_no_file() -> None:
    """A prefix of truncated text prunes no file, as in other readers."""
    row = {each.name: None for each in SCHEMA.fields} | {"id": 0}
    asked = bind(truncate(10, "name").startswith("a"), SCHEMA)
    assert metrics.inclusive(asked, VectorStats(stats_of([row], set()))).tolist() == [True]


def test_a_decimal_rounded_beyond_its_digits_is_found() -> None:
    """A filter finds a decimal whose truncated partition value has a digit too many."""
    lowest = {"price": Decimal("-9999999.99")}
    row = {each.name: lowest.get(each.name) for each in SCHEMA.fields} | {"id": 0}
    spec = PartitionSpec((PartitionField((6,), 1000, "part", parse_transform("truncate[100]")),))
    tuples = partitions(spec, batch([row]))
    bound = bind(col("price") == lowest["price"], SCHEMA)
    assert evaluate(projection.inclusive(bound, spec, SCHEMA), tuples).to_pylist() == [True]
    asked = bind(truncate(100, "price") < 0, SCHEMA)
    assert metrics.inclusive(asked, VectorStats(stats_of([row], set()))).tolist() == [True]


def test_the_case_of_a_name_counts_unless_said_otherwise() -> None:
    """A column is looked up by the exact case of its name, unless case is ignored."""
    name = SCHEMA.fields[0].name
    assert bind_reference(name.upper(), SCHEMA, case_sensitive=False).field.name == name
    with pytest.raises(FormatError, match=rf"did you mean {name}\? Case counts"):
        bind_reference(name.upper(), SCHEMA)


@pytest.mark.parametrize("values", ["abc", b"abc", 5, None, col("b"), pa.scalar(3)])
def test_a_list_of_values_is_asked_for(values: Any) -> None:
    """`isin` and `not_in` refuse a single value, and do not split a text into letters."""
    for method in (col("a").isin, col("a").not_in):
        with pytest.raises(FormatError, match=r"^literals: found .*, wanted a list of values"):
            method(values)


@pytest.mark.parametrize(
    "values",
    [np.array([1, 2]), pa.array([1, 2]), pa.chunked_array([[1], [2]]), range(1, 3), {1, 2}],
)
def test_arrays_are_lists_of_values(values: Any) -> None:
    """`isin` takes arrays of NumPy and Arrow, ranges and sets."""
    assert str(col("a").isin(values)) == str(col("a").isin([1, 2]))


@pytest.mark.parametrize("value", [np.array([1, 2]), pa.array([1, 2]), [1], (), {"x": 1}])
def test_one_value_is_compared(value: Any) -> None:
    """Comparing a column with several values is refused, even inside a list."""
    for compared in (lambda: col("a") == value, lambda: col("a").isin([value])):
        with pytest.raises(
            FormatError, match=r"^literal: found an? \w+, wanted a single value; isin"
        ):
            compared()


@pytest.mark.parametrize(
    ("scalar", "value"),
    [
        (pa.scalar(3), 3),
        (pa.scalar("x"), "x"),
        (pa.scalar(Decimal("1.5")), Decimal("1.5")),
        (pa.scalar(5_000, pa.timestamp("ns")), datetime(1970, 1, 1, 0, 0, 0, 5)),  # noqa: DTZ001
        (pa.scalar(5_000, pa.time64("ns")), time(0, 0, 0, 5)),
    ],
)
def test_scalars_of_arrow_are_what_they_hold(scalar: pa.Scalar, value: Any) -> None:
    """Scalars of Arrow are literals with their exact values."""
    assert (col("a") == scalar).literals == (value,)


@pytest.mark.parametrize("of", [pa.timestamp("ns"), pa.time64("ns")])
def test_nanoseconds_are_not_cut_off(of: pa.DataType) -> None:
    """A scalar with nanoseconds, which Python's times lack, is an error that asks for text."""
    with pytest.raises(FormatError, match=r"wanted text, for a time so precise"):
        _ = col("a") == pa.scalar(5_001, of)


def test_scalars_without_a_value_are_no_literals() -> None:
    """Null and NaN scalars of Arrow are refused as literals."""
    for scalar, because in ((pa.scalar(None), "None"), (pa.scalar(math.nan), "NaN")):
        with pytest.raises(FormatError, match=f"^literal: found {because}"):
            _ = col("a") < scalar


@pytest.mark.parametrize(
    ("held", "of", "asked"),
    [
        (pa.array([1, 5], pa.int32()), "long", "c > 3"),
        (pa.array([1, 5], pa.int32()), "long", "c in (4294967297, 5)"),
        (pa.array([0.25, 0.5], pa.float32()), "double", "c in (0.5, 1.0)"),
        (pa.array(["b", "ab"]).dictionary_encode(), "string", "c starts with 'a'"),
        (pa.array(["b", "ab"]).dictionary_encode(), "string", "c in ('ab', 'c')"),
        (pa.array(["b", "ab"], pa.string_view()), "string", "c starts with 'a'"),
        (pa.array(["b", "ab"], pa.large_string()), "string", "c < 'b'"),
        (pa.array([Decimal("0.25"), Decimal("0.50")]), "decimal(9, 2)", "c in (0.50, 0.75)"),
    ],
    ids=str,
)
def test_columns_compare_in_whatever_type_a_file_has_them(
    held: pa.Array, of: str, asked: str
) -> None:
    """A column stored in another form, or before a promotion, compares by its values."""
    schema = Schema((NestedField(1, "c", parse_primitive(of)),))
    field = pa.field("c", held.type, metadata={"PARQUET:field_id": "1"})
    batch = pa.record_batch([held], pa.schema([field]))
    assert evaluate(bind(parse(asked), schema), batch).to_pylist() == [False, True]
