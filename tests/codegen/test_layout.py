"""Statements that are too long for their line are wrapped alike on every Python version."""

import ast
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest
from tests.support.gallery import rows

from byteloom_codegen.python.line_wrapping import wrapped
from byteloom_codegen.python.templates import templates
from byteloom_codegen.python.tokens import tokens


@pytest.mark.parametrize(
    ("line", "expected"),
    rows("layout", "statements"),
    ids=[
        *("signature", "long signature", "not in", "f-string", "f-string with a comma"),
        *("keyword", "addition to a variable", "functions in a tuple", "such a tuple in a call"),
        *("annotation in brackets", "annotation of two lists"),
        *("index that fits", "index that does not fit"),
    ],
)
def test_a_long_statement_is_wrapped_where_ruff_wraps_it(line: str, expected: str) -> None:
    """A long statement is wrapped as ruff wraps it, and its meaning stays."""
    body = "\n    pass" if line.endswith(":") else ""
    printed = wrapped(line, 0)
    assert printed == dedent(expected).strip().splitlines()
    assert ast.dump(ast.parse("\n".join(printed) + body)) == ast.dump(ast.parse(line + body))


def test_ruff_would_wrap_nothing_otherwise() -> None:
    """Ruff leaves a file of long wrapped statements as it is."""
    long = (Path(__file__).parents[1] / "cases/long_lines.txt").read_text()
    printed = templates().filters["wrapped"](long)
    ran = subprocess.run(
        [sys.executable, "-m", "ruff", "format", "--isolated", "--diff", "-"],
        input=printed, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ast.dump(ast.parse(printed)) == ast.dump(ast.parse(long))


@pytest.mark.parametrize(
    ("source", "texts"),
    rows("layout", "a_piece_of_a_statement_has_tokens_too"),
)
def test_a_piece_of_a_statement_has_tokens_too(source: str, texts: list[str]) -> None:
    """An incomplete statement is split into tokens; a string is one, whatever its prefix."""
    assert [token.text for token in tokens(source)] == texts
