"""Long expressions on reference pages: in words, with a line for each part."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.support.gallery import rows
from tests.support.specs import loaded

from byteloom_codegen.model import ValueInstance
from byteloom_codegen.reference.phrases import explained, formula
from byteloom_codegen.reference.prose import NEW_LINE, Words

if TYPE_CHECKING:
    from byteloom_codegen.expressions import Expression
    from byteloom_codegen.model import TypeSpec

BODY = """\
seq:
  - {id: n, type: u1}
  - {id: raw, size: 8}
  - {id: of_the_first_kind, type: u1}
  - {id: of_another_kind, type: u1}
  - {id: name_of_the_file, type: strz, encoding: ASCII}
"""


def asked(text: str) -> tuple[Expression, TypeSpec]:
    """Return an expression of the spec above, and its top type."""
    top = loaded(f"{BODY}instances:\n  x: {{value: {json.dumps(text)}}}\n").top
    found = top.member("x")
    assert isinstance(found, ValueInstance)
    return found.value, top


def lines(words: Words) -> list[str]:
    """Return the lines of words."""
    found: list[list[str]] = [[]]
    for word in words:
        if word is NEW_LINE:
            found.append([])
        else:
            found[-1].append(word.text)
    return ["".join(each) for each in found]


@pytest.mark.parametrize(
    ("text", "wanted"),
    rows("phrases", "outlines"),
)
def test_a_long_expression_has_a_line_for_each_part(text: str, wanted: list[str]) -> None:
    """An expression too long for a line is shown as a heading and a line for each part."""
    node, top = asked(text)
    assert lines(explained(node, top)) == [*wanted, f"({formula(node)})"]
