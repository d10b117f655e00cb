"""Expressions as text and JSON are read, written, and refused with the place of a mistake."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.gallery import rows
from tests.support.iceberg_filters import SCHEMA, expressions

from byteloom.errors import ByteloomError, FormatError, LimitExceeded
from byteloom.iceberg import (
    Expression,
    ExpressionError,
    bind,
    col,
    from_json,
    parse,
    to_json,
)


@pytest.mark.parametrize(("text", "printed"), rows("iceberg/filters", "meanings"))
def test_text_means_what_its_printed_form_means(text: str, printed: str) -> None:
    """Text in each form of the grammar is printed in one form, which means the same."""
    assert str(parse(text)) == printed
    assert parse(printed) == parse(text)


MISTAKES = [
    *rows("iceberg/filters", "mistakes"),
    (f"a = {'1' * 1001}", 5, "1001 digits", "at most 1000"),
]


@pytest.mark.parametrize(
    ("text", "character", "found", "wanted"), MISTAKES, ids=[each[0][:30] for each in MISTAKES]
)
def test_a_mistake_is_shown_at_its_place(
    text: str, character: int, found: str, wanted: str
) -> None:
    """An error has the place of the mistake, what was found and wanted, and a caret under it."""
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
    assert type(again.literals[0]) is type(value)  # type: ignore[attr-defined]


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


def test_brackets_nest_to_the_limit() -> None:
    """Brackets may be nested 200 deep, any number of times, and not deeper."""
    deep = f"{'(' * 200}id = 3{')' * 200}"
    assert parse(f"{deep} or {deep}") == (col("id") == 3) | (col("id") == 3)
    with pytest.raises(LimitExceeded, match="found 201 levels of brackets, wanted at most 200"):
        parse(f"({deep})")


@pytest.mark.parametrize(
    ("changes", "said"),
    rows("iceberg/filters", "no_json"),
)
def test_json_of_no_expression_is_refused(changes: dict[str, Any], said: str) -> None:
    """JSON that is no expression is an error with its key, what was found and what was wanted."""
    with pytest.raises(FormatError) as refused:
        from_json({"type": "eq", "term": "id", "value": 1, **changes})
    assert str(refused.value) == said
