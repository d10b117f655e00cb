"""Plans and rows beside pyiceberg: tables that it writes, by every transform, and drawn filters.

`RULES` names where pyiceberg 0.12 plans differently, each with the direction: a filter that no rule
names has to give the same files and the same rows. Rows are compared with the meaning of
the filter too, row by row in Python, whatever pyiceberg finds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from tests.support.drawn import examples
from tests.support.iceberg_filters import LEAVES, expressions, matches
from tests.support.iceberg_readers import named
from tests.support.pyiceberg_filters import as_pyiceberg
from tests.support.pyiceberg_tables import SPECS, Written, written

from byteloom.iceberg import Expression, Table, open_table
from byteloom.iceberg.expressions.ast import And, Operation, Or, Predicate
from byteloom.iceberg.expressions.binding import rewrite_not

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NAMES = tuple(each for each in LEAVES if each != "ns")
NEGATIVE = {Operation.NOT_EQ, Operation.NOT_IN, Operation.NOT_STARTS_WITH}


@dataclass(frozen=True)
class Asked:
    """A predicate, and the transforms of its column in the table's specs."""

    predicate: Predicate
    transforms: frozenset[str]

    @property
    def name(self) -> str:
        """The column."""
        return str(getattr(self.predicate.term, "name"))  # noqa: B009  a reference, no function

    @property
    def literals(self) -> tuple[Any, ...]:
        """What the column is compared with."""
        return self.predicate.literals


def no_float(asked: Asked) -> bool:
    """Whether a float is compared with NaN, or with infinity."""
    numbers = asked.literals if asked.name == "float" else ()
    return any(float(np.float32(each)) != each or np.isinf(each) for each in numbers)


RULES: list[tuple[str, str, Callable[[Asked], bool]]] = [
    # What pyiceberg keeps although nothing in it can match.
    ("fewer", "prunes nothing by !=, not in", lambda it: it.predicate.operation in NEGATIVE),
    ("fewer", "believes no counts of nulls in structs", lambda it: "." in it.name),
    # What it drops although something may match, or by luck.
    ("more", "drops rows of null structs", lambda it: "." in it.name),
    (
        "more",
        "takes UUIDs for ordered by their bytes by every writer",
        lambda it: it.name == "uuid",
    ),
    (
        "more",
        "takes zeros for ordered by their sign by no writer",
        lambda it: it.name in {"float", "double"} and any(each == 0 for each in it.literals),
    ),
    (
        "more",
        "does not know that old writers rounded moments before 1970 up",
        lambda it: bool(it.transforms & {"year", "month", "day", "hour"}),
    ),
    (
        "more",
        "does not know that truncated numbers wrap",
        lambda it: it.name in {"id", "long", "price"} and "truncate" in it.transforms,
    ),
    # What it drops and keeps wrongly.
    ("fewer more", "does not round numbers that are compared with floats", no_float),
    (
        "fewer more",
        "reads doubles of partitions as floats",
        lambda it: it.name == "double" and "identity" in it.transforms,
    ),
    # Where its rows are others.
    ("rows", "finds no nulls by !=, not in", lambda it: it.predicate.operation in NEGATIVE),
    (
        "rows",
        "finds no nulls that are not NaN, and no NaN in row groups of one other number",
        lambda it: it.predicate.operation in {Operation.IS_NAN, Operation.NOT_NAN},
    ),
    ("rows", "cannot ask for UUIDs", lambda it: it.name == "uuid"),
    ("rows", "asks null structs for their fields", lambda it: "." in it.name),
    (
        "rows",
        "finds NaN by what is not less, and does not round",
        lambda it: it.name in {"float", "double"} and bool(it.literals),
    ),
]


def differences(expression: Expression, transforms: dict[str, frozenset[str]]) -> set[str]:
    """What pyiceberg may find otherwise: ``fewer`` files here, ``more`` of them, other ``rows``."""
    found: set[str] = set()
    for predicate in predicates_of(rewrite_not(expression)):
        name = str(getattr(predicate.term, "name"))  # noqa: B009  likewise
        asked = Asked(predicate, transforms.get(name, frozenset()))
        for direction, _, applies in RULES:
            if applies(asked):
                found.update(direction.split())
    return found


def predicates_of(expression: Expression) -> Iterator[Predicate]:
    """Yield the predicates of an expression."""
    if isinstance(expression, And | Or):
        yield from predicates_of(expression.left)
        yield from predicates_of(expression.right)
    elif isinstance(expression, Predicate):
        yield expression


def transforms_of(specs: tuple[str, ...]) -> dict[str, frozenset[str]]:
    """By column, the transforms in some specs."""
    found: dict[str, set[str]] = {}
    for each in " ".join(SPECS[name] for name in specs).split():
        transform, _, column = each.removesuffix(")").partition("(")
        found.setdefault(column, set()).add(transform.partition("[")[0])
    return {name: frozenset(held) for name, held in found.items()}


TABLES = [
    *(pytest.param((1, name), id=f"{named('pyiceberg')}-v1-{name}") for name in SPECS),
    pytest.param((2, *SPECS), id=f"{named('pyiceberg')}-v2-all"),
]


@dataclass(frozen=True)
class Both:
    """A table as both see it."""

    made: Written
    ours: Table
    transforms: dict[str, frozenset[str]]


@pytest.fixture(scope="module", params=TABLES)
def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Both:
    """Tables of one spec each, and one that has gone through all of them."""
    version, *specs = request.param
    made = written(tmp_path_factory.mktemp("pyiceberg"), *specs, version=version)
    return Both(made, open_table(made.table.metadata_location), transforms_of(tuple(specs)))


FILTERS = expressions(with_functions=False, is_strict=True, names=NAMES)
SOME = tuple(
    each for each in NAMES if each not in {"uuid", "float", "double", "point.x", "point.y"}
)
PLAIN = expressions(with_functions=False, is_strict=True, names=SOME)


def row_text(row: dict[str, Any]) -> str:
    """A row as text; UUIDs as their bytes."""
    identity = row["uuid"]
    return repr(row | {"uuid": getattr(identity, "bytes", identity)})


def their_plan(both: Both, expression: Expression) -> set[str] | None:
    """The files of pyiceberg's plan; None where it fails on a null of a partition."""
    try:
        tasks = both.made.table.scan(as_pyiceberg(expression)).plan_files()
    except TypeError as problem:
        if "NoneType" in str(problem):  # it compares a null partition value with a literal
            return None
        raise
    return {each.file.file_path for each in tasks}


@examples(0.1)
@given(FILTERS)
def test_filters_find_what_they_mean(both: Both, expression: Expression) -> None:
    """A filter finds as many rows of pyiceberg's tables as match it by the words of the spec."""
    rows = both.ours.scan(expression).to_table()
    assert rows.num_rows == sum(matches(expression, each) for each in both.made.rows)


# The same filters in every run: what else pyiceberg does otherwise is not to be found by luck.
@examples(0.125, derandomize=True)
@given(st.one_of(FILTERS, PLAIN))
def test_filters_keep_the_same_files_and_rows(both: Both, expression: Expression) -> None:
    """A filter keeps pyiceberg's files and rows, or differs as a rule allows."""
    ours = {each.file_path for each in both.ours.scan(expression).plan()}
    rows = both.ours.scan(expression).to_table().to_pylist()
    theirs, differing = their_plan(both, expression), differences(expression, both.transforms)
    event("pyiceberg fails" if theirs is None else f"may differ: {sorted(differing)}")
    if theirs is None:
        return
    assert "more" in differing or ours <= theirs
    assert "fewer" in differing or theirs <= ours
    if not differing & {"more", "rows"}:
        found = both.made.table.scan(as_pyiceberg(expression)).to_arrow().to_pylist()
        assert sorted(map(row_text, rows)) == sorted(map(row_text, found))


def test_all_rows_are_read_back(both: Both) -> None:
    """A scan without a filter has all rows that were written, as pyiceberg reads them."""
    rows = both.ours.scan().to_table().to_pylist()
    theirs = both.made.table.scan().to_arrow().to_pylist()
    assert sorted(map(row_text, rows)) == sorted(map(row_text, theirs))
    assert len(rows) == len(both.made.rows)
