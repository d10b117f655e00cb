"""Filters are made by operators, bound to a schema, and mean to rows what the spec says."""

from __future__ import annotations

import math
from datetime import datetime, time
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from tests.support.iceberg_filters import (
    SCHEMA,
    batch,
    expressions,
    matches,
    rows,
)

from byteloom.errors import FormatError
from byteloom.iceberg import (
    Expression,
    NestedField,
    Schema,
    bind,
    bucket,
    col,
    day,
    evaluate,
    from_json,
    hour,
    month,
    parse,
    parse_primitive,
    truncate,
    year,
)

if TYPE_CHECKING:
    from collections.abc import Callable

Rows = list[dict[str, Any]]


@given(rows(), expressions())
def test_rows_match_as_the_spec_says(held: Rows, expression: Expression) -> None:
    """A filter evaluated on a batch gives each row the answer that the spec defines."""
    found = evaluate(bind(expression, SCHEMA), batch(held))
    assert found.to_pylist() == [matches(expression, row) for row in held]


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
        (col("id") < 2**40, parse("true")),
        (col("id") > 2**40, parse("false")),
        (col("id") == 1.5, parse("false")),
        (col("id").is_null(), parse("false")),
        (col("id").isin([]), parse("false")),
        (col("id").not_in([]), parse("true")),
        (~(col("id") == 1.5), parse("true")),
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
    assert str(bound) == "id is null"
    beyond = bind(col("id") < 2**40, SCHEMA, trusts_required=False)
    assert beyond == bind(col("id").not_null(), SCHEMA, trusts_required=False)


def test_long_chains_stay_shallow() -> None:
    """A filter of five thousand conditions is bound and evaluated."""
    text = " or ".join(f"id = {each}" for each in range(5000))
    field = pa.field("id", pa.int32(), metadata={"PARQUET:field_id": "1"})
    batch = pa.record_batch([pa.array([4999, 5000], pa.int32())], pa.schema([field]))
    found = evaluate(bind(parse(text), SCHEMA), batch)
    assert found.to_pylist() == [True, False]


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        (col("nme") == "a", "name"),
        (col("name") == 3, "compare with string"),
        (col("binary").startswith("a"), "compare with binary|a string"),
        (
            col("id").is_nan(),
            r"^filter\.id: found type int, wanted float or double, which can be NaN$",
        ),
        (day("id") == 3, "type int"),
        (from_json({"type": "eq", "term": "double", "value": math.nan}), "is nan"),
    ],
)
def test_what_does_not_fit_the_schema_is_refused(expression: Expression, message: str) -> None:
    """A filter that does not fit the schema is an error that says what would fit."""
    with pytest.raises(FormatError, match=message):
        bind(expression, SCHEMA)


def test_the_case_of_a_name_counts_unless_said_otherwise() -> None:
    """A column is looked up by the exact case of its name, unless case is ignored."""
    asked = col("NAME") == "a"
    assert bind(asked, SCHEMA, case_sensitive=False) == bind(col("name") == "a", SCHEMA)
    with pytest.raises(FormatError, match=r"did you mean name\? Case counts"):
        bind(asked, SCHEMA)


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
