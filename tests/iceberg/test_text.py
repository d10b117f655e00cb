"""Expressions as text and JSON are read, written, and refused with the place of a mistake.

Binding and JSON are internal: no public function shows them.
"""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.iceberg_filters import SCHEMA, expressions

from byteloom.errors import ByteloomError, FormatError, LimitExceeded
from byteloom.iceberg import (
    Expression,
    ExpressionError,
    bind,
    bucket,
    col,
    day,
    from_json,
    parse,
    to_json,
    truncate,
)
from byteloom.iceberg.expressions.ast import FALSE, TRUE, And, Not, Predicate
from byteloom.iceberg.expressions.binding import rewrite_not
from byteloom.iceberg.expressions.text import as_expression

MEANINGS: dict[str, Expression] = {
    "id = 3": col("id") == 3,
    "id == 3": col("id") == 3,
    "id <> 3": col("id") != 3,
    "id != -3": col("id") != -3,
    "id>=+3": col("id") >= 3,
    "3 < id": col("id") > 3,
    "3 >= id": col("id") <= 3,
    "true = flag": col("flag") == True,  # noqa: E712  an expression, not a comparison
    "price < 1.50": col("price") < Decimal("1.50"),
    "x < 1.5e3": col("x") < 1500.0,
    "x < .5": col("x") < Decimal("0.5"),
    "x > double '-inf'": col("x") > float("-inf"),
    "name = 'it''s'": col("name") == "it's",
    "data = X'00fF'": col("data") == b"\0\xff",
    "d = date '2024-02-29'": col("d") == dt.date(2024, 2, 29),
    "t = time '22:31:08.000001'": col("t") == dt.time(22, 31, 8, 1),
    "ts = timestamp '2024-01-01'": col("ts") == dt.datetime(2024, 1, 1),  # noqa: DTZ001  no zone
    "ts = timestamp '2024-01-01 01:00:00+01:00'": col("ts")
    == dt.datetime(2024, 1, 1, tzinfo=dt.UTC),
    "ns = timestamp '2024-01-01T00:00:00.000000001'": col("ns") == "2024-01-01T00:00:00.000000001",
    "u = uuid 'f79c3e09-677c-4bbd-a479-3f349cb785e7'": col("u")
    == UUID("f79c3e09-677c-4bbd-a479-3f349cb785e7"),
    "id in (1, 2)": col("id").isin([1, 2]),
    "id NOT IN (1)": col("id").not_in([1]),
    "id is null": col("id").is_null(),
    "id IS NOT NULL": col("id").not_null(),
    "x is nan": col("x").is_nan(),
    "x is not nan": col("x").not_nan(),
    "id between 1 and 2": (col("id") >= 1) & (col("id") <= 2),
    "id not between 1 and 2": ~((col("id") >= 1) & (col("id") <= 2)),
    "name like 'ab%'": col("name").startswith("ab"),
    r"name like 'a\%b\_%'": col("name").startswith("a%b_"),
    "name not like 'ab%'": col("name").not_startswith("ab"),
    "name like 'ab'": col("name") == "ab",
    "name starts with 'ab'": col("name").startswith("ab"),
    "name not starts with 'ab'": col("name").not_startswith("ab"),
    "starts_with(name, 'ab')": col("name").startswith("ab"),
    "not starts_with(name, 'ab')": ~col("name").startswith("ab"),
    "bucket(16, id) = 3": bucket(16, "id") == 3,
    "3 = bucket(16, id)": bucket(16, "id") == 3,
    "bucket(1, id) = 0": bucket(1, "id") == 0,
    "bucket(2147483647, id) = 3": bucket((1 << 31) - 1, "id") == 3,
    "TRUNCATE(4, s.t) in ('abcd')": truncate(4, "s.t").isin(["abcd"]),
    "days(ts) > date '2024-01-01'": day("ts") > dt.date(2024, 1, 1),
    'a."b c".`d``e` = 1': col("a.b c.d`e") == 1,
    '"not" = 1': col("not") == 1,
    "date = 1": col("date") == 1,
    "größe = 1": col("größe") == 1,
    "true": TRUE,
    "not true": FALSE,
    "not not id = 1": col("id") == 1,
    "a = 1 or b = 2 and c = 3": (col("a") == 1) | ((col("b") == 2) & (col("c") == 3)),
    "(a = 1 or b = 2) and c = 3": ((col("a") == 1) | (col("b") == 2)) & (col("c") == 3),
    "not a = 1 and b = 2": ~(col("a") == 1) & (col("b") == 2),
    "not (a = 1 and b = 2)": ~((col("a") == 1) & (col("b") == 2)),
    "a = 1 and b = 2 and c = 3": (col("a") == 1) & (col("b") == 2) & (col("c") == 3),
}


@pytest.mark.parametrize("text", MEANINGS)
def test_text_means_what_operators_make(text: str) -> None:
    """Text in each form of the grammar means what Python's operators make."""
    assert parse(text) == MEANINGS[text]


@pytest.mark.parametrize("text", MEANINGS)
def test_text_is_written_as_it_is_read(text: str) -> None:
    """An expression that is written as text is read as the same expression."""
    assert parse(str(MEANINGS[text])) == MEANINGS[text]


MISTAKES = {
    "": (1, "the end", "a column"),
    "id": (3, "the end", "an operator: ="),
    "id > 3 and": (11, "the end", "a column"),
    "id 3": (4, "3", "an operator: ="),
    "id = name": (6, "name", "a literal: a number"),
    'id = "name"': (6, '"name"', "single quotes"),
    "id = null": (6, "null", "`is null`"),
    "x = nan": (5, "nan", "`is nan`"),
    "id is 3": (7, "3", "null, nan"),
    "id not 3": (8, "3", "in, between"),
    "id between 1 or 2": (14, "or", "'and'"),
    "id in 1": (7, "1", "'('"),
    "id in (1 2)": (10, "2", "',' or ')'"),
    "3 in (id)": (3, "in", "= !="),
    "1 = 2": (5, "2", "a column or a function"),
    "(a = 1": (7, "the end", "')'"),
    "a = 1)": (6, ")", "the end"),
    "a = 1 b = 2": (7, "b", "and, or, or the end"),
    "a like '%x'": (8, "'%x'", "one % at its end"),
    "a like 'x_'": (8, "'x_'", "one % at its end"),
    "a like 3": (8, "3", "prefix%"),
    "a starts 'x'": (10, "'x'", "'with'"),
    "a = 'x": (5, '"\'"', "closing quotation mark"),
    'a."x = 1': (3, "'\"'", "closing quotation mark"),
    "a = X'0'": (5, "X'0'", "two hexadecimal digits"),
    "12abc = 1": (1, "'1'", "a number as 3"),
    "a = 1.2.3": (5, "'1'", "a number as 3"),
    "a ~ 1": (3, "'~'", "an operator"),
    "bucket(0, a) = 1": (8, "0", "from 1 to 2147483647"),
    "bucket(2147483648, a) = 1": (8, "2147483648", "from 1 to 2147483647"),
    "bucket(02147483647, a) = 1": (8, "02147483647", "from 1 to 2147483647"),
    "bucket(a, 16) = 1": (8, "a", "a whole number"),
    "bucket(16 a) = 1": (11, "a", "','"),
    "bucket(16, 3) = 1": (12, "3", "a column"),
    "lower(a) = 'x'": (1, "lower", "a function: bucket"),
    "a.and = 1": (3, "and", 'quoted: "and"'),
    "d = date '2023-02-29'": (10, "'2023-02-29'", "a day of the calendar"),
    "t = timestamp '2023-02-28T25:00:00'": (15, "'2023-02-28T25:00:00'", "23:59:59"),
    "u = uuid 'x'": (10, "'x'", "a UUID"),
    "x = decimal 'x'": (13, "'x'", "a number"),
    f"a = {'1' * 1001}": (5, "1001 digits", "at most 1000"),
}


@pytest.mark.parametrize("text", MISTAKES, ids=lambda text: text[:30])
def test_a_mistake_is_shown_at_its_place(text: str) -> None:
    """An error has the place of the mistake, what was found and wanted, and a caret under it."""
    character, found, wanted = MISTAKES[text]
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    message = str(caught.value).splitlines()
    assert message[0].startswith(f"expression at character {character}: found {found}, wanted ")
    assert wanted in message[0]
    assert caught.value.place == character - 1
    assert message[2] == " " * (4 + min(character - 1, 60)) + "^"


def test_only_the_line_of_a_mistake_is_shown() -> None:
    """An error shows the line of the mistake, with at most 60 characters on each side."""
    text = "id > 3 and\n" + "a" * 100 + " ! 1" + " " * 100 + "\nor b = 1"
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    _, line, caret = str(caught.value).splitlines()
    assert line.strip() == "a" * 59 + " ! 1"
    assert line[caret.index("^")] == "!"


def test_brackets_without_end_are_refused() -> None:
    """Brackets nested too deeply exceed a limit, and not Python's stack."""
    with pytest.raises(LimitExceeded, match="201 levels"):
        parse("(" * 100_000)


@given(expressions())
def test_every_expression_comes_back_from_text(expression: Expression) -> None:
    """Every expression is written as text that is read as the same expression."""
    assert parse(str(expression)) == expression


@given(expressions())
def test_bound_expressions_come_back_from_text(expression: Expression) -> None:
    """A bound expression is written as text that means the same to its schema."""
    bound = bind(expression, SCHEMA)
    assert bind(parse(str(bound)), SCHEMA) == bound


# A time that its zone has twice, when clocks are set back, equals none of another zone.
ZONED = st.datetimes(dt.datetime(2, 1, 1), dt.datetime(9998, 1, 1), timezones=st.timezones())  # noqa: DTZ001
NAMES = st.text(st.characters(codec="utf-8"))
LITERALS: st.SearchStrategy[Any] = st.one_of(
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.decimals(allow_nan=False),
    st.text(),
    st.binary(),
    st.uuids(),
    st.dates(),
    st.times(),
    st.datetimes(),
    ZONED.filter(lambda time: time == time.astimezone(dt.UTC)),
)


@given(NAMES, LITERALS)
def test_any_name_and_literal_comes_back_from_text(name: str, value: Any) -> None:
    """Names and literals of any characters are quoted so that they are read again."""
    expression = col(name) == value
    again = parse(str(expression))
    assert again == expression
    assert isinstance(again, Predicate)
    assert type(again.literals[0]) is type(value)


WORDS = [
    *("id", "and", "or", "not", "in", "is", "null", "nan", "between", "like", "starts", "with"),
    *("(", ")", ",", ".", "=", "<>", "<=", "-", "1", "1.5", "1e5", "'x'", "X'00'", '"a b"', "`"),
    *("bucket", "truncate", "day", "date", "timestamp", "'2024-01-01'", "true", "'", "%", "\n"),
]


@given(st.text() | st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join))
def test_any_text_is_an_expression_or_an_error(text: str) -> None:
    """Any text is an expression that round-trips, or raises a `ByteloomError`."""
    try:
        found = parse(text)
    except ByteloomError:
        return
    assert parse(str(found)) == found


@given(expressions())
def test_every_bound_expression_comes_back_from_json(expression: Expression) -> None:
    """A bound expression round-trips through JSON, with JSON single values as literals."""
    bound = bind(expression, SCHEMA)
    assert bind(from_json(to_json(bound)), SCHEMA) == bound


def test_what_an_operator_made_without_shortening_reads_the_same() -> None:
    """A negation is written with brackets, so that it is read as the same expression."""
    found = Not(And(col("a") == 1, Not(col("b") == 2)))
    assert str(found) == "not (a = 1 and not b = 2)"
    assert parse(str(found)) == found
    assert rewrite_not(found) == (col("a") != 1) | (col("b") == 2)


def test_brackets_nest_to_the_limit() -> None:
    """Brackets may be nested 200 deep, any number of times, and not deeper."""
    deep = f"{'(' * 200}id = 3{')' * 200}"
    assert parse(f"{deep} or {deep}") == (col("id") == 3) | (col("id") == 3)
    with pytest.raises(LimitExceeded, match="found 201 levels of brackets, wanted at most 200"):
        parse(f"({deep})")


def test_a_filter_is_text_or_an_expression() -> None:
    """A filter that is neither text nor an expression is refused with its type."""
    asked = col("id") == 3
    assert as_expression(asked) is asked
    assert as_expression("id = 3") == asked
    with pytest.raises(FormatError, match="filter: found int, wanted text, or an expression"):
        as_expression(3)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"type": "like"}, "type: found 'like', wanted an operation of expressions"),
        (
            {"term": {"type": "apply", "term": "id"}},
            "term.type: found 'apply', wanted reference or transform",
        ),
        ({"term": None}, "term: found nothing, wanted a name, a reference or a transform"),
        ({"value": [1]}, "value: found [1], wanted true, false, a number or text"),
        (
            {"value": {"type": "literal", "value": None}},
            "value: found None, wanted true, false, a number or text",
        ),
    ],
)
def test_json_of_no_expression_is_refused(changes: dict[str, Any], said: str) -> None:
    """JSON that is no expression is an error with its key, what was found and what was wanted."""
    with pytest.raises(FormatError) as refused:
        from_json({"type": "eq", "term": "id", "value": 1, **changes})
    assert str(refused.value) == said
