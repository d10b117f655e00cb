"""Filters on transforms that wrap prune no file and no partition with a match."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from byteloom.iceberg.expressions import bind, metrics, parse, projection
from byteloom.iceberg.expressions.rows import evaluate
from byteloom.iceberg.expressions.stats import FieldStats, Spans
from byteloom.iceberg.expressions.wrapping import unwrapped
from byteloom.iceberg.partition_spec import PartitionSpec
from byteloom.iceberg.planning.pruning import residuals
from byteloom.iceberg.schema import Schema
from byteloom.iceberg.transforms import apply_array, parse_transform
from byteloom.iceberg.types import IntegerType, LongType, NestedField, TimestampType

if TYPE_CHECKING:
    from byteloom.iceberg.types import Type

LONG, INT = 1 << 63, 1 << 31
OPERATORS = ("<", "<=", ">", ">=", "=", "!=")


class _File:
    """The statistics of one file of these values and no null."""

    def __init__(self, values: list[int], width: int) -> None:
        self.record_count = np.array([len(values)])
        self._bounds = [
            Spans.of([each.to_bytes(width, "little", signed=True)])
            for each in (min(values), max(values))
        ]

    def of(self, _: int) -> FieldStats:
        """Return the statistics of the column."""
        return FieldStats(self.record_count, np.array([0]), np.array([0]), *self._bounds)


def _rows(of: Type, values: list[int], field_id: int = 1) -> pa.StructArray:
    """Return a column with its id."""
    plain = pa.array(values, pa.int32() if isinstance(of, IntegerType) else pa.int64())
    held = plain.view(pa.timestamp("us")) if isinstance(of, TimestampType) else plain
    field = pa.field("x", held.type, metadata={"PARQUET:field_id": str(field_id)})
    return pa.StructArray.from_arrays([held], fields=[field])


@st.composite
def _cases(draw: st.DrawFn) -> tuple[Type, list[int], int, str, int]:
    """Draw a type, values, a width, an operator and a literal, mostly near the ends."""
    of, half = draw(st.sampled_from([(LongType(), LONG), (IntegerType(), INT)]))
    near = st.sampled_from([-half, 0, half - 1])
    value = st.builds(
        lambda base, by: min(max(base + by, -half), half - 1), near, st.integers(-30, 30)
    )
    values = draw(st.lists(value, min_size=1, max_size=4))
    width = draw(st.one_of(st.integers(1, 20), st.integers(1, INT - 1)))
    return of, values, width, draw(st.sampled_from(OPERATORS)), draw(value)


@given(_cases())
@example((LongType(), [-LONG, -5], 10, "<", 0))
@example((IntegerType(), [-INT, 7], 10, ">", 100))
def test_truncated_integers(case: tuple[Type, list[int], int, str, int]) -> None:
    """Filters on truncated integers never prune a match, by bounds and by partition."""
    of, values, width, operator, literal = case
    schema = Schema((NestedField(1, "x", of),))
    bound = bind(parse(f"truncate({width}, x) {operator} {literal}"), schema)
    matches = evaluate(bound, _rows(of, values)).to_pylist()
    file = _File(values, 4 if isinstance(of, IntegerType) else 8)
    assert metrics.inclusive(bound, file)[0] or not any(matches)
    assert not metrics.strict(bound, file)[0] or all(matches)
    _check_partitions(bound, of, values, width, matches)


@pytest.mark.parametrize("operator", [*OPERATORS, "in", "not in"])
@pytest.mark.parametrize(("of", "half"), [(LongType(), LONG), (IntegerType(), INT)], ids=str)
def test_the_value_that_wrapped_is_a_literal(of: Type, half: int, operator: str) -> None:
    """Filters compare the least value by the wrapped number that its partition stores."""
    schema = Schema((NestedField(1, "x", of),))
    values = [-half, -half + 1, -half + 2, -half + 8, -10, 0, 5, half - 1]
    for literal in (half - 2, -half, -half + 8, 0, 10):
        literals = f"({literal}, 20)" if "in" in operator else literal
        bound = bind(parse(f"truncate(10, x) {operator} {literals}"), schema)
        matches = evaluate(bound, _rows(of, values)).to_pylist()
        _check_partitions(bound, of, values, 10, matches)


def _check_partitions(
    bound: Any, of: Type, values: list[int], width: int, matches: list[bool]
) -> None:
    """Check that both projections and the residual are right for each partition."""
    transform = f"truncate[{width}]"
    field = {"source-id": 1, "field-id": 1000, "name": "p", "transform": transform}
    spec = PartitionSpec.from_json({"spec-id": 0, "fields": [field]})
    schema = Schema((NestedField(1, "x", of),))
    made = apply_array(parse_transform(transform), of, _rows(of, values).field(0))
    tuples = _rows(of, made.to_pylist(), 1000)
    for project in (projection.inclusive, projection.strict):
        carried = project(bound, spec, schema)
        assert evaluate(carried, unwrapped(spec, tuples)).to_pylist() == matches
    left = residuals(bound, spec, schema, tuples)
    assert [str(left.of(each)) for each in range(len(values))] == [
        str(each).lower() for each in matches
    ]


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("literal", [-2_000_000_000, 0, 2_000_000_000])
def test_hours_beyond_32_bits(operator: str, literal: int) -> None:
    """Hours of the year 300,000 wrap at 32 bits, as all writers store them."""
    schema = Schema((NestedField(1, "x", TimestampType()),))
    bound = bind(parse(f"hour(x) {operator} {literal}"), schema)
    for values in ([-LONG, LONG - 1], [-LONG, 0], [0, LONG - 1], [-5, 5], [LONG - 2, LONG - 1]):
        matches = evaluate(bound, _rows(TimestampType(), values)).to_pylist()
        assert metrics.inclusive(bound, _File(values, 8))[0] or not any(matches)


def test_files_are_pruned_where_all_results_wrapped_or_none() -> None:
    """Files are pruned by bounds only if all or none of their results wrapped."""
    schema = Schema((NestedField(1, "x", LongType()),))
    bound = bind(parse("truncate(10, x) < 0"), schema)
    held = {(-LONG, -LONG + 7): False, (-LONG, -LONG + 8): True, (1, 50): False, (-9, 9): True}
    for values, may in held.items():
        assert metrics.inclusive(bound, _File(list(values), 8)).tolist() == [may]


HOUR = 3_600_000_000


@pytest.mark.parametrize(
    ("low", "high", "may"),
    [
        (0, 100, False),
        (0, 101, True),
        (-50, -1, False),
        (90, 110, True),
        (-(1 << 31), 100, False),
        (-(1 << 31) - 1, 100, True),
        ((1 << 31), (1 << 31) + 5, False),
        ((1 << 31) - 1, (1 << 31) + 5, True),
    ],
)
def test_files_are_pruned_where_all_hours_are_in_one_lap(low: int, high: int, may: bool) -> None:
    """Files are pruned by hours only if none or all wrap to the same range of 32 bits."""
    bound = bind(parse("hour(x) > 100"), Schema((NestedField(1, "x", TimestampType()),)))
    file = _File([low * HOUR, high * HOUR], 8)
    assert metrics.inclusive(bound, file).tolist() == [may]
