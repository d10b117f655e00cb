"""The macros that print the statements of records and scanners."""

import re
from pathlib import Path

import pytest
from tests.support.gallery import rows

import byteloom_codegen
from byteloom_codegen.python.templates import READ, WALK, templates

PACKAGE = Path(byteloom_codegen.__file__).parent


@pytest.mark.parametrize(
    ("template", "package"),
    rows("macros", "every_macro_is_asked_for"),
)
def test_every_macro_is_asked_for(template: str, package: str) -> None:
    """The generator or another macro uses every macro."""
    text = (PACKAGE / "templates" / template).read_text()
    macros = re.findall(r"macro (\w+)\(", text)
    code = "".join(file.read_text() for file in (PACKAGE / package).glob("*.py"))
    assert macros
    assert [
        name
        for name in macros
        if f'"{name}"' not in code and len(re.findall(rf"\b{name}\(", text)) < 2
    ] == []


def test_a_macro_prints_statements_with_what_is_inside() -> None:
    """A macro indents the statements inside it by four spaces each level."""
    cases = [("1", ["a = 1"]), ("2", ["if a:", "    b = 2"])]
    assert READ.lines("switch", on="a.b", kind="a.b", cases=cases, otherwise=["a = None"]) == [
        "if a.b == 1:", "    a = 1",
        "elif a.b == 2:", "    if a:", "        b = 2",
        "else:", "    a = None",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("statements", "printed"),
    rows("macros", "a_second_branch_that_is_one_condition_is_an_elif"),
)  # fmt: skip
def test_a_second_branch_that_is_one_condition_is_an_elif(
    statements: list[str], printed: list[str]
) -> None:
    """An else branch that is one condition is printed as an ``elif``."""
    assert WALK.lines("optional", test="a", taken=["d = 1"], blanks=statements) == printed


def test_an_argument_that_is_missing_is_no_empty_text() -> None:
    """A macro fails if one of its arguments is missing."""
    with pytest.raises(Exception, match="'size' was not provided"):
        READ.value("bytes", name='"a"')


def test_statements_are_wrapped_at_their_depth() -> None:
    """A nested statement is wrapped with its indentation."""
    lines = templates().filters["lines"]
    call = f"call({'a' * 70})"
    assert lines([call], 1) == f"    {call}"
    assert lines([f"    {call}"], 3) == "\n".join(
        [" " * 16 + "call(", " " * 20 + "a" * 70, " " * 16 + ")"]
    )
