"""Options of sources: read, checked, documented."""

from __future__ import annotations

from typing import Any

import pytest

from byteloom.errors import ArgumentError
from byteloom.spark.options import (
    COUNT,
    FLAG,
    NAMES,
    SIZE,
    SOME_NAMES,
    TEXT,
    WHOLE,
    Kind,
    Option,
    Options,
    one_of,
)

OPTIONS = Options(
    "byteloom.x",
    Option("path", TEXT, "Where."),
    Option("columns", NAMES, "Which.", default_text="all"),
    Option("count", WHOLE, "How many.", default=3),
    Option("is_fast", FLAG, "Whether.", default=False),
    prefixes={"storage.": "Handed on."},
)


def test_what_is_not_given_has_its_default() -> None:
    """An option that is not given has its default value."""
    wanted: dict[str, Any] = {
        "path": None,
        "columns": None,
        "count": 3,
        "is_fast": False,
        "storage.": {},
    }
    assert OPTIONS.read({}) == wanted


def test_names_have_no_case_and_prefixes_are_handed_on() -> None:
    """Option names ignore case, and options with a prefix are passed on."""
    found = OPTIONS.read({"PATH": "A", "storage.s3.Region": "X", "Is_Fast": "TRUE"})
    assert found["path"] == "A"
    assert found["is_fast"] is True
    assert found["storage."] == {"s3.region": "X"}


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (WHOLE, " -9223372036854775808 ", -(1 << 63)),
        (COUNT, "1", 1),
        (SIZE, "1", 1),
        (SIZE, "64m", 64 << 20),
        (SIZE, "2 GiB", 2 << 30),
        (NAMES, "a, b.c ,d", ("a", "b.c", "d")),
        (NAMES, '["a,b", "c"]', ("a,b", "c")),
        (NAMES, "[]", ()),
        (SOME_NAMES, "a,b", ("a", "b")),
        (one_of("x", "y"), "Y", "y"),
    ],
)
def test_values_are_read(kind: Kind, text: str, value: Any) -> None:
    """A text is read as the value that it spells."""
    assert kind.read(text) == value


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (WHOLE, "1.0"),
        (WHOLE, "\u0661"),
        (WHOLE, "1" * 21),
        (COUNT, "0"),
        (COUNT, "-5"),
        (SIZE, "0"),
        (SIZE, "-1"),
        (SIZE, "m"),
        (SIZE, "1p"),
        (FLAG, "yes"),
        (NAMES, "a,,b"),
        (NAMES, ""),
        (NAMES, '["a", 1]'),
        (NAMES, '["a"'),
        (SOME_NAMES, "[]"),
        (one_of("x", "y"), "z"),
    ],
)
def test_values_of_the_wrong_type_are_refused(kind: Kind, text: str) -> None:
    """The error for a wrong value names source, option and what the option takes."""
    options = Options("byteloom.x", Option("it", kind, ""))
    with pytest.raises(ArgumentError) as caught:
        options.read({"it": text})
    assert caught.value.path == "byteloom.x option it"
    assert caught.value.found == repr(text)
    assert caught.value.wanted == kind.name


def test_an_unknown_option_is_refused_with_those_that_are_near() -> None:
    """The error for a misspelt option suggests similar ones."""
    message = (
        "byteloom.x option: found 'colunms', wanted an option of the source; "
        r"did you mean columns or count\?$"
    )
    with pytest.raises(ArgumentError, match=message):
        OPTIONS.read({"colunms": "a"})


def test_the_table_has_a_line_for_each_option() -> None:
    """The table has a line for each option, with its values, default and meaning."""
    lines = OPTIONS.table().splitlines()
    assert lines[2] == "| `path` | text |  | Where. |"
    assert lines[4] == "| `count` | a whole number | 3 | How many. |"
    assert lines[5] == "| `is_fast` | true or false | false | Whether. |"
    assert lines[6] == "| `storage.*` | text | | Handed on. |"
    assert len(lines) == 7
