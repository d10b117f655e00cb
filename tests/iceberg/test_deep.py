"""Expressions of thousands of predicates work everywhere, however they were joined.

The functions over expressions are internal: a scan of so deep a filter shows one answer of them
all.
"""

from __future__ import annotations

import json
import operator
from functools import reduce
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.iceberg_stated import Stated

from byteloom.errors import FormatError, LimitExceeded
from byteloom.iceberg import (
    Expression,
    LongType,
    NestedField,
    PartitionSpec,
    Schema,
    bind,
    col,
    evaluate,
    from_json,
    parse,
    to_json,
)
from byteloom.iceberg.expressions import metrics, projection
from byteloom.iceberg.expressions.ast import And, BoundPredicate, Not, Or, Predicate
from byteloom.iceberg.expressions.binding import references, rewrite_not
from byteloom.iceberg.planning.pruning import residuals

if TYPE_CHECKING:
    from collections.abc import Callable


MANY = 1_500
"""Half as deep again as Python recurs."""

SCHEMA = Schema((NestedField(1, "a", LongType()),))
SPEC = PartitionSpec.from_json(
    {
        "spec-id": 0,
        "fields": [{"source-id": 1, "field-id": 1000, "name": "p", "transform": "truncate[10]"}],
    }
)
VALUES = [None, -1, 0, 5, MANY - 1, MANY]
FILES = Stated.between("long", (5, 5), (MANY, MANY), rows=3)
"""Two files, of one value each, of which only the second matches."""


def _from_the_left(join: Callable[[Any, Any], Expression], parts: list[Expression]) -> Expression:
    return reduce(join, parts)


def _from_the_right(join: Callable[[Any, Any], Expression], parts: list[Expression]) -> Expression:
    return reduce(lambda whole, each: join(each, whole), reversed(parts))


def _by_hand(_: Callable[[Any, Any], Expression], parts: list[Expression]) -> Expression:
    text = " and ".join(map(str, parts))
    return parse(text)


def _none_of(fold: Callable[..., Expression]) -> Expression:
    """Return a filter that excludes many numbers from ``a``, one by one."""
    return fold(operator.and_, [col("a") != each for each in range(MANY)])


def _column(field_id: int, values: list[int | None]) -> pa.StructArray:
    """Return a column of longs with its id."""
    field = pa.field("x", pa.int64(), metadata={"PARQUET:field_id": str(field_id)})
    return pa.StructArray.from_arrays([pa.array(values, pa.int64())], fields=[field])


@pytest.fixture(scope="module", params=[_from_the_left, _from_the_right, _by_hand])
def chain(request: pytest.FixtureRequest) -> Expression:
    """Return the same filter, joined from either side or parsed."""
    return _none_of(request.param)


def test_a_chain_is_a_value(chain: Expression) -> None:
    """A chain of thousands of predicates has a hash, and its text and JSON can be parsed again."""
    assert isinstance(hash(chain), int)
    assert repr(chain).count("Predicate(") == MANY
    again = from_json(json.loads(json.dumps(to_json(chain))))
    assert str(parse(str(chain))).count("!=") == str(again).count("!=") == MANY


def test_a_chain_is_bound_and_turned(chain: Expression) -> None:
    """Binding and negating a chain keeps all its predicates in their order."""
    turned = rewrite_not(~chain)
    assert [each.literals for each in _leaves(turned)] == [(each,) for each in range(MANY)]
    assert references(bind(turned, SCHEMA)) == {1}


def test_a_chain_is_asked_of_rows_and_files_and_partitions(chain: Expression) -> None:
    """A chain gives the answers of one ``not in`` for rows, files, partitions and residuals."""
    bound, opposite = bind(chain, SCHEMA), bind(~chain, SCHEMA)
    rows = _column(1, VALUES)
    assert evaluate(bound, rows).to_pylist() == [True, True, False, False, False, True]
    assert evaluate(opposite, rows).to_pylist() == [False, False, True, True, True, False]
    assert metrics.inclusive(bound, FILES).tolist() == [False, True]
    assert metrics.strict(bound, FILES).tolist() == [False, True]
    partitions = _column(1000, [None, -10, 0, MANY])
    may = evaluate(projection.inclusive(opposite, SPEC, SCHEMA), partitions)
    assert may.to_pylist() == [False, False, True, False]
    left = residuals(bound, SPEC, SCHEMA, partitions)
    assert [len(_leaves(left.of(each))) for each in range(4)] == [0, 0, 10, 0]


@pytest.mark.parametrize("inner", ["left", "right"])
def test_documents_may_be_chains(inner: str) -> None:
    """JSON of thousands of nested predicates is read, and an error in it has its full path."""
    outer = {"left": "right", "right": "left"}[inner]
    document: dict[str, Any] = {"type": "eq", "term": "a", "value": 0}
    for each in range(1, MANY):
        predicate = {"type": "eq", "term": "a", "value": each}
        document = {"type": "or", inner: document, outer: predicate}
    found = [each.literals[0] for each in _leaves(from_json(document))]
    assert found == list(range(MANY))[:: 1 if inner == "left" else -1]
    end = document
    while inner in end:
        end = end[inner]
    end["type"] = "no"
    with pytest.raises(FormatError, match=": found 'no'") as refused:
        from_json(document)
    assert refused.value.path == f"{inner}." * (MANY - 1) + "type"


def test_a_set_of_many_is_asked_likewise() -> None:
    """A predicate with a hundred thousand literals works like a small one."""
    asked = bind(col("a").isin(range(100_000)), SCHEMA)
    assert parse(str(asked)) == col("a").isin(range(100_000))
    assert evaluate(asked, _column(1, [None, 5, -1])).to_pylist() == [False, True, False]
    assert metrics.inclusive(asked, FILES).tolist() == [True, True]


def test_negations_of_negations_are_none() -> None:
    """Thousands of ``~`` reduce to one or to none."""
    asked: Expression = col("a") == 1
    for _ in range(MANY):
        asked = ~asked
    assert asked == (col("a") == 1)
    assert parse("not " * (MANY + 1) + "a = 1") == Not(col("a") == 1)


def test_words_that_take_turns_are_refused_when_they_are_too_deep() -> None:
    """Alternating ``and`` and ``or`` beyond 200 levels is refused where it is joined."""
    asked: Expression = col("a") == 1

    def deeper(levels: int) -> None:
        nonlocal asked
        for each in range(levels):
            asked = asked & (col("a") != each) if each % 2 else asked | (col("a") == each)

    deeper(199)
    assert parse(str(bind(asked, SCHEMA))).depth == 199  # type: ignore[attr-defined]
    with pytest.raises(LimitExceeded, match="expression: found 201 levels, wanted at most 200"):
        deeper(3)


@given(st.lists(st.integers(0, 1 << 30), max_size=300))
def test_joints_keep_their_order_and_stay_shallow(choices: list[int]) -> None:
    """Predicates joined in any order stay in order, in few levels."""
    parts: list[Expression] = [col("a") == each for each in range(len(choices) + 1)]
    for place in choices:
        at = place % (len(parts) - 1)
        parts[at : at + 2] = [parts[at] & parts[at + 1]]
    (whole,) = parts
    assert [each.literals for each in _leaves(whole)] == [(at,) for at in range(len(choices) + 1)]
    assert _levels(whole) <= 26  # the most that trees of 301 leaves have, a slack of 8 allowed


def _leaves(expression: Expression) -> list[Predicate | BoundPredicate]:
    """Return the predicates from the left to the right."""
    found, waiting = [], [expression]
    while waiting:
        each = waiting.pop()
        if isinstance(each, And | Or):
            waiting += [each.right, each.left]
        elif isinstance(each, Predicate | BoundPredicate):
            found.append(each)
    return found


def _levels(expression: Expression) -> int:
    """Return the levels of joints."""
    if isinstance(expression, And | Or):
        return 1 + max(_levels(expression.left), _levels(expression.right))
    return 0
